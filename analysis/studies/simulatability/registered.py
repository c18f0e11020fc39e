"""What simulatability preregisters, in words that follow from a protocol."""

from analysis.preregister.declared import Analysis, Hypothesis, Registered, Variable
from analysis.report.primary import WORDS
from analysis.report.wording import count, listed
from analysis.studies.simulatability.model import CODING, FORMULA
from analysis.studies.simulatability.words import domain_name, method_name
from stimuli.studies.simulatability.protocol import Simulatability


def registered(protocol: Simulatability) -> Registered:
    """Return what the study preregisters under a protocol."""
    items, rules = protocol.items, protocol.analysis
    return Registered(
        question="Do explanations of a model help people predict what it says?",
        people="participants",
        hypotheses=_hypotheses(protocol),
        design=_design(protocol),
        blinding="Participants know their own method alone. They never learn whether a prediction "
        "was right. Fixed rules analyse the data.",
        assignment="The registry deals arms (domain and method) and sheets evenly to participants; "
        f"the seed {protocol.assignment.seed} breaks ties. All arms of a domain see the same "
        "items.",
        items=f"{items.learning} examples, and {count(items.per_test, 'item')} in each of "
        f"{count(len(protocol.design.tests), 'test')}, twice",
        manipulated=(
            Variable("method", "the explanations, between participants", _methods(protocol)),
            Variable("domain", "the kind of data, between participants", _domains(protocol)),
            Variable("use", "the test, within participants", listed(protocol.design.tests)),
            Variable("phase", "before or after explanations, within participants", "pre, post"),
        ),
        measured=(
            Variable("correct", "whether the model's output was predicted", "yes, no"),
            Variable("rating", "whether the explanation shows why", "1 to 7"),
            Variable("rt_s", "time from the input's onset to the prediction", "seconds"),
        ),
        analyses=_analyses(protocol),
        primary=f"The primary analysis is {WORDS[rules.primary_test]}; the other stands beside it. "
        "Everybody is analysed first (intention to treat), then those who qualified and weren't "
        "too fast.",
        exclusions=_exclusions(protocol),
        multiplicity="p values are corrected by Holm's method over the methods of a domain.",
        missing="Only items that a participant predicted in both phases are analysed. Predictions "
        f"without an answer within {protocol.question.limit_s:g} s, and those in one phase alone, "
        "are counted by arm. Nothing is imputed.",
    )


def _methods(protocol: Simulatability) -> str:
    return ", ".join(method_name(method) for method in protocol.design.methods)


def _domains(protocol: Simulatability) -> str:
    return ", ".join(domain_name(domain) for domain in protocol.design.domains)


def _reference(protocol: Simulatability) -> str | None:
    wanted = protocol.analysis.reference_method
    return wanted if wanted in protocol.design.methods else None


def _hypotheses(protocol: Simulatability) -> tuple[Hypothesis, ...]:
    reference = _reference(protocol)
    others = [method for method in protocol.design.methods if method != reference]
    named = listed([method_name(method) for method in others]) if others else "no method"
    if reference is None:
        return (
            Hypothesis(
                "H1",
                f"Accuracy rises from before to after with {named}.",
                "Change over both tests differs from zero in this direction with p < .05 "
                "(two-sided) after Holm's correction. Practice is in it.",
            ),
        )
    return (
        Hypothesis(
            "H1",
            f"Change, accuracy after less accuracy before, is larger with {named} than with "
            f"{method_name(reference)}.",
            "The difference of Change over both tests, averaged over participants and items, "
            "differs from zero in this direction with p < .05 (two-sided) after Holm's correction; "
            "it is given with its 95 % interval. No difference that matters is shown where the "
            f"90 % interval lies within ±{100 * protocol.analysis.margin:g} percentage points.",
        ),
    )


def _design(protocol: Simulatability) -> tuple[str, ...]:
    design, items = protocol.design, protocol.items
    tests = {
        "forward": "Forward test: participants see examples with the model's outputs, predict its "
        "outputs on new inputs, see the same examples with explanations, and predict the same "
        "inputs again.",
        "counterfactual": "Counterfactual test: participants predict the output on changed inputs, "
        "and again with explanations of the outputs on the unchanged inputs.",
    }
    second = (
        "Each participant is tested a second time, in the other domain with another method."
        if design.second_test
        else "A participant has one domain and one method."
    )
    return (
        "Between-person experiment on predicting a model's outputs.",
        *(tests[test] for test in design.tests),
        second,
        f"Examples ({items.learning}) and items ({items.per_test} a test) are balanced over true "
        "and false positives and negatives; half of the changed inputs change the output.",
    )


def _analyses(protocol: Simulatability) -> tuple[Analysis, ...]:
    first = "primary" if protocol.analysis.primary_test == "model" else "secondary"
    return (
        Analysis(
            "Whether explanations help people predict the model",
            "primary",
            "Change of each method less that of the arm without explanations, over both tests, by "
            "the mixed model and by means over participants and items.",
        ),
        Analysis(
            "The mixed model",
            first,
            f"Mixed logistic regression of right predictions, a model a domain. {CODING} Terms "
            "that the data can't carry are left out by stated rules.",
            FORMULA,
        ),
        Analysis(
            "Change as published",
            "secondary",
            "Change against zero by the block bootstrap of users and items, accuracy before "
            f"shrunken over methods, {protocol.analysis.published_replicates} replicates.",
        ),
        Analysis(
            "Regression to the mean",
            "secondary",
            "Accuracy after at equal accuracy before, a row a participant and test.",
        ),
        Analysis(
            "Ratings of explanations",
            "secondary",
            "Ratings by method and by whether the model is right; whether they tell right "
            "predictions.",
        ),
        Analysis(
            "The same for those who qualified",
            "secondary",
            "The primary results without those who didn't qualify or were too fast.",
        ),
    )


def _exclusions(protocol: Simulatability) -> tuple[str, ...]:
    rules = protocol.understanding
    test = (
        f"fewer than {rules.pass_right} right answers on method and balance"
        if rules.pass_right
        else "no test on method and balance"
    )
    return (
        "No participant is left out of the first analysis, but those who take their data back.",
        f"The second analysis leaves out who didn't qualify ({test}; courses: {rules.course}), and "
        f"whose median time for a prediction is below {protocol.analysis.too_fast_s:g} s.",
        "Examples to learn from are in no analysis of accuracy.",
    )
