"""Triggers as a stream of the Lab Streaming Layer: samples of one int32, irregular."""

from importlib import import_module
from typing import Any

from stimuli.errors import UserError

STREAM = "Plainsight"


class LslTriggers:
    """Pushes each code as a sample, stamped by LSL's clock as it is pushed.

    Parameters
    ----------
    stream
        Name of the stream; its type is ``Markers``.

    Raises
    ------
    UserError
        If pylsl or its library is missing.
    """

    rests = False

    def __init__(self, stream: str = STREAM) -> None:
        self.name = f"lsl:{stream}"
        try:
            # Not among the requirements: its library is not built for every system.
            pylsl = import_module("pylsl")
        except Exception as error:
            # Without its library pylsl raises RuntimeError.
            raise UserError(
                f"trigger: LSL can't be loaded ({error}); install it (pip install pylsl), or give "
                "--trigger none"
            ) from None
        rate = pylsl.IRREGULAR_RATE
        info = pylsl.StreamInfo(stream, "Markers", 1, rate, pylsl.cf_int32, f"plainsight-{stream}")
        self._outlet: Any = pylsl.StreamOutlet(info)

    def write(self, code: int) -> None:
        """Push a code; sending it is a thread's of the library."""
        self._outlet.push_sample([code])

    def close(self) -> None:
        """End the stream."""
        self._outlet = None
