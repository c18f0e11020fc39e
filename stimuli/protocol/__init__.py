"""Protocols: what a study does, typed, documented and frozen into every pack."""

from stimuli.protocol.base import Protocol, catalogue_name, protocol_hash
from stimuli.protocol.load import (
    load_any_protocol,
    load_protocol,
    own_values,
    protocol_from_resolved,
)

__all__ = [
    "Protocol",
    "catalogue_name",
    "load_any_protocol",
    "load_protocol",
    "own_values",
    "protocol_from_resolved",
    "protocol_hash",
]
