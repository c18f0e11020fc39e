"""What is shown beside an input: each method's explanation as blocks, and bars of weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, Final

from experiments.studies.simulatability.inputs import edit_phrases, text_blocks
from experiments.studies.simulatability.pieces import (
    Block,
    Phrase,
    Piece,
    Pieces,
    Type,
    holding,
    line_blocks,
    lines,
    moved,
    rectangle,
    spaced,
    together,
    widths_px,
    words,
)
from experiments.studies.simulatability.worded_case import MINUS, NO_BREAK_SPACE, WordedCase
from participants.texts import written_number
from stimuli.studies.simulatability import stimulus

HALF: Final = 0.5
"""Above this total, LIME's linear model predicts the positive class."""
EM_SPACE: Final = "\N{EM SPACE}"
PART: Final = 1.2
"""Room above a part of an explanation, as a multiple of the letters' size."""
BETWEEN: Final = 1.8
"""Room above a further explanation, as a multiple of the letters' size."""
NEAR: Final = 0.5
INDENT: Final = 0.9
RULE: Final = 0.16
FEW: Final = 8
"""Largest number of conditions that are listed too; longer rules are shown only in the input."""

NAME: Final = 0.56
"""Largest width of a name beside a bar, as a share of the column."""

GAP: Final = 0.7

THICK: Final = 0.62
"""Thickness of a bar, as a share of the letters' size."""

LEAST, MOST = 1.8, 6.5
"""Width of each side of the bars' room, as a multiple of the letters' size."""

ZERO_PX: Final = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with a name.

    Attributes
    ----------
    name, number
        Name and number in writing.
    weight
        The weight that the bar shows; None for a number without a bar.
    """

    name: str
    number: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class _Columns:
    """End of the names, position of the zero line, largest length of a bar, end of the numbers."""

    names_px: int
    zero_px: int
    half_px: int
    end_px: int


def bar_blocks(
    type_: Type, bars: Sequence[Bar], width_px: int, largest: float = 0.0
) -> list[Block]:
    """Return numbers below one another, one block each.

    Parameters
    ----------
    type_, bars, width_px
        Typography, the numbers, and the width.
    largest
        The weight whose bar fills its side, unless one of the bars is heavier.
    """
    columns = _columns(type_, bars, width_px)
    weights = [abs(bar.weight) for bar in bars if bar.weight is not None]
    largest = max([largest, *weights])
    return [_block(type_, bar, columns, largest or 1.0) for bar in bars]


def _columns(type_: Type, bars: Sequence[Bar], width_px: int) -> _Columns:
    gap = type_.em(GAP)
    numbers = max((type_.width(bar.number, "bold") for bar in bars), default=0)
    widest = max((_name_px(type_, bar) for bar in bars if bar.weight is not None), default=0)
    room = width_px - numbers - 2 * gap - ZERO_PX
    names = max(1, min(widest, round(NAME * width_px), room - 2 * type_.em(LEAST)))
    half = max(1, min((room - names) // 2, type_.em(MOST)))
    zero = names + gap + half
    # Numbers without a bar may need more room for their names.
    plain = [_name_px(type_, bar) for bar in bars if bar.weight is None]
    end = max([zero + ZERO_PX + half, *plain]) + gap + numbers
    return _Columns(names, zero, half, min(end, width_px))


def _name_px(type_: Type, bar: Bar) -> int:
    return widths_px(type_, words(bar.name))[1]


def _block(type_: Type, bar: Bar, columns: _Columns, largest: float) -> Block:
    number = type_.width(bar.number, "bold")
    room = columns.end_px - number - type_.em(GAP) if bar.weight is None else columns.names_px
    name = lines(type_, words(bar.name), max(1, room))
    height = len(name) * type_.pitch_px
    pieces: list[Piece] = []
    for at, line in enumerate(name):
        pieces += moved(line, 0, at * type_.pitch_px)
    if bar.weight is not None:
        pieces += _bar(type_, bar.weight / largest, columns, height)
    if bar.number:
        (written,) = lines(type_, [Phrase(bar.number, "bold", "strong")], number)
        pieces += moved(written, columns.end_px - number, (height - type_.pitch_px) // 2)
    return Block(tuple(pieces), height)


def _bar(type_: Type, share: float, columns: _Columns, height_px: int) -> Pieces:
    """Return the zero line, and the bar on one side of it."""
    zero, after = columns.zero_px, columns.zero_px + ZERO_PX
    line = rectangle((zero, 0, after, height_px), type_.look.line)
    length = min(columns.half_px, ceil(columns.half_px * abs(share)))
    if not length:
        return (line,)
    # Centred on the words, not on the line's whole height.
    thick = type_.em(THICK)
    top = (height_px - type_.pitch_px + type_.tile_px - thick) // 2
    left, right = (after, after + length) if share > 0 else (zero - length, zero)
    return line, rectangle((left, top, right, top + thick), type_.palette.bar(share))


def panel_blocks(
    type_: Type, case: WordedCase, explanations: Sequence[stimulus.AnyExplanation], width_px: int
) -> list[Block]:
    """Return explanations below one another."""
    blocks: list[Block] = []
    for explanation in explanations:
        blocks += spaced(_PANELS[type(explanation)](type_, case, explanation, width_px),
                         type_.room(BETWEEN))  # fmt: skip
    return blocks


def _lime(type_: Type, case: WordedCase, lime: stimulus.Lime, width_px: int) -> list[Block]:
    sums = {"baseline": lime.baseline, "weights_sum": lime.weights_sum, "total": lime.total}
    figures = [Bar(case.words[word], case.number(value), None) for word, value in sums.items()]
    features = _weights(case, lime.features)
    bars = bar_blocks(type_, [*features, *figures], width_px)
    negative, positive = (case.class_name(class_id) for class_id, _ in case.stimulus.classes)
    means = case.words.filled(
        "total_means", half=written_number(HALF, case.words.language),
        positive=positive, negative=negative,
    )  # fmt: skip
    panel = [
        *_heading(type_, case.words["weights"], width_px),
        *bars[: len(features)],
        *spaced(bars[len(features) :], type_.room(NEAR)),
        *line_blocks(type_, words(means, tone="quiet"), width_px),
    ]
    return together(panel)


def _weights_alone(
    type_: Type, case: WordedCase, weights: stimulus.Weights, width_px: int
) -> list[Block]:
    """Return weights; the legend or their heading says which class they support."""
    if weights.target is None:
        heading = words(case.words["attention"], "bold", "strong")
    elif len(case.stimulus.classes) > 2:
        target = case.with_word("weights_of", case.class_name(weights.target))
        heading = [replace(phrase, weight="bold", tone="strong") for phrase in target]
    else:
        heading = words(case.words["weights"], "bold", "strong")
    bars = bar_blocks(
        type_, _weights(case, weights.terms, signed=weights.target is not None), width_px
    )
    return together([*line_blocks(type_, heading, width_px, holds=True), *bars])


def _omission(
    type_: Type, case: WordedCase, omission: stimulus.Omission, width_px: int
) -> list[Block]:
    terms = _weights(case, omission.terms)
    whole = Bar(case.words["margin"], case.number(omission.margin), None)
    bars = bar_blocks(type_, [*terms, whole], width_px)
    return together(
        [
            *_heading(type_, case.words["left_out"], width_px),
            *bars[: len(terms)],
            *spaced(bars[len(terms) :], type_.room(NEAR)),
        ]
    )


def _anchor(type_: Type, case: WordedCase, anchor: stimulus.Anchor, width_px: int) -> list[Block]:
    says = case.with_word("rule_says", case.class_name(anchor.outcome))
    blocks = [*_heading(type_, case.words["rule"], width_px), *line_blocks(type_, says, width_px)]
    if listed := _listed(anchor.conditions):
        chips = [Phrase(case.named(condition), framed=True) for condition in listed]
        blocks += spaced(line_blocks(type_, chips, width_px), type_.room(NEAR))
    if len(listed) < len(anchor.conditions):
        note = words(case.words["rule_marked"], tone="quiet")
        blocks += spaced(line_blocks(type_, note, width_px), type_.room(NEAR))
    for word, share in (("precision", anchor.precision), ("coverage", anchor.coverage)):
        if share is not None:
            text = case.words.filled(word, percent=case.percent(share))
            lines = line_blocks(type_, words(text, tone="quiet"), width_px)
            blocks += spaced(lines, type_.room(NEAR))
    return together(blocks)


def _listed(conditions: Sequence[stimulus.Condition]) -> Sequence[stimulus.Condition]:
    """Return the conditions to list: all of a short rule, else those that no mark can show."""
    if len(conditions) <= FEW:
        return conditions
    return [condition for condition in conditions if not condition.places]


def _prototype(
    type_: Type, case: WordedCase, prototype: stimulus.Prototype, width_px: int
) -> list[Block]:
    label = case.with_word("prototype_label", case.class_name(prototype.label))
    is_example = prototype.evidence is None
    blocks = _heading(type_, case.words["example" if is_example else "prototype"], width_px)
    if isinstance(prototype.prototype, stimulus.TextInput):
        blocks += _quoted(type_, width_px, partial(text_blocks, type_, prototype.prototype))
    label_blocks = spaced(line_blocks(type_, label, width_px), type_.room(NEAR))
    if prototype.evidence is None:
        blocks += label_blocks
    else:
        evidence = Bar(case.words["evidence"], case.number(prototype.evidence), prototype.evidence)
        bars = bar_blocks(type_, [evidence], width_px, case.most_evidence)
        blocks += [*holding(label_blocks), *bars]
    if prototype.terms:
        blocks += [
            *spaced(_heading(type_, case.words["importance"], width_px), type_.room(PART)),
            *together(bar_blocks(type_, _weights(case, prototype.terms), width_px)),
        ]
    return blocks


def _boundary(
    type_: Type, case: WordedCase, boundary: stimulus.Boundary, width_px: int
) -> list[Block]:
    steps = boundary.steps
    # Four methods together show only the last step, without a number and a margin.
    numbered = len(steps) > 1 or any(step.margin is not None for step in steps)
    heading = "boundary" if len(steps) > 1 else "boundary_one" if numbered else "boundary_last"
    target = case.with_word(heading, case.class_name(boundary.target))
    names = [case.words.filled("step", number=str(at)) for at in range(1, len(steps) + 1)]
    margins = [boundary.margin, *(step.margin for step in steps)]
    bars = [
        Bar(name, "" if margin is None else case.number(margin), margin)
        for name, margin in zip([case.words["margin_now"], *names], margins, strict=True)
    ]
    now, *after = bar_blocks(type_, bars, width_px, case.most_evidence)
    bold = [replace(phrase, weight="bold", tone="strong") for phrase in target]
    blocks = holding(line_blocks(type_, bold, width_px))
    if boundary.margin is not None:
        blocks.append(now)
    for step, bar in zip(steps, after, strict=True):
        blocks += spaced(
            together([*([bar] if numbered else ()),
                      *_quoted(type_, width_px, partial(_edited, type_, case, step))]),
            type_.room(PART if numbered else NEAR),
        )  # fmt: skip
    return blocks


def _edited(
    type_: Type, case: WordedCase, step: stimulus.BoundaryStep, width_px: int
) -> list[Block]:
    """Return a step: the sentence with its edits, or the edits of a table's row."""
    original = case.stimulus.original
    if isinstance(original, stimulus.TextInput):
        return text_blocks(type_, original, width_px, edits=step.edits)
    return [
        block
        for edit in step.edits
        for block in line_blocks(type_, edit_phrases(case, original, edit), width_px)
    ]


def _rationale(
    type_: Type, case: WordedCase, rationale: stimulus.Rationale, width_px: int
) -> list[Block]:
    return [
        *_heading(type_, case.words["explanation"], width_px),
        *line_blocks(type_, words(rationale.text), width_px),
    ]


def legend_blocks(
    type_: Type, case: WordedCase, explanations: Sequence[stimulus.AnyExplanation], width_px: int
) -> list[Block]:
    """Return the legend of the two colours."""
    phrases: list[Phrase] = []
    signs = (1.0, "+"), (-1.0, MINUS)
    for (share, sign), (word, name) in zip(signs, _meanings(case, explanations), strict=True):
        meaning = case.words[word].replace("{word}", name).replace(" ", NO_BREAK_SPACE)
        meaning += EM_SPACE
        phrases += [Phrase(sign, "bold", share=share), Phrase(meaning, tone="quiet", glued=True)]
    return line_blocks(type_, phrases, width_px)


def _meanings(
    case: WordedCase, explanations: Sequence[stimulus.AnyExplanation]
) -> list[tuple[str, str]]:
    """Return the words and classes of the colours for weights above and below 0."""
    names = dict(case.stimulus.classes)
    if len(names) == 2:
        negative, positive = names.values()
        return [("speaks_for", positive), ("speaks_for", negative)]
    target = next(
        explanation.target
        for explanation in explanations
        if isinstance(explanation, stimulus.Weights) and explanation.target
    )
    return [("speaks_for", names[target]), ("speaks_against", names[target])]


def needs_legend(explanation: stimulus.AnyExplanation) -> bool:
    """Return whether an explanation uses the two colours."""
    match explanation:
        case stimulus.Weights():
            return explanation.target is not None
        case stimulus.Boundary():
            margins = (explanation.margin, *(step.margin for step in explanation.steps))
            return any(margin is not None for margin in margins)
        case stimulus.Prototype():
            return explanation.evidence is not None or bool(explanation.terms)
    return isinstance(explanation, stimulus.Lime | stimulus.Omission)


def _heading(type_: Type, text: str, width_px: int) -> list[Block]:
    return line_blocks(type_, words(text, "bold", "strong"), width_px, holds=True)


def _weights(
    case: WordedCase, terms: Sequence[stimulus.Weighted], *, signed: bool = True
) -> list[Bar]:
    return [
        Bar(case.named(term), case.number(term.weight, signed=signed), term.weight)
        for term in terms
    ]


def _quoted(type_: Type, width_px: int, blocks: Callable[[int], list[Block]]) -> list[Block]:
    """Return quoted blocks, such as another input: indented, with a rule beside them."""
    indent, thick = type_.em(INDENT), type_.em(RULE)
    return [
        Block(
            (
                rectangle((0, 0, thick, block.height_px), type_.look.line),
                *moved(block.pieces, indent, 0),
            ),
            block.height_px,
            block.before_px,
            block.holds,
        )
        for block in blocks(width_px - indent)
    ]  # fmt: skip


_PANELS: Final[dict[type, Callable[[Type, WordedCase, Any, int], list[Block]]]] = {
    stimulus.Lime: _lime,
    stimulus.Omission: _omission,
    stimulus.Anchor: _anchor,
    stimulus.Prototype: _prototype,
    stimulus.Weights: _weights_alone,
    stimulus.Boundary: _boundary,
    stimulus.Rationale: _rationale,
}
