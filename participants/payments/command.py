"""The verb `participants payments`."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from participants import command_line
from participants.command_line import opened_lab
from participants.payments.options import CENTS, PaymentOptions
from stimuli.options import grouped

if TYPE_CHECKING:
    from participants.payments.ledger import Account


@grouped
def payments(
    *,
    selection: PaymentOptions,
    unpaid: Annotated[
        bool, typer.Option("--unpaid", help="Only sessions of which something is still due.")
    ] = False,
    mark: Annotated[
        bool,
        typer.Option("--mark-paid", help="Record that all that is due was paid now."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write the list as a CSV file.")
    ] = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """List what people earned, by code: each session of purpose main or pilot, what is paid, due.

    Sessions that somebody declined aren't in it. Money that was paid before shows as paid and is
    never due again.

    Example: python3 lab.py participants payments --since 2026-11-01 --unpaid --out november.csv
    """
    from participants.payments.ledger import accounts_of, mark_paid

    with opened_lab(lab) as (place, registry):
        accounts = (mark_paid if mark else accounts_of)(place, registry, selection)
    if unpaid:
        accounts = tuple(account for account in accounts if account.due_cents)
    rows = [_row(account) for account in accounts]
    if out is not None:
        _write(out, rows)
    if as_json:
        print(json.dumps(rows))
    else:
        _show(accounts, rows, out=out, marked=mark)


def _row(account: "Account") -> dict[str, Any]:
    """Return an account as a row of the list."""
    return {
        "code": account.code,
        "study": account.study,
        "date": account.date.isoformat(),
        "state": account.state,
        "minutes": account.minutes,
        "earned": money(account.earned_cents),
        "paid": money(account.paid_cents),
        "due": money(account.due_cents),
        "currency": account.currency,
        "paid_on": None if account.paid_on is None else account.paid_on.isoformat(),
        "session": account.session,
    }


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    from participants.files import write_file

    text = io.StringIO()
    names = list(rows[0]) if rows else ["code"]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    # With a byte-order mark, table programs read it as UTF-8.
    write_file(path.expanduser(), text.getvalue().encode("utf-8-sig"))


def _show(
    accounts: "Sequence[Account]", rows: Sequence[dict[str, Any]], *, out: Path | None, marked: bool
) -> None:
    from participants.command_line import show_columns

    if not accounts:
        print("No session of this kind: nothing earned, nothing due.")
        return
    if out is None:
        names = [name for name in rows[0] if name != "session"]
        show_columns({name: [row[name] for row in rows] for name in names})
    due = sum(account.due_cents for account in accounts)
    people = len({account.code for account in accounts if account.due_cents})
    currency = accounts[0].currency
    how = "marked as paid now" if marked else "due"
    print(f"{money(due)} {currency} {how}, to {people} {'person' if people == 1 else 'people'}.")
    if not any(account.earned_cents for account in accounts):
        hint = "lab.toml says nothing of money: fill in [payment], or give --amount"
        print(f"Note: {hint}", file=sys.stderr)


def money(cents: int) -> str:
    """Return a sum with two decimals, such as 12.50."""
    return f"{Decimal(cents) / CENTS:.2f}"
