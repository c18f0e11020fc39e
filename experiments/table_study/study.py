"""What a study from a table declares of its screens."""

from pathlib import Path

from experiments.study import ScreenParts, SessionScreens, Study


def _load_parts() -> ScreenParts:
    from experiments.table_study.actor import ItemActor, recalled_item
    from experiments.table_study.presenter import ItemPainter, ItemScreens

    return ScreenParts(ItemPainter, ItemScreens, ItemActor, recall=recalled_item)


def declare(folder: Path) -> Study:
    """Return the declaration of the study in a folder."""
    return Study(sessions={"solutions": SessionScreens(_load_parts)})
