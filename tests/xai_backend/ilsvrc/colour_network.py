"""A small network that reads its six logits from the colours of a picture's two halves."""

import torch
from torch import nn


class Halves(nn.Module):
    """Logits are the mean colours of the left and the right half, times a scale."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.features = nn.Conv2d(3, 3, 4, stride=4, groups=3, bias=False)
        self.pool = nn.AdaptiveAvgPool2d((1, 2))
        self.outputs = nn.Linear(6, 6, bias=False)
        weights = torch.zeros(6, 6)
        for half in range(2):
            for colour in range(3):
                weights[3 * half + colour, 2 * colour + half] = scale
        with torch.no_grad():
            self.features.weight.fill_(1 / 16)
            self.outputs.weight.copy_(weights)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.outputs(self.pool(self.features(images)).flatten(1))


def usual() -> nn.Module:
    """Its confidences fill the published bins."""
    return Halves(14.0)


def confident() -> nn.Module:
    """It is nearly always sure."""
    return Halves(60.0)


def unsure() -> nn.Module:
    """It is never sure, as after training with smoothed labels."""
    return Halves(2.5)
