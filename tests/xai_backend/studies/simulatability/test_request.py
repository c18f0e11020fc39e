"""What doesn't go together is refused before any work, in one line."""

from pathlib import Path

import pytest

from stimuli.errors import UserError
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


REFUSED = [
    ({"protocol_file": "text", "text": CSV, "table": CSV},
     "--table: design.domains doesn't name tabular"),
    ({"protocol_file": "text", "text": CSV, "rationales": {"ours": CSV}},
     "--rationales ours: design.methods doesn't name ours"),
    ({"protocol_file": "both", "text": CSV},
     "names tabular: give its data with --table, or leave"),
    ({"table": CSV, "vectors": CSV}, r"--vectors: design[.]domains doesn't name text"),
    ({"text": Path("none.csv")}, "^--text .*none.csv: there is no such file or folder"),
    ({"table": Path("none.csv")}, "^--table .*none.csv: there is no such file or folder"),
    # Models.
    ({"text_model": "bert", "text": CSV}, "bert: isn't hf:DIR or module:function"),
    ({"table_model": "hf:bert", "table": CSV}, "hf:DIR reads sentences"),
    ({"table_model": "tree.pkl", "table": CSV}, "--table-model tree.pkl: isn't module:function"),
    ({"text": CSV, "device": "cuda"}, "--device cuda: only models of Transformers use it"),
    ({"text": CSV, "text_model": "hf:bert", "device": "cuda:99"},
     "--device cuda:99: torch finds no such device"),
    ({"edits": "none.csv", "text": CSV}, "--edits none.csv: there is no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_what_does_not_go_together_is_refused(tmp_path, given, said):
    if kind := given.get("protocol_file"):
        text = PROTOCOL if kind == "text" else PROTOCOL.replace('["text"]', '["text", "tabular"]')
        given = {**given, "protocol_file": tmp_path / "own.toml"}
        given["protocol_file"].write_text(text, encoding="utf-8")
    request = CaseRequest(**given)
    with pytest.raises(UserError, match=said):
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
