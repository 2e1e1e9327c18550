"""No way to the network: for the libraries that open files, and for the process that reads applicants' files at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

SETTINGS: Final = {
    "PROJ_NETWORK": "OFF",
    # GDAL opens nothing by its network file systems, and whatever asks for a page asks where nobody listens.
    "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",
    "GDAL_HTTP_PROXY": "127.0.0.1:9",
    "GDAL_HTTP_TIMEOUT": "1",
}
"""Of the environment; GDAL and PROJ read it when they are loaded."""

_NEW_USERS, _NEW_NETWORK = 0x1000_0000, 0x4000_0000


def keep_libraries_offline() -> None:
    """Set the environment of this process, and of those it starts, before GDAL and PROJ are loaded."""
    os.environ.update(SETTINGS)


def leave_network() -> bool:
    """Leave the network for good; whether the system itself cut it off (Linux, where it permits that).

    Python then makes no socket and looks up no name in any case. To be called before any thread is started.
    """
    keep_libraries_offline()
    sys.addaudithook(_refuse)
    return sys.platform == "linux" and _cut_off()


def _refuse(event: str, _: object) -> None:
    if event.startswith("socket."):
        raise PermissionError("a file that is read may not reach the network")


def _cut_off() -> bool:
    """Move into a network of one's own, in which there is nobody."""
    import ctypes  # noqa: PLC0415

    user, group = os.getuid(), os.getgid()
    try:
        unshare = ctypes.CDLL(None).unshare
    except (OSError, AttributeError):
        return False
    # Only the administrator may do so directly; and needs to stay it, to read what others may not.
    if user == 0:
        return bool(unshare(_NEW_NETWORK) == 0)
    if unshare(_NEW_USERS | _NEW_NETWORK) != 0:
        return False
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return True
