"""The verb ``bench``: measure the figures of ``docs/`` again."""

import importlib
from pathlib import Path
from typing import Annotated

import typer

from stimuli.console import new_app, run_app
from stimuli.errors import UserError

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
NO_BOOKS = ("__init__", "book", "cli", "memory")

app = new_app("Measure the figures of the documentation again.")


def book_names() -> list[str]:
    """Return the names of all books, sorted."""
    return sorted(file.stem for file in HERE.glob("*.py") if file.stem not in NO_BOOKS)


@app.command()
def bench(
    name: Annotated[str, typer.Argument(help="A page of docs/, such as plates.")],
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PART", help="Measure only this part. May be repeated."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small and quick version, to try the command.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the page. Default: docs; with --quick out/bench.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting of a part, such as model=vgg16."
        ),
    ] = None,
) -> None:
    """Measure the figures of a page of docs again, and write the page.

    The other parts keep their earlier figures.

    Example: python3 lab.py bench plates --only speed
    """
    from bench.book import measure
    from stimuli.rich_terminal import Console

    if name not in book_names():
        raise UserError(f"bench has no page {name!r}; take one of {', '.join(book_names())}")
    book = importlib.import_module(f"bench.{name}").BOOK
    docs = out or (Path("out", "bench") if quick else DOCS)
    console = Console(stderr=True)
    page = measure(
        book,
        docs,
        only=only or (),
        quick=quick,
        say=lambda text: console.print(text, highlight=False, markup=False),
        options=_options(settings or []),
    )
    print(page)


def _options(settings: list[str]) -> dict[str, str]:
    options = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {text}: write it as NAME=VALUE")
        options[name] = value
    return options


def main(arguments: list[str]) -> int:
    """Run the verb and return the exit status."""
    return run_app(app, arguments)
