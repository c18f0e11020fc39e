"""One photograph, explained by every method that makes a map from a network and a photograph.

Most explain a published network. A ProtoPNet and a vision transformer first learn the made-up
fruit, which takes about four minutes on one core.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from PIL import Image

from docs.photographs import photograph
from tests.pictures.made import NETWORK, Workshop
from tests.pictures.saved import FIGURE_PX, PICTURES, save_narrower

OF_PUBLISHED: Final = (
    "occlusion", "rise", "lrp", "gradcam", "layer_cam", "score_cam", "extremal_perturbation",
    "integrated_gradients", "smoothgrad", "gradient_shap", "kernel_shap", "saliency_sod",
)  # fmt: skip
OF_TRANSFORMER: Final = ("attention_rollout", "attention_relevance", "attn_lrp")
OF_PROTOTYPES: Final = "protopnet"
EXPLAINED: Final = ("lemon", 1)


def write_methods(workshop: Workshop) -> None:
    """Explain one photograph by every method, and keep the overlays."""
    name, number = EXPLAINED
    images = workshop.folder / "one"
    images.mkdir(parents=True, exist_ok=True)
    Image.fromarray(photograph(name, number)).save(images / f"{name}.jpg", quality=92)
    for method, network in _networks(workshop).items():
        out = workshop.folder / "maps" / method
        if not out.exists():
            workshop.run("explain", *network, "--method", method, "--images", images, "--out", out)
        (overlay,) = (out / "overlays").glob("*.png")
        path = PICTURES / "methods" / f"{method}.webp"
        save_narrower(overlay, path, FIGURE_PX, photograph=True)


def _networks(workshop: Workshop) -> Mapping[str, tuple[str | Path, ...]]:
    """Return the words that name a network to `explain`, by the method that explains it."""
    # Only now: who makes other pictures needn't wait for torch.
    from tests.pictures.fruit_networks import PROTOPNET, TRANSFORMER, trained_networks

    weights = trained_networks(workshop.folder / "networks", NETWORK)
    words = {name: ("--model", name, "--weights", file) for name, file in weights.items()}
    return {
        **dict.fromkeys(OF_PUBLISHED, ("--model", NETWORK)),
        **dict.fromkeys(OF_TRANSFORMER, words[TRANSFORMER]),
        OF_PROTOTYPES: words[PROTOPNET],
    }
