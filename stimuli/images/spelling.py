"""What two spellings of one word share."""

import unicodedata
from typing import Final

# Letters that Unicode doesn't take apart into a plain one and an accent.
_UNACCENTED: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def folded(text: str) -> str:
    """Return what two spellings of one word share: no case, no accents, plain blanks.

    Signs between words (hyphen, apostrophe, underscore) count as blanks; blanks around the
    text and a second one after another are dropped. ä is a, ß is ss.
    """
    apart = unicodedata.normalize("NFKD", text.casefold()).translate(_UNACCENTED)
    plain = "".join(sign for sign in apart if not unicodedata.combining(sign)).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in plain).split())
