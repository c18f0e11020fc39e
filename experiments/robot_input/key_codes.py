"""Which code of an X keyboard types what; codes that nothing uses are lent to what has none."""

from collections.abc import Iterable
from typing import Any, Final

from stimuli.errors import UserError

KEYSYMS: Final = {
    "space": "space",
    "return": "Return",
    "escape": "Escape",
    "backspace": "BackSpace",
    "left": "Left",
    "right": "Right",
    "up": "Up",
    "down": "Down",
    "delete": "Delete",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "lctrl": "Control_L",
    "lshift": "Shift_L",
    "altgr": "ISO_Level3_Shift",
}
UNICODE_KEYSYMS: Final = 0x01000000
"""Added to the code of a character beyond Latin-1."""


class KeyCodes:
    """Finds the code of a key, or makes one for a character that no key brings by itself.

    Parameters
    ----------
    display
        The connection to the X server.
    """

    def __init__(self, display: Any) -> None:
        from Xlib import XK

        XK.load_keysym_group("xkb")
        self._display = display
        self._keysym_of_name = XK.string_to_keysym
        self._learned: dict[str, int] = {}
        self._spare: list[int] | None = None

    def code_of(self, key: str) -> int:
        """Return the code of a named key or of a character; raises as `learn`."""
        if self._at_hand(key) is None:
            self.learn(key)
        return self._at_hand(key) or 0

    def learn(self, letters: Iterable[str]) -> None:
        """Make a key for each character that no key brings by itself.

        Raises
        ------
        UserError
            If the keyboard has no unused code left.
        """
        for letter in letters:
            if self._at_hand(letter) is None:
                spare = self._spare_codes()
                if not spare:
                    raise UserError(f"robot: this keyboard has no key left for {letter!r}")
                code = self._learned[letter] = spare.pop()
                self._map(code, self._keysym(letter))
        self._display.sync()

    def unlearn(self) -> None:
        """Give the codes back."""
        for code in self._learned.values():
            self._map(code, 0)
        self._learned.clear()
        self._display.sync()

    def _at_hand(self, key: str) -> int | None:
        """Return the code of a key that is pressed by itself; None if a character has none."""
        if key in self._learned:
            return self._learned[key]
        codes = list(self._display.keysym_to_keycodes(self._keysym(key)))
        alone = next((code for code, level in codes if level == 0), None)
        if len(key) == 1:
            return alone
        return alone or (codes[0][0] if codes else 0)

    def _keysym(self, key: str) -> int:
        if key not in KEYSYMS and len(key) == 1:
            code = ord(key)
            return code if code < 0x100 else UNICODE_KEYSYMS + code
        return self._keysym_of_name(KEYSYMS.get(key, key))

    def _spare_codes(self) -> list[int]:
        if self._spare is None:
            info = self._display.display.info
            first, last = info.min_keycode, info.max_keycode
            rows = self._display.get_keyboard_mapping(first, last - first + 1)
            self._spare = [code for code, row in enumerate(rows, first) if not any(row)]
        return self._spare

    def _map(self, code: int, keysym: int) -> None:
        # On both levels, else a lone capital letter would be taken for the shifted one.
        self._display.change_keyboard_mapping(code, [(keysym, keysym)])
