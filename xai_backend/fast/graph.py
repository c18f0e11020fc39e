"""A network read as a list of operations, where its structure allows it."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.nn import functional

from xai_backend.fast.operations import (
    Add,
    AveragePool,
    Convolution,
    Flatten,
    Frame,
    Join,
    Linear,
    MaxPool,
    Mean,
    Operation,
    Pair,
    Rectify,
    Step,
    Steps,
    Whole,
)


class _UnreadableError(Exception):
    """Something in the network isn't known."""


def steps_of(network: nn.Module) -> Steps | None:
    """Return a network in evaluation mode as operations; None where it can't be read.

    Batch norms are merged into the convolutions right before them, dropout is left out. A
    module that isn't known is taken whole. What can't be read are networks whose way through
    hangs on values, and functions other than those of torchvision's ResNet, VGG, AlexNet,
    SqueezeNet, MobileNetV2 and networks like them.

    Parameters
    ----------
    network
        From (n, C, H, W) to logits (n, K). Tensors of the operations are detached, and share
        the network's memory where nothing was merged.
    """
    try:
        graph = _Tracer().trace(network)
        return _Reader(network, graph).steps()
    except Exception:  # tracing stops at whatever a network's code does with a stand-in
        return None


class _Tracer(fx.Tracer):
    """Goes into containers alone: a module without children is one operation."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return next(m.children(), None) is None


class _Reader:
    """Turns a traced graph into steps, node by node."""

    def __init__(self, network: nn.Module, graph: fx.Graph) -> None:
        self._network, self._graph = network, graph
        self._number: dict[fx.Node, int] = {}
        self._steps: list[Step] = []

    def steps(self) -> Steps:
        for node in self._graph.nodes:
            if node.op == "placeholder":
                if self._number:
                    raise _UnreadableError("several inputs")
                self._number[node] = 0
            elif node.op == "call_module":
                self._module(node)
            elif node.op == "call_function":
                self._function(node)
            elif node.op == "output":
                if self._number[node.args[0]] != len(self._steps):
                    raise _UnreadableError("the last step isn't the output")
            else:
                raise _UnreadableError(node.op)
        used = {value for step in self._steps for value in step.inputs}
        if used != set(range(len(self._steps))):
            raise _UnreadableError("a value that nothing uses")
        return tuple(self._steps)

    def _module(self, node: fx.Node) -> None:
        module = self._network.get_submodule(str(node.target))
        (source,) = node.args
        if isinstance(module, nn.Dropout | nn.Dropout2d | nn.Identity):
            self._number[node] = self._number[source]
        elif isinstance(module, nn.BatchNorm2d) and self._merges(source):
            number = self._number[source]
            before = self._steps[number - 1]
            merged = before.operation.scaled(*_scaling(module))
            self._steps[number - 1] = replace(before, operation=merged)
            self._number[node] = number
        else:
            if getattr(module, "inplace", False):
                _check_alone(source)
            self._append(node, _of_module(module), (source,), from_module=True)

    def _function(self, node: fx.Node) -> None:
        found = _of_function(node)
        self._append(node, found.operation, found.sources, from_module=False)

    def _append(
        self, node: fx.Node, operation: Operation, sources: Any, *, from_module: bool
    ) -> None:
        inputs = tuple(self._number[source] for source in sources)
        self._steps.append(Step(operation, inputs, from_module))
        self._number[node] = len(self._steps)

    def _merges(self, source: fx.Node) -> bool:
        """Return whether a batch norm is all that uses a convolution's output."""
        if source.op != "call_module" or len(source.users) > 1:
            return False
        module = self._network.get_submodule(str(source.target))
        step = self._steps[self._number[source] - 1]
        return isinstance(module, nn.Conv2d) and isinstance(step.operation, Convolution)


def _scaling(norm: nn.BatchNorm2d) -> tuple[Tensor, Tensor]:
    """Return what a batch norm in evaluation mode multiplies by and adds, by channel."""
    if norm.running_mean is None or norm.running_var is None:
        raise _UnreadableError("a batch norm that has kept no statistics")
    one, none = torch.ones_like(norm.running_var), torch.zeros_like(norm.running_mean)
    weight = one if norm.weight is None else norm.weight.detach()
    bias = none if norm.bias is None else norm.bias.detach()
    factor = weight / (norm.running_var + norm.eps).sqrt()
    return factor, bias - norm.running_mean * factor


def _of_module(module: nn.Module) -> Operation:
    for kind, make in _MODULES.items():
        if isinstance(module, kind):
            return make(module) or _whole(module)
    return _whole(module)


def _whole(module: nn.Module) -> Whole:
    if getattr(module, "inplace", False):
        raise _UnreadableError(f"{module} writes over its input")
    return Whole(module)


def _convolution(module: nn.Conv2d) -> Convolution | None:
    if module.padding_mode != "zeros" or isinstance(module.padding, str):
        return None
    frame = Frame(module.kernel_size, module.stride, module.padding, module.dilation)
    bias = None if module.bias is None else module.bias.detach()
    return Convolution(module.weight.detach(), bias, frame, module.groups)


def _max_pool(module: nn.MaxPool2d) -> MaxPool | None:
    if module.return_indices:
        return None
    numbers = (module.kernel_size, module.stride, module.padding, module.dilation)
    return MaxPool(Frame(*map(_pair, numbers), fill=-torch.inf), module.ceil_mode)


def _average_pool(module: nn.AvgPool2d) -> AveragePool | None:
    padding = _pair(module.padding)
    plain = module.count_include_pad or padding == (0, 0)
    if module.ceil_mode or module.divisor_override or not plain:
        return None
    return AveragePool(Frame(_pair(module.kernel_size), _pair(module.stride), padding))


def _linear(module: nn.Linear) -> Linear:
    bias = None if module.bias is None else module.bias.detach()
    return Linear(module.weight.detach(), bias)


def _mean(module: nn.AdaptiveAvgPool2d) -> Mean | None:
    return Mean() if _pair(module.output_size) == (1, 1) else None


def _flatten(module: nn.Flatten) -> Flatten | None:
    return Flatten() if (module.start_dim, module.end_dim) == (1, -1) else None


_MODULES: dict[type[nn.Module], Callable[[Any], Operation | None]] = {
    nn.Conv2d: _convolution,
    nn.Linear: _linear,
    nn.MaxPool2d: _max_pool,
    nn.AvgPool2d: _average_pool,
    nn.AdaptiveAvgPool2d: _mean,
    nn.Flatten: _flatten,
    nn.ReLU: lambda module: Rectify(),
    nn.ReLU6: lambda module: Rectify(6.0),
}


@dataclass(frozen=True, slots=True)
class _Called:
    operation: Operation
    sources: tuple[fx.Node, ...]


def _of_function(node: fx.Node) -> _Called:
    """Return what a bare function does, and to which nodes."""
    function, arguments = node.target, node.args
    if function in (operator.add, operator.iadd, torch.add):
        plain = len(arguments) == 2 and not node.kwargs
        if plain and all(isinstance(one, fx.Node) for one in arguments):
            if function is operator.iadd:
                _check_alone(arguments[0])
            return _Called(Add(), arguments)
    elif function is torch.cat:
        dim = node.kwargs.get("dim", arguments[1] if len(arguments) > 1 else 0)
        if dim == 1:
            return _Called(Join(), tuple(arguments[0]))
    elif function is torch.flatten:
        if arguments[1:] == (1,) and not node.kwargs:
            return _Called(Flatten(), arguments[:1])
    elif function is functional.relu:
        if arguments[1:] or node.kwargs.get("inplace", False):
            _check_alone(arguments[0])
        return _Called(Rectify(), arguments[:1])
    elif function is functional.adaptive_avg_pool2d and _pair(arguments[1]) == (1, 1):
        return _Called(Mean(), arguments[:1])
    raise _UnreadableError(str(function))


def _check_alone(source: fx.Node) -> None:
    """Refuse to read on where a value is written over that others use, too."""
    if len(source.users) > 1:
        raise _UnreadableError(f"{source} is changed in place")


def _pair(number: Any) -> Pair:
    return (number, number) if isinstance(number, int) else tuple(number)
