"""What a pack says of the methods that explained what it shows.

torch is imported where a method is at hand: a pack of a lab's own outputs needs none.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stimuli.io.canonical import file_sha256
from stimuli.maps.origin import IMPORTED, NETWORK, Origin, settings_text

if TYPE_CHECKING:
    from xai_backend.methods import Method


def computed(method: "Method", network: str, weights_sha256: str) -> Origin:
    """Return the origin of maps by a method that explained a network's answers.

    Parameters
    ----------
    method
        The method with its settings.
    network
        The network's name, without the path of its file.
    weights_sha256
        Hash of the network's weights.
    """
    from xai_backend.methods.of_users import OwnMethod

    function_sha256 = method.code_sha256 if isinstance(method, OwnMethod) else ""
    settings = settings_text(_settings(method))
    return Origin(NETWORK, network, method.name, settings, function_sha256, weights_sha256)


def name_in_pack(network: str) -> str:
    """Return a network's name in packs: a file or folder without the path on this machine."""
    from xai_backend.models import own_networks, transformers_models

    if network.startswith(transformers_models.PREFIX):
        folder = Path(network.removeprefix(transformers_models.PREFIX)).expanduser()
        return f"{transformers_models.PREFIX}{folder.resolve().name}"
    return Path(network).name if network.endswith(own_networks.PROGRAM_SUFFIX) else network


def imported(file: Path) -> Origin:
    """Return the origin of explanations that are read from a file."""
    return Origin(IMPORTED, file.name, sha256=file_sha256(file))


def _settings(method: "Method") -> dict[str, Any]:
    """Return a method's settings, and for captum's methods captum's version."""
    from xai_backend.methods.method import CAPTUM
    from xai_backend.methods.of_users import OwnMethod

    parameters = asdict(method)
    if isinstance(method, OwnMethod):
        return dict(parameters["settings"])
    if method.name.startswith(CAPTUM):
        return {**dict(parameters["settings"]), "captum": parameters["release"]}
    return parameters
