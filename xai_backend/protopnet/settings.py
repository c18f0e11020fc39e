"""How a ProtoPNet is built and learns."""

from dataclasses import dataclass, field

from xai_backend.models.augmentation import Augmentation


@dataclass(frozen=True, slots=True)
class ProtoPNetSettings:
    """Structure, costs and stages of a ProtoPNet (Chen et al. 2019, section 2 and supplement).

    Usual values are the paper's and, for what it leaves open (rates, epochs), those that its
    authors published with it. `small` has those for the small network for pictures.

    Attributes
    ----------
    prototypes_per_class
        Each class has as many.
    channels
        Of a latent patch and of a prototype, both 1×1.
    epsilon
        ε of the similarity log((d² + 1) / (d² + ε)).
    cluster, separation
        λ1 and λ2: weights of the cluster and the separation cost. The separation cost is
        negative, as in the paper, and both weights positive.
    l1
        λ: weight of the last layer's connections from prototypes of other classes.
    warm_epochs
        With the backbone frozen.
    cycles
        Rounds of: all layers but the last, push, last layer.
    joint_epochs
        Epochs of all layers in each cycle.
    batch
        Pictures a step.
    add_on_rate, prototype_rate, backbone_rate
        Adam's learning rates.
    decay_epochs, decay
        In the joint stage all rates are multiplied by ``decay`` after as many epochs.
    weight_decay
        Adam's, of backbone and add-on layers.
    last_iterations
        Most iterations of the last layer's optimisation.
    augmentation
        How pictures vary while layers learn; push and last layer see them as they are.
    """

    prototypes_per_class: int = 10
    channels: int = 128
    epsilon: float = 1e-4
    cluster: float = 0.8
    separation: float = 0.08
    l1: float = 1e-4
    warm_epochs: int = 5
    cycles: int = 3
    joint_epochs: int = 10
    batch: int = 80
    add_on_rate: float = 3e-3
    prototype_rate: float = 3e-3
    backbone_rate: float = 1e-4
    decay_epochs: int = 5
    decay: float = 0.1
    weight_decay: float = 1e-3
    last_iterations: int = 100
    augmentation: Augmentation = field(
        default_factory=lambda: Augmentation(rotation_deg=15.0, shear_share=0.18, mirrored=True)
    )

    def __post_init__(self) -> None:
        counts = (self.prototypes_per_class, self.channels, self.batch, self.decay_epochs)
        stages = (self.warm_epochs, self.joint_epochs, self.last_iterations)
        weights = (self.cluster, self.separation, self.l1, self.weight_decay)
        rates = (self.add_on_rate, self.prototype_rate, self.backbone_rate, self.decay)
        if min(counts) < 1 or self.cycles < 1 or min(stages) < 0:
            raise ValueError("prototypes, channels, batch, cycles, decay_epochs start at 1")
        if min(weights) < 0 or not min(rates) > 0 or not 0 < self.epsilon < 1:
            raise ValueError("costs' weights start at 0, rates above 0; epsilon is 0…1")


def small() -> ProtoPNetSettings:
    """Return settings for the small network for pictures: half a minute on one core."""
    return ProtoPNetSettings(
        prototypes_per_class=6,
        channels=48,
        cluster=0.4,
        separation=0.2,
        warm_epochs=3,
        cycles=2,
        joint_epochs=6,
        batch=32,
        backbone_rate=2e-3,
        last_iterations=20,
        decay=0.5,
        augmentation=Augmentation(),
    )
