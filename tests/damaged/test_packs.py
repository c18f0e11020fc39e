"""Packs: status 2, one line, nothing lost or half-written."""

import json
import shutil

import pytest

from tests.damaged.files import write


def manifest(**changes):
    def change(pack):
        path = pack / "pack.json"
        document = {**json.loads(path.read_text("utf-8")), **changes}
        path.write_text(json.dumps(document), "utf-8")

    return change


def raw_manifest(content):
    return lambda pack: (pack / "pack.json").write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (raw_manifest(b"[]"), ["pack.json", "is it the right file?"]),
        (raw_manifest(b'{"schema": '), ["pack.json", "copy the pack again"]),
        (manifest(schema="pack/1.9"), ["pack.json", "newer version", "update Plainsight"]),
        (manifest(files=None), ["pack.json", "files", "copy the pack again"]),
        (manifest(files=[{"path": None, "sha256": "0"}]), ["files.1.path"]),
        (manifest(kind="toys"), ["pack.json", "kind", "copy the pack again"]),
        (manifest(protocol={"seed": float("nan")}), ["pack.json", "JSON"]),
        (lambda pack: (pack / "key.csv").unlink(), ["key.csv is missing"]),
        (
            lambda pack: write(pack / "Thumbs.db", "x"),
            ["Thumbs.db was put there by the file manager", "delete this file"],
        ),
    ],
)
def test_a_damaged_pack_is_refused_by_file_and_key(refused, mini_pack, tmp_path, damage, words):
    pack, out = tmp_path / "pack", tmp_path / "out"
    shutil.copytree(mini_pack, pack)
    damage(pack)
    said = refused("simulate", "accept_reject", "--participants", 1, "--pack", pack, "--out", out)
    for word in words:
        assert word in said
    assert not out.exists()


def test_a_task_pack_where_leads_judge(refused, painted, tmp_path):
    tasks, out = painted[0], tmp_path / "out"
    said = refused("simulate", "accept_reject", "--participants", 1, "--pack", tasks, "--out", out)
    assert "is a task pack" in said
    assert "a solution pack" in said
    assert "a solution pack" in refused("run", tasks, "--robot", "lead")
    assert "a solution pack" in refused("run", "accept_reject", "--pack", tasks, "--robot", "lead")
    assert not out.exists()


def test_a_solution_pack_where_experts_paint(refused, mini_pack, tmp_path):
    out = tmp_path / "out"
    said = refused(
        "build", "accept_reject", "--tasks", mini_pack, "--robot-experts", 1, "--out", out
    )
    assert "is a solution pack" in said
    assert not out.exists()
