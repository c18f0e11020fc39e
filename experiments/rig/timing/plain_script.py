"""The bench's trial as a competent user of PsychoPy writes it; nothing of the suite is used.

Keys and mouse are polled once a frame, as PsychoPy's Builder does it: keys that went down since
the last frame with ``waitRelease=False``, buttons whose state has changed. The rest is the
bench's. Where swaps don't wait for a display the clock paces them, after all is drawn: as a
graphics card with a display would. Trials begin when a line comes on standard input. What was
recorded is printed on the monotonic clock.
"""

import json
import sys
import time

import numpy as np
from psychopy import core, event, logging, visual
from psychopy.hardware import keyboard
from psychopy.visual.rect import Rect
from pyglet import gl

BACKGROUND = (30, 30, 30)
PICTURE_PX, PATCH_PX = 480, 64
BUTTONS = ("left", "middle", "right")
SPIN_S = 0.0004
REFRESHES_LATE = 1.2
DRAIN_S = 0.3
CLOCK_READS = 9

settings = json.loads(sys.argv[1])
period_s = 1 / settings["refresh_hz"]
width, height = settings["size_px"]

logging.console.setLevel(logging.CRITICAL)
win = visual.Window(
    size=(width, height),
    pos=(0, 0),
    allowGUI=False,
    units="pix",
    colorSpace="rgb255",
    color=BACKGROUND,
    checkTiming=False,
    waitBlanking=settings["wait_blanking"],
)
win.mouseVisible = False
noise = np.random.Generator(np.random.PCG64(1)).uniform(-1, 1, (PICTURE_PX, PICTURE_PX, 3))
image = visual.ImageStim(win, image=noise, units="pix", size=(PICTURE_PX, PICTURE_PX))
corner = (-width / 2 + PATCH_PX / 2, height / 2 - PATCH_PX / 2)
patch = Rect(win, width=PATCH_PX, height=PATCH_PX, pos=corner, fillColor="white", lineColor=None)
kb = keyboard.Keyboard()
mouse = event.Mouse(win=win)
clock = logging.defaultClock
raised = core.rush(True)


def clock_offset_s() -> float:
    """Return the monotonic clock minus PsychoPy's clock, from the tightest of some readings."""
    tries = []
    for _ in range(CLOCK_READS):
        before_s = time.perf_counter()
        other_s = clock.getTime()
        after_s = time.perf_counter()
        tries.append((after_s - before_s, (before_s + after_s) / 2 - other_s))
    return min(tries)[1]


due_s = time.perf_counter() + period_s


def flip() -> float:
    """Flip at the clock's next due time; return the time of the flip on PsychoPy's clock."""
    global due_s
    gl.glFinish()
    while due_s < time.perf_counter():
        due_s += period_s
    nap_s = due_s - time.perf_counter() - SPIN_S
    if nap_s > 0:
        time.sleep(nap_s)
    while time.perf_counter() < due_s:
        pass
    flipped_s = win.flip()
    return clock.getTime() if flipped_s is None else flipped_s


presses: list[tuple[str, str, float]] = []
was_down = [0, 0, 0]
mouse_zero_s = clock.getTime()
mouse.clickReset()


def poll() -> None:
    """Take the presses since the last frame."""
    for key in kb.getKeys(waitRelease=False):
        presses.append(("keyboard", key.name, key.tDown))
    buttons, times_s = mouse.getPressed(getTime=True)
    for number, name in enumerate(BUTTONS):
        if buttons[number] and not was_down[number]:
            presses.append(("mouse", name, mouse_zero_s + times_s[number]))
        was_down[number] = buttons[number]


image.draw()
patch.draw()
win.clearBuffer()
for _ in range(20):
    flip()

offset_s = clock_offset_s()
print("ready", flush=True)
sys.stdin.readline()
onsets_s, offsets_s, dropped = [], [], []
for _ in range(settings["trials"]):
    flips_s = []
    for _ in range(settings["on_frames"]):
        image.draw()
        patch.draw()
        flips_s.append(flip())
        poll()
    for frame in range(settings["off_frames"]):
        flipped_s = flip()
        if frame == 0:
            flips_s.append(flipped_s)
        poll()
    onsets_s.append(flips_s[0])
    offsets_s.append(flips_s[-1])
    refreshes = np.diff(flips_s) / period_s
    dropped.append(int(np.maximum(np.rint(refreshes) - 1, 1)[refreshes > REFRESHES_LATE].sum()))

core.wait(DRAIN_S)
poll()
offset_s = (offset_s + clock_offset_s()) / 2
recorded = {
    "onsets_s": [stamp_s + offset_s for stamp_s in onsets_s],
    "offsets_s": [stamp_s + offset_s for stamp_s in offsets_s],
    "dropped": dropped,
    "presses": [(device, key, stamp_s + offset_s) for device, key, stamp_s in presses],
    "facts": {
        "backend": kb.getBackend(),
        "pacing": "software",
        "priority": "realtime" if raised else "normal",
    },
}
print(json.dumps(recorded), flush=True)
win.close()
core.quit()
