"""Files on disk, replaced as a whole: at every moment there is the old one or the new one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from secrets import token_hex

_MOST = 40  # characters of a name that are kept: names have an end, and what is added needs room


def replace_file(path: Path, data: bytes) -> None:
    """Write ``data`` to where ``path`` leads; an error leaves there what was there.

    A link stays, and what it leads to is replaced; permissions stay, and are asked.  What is no file, a pipe
    say, is written to.
    """
    target = Path(os.path.realpath(path))
    there = target.exists()
    if there and not target.is_file():
        target.write_bytes(data)
        return
    if there:
        target.open("r+b").close()  # or an error: replacing asks for the folder's permissions alone
    part = target.with_name(f"{target.name[:_MOST]}.part-{token_hex(6)}")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if there:
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:  # an interruption, too
        part.unlink(missing_ok=True)
        raise
