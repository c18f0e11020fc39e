"""Properties that a few dozen drawn examples show as well as a hundred."""

from collections.abc import Callable
from typing import Any

import hypothesis

Test = Callable[..., None]


def given(*drawn: Any, **named: Any) -> Callable[[Test], Test]:
    """Return hypothesis's decorator with fewer examples than it draws by itself."""
    return lambda test: hypothesis.settings(max_examples=40)(
        hypothesis.given(*drawn, **named)(test)
    )
