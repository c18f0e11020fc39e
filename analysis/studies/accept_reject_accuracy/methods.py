"""The methods of the assessment of accuracy in sentences to take over."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.who import called, counted
from analysis.report.wording import count, percent

Results = Mapping[str, Any]


def methods_paragraphs(results: Results) -> Sequence[Sequence[str]]:
    """Return the paragraphs of the methods."""
    return (_design(results), _analysis(results))


def _design(results: Results) -> list[str]:
    data, protocol = results["data"], results["protocol"]
    shares = protocol["solutions"]["shares"]
    controls = shares["wrong_label"] + shares["no_solution"]
    cutoff = (
        f"The image left the screen after {data['cutoff_s']:g} s; the answer might follow until "
        f"{data['limit_s']:g} s."
        if data["cutoff_mode"] == "visible"
        else f"An acceptance counted within {data['cutoff_s']:g} s; trials ended after "
        f"{data['limit_s']:g} s without an answer."
    )
    return [
        f"We assessed classification accuracy with {called(data, 'lead')}s (Saralajew et al. 2022, "
        f"section 2.3). {counted(data, 'lead')} judged {count(data['items'], 'image')} of "
        f"{count(data['labels'], 'class', 'classes')}, one at a time, each with a label beside it, "
        "and accepted or rejected the label; they were not told where labels came from.",
        "A lead saw an image once. In half of the lists an image came with the classifier’s most "
        "likely label (S), in half with the data set’s (E).",
        f"{percent(controls)} of the trials were controls: wrong labels and the word for no "
        "solution.",
        cutoff,
    ]


def _analysis(results: Results) -> list[str]:
    return [
        "p_S and p_E are means over images of the share of leads who accept S’s and E’s label; "
        "where both gave the same label a judgement counts for both. acc_L(S) = p_S / p_E.",
        f"Intervals are {results['intervals']}. They are the primary analysis, as the protocol "
        "names it.",
        "Label uncertainty is the entropy of a label’s acceptance, with Wilson’s interval; "
        "agreement between leads is Krippendorff’s alpha (2011), with an interval over labels "
        "drawn again.",
    ]
