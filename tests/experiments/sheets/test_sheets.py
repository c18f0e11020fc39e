"""Sheets say what the screen says, on paper, and the same input makes the same bytes."""

import re
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from experiments.cli import main
from experiments.sheets.cards import Issuer, card_sheet, label_sheet, qr_of, receipt_sheet
from experiments.sheets.keys import key_card
from experiments.sheets.read import consent_sheet, debrief_sheet
from participants.appointments.book import book
from participants.folder import LabFolder
from participants.payments.ledger import Account
from participants.planning import plans_of
from participants.registry import Registry, new_code
from participants.session import Consent, Page
from participants.texts import load_checklist, load_text
from participants.texts.load import NO_BREAK_SPACE, PLACEHOLDER
from participants.texts.rig import load_rig_tables, load_rig_words
from stimuli.pack import open_pack
from tests.experiments.sheets.pdf_text import pages_of
from tests.participants.registry.people import Clock, session_of
from tests.small_packs import SMALL_PACKS

BLANK = re.compile(r"\{[^}]*\}")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    path = LabFolder.make().root / "lab.toml"
    text = path.read_text(encoding="utf-8").replace('contact = ""', 'contact = "Büro, 7. Stock"', 1)
    text = text.replace('pay = ""', 'pay = "Zwölf Euro →"')
    path.write_text(text, encoding="utf-8")
    return LabFolder.open()


def flat(text):
    """Return the words alone: a line may end anywhere, and bold words are strings of their own."""
    return re.sub(r"[\s*#_]|- ", "", text.replace(NO_BREAK_SPACE, " "))


@pytest.fixture(params=["accept_reject", "human_ai_team"])
def pack(request, mini_pack):
    return (
        open_pack(mini_pack) if request.param == "accept_reject" else SMALL_PACKS[request.param]()
    )


def test_consent_and_debrief_are_the_texts_of_the_screen(lab, pack):
    """Every paragraph, the lab's blanks filled in; what is signed is asked on the same page."""
    language, words = "de", load_rig_words("sheets.toml", "de")
    plan = plans_of(pack, language)[0]
    last = [one.text for one in plan.steps if isinstance(one, Page) and "debrief" in one.text]
    consent, debrief = (
        [flat(page) for page in pages_of(make(pack, lab, language, words))]
        for make in (consent_sheet, debrief_sheet)
    )
    assert last
    for pages, texts in ((consent, ["consent"]), (debrief, last)):
        said = "".join(pages)
        for text in texts:
            for part in BLANK.split(load_text(plan.text_folder, language, text).markdown):
                for paragraph in part.split("\n\n"):
                    assert flat(paragraph) in said, paragraph
        for word in ("signature_person", "place_date", "kept_apart"):
            assert flat(words[word]) in said
        assert "Büro,7.Stock" in said
    assert "ZwölfEuro→" in "".join(consent)
    asked = next(one for one in plan.steps if isinstance(one, Consent) and one.renewed)
    question = load_text(plan.text_folder, language, asked.text).markdown.split("\n\n")
    for page in debrief:
        if flat(words["signature_person"]) in page:
            assert all(flat(paragraph) in page for paragraph in question)


def test_each_arm_has_its_own_debrief_and_no_sheet_has_a_code(lab):
    pack = SMALL_PACKS["human_ai_team"]()
    words = load_rig_words("sheets.toml", "en")
    told = {
        tuple(step.text for step in plan.steps if isinstance(step, Page) and "debrief" in step.text)
        for plan in plans_of(pack, "en")
    }
    sheet = debrief_sheet(pack, lab, "en", words)
    assert sheet == debrief_sheet(pack, lab, "en", words)
    said = " ".join(pages_of(sheet))
    assert len(told) > 1
    assert f"version {len(told)} of {len(told)}" in said
    assert f"version {len(told) + 1}" not in said
    assert "CDF34HK" not in said


def test_the_key_card_is_one_page_with_every_chord(lab, pack):
    words = load_rig_words("sheets.toml", "en")
    (page,) = pages_of(key_card(pack, lab, "en", words))
    for chord in ("Ctrl + Shift + P", "Ctrl + Shift + X", "Ctrl + Shift + Enter ↵"):
        assert chord in page
    task = page.partition(words["keys_task"])[2]
    assert task.strip().removeprefix(words["keys_sides"])
    # As they stand on the screen, from left to right.
    keys = sorted(plans_of(pack, "en")[0].keys.values(), key="asdfghjkl".index)
    places = [task.index(f" {key.upper()} ") for key in keys]
    assert places == sorted(places)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_checklist_has_the_points_of_the_day_and_of_the_plates(lab, tmp_path, language):
    out = tmp_path / "list.pdf"
    assert main(["sheets", "checklist", "--out", str(out), "--language", language]) == 0
    said = flat(" ".join(pages_of(out.read_bytes())))
    tables = load_rig_tables("sheets.toml", ("morning", "person", "evening"), language)
    points = [text for part in tables.parts.values() for text in part.values()]
    for text in [*points, *load_checklist(language).items.values()]:
        for part in text.split("{distance}"):
            assert flat(part) in said


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_checklist_names_buttons_as_the_start_window_has_them(language):
    tables = load_rig_tables("sheets.toml", ("morning", "person", "evening"), language)
    text = " ".join(point for part in tables.parts.values() for point in part.values())
    window = load_rig_words("launch.toml", language).words.values()
    has = {re.sub(r"&|\s…$", "", PLACEHOLDER.sub("…", word)) for word in window}
    named = re.findall("[“„](.+?)[”“]", text)
    assert len(named) >= 10
    assert not set(named) - has
    assert "lab.py" not in text


def test_code_cards_and_labels_have_each_code_once(lab):
    codes = [new_code() for _ in range(25)]
    words = load_rig_words("sheets.toml", "de")
    cards = pages_of(card_sheet(codes, Issuer("Universität", "Büro"), words))
    labels = pages_of(label_sheet(codes))
    assert (len(cards), len(labels)) == (3, 2)
    for pages in (cards, labels):
        assert [" ".join(pages).count(code) for code in codes] == [1] * 25
    assert label_sheet(codes) == label_sheet(codes)
    assert qr_of(codes[0]).designator == "1-Q"


def test_codes_are_printed_for_those_who_have_not_begun(lab, tmp_path, capsys):
    registry = Registry.open(lab.registry_url, Clock())
    begun, fresh = registry.enrol("participant"), registry.enrol("participant")
    registry.enrol("participant", purpose="robot")
    registry.start_session(session_of(begun, role="participant"))
    out = tmp_path / "labels.pdf"
    assert main(["sheets", "labels", "--out", str(out)]) == 0
    assert pages_of(out.read_bytes()) == [fresh]
    images = ["sheets", "labels", begun.lower(), "--out", str(tmp_path / "codes"), "--images"]
    assert main([*images, "svg"]) == main([*images, "png"]) == 0
    assert {path.name for path in (tmp_path / "codes").iterdir()} == {
        f"{begun}.svg",
        f"{begun}.png",
    }
    assert main([*images, "gif"]) == 2
    assert main(["sheets", "cards", new_code(), "--out", str(out)]) == 2
    assert "is not in this registry" in capsys.readouterr().err


def test_a_receipt_is_for_what_is_due_and_its_stub_alone_has_the_code(lab, tmp_path, capsys):
    clock = Clock()
    registry = Registry.open(lab.registry_url, clock)
    codes = [registry.enrol("participant") for _ in range(4)]
    for code in codes:
        registry.start_session(session_of(code, f"{code}-1", role="participant"))
        clock.wait(1800)
        registry.finish_session(f"{code}-1")
    out = tmp_path / "receipts.pdf"
    assert main(["sheets", "receipts", "--out", str(out)]) == 2
    assert "nothing is due" in capsys.readouterr().err
    assert main(["sheets", "receipts", "--out", str(out), "--amount", "12.50"]) == 0
    said = pages_of(out.read_bytes())
    assert [page.count("12.50 EUR") for page in said] == [9, 3]
    assert [" ".join(said).count(code) for code in codes] == [1] * 4


def test_a_german_receipt_has_a_decimal_comma(lab):
    found = Account("CDF34HK", "s", "s-1", Clock().now.date(), "complete", 30, 1250, 0, "EUR", None)
    words = load_rig_words("sheets.toml", "de")
    (page,) = pages_of(receipt_sheet([replace(found, minutes=None)], Issuer("", ""), words))
    assert "12,50 EUR" in page
    assert "01.01.2026" in page
    assert "Minuten" not in page


def test_the_day_has_who_is_booked_that_day_by_code_and_nobody_else(lab, tmp_path):
    local = datetime(2126, 12, 3, 10).astimezone()
    with closing(Registry.of(lab)) as registry:
        codes = [registry.enrol("participant") for _ in range(3)]
        for number, code in enumerate(codes):
            book(registry, code, local + timedelta(hours=13 * number), "rig-1", 60, "study")
    out = tmp_path / "day.pdf"
    assert (
        main(["sheets", "day", "--out", str(out), "--day", "2126-12-03", "--language", "de"]) == 0
    )
    (page,) = pages_of(out.read_bytes())
    assert [code in page for code in codes] == [True, True, False]
    assert "10:00" in page
    assert "23:00" in page
    assert flat("Termine am 2126-12-03") in flat(page)
