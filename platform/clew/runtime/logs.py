"""Keep the services' logs small: their processes hold them open, so they are copied and cut."""

import shutil
from collections.abc import Iterable
from pathlib import Path

LARGEST_BYTES = 10 * 1024 * 1024
KEPT = 3


def rotate_logs(
    paths: Iterable[Path], largest: int = LARGEST_BYTES, kept: int = KEPT
) -> list[Path]:
    """Rotate each file that has grown past ``largest`` bytes; return those.

    The files are written in append mode, so that what comes after the cut starts a new file.
    """
    rotated = []
    for path in paths:
        if not path.is_file() or path.stat().st_size <= largest:
            continue
        for number in range(kept, 1, -1):
            older = path.with_name(f"{path.name}.{number - 1}")
            if older.exists():
                older.replace(path.with_name(f"{path.name}.{number}"))
        shutil.copyfile(path, path.with_name(f"{path.name}.1"))
        with path.open("r+b") as file:
            file.truncate(0)
        rotated.append(path)
    return rotated
