"""The most memory that this process has held."""

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_gb() -> float:
    """Return the largest resident memory so far; NaN where the system doesn't say.

    Linux' own count, where there is one: that of `resource` begins with the memory of the process
    that started this one.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        (line,) = (line for line in lines if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / 1e9
    if sys.platform == "win32":
        return float("nan")
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
