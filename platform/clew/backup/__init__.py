"""A whole Clew in one file, and back: graph, accepted bytes, users, schedules, trained models."""

from clew.backup.archive import Tell
from clew.backup.making import make_backup
from clew.backup.restoring import restore_backup

__all__ = ["Tell", "make_backup", "restore_backup"]
