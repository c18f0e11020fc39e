"""Cases on pages: no two pieces overlap, nothing is cut, every word is there, at any size."""

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from experiments.studies.simulatability.cases import CaseScreens
from experiments.studies.simulatability.pieces import Type, lines, words
from experiments.studies.simulatability.presenter import most_evidence
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    Boundary,
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
from tests.experiments.studies.simulatability.laid import (
    SIZES,
    USUAL_SIZES,
    assert_says,
    assert_sound,
    pages_of,
    said_on,
    screens_at,
    texts_of,
)
from tests.experiments.studies.simulatability.made_cases import (
    CLASSES,
    ROW,
    case,
    composite,
    predicted,
    rated,
    sentence,
    steps,
    tasks,
)

GERMAN = {
    "text": (
        ("neg", "überwiegend ablehnend beurteilt"),
        ("pos", "überwiegend zustimmend beurteilt"),
    ),
    "tabular": (
        ("below", "Jahreseinkommen unterhalb der Beitragsbemessungsgrenze"),
        ("above", "Jahreseinkommen oberhalb der Beitragsbemessungsgrenze"),
    ),
}
KINDS = ["lime", "anchor", "prototype", "boundary", "omission", "composite", "rationale"]
screens = cache(screens_at)


def check(at, task):
    pages = pages_of(at, task)
    assert_sound(at, task, pages)
    assert_says(pages, texts_of(at, task.stimulus))


@pytest.mark.parametrize("size_px", USUAL_SIZES)
@pytest.mark.parametrize(("domain", "language"), [("text", "de"), ("tabular", "en")])
def test_every_task_of_every_method_is_laid_out_whole(size_px, language, domain):
    at = screens(size_px, language)
    for task in tasks(domain).values():
        check(at, task)
        assert at.layers(task, at.deck(task).leaves[0])


@pytest.mark.parametrize("size_px", USUAL_SIZES)
def test_a_rule_of_33_conditions_is_folded_onto_its_sentence(size_px):
    given = sentence(
        "like coming into a long - running , well - written television series where you 've missed "
        "the first half - dozen episodes and probably wo n't see the next six or seven ."
    )
    words = given.tokens
    conditions = tuple(Condition(name=name, places=(at,)) for at, name in enumerate(words[:33]))
    rule = Anchor(outcome="neg", conditions=conditions)
    at, task = screens(size_px), rated(case("text", None, original=given, explanation=rule))
    check(at, task)
    (page,) = pages_of(at, task)
    assert sum(piece.outline is not None for piece in page) == len(words[:33])


@pytest.mark.parametrize("size_px", USUAL_SIZES)
def test_the_largest_composite_is_paged_and_whole(size_px):
    """A sentence of 60 words, a rule of 33 conditions, five weights, six terms, five edits."""
    words = [f"wörtchen{number}" if number % 7 else "der" for number in range(60)]
    given, other = (TextInput(tokens=tuple(own)) for own in (words, words[::-1]))

    def terms(places):
        return tuple(
            Weighted(name=words[at], places=(at,), weight=(-1) ** at * (0.1 + at)) for at in places
        )

    lime = Lime(features=terms(range(1, 6)), baseline=0.2, weights_sum=0.3, total=0.5)
    rule = Anchor(
        outcome="neg",
        conditions=tuple(Condition(name=words[at], places=(at,)) for at in range(33)),
    )
    edits = tuple(Edit(place=at, old=words[at], new=f"ersatz{at}") for at in range(3, 8))
    boundary = Boundary(target="pos", margin=-1.0, steps=steps(edits, (-0.5, -0.4, -0.2, 0.3)))
    prototype = Prototype(prototype=other, label="neg", evidence=-9.9, terms=terms(range(8, 14)))
    explained = composite(lime, rule, prototype, boundary)
    for one in (explained, boundary, prototype):
        stimulus = case("text", None, original=given, explanation=one, edits=edits)
        check(screens(size_px), predicted(stimulus))
        check(screens(size_px), rated(case("text", None, original=given, explanation=one)))


@pytest.mark.parametrize(("domain", "language"), [("text", "en"), ("tabular", "de")])
@pytest.mark.parametrize("method", ["decision_boundary", "composite"])
def test_the_changed_version_is_one_thing(domain, method, language):
    """A step of a short path with that name would tell the output that is asked for."""
    at = screens(SIZES[0], language)
    stimulus = case(domain, method, changed=True)
    if method == "decision_boundary":
        last = stimulus.explanation.steps[-1]
        short = stimulus.explanation.model_copy(update={"steps": (last,)})
        stimulus = case(domain, None, changed=True, explanation=short)
    pages = pages_of(at, predicted(stimulus))
    words = at.settings.words
    for page in pages:
        said = said_on(page)
        assert said.count("".join(words["changed"].split())) == 1
    said = "".join(map(said_on, pages))
    assert ("".join(words.filled("step", number="1").split()) in said) == (
        method == "decision_boundary"
    )
    assert "".join(words["boundary"].partition(":")[0].split()) not in said


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize("domain", ["text", "tabular"])
def test_a_case_stands_at_one_place_and_is_as_large_as_pages_where_it_fits(size_px, domain):
    at = screens(size_px)
    plain = [task for task in tasks(domain).values() if task.stimulus.explanation is None]
    shown = [pages_of(at, task)[0] for task in (*plain, rated(case(domain, "lime")))]
    corners = {(min(p.area[0] for p in page if p.text), min(p.area[1] for p in page if p.text))
               for page in shown}  # fmt: skip
    assert len(corners) == 1
    assert {p.size_px for page in shown for p in page if p.text} == {at.look.body_px}


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        ("47 < Age ≤ 61", "over 47 to 61", "über 47 bis 61"),
        ("Age > 61", "over 61", "über 61"),
        ("Age <= 2.50", "up to 2.5", "bis 2,5"),
        ("Ages > 3", "Ages > 3", "Ages > 3"),
    ],
)
def test_a_bin_of_numbers_reads_as_its_ends_without_the_column(value, english, german):
    row = ROW.model_copy(update={"values": (value, *ROW.values[1:])})
    stimulus = case("tabular", None, original=row, words=(("Age", "Age (years)"),))
    for language, said in {"en": english, "de": german}.items():
        (page,) = pages_of(screens(SIZES[0], language), predicted(stimulus))
        assert "".join(f"Age (years) {said} Workclass".split()) in said_on(page)


def test_bars_of_evidence_have_one_scale():
    """Of 2 in one case and 8 in another the bars are as 1 to 4."""
    most = most_evidence([case("tabular", "decision_boundary"), case("tabular", "prototype")])
    assert most == {"tabular": 10.0}

    def length(evidence):
        explanation = case("tabular", "prototype").explanation
        one = explanation.model_copy(update={"evidence": evidence, "terms": ()})
        at = CaseScreens(screens(SIZES[0]).settings, most)
        (page,) = pages_of(at, rated(case("tabular", None, explanation=one)))
        palette = at.settings.painter.palette()
        (bar,) = (piece for piece in page if piece.ground == palette.bar(evidence))
        return bar.area[2] - bar.area[0]

    assert length(8.0) == pytest.approx(4 * length(2.0), abs=4)


@pytest.mark.parametrize("size_px", USUAL_SIZES)
@pytest.mark.parametrize("domain", ["tabular", pytest.param("text", marks=pytest.mark.slow)])
def test_long_german_names_have_room(size_px, domain):
    at = screens(size_px, "de")
    names = tuple((column, f"{column}-Ausprägungsbezeichnung") for column in ROW.columns)
    for method in ("lime", "composite", "decision_boundary"):
        stimulus = case(domain, method, changed=True, classes=GERMAN[domain], words=names)
        check(at, predicted(stimulus))
        at.check(predicted(stimulus))
        assert at.layers(predicted(stimulus), at.deck(predicted(stimulus)).leaves[-1])


@pytest.mark.parametrize("width_px", range(200, 900, 200))
def test_no_line_begins_with_a_comma(width_px):
    """Sentences have signs as words of their own; one began a line: "flat cast / , the story"."""
    look = screens((1280, 720)).look
    said = "with its solid pace , and its clumsy cast , the story seems flat ; but it ends well ."
    rows = lines(Type(look, look.body_px), words(said), width_px)
    texts = [[piece.text for piece in row if piece.text] for row in rows]
    assert not {row[0] for row in texts} & set(",;.")
    assert " ".join(text for row in texts for text in row) == said


token = st.text("abcdefgäöüß'-", min_size=1, max_size=14).map(lambda text: text.strip("-") or "x")
weights = st.floats(-99, 99, allow_nan=False).map(lambda weight: round(weight, 2))
windows = st.tuples(st.integers(800, 2600), st.integers(600, 1600)).filter(
    lambda size: 1.2 <= size[0] / size[1] <= 2.4
)


@st.composite
def inputs(draw):
    if draw(st.booleans()):
        return TextInput(tokens=tuple(draw(st.lists(token, min_size=1, max_size=70))))
    count = draw(st.integers(1, 14))
    cells = st.lists(token, min_size=1, max_size=4).map(" ".join)
    columns, values = (
        tuple(draw(st.lists(cells, min_size=count, max_size=count))) for _ in range(2)
    )
    return TableInput(columns=columns, values=values)


@st.composite
def explained(draw, given):
    parts, kind = given.parts, draw(st.sampled_from(KINDS))
    places = draw(st.lists(st.integers(0, len(parts) - 1), unique=True, max_size=8))
    terms = tuple(
        Weighted(name=parts[at], places=(at,), weight=draw(weights)) for at in places
    ) or (Weighted(name="x", places=(), weight=1.0),)
    lime = Lime(features=terms, baseline=0.1, weights_sum=draw(weights), total=draw(weights))
    chosen = tuple(range(draw(st.integers(1, len(parts)))))
    rule = Anchor(
        outcome="pos",
        conditions=tuple(Condition(name=parts[at], places=(at,)) for at in chosen),
        precision=draw(st.none() | st.floats(0, 1)),
    )
    prototype = Prototype(prototype=given, label="neg", evidence=draw(weights), terms=terms)
    edits = tuple(Edit(place=at, old=parts[at], new=draw(token)) for at in places[:5])
    margins = tuple(draw(weights) for _ in edits[:4])
    path = steps(edits, margins) or steps((), (0.5,))
    boundary = Boundary(target="pos", margin=draw(weights), steps=path)
    match kind:
        case "composite":
            return Composite(lime=lime, anchor=rule, boundary=boundary, prototype=prototype)
        case "rationale":
            return Rationale(text=" ".join(parts), places=chosen[:1])
        case "omission":
            return Omission(margin=draw(weights), terms=terms)
    return {"lime": lime, "anchor": rule, "prototype": prototype, "boundary": boundary}[kind]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_anything_is_laid_out_whole_on_any_screen(data):
    given_ = data.draw(inputs())
    explanation = data.draw(st.none() | explained(given_))
    edits = None
    if data.draw(st.booleans()):
        edits = (Edit(place=0, old=given_.parts[0], new=data.draw(token)),)
    domain = "text" if given_.kind == "text" else "tabular"
    stimulus = case(
        domain, None, original=given_, explanation=explanation, edits=edits,
        classes=(("neg", "no"), ("pos", "yes")), told=False,
    )  # fmt: skip
    at = screens_at(data.draw(windows), data.draw(st.sampled_from(["en", "de"])))
    task = predicted(stimulus)
    pages = pages_of(at, task)
    assert_sound(at, task, pages)
    assert_says(pages, texts_of(at, stimulus)[:1])


def test_what_needs_no_second_page_has_none():
    """At 1280×720 the usual cases of one method stand on one page."""
    at = screens(SIZES[0])
    for domain in CLASSES:
        for method in ("lime", "anchor", "omission", "rationale"):
            assert len(pages_of(at, rated(case(domain, method)))) == 1, (domain, method)


def test_pieces_are_mirrored_where_lines_begin_on_the_right():
    left, right = (screens_at(SIZES[0], "en"), screens_at(SIZES[0], "en"))
    task = rated(case("text", "lime"))
    mirrored = right.look.__class__(SIZES[0], right.look.background, "he")
    right = type(right)(right.settings.__class__(
        right.settings.painter, right.settings.rig, mirrored, right.settings.words, {}
    ))  # fmt: skip
    (one,), (other,) = pages_of(left, task), pages_of(right, task)
    width = SIZES[0][0]
    assert [piece.text for piece in one] == [piece.text for piece in other]
    assert [width - piece.area[2] for piece in one] == [piece.area[0] for piece in other]
