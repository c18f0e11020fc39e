"""Plans of a pack without a person: one for each arm, and one that rehearses all of them."""

from collections.abc import Iterator
from typing import Final

from participants.registry import Assignment
from participants.session import Report, SessionPlan
from participants.session.rehearsal import rehearsed
from participants.study import session_kind_of
from participants.texts import load_text
from stimuli.pack import Pack

NOBODY: Final = "CDF34HK"
"""The code that plans without a person are made with; nothing that is shown has it."""
OF_THE_LAB: Final = frozenset({"institution", "contact"})
"""What every text may name."""


def plans_of(pack: Pack, language: str, code: str = NOBODY) -> tuple[SessionPlan, ...]:
    """Return a plan for each order (arm) of a pack's sessions, in the first list of each.

    Raises
    ------
    UserError
        If the pack's protocol doesn't offer the language.
    """
    kind = session_kind_of(pack)
    if kind.orders is None:
        return (kind.plan(pack, None, language, code),)
    listed = min(offer.list for offer in kind.offers(pack))
    side = kind.sides[0] if kind.sides else None
    return tuple(
        kind.plan(pack, Assignment(listed, order, side), language, code)
        for order in kind.orders(pack.protocol)
    )


def rehearsal_plan(pack: Pack, language: str, code: str, *, also_rare: bool) -> SessionPlan:
    """Return the plan of a rehearsal, all arms in one; see `rehearsed`.

    With ``also_rare`` pages that few people see come after the last one.
    """
    plans = plans_of(pack, language, code)
    return rehearsed(plans, tuple(_reported(plans)) if also_rare else None)


def _reported(plans: tuple[SessionPlan, ...]) -> Iterator[str]:
    """Yield the texts of reports that can be shown without what came out."""
    reports = (step for plan in plans for step in plan.steps if isinstance(step, Report))
    for text in dict.fromkeys(name for report in reports for name in report.texts):
        shipped = load_text(plans[0].text_folder, plans[0].language, text)
        if shipped.placeholders <= OF_THE_LAB:
            yield text
