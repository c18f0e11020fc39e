"""The methods that a paper takes over say what was done, and mark what the suite can't know."""

import re
from functools import cache

import pytest

from analysis.preregister.frozen import _reason
from analysis.report.methods import MARKED, SIZE, SMALLEST, with_size
from analysis.report.parts import Paragraph, Section
from analysis.report.writer import _set
from tests.analysis.agreement import rows_of
from tests.analysis.studies.simulated import ALONE, GROUP, STUDIES, report_of, results_of


@cache
def methods_of(study, size):
    """Return results, and the sentences of the methods."""
    (section,) = [one for one in report_of(study, size).sections if one.title == "Methods"]
    pasted = [
        one.text for one in section.parts if isinstance(one, Paragraph) and one.kind == "paste"
    ]
    return results_of(study, size), re.split(r"(?<=[.\]]) (?=[A-Z\[])", " ".join(pasted))


@pytest.mark.parametrize("size", [ALONE, GROUP])
@pytest.mark.parametrize("study", STUDIES)
def test_a_method_is_named_only_if_a_number_used_it(study, size):
    """Percentile intervals were named that nothing has, and Holm's correction of nothing."""
    found, sentences = methods_of(study, size)
    rows = [row for _, row in rows_of(dict(found))]

    def some(key):
        return any(row.get(key) is not None for row in rows)

    corrected = [one for one in sentences if "Holm" in one]
    assert bool(corrected) <= (some("p_adjusted") or some("p_holm"))
    assert not [one for one in corrected if one.startswith("As published")]
    margins = [one for one in sentences if "two one-sided tests" in one]
    assert bool(margins) <= some("margin")
    assert bool(margins) >= (some("margin") and some("p_adjusted"))
    assert all("margin of" in one for one in margins)


@pytest.mark.parametrize(
    ("study", "percentile"), [("human_ai_team", False), ("progressive_reveal", True)]
)
def test_percentile_intervals_are_named_where_a_quantity_has_them(study, percentile):
    """In the first study nobody saw labels alone, and nobody rated."""
    _, sentences = methods_of(study, GROUP)
    assert any("percentile interval" in one for one in sentences) == percentile


@pytest.mark.parametrize("study", STUDIES)
def test_what_the_suite_cannot_know_is_marked(study):
    _, sentences = methods_of(study, GROUP)
    said = " ".join(sentences)
    assert "The registry deals" in said
    blanks = MARKED.findall(said)
    assert [word for word in ("consented", "why so many", "can be had") if word not in said] == []
    assert len(blanks) == 3
    assert _set(blanks[0]).startswith("<mark>[Fill in: ")


@pytest.mark.parametrize(
    ("power", "told"),
    [
        (None, f"20 participants were planned. As in the paper. {SMALLEST}"),
        (
            {"asked": {}, "enough": [
                {"term": "the gain", "put_in": "+10 points", "participants": 16},
                {"term": "the gain", "put_in": "+5 points", "participants": 40},
                {"term": "the gain", "put_in": "+2 points", "participants": None},
            ]},
            "20 participants were planned. As in the paper. By simulation, 16 participants are "
            "enough for the gain (simulated: +10 points; power 80 %).",
        ),
    ],
)  # fmt: skip
def test_a_preregistration_says_why_so_many_and_which_effect_they_show(power, told):
    reason = _reason({"participants": 20, "rationale": "As in the paper.", "power": power})
    section = Section("Methods", (Paragraph(f"Here. {SIZE} There."),))
    assert with_size(section, reason).parts[0].text == f"Here. {told} There."
