"""The answer field: editing like a plain list of characters, answers only where one is chosen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.session.typed_line import LONGEST, Entered, Line, Refused
from participants.studies.progressive_reveal.entry import AnswerEntry, Confirmed, CopyEntry
from stimuli.studies.progressive_reveal.classes import Classes, ClassName

NAMES = (
    ClassName("ambulance", "Krankenwagen", ("Ambulanz",)),
    ClassName("bear", "Braunbär", ("Bär",)),
    ClassName("school_bus", "Schulbus", ()),
    ClassName("ship", "Schiff", ("Kutter",)),
    ClassName("castle", "Schloss", ("Burg",)),
    ClassName("car", "Auto", ("Wagen",)),
    ClassName("sled", "Autoschlitten", ()),
)
CLASSES = Classes(tuple(sorted(NAMES, key=lambda one: one.name)))
EDITS = ("backspace", "delete", "left", "right", "home", "end", "up", "down", "escape")


def typed(entry, text, at_s=1.0):
    """Type letter by letter, a tenth of a second each; return what each key brought."""
    return [
        entry.take(Entered(at_s + 0.1 * place, sign, "text", sign))[1]
        for place, sign in enumerate(text)
    ]


def edit(entry, name, at_s=5.0):
    return entry.take(Entered(at_s, name, "edit", name))


def field_of(text="", most=6):
    entry = AnswerEntry(CLASSES, most)
    typed(entry, text)
    return entry


def shown(entry):
    return [one.class_id for one in entry.state.suggestions]


@given(st.lists(st.one_of(st.sampled_from(EDITS), st.characters(codec="utf-8")), max_size=40))
def test_the_line_is_edited_as_a_list_of_characters_would_be(events):
    line, signs, at = Line(), [], 0
    for event in events:
        if event in EDITS:
            line = line.edited(event)
            if event == "backspace" and at:
                at -= 1
                del signs[at]
            elif event == "delete":
                del signs[at : at + 1]
            elif event in ("left", "right"):
                at = min(max(0, at + (1 if event == "right" else -1)), len(signs))
            elif event in ("home", "end"):
                at = 0 if event == "home" else len(signs)
            elif event == "escape":
                signs, at = [], 0
        else:
            before = list(unicodedata.normalize("NFC", "".join(signs[:at]) + event))
            if len(before) + len(signs) - at <= LONGEST:
                line = line.typed(event)
                signs, at = before + signs[at:], len(before)
        assert (line.text, line.caret) == ("".join(signs), at)


def test_no_more_is_taken_than_fits():
    full = Line("x" * LONGEST, 3)
    assert full.typed("y") == full
    nearly = Line("x" * (LONGEST - 2), 1)
    assert nearly.typed("abc") == Line("xab" + "x" * (LONGEST - 3), 3)
    assert nearly.typed("a\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}").text.startswith(
        "xax"
    )
    assert Line("q" * LONGEST, 1).typed("\N{COMBINING DOT ABOVE}") == Line("q" * LONGEST, 1)


def test_every_keystroke_is_told_with_its_time_and_the_field_after_it():
    entry = AnswerEntry(CLASSES, 6)
    told = [
        entry.take(Entered(1.0, "s", "text", "S"))[0],
        entry.take(Entered(1.2, "semicolon", "text", "ö"))[0],
        entry.take(Entered(1.3, "left", "edit", "left"))[0],
        entry.take(Entered(1.4, "backspace", "edit", "backspace"))[0],
        entry.take(Entered(1.5, "down", "edit", "down"))[0],
    ]
    assert [(one.t_s, one.key, one.text, one.entry, one.caret) for one in told] == [
        (1.0, "s", "S", "S", 1),
        (1.2, "semicolon", "ö", "Sö", 2),
        (1.3, "left", "", "Sö", 1),
        (1.4, "backspace", "", "ö", 0),
        (1.5, "down", "", "ö", 0),
    ]


def test_suggestions_narrow_with_each_letter_and_widen_with_backspace():
    entry = field_of("sch")
    assert shown(entry) == ["ship", "castle", "school_bus"]
    typed(entry, "l")
    assert shown(entry) == ["castle"]
    edit(entry, "backspace")
    assert shown(entry) == ["ship", "castle", "school_bus"]


def test_enter_confirms_nothing_while_several_names_fit():
    entry = field_of("sch")
    keystroke, refused = edit(entry, "return")
    assert refused == Refused(5.0, "choose")
    assert (keystroke.entry, keystroke.caret) == ("sch", 3)
    assert shown(entry) == ["ship", "castle", "school_bus"]


@pytest.mark.parametrize(("text", "reason"), [("", "empty"), ("  ", "empty"), ("xy", "unknown")])
def test_enter_without_a_name_that_fits_says_why_it_confirms_nothing(text, reason):
    assert edit(field_of(text), "return")[1] == Refused(5.0, reason)


def test_the_only_name_left_is_confirmed_by_enter():
    entry = field_of("schl")
    _, answer = edit(entry, "return")
    assert answer == Confirmed(5.0, 1.0, "Schloss", "castle", "keyboard", "return")
    assert entry.state.line == Line()


def test_one_line_shown_of_several_that_fit_is_no_choice():
    entry = field_of("sch", most=1)
    assert shown(entry) == ["ship"]
    assert edit(entry, "return")[1] == Refused(5.0, "choose")


def test_a_whole_name_or_alias_is_confirmed_though_others_begin_so():
    for text, class_id in (("auto", "car"), ("AUTO ", "car"), ("bar", "bear"), ("Wagen", "car")):
        entry = field_of(text)
        assert shown(entry)[0] == class_id
        assert edit(entry, "return")[1].class_id == class_id


def test_arrows_choose_round_and_round_and_more_text_chooses_anew():
    entry = field_of("sch")
    chosen = []
    for name in ("down", "down", "down", "down", "up", "up"):
        edit(entry, name)
        chosen.append(entry.state.choice.class_id)
    assert chosen == ["ship", "castle", "school_bus", "ship", "school_bus", "castle"]
    typed(entry, "u")
    assert entry.state.choice.class_id == "school_bus"
    edit(entry, "backspace")
    assert entry.state.choice is None


def test_a_click_on_a_suggestion_confirms_it():
    entry = field_of("sch")
    click = Entered(2.0, "left", "click", "ship", "mouse")
    keystroke, answer = entry.take(click)
    assert answer == Confirmed(2.0, 1.0, "Schiff", "ship", "mouse", "left")
    assert (keystroke.key, keystroke.entry) == ("click", "")


def test_a_click_on_what_is_not_suggested_confirms_nothing():
    entry = field_of("sch")
    assert entry.take(Entered(2.0, "left", "click", "car", "mouse"))[1] is None
    assert entry.state.line.text == "sch"


def test_tab_completes_the_text_and_confirms_nothing():
    entry = field_of("sch")
    keystroke, answer = edit(entry, "tab")
    assert (keystroke.entry, keystroke.caret, answer) == ("Schiff", 6, None)
    assert edit(entry, "return")[1].class_id == "ship"
    other = field_of("sch")
    edit(other, "down")
    edit(other, "down")
    assert edit(other, "tab")[0].entry == "Schloss"


def test_the_first_key_is_that_by_which_the_field_stopped_being_empty():
    entry = field_of("sx")
    edit(entry, "backspace", 2.0)
    typed(entry, "chl", at_s=3.0)
    assert edit(entry, "return")[1].first_key_s == 1.0
    typed(entry, "a", at_s=6.0)
    edit(entry, "backspace", 6.5)
    typed(entry, "auto", at_s=7.0)
    assert edit(entry, "return", 8.0)[1].first_key_s == 7.0


def test_a_word_is_copied_when_it_stands_there_whole():
    entry = CopyEntry("Braunbär")
    for sign in "braunbär":
        entry.take(Entered(1.0, sign, "text", sign))
    assert entry.take(Entered(2.0, "return", "edit", "return"))[1:] == (None, True)


@pytest.mark.parametrize(("text", "reason"), [("", "empty"), ("Braunbar", "differs")])
def test_another_word_is_no_copy(text, reason):
    entry = CopyEntry("Braunbär")
    for sign in text:
        entry.take(Entered(1.0, sign, "text", sign))
    refused = Refused(2.0, reason)
    assert entry.take(Entered(2.0, "return", "edit", "return"))[1:] == (refused, False)
    for sign in ("backspace", "backspace"):
        keystroke = entry.take(Entered(3.0, sign, "edit", sign))[0]
    assert keystroke.entry == text[:-2]


def test_an_accent_that_comes_by_itself_joins_its_letter():
    assert Line("Ba", 2).typed("\u0308") == Line("B\u00e4", 2)


def test_the_first_arrow_leaves_what_is_chosen_already():
    entry = field_of("auto")
    assert entry.state.choice.class_id == "car"
    edit(entry, "down")
    assert entry.state.choice.class_id == "sled"
    edit(entry, "down")
    assert entry.state.choice.class_id == "car"


def test_arrows_sideways_keep_what_the_others_chose():
    entry = field_of("sch")
    for name in ("down", "down", "left", "home", "end"):
        edit(entry, name)
    assert edit(entry, "return")[1].class_id == "castle"


def test_after_an_answer_the_next_begins_with_an_empty_field():
    entry = field_of("auto")
    edit(entry, "return")
    assert (entry.state.line, shown(entry)) == (Line(), [])
    typed(entry, "burg", at_s=6.0)
    assert edit(entry, "return", 7.0)[1] == Confirmed(
        7.0, 6.0, "Schloss", "castle", "keyboard", "return"
    )
