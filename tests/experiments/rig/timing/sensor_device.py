"""A microcontroller at the other end of a pseudo-terminal, with a clock of its own."""

import contextlib
import os
import pty
import threading
import time
import tty

MICROS_WRAP = 2**32


class Device:
    """Answers '?' with its time; tells what it is told to tell.

    It may take its time to answer. Its count of microseconds starts shortly before it wraps, and
    runs too fast.
    """

    def __init__(self, *, rate=1.0002, answers=True, thinks_s=0.0):
        self.rate, self.answers, self.thinks_s = rate, answers, thinks_s
        self.born_s = time.perf_counter()
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._slave = slave
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def micros(self, at_s):
        counted = MICROS_WRAP - 700_000 + (at_s - self.born_s) * self.rate * 1e6
        return round(counted) % MICROS_WRAP

    def tell(self, kind, at_s, *names):
        self.say(" ".join([kind, *names, str(self.micros(at_s))]))

    def say(self, line):
        os.write(self.master, f"{line}\n".encode())

    def unplug(self):
        for descriptor in (self._slave, self.master):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _serve(self):
        with contextlib.suppress(OSError):
            while asked := os.read(self.master, 64):
                time.sleep(self.thinks_s)
                for _ in range(asked.count(b"?") if self.answers else 0):
                    self.tell("T", time.perf_counter())
