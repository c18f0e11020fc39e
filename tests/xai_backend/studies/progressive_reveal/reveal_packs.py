"""The smallest protocol of progressive_reveal that a pack is built by."""

BUBBLERS = 2
TINY = """\
schema = "protocol/1.0"
study = "progressive_reveal"
name = "tiny"
[images]
size_px = 64
classes = 3
images_per_class = 2
[system]
patch_px = 14
stride_px = 14
[session]
sittings = 1
rounds_per_sitting = 6
practice_rounds = 2
catch_rounds = 0
orders_per_rotation = 1
[training]
prototypes_per_class = 1
channels = 8
warm_epochs = 1
cycles = 1
joint_epochs = 1
last_iterations = 2
"""


def written(folder, text=TINY, name="tiny.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
