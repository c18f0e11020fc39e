"""Pseudonymous codes: random, without order, and with a check against typing errors.

A code has seven signs, six random ones and a check sign, from 23 signs no two of which look
alike. As a number modulo the prime 23 each sign is weighted by its place (1 to 7); the weighted
sum of a valid code is 0. Changing one sign changes the sum by weight × difference, swapping
two signs by difference of weights × difference of signs; both are products of numbers that
23 doesn't divide. So every single wrong sign and every swap of two different signs, neighbours
or not, is caught. (Weighted modulus as in ISBN-10; ISO/IEC 7064 names the same family.)
"""

import secrets
from typing import Final

from stimuli.errors import UserError

# No vowels, so no words; none of 0/O/D, 1/I/L, 2/Z, 5/S, 6/G, 8/B, U/V twice.
LETTERS: Final = "CDFHJKMNPQRSTWXYZ"
SIGNS: Final = "346789" + LETTERS
LENGTH: Final = 7


def new_code() -> str:
    """Return a random code: seven signs, the last of them the check sign.

    The first is a letter, so that no table program takes a code for a number. There are
    109 million codes.
    """
    body = secrets.choice(LETTERS) + "".join(secrets.choice(SIGNS) for _ in range(LENGTH - 2))
    return body + check_sign(body)


def check_sign(body: str) -> str:
    """Return the check sign of a code's first six signs."""
    # The last weight is 7; its inverse modulo 23 is 10, since 7 · 10 = 3 · 23 + 1.
    return SIGNS[-_weighted_sum(body) * 10 % len(SIGNS)]


def check_code(typed: str) -> str:
    """Return a code as it is stored, from what somebody typed.

    Lower case, spaces and hyphens are forgiven.

    Raises
    ------
    UserError
        If it can't be a code: a sign is wrong, or two were swapped.
    """
    code = "".join(typed.split()).replace("-", "").upper()
    well_formed = len(code) == LENGTH and set(code) <= set(SIGNS)
    if not well_formed or _weighted_sum(code) % len(SIGNS) != 0:
        raise UserError(f"{typed!r} is not a participant code; check it for typing errors")
    return code


def _weighted_sum(signs: str) -> int:
    return sum(weight * SIGNS.index(sign) for weight, sign in enumerate(signs, start=1))
