"""The tables of ``docs/lab_pc.md``, from the code that checks.

``python -m experiments.rig.handbook`` writes them again; the words around them are kept.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from experiments.rig.checklist import MUST_HOLD
from experiments.rig.checks.catalogue import CHECKS
from participants.files import write_file
from participants.texts import load_checklist
from stimuli.languages import ENGLISH

PAGE: Final = Path(__file__).parents[2] / "docs" / "lab_pc.md"
CHECK_HEADS: Final = ("check", "looks at", "warns", "fails", "before every session")
POINT_HEADS: Final = ("point", "", "must hold")


def tables() -> dict[str, str]:
    """Return the Markdown of every table, by the name of its placeholder on the page."""
    text = load_checklist(ENGLISH)
    checks = (
        (
            f"`{check.name}`", check.asks, check.warns or "–", check.fails or "–",
            "yes" if check.every_session else "",
        )
        for check in CHECKS
    )  # fmt: skip
    points = (
        (
            f"`{point}`",
            text.items[point].replace("{distance}", "at the measured distance"),
            _yes(must),
        )
        for point, must in MUST_HOLD.items()
    )
    answers = "\n".join(f"{point} = true" for point in MUST_HOLD)
    return {
        "checks": _rows(CHECK_HEADS, checks),
        "checklist": _rows(POINT_HEADS, points),
        "answers": f"```toml\n{answers}\ndistance_cm = 57\nambient_lux = 40\n\n[reasons]\n```",
    }


def filled(page: str) -> str:
    """Return the page with its tables brought up to date."""
    for name, table in tables().items():
        begin, end = f"<!-- {name}: generated -->", f"<!-- /{name} -->"
        place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        page = place.sub(lambda _, parts=(begin, table, end): "\n".join(parts), page)
    return page


def write(page: Path = PAGE) -> None:
    """Rewrite the page with up-to-date tables."""
    write_file(page, filled(page.read_text(encoding="utf-8")).encode("utf-8"))


def _yes(holds: bool) -> str:
    return "yes" if holds else ""


def _rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    write()
