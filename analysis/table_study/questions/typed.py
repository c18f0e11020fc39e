"""What people typed: each answer to each item, and how often it was given."""

from dataclasses import dataclass
from typing import Annotated, Any

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column
from analysis.table_study.data import ItemData
from stimuli.table_study.tables import plain


@dataclass(frozen=True, slots=True)
class TypedText:
    """An answer to an item."""

    item: Annotated[str, about("The item.")]
    text: Annotated[str, about("The answer, as it was typed first.")]
    n: Annotated[int, about("How often it was typed; capitals and blanks don't matter.")]
    right: Annotated[bool | None, about("Whether it is right; null if the table doesn't say.")]


@dataclass(frozen=True, slots=True)
class TypedTexts:
    """All typed answers."""

    answers: Annotated[tuple[TypedText, ...], about("By item, the most frequent answer first.")]


def compute(data: ItemData) -> TypedTexts | Unavailable:
    """Return each item's answers with their counts."""
    if not data.protocol.trial.typed:
        return Unavailable("typed answers", "")
    frame = data.answered.assign(plain=data.answered["decision"].map(plain))
    texts = []
    for (item, _), rows in frame.groupby(["item", "plain"], sort=True):
        right = rows["correct"].dropna()
        first, known = rows["decision"].iloc[0], bool(right.iloc[0]) if len(right) else None
        texts.append(TypedText(str(item), str(first), len(rows), known))
    return TypedTexts(tuple(sorted(texts, key=lambda text: (text.item, -text.n))))


def _rows(answer: TypedTexts) -> list[dict[str, Any]]:
    words = {True: "right", False: "wrong", None: "–"}
    items = ["", *(text.item for text in answer.answers)]
    return [
        {"item": "" if text.item == before else text.item, "text": text.text, "n": text.n,
         "right": words[text.right]}
        for before, text in zip(items, answer.answers, strict=False)
    ]  # fmt: skip


TYPED = Question(
    id="typed",
    title="Typed answers",
    answer=TypedTexts,
    compute=compute,
    parts=(
        ReportTable(
            "typed",
            _rows,
            "What was typed, and how often.",
            (
                Column("Item", "item"),
                Column("Answer", "text"),
                Column("n", "n"),
                Column("", "right"),
            ),
            note="Answers that differ only in capitals, blanks or a full stop at the end count as "
            "one; it is shown as it was typed first.",
            row_headers=2,
        ),
    ),
)
"""What people typed."""
