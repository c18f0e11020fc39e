"""The page shows nothing that results.json doesn't hold."""

import json

import pytest

from analysis.report.writer import json_text, write_report
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from tests.analysis.report.page import unknown_numbers


@pytest.fixture
def one_lead_report(one_lead):
    return one_lead[0]


def read(report):
    results = json.loads((report / "results.json").read_text("utf-8"))
    return results, (report / "report.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["outside_report", "one_lead_report"])
def test_every_number_of_the_page_stands_in_results_json(request, name):
    results, page = read(request.getfixturevalue(name))
    assert unknown_numbers(page, results) == []


def test_a_number_from_nowhere_would_be_found(outside_report):
    results, page = read(outside_report)
    forged = page.replace("</main>", "<p>It rose by 61.7391 points [−77.7717, 4].</p></main>")
    assert unknown_numbers(forged, results) == ["61.7391", "[-77.7717,"]


def test_a_number_within_a_sentence_of_the_results_is_known_with_its_sign(outside_report):
    results, page = read(outside_report)
    said = {**results, "said": "fixed is +77.7717 a −61.7391 b"}
    there = page.replace("</main>", "<p>Fixed is +77.7717 a −61.7391 b.</p></main>")
    assert unknown_numbers(there, said) == []
    turned = page.replace("</main>", "<p>Fixed is −77.7717 a.</p></main>")
    assert unknown_numbers(turned, said) == ["-77.7717"]


def test_the_report_is_made_from_results_json_alone(outside_report, tmp_path):
    results, _ = read(outside_report)
    again = tmp_path / "again"
    write_report(again, ACCEPT_REJECT.build(results), results, ACCEPT_REJECT.json_schema())
    for path in sorted(outside_report.rglob("*")):
        # What R fits again is made of rows, which results.json has not.
        if path.is_file() and path.parent.name != "refit":
            other = again / path.relative_to(outside_report)
            assert path.read_bytes() == other.read_bytes(), path.name


def test_no_place_on_this_machine_is_named(outside_report):
    for name in ("report.html", "results.json"):
        text = (outside_report / name).read_text("utf-8")
        assert str(outside_report.parent) not in text


def test_results_are_written_a_row_a_line():
    rows = {"a": [{"b": 1, "c": [1, 2]}, {"b": None}], "d": {"e": {"f": "ü"}, "g": []}, "h": {}}
    text = json_text(rows)
    assert json.loads(text) == rows
    assert '  {"b": 1, "c": [1, 2]},\n' in text
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"a": [float("nan")]})
