"""The documentation: how large its site is, and how long it takes to use it."""

from bench.book import Book, Part
from bench.parts import site_search, site_tutorial

BOOK = Book(
    name="site",
    title="This documentation",
    intro=(
        "This page measures the documentation itself: the size of the site, the time to build it, "
        "the time to find something by its search, and how long the commands of the tutorial "
        "take. Type `python3 lab.py bench site` to measure it again. The search needs Chromium "
        "or Chrome."
    ),
    parts=(
        Part("search", "Size, building and search", site_search.measure),
        Part("tutorial", "The tutorial’s commands", site_tutorial.measure),
    ),
)
