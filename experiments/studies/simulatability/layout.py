"""A case on pages: what is known of it on the left, its explanation on the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from experiments.screens.parts import Area
from experiments.studies.simulatability.inputs import Marks, marks_of, table_blocks, text_blocks
from experiments.studies.simulatability.panels import legend_blocks, needs_legend, panel_blocks
from experiments.studies.simulatability.pieces import (
    LEADINGS,
    ON_ONE_LINE,
    Block,
    Pieces,
    Type,
    height_of,
    holding,
    line_blocks,
    mirrored,
    moved,
    rectangle,
    spaced,
    width_of,
    words,
)
from experiments.studies.simulatability.plain import (
    changed_lines,
    explanation_parts,
    input_lines,
    plain_blocks,
)
from experiments.studies.simulatability.worded_case import WordedCase
from stimuli.studies.simulatability.stimulus import (
    AnyExplanation,
    Composite,
    Prototype,
    TableInput,
    TextInput,
)

MEASURE: Final = 36
"""Width of a single column, as a multiple of the letters' size: about 65 characters."""
NARROWEST: Final = 15
"""Least width of a column beside another; narrower columns are put below one another."""
GUTTER: Final = 2.6
WIDEST, WIDEST_BESIDE = 0.6, 0.7
"""Largest share of the left column if a table needs more than half; the same with a prototype."""
PART: Final = 1.2


@dataclass(frozen=True, slots=True)
class View:
    """Explanations that are shown together for one input, and their marks in it."""

    explanations: tuple[AnyExplanation, ...]
    marks: Marks

    @property
    def prototype(self) -> TableInput | None:
        """The table's row shown beside the input's row, if there is one."""
        rows = (
            explanation.prototype
            for explanation in self.explanations
            if isinstance(explanation, Prototype)
        )
        return next((row for row in rows if isinstance(row, TableInput)), None)


def views_of(case: WordedCase) -> list[View]:
    """Return the views of a case: one, or two of four methods together."""
    explanation = case.stimulus.explanation
    if explanation is None:
        groups: list[tuple[AnyExplanation, ...]] = [()]
    elif isinstance(explanation, Composite):
        groups = [
            (explanation.lime, explanation.anchor),
            (explanation.boundary, explanation.prototype),
        ]
    else:
        groups = [(explanation,)]
    return [View(group, {} if case.plain else marks_of(case, group)) for group in groups]


def case_pages(type_: Type, case: WordedCase, body: Area) -> list[Pieces]:
    """Return the pages of a case.

    Parameters
    ----------
    type_
        Typography.
    case
        The case, and the words around it.
    body
        The room for it.
    """
    pages = [page for view in views_of(case) for page in _view_pages(type_, case, view, body)]
    if type_.look.right_to_left:
        return [mirrored(page, type_.look.size_px[0]) for page in pages]
    return pages


def _view_pages(type_: Type, case: WordedCase, view: View, body: Area) -> list[Pieces]:
    width, height = body[2] - body[0], body[3] - body[1]
    gutter = type_.em(GUTTER)
    beside = width - gutter >= 2 * type_.em(NARROWEST)
    if view.explanations and beside:
        left_px = _left_px(type_, case, view, width - gutter)
        right_px = width - gutter - left_px
        left = _fewest(type_, height, lambda smaller: _case_blocks(smaller, case, view, left_px))
        right = _fewest(type_, height, lambda smaller: _panel(smaller, case, view, right_px))
        return _side_by_side(type_, left, right, body, left_px)
    measure = min(width, type_.em(MEASURE))
    pages = _fewest(type_, height, lambda smaller: _whole_blocks(smaller, case, view, measure))
    if len(pages) > 1 and beside and not view.explanations and _is_changed_apart(case):
        half = (width - gutter) // 2
        left = _fewest(type_, height, lambda smaller: _original_blocks(smaller, case, view, half))
        right = _fewest(type_, height, lambda smaller: _changed_blocks(smaller, case, half))
        return _side_by_side(type_, left, right, body, half)
    return _alone(pages, body)


def _fewest(
    type_: Type, height_px: int, blocks_at: Callable[[Type], list[Block]]
) -> list[list[Block]]:
    """Return a column in the fewest pages, then the fewest cuts, as loosely as those allow."""
    best = paged(blocks_at(type_), height_px)
    for leading in LEADINGS[1:]:
        if len(best) == 1:
            break
        pages = paged(blocks_at(replace(type_, leading=leading)), height_px)
        if (len(pages), cuts(pages)) < (len(best), cuts(best)):
            best = pages
    return best


def _left_px(type_: Type, case: WordedCase, view: View, width_px: int) -> int:
    """Return the width of the left column: half, or more where a table needs it."""
    half = width_px // 2
    if case.plain or not isinstance(case.stimulus.original, TableInput):
        return half
    table = table_blocks(type_, case, ON_ONE_LINE, view.marks, view.prototype)
    needed = max(width_of(block.pieces) for block in table)
    most = WIDEST if view.prototype is None else WIDEST_BESIDE
    return max(half, min(needed, round(most * width_px)))


def _is_changed_apart(case: WordedCase) -> bool:
    """Return whether a changed version is below its original; a table's row has it beside."""
    apart = case.plain or isinstance(case.stimulus.original, TextInput)
    return apart and case.stimulus.edits is not None


def _case_blocks(type_: Type, case: WordedCase, view: View, width_px: int) -> list[Block]:
    """Return the facts about a case, its input, and the changed version."""
    blocks = _original_blocks(type_, case, view, width_px)
    if _is_changed_apart(case):
        blocks += spaced(_changed_blocks(type_, case, width_px), type_.room(PART))
    return blocks


def _whole_blocks(type_: Type, case: WordedCase, view: View, width_px: int) -> list[Block]:
    """Return a case in one column, its explanation below it."""
    blocks = _case_blocks(type_, case, view, width_px)
    if view.explanations:
        blocks += spaced(_panel(type_, case, view, width_px), type_.room(2 * PART))
    return blocks


def _original_blocks(type_: Type, case: WordedCase, view: View, width_px: int) -> list[Block]:
    stimulus = case.stimulus
    blocks: list[Block] = []
    if _is_changed_apart(case):
        blocks += _heading(type_, case, "original", width_px)
    if case.plain:
        blocks += plain_blocks(type_, [input_lines(case, stimulus.original)], width_px)
    elif isinstance(stimulus.original, TextInput):
        blocks += text_blocks(type_, stimulus.original, width_px, marks=view.marks)
    else:
        blocks += table_blocks(type_, case, width_px, view.marks, view.prototype)
    facts = _facts(type_, case, width_px)
    return [*facts, *spaced(blocks, type_.room(PART) if facts else 0)]


def _changed_blocks(type_: Type, case: WordedCase, width_px: int) -> list[Block]:
    original, edits = case.stimulus.original, case.stimulus.edits
    assert edits is not None
    if case.plain:
        blocks = plain_blocks(type_, [changed_lines(case, original, edits)], width_px)
    else:
        assert isinstance(original, TextInput)
        blocks = text_blocks(type_, original, width_px, edits=edits)
    return [*_heading(type_, case, "changed", width_px), *blocks]


def _facts(type_: Type, case: WordedCase, width_px: int) -> list[Block]:
    """Return label and output of the original, as far as they are shown."""
    stimulus = case.stimulus
    output = "output" if stimulus.edits is None else "output_original"
    facts = (("true_label", stimulus.label), (output, stimulus.output))
    return [
        block
        for word, class_id in facts
        if class_id is not None
        for block in line_blocks(type_, case.with_word(word, case.class_name(class_id)), width_px)
    ]


def _panel(type_: Type, case: WordedCase, view: View, width_px: int) -> list[Block]:
    if case.plain:
        parts = explanation_parts(case, view.explanations)
        title = _heading(type_, case, "explanation", width_px)
        return [*title, *plain_blocks(type_, parts, width_px)]
    blocks = panel_blocks(type_, case, view.explanations, width_px)
    if any(map(needs_legend, view.explanations)):
        legend = legend_blocks(type_, case, view.explanations, width_px)
        return [*holding(legend), *spaced(blocks, type_.room(PART))]
    return blocks


def _heading(type_: Type, case: WordedCase, word: str, width_px: int) -> list[Block]:
    return line_blocks(type_, words(case.words[word], "bold", "strong"), width_px, holds=True)


def _alone(pages: Sequence[Sequence[Block]], body: Area) -> list[Pieces]:
    """Return pages of one column, which begins where the left one of two columns does."""
    return [placed(page, body[0], body[1]) for page in pages]


def _side_by_side(
    type_: Type,
    left: Sequence[Sequence[Block]],
    right: Sequence[Sequence[Block]],
    body: Area,
    left_px: int,
) -> list[Pieces]:
    """Return pages of two columns; the column that ends first is repeated on further pages."""
    count = max(len(left), len(right))
    filled = [[*pages, *list(pages[-1:]) * (count - len(pages))] for pages in (left, right)]
    gutter = type_.em(GUTTER)
    middle = body[0] + left_px + gutter // 2
    rule = rectangle((middle, body[1], middle + 1, body[3]), type_.look.surface)
    starts = body[0], body[0] + left_px + gutter
    return [
        (rule, *(piece for page, start in zip(page_of, starts, strict=True)
                 for piece in placed(page, start, body[1])))
        for page_of in zip(*filled, strict=True)
    ]  # fmt: skip


def paged(blocks: Sequence[Block], height_px: int) -> list[list[Block]]:
    """Return blocks in pages of a height; blocks that stay with the next one are kept with it.

    A page overflows only if it has a block higher than a page.
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
    """Return the pieces of blocks below one another, starting at a top left corner."""
    pieces: list = []
    top = top_px
    for number, block in enumerate(blocks):
        top += block.before_px if number else 0
        pieces += moved(block.pieces, left_px, top)
        top += block.height_px
    return tuple(pieces)


def _groups(blocks: Sequence[Block], height_px: int) -> list[list[Block]]:
    """Return blocks in groups that stay together, if a page is high enough for them."""
    groups: list[list[Block]] = []
    for block in blocks:
        together = bool(groups) and groups[-1][-1].holds
        if together and height_of([*groups[-1], block]) <= height_px:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups
