"""A method of the user's own: ``module:function``, or by its name as an entry point."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Final

import torch
from torch import Tensor

from stimuli.errors import UserError
from xai_backend.determinism import drawn_from, not_finite
from xai_backend.methods.method import Execution, generator_for, is_out_of_memory, one_by_one
from xai_backend.models.image_model import ImageModel
from xai_backend.own_code import FAILURES, code_sha256, fault_line, own_function

GROUP: Final = "plainsight.methods"
"""Group of entry points: each one is a method, by its name."""
TAKES: Final = ("model", "inputs", "targets")


@dataclass(frozen=True, slots=True)
class OwnMethod:
    """A user's function that explains an image.

    It is called with one image at a time, so that no map depends on another image, and with the
    generators of torch, numpy and random seeded by the image's content.

    Attributes
    ----------
    function
        ``module:function``. It takes the network, images (1, 3, H, W) as RGB fractions 0…1 and
        classes (1,), and returns a map of H × W, larger where more relevant.
    code_sha256
        Hash of the file that defines it.
    settings
        Further arguments by name.
    """

    function: str
    code_sha256: str
    settings: tuple[tuple[str, Any], ...] = ()

    version = 1

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.function

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`.

        Raises
        ------
        UserError
            If the function fails, returns no map, or its file has changed.
        """
        model.eval()
        function = own_function(self.function, "--method")
        if code_sha256(function) != self.code_sha256:
            raise UserError(f"--method {self.function}: its file changed after the job began")

        def explain_one(image: Tensor, target: int) -> Tensor:
            seed = int(generator_for(self.name, image, target).integers(2**32))
            batch = image[None].to(model.device)
            classes = torch.tensor([target], device=model.device)
            with drawn_from(seed, threads=execution.threads):
                returned = self._called(function, model, batch, classes)
            return self._checked(returned, batch)

        return one_by_one(explain_one, inputs, targets)

    def _called(
        self, function: Callable[..., Any], model: ImageModel, batch: Tensor, classes: Tensor
    ) -> Any:
        try:
            return function(model, batch, classes, **dict(self.settings))
        except FAILURES as fault:
            if is_out_of_memory(fault):
                raise
            raise UserError(
                f"--method {self.function}: the function fails ({fault_line(fault)})"
            ) from None

    def _checked(self, result: Any, batch: Tensor) -> Tensor:
        height, width = batch.shape[2:]
        try:
            returned = torch.as_tensor(result).detach()
        except (TypeError, ValueError, RuntimeError):
            kind = type(result).__name__
            raise UserError(f"--method {self.function}: returns {kind}, not numbers") from None
        if returned.is_complex():
            raise UserError(
                f"--method {self.function}: returns complex numbers; return real ones, such as "
                "their absolute values"
            )
        values = returned.to("cpu", torch.float32)
        shape = tuple(values.shape)
        while values.ndim > 2 and len(values) == 1:
            values = values[0]
        if values.ndim == 3 and tuple(values.shape[1:]) == (height, width):
            values = values.sum(dim=0)
        if tuple(values.shape) != (height, width):
            raise UserError(
                f"--method {self.function}: returns {shape} for an image of {height} × {width}; "
                "return one number a pixel"
            )
        if fault := not_finite(values):
            raise UserError(f"--method {self.function}: its map can't be shown: {fault}")
        return values


def own_method(function: str, settings: Mapping[str, Any]) -> OwnMethod:
    """Return a user's method; UserError if there is no such function."""
    users_function = own_function(function, "--method")
    return OwnMethod(function, code_sha256(users_function), tuple(sorted(settings.items())))


def own_settings(function: str) -> dict[str, Any]:
    """Return a function's further arguments with their defaults.

    Raises
    ------
    UserError
        If it doesn't take a network, images and classes, or has an argument without a default.
    """
    try:
        parameters = list(inspect.signature(own_function(function, "--method")).parameters.values())
    except (TypeError, ValueError):
        return {}
    first, further = parameters[: len(TAKES)], parameters[len(TAKES) :]
    named = [
        parameter
        for parameter in further
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    if len(first) < len(TAKES) or any(parameter.default is parameter.empty for parameter in named):
        raise UserError(
            f"--method {function}: the function must take {', '.join(TAKES)}, and further "
            "arguments with defaults only"
        )
    return {parameter.name: parameter.default for parameter in named}


def registered_method(name: str) -> str | None:
    """Return the ``module:function`` that an installed package registers under a name."""
    registered = entry_points(group=GROUP, name=name)
    return next((entry.value for entry in registered), None)
