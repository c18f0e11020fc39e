"""Every source of chance that a test can meet, seeded by the run's number and the test's name.

`--order-seed N` gives the number. With 0, which is the default, tests run in the order of their
files. Any other number also mixes the files, and the tests within each file. The places depend on
number and name alone, so one file by itself runs in the same order as in the whole suite.

Seeded are the generators of random, secrets, numpy and torch, hypothesis's examples, the order of
sets of text (``PYTHONHASHSEED``), the order in which folders list their entries, and the time zone.
Child processes get a seed of their own (`tests/seeded/sitecustomize.py`).
"""

import os
import random
import secrets
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

OPTION = "--order-seed"
SEEDED = Path(__file__).parent / "seeded"
"""On the path of child processes, whose Python runs what is in it first."""
OF_CHILDREN = "PLAINSIGHT_TESTS_SEED"
TIME_ZONES = ("UTC", "America/St_Johns", "Pacific/Auckland", "Asia/Kolkata", "America/Los_Angeles")


def number_of(seed: int, name: str) -> int:
    """Return the number that stands for a name in a run."""
    return zlib.crc32(f"{seed} {name}".encode(errors="surrogatepass"))


def is_hashing_fixed(seed: int) -> bool:
    """Tell whether this process orders its sets by a run's number."""
    return os.environ.get("PYTHONHASHSEED") == str(seed)


def start_again(seed: int) -> None:
    """Start this command again, with the order of sets fixed; POSIX alone, does not return."""
    os.environ["PYTHONHASHSEED"] = str(seed)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def seed_generators(seed: int, name: str) -> None:
    """Seed the global generators that are loaded, and those of child processes to come."""
    number = number_of(seed, name)
    random.seed(number)
    secrets.choice = random.Random(number).choice
    os.environ[OF_CHILDREN] = str(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)
    if "torch" in sys.modules:
        _seed_torch(sys.modules["torch"], number)


def _seed_torch(torch: Any, number: int) -> None:
    """Seed as ``torch.manual_seed`` does.

    Where no graphics card is in use, that function notes each call, with its stack, for the moment
    when one is. Some ten thousand calls took 3 % of the time of torch's tests.
    """
    torch.default_generator.manual_seed(number)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(number)


def fix_surroundings(seed: int) -> None:
    """Fix for a whole run what else may differ between two PCs or two runs."""
    os.environ["TZ"] = TIME_ZONES[seed % len(TIME_ZONES)]
    if hasattr(time, "tzset"):
        time.tzset()
    _mix_folders(seed)


def place_of(seed: int, nodeid: str) -> tuple[int, str, int]:
    """Return a key that sorts tests into the order of a number, file by file."""
    file = nodeid.partition("::")[0]
    return number_of(seed, file), file, number_of(seed, nodeid)


def how_to_repeat(seed: int, files: Sequence[str]) -> str:
    """Return the lines that say how to repeat the failures of some files."""
    return (
        f"The order and the seed are those of number {seed}. To repeat:\n"
        f"  python3 lab.py test {' '.join(files)} {OPTION} {seed}\n"
        f"or, where those pass by themselves, all tests:\n"
        f"  python3 lab.py test {OPTION} {seed}"
    )


class _Entries:
    """What `os.scandir` gives, in another order."""

    def __init__(self, entries: list[os.DirEntry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[os.DirEntry]:
        return self._entries

    def __next__(self) -> os.DirEntry:
        return next(self._entries)

    def __enter__(self) -> "_Entries":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def close(self) -> None:
        return None


def _mix_folders(seed: int) -> None:
    """Let folders list their entries in an order of the run's number, whatever the file system."""
    scandir, listdir = os.scandir, os.listdir

    def place(name: str | bytes) -> int:
        return number_of(seed, os.fsencode(name).decode("utf-8", "backslashreplace"))

    def mixed_scandir(*where: Any) -> _Entries:
        with scandir(*where) as found:
            return _Entries(sorted(found, key=lambda entry: place(entry.name)))

    def mixed_listdir(*where: Any) -> list:
        return sorted(listdir(*where), key=place)

    os.scandir, os.listdir = mixed_scandir, mixed_listdir
