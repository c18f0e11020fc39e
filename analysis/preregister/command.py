"""The verb ``preregister``."""

import json
from pathlib import Path
from typing import Annotated

import typer


def preregister(
    protocol: Annotated[
        Path, typer.Argument(help="Protocol file, or the bare name of one that ships: NAME.toml.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the preregistration.")],
    participants: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many people are to be analysed.")
    ],
    power: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="What lab.py power wrote: it says why there are so many."),
    ] = None,
    rationale: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Why there are so many, in your words.", show_default=False
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Freeze what a study will test and how, before its data come.

    It writes preregistration.html and .md, in the order in which public registries ask, and
    preregistration.json. Upload one of them, keep the folder, and name it later to analyse by
    --preregistration.

    Example: python3 lab.py preregister my.toml --participants 40 --power power --out registered
    """
    from analysis.preregister.run import preregister as freeze

    done = freeze(protocol, out, participants, power, rationale)
    if as_json:
        print(json.dumps({"page": str(done.page), "protocol_hash": done.protocol_hash}))
    else:
        print(f"Protocol {done.protocol_hash}", f"Preregistration: {done.page}", sep="\n")
