"""Questions: asked in order, written and read as their own types, one module each."""

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from typing import Annotated, Any, get_args, get_type_hints

import pytest

from analysis.preregister.frozen import OTHER_RULES, Frozen, PlannedSection, compare
from analysis.questions.inquiry import TIMING_COLUMNS
from analysis.questions.question import Question, TypedAnswers, Within
from analysis.questions.results_file import answer_as_json, gathered, read_back
from analysis.read_results import read_results
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.frame import METHODS
from analysis.report.parts import Section
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY
from analysis.studies.human_ai_team.questions.times import TIMES
from analysis.studies.human_ai_team.questions.trust import TRUST
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from tests.analysis.studies.human_ai_team.tables_of import crossed, dataset_of

INQUIRIES = [study.inquiry() for study in studies_of("analysis").values()]


@dataclass(frozen=True, slots=True)
class Number:
    value: Annotated[float | None, about("A number.")]


FIRST = Question("first", "First", Number, lambda data: Number(data))
SECOND_ONE = Question(
    "second",
    "Second",
    Number,
    combine=lambda data, answers: Number(answers.of(FIRST).value + 1),
)


@pytest.fixture(scope="module")
def results():
    dataset = dataset_of(crossed(people=8, items=6), analysis={"replicates": 20})
    return TEAM.analyse(dataset, None, (), lambda _: None)


def test_a_question_builds_on_an_earlier_one_by_its_type():
    assert SECOND_ONE.combine(1.0, TypedAnswers({"first": Number(1.0)})) == Number(2.0)


@pytest.mark.parametrize(
    ("answers", "said"), [({}, "must stand before"), ({"first": None}, "has no answer")]
)
def test_a_question_that_was_not_answered_is_named(answers, said):
    with pytest.raises(LookupError, match=said):
        SECOND_ONE.combine(1.0, TypedAnswers(answers))


@pytest.mark.parametrize("inquiry", INQUIRIES, ids=lambda inquiry: inquiry.study)
def test_each_question_of_a_study_has_an_id_of_its_own(inquiry):
    ids = [one.id for one in inquiry.asked]
    assert len(ids) == len(set(ids))
    listed = {one.id for one in (*inquiry.lacking, *inquiry.promised, *sum(inquiry.methods, ()))}
    assert listed <= set(ids)


def test_what_is_read_again_is_what_was_written(results):
    found = TEAM.read_results(results)
    for one in TEAM.asked:
        answer = found.get(one)
        if answer is None:
            assert results[one.id] is None
        else:
            assert gathered({one.id: answer_as_json(answer)}, [one])[one.id] == results[one.id]
            assert read_back(one, answer_as_json(answer)) == answer


def test_numbers_that_are_not_known_are_null():
    assert answer_as_json(Number(float("nan"))) == {"value": None}
    assert read_back(FIRST, answer_as_json(Number(float("nan")))) == Number(None)


def keys_of(value: Any, field: dict, root: dict) -> Iterator[tuple[set, set, set]]:
    """Yield of each object what keys it has, may have and must have by its schema."""
    if "$ref" in field:
        field = root["$defs"][field["$ref"].rpartition("/")[2]]
    if "anyOf" in field and value is not None:
        (field,) = (part for part in field["anyOf"] if part.get("type") != "null")
        yield from keys_of(value, field, root)
    elif isinstance(value, list):
        for part in value:
            yield from keys_of(part, field["items"], root)
    elif isinstance(value, dict) and "properties" in field:
        yield set(value), set(field["properties"]), set(field.get("required", ()))
        for name, part in value.items():
            yield from keys_of(part, field["properties"][name], root)


def test_results_have_the_keys_of_their_schema(results):
    schema = TEAM.json_schema()
    found = list(keys_of(results, schema, schema))
    assert len(found) > 100
    for own, known, required in found:
        assert required <= own <= known


def described(kind: Any) -> Iterator[tuple[type, str, bool]]:
    """Yield each field of a type and of the types within it, and whether it is described."""
    if isinstance(kind, type) and is_dataclass(kind):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            texts = [getattr(part, "description", "") for part in get_args(hint)[1:]]
            yield kind, name, any(texts)
            yield from described(hint)
    for part in get_args(kind):
        yield from described(part)


@pytest.mark.parametrize("inquiry", INQUIRIES, ids=lambda inquiry: inquiry.study)
def test_every_field_of_every_answer_is_described(inquiry):
    bare = {
        (kind.__name__, name)
        for one in inquiry.asked
        for kind, name, is_described in described(one.answer)
        if not is_described
    }
    assert bare == set()


def test_an_unknown_key_is_refused_in_one_line(results):
    data = {**results["data"], "mine": 1}
    with pytest.raises(UserError, match=r"data\.mine: Unexpected keyword argument"):
        TEAM.read_results({**results, "data": data})


def test_a_reader_may_know_other_questions_than_the_file(results):
    fewer = {name: value for name, value in results.items() if name != TRUST.id}
    found = TEAM.read_results({**fewer, "new_question": {"mean": 1.0}})
    assert found.get(TRUST) is None
    assert found.of(ACCURACY) == TEAM.read_results(results).of(ACCURACY)


def test_a_question_renamed_changes_its_module_alone(results):
    """The heading and the comparison with a preregistration follow from one declaration."""
    renamed = replace(TRUST, title="Trust and help")
    questions = tuple(renamed if one is TRUST else one for one in TEAM.questions)
    promised = tuple(renamed if one is TRUST else one for one in TEAM.promised)
    other = replace(TEAM, questions=questions, promised=promised)
    section = next(one for one in other.build(results).sections if one.id == TRUST.id)
    assert section.title == "Trust and help"
    promises = other.promises(load_protocol("human_ai_team"))
    assert "Trust and help" in {one.section for one in promises.analyses}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "can't be read as results"),
        ('{"study": "human_ai_team"}', "schema is None, not 'results_human_ai_team/1.0'"),
        ('{"study": "human_ai_team", "schema": "results_human_ai_team/9.0"}', "newer version"),
    ],
)
def test_a_file_that_can_not_be_read_is_one_line(tmp_path, text, said):
    (tmp_path / "results.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_results(tmp_path)


def test_a_preregistration_is_compared_by_id(results):
    """A section whose title was changed since is the planned one."""
    planned = (PlannedSection(TRUST.id, "Another title"),)
    rules = load_protocol("human_ai_team")
    dated = ("2026-01-01T00:00:00Z", "1.0.0", ())
    frozen = Frozen("human_ai_team", rules, "", "", 8, planned, (), *dated)
    dataset = dataset_of(crossed(people=8, items=6), analysis={"replicates": 20})
    found = compare(
        frozen, "human_ai_team", dataset, results, (), [Section(TRUST.title, (), TRUST.id)]
    )
    assert [row.preregistered for row in found.results] == [OTHER_RULES]
    assert not [row for row in found.deviations if row.what.startswith("analysis:")]


def test_parts_may_read_all_results(results):
    """By a view of the answer."""
    cited = ReportTable("cited", lambda here: [{"people": here.whole.frame.data.participants}])
    shown = replace(TRUST, parts=(cited,), view=Within)
    questions = tuple(shown if one is TRUST else one for one in TEAM.questions)
    assert replace(TEAM, questions=questions).build(results).files["cited"] == [{"people": 8}]


def test_a_question_that_no_paragraph_names_ends_the_methods(results):
    sentence = "Medians are of participants’ medians."
    told = replace(TIMES, methods=lambda answer, whole: [sentence])
    questions = tuple(told if one is TIMES else one for one in TEAM.questions)
    sections = replace(TEAM, questions=questions).build(results).sections
    methods = next(section for section in sections if section.title == METHODS)
    assert methods.parts[2].text.endswith(sentence)


@pytest.mark.parametrize("inquiry", INQUIRIES, ids=lambda inquiry: inquiry.study)
def test_a_column_that_is_renamed_is_found_where_a_question_or_a_plan_names_it(inquiry):
    """Otherwise nobody is told why a result isn't there."""
    protocol = load_protocol(inquiry.study)
    table = studies_of("participants")[protocol.study].tables.trials
    needed = {column for question in inquiry.asked for column in question.needs}
    planned = inquiry.registered(protocol)
    named = {variable.name for variable in (*planned.manipulated, *planned.measured)}
    assert {*needed, *named, *inquiry.columns, *TIMING_COLUMNS} <= set(table.names)


def test_missing_columns_are_listed_in_the_declared_order():
    """A column isn't missed where another one does in its place."""
    bare = crossed(people=4, items=3).drop(columns=["rt_s"], errors="ignore")
    dataset = dataset_of(bare, analysis={"replicates": 20})
    dataset = replace(dataset, absent=("rt_s", "rig", "purpose"))
    ordered = replace(TEAM, columns={"rig": "", "rt_s": "trial", "purpose": ""})
    found = ordered.analyse(dataset, None, (), lambda _: None)["missing"]
    named = [row["reason"] for row in found if "no column" in row["reason"]]
    assert named == ["the table has no column rig", "the table has no column purpose"]
