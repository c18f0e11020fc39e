"""The options of `participants payments`: which sessions, and what each earns."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from stimuli.errors import UserError
from stimuli.options import Parsed

CENTS = 100


def parse_day(option: str, text: str) -> date:
    """Return a day; UserError if it isn't written as 2026-11-26."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UserError(f"{option} {text}: must be a day such as 2026-11-26") from None


def parse_code(option: str, text: str) -> str:
    """Return a person's code; UserError if it isn't one."""
    from participants.registry import check_code

    return check_code(text)


def parse_cents(option: str, text: str) -> int:
    """Return a typed sum in hundredths; UserError if it isn't a sum."""
    try:
        value = Decimal(text.replace(",", "."))
    except InvalidOperation:
        value = Decimal(-1)
    cents = value * CENTS
    if not (0 <= cents < 10**8) or cents != int(cents):
        raise UserError(f"{option} {text}: must be a sum such as 12 or 12.50")
    return int(cents)


@dataclass(frozen=True, slots=True)
class PaymentOptions:
    """Which sessions, and what each earns.

    Attributes
    ----------
    since, until
        Dates of this PC between which a session was last heard of, both included; None for any.
    study, code
        Of this study or person alone; empty for all.
    cents
        What each session earns; None for what ``lab.toml`` says.
    """

    since: Annotated[
        date | None,
        typer.Option(metavar="DATE", help="Sessions from this day on, such as 2026-11-01."),
        Parsed(parse_day),
    ] = None
    until: Annotated[
        date | None,
        typer.Option(metavar="DATE", help="Sessions until this day, included."),
        Parsed(parse_day),
    ] = None
    study: Annotated[str, typer.Option(metavar="NAME", help="Sessions of this study alone.")] = ""
    code: Annotated[
        str | None, typer.Option(help="Sessions of this person alone."), Parsed(parse_code)
    ] = None
    cents: Annotated[
        int | None,
        typer.Option(
            "--amount",
            metavar="SUM",
            help="What each session earns, such as 12.50. Default: by payment in lab.toml.",
        ),
        Parsed(parse_cents),
    ] = None
