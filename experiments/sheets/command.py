"""The verb `sheets`: what a lab prints."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import command_line
from stimuli.errors import UserError

if TYPE_CHECKING:
    from experiments.sheets.cards import Issuer
    from participants.folder import LabFolder
    from participants.registry import Registry
    from participants.texts.rig import RigTables, RigWords
    from stimuli.pack import Pack

FILE: Final = "sheets.toml"

sheets = typer.Typer(
    help="Print what a lab needs: consent, debrief, keys, checklist, code cards, receipts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)

PackFolder = Annotated[Path, typer.Argument(metavar="PACK", help="The pack's folder.")]
Out = Annotated[Path, typer.Option(metavar="FILE.pdf", help="File to write; it is replaced.")]
Language = Annotated[str | None, typer.Option(metavar="LANG", help="Language. Default: the lab's.")]
Codes = Annotated[
    list[str] | None, typer.Argument(metavar="CODE", help="Codes. Default: all of --state.")
]
State = Annotated[
    str | None,
    typer.Option(
        help="Codes of people in this state (participants list), such as unfinished. Default: "
        "not begun."
    ),
]
OfPack = Annotated[
    Path | None,
    typer.Option(
        "--pack", metavar="PACK", help="A pack whose fonts print signs that DejaVu Sans lacks."
    ),
]
NOT_BEGUN: Final = "not begun"


@sheets.command()
def consent(
    pack: PackFolder, out: Out, language: Language = None, lab: command_line.Lab = None
) -> None:
    """Write the consent as PDF, with the lab's blanks and a place to sign.

    The text is the one on the screen. Its version and hash stand at the foot.

    Example: python3 lab.py sheets consent packs/first --out consent.pdf
    """
    from experiments.sheets.read import consent_sheet

    _write_of_pack(consent_sheet, pack, out, language, lab)


@sheets.command()
def debrief(
    pack: PackFolder, out: Out, language: Language = None, lab: command_line.Lab = None
) -> None:
    """Write what people read after a session as PDF, with the question about their data.

    Where arms read different texts, the file has every version.

    Example: python3 lab.py sheets debrief packs/first --out debrief.pdf --language de
    """
    from experiments.sheets.read import debrief_sheet

    _write_of_pack(debrief_sheet, pack, out, language, lab)


@sheets.command()
def keys(
    pack: PackFolder, out: Out, language: Language = None, lab: command_line.Lab = None
) -> None:
    """Write the experimenter's key card as PDF: keys of each screen, and the chords.

    Example: python3 lab.py sheets keys packs/first --out keys.pdf
    """
    from experiments.sheets.keys import key_card

    _write_of_pack(key_card, pack, out, language, lab)


@sheets.command()
def checklist(out: Out, language: Language = None, lab: command_line.Lab = None) -> None:
    """Write checklists as PDF: a day in the lab, and what must hold before plates are shown.

    Example: python3 lab.py sheets checklist --out checklist.pdf
    """
    from experiments.sheets.checklists import checklist_sheet
    from participants.folder import LabFolder

    place = LabFolder.open(lab)
    tables, words = _texts(place, language)
    _check_printable(tables)
    _write(out, checklist_sheet(place, tables, words))


@sheets.command("day")
def day_list(
    out: Out,
    day: Annotated[
        str | None, typer.Option(metavar="DATE", help="Such as 2026-12-03. Default: today.")
    ] = None,
    language: Language = None,
    lab: command_line.Lab = None,
) -> None:
    """Write a day's appointments as PDF, by code, to tick who came.

    Example: python3 lab.py sheets day --out day.pdf
    """
    from experiments.sheets.checklists import day_sheet
    from participants.appointments.book import appointments_of
    from participants.command_line import opened_lab
    from participants.payments.options import parse_day

    with opened_lab(lab) as (place, registry):
        wanted = registry.now().astimezone().date() if day is None else parse_day("--day", day)
        booked = [
            appointment for appointment in appointments_of(registry) if appointment.day == wanted
        ]
    tables, words = _texts(place, language)
    _check_printable(tables)
    _write(out, day_sheet(booked, wanted, words))


@sheets.command()
def cards(
    out: Out,
    codes: Codes = None,
    state: State = None,
    language: Language = None,
    pack: OfPack = None,
    lab: command_line.Lab = None,
) -> None:
    """Write code cards as PDF, ten a page: code, QR code, and what it is for.

    A scanner types the code, which has a character against typing errors. Print them as they
    are, at 100 per cent.

    Example: python3 lab.py sheets cards --out cards.pdf
    """
    from experiments.sheets.cards import card_sheet

    place, known = _known_codes(lab, codes, state)
    _, words = _texts(place, language)
    _write(out, card_sheet(known, _issuer(place, words, pack), words))


@sheets.command()
def labels(
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.pdf|DIR", help="File to write; a folder with --images. It is replaced."
        ),
    ],
    codes: Codes = None,
    state: State = None,
    images: Annotated[
        str | None,
        typer.Option(metavar="png|svg", help="Write one image for each QR code instead."),
    ] = None,
    lab: command_line.Lab = None,
) -> None:
    """Write code labels as PDF, 24 a page of 70 × 36 mm, or the QR codes as images.

    Example: python3 lab.py sheets labels K7RTMX8 --images svg --out codes
    """
    from experiments.sheets.cards import code_images, label_sheet

    _, known = _known_codes(lab, codes, state)
    if images is None:
        _write(out, label_sheet(known))
    elif images == "png" or images == "svg":
        code_images(known, out.expanduser(), images)
        print(f"{len(known)} images: {out}")
    else:
        raise UserError(f"--images {images}: is not one of png, svg")


@sheets.command()
def receipts(
    out: Out,
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE", help="Codes. Default: all.")
    ] = None,
    amount: Annotated[
        str | None,
        typer.Option(
            metavar="SUM",
            help="What each session earns. Default: by payment in lab.toml.",
        ),
    ] = None,
    language: Language = None,
    pack: OfPack = None,
    lab: command_line.Lab = None,
) -> None:
    """Write a receipt for each session of which something is due (participants payments).

    If nothing is due to the people that you name, it is for what they were paid. The stub has the
    code, the receipt a line for the name. Nothing is marked as paid.

    Example: python3 lab.py sheets receipts --out receipts.pdf
    """
    from experiments.sheets.cards import receipt_sheet
    from participants.command_line import opened_lab
    from participants.payments.ledger import accounts_of
    from participants.payments.options import PaymentOptions, parse_cents
    from participants.registry import check_code

    wanted = PaymentOptions(cents=None if amount is None else parse_cents("--amount", amount))
    only = {check_code(code) for code in codes or ()}
    with opened_lab(lab) as (place, registry):
        accounts = accounts_of(place, registry, wanted)
    chosen = [account for account in accounts if not only or account.code in only]
    due = [account for account in chosen if account.due_cents]
    due = due or [account for account in chosen if only and account.paid_cents]
    if not due:
        raise UserError(
            "sheets receipts: nothing is due; see participants payments, or give --amount"
        )
    _, words = _texts(place, language)
    _write(out, receipt_sheet(due, _issuer(place, words, pack), words))


def _write_of_pack(
    make: "Callable[[Pack, LabFolder, str, RigWords], bytes]",
    pack: Path,
    out: Path,
    language: str | None,
    lab: Path | None,
) -> None:
    from participants.folder import LabFolder
    from stimuli.pack import open_pack

    place = LabFolder.open(lab)
    opened = open_pack(pack.expanduser())
    spoken = language or opened.protocol.language_near(place.settings.language)
    _, words = _texts(place, spoken)
    _write(out, make(opened, place, spoken, words))


def _write(out: Path, data: bytes) -> None:
    from participants.files import write_file

    write_file(out.expanduser(), data)
    print(out)


def _texts(lab: "LabFolder", language: str | None) -> "tuple[RigTables, RigWords]":
    from experiments.sheets.checklists import PARTS
    from participants.texts.rig import RigWords, load_rig_tables

    spoken = language or lab.settings.language
    tables = load_rig_tables(FILE, ("words", *PARTS), spoken, lab.texts)
    return tables, RigWords(tables.language, tables.parts["words"])


def _check_printable(tables: "RigTables") -> None:
    from experiments.sheets.fonts import use_fonts

    use_fonts((), " ".join(text for part in tables.parts.values() for text in part.values()))


def _issuer(lab: "LabFolder", words: "RigWords", pack: Path | None) -> "Issuer":
    """Return the lab's details; UserError if they or the words can't be printed."""
    from experiments.sheets.cards import Issuer
    from experiments.sheets.fonts import use_fonts
    from stimuli.pack import open_pack
    from stimuli.study import fonts_in

    named = lab.settings.named(words.language)
    fonts = () if pack is None else fonts_in(open_pack(pack.expanduser()))
    use_fonts(fonts, " ".join([*named.values(), *words.words.values()]))
    return Issuer(named["institution"], named["contact"])


def _known_codes(
    lab: Path | None, codes: Sequence[str] | None, state: str | None
) -> "tuple[LabFolder, tuple[str, ...]]":
    """Return the lab and the given codes, or the codes of people in a state."""
    from participants.command_line import opened_lab
    from participants.registry import check_code

    if codes and state:
        raise UserError("give either codes or --state")
    with opened_lab(lab) as (place, registry):
        if codes:
            known = tuple(dict.fromkeys(check_code(code) for code in codes))
            for code in known:
                registry.person(code)
        else:
            known = _in_state(registry, state or NOT_BEGUN)
    if not known:
        raise UserError(
            f"nobody is in the state {state or NOT_BEGUN}; name codes, or enrol people: "
            "participants enrol --count 20"
        )
    return place, known


def _in_state(registry: "Registry", state: str) -> tuple[str, ...]:
    from participants.clock import utc_text
    from participants.overview.command import everybody_of

    now_utc = utc_text(registry.now())
    everybody = registry.transact(lambda connection: everybody_of(connection, now_utc))
    return tuple(
        listed.person.code
        for listed in everybody
        if listed.state == state and listed.person.purpose != "robot"
    )
