"""Triggers on a serial port: one byte each, and a zero byte a frame later."""

import os
from functools import partial
from typing import Any

from stimuli.errors import UserError

BAUD = 115200


class SerialTriggers:
    """Writes codes as single bytes (8 data bits, no parity, 1 stop bit).

    Parameters
    ----------
    port
        ``/dev/ttyUSB0``, ``COM3`` or whatever pyserial opens.
    baud
        Bits per second.

    Raises
    ------
    UserError
        If the port can't be opened.
    """

    rests = True

    def __init__(self, port: str, baud: int = BAUD) -> None:
        import serial

        self.name = f"serial:{port}@{baud}"
        try:
            self._port: Any = serial.Serial(port, baud, write_timeout=0)
        except (serial.SerialException, OSError, ValueError) as error:
            raise UserError(
                f"trigger: the serial port {port} can't be opened ({error}); check the cable, the "
                "port's name and that this account may use it, or give --trigger none"
            ) from None
        self._bytes = tuple(bytes([code]) for code in range(256))
        # Where a port is a file pyserial tries again and again while its buffer is full.
        file = self._port.fileno() if os.name == "posix" else None
        self._write = self._port.write if file is None else partial(os.write, file)

    def write(self, code: int) -> None:
        """Hand over a code without waiting; OSError if the port is gone or full."""
        if self._write(self._bytes[code]) != 1:
            raise OSError("the port takes no more bytes")

    def close(self) -> None:
        """Close the port."""
        self._port.close()
