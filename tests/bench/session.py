"""A session: what it costs to keep, how exact its keys are, what a kill leaves of it."""

from tests.bench.book import Book
from tests.bench.parts import painting, sessions

BOOK = Book(
    name="session",
    title="A session",
    intro=(
        "What it costs to keep every trial, how exactly keys are stamped, how soon a session "
        "begins, and what is left of one that is killed. Windows are opened on a virtual display "
        "without a graphics card, and paced by the clock: figures of a lab PC come from that PC."
    ),
    parts=(*sessions.PARTS, *painting.PARTS),
)
