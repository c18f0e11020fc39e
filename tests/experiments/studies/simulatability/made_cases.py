"""Cases made by hand: every method on a sentence and on a table's row, at every task."""

from typing import Any

from participants.studies.simulatability.trial import Learn, Predict, Rate
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    BoundaryStep,
    CaseStimulus,
    Composite,
    Condition,
    Edit,
    Lime,
    Omission,
    Prototype,
    Rationale,
    TableInput,
    TextInput,
    Weighted,
)


def sentence(text: str) -> TextInput:
    """Return a sentence whose tokens have blanks between them."""
    return TextInput(tokens=tuple(text.split()))


SENTENCE = sentence(
    "[ the two ] seem to have been picked not for their acting chops , but for their looks and "
    "appeal to the pre - teen crowd ."
)
LIKE_IT = sentence(
    "whether or not you buy what he found , the film gains an undeniable charm as the slight , "
    "pale man goes on to force himself on people and into places that would make lesser men run "
    "for cover ."
)
COLUMNS = (
    "Age", "Workclass", "Education", "Marital Status", "Occupation", "Relationship", "Race", "Sex",
    "Capital Gain", "Capital Loss", "Hours per week", "Country",
)  # fmt: skip
ROW = TableInput(
    columns=COLUMNS,
    values=(
        "28.00 < Age <= 37.00", "Private", "High School grad", "Separated", "Service",
        "Not-in-family", "White", "Female", "No gains", "No losses", "Hours per week <= 40.00",
        "Euro_1",
    ),
)  # fmt: skip
ROW_LIKE_IT = ROW.model_copy(
    update={
        "values": (
            "Age <= 28.00", "Private", "High School grad", "Never-Married", "Admin",
            "Not-in-family", "White", "Female", "No gains", "No losses", "Hours per week > 45.00",
            "United-States",
        )
    }
)  # fmt: skip
CLASSES = {
    "text": (("neg", "negative"), ("pos", "positive")),
    "tabular": (("below", "below $50K"), ("above", "above $50K")),
}


def places_of(token: str) -> tuple[int, ...]:
    """Return where a word stands in the sentence."""
    return tuple(place for place, own in enumerate(SENTENCE.tokens) if own == token)


def word(name: str, weight: float) -> Weighted:
    return Weighted(name=name, places=places_of(name), weight=weight)


def value(place: int, weight: float) -> Weighted:
    column, own = COLUMNS[place], ROW.values[place]
    name = own if column in own else f"{column} = {own}"
    return Weighted(name=name, places=(place,), weight=weight)


def edit(place: int, new: str, given: TextInput | TableInput = SENTENCE) -> Edit:
    return Edit(place=place, old=given.parts[place], new=new)


TEXT_EDITS = tuple(
    edit(places_of(old)[0], new)
    for old, new in (("looks", "scandals"), ("appeal", "seek"), ("crowd", "nobody"))
)
ROW_EDITS = (
    edit(3, "Never-Married", ROW),
    edit(10, "Hours per week > 45.00", ROW),
    edit(8, "High gains", ROW),
)


def steps(edits: tuple[Edit, ...], margins: tuple[float, ...]) -> tuple[BoundaryStep, ...]:
    return tuple(
        BoundaryStep(edits=edits[:count], margin=margin)
        for count, margin in enumerate(margins, start=1)
    )


def _text() -> dict[str, AnyExplanation]:
    lime = Lime(
        features=tuple(
            word(name, weight)
            for name, weight in (
                ("looks", 0.22), ("crowd", 0.08), ("chops", -0.18), ("for", -0.03), ("the", 0.01),
            )
        ),
        baseline=0.35,
        weights_sum=0.10,
        total=0.45,
    )  # fmt: skip
    names = ("looks", "appeal", "teen")
    anchor = Anchor(
        outcome="pos",
        conditions=tuple(Condition(name=name, places=places_of(name)) for name in names),
        precision=0.96,
        coverage=0.04,
    )
    terms = (("picked", -3.22), ("chops", -0.2), ("not", -0.18), ("crowd", 6.39), ("looks", 9.72))
    weighted = tuple(word(name, weight) for name, weight in terms)
    prototype = Prototype(prototype=LIKE_IT, label="pos", evidence=9.74, terms=weighted)
    boundary = Boundary(target="neg", margin=4.03, steps=steps(TEXT_EDITS, (3.1, 2.5, -0.98)))
    return {
        "lime": lime,
        "anchor": anchor,
        "prototype": prototype,
        "decision_boundary": boundary,
        "composite": composite(lime, anchor, prototype, boundary),
        "omission": Omission(margin=-2.61, terms=weighted),
        "rationale": Rationale(
            text="The two were picked for how they look, not for how they act: a reproach. Words "
            "such as “acting chops” speak against the film.",
            places=places_of("acting"),
        ),
    }


def _tabular() -> dict[str, AnyExplanation]:
    features = (value(2, 0.17), value(7, -0.2), value(10, -0.2), value(5, -0.24), value(8, -0.31))
    lime = Lime(features=features, baseline=1.09, weights_sum=-0.78, total=0.31)
    anchor = Anchor(
        outcome="below",
        conditions=tuple(
            Condition(name=f"{COLUMNS[place]} = {ROW.values[place]}", places=(place,))
            for place in (2, 3, 4, 7)
        ),
    )
    prototype = Prototype(
        prototype=ROW_LIKE_IT,
        label="below",
        evidence=-10.0,
        terms=(value(8, -0.08), value(2, 1.25)),
    )
    boundary = Boundary(target="above", margin=-7.98, steps=steps(ROW_EDITS, (-8.45, -9.76, 0.19)))
    return {
        "lime": lime,
        "anchor": anchor,
        "prototype": prototype,
        "decision_boundary": boundary,
        "composite": composite(lime, anchor, prototype, boundary),
        "omission": Omission(margin=-0.84, terms=features),
        "rationale": Rationale(text="Who has no gains and a service job seldom earns much."),
    }


def composite(lime: Lime, anchor: Anchor, prototype: Prototype, boundary: Boundary) -> Composite:
    """Return four methods together, of the boundary the last step without its margin."""
    last = boundary.steps[-1].model_copy(update={"margin": None})
    alone = boundary.model_copy(update={"margin": None, "steps": (last,)})
    return Composite(lime=lime, anchor=anchor, boundary=alone, prototype=prototype)


EXPLANATIONS = {"text": _text(), "tabular": _tabular()}
METHODS = tuple(EXPLANATIONS["text"])


def case(domain: str, method: str | None, *, told: bool = True, changed: bool = False, **how: Any):
    """Return a case: an input with label and output, perhaps an explanation and a change."""
    edits = TEXT_EDITS if domain == "text" else ROW_EDITS
    (negative, _), (positive, _) = CLASSES[domain]
    fields = {
        "domain": domain,
        "original": SENTENCE if domain == "text" else ROW,
        "classes": CLASSES[domain],
        "edits": edits if changed else None,
        "label": negative if told else None,
        "output": positive if told else None,
        "explanation": None if method is None else EXPLANATIONS[domain][method],
    }
    return CaseStimulus(**(fields | how))


def looked_at(stimulus: CaseStimulus) -> Learn:
    return Learn(step="t", device="keyboard", **_common(stimulus))


def rated(stimulus: CaseStimulus, device: str = "keyboard") -> Rate:
    return Rate(step="t", device=device, **_common(stimulus))


def predicted(stimulus: CaseStimulus, device: str = "keyboard", **how: Any) -> Predict:
    (negative, _), (positive, _) = stimulus.classes
    keys = ("left", "right") if device == "mouse" else ("f", "j")
    return Predict(
        step="t",
        phase="main",
        options=dict(zip(keys, (negative, positive), strict=True)),
        device=device,
        fixation_s=0.0,
        limit_s=600.0,
        **_common(stimulus),
        **how,
    )


def tasks(domain: str) -> dict[str, Any]:
    """Return a task of every kind."""
    found: dict[str, Any] = {
        "example": looked_at(case(domain, None)),
        "forward": predicted(case(domain, None, told=False)),
        "changed": predicted(case(domain, None, changed=True)),
    }
    for method in METHODS:
        found[f"rating_{method}"] = rated(case(domain, method))
        found[f"changed_{method}"] = predicted(case(domain, method, changed=True))
    return found


def _common(stimulus: CaseStimulus) -> dict[str, Any]:
    return {
        "trial": 1,
        "test_number": 1,
        "section": "learning",
        "position": 1,
        "presentation": "p-1",
        "stimulus": stimulus,
    }
