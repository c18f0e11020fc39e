"""A lead's session by the pack's protocol: usefulness of explanations, or accuracy."""

from participants.session import SessionPlan
from participants.studies.accept_reject import plan as usefulness
from participants.studies.accept_reject_accuracy import plan as accuracy
from stimuli.pack import Pack
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy, Rules


def plan_session(
    pack: Pack,
    list_id: str,
    order: str,
    language: str,
    participant: str,
    accept_side: str | None = None,
) -> SessionPlan:
    """Return the plan of a lead's session under the pack's protocol.

    Parameters and errors as in the `plan_session` of either protocol.
    """
    of_accuracy = isinstance(pack.protocol, AcceptRejectAccuracy)
    plan = accuracy.plan_session if of_accuracy else usefulness.plan_session
    return plan(pack, list_id, order, language, participant, accept_side)


def orders_of(protocol: Rules) -> tuple[str, ...]:
    """Return the orders of runs that a protocol lets leads be assigned to."""
    if isinstance(protocol, AcceptRejectAccuracy):
        return (accuracy.ORDER,)
    return usefulness.orders_of(protocol)
