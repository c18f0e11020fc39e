"""Protocols of every released version stay readable; the journal's is in test_journal."""

from pathlib import Path

import pytest

from stimuli.protocol import load_protocol
from stimuli.protocol.base import PROTOCOL_SCHEMA

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("protocol-*/*.toml")), ids=str)
def test_released_protocols_read(path):
    protocol = load_protocol(path.stem, path)
    assert protocol.schema_tag == PROTOCOL_SCHEMA.tag
    assert protocol.study == path.stem
