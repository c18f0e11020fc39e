"""The verb ``docs``."""

from pathlib import Path
from typing import Annotated

import typer

from stimuli.console import new_app, run_app
from stimuli.errors import UserError

HERE = Path(__file__).parent
app = new_app("The documentation.")


@app.command()
def docs(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the site.")] = Path(
        "out/site"
    ),
    photographs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead, write the tutorial's twelve photographs of fruit into this folder.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Build the documentation as a site that needs no server and no network.

    Open its index.html in any browser. A warning of Sphinx counts as an error.

    Example: python3 lab.py docs
    """
    if photographs is not None:
        from docs.photographs import write_photographs

        print(f"{len(write_photographs(photographs))} photographs in {photographs}")
        return
    build_site(out)
    print(out / "index.html")


def build_site(out: Path, *tags: str) -> None:
    """Build the site.

    Parameters
    ----------
    out
        Folder of the site.
    tags
        Sphinx's tags; ``outline`` leaves only the headings of long pages that are made from
        declarations.

    Raises
    ------
    UserError
        If there is a warning; Sphinx has printed it.
    """
    from sphinx.cmd.build import build_main

    chosen = [word for tag in tags for word in ("-t", tag)]
    if build_main(["-q", "-W", "--keep-going", "-b", "html", *chosen, str(HERE), str(out)]):
        raise UserError(f"the site in {out} isn't whole; Sphinx's lines above say where")


def main(arguments: list[str]) -> int:
    """Run the command and return the exit status."""
    return run_app(app, arguments)
