"""Cautions about a method on a network, for users before they show its maps to people."""

from xai_backend.methods.lrp import Lrp

LRP_ON_MOBILENET = (
    "caution: on MobileNetV2, lrp localises objects worse than chance (in mosaics of four "
    "photographs, .18 of the relevance is in the right one; docs/xai_backend.md); take gradcam or "
    "occlusion"
)


def caution(method: str, network: str) -> str | None:
    """Return the caution about a method's maps of a network; None if there is none.

    Parameters
    ----------
    method
        The method's name.
    network
        The network's name, as on the command line.
    """
    mobilenet = network.replace("_", "").removeprefix("timm:").startswith("mobilenetv2")
    return LRP_ON_MOBILENET if method == Lrp.name and mobilenet else None
