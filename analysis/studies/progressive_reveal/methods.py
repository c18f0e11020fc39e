"""The sentences of progressive_reveal's methods paragraph."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.primary import WORDS
from analysis.report.who import counted
from analysis.report.wording import count, grouped, listed, number
from analysis.studies.progressive_reveal.uncovering import uncovering
from analysis.studies.progressive_reveal.words import method_name

Results = Mapping[str, Any]

SOURCES: Mapping[str, str] = {
    "design": "Dawoud et al. 2023",
    "product_limit": "Kaplan & Meier 1958",
    "intervals": "Turnbull 1976",
    "resampling": "Owen 2007",
}
"""Sources of the methods, as cited."""


def methods_paragraphs(results: Results) -> Sequence[Sequence[str]]:
    """Return the paragraphs of the methods."""
    return (_design(results), _analysis(results))


def _design(results: Results) -> list[str]:
    data, reveal = results["data"], results["protocol"]["reveal"]
    names = listed([method_name(method, data) for method in data["methods"]])
    classes = "" if data["classes"] is None else f" of {count(data['classes'], 'class', 'classes')}"
    return [
        f"{counted(data, 'participant')} saw {count(data['items'], 'image')}"
        f"{classes} (design of {results['sources']['design']}), each image once, "
        f"uncovered by one of {count(len(data['methods']), 'method')}: {names}.",
        f"A round had {data['steps']} steps of {number(reveal['step_s'], 1)} s; each step "
        "uncovered the next most relevant pixels. Participants typed the class at any time and as "
        "often as they wanted; the round ended with the right class or after the last step.",
        *uncovering(reveal, lambda method: method_name(method, data)),
    ]


def _analysis(results: Results) -> list[str]:
    sources = results["sources"]
    asked = results["protocol"]["analysis"]["primary_test"]
    boot, restricted = results["bootstrap"], results["survival"]["restricted"]
    return [
        "As published: averages of uncovered pixels, tries and recognition over completed rounds "
        "(Table III), with unrecognised rounds excluded from the average of pixels and, "
        "alternatively, included with their last pixels.",
        "Unrecognised rounds are censored, and pixels are uncovered in steps. Recognition over "
        "steps is the "
        f"product-limit estimate ({sources['product_limit']}); recognition over pixels is the "
        f"nonparametric estimate for intervals ({sources['intervals']}), from the last smaller "
        "count to the one at recognition, interpolated evenly within an interval; the mean of "
        "needed pixels is restricted to each image’s smallest final count among the methods, "
        "with equal weights of images. All pairs of methods are compared, with Holm’s "
        "correction.",
        "Hazards of recognition over steps were modelled by a logistic mixed model on person-step "
        "rows (Laplace approximation), and averaged over participants and images by quadrature.",
        f"Intervals of averages (Table III, first attempts) are {results['intervals']}. "
        "Recognition over steps and pixels and restricted means have 95 % percentile intervals "
        f"of {grouped(boot['replicates'])} replicates "
        f"({grouped(restricted['replicates'])} for restricted means, "
        f"{grouped(results['survival']['needed']['replicates'])} for Turnbull’s estimate) of a "
        "two-way bootstrap over participants and images "
        f"({sources['resampling']}).",
        f"The primary analysis, named in the protocol, is {WORDS[asked]}. Pairs of methods are a "
        "family for each question and each way to answer it, with Holm’s correction.",
    ]
