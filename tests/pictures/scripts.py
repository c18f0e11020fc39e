"""A sentence in each script, as screens show it.

Fonts that DejaVu Sans doesn't replace must be installed: on Debian, ``apt-get install
fonts-noto-core fonts-noto-cjk``.
"""

from typing import Final

from experiments.screens.headed import text_layers
from experiments.screens.look import Look
from stimuli.typeface import read_font
from tests.pictures.made import Workshop
from tests.pictures.saved import PICTURES, save

SIZE_PX: Final = (1280, 720)
GROUND: Final = (30, 30, 30)
CJK: Final = "NotoSansCJK-Regular.ttc"
SENTENCES: Final = {
    "latin": ("Der Film war großartig, n’est-ce pas? Ładny koniec!", ""),
    "greek": ("Η ταινία ήταν καλή, αλλά το τέλος ήταν αργό.", ""),
    "cyrillic": ("Фильм был хорош, но конец слишком длинный.", ""),
    "armenian": ("Ֆիլմը լավն էր, բայց վերջը երկար էր։", ""),
    "georgian": ("ფილმი კარგი იყო, მაგრამ დასასრული გრძელი.", ""),
    "hebrew": ("הסרט היה טוב מאוד, אבל הסוף (3.5 דקות) היה איטי.", ""),
    "arabic": ("كان الفيلم جيدًا جدًا، لكن النهاية (3.5 دقائق) كانت بطيئة.", ""),
    "chinese": ("这部电影很好看。我喜欢“它”的结尾，可是情节太慢！", CJK),
    "japanese": ("この映画「君の名は。」はとても良かったです。", CJK),
    "korean": ("영화는 좋았지만 결말이 너무 길었다.", CJK),
    "devanagari": ("फ़िल्म बहुत अच्छी थी, लेकिन अंत थोड़ा धीमा था।", "NotoSansDevanagari-Regular.ttf"),
    "bengali": ("ছবিটি খুব ভালো ছিল, কিন্তু শেষটা ধীর।", "NotoSansBengali-Regular.ttf"),
    "gujarati": ("ફિલ્મ ખૂબ સારી હતી, પણ અંત ધીમો હતો.", "NotoSansGujarati-Regular.ttf"),
    "tamil": ("படம் நன்றாக இருந்தது, ஆனால் முடிவு மெதுவாக இருந்தது.", "NotoSansTamil-Regular.ttf"),
    "telugu": ("సినిమా చాలా బాగుంది, కానీ ముగింపు నెమ్మదిగా ఉంది.", "NotoSansTelugu-Regular.ttf"),
    "ethiopic": ("ፊልሙ ጥሩ ነበር፣ መጨረሻው ግን ዘገምተኛ ነበር።", "NotoSansEthiopic-Regular.ttf"),
}
"""By the picture's name: a sentence, and the font that has its signs (empty: DejaVu Sans)."""


def write_scripts(_: Workshop) -> None:
    """Write a picture of each sentence."""
    for name, (sentence, font) in SENTENCES.items():
        look = Look(SIZE_PX, GROUND, "en", (read_font(font),) if font else ())
        (panel,) = text_layers(look, (0, 0, look.px(1.0), look.px(0.1)), sentence)
        save(panel.pixels, PICTURES / "scripts" / f"{name}.webp")
