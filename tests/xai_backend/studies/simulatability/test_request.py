"""What doesn't go together is refused before any work, in one line."""

from pathlib import Path

import pytest

from stimuli.errors import UserError
from stimuli.workers import Workers
from xai_backend.studies.simulatability.request import (
    CaseRequest,
    asked_rationales,
    check_request,
    resolved,
)

PROTOCOL = """\
schema = "protocol/1.0"
study = "simulatability"
name = "own"
[design]
domains = ["text"]
methods = ["lime", "mine", "no_explanation"]
"""
CSV = Path(__file__)
"""Any file."""


@pytest.fixture
def protocol_file(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(PROTOCOL, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("given", "domains", "kind"),
    [
        ({}, ("text", "tabular"), "embedded"),
        ({"text": CSV}, ("text",), "own"),
        ({"table": CSV}, ("tabular",), "own"),
        ({"text": CSV, "table": CSV}, ("text", "tabular"), "own"),
        ({"from_sheets": CSV}, ("text", "tabular"), "sheets"),
    ],
)
@pytest.mark.parametrize("with_file", [False, True])
def test_domains_that_no_file_states_are_those_whose_data_are_given(
    given, domains, kind, with_file, tmp_path
):
    path = tmp_path / "own.toml"
    path.write_text(PROTOCOL.partition("[design]")[0], encoding="utf-8")
    request = CaseRequest(**given, seed=7, protocol_file=path if with_file else None)
    protocol = resolved(request)
    check_request(request, protocol)
    assert (protocol.design.domains, protocol.seed, request.kind) == (domains, 7, kind)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"table": CSV}, "--table: design.domains doesn't name tabular"),
        ({"rationales": {"ours": CSV}}, "--rationales ours: design.methods doesn't name ours"),
    ],
)
def test_what_the_protocol_file_does_not_name_is_refused(protocol_file, given, said):
    request = CaseRequest(protocol_file=protocol_file, **{"text": CSV, **given})
    with pytest.raises(UserError, match=said):
        check_request(request, resolved(request))


def test_data_that_the_protocol_file_names_must_be_given(tmp_path):
    path = tmp_path / "both.toml"
    path.write_text(PROTOCOL.replace('["text"]', '["text", "tabular"]'), encoding="utf-8")
    request = CaseRequest(protocol_file=path, text=CSV)
    with pytest.raises(UserError, match="names tabular: give its data with --table, or leave"):
        check_request(request, resolved(request))


def test_vectors_are_of_words():
    request = CaseRequest(table=CSV, vectors=CSV)
    with pytest.raises(UserError, match=r"--vectors: design[.]domains doesn't name text"):
        check_request(request, resolved(request))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("text", CSV),
        ("table", CSV),
        ("vectors", CSV),
        ("rationales", {"mine": CSV}),
        ("workers", Workers(here=True)),
    ],
)
def test_sheets_hold_items_outputs_and_explanations(option, value):
    request = CaseRequest(from_sheets=CSV, **{option: value})
    with pytest.raises(UserError, match=f"^--from-sheets: .*; leave --{option}"):
        check_request(request, resolved(CaseRequest(from_sheets=CSV)))


@pytest.mark.parametrize(("field", "option"), [("text", "--text"), ("table", "--table")])
def test_data_that_are_not_there_are_told_before_any_work(tmp_path, field, option):
    request = CaseRequest(**{field: tmp_path / "none.csv"})
    with pytest.raises(UserError, match=f"^{option} .*none.csv: there is no such file or folder"):
        check_request(request, resolved(request))


def test_rationales_are_files_by_method():
    assert asked_rationales(["mine=a.csv", "other=b=c.csv"]) == {
        "mine": Path("a.csv"),
        "other": Path("b=c.csv"),
    }


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["mine"], "--rationales mine: write NAME=CSV"),
        (["=a.csv"], "write NAME=CSV"),
        (["mine=a.csv", "mine=b.csv"], "mine is given already"),
    ],
)
def test_rationales_in_another_form_are_refused(texts, said):
    with pytest.raises(UserError, match=said):
        asked_rationales(texts)
