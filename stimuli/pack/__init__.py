"""Packs: all that a session shows, sealed, in a folder that can be carried."""

from stimuli.pack.folder import open_pack, write_pack
from stimuli.pack.model import Pack
