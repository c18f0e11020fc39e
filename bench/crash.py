"""Crashes: what is left of sessions whose processes are killed."""

from bench.book import Book
from bench.parts import crashes

BOOK = Book(
    name="crash",
    title="When a session is killed",
    intro=(
        "This page measures what is lost when a PC or a program dies during a session. No "
        "recorded data may be lost, and the session must continue as if nothing had "
        "happened. Type "
        "`python3 lab.py bench crash` to measure it again.\n\n"
        "The sessions are simulated: robots answer without a window. Registry, journal, plan and "
        "tables are those of a real session, and every journal is written through to the disk. "
        "[session.md](session.md) kills a session in a real window.\n\n"
        "[several_pcs.md](several_pcs.md) describes other problems: a registry that can't be "
        "reached, and a session that another PC takes over. If **the disk is full**, the "
        "data folder is read-only or the journal was moved, the session waits. A screen "
        "tells the experimenter what happened and what to do. Enter continues the session; "
        "Ctrl+Shift+X stops it, and it can be continued later "
        "(`tests/experiments/windows/test_refusals.py` does both on a disk of 3 MB)."
    ),
    parts=crashes.PARTS,
    page="crash_safety",
)
