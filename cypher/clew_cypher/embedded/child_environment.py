"""The environment of a child that needs none of our secrets."""

import os

NAMES = {
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "VIRTUAL_ENV"),
    *("JAVA_HOME", "JDK_JAVA_OPTIONS", "OMP_NUM_THREADS", "HF_HOME", "HF_HUB_OFFLINE"),
}
PREFIXES = ("LC_", "PYTHON", "CUDA_", "MALLOC_")


def child_environment(**more: str) -> dict[str, str]:
    """Return what a program needs to run here, with ``more``: no key, no password, no token."""
    known = {
        name: value
        for name, value in os.environ.items()
        if name in NAMES or name.startswith(PREFIXES)
    }
    return {**known, **more}
