"""Which images a sheet shows, and in which order.

As published, all images are shuffled and cut into sheets. No sheet is balanced by bin: so what
somebody has seen says nothing of what is to come.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam


@dataclass(frozen=True, slots=True)
class Entry:
    """A place of a sheet: its phase (`tables.PHASES`) and the image."""

    phase: str
    item: str


def sheet_name(number: int) -> str:
    """Return a sheet's name by its number, from 1."""
    return f"sheet-{number:02d}"


def sheets_of(
    protocol: HumanAiTeam,
    main: Sequence[str],
    validation: Sequence[str],
    practice: Sequence[str],
    key: str,
) -> dict[str, list[Entry]]:
    """Return each sheet's entries in the order they are shown in.

    Parameters
    ----------
    protocol
        Number and length of the sheets, and where validation is placed.
    main, validation, practice
        Ids of the images. Practice and validation each have one order for all sheets.
    key
        Root of every keyed draw.
    """
    before = [Entry("practice", item) for item in keyed_order(practice, key, "practice")]
    checks = [Entry("validation", item) for item in keyed_order(validation, key, "validation")]
    sheets = {}
    for number, items in enumerate(dealt(main, protocol, key), start=1):
        name = sheet_name(number)
        own = [Entry("main", item) for item in items]
        if protocol.validation.placed == "mixed":
            sheets[name] = [*before, *spread(checks, own, key, name)]
        else:
            sheets[name] = [*before, *checks, *own]
    return sheets


def dealt(items: Sequence[str], protocol: HumanAiTeam, key: str) -> list[list[str]]:
    """Return the images of each sheet, in a keyed order.

    If the images fill the sheets exactly, each image is in one sheet. Otherwise the shuffled images
    are used again from the first: each is in as many sheets as any other, or in one more, and in
    none twice.
    """
    wanted = protocol.bins
    shuffled, length = keyed_order(items, key, "sheets"), wanted.trials_per_sheet
    return [
        keyed_order(
            (shuffled[place % len(shuffled)] for place in range(start, start + length)),
            key,
            "order",
            number,
        )
        for number, start in enumerate(range(0, wanted.sheets * length, length))
    ]


def spread(checks: Sequence[Entry], own: Sequence[Entry], *key: str) -> list[Entry]:
    """Return entries in equal stretches, one per check, each with its check at a keyed place.

    The first entry is never a check, so that nobody is judged by the first trial.
    """
    mixed = list(own)
    for nth in reversed(range(len(checks))):
        first = 1 + nth * (len(own) - 1) // len(checks)
        after = 1 + (nth + 1) * (len(own) - 1) // len(checks)
        # Later stretches are filled first, so that earlier places stay where they are.
        mixed.insert(first + seed_of(*key, "check", nth) % max(1, after - first), checks[nth])
    return mixed
