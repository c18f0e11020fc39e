"""Methods by name."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from torch import Tensor

from stimuli.errors import UserError
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.occlusion import Occlusion
from xai_backend.models.image_model import ImageModel


class Method(Protocol):
    """A method's specification: its name, its version and its parameters.

    Together they are its part of a map's key. The version is raised by hand whenever the
    same parameters would make another map.
    """

    name: ClassVar[str]
    version: ClassVar[int]

    def explain(self, model: ImageModel, inputs: Tensor, targets: Tensor) -> Tensor:
        """Return maps, float32 (n, H, W), of a target's logit.

        Parameters
        ----------
        model
            The network with its preprocessing.
        inputs
            Images (n, 3, H, W), RGB codes as fractions 0…1, on any device.
        targets
            int64 (n,): the class to explain in each.

        Returns
        -------
        float32 (n, H, W)
            On the CPU; channels summed; larger is more relevant.
        """


METHODS: Mapping[str, type[Method]] = MappingProxyType(
    {method.name: method for method in (Occlusion, Lrp)}
)


def method_of(name: str, settings: Mapping[str, Any]) -> Method:
    """Return the method of a name; of the settings it takes those that it has.

    Raises
    ------
    UserError
        If there is no such method, or a setting is impossible.
    """
    if name not in METHODS:
        raise UserError(f"no explanation method {name!r}; there is: {', '.join(sorted(METHODS))}")
    kind = METHODS[name]
    own = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    try:
        return kind(**{key: value for key, value in settings.items() if key in own})
    except ValueError as fault:
        raise UserError(f"method {name}: {fault}") from None


def identity_of(method: Method) -> dict[str, Any]:
    """Return a method's part of a map's key."""
    parameters = asdict(method)  # type: ignore[call-overload]
    return {"name": method.name, "version": method.version, "parameters": parameters}
