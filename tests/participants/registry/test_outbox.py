"""Sessions that the registry may not know everything of."""

from contextlib import closing

from participants.folder import DataFolder
from participants.registry import Registry, outbox


def test_a_note_that_a_kill_cut_off_holds_nobody_up(tmp_path):
    """It was no whole note yet, so its session had not begun."""
    data = DataFolder(tmp_path / "data")
    data.outbox.mkdir(parents=True)
    (data.outbox / ".20261123T171604Z-K4ZMMRZ-54h2-mmsy8qfu.part").write_bytes(b"")
    with closing(Registry.open(f"sqlite:///{tmp_path / 'registry.sqlite'}")) as registry:
        assert outbox.catch_up(data, registry) == {}
        outbox.note(data, "20261123T171604Z-K4ZMMRZ-54h2")
        left = outbox.catch_up(data, registry)
    assert list(left) == ["20261123T171604Z-K4ZMMRZ-54h2"]
