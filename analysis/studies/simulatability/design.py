"""What simulatability preregisters beside its questions, in words that follow from a protocol."""

from analysis.questions.registered import Registered, Variable
from analysis.report.deciding import WORDS
from analysis.report.wording import count, listed
from analysis.studies.simulatability.words import FIRST_WORDS, domain_name, method_name
from stimuli.studies.simulatability.protocol import Simulatability


def registered(protocol: Simulatability) -> Registered:
    """Return what the study preregisters under a protocol, without analyses and hypotheses."""
    items, rules = protocol.items, protocol.analysis
    return Registered(
        question="Do explanations of a model help people predict what it says?",
        people="participants",
        design=_design(protocol),
        blinding="Participants know only their own method. They never learn whether a prediction "
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
            *_order(protocol),
            Variable("phase", "before or after explanations, within participants", "pre, post"),
        ),
        measured=(
            Variable("correct", "whether the model's output was predicted", "yes, no"),
            Variable("rating", "whether the explanation shows why", "1 to 7"),
            Variable("rt_s", "time from the input's onset to the prediction", "seconds"),
        ),
        primary=f"The primary analysis is {WORDS[rules.primary_test]}; the other is also reported. "
        f"{_first(protocol)} The second includes only those who qualified and weren't too fast.",
        exclusions=_exclusions(protocol),
        multiplicity="p values are corrected by Holm's method over the methods of a domain, in "
        "each test.",
        missing="Only items that a participant predicted in both phases are analysed. Predictions "
        f"without an answer within {protocol.question.limit_s:g} s, and those in only one phase, "
        "are counted by arm. Nothing is imputed.",
    )


def _methods(protocol: Simulatability) -> str:
    return ", ".join(method_name(method) for method in protocol.design.methods)


def _domains(protocol: Simulatability) -> str:
    return ", ".join(domain_name(domain) for domain in protocol.design.domains)


def _order(protocol: Simulatability) -> tuple[Variable, ...]:
    """Return the order of the tests as a variable, if it is one."""
    orders = [order[0] for order in protocol.design.orders]
    meaning = "the test that comes first, between participants (by sheet)"
    return (Variable("first_test", meaning, listed(orders)),) if len(orders) > 1 else ()


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
        else "Each participant has one domain and one method."
    )
    return (
        "Between-person experiment on predicting a model's outputs.",
        *(tests[test] for test in design.tests),
        *((FIRST_WORDS[design.first_test],) if len(design.tests) > 1 else ()),
        second,
        f"Examples ({items.learning}) and items ({items.per_test} in each test) are balanced over "
        "the model's outputs and whether they are right. Half of the changes change the output.",
    )


def _first(protocol: Simulatability) -> str:
    """Return whom the first analysis includes, by what happens after the screening test."""
    everybody = "The first analysis includes everybody who predicted an item in both phases"
    rules = protocol.understanding
    if rules.then == "end" and rules.pass_right:
        return (
            f"{everybody}. People who fail the test of their method end before that, so this isn't "
            "an analysis by intention to treat."
        )
    return f"{everybody}, whether or not they passed the test of their method (intention to treat)."


def _exclusions(protocol: Simulatability) -> tuple[str, ...]:
    rules = protocol.understanding
    test = (
        f"fewer than {rules.pass_right} right answers on the method and the balance of items"
        if rules.pass_right
        else "no test on the method and the balance of items"
    )
    return (
        "The first analysis leaves out only participants who withdraw their data"
        + (", and those without a course." if rules.course == "required" else "."),
        f"The second analysis leaves out those who didn't qualify ({test}; courses: "
        f"{rules.course}), and those whose median time for a prediction is below "
        f"{protocol.analysis.too_fast_s:g} s.",
        "No analysis of accuracy includes the examples to learn from.",
    )
