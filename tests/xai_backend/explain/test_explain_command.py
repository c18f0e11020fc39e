"""The command `explain`: what it refuses in one line, and how it ends."""

import pytest
from safetensors.numpy import load_file

from xai_backend import cli


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--method occlusion --set patch_px=300", ["patch_px is 300", "224"]),
        ("--method gradcam --target 6", ["--target 6", "0 to 5"]),
        ("--method occlusion --compile --set precision=bfloat16", ["only in float32"]),
        ("--method gradcam --device cuda:77", ["cuda:77"]),
        ("--method gradcam --images {here}/empty", ["empty", "contains no image"]),
        ("--method gradcam --images {here}/rubbish", ["no image could be explained, of 1"]),
        ("--method gradcam --out {here}/net.pt", ["net.pt", "can't be made"]),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(here, tmp_path, capsys, options, words):
    (here / "empty").mkdir(exist_ok=True)
    (here / "rubbish").mkdir(exist_ok=True)
    (here / "rubbish" / "a.png").write_bytes(b"rubbish")
    usual = {
        "--model": "squeezenet1_1",
        "--weights": str(here / "net.pt"),
        "--images": str(here / "photos"),
        "--out": str(tmp_path / "out"),
    }
    typed = options.format(here=here).split()
    command = ["explain", *typed]
    for name, value in usual.items():
        if name not in typed:
            command += [name, value]
    assert cli.main(command) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert all(word in last for word in words)
    assert not list((tmp_path / "out").rglob("*.*"))


def test_the_command_says_what_was_skipped_by_its_status(here, tmp_path, capsys):
    command = (
        f"explain --model squeezenet1_1 --weights {here / 'net.pt'} --method saliency_sod "
        f"--images {here / 'photos'} --out {tmp_path / 'out'}"
    )
    assert cli.main(command.split()) == 2
    said = capsys.readouterr()
    assert said.out.startswith("3 maps: ")
    assert said.err.strip().splitlines()[-1] == "1 skipped of 4: broken.jpg: is not a picture"
    assert len(load_file(tmp_path / "out" / "maps.safetensors")) == 3
