"""Deviations: all are kept, each says whose it is, and none contradicts the protocol's values."""

import re
import tomllib
from functools import cache, partial
from pathlib import Path

import pytest

from analysis.preregister.document import PlannedStudy, build_document
from analysis.preregister.run import markdown_of
from analysis.report.parts import reworded
from stimuli.catalogue import studies_of
from stimuli.deviations import NEITHER, differences
from stimuli.errors import UserError
from stimuli.placeholders import PLACEHOLDER, flat, in_words
from stimuli.protocol import load_protocol, protocol_from_resolved

ROOT = Path(__file__).parents[2]
STUDIES = sorted(studies_of("stimuli"))
WORDS = dict(
    enumerate(
        ["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 3
    )
)
DEVIATION = """
schema = "protocol/1.0"
study = "human_ai_team"
name = "own"
[[deviations]]
field = "question.limit_s"
published = "There is no limit."
here = "{here}"
reason = "The room is booked."
"""
TOGETHER = {
    "accept_reject": {"solutions": {"shares": {
        "S": 0.21, "E": 0.21, "wrong_digit": 0.22, "right_digit": 0.11, "no_numeral": 0.12,
        "high_contrast": 0.07, "no_solution": 0.06,
    }}},
    "accept_reject_accuracy": {"solutions": {"shares": {
        "S": 0.41, "E": 0.41, "wrong_label": 0.12, "no_solution": 0.06,
    }}},
    "progressive_reveal": {
        "images": {"classes": 11, "images_per_class": 5},
        "session": {"sittings": 5, "rounds_per_sitting": 11},
    },
    "human_ai_team": {"images": {"labels": ["dog"], "only_labels": True}},
    "simulatability": {
        "question": {"rating_steps": 0},
        "design": {"post_in_second_sitting": True},
        "assignment": {"drop_after_s": 1e6},
    },
}  # fmt: skip
"""Changes of fields that can't be changed to another number alone."""
UNSETTABLE = {
    # Levels of tests and intervals; what the paper has; what no field decides.
    "p < .05", "90 % interval", "95 % interval", "325 pixels as 0.5 %",
    "two of the five questions", "three questions about the task", "Step 1 comes", "ResNet-50",
    "maximum of 1", "is 0 where", "Tables 1 and 2", "Figures 6 and 7", "48 to 73 %",
    "95 % intervals of the means", "95 to 97 %", "91 to 95 %", "AUC .96 to 1.00",
    "1655.4 pixels as 2.5 %", "65,536 pixels",
    "sums count as 0", "grows from 0", "19 thresholds", "at 0 only", "(0: never)", "150 digits",
    "two of three levels", "1 to 7", "time × 2/3", "time × 1.5",
    "95 % interval.", "90 % interval lies",
}  # fmt: skip
"""Phrases whose numbers no field of a protocol sets."""
NUMBER = re.compile(rf"(?<![\w.])\.?\d[\d.,]*|\b(?:{'|'.join(WORDS.values())})\b")


def own_file(tmp_path, here):
    path = tmp_path / "own.toml"
    path.write_text(DEVIATION.replace("{here}", here), encoding="utf-8")
    return path


@pytest.mark.parametrize("study", STUDIES)
def test_a_lab_that_states_one_deviation_keeps_those_of_the_study(study):
    """The list of a file replaced the study's; a demo had one or two deviations left."""
    demo = load_protocol(study, ROOT / "experiments" / "studies" / study / "demo.toml")
    shipped = load_protocol(study).deviations
    assert [one for one in demo.deviations if one.whose == "study"] == list(shipped)
    rows = differences(demo)
    assert {"lab", "setting", "study"} == {one.whose for one in rows}
    assert rows[0].whose == "lab"
    again = protocol_from_resolved(demo.resolved(), "a pack")
    assert differences(again) == rows


def test_a_whole_file_states_no_deviation_twice(tmp_path):
    path = tmp_path / "whole.toml"
    path.write_text(studies_of("stimuli")["simulatability"].published(), encoding="utf-8")
    assert load_protocol("simulatability", path) == load_protocol("simulatability")


def test_texts_take_values_from_fields(tmp_path):
    here = "{question.limit_s} s and {analysis.margin:%} %, {{{bins.sheets:sheet|sheets}}}."
    (stated, *_) = differences(load_protocol("human_ai_team", own_file(tmp_path, here)))
    assert (stated.here, stated.whose) == ("600 s and 10 %, {sheets}.", "lab")


@pytest.mark.parametrize(
    ("here", "words"),
    [
        ("{question.limit}", "no field of this protocol has this name"),
        ("{question.__class__}", "no field of this protocol has this name"),
        ("{question}", "no field"),
        ("{}", "no field"),
        ("{question.limit_s:g}", "stands % or word"),
        ("{languages:%}", "must be|unsupported|can't multiply"),
        ("a { b", "stands alone"),
    ],
)
def test_a_text_that_names_no_field_is_refused_in_one_line(tmp_path, here, words):
    with pytest.raises(UserError, match=words) as refused:
        load_protocol("human_ai_team", own_file(tmp_path, here))
    assert "question.limit_s" in str(refused.value)


@pytest.mark.parametrize("study", STUDIES)
def test_the_reason_for_a_margin_goes_with_it(study):
    """The simulatability study said of every margin that it is half of a Change of the paper."""
    usual = load_protocol(study).analysis
    assert usual.margin_reason.endswith(".")
    given = {"margin": 0.2}
    assert load_protocol(study, None, {"analysis": given}).analysis.margin_reason == ""
    same = load_protocol(study, None, {"analysis": {"margin": usual.margin}}).analysis
    assert same.margin_reason == usual.margin_reason
    own = load_protocol(study, None, {"analysis": {**given, "margin_reason": "Ours."}}).analysis
    assert own.margin_reason == "Ours."


def shipped_files():
    for name in ("stimuli/studies/*/protocol.toml", "**/demo.toml", "**/digits.toml"):
        yield from ROOT.glob(name)


@pytest.mark.parametrize(
    "path", list(shipped_files()), ids=lambda path: path.parent.name + path.name
)
def test_no_text_holds_a_number_that_a_field_could_set(path):
    """Write it as a placeholder; or, if no field sets it, its phrase into `UNSETTABLE`."""
    for one in tomllib.loads(path.read_text(encoding="utf-8"))["deviations"]:
        for text in (one["here"], one["reason"]):
            text = PLACEHOLDER.sub("…", text)
            for phrase in UNSETTABLE:
                text = text.replace(phrase, "…")
            assert not NUMBER.search(text), f"{one['field']}: {text}"


@cache
def sentences(protocol):
    """Return what a preregistration says, but for the paper's words and the table of fields."""
    inquiry = studies_of("analysis")[protocol.catalogue_name].inquiry()
    planned = PlannedStudy(protocol, "0" * 64, 997, None, "why", "2000-01-01T00:00:00Z", {})
    document = build_document(inquiry.promises(protocol), planned)
    text = markdown_of(reworded(document, partial(inquiry.wording, protocol)))
    lines = [line.split(" | ") for line in text.splitlines() if not line.startswith("AsPredicted")]
    told = [row[2:] if len(row) == 5 else row for row in lines]
    cells = [cell for row in told if not re.match(r"\| \w+\.", row[0]) for cell in row]
    return {one for cell in cells for one in re.split(r"(?<=[.;:]) ", cell)}


@cache
def changed_protocols(study):
    """Return protocols with each scalar field changed, by the fields that are."""
    found, values = [], flat(load_protocol(study).resolved())
    for name, value in values.items():
        for other in others(value, name, study):
            changes = other
            for key in reversed(name.split(".")):
                changes = {key: changes}
            try:
                found.append(({name}, load_protocol(study, None, changes)))
            except UserError:
                continue
            break
    together = TOGETHER[study]
    return [*found, (set(flat(together)), load_protocol(study, None, together))]


def others(value, name, study):
    if name in NEITHER:
        return ()
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value + 3, value * 2, value - 1, value + 8)
    if isinstance(value, float):
        return (value * 1.13 + 0.001 * (value == 0), value * 0.87, value * 2, value / 2)
    if isinstance(value, str):
        return (*choices_of(study, name), f"{value}x")
    return ()


def choices_of(study, name):
    """Return the other words that a field may have."""
    model = type(load_protocol(study))
    for key in name.split("."):
        field = model.model_fields.get(key)
        model = field.annotation if field else None
    words = re.findall(r"'(\w+)'", str(model))
    return [word for word in words if word != load_value(study, name)]


def load_value(study, name):
    return flat(load_protocol(study).resolved())[name]


def phrase_of(value):
    """Return a pattern of a number as a document writes it."""
    written = {in_words(value)} | ({WORDS[value]} if value in WORDS else set())
    if isinstance(value, float) and 0 < value < 1:
        share = in_words(value)
        percent = f"{100 * value:g}"
        written |= {
            share[1:],
            f"{percent} %",
            f"{percent} percentage",
            f"{percent} points",
            f"± {percent}",
        }
    either = "|".join(map(re.escape, written))
    return re.compile(rf"(?<![\w.,–-])(?:{either})(?!\w|[.,]\d)")


@pytest.mark.parametrize("study", STUDIES)
def test_no_value_that_a_protocol_changes_is_told_of_it(study):
    """A sentence with a field's number must change with a field that has this number.

    "The decision time is 4 s" stood beside "3 s is Ishihara's limit", and "3-NN" beside two
    neighbours.
    """
    default = load_protocol(study)
    values, before = flat(default.resolved()), sentences(default)
    lost = [
        (phrase_of(values[name]), before - sentences(protocol))
        for fields, protocol in changed_protocols(study)
        for name in fields
        if is_number(values[name])
    ]
    for phrase, _ in lost:
        for sentence in before:
            told = sentence
            for constant in UNSETTABLE:
                told = told.replace(constant, "…")
            derived = "of the trials are controls" in told or "sittings" in told
            if phrase.search(told) and not derived:
                assert any(sentence in gone and one.search(told) for one, gone in lost), sentence


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1, 2)


@pytest.mark.parametrize("study", STUDIES)
def test_every_changed_setting_is_stated_with_its_value(study):
    tried = set()
    for fields, protocol in changed_protocols(study):
        told = " ".join(one.here for one in differences(protocol))
        now = flat(protocol.resolved())
        for name in fields:
            shown = {in_words(now[name])}
            if isinstance(now[name], float):
                shown.add(f"{100 * now[name]:g}")
            assert any(one in told for one in shown), name
        tried |= fields
    scalars = {
        name for name, value in flat(load_protocol(study).resolved()).items()
        if isinstance(value, int | float) and name not in NEITHER
    }  # fmt: skip
    assert scalars <= tried


def test_a_number_that_a_file_rounds_is_no_changed_setting():
    """Results keep fewer digits of 1/30 than the protocol."""
    rounded = load_protocol("human_ai_team", None, {"attack": {"relative_step": 0.03333333333}})
    changed = [one.field for one in differences(rounded) if one.whose == "setting"]
    assert "attack.relative_step" not in changed
