"""A session: what it costs to keep, how exact its keys are, what a kill leaves of it."""

from bench.book import Book
from bench.parts import backing_up, launching, painting, sessions, starts

BOOK = Book(
    name="session",
    title="A session",
    intro=(
        "This page measures what it costs to record every trial, how exact the time stamps of "
        "keys are, how soon a session and the start window begin, what is lost when a session is "
        "killed, and how long a backup takes. "
        "`python3 lab.py bench session` measures it again. The windows open on a virtual display "
        "without a graphics card, and the clock paces them. For the figures of a lab PC run the "
        "command there."
    ),
    parts=(
        *sessions.RECORDING,
        *starts.PARTS,
        *launching.PARTS,
        *sessions.BREAKING,
        *painting.PARTS,
        *backing_up.PARTS,
    ),
)
