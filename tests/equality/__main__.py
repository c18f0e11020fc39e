"""Do all studies still give what they gave?

``python -m tests.equality write DIR`` builds, simulates and analyses a small version of each study
with fixed seeds, and writes down what came of it. ``compare DIR`` does it again, and names every
difference by study, file and key. ``compare DIR OTHER`` compares two such folders.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from tests.equality.cases import CASES
from tests.equality.differences import Difference, compare_records, other_machine
from tests.equality.record import PACKS, SHARED, StepError, write_record
from tests.equality.renames import read_declared

MOST = 20
"""So many differences of one file are printed."""


def main(words: Sequence[str] | None = None) -> int:
    """Write a record or compare with one; 0 if equal, 1 if not, 2 if a command failed."""
    asked = _parser().parse_args(words)
    try:
        if asked.verb == "write":
            write_record(asked.folder, asked.study, asked.packs, _say)
            return 0
        return _compare(asked)
    except (StepError, OSError, ValueError) as error:
        _say(f"failed: {error}")
        return 2


def _compare(asked: argparse.Namespace) -> int:
    declared = read_declared(asked.renames)
    with tempfile.TemporaryDirectory(prefix="plainsight-equality-") as name:
        other = asked.other or Path(name)
        if asked.other is None:
            write_record(other, asked.study, asked.packs, _say)
        for line in other_machine(asked.folder, other):
            print(f"Another machine, so last digits may differ: {line}")
        studies = (*asked.study, SHARED) if asked.study else ()
        found = compare_records(asked.folder, other, declared, studies)
    for line in report_lines(found):
        print(line)
    return 1 if found else 0


def report_lines(found: Sequence[Difference]) -> list[str]:
    """Return the differences as lines, the first of each file, and their number."""
    lines = []
    for (study, file), group in groupby(found, key=lambda one: (one.study, one.file)):
        differences = list(group)
        lines += [str(one) for one in differences[:MOST]]
        if len(differences) > MOST:
            lines.append(f"{study}  {file}  and {len(differences) - MOST} more")
    files = len({(one.study, one.file) for one in found})
    lines.append(f"differences: {len(found)}, in files: {files}" if found else "equal")
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.equality", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    write = verbs.add_parser("write", help="write down what all studies give now")
    compare = verbs.add_parser("compare", help="compare with what was written down")
    for verb in (write, compare):
        verb.add_argument("folder", type=Path, metavar="DIR", help="folder of the record")
        verb.add_argument(
            "--study",
            action="append",
            default=[],
            choices=[case.study for case in CASES],
            help="only this study; may be repeated",
        )
        verb.add_argument(
            "--packs", type=Path, default=PACKS, help="where packs are kept; default: %(default)s"
        )
    compare.add_argument(
        "other", type=Path, nargs="?", metavar="OTHER", help="another record; default: made now"
    )
    compare.add_argument(
        "--renames", type=Path, metavar="FILE", help="TOML: differences that are meant"
    )
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
