"""What must be said of a method on a network before its maps are shown to people."""

from xai_backend.methods.lrp import Lrp

LRP_ON_MOBILENET = (
    "caution: on MobileNetV2, lrp puts less of its relevance on the object than chance would (in "
    "mosaics of four photographs .18 in the right one, docs/xai_backend.md); take gradcam or "
    "occlusion"
)


def caution(method: str, network: str) -> str | None:
    """Return what is to be told of a method's maps of a network; None where nothing is.

    Parameters
    ----------
    method
        The method's name.
    network
        The network's, as it was asked for.
    """
    mobilenet = network.replace("_", "").removeprefix("timm:").startswith("mobilenetv2")
    return LRP_ON_MOBILENET if method == Lrp.name and mobilenet else None
