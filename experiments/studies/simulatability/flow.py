"""Blocks below one another, on as many pages as they need."""

from collections.abc import Sequence

from experiments.studies.simulatability.pieces import Block, Pieces, height_of, moved


def paged(blocks: Sequence[Block], height_px: int) -> list[list[Block]]:
    """Return blocks in pages of a height; what holds to the next block goes with it.

    Only a block higher than a page is too high for its page.
    """
    pages: list[list[Block]] = [[]]
    for group in _groups(blocks, height_px):
        if pages[-1] and height_of([*pages[-1], *group]) > height_px:
            header = group[0].header
            repeated = header is not None and height_of([header, *group]) <= height_px
            pages.append([header] if repeated else [])
        pages[-1] += group
    return pages


def cuts(pages: Sequence[Sequence[Block]]) -> int:
    """Return how often a page ends where its last block should stay with the next one."""
    return sum(page[-1].holds for page in pages[:-1])


def placed(blocks: Sequence[Block], left_px: int, top_px: int) -> Pieces:
    """Return the pieces of blocks below one another, from a top left corner on."""
    pieces: list = []
    top = top_px
    for number, block in enumerate(blocks):
        top += block.before_px if number else 0
        pieces += moved(block.pieces, left_px, top)
        top += block.height_px
    return tuple(pieces)


def _groups(blocks: Sequence[Block], height_px: int) -> list[list[Block]]:
    """Return blocks in groups that stay together, as far as a page is high enough for them."""
    groups: list[list[Block]] = []
    for block in blocks:
        together = bool(groups) and groups[-1][-1].holds
        if together and height_of([*groups[-1], block]) <= height_px:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups
