"""Triggers on a parallel port's data pins, through PsychoPy's drivers.

Never tried with a real port: PCs that have one are rare. Linux needs pyparallel and ``ppdev``,
Windows inpout32, inpoutx64 or dlportio.
"""

from typing import Any

from stimuli.errors import UserError


class ParallelTriggers:
    """Sets the eight data pins to a code, and back to 0 a frame later.

    Parameters
    ----------
    address
        ``0x378`` on Windows, ``/dev/parport0`` on Linux.

    Raises
    ------
    UserError
        If there is no driver or no such port.
    """

    rests = True

    def __init__(self, address: str) -> None:
        self.name = f"parallel:{address}"
        try:
            from psychopy.parallel import ParallelPort

            self._port: Any = ParallelPort(address=_address(address))
        except Exception as error:
            # Drivers raise whatever they like, Exception itself among it.
            raise UserError(
                f"trigger: the parallel port {address} can't be opened ({error}); check its "
                "address and driver, or give --trigger none"
            ) from None

    def write(self, code: int) -> None:
        """Set the pins."""
        self._port.setData(code)

    def close(self) -> None:
        """Let the port go; drivers close it with the object."""
        self._port = None


def _address(text: str) -> int | str:
    return int(text, 16) if text.lower().startswith("0x") else text
