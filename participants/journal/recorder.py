"""What anything that only records needs to know of a journal."""

from typing import Any, Protocol


class Recorder(Protocol):
    """Takes down events; a `JournalWriter` is one."""

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Take down an event; see `JournalWriter.append`."""
        ...
