"""The sentences of human_ai_team's methods paragraph."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.primary import WORDS
from analysis.report.who import counted
from analysis.report.wording import count, grouped, listed, percent
from analysis.studies.human_ai_team.words import arm_name

Results = Mapping[str, Any]


SOURCES: Mapping[str, str] = {
    "design": "Nguyen et al. 2021",
    "detection": "Hautus 1995",
    "resampling": "Owen 2007",
    "two_stages": "Schemmer et al. 2023",
}
"""Sources of the methods, as cited."""


def methods_paragraphs(results: Results) -> Sequence[Sequence[str]]:
    """Return the paragraphs of the methods."""
    return (_design(results), _analysis(results))


def _design(results: Results) -> list[str]:
    data, protocol = results["data"], results["protocol"]
    arms = listed([arm_name(arm) for arm in data["arms"]])
    said = [
        f"{counted(data, 'participant')} judged whether an AI’s label of an image is right (design "
        f"of {results['sources']['design']}): {count(data['trials'], 'main trial')} on "
        f"{count(data['items'], 'image')}.",
        f"Arms: {arms}.",
        f"The AI was right in {percent(data['ai_right'])} of the trials{_attacked(data)}.",
    ]
    if not data["protocol_known"]:
        return said
    rules = protocol["validation"]
    stages = {
        "one_stage": "Participants answered once, with what their arm shows.",
        "two_stage": "Participants answered on their own first, and again with the AI’s confidence "
        "and their arm’s help.",
    }
    said.append(stages[protocol["question"]["decision"]])
    if rules["trials"]:
        said.append(
            f"Of {rules['trials']} validation trials {rules['pass_right']} right answers were "
            "needed to qualify."
        )
    return said


def _attacked(data: Mapping[str, Any]) -> str:
    share = data["adversarial_share"]
    return "" if share is None else f"; {percent(share)} showed adversarial images"


def _analysis(results: Results) -> list[str]:
    sources = results["sources"]
    rules = results["protocol"]["analysis"]
    boot, second, asked = results["bootstrap"], rules["primary"], rules["primary_test"]
    drawn = "participants and images" if boot["drawn"] == "both" else "participants"
    first = (
        "Everybody with main trials was analysed (intention to treat), then those who qualified."
        if second == "all"
        else "Those who qualified were analysed, then everybody."
    )
    fitted = results["models"]["all"]
    model = (
        f"Right answers were modelled by a logistic mixed model ({fitted['formula']}; Laplace "
        "approximation) and averaged over participants and images by quadrature."
        if fitted["fitted"]
        else "No mixed model could be fitted."
    )
    return [
        first,
        "As published: mean accuracy per participant by arm, Mann–Whitney tests between arms, "
        "accuracy by bin, natural images weighted by how often their bins occur, adversarial "
        "images separately; with Holm’s correction and effect sizes.",
        model,
        "Over-reliance is the share of the AI’s wrong labels that were accepted, under-reliance "
        "the share of its right labels that were rejected; d′ and the criterion have the "
        f"log-linear correction ({sources['detection']}).",
        f"Intervals of shares and accuracies are {results['intervals']}. Complementarity, ratings "
        f"and what people needed have percentile intervals of {grouped(boot['replicates'])} "
        f"bootstrap replicates over {drawn} ({sources['resampling']}).",
        f"The primary analysis, named in the protocol, is {WORDS[asked]}. Differences between arms "
        "of one quantity are a family, with Holm’s correction.",
    ]
