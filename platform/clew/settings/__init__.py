"""Every setting, once; where they come from, and the page that lists them."""

from clew.settings.settings import (
    ENVIRONMENT_PREFIX,
    Settings,
    all_settings,
    file_values,
    settings_file,
)

__all__ = ["ENVIRONMENT_PREFIX", "Settings", "all_settings", "file_values", "settings_file"]
