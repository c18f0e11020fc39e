"""The methods of simulatability in sentences to take over."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.primary import WORDS
from analysis.report.who import counted
from analysis.report.wording import count, grouped, listed
from analysis.studies.simulatability.words import domain_name, method_name

Results = Mapping[str, Any]

SOURCES: Mapping[str, str] = {
    "design": "Hase & Bansal 2020",
    "two_way": "Cameron, Gelbach & Miller 2011",
}
"""What the methods rest on, as it is cited."""

TESTS = {
    "forward": "the output on a new input (forward test)",
    "counterfactual": "the output on a changed input (counterfactual test)",
}


def methods_paragraphs(results: Results) -> Sequence[Sequence[str]]:
    """Return the paragraphs of the methods."""
    return (_design(results), _analysis(results))


def _design(results: Results) -> list[str]:
    data, protocol = results["data"], results["protocol"]
    said = [
        f"{counted(data, 'participant')} predicted what a model says (design of "
        f"{results['sources']['design']}): {listed([TESTS[test] for test in data['tests']])}, "
        "before and after explanations.",
        f"Domains: {listed([domain_name(name) for name in data['domains']])}. Methods: "
        f"{listed([method_name(name) for name in data['methods']])}.",
        f"{count(data['items'], 'item')} gave {grouped(data['pairs'])} pairs of predictions.",
    ]
    if not data["protocol_known"]:
        return said
    items, rules = protocol["items"], protocol["understanding"]
    said.append(
        f"There were {items['learning']} examples to learn from and {items['per_test']} items in "
        "each test, with equal numbers of true and false positives and negatives."
    )
    if rules["pass_right"]:
        said.append(
            f"To qualify, participants had to answer at least "
            f"{count(rules['pass_right'], 'question')} on the method and the balance of items "
            "correctly."
        )
    if data["tested_again"]:
        said.append(f"{count(data['tested_again'], 'participant')} had several methods or domains.")
    return said


def _analysis(results: Results) -> list[str]:
    rules, data = results["protocol"]["analysis"], results["data"]
    reference = data["reference"]
    fitted = [row["formula"] for row in results["models"].values() if row["fitted"]]
    model = (
        f"In each domain, right predictions were modelled with a logistic mixed model "
        f"({'; '.join(dict.fromkeys(fitted))}; Laplace approximation, one step of REML, "
        "Satterthwaite’s degrees of freedom) and averaged over participants and items."
        if fitted
        else "No mixed model could be fitted."
    )
    against = (
        "The primary effect is a method’s Change minus that of the arm "
        f"“{method_name(reference)}”, over both tests"
        if reference
        else "There is no arm without explanations, so Change is compared with zero and includes "
        "practice"
    )
    return [
        "The first analysis includes everybody who predicted an item in both phases (intention to "
        "treat). The second includes only those who qualified and weren’t too fast.",
        "Change is the accuracy after explanations minus the accuracy before, in percentage "
        "points, for items that the same participant predicted in both phases.",
        f"{against}; the primary analysis, named in the protocol, is "
        f"{WORDS[rules['primary_test']]}. p values have Holm’s correction for the methods of a "
        "domain.",
        model,
        f"The report also gives means over participants and items with {results['intervals']} "
        f"({results['sources']['two_way']}).",
        f"The published analysis ({results['sources']['design']}) was repeated: a logistic model "
        "with a random intercept for each method shrinks the accuracy before explanations, and a "
        "block bootstrap that resamples participants and then items gives intervals and p "
        f"({grouped(rules['published_replicates'])} replicates, singular fits discarded).",
    ]
