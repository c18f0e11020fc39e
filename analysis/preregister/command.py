"""The verb ``preregister``."""

import json
from pathlib import Path
from typing import Annotated

import typer


def preregister(
    protocol: Annotated[
        Path, typer.Argument(help="Protocol file, or the name of one that ships: NAME.toml.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the preregistration.")],
    participants: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of people to analyse.")
    ],
    power: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder that lab.py power wrote: it justifies the number of people."
        ),
    ] = None,
    rationale: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Reason for the number of people, in your words.",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Write down what a study will test and how, before data collection.

    It writes preregistration.html and .md, in the order of public registries' forms, and
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
