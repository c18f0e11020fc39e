"""Keys that a protocol may name.

The keyboard's queue names a key by its place (Linux, macOS) or by what the layout makes of it
(Windows). A, M, Q, W, Y, Z and all signs lie in different places on QWERTY, QWERTZ and AZERTY
keyboards: a screen would name a key that doesn't answer. The other letters and the digits have one
place and one label. Keyboards for other scripts, such as Russian, show these Latin letters too.
"""

from typing import Annotated, Final

from pydantic import AfterValidator

LETTERS: Final = "bcdefghijklnoprstuvx"
DIGITS: Final = "0123456789"
KEYS: Final = frozenset(LETTERS + DIGITS)
"""Names of the keys that mean the same on every keyboard."""
PAGE_KEYS: Final = frozenset({"space", "return", "left", "right"})
"""Keys that turn pages and confirm answers."""


def _same_everywhere(name: str) -> str:
    """Return the name of a key in lower case; ValueError if keyboards differ, or pages use it."""
    key = name.casefold()
    if key not in KEYS:
        raise ValueError(
            f"must be a key that is the same on every keyboard, and that no page uses: "
            f"{' '.join(LETTERS)}, or a digit above the letters"
        )
    return key


def _of_protocols_or_pages(name: str) -> str:
    key = name.casefold()
    return key if key in PAGE_KEYS else _same_everywhere(name)


Key = Annotated[str, AfterValidator(_same_everywhere)]
"""A key of a protocol, by the name that the keyboard reports."""
PadKey = Annotated[str, AfterValidator(_of_protocols_or_pages)]
"""A key that a button of a response pad may stand for: a protocol's, or one that pages use."""
