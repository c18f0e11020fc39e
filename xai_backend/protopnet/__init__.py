"""ProtoPNet: a network that decides by parts of training pictures (Chen et al. 2019).

Chen, Li, Tao, Barnett, Su and Rudin, "This looks like that: deep learning for interpretable
image recognition", NeurIPS 2019. Sections named in this package are that paper's.
"""

from xai_backend.protopnet.network import ProtoPNet, ProtoPNetSettings, small
from xai_backend.protopnet.storage import read_protopnet, trained_protopnet, write_protopnet
from xai_backend.protopnet.trained import Prototype, Trained
from xai_backend.protopnet.training import train_protopnet

__all__ = [
    "ProtoPNet",
    "ProtoPNetSettings",
    "Prototype",
    "Trained",
    "read_protopnet",
    "small",
    "train_protopnet",
    "trained_protopnet",
    "write_protopnet",
]
