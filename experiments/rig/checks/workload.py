"""What else this PC does, and how much it may: memory, other programs, power."""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from experiments.engine.clock import nap
from experiments.rig.checks.clocks import Answer, answer_of
from experiments.rig.checks.finding import Check, Finding

LEAST_MEMORY_BYTES, SCANT_MEMORY_BYTES = 300 * 1024**2, 1536 * 1024**2
MUCH_SWAP: Final = 0.5
BUSY_SHARE: Final = 0.25
LOOK_S: Final = 0.25
MOST_NAMED: Final = 3
CPUS: Final = Path("/sys/devices/system/cpu")
STEADY: Final = frozenset({"performance"})
# The power schemes of every Windows, by id.
SCHEMES: Final[Mapping[str, str]] = {
    "a1841308-3541-4fab-bc81-f71556f20b4a": "saver",
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high",
    "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate",
}

MEMORY = Check(
    "memory",
    "free memory, so that nothing is swapped to disk during a trial",
    warns="less than 1.5 GiB, or half of the swap space is used",
    fails="less than 300 MiB",
    every_session=True,
)
LOAD = Check(
    "load",
    "how busy other programs keep the processor",
    warns="a quarter of it or more",
    every_session=True,
)
POWER = Check(
    "power",
    "the processor keeps its speed: mains, governor, power scheme",
    warns="on battery, or power is saved",
    every_session=True,
)


def memory(available_bytes: int | None = None, swap_share: float | None = None) -> Finding:
    """Check that there is memory to spare.

    Parameters
    ----------
    available_bytes
        Memory that is available without swapping; the system's value by default.
    swap_share
        Share of the swap space in use, 0 to 1; the system's value by default.
    """
    available = psutil.virtual_memory().available if available_bytes is None else available_bytes
    swapped = _swap_share() if swap_share is None else swap_share
    values = {"free": f"{available / 1024**3:.1f}", "swapped": f"{100 * swapped:.0f}"}
    if available < LEAST_MEMORY_BYTES:
        return MEMORY.failed("free", **values)
    if available < SCANT_MEMORY_BYTES or swapped >= MUCH_SWAP:
        return MEMORY.warned("free", **values)
    return MEMORY.passed("free", **values)


@dataclass(frozen=True, slots=True)
class Processors:
    """What the processors have done up to now.

    Attributes
    ----------
    now_s
        The time, monotonic seconds.
    idle_s
        For how long they have been idle, all together.
    own_s
        For how long they have worked for this program.
    """

    now_s: float
    idle_s: float
    own_s: float

    @classmethod
    def now(cls) -> "Processors":
        """Return what they have done up to now."""
        times, own = psutil.cpu_times(), os.times()
        idle_s = times.idle + getattr(times, "iowait", 0.0)
        return cls(time.perf_counter(), idle_s, sum(own[:4]))

    def used_since(self, before: "Processors", count: int) -> float:
        """Return the share, 0 to 1, of so many processors that other programs used meanwhile."""
        whole_s = count * (self.now_s - before.now_s)
        used_s = whole_s - (self.idle_s - before.idle_s) - (self.own_s - before.own_s)
        return min(max(used_s / whole_s, 0.0), 1.0)


def used_by_others(since: Processors) -> float:
    """Return the share of the processor that other programs have used, over 0.25 s at least.

    What this program does meanwhile doesn't count, so other checks can run in that time.
    """
    nap(max(since.now_s + LOOK_S - time.perf_counter(), 0.0))
    return Processors.now().used_since(since, psutil.cpu_count() or 1)


def load(used: float, busiest: tuple[str, ...] | None = None) -> Finding:
    """Check that no other program keeps the processor busy.

    Parameters
    ----------
    used
        Share of the processor that other programs use, 0 to 1.
    busiest
        Names of the busiest programs; by default looked up if needed.
    """
    percent = f"{100 * used:.0f}"
    if used < BUSY_SHARE:
        return LOAD.passed("used", percent=percent)
    names = busiest_programs() if busiest is None else busiest
    return LOAD.warned("used_by" if names else "used", percent=percent, programs=", ".join(names))


def busiest_programs(look_s: float = LOOK_S) -> tuple[str, ...]:
    """Return the names of the programs that use the processor most, except this one."""
    this_process = psutil.Process()
    first = {
        process: _used_s(process)
        for process in psutil.process_iter()
        if process.pid != this_process.pid
    }
    nap(look_s)
    used = {process: _used_s(process) - before_s for process, before_s in first.items()}
    most = sorted(used, key=lambda process: -used[process])[:MOST_NAMED]
    names = [_name(process) for process in most if used[process] > 0.1 * look_s]
    return tuple(dict.fromkeys(name for name in names if name))


def power(
    system: str = sys.platform,
    plugged: bool | None = None,
    answer: Answer | None = None,
    cpus: Path = CPUS,
) -> Finding:
    """Check that nothing slows the processor down to save power.

    Parameters
    ----------
    system
        A value of `sys.platform`.
    plugged
        Whether the PC is plugged in; the system's value by default.
    answer
        Returns a command's output; None if it can't be run.
    cpus
        Linux's folder with the processors' states.
    """
    plugged = _is_plugged() if plugged is None else plugged
    if not plugged:
        return POWER.warned("battery", "do_battery")
    if system == "linux":
        return _governed(cpus)
    if system == "win32":
        return _schemed((answer or answer_of)(["powercfg", "/getactivescheme"]))
    return _mac_power((answer or answer_of)(["pmset", "-g"]))


def _governed(cpus: Path) -> Finding:
    files = sorted(cpus.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = sorted({_governor(file) for file in files} - {""})
    if not governors:
        return POWER.passed("ungoverned")
    listed = ", ".join(governors)
    if set(governors) <= STEADY:
        return POWER.passed("governed", governors=listed)
    return POWER.warned("governed", "do_linux", governors=listed)


def _governor(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        # Raised for a processor that is switched off.
        return ""


def _schemed(output: str | None) -> Finding:
    known = [name for scheme, name in SCHEMES.items() if scheme in (output or "").lower()]
    if not known:
        return POWER.passed("own_scheme")
    scheme = [(known[0], {})]
    if known[0] in ("saver", "balanced"):
        return POWER.warned("schemed", "do_windows", scheme=scheme)
    return POWER.passed("schemed", scheme=scheme)


def _mac_power(output: str | None) -> Finding:
    saving = any(line.split() == ["lowpowermode", "1"] for line in (output or "").splitlines())
    if saving:
        return POWER.warned("low", "do_mac")
    return POWER.passed("full")


def _is_plugged() -> bool:
    # Systems without a battery have no such function, or return None.
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return battery is None or battery.power_plugged is not False


def _swap_share() -> float:
    swap = psutil.swap_memory()
    return swap.used / swap.total if swap.total else 0.0


def _used_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""
