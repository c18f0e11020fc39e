"""Ten languages through two studies: texts are set as a browser sets them, or refused in one line.

Fonts that DejaVu Sans doesn't replace, and chromium, must be installed (docs/scripts.md); otherwise
these tests are skipped. ``PLAINSIGHT_LANGUAGES=DIR`` keeps pictures of both, to look at.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from experiments.screens.fitting import Room, fitted
from experiments.screens.look import Look
from experiments.studies.simulatability.inputs import text_blocks
from experiments.studies.simulatability.pieces import Type
from participants.folder import LabFolder
from stimuli.errors import UserError
from stimuli.typeface import font_file, read_font
from tests.experiments.windows.session_lab import HASTY
from tests.slow.browser import CHROMIUM, Browser
from tests.xai_backend.given import write_rows
from xai_backend.cli import main as builder
from xai_backend.studies.simulatability.text_data import sentence_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.window,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium isn't installed"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

CJK, DEVANAGARI = "NotoSansCJK-Regular.ttc", "NotoSansDevanagari-Regular.ttf"
PARTS = {
    "en": (("The film", "The music", "The ending"),
           (" was very good, and we laughed a lot.", " is great: 9.5 of 10!"),
           (" was boring; I left after 20 minutes.", " isn’t worth the money (12 €)."), ""),
    "de": (("Der Film", "Der Schluss", "Der Anfang"),
           (" war großartig, und wir haben viel gelacht.", " ist schön: „9,5 von 10“!"),
           (" war langweilig; ich ging nach 20 Minuten.", " ist das Geld (12 €) nicht wert."), ""),
    "fr": (("La musique", "La fin", "La scène"),
           (" était très réussie, n’est-ce pas ?", " est géniale : « 9,5 sur 10 » !"),
           (" m’a beaucoup ennuyé ; je suis parti après 20 minutes.", " ne vaut pas 12 €."), ""),
    "ru": (("Фильм", "Сюжет", "Конец"),
           (" был очень хорош, и мы много смеялись.", " отличный: «9,5 из 10»!"),
           (" был скучен; я ушёл через 20 минут.", " не стоит своих денег (12 €)."), ""),
    "el": (("Η ταινία", "Η μουσική", "Η αρχή"),
           (" ήταν πολύ καλή και γελάσαμε πολύ.", " είναι υπέροχη: «9,5 στα 10»!"),
           (" ήταν βαρετή· έφυγα μετά από 20 λεπτά.", " δεν αξίζει τα λεφτά της (12 €)."), ""),
    "zh": (("这部电影", "电影的音乐", "故事的结尾"),
           ("非常好看，我们笑了很多次。", "很棒：“9.5分”！我还想再看一遍。"),
           ("太无聊了；我看了20分钟就走了。", "不值这个价钱（12欧元）。"), CJK),
    "ja": (("この映画", "映画の音楽", "物語の結末"),
           ("はとても良かったです。みんなでたくさん笑いました。", "は最高：「10点中9.5点」！"),
           ("は退屈でした。20分で帰りました。", "はお金（12ユーロ）の価値がありません。"), CJK),
    "hi": (("फ़िल्म", "कहानी", "शुरुआत"),
           (" बहुत अच्छी थी, और हम ख़ूब हँसे।", " शानदार है: “10 में से 9.5”!"),
           (" उबाऊ थी; मैं 20 मिनट बाद चला गया।", " पैसे (12 €) के लायक नहीं है।"), DEVANAGARI),
    "ar": (("الفيلم", "المشهد", "العرض"),
           (" كان جيدًا جدًا، وضحكنا كثيرًا.", " رائع: «9.5 من 10»!"),
           (" كان مملًا؛ خرجت بعد 20 دقيقة.", " لا يستحق ثمنه (12 €)."), ""),
    "he": (("הסרט", "הסיפור", "הסוף"),
           (" היה טוב מאוד, וצחקנו הרבה.", " נהדר: 9.5 מתוך 10!"),
           (" היה משעמם; יצאתי אחרי 20 דקות.", " לא שווה את הכסף (12 €)."), ""),
}  # fmt: skip
"""By language: subjects, what is good of them, what is bad, and the font (empty: DejaVu Sans)."""
LEFTWARDS = ("ar", "he")
WIDTHS_PX = (330, 480, 640)
SIZE_PX = 30
MOST_ELSEWHERE = 0.25
"""Share of texts with another break at the same width, for words that just fit: widths are whole
pixels here. All breaks are where the browser could break, too."""


def sentences(language):
    """Twelve sentences with their labels."""
    subjects, good, bad, _ = PARTS[language]
    labelled = [(end, "good") for end in good] + [(end, "bad") for end in bad]
    return [(f"{begin}{end}", label) for end, label in labelled for begin in subjects]


@pytest.fixture(params=PARTS)
def language(request):
    try:
        if name := PARTS[request.param][3]:
            read_font(name)
    except UserError as missing:
        pytest.skip(str(missing))
    return request.param


def fonts_of(language):
    """The font files: the typeface, and that of the language if it needs one."""
    from PIL import ImageFont

    name = PARTS[language][3]
    others = [Path(str(ImageFont.truetype(name, 20).path))] if name else []
    return [font_file("regular"), *others]


def look_of(language):
    fonts = tuple(path.read_bytes() for path in fonts_of(language)[1:])
    return Look((1920, 1080), (30, 30, 30), language, fonts)


def packed(text):
    """Without blanks, which a browser leaves at the end of a line."""
    return "".join(text.split())


def token_lines(look, text, width_px):
    """Lines of a sentence whose words are its tokens."""
    blocks = text_blocks(Type(look, SIZE_PX), sentence_in({"text": text}, "text"), width_px)
    return [
        packed("".join(one.text for one in sorted(block.pieces, key=lambda one: one.area[0])))
        for block in blocks
    ]


def ends_of(lines):
    """Return after how many signs, without blanks, lines end."""
    return set(np.cumsum([len(packed(line)) for line in lines]).tolist())


def compared(ours, browsers):
    """Return the largest correlation of two pictures of a line; ink is above 0."""
    cut = []
    for ink in (ours, browsers):
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        own = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        cut.append(Image.fromarray(own.astype(np.uint8)))
    assert 0.97 < cut[0].width / cut[1].width < 1.03
    size = (cut[1].width, max(one.height for one in cut))
    first, second = (
        gaussian_filter(np.asarray(one.resize(size)).astype(float), 2).ravel() for one in cut
    )
    return float(np.corrcoef(first, second)[0, 1])


def ink_of(look, line, direction):
    canvas = Image.new("L", (1600, 64))
    draw, font = ImageDraw.Draw(canvas), look.font(SIZE_PX)
    draw.text((20, 32), line, fill=255, font=font, anchor="lm", direction=direction)
    return np.asarray(canvas)


def test_lines_break_where_a_browser_breaks_them_and_look_alike(language, tmp_path):
    look, texts = look_of(language), [text for text, _ in sentences(language)]
    browser = Browser(tmp_path, fonts_of(language), language)
    places = dict(zip(texts, map(ends_of, browser.lines(texts, 1, SIZE_PX)), strict=True))
    differing, total = [], 0
    for width in WIDTHS_PX:
        wanted = browser.lines(texts, width, SIZE_PX)
        for text, lines in zip(texts, wanted, strict=True):
            shown = [list(map(packed, fitted_lines(look, text, width)))]
            if language not in LEFTWARDS:
                shown.append(token_lines(look, text, width))
            total += len(shown)
            for one in shown:
                assert ends_of(one) <= places[text], (one, text)
            differing += [(width, one, lines) for one in shown if one != [*map(packed, lines)]]
    print(f"{language}: {len(differing)} of {total} texts break elsewhere")
    keep(f"{language}.json", json.dumps(differing, ensure_ascii=False, indent=1).encode())
    likeness = []
    direction = "rtl" if language in LEFTWARDS else None
    for text, picture in zip(texts, browser.pictures(texts, SIZE_PX), strict=True):
        ours = ink_of(look, text, direction)
        likeness.append(compared(ours, 255 - picture))
        keep(f"{language}-{len(likeness):02d}.png", both(255 - ours, picture))
    print(f"{language}: likeness {min(likeness):.2f} to {max(likeness):.2f}")
    assert min(likeness) > 0.8
    assert len(differing) <= MOST_ELSEWHERE * total


def fitted_lines(look, text, width_px):
    room = Room(width_px, 20, SIZE_PX, SIZE_PX)
    return fitted(look, text, room, balanced=False).lines


def both(ours, browsers):
    """Return a PNG of two pictures of a line, one above the other."""
    stream = io.BytesIO()
    Image.fromarray(np.vstack([ours, browsers])[:, :1100]).save(stream, format="PNG")
    return stream.getvalue()


def keep(name, data):
    if folder := os.environ.get("PLAINSIGHT_LANGUAGES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_bytes(data)


COMMON = 'schema = "protocol/1.0"\nname = "language"\nfonts = [{fonts}]\nlanguages = ["en"]\n'
TEAM = (
    COMMON
    + """study = "human_ai_team"
[help]
arms = ["confidence", "rationale"]
[bins]
per_bin = 2
sheets = 4
trials_per_sheet = 12
[validation]
trials = 4
right_trials = 2
pass_right = 3
[session]
practice_trials = 2
[analysis]
replicates = 20
"""
)
CASES = (
    COMMON
    + """study = "simulatability"
[design]
domains = ["text"]
methods = ["shap", "no_explanation"]
tests = ["forward"]
first_test = "forward"
[items]
learning = 4
per_test = 16
[analysis]
replicates = 100
published_replicates = 100
"""
)


def write_lab(folder, language):
    """Write both studies' tables and protocols: the sentences, numbered, with recorded answers."""
    name = PARTS[language][3]
    fonts = f'"{name}"' if name else ""
    (folder / "human_ai_team.toml").write_text(TEAM.format(fonts=fonts), encoding="utf-8")
    (folder / "simulatability.toml").write_text(CASES.format(fonts=fonts), encoding="utf-8")
    texts, answers, outputs, weights = [], [], [], []
    for number in range(120):
        text, label = sentences(language)[number % 12]
        text = f"{text} ({number + 1})"
        given = label if number // 12 % 2 else {"good": "bad", "bad": "good"}[label]
        item, sure = f"t{number}", (0.2, 0.5, 0.9)[number // 24 % 3]
        texts.append({"item": item, "text": text, "label": label})
        answers.append({"item": item, "answer": given, "confidence": sure, "rationale": text})
        outputs.append({"id": item, "text": text, "label": given, "output": label,
                        "probability": "0.8"})  # fmt: skip
        token = sentence_in({"text": text}, "text").tokens[0]
        weights.append({"id": item, "part": token, "weight": "1.5" if label == "good" else "-1.5"})
    write_rows(folder / "texts.csv", texts)
    write_rows(folder / "answers.csv", answers)
    write_rows(folder / "outputs.csv", outputs)
    write_rows(folder / "shap.csv", weights)
    return {
        "human_ai_team": ["--source", "texts.csv", "--answers", "answers.csv"],
        "simulatability": ["--text-outputs", "outputs.csv", "--explanations", "shap=shap.csv"],
    }


ROBOTS = {"human_ai_team": "careful", "simulatability": "practice"}


@pytest.mark.parametrize("study", ROBOTS)
def test_a_session_shows_the_language_or_build_refuses_its_script(
    study, language, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    LabFolder.make()
    options = write_lab(tmp_path, language)[study]
    code = builder(["build", study, "--protocol", f"{study}.toml", *options, "--out", "pack"])
    told = capsys.readouterr().err.strip().splitlines()
    if study == "simulatability" and language in LEFTWARDS:
        assert code == 2
        assert "is written from right to left" in told[-1], told
        return
    assert code == 0, told
    shots = tmp_path / "shots"
    words = ["run", "pack", "--robot", ROBOTS[study], "--screenshots", shots, "--seed", "3"]
    session = [sys.executable, HASTY, *words, "--size", "1280x720"]
    ran = subprocess.run(session, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    pictures = sorted(shots.rglob("*.png"))
    assert pictures
    for path in pictures:
        keep(f"{language}-{study}-{path.name}", path.read_bytes())
