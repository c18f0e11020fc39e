"""Triggers on a parallel port's data pins, through PsychoPy's drivers.

Never tried with a real port: PCs that have one are rare. Linux needs pyparallel and ``ppdev``,
Windows inpout32, inpoutx64 or dlportio.
"""

import sys
from typing import Any, Final

from stimuli.errors import UserError

NO_DRIVER: Final = "no driver: install inpout32, inpoutx64 or dlportio"


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
        if sys.platform == "darwin":
            # PsychoPy opens a port there that fails at every code.
            raise UserError("trigger: macOS has no parallel port; give --trigger none")
        try:
            from psychopy import parallel

            # On Windows this is None where PsychoPy finds no driver.
            driver: Any = parallel.ParallelPort
            if driver is None:
                raise OSError(NO_DRIVER)
            self._port: Any = driver(address=_address(address))
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
