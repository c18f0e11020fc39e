import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from participants.lab_settings import TERMS_TEXT
from participants.texts import (
    all_that_is_read,
    discloses,
    languages,
    load_question,
    load_text,
    load_words,
    named_sources,
    question_names,
    studies,
    text_names,
)
from participants.texts.folders import files_by_name, files_called
from participants.texts.load import PLACEHOLDER, fill, placeholders_in
from stimuli.errors import UserError

STUDY = "accept_reject"
ROOM = Path(__file__).parents[3] / "participants"
SHARED = ROOM / "texts" / "common"
LANGUAGES = languages(STUDY)
# What screens can draw: headings, paragraphs, bold, lists.
MARKDOWN_LINE = re.compile(r"(# \S.*|- \S.*|[^\s#>`*_<|-].*|\*\*\S.*|)")


def texts_of(study):
    return ROOM / "studies" / study / "texts"


def test_no_text_stands_twice():
    """What several studies show lies in the folder of what they share."""
    files = [*ROOM.glob("texts/*/*/*.*"), *ROOM.glob("studies/*/texts/*/*.*")]
    assert len(files) > 100
    count = Counter(path.read_bytes() for path in files)
    assert [text for text, times in count.items() if times > 1] == []


@pytest.mark.parametrize(
    ("language", "first", "then"),
    [
        (
            "en",
            "Taking part in this study",
            ["What you will", "What is rec", "You are free"],
        ),
        ("de", "Teilnahme an dieser Studie", ["Was Sie tun", "Was aufgezeichnet", "Sie können"]),
    ],
)
def test_every_consent_has_the_same_headings_in_the_same_order(language, first, then):
    forms = [*ROOM.glob(f"studies/*/texts/{language}/*consent.md")]
    forms += ROOM.glob(f"studies/*/texts/{language}/consent_texts.md")
    assert len(forms) >= len(studies())
    for form in forms:
        text = form.read_text(encoding="utf-8")
        assert re.findall(r"^# (.*)$", text, re.M) == [first], form
        bold = re.findall(r"^\*\*([^*]*)", text, re.M)
        assert [found for found in bold if found.startswith(tuple(then))] == [
            next(found for found in bold if found.startswith(one)) for one in then
        ], form


def entries_of(table):
    """Return words, questions and names of keys as pairs; a word twice in one study is no pair."""
    parts = [table, table.get("keys", {}), table.get("caps", {})]
    return {(name, str(entry)) for part in parts for name, entry in part.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_or_question_of_a_study_repeats_a_shared_one(language):
    for file in ("words.toml", "questions.toml"):
        common, *others = (
            tomllib.loads((folder / language / file).read_text(encoding="utf-8"))
            for folder in (SHARED, *map(texts_of, studies()))
        )
        for table in others:
            assert {name for name, _ in entries_of(table) & entries_of(common)} <= {"version"}


@pytest.mark.parametrize("study", [*studies(), "screening"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_questions_and_words(study, language):
    """Whole, in what screens can draw; nothing before the debrief names a machine or a method."""
    for name in text_names(study):
        text, english = (load_text(study, one, name) for one in (language, "en"))
        assert (text.version, text.placeholders) == (english.version, english.placeholders)
        assert re.fullmatch(r"\d+\.\d+", text.version)
        assert text.markdown.startswith("**" if name == TERMS_TEXT else "# ")
        assert text.markdown.count("**") % 2 == 0
        assert text.markdown.count("\n- ") == english.markdown.count("\n- ")
        assert [one for one in text.markdown.splitlines() if not MARKDOWN_LINE.fullmatch(one)] == []
        assert not re.search(r"[{}]", PLACEHOLDER.sub("", text.markdown))
    ours, english = load_words(study, language), load_words(study, "en")
    assert (set(ours.words), set(ours.keys)) == (set(english.words), set(english.keys))
    assert all(placeholders_in(ours[word]) == placeholders_in(english[word]) for word in ours.words)
    for name in question_names(study):
        question = load_question(study, language, name)
        assert list(question.choices) == list(load_question(study, "en", name).choices)
        assert question.text
        assert len({*question.choices.values(), ""}) == len(question.choices) + 1


BLIND = ("accept_reject", "accept_reject_accuracy", "progressive_reveal")


@pytest.mark.parametrize("study", BLIND)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_before_the_source_guess_names_a_machine_or_method(study, language):
    words = load_words(study, language)
    read = [*words.words.values(), *words.keys.values()]
    for name in text_names(study):
        read += [] if discloses(study, name) else [load_text(study, language, name).markdown]
    for name in question_names(study):
        if not discloses(study, name):
            question = load_question(study, language, name)
            read += [question.text, *question.choices.values()]
    assert [text for text in read if named_sources(text, language)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_word_list_finds_what_the_debrief_discloses(language):
    """The list can fail: the texts that may disclose are full of its words."""
    assert len(named_sources(load_text(STUDY, language, "debrief_people").markdown, language)) > 5
    assert named_sources(
        " ".join(load_question(STUDY, language, "source_guess").choices.values()), language
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The AI said so."),
        ("en", "an A.I. said"),
        ("en", "by two Models"),
        ("en", "computed automatically"),
        ("en", "a heat map"),
        ("en", "Grad-CAM"),
        ("en", "the machine-made answer"),
        ("de", "Die KI sagt"),
        ("de", "der KI-Vorschlag"),
        ("de", "des Modells"),
        ("de", "Künstliche Intelligenz"),
        ("de", "vom Rechner"),
        ("de", "neuronale Netze"),
        ("de", "maschinelles Lernen"),
        ("fr", "un algorithme"),
        ("fr", "le ChatGPT"),
    ],
)
def test_inflected_words_are_found(language, text):
    assert named_sources(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I aim again, said the captain of the maid"),
        ("en", "remodelled decimals"),
        ("de", "Kind, Kino und die Netzhaut; Skier"),
        ("de", "Wir erklären es am Ende."),
    ],
)
def test_other_words_are_left_alone(language, text):
    assert named_sources(text, language) == []


@pytest.mark.parametrize("language", ["fr", "../en", "..", ""])
def test_a_missing_language_is_one_line_with_those_there_are(language):
    with pytest.raises(UserError, match=rf"no texts in '{re.escape(language)}'; it has: de, en"):
        load_text(STUDY, language, "consent")


def test_what_is_shown_is_what_is_hashed():
    consent = load_text(STUDY, "en", "consent")
    values = {"minutes": "60", "terms": "A"}
    filled = consent.filled(values)
    assert "about 60\u00a0minutes" in filled.markdown
    assert not filled.placeholders
    assert filled.sha256 != consent.sha256
    assert filled.sha256 == consent.filled({**values, "unused": "x"}).sha256
    with pytest.raises(UserError, match=r"\{terms\} has no value"):
        consent.filled({"minutes": "60"})


def test_words_that_go_with_a_number_stand_in_the_singular_for_one():
    text = "{n}~{n:round|rounds} in {m}~{m:sitting|sittings}{m:| each}"
    assert placeholders_in(text) == {"n", "m"}
    assert fill(text, {"n": "1", "m": "3"}) == "1~round in 3~sittings each"
    assert fill(text, {"n": "20", "m": "1"}) == "20~rounds in 1~sitting"


@pytest.mark.parametrize("study", studies())
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_called_by_words_of_the_lab(study, language):
    """A participant does no trials, and the mark that is looked at is no cross."""
    read = all_that_is_read(study, language)
    assert re.findall(r"\b(?:[Tt]rials?|small cross|kleines Kreuz)\b", read) == []


def test_the_time_to_decide_is_told_before_it_may_be_asked_for():
    for study in ("accept_reject", "accept_reject_accuracy"):
        for language in LANGUAGES:
            for name in ("instructions", "practice"):
                assert "limit_seconds" in load_text(study, language, name).placeholders
            assert "seconds" in placeholders_in(load_words(study, language)["feedback_none"])


def own(folder, language, name, text, study=STUDY):
    path = folder / study / language / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return folder


def test_a_labs_own_text_stands_in_for_ours(tmp_path):
    own(tmp_path, "en", "consent.md", "---\r\nversion: 2.1\r\n---\r\n# Ours\r\n\r\nCafe\u0301\r\n")
    text = load_text(STUDY, "en", "consent", tmp_path)
    assert (text.version, text.markdown) == ("2.1", "# Ours\n\nCafé\n")
    assert load_text(STUDY, "en", "end", tmp_path) == load_text(STUDY, "en", "end")


def test_what_a_lab_says_in_all_studies_comes_after_its_own_for_one(tmp_path):
    text = "---\nversion: {}\n---\n# Rest\n"
    own(tmp_path, "en", "break.md", text.format("2.0"), "common")
    shown = [load_text(study, "en", "break", tmp_path).version for study in studies()]
    assert shown == ["2.0"] * len(studies())
    own(tmp_path, "en", "break.md", text.format("3.0"))
    shown = [load_text(study, "en", "break", tmp_path).version for study in studies()]
    assert shown == ["3.0", "2.0", "2.0", "2.0", "2.0"]


def test_a_labs_own_words_replace_a_whole_file_and_keep_the_others(tmp_path):
    shipped = load_words(STUDY, "en")
    common = (SHARED / "en" / "words.toml").read_text(encoding="utf-8")
    own(tmp_path, "en", "words.toml", common.replace('"Continue"', '"Onwards"'), "common")
    words = load_words(STUDY, "en", tmp_path)
    assert words.words == {**shipped.words, "continue": "Onwards"}
    assert (words.keys, words.caps) == (shipped.keys, shipped.caps)
    # A study's own words and questions stay its own.
    reveal = load_words("progressive_reveal", "en", tmp_path)
    assert reveal["continue"] == "Onwards"
    assert reveal["stop_for_now"].startswith("Stop for today.")
    own(tmp_path, "en", "words.toml", common.replace("{page}", "{x}"), "common")
    with pytest.raises(UserError, match=r"common.en.words\.toml: page_of: \{x\} has no value"):
        load_words(STUDY, "en", tmp_path)
    own(tmp_path, "en", "words.toml", 'agree = "Yes"\n', "common")
    with pytest.raises(UserError, match=r"lacks the words (.+, )?decline, "):
        load_words(STUDY, "en", tmp_path)


def test_words_of_a_labs_own_language_need_what_studies_share(tmp_path):
    shipped = (texts_of(STUDY) / "en" / "words.toml").read_text(encoding="utf-8")
    own(tmp_path, "xx", "words.toml", shipped)
    with pytest.raises(UserError, match=r"lacks the words (.+, )?agree, (.+, )?decline"):
        load_words(STUDY, "xx", tmp_path)
    common = (SHARED / "en" / "words.toml").read_text(encoding="utf-8")
    own(tmp_path, "xx", "words.toml", common.partition("[caps]")[0], "common")
    with pytest.raises(UserError, match=r"needs a table \[caps\]"):
        load_words(STUDY, "xx", tmp_path)
    own(tmp_path, "xx", "words.toml", common, "common")
    assert load_words(STUDY, "xx", tmp_path).words == load_words(STUDY, "en").words


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_found_together_as_they_are_one_by_one(tmp_path, language):
    own(tmp_path, language, "pause.md", "---\nversion: 1\n---\n# Ours\n", "common")
    own(tmp_path, language, "welcome.md", "---\nversion: 1\n---\n# Ours\n")
    found = files_by_name(STUDY, language, tmp_path)
    assert {"pause.md", "welcome.md", "words.toml"} <= set(found)
    for name, files in found.items():
        wanted = files_called(name, STUDY, language, tmp_path)
        assert list(files.items()) == list(wanted.items())


def test_each_study_says_which_of_its_texts_may_name_sources():
    may = {study: discloses(study, "source_which") for study in studies()}
    assert [study for study in studies() if may[study]] == ["accept_reject"]
    assert all(discloses(study, "debrief") for study in studies())
    assert all(discloses(study, "debrief_simulated") for study in studies())
    assert not any(discloses(study, "consent") for study in studies())


def test_a_labs_own_language_is_a_folder(tmp_path):
    own(tmp_path, "ar", "end.md", "---\nversion: 1.0\n---\n# شكرا\n")
    assert languages(STUDY, tmp_path) == ("ar", "de", "en")
    assert load_text(STUDY, "ar", "end", tmp_path).markdown == "# شكرا\n"
    every = r"'ar' lack away\.md, .*consent\.md, .*pause\.md, .*questions\.toml, .*words\.toml$"
    with pytest.raises(UserError, match=every):
        load_text(STUDY, "ar", "consent", tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("consent", "# No version\n", "must begin with the lines"),
        (
            "consent",
            "---\nversion: 1\n---\n# About our AI\n",
            "names 'AI', which participants",
        ),
    ],
)
def test_a_labs_own_text_must_keep_the_rules(tmp_path, name, text, message):
    own(tmp_path, "en", f"{name}.md", text)
    with pytest.raises(UserError, match=message):
        load_text(STUDY, "en", name, tmp_path)


def test_keys_have_names():
    words = load_words(STUDY, "en")
    for name, said in (
        (words.key("f"), "the F key"),
        (words.key("space"), "the space bar"),
        (words.key("left", "mouse"), "the left mouse button"),
        (words.key("left"), "the left arrow key"),
    ):
        assert name == said.replace(" ", "\N{NO-BREAK SPACE}")
    assert words.filled("progress", done="3", total="9") == "3 of 9 plates done"


def test_a_word_of_a_studys_own_never_replaces_a_shared_one_unsaid(tmp_path):
    """`agree` of a study's own replaced the words on the consent's button."""
    shipped = (texts_of(STUDY) / "en" / "words.toml").read_text(encoding="utf-8")
    ours = 'agree = "Do they agree?"\n'
    own(tmp_path, "en", "words.toml", ours + shipped)
    with pytest.raises(UserError, match=r"words\.toml: agree is a word that all .* \[shared\]"):
        load_words(STUDY, "en", tmp_path)
    own(tmp_path, "en", "words.toml", f"{shipped}\n[shared]\n{ours}")
    words = load_words(STUDY, "en", tmp_path)
    assert (words["agree"], words["title"]) == ("Do they agree?", "Plates")
