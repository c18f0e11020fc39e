"""Numbers as a language writes them."""

from typing import Final

DECIMAL_COMMA: Final = ("de",)


def written_number(value: float, language: str) -> str:
    """Return a number as it stands in a text, without needless zeros: 2.5, or 2,5 in German."""
    text = f"{value:g}"
    return text.replace(".", ",") if has_decimal_comma(language) else text


def has_decimal_comma(language: str) -> bool:
    """Return whether a language writes a comma before decimals."""
    return language.partition("-")[0] in DECIMAL_COMMA
