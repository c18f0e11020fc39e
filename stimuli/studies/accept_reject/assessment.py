"""What the study's assessments share: a lead accepts or rejects solutions by the same rules.

One assesses explanations on plates (`AcceptReject`), the other accuracy on labelled images or texts
(study accept_reject_accuracy, which builds on this one).
"""

import typing

from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.protocol import Answers, Practice, Protocol
from stimuli.studies.accept_reject.protocol import AcceptReject, Trial


class LeadRules(typing.Protocol):
    """The rules of a lead's session, in the protocol of either assessment."""

    @property
    def expected_minutes(self) -> float:
        """How long a session takes."""

    @property
    def trial(self) -> Trial:
        """The rules of a trial."""

    @property
    def session(self) -> Answers:
        """How a lead answers, and when there are breaks."""

    @property
    def practice(self) -> Practice:
        """The criterion of practice."""


class Solution(typing.Protocol):
    """What a lead judges. A solution of no plate has neither axis nor rung."""

    @property
    def shown_label(self) -> str:
        """The solution's digit or label, or ``no_solution``."""

    @property
    def region_file(self) -> str | None:
        """The explanation's path in the pack; None without one."""

    @property
    def axis(self) -> Axis | None:
        """Confusion axis of the plate."""

    @property
    def rung(self) -> int | None:
        """Rung of the axis' ladder."""


def of_plates(protocol: Protocol, verb: str) -> AcceptReject:
    """Return a protocol if it is one of plates.

    Raises
    ------
    UserError
        If it is of another assessment, which the verb can't be used with.
    """
    if isinstance(protocol, AcceptReject):
        return protocol
    raise UserError(
        f"{verb}: protocol {protocol.name!r} assesses accuracy on labelled images; this verb is "
        "for plates, with a protocol like accept_reject.toml"
    )
