"""Make the pictures of the documentation again.

``python -m tests.pictures`` builds small packs, draws every kind of screen, simulates and analyses
each study, explains a photograph by each method, and writes ``docs/pictures``. It takes about
half an hour on two free cores. ``--only screens`` (or ``screening``, ``reports``, ``methods``,
``tutorial``, ``scripts``) makes one part again. What was built stays in ``out/pictures`` and is not
built again. Photographs need SqueezeNet's published weights: torchvision downloads them the first
time (5 MB).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.pictures.made import Workshop, write_reports, write_screening, write_screens
from tests.pictures.methods import write_methods
from tests.pictures.scripts import write_scripts
from tests.pictures.steps import write_steps

PARTS = {
    "screens": write_screens,
    "screening": write_screening,
    "reports": write_reports,
    "methods": write_methods,
    "tutorial": write_steps,
    "scripts": write_scripts,
}


def main(words: Sequence[str] | None = None) -> None:
    """Make all parts, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--work", type=Path, default=Path("out/pictures"))
    asked = parser.parse_args(words)
    workshop = Workshop(asked.work.resolve())
    for part in asked.only or PARTS:
        PARTS[part](workshop)


if __name__ == "__main__":
    main()
