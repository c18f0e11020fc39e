"""Options that are declared as fields of dataclasses: each kind, as Typer gets and gives it."""

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from stimuli.console import new_app, run_app
from stimuli.errors import UserError
from stimuli.options import MadeOf, Needs, NotWith, Parsed, Repeated, grouped, with_commas


def read_sizes(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} {text}: must be numbers") from None


def crew_of(
    workers: Annotated[int | None, typer.Option(help="How many.")] = None,
    address: Annotated[str | None, typer.Option(help="Where.")] = None,
) -> str | None:
    return None if workers is None else f"{workers} at {address}"


@dataclass(frozen=True, slots=True)
class Where:
    out: Annotated[Path, typer.Option(help="The folder.")]
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False


@dataclass(frozen=True, slots=True)
class Asked:
    where: Where
    sizes: Annotated[tuple[float, ...], typer.Option(help="Sizes."), Parsed(read_sizes)] = (
        1.0,
        2.5,
    )
    further: Annotated[
        tuple[float, ...] | None, typer.Option("--more", help="More."), Parsed(read_sizes)
    ] = None
    crew: Annotated[str | None, MadeOf(crew_of)] = None
    found: int = 7


@dataclass(frozen=True, slots=True)
class Ruled:
    model: Annotated[str, typer.Option(help="A model."), Needs("--data --table", "inputs")] = "m"
    data: Annotated[
        tuple[float, ...] | None,
        typer.Option(help="Numbers."),
        Parsed(read_sizes),
        NotWith("--workers --count", "they are few"),
    ] = None
    table: Annotated[
        tuple[str, ...],
        typer.Option(help="Rows."),
        Repeated(str),
        NotWith("--count", when=lambda names: names is not None and "all" in names, of="all"),
    ] = ()
    count: Annotated[int, typer.Option(help="How many.")] = 1


def asked_by(arguments: Sequence[str], **groups: type) -> tuple[int, list[object]]:
    got: list[object] = []
    app = new_app("")

    def verb(name: Annotated[str, typer.Argument()], asked: Asked, tables: object = None) -> None:
        got.extend([name, asked, tables])

    app.command()(grouped(verb, **{"tables": make_dataclass("None_", []), **groups}))
    return run_app(app, ["verb", *arguments]), got


def test_fields_have_their_defaults_and_what_is_no_option_keeps_its_own():
    status, (name, asked, _) = asked_by(["n", "--out", "here"])
    assert (status, name) == (0, "n")
    assert asked == Asked(Where(Path("here")))


def test_each_kind_of_field_gets_what_was_typed():
    typed = ["n", "--out", "here", "--json", "--sizes", "3", "--more", "4,5"]
    _, (_, asked, _) = asked_by([*typed, "--workers", "2", "--address", "a"])
    assert asked == Asked(Where(Path("here"), True), (3.0,), (4.0, 5.0), "2 at a")


def test_a_text_that_cannot_be_read_is_named_by_the_option_as_typed(capsys):
    assert asked_by(["n", "--out", "here", "--more", "x"])[0] == 2
    assert "--more x: must be numbers" in capsys.readouterr().err


def test_a_dataclass_made_while_the_program_runs_brings_its_options():
    tables = make_dataclass(
        "Tables", [("people", Annotated[Path | None, typer.Option(help="People.")], None)]
    )
    _, (_, _, found) = asked_by(["n", "--out", "o", "--people", "p.csv"], tables=tables)
    assert found.people == Path("p.csv")


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: float(f"{x:g}")), min_size=1).map(tuple))
def test_a_default_is_shown_so_that_typing_it_gives_the_same(values):
    assert read_sizes("--sizes", with_commas(values)) == values


@pytest.mark.parametrize("missing", ["n", "--out"])
def test_what_has_no_default_is_required(missing, capsys):
    given = [part for part in ("n", "--out", "here") if part != missing]
    assert asked_by(given[:1] if missing == "--out" else given)[0] == 2


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("--model o", "--model needs --data or --table: inputs"),
        ("--model o --table a", ""),
        ("--model m --count 1", ""),  # the defaults
        ("--data 1 --workers 2", "--workers doesn't go with --data: they are few; leave --workers"),
        ("--data 1 --count 0", "--count doesn't go with --data: they are few; leave --count out"),
        ("--table a --table all --count 2", "--count doesn't go with --table all; leave --count"),
        ("--table a --count 2", ""),
    ],
)
def test_what_lacks_another_option_or_excludes_it_is_refused_before_it_is_read(typed, line, capsys):
    status, got = asked_by(["n", "--out", "o", *typed.split()], tables=Ruled)
    assert (status, len(got)) == ((2, 0) if line else (0, 3))
    assert line in capsys.readouterr().err


def test_the_help_says_what_an_option_always_needs_and_excludes():
    def verb(ruled: Ruled, asked: Asked) -> None: ...

    told = {name: hint.__metadata__[0].help for name, hint in grouped(verb).__annotations__.items()}
    assert told["model"] == "A model. Needs --data or --table."
    assert told["data"] == "Numbers. Not with --workers, --count."
    assert told["table"] == "Rows."
