"""How a pack is built: nothing is trained here, the questions come from the protocol."""

from xai_backend import options
from xai_backend.study import Study


def build(
    out: options.Out = None, protocol: options.ProtocolFile = None, as_json: options.Json = False
) -> None:
    """Build the pack of questions.

    Example: python3 lab.py build preferences --out packs/preferences
    """
    from preferences.stimuli import compose
    from stimuli.pack import write_pack
    from stimuli.places import lab_root
    from stimuli.protocol import load_protocol

    loaded = load_protocol("preferences", protocol)
    place = out or lab_root() / "packs" / "preferences"
    manifest = write_pack(place, loaded, "solutions", compose(loaded), {})
    print(f"solutions: {place}\npack_id: {manifest.pack_id}")


STUDY = Study(build=build)
