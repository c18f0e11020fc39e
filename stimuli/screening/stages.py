"""What a screening consists of, as a pack without stimuli: its rules, and which stages come."""

from collections.abc import Sequence
from typing import Final, Literal, get_args

from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import Protocol, catalogue_name, protocol_hash

Stage = Literal["trivector", "d15", "ishihara", "titration"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""In the order in which they come."""

STAGE_TABLE: Final = TableSchema(
    "stages",
    "What a screening consists of.",
    (
        Column(
            "stage",
            "text",
            "What is done.",
            levels=levels(
                trivector="staircases on the protan, deutan and tritan lines",
                d15="the caps of the Farnsworth D-15 are put in order",
                ishihara="the score of the printed Ishihara book is entered",
                titration="a lead's rung is found and verified",
            ),
        ),
        Column(
            "axis",
            "text",
            "Axis of a titration that is done by itself; else the screening finds it.",
            optional=True,
        ),
        Column("attempt", "integer", "Which screening of the person it is, from 1."),
    ),
)


def screening_pack(
    protocol: Protocol, stages: Sequence[Stage] = STAGES, axis: str | None = None, attempt: int = 1
) -> Pack:
    """Return the pack that a screening is run with.

    Parameters
    ----------
    protocol
        Has the sections ``screening`` and ``titration``.
    stages
        What is done.
    axis
        Of a titration without a screening before it.
    attempt
        Which screening of the person it is, from 1: each has plates of its own.

    Raises
    ------
    UserError
        If nobody is screened for this protocol.
    """
    if not (hasattr(protocol, "screening") and hasattr(protocol, "titration")):
        raise UserError(
            f"protocol of {catalogue_name(protocol.resolved())}: has no screening; take one of a "
            "study whose participants' colour vision is screened"
        )
    rows = [
        {"stage": stage, "axis": axis if stage == "titration" else None, "attempt": attempt}
        for stage in STAGES
        if stage in stages
    ]
    files = {f"{STAGE_TABLE.name}.csv": STAGE_TABLE.to_csv(rows)}
    return pack_in_memory(protocol, protocol_hash(protocol), "screening", files)
