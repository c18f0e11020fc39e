"""A network read as a list of operations, where its structure allows it."""

import operator
from collections.abc import Callable, Iterable
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
    """A part of the network can't be read."""


def steps_of(network: nn.Module) -> Steps | None:
    """Return a network in evaluation mode as operations; None if it can't be read.

    Batch norms are merged into the convolutions right before them, and dropout is left out. An
    unknown module is taken whole. A network can't be read if its control flow depends on values, or
    if it calls functions other than those of torchvision's ResNet, VGG, AlexNet, SqueezeNet,
    MobileNetV2 and similar networks.

    Parameters
    ----------
    network
        From (n, C, H, W) to logits (n, K). Tensors of the operations are detached, and share
        the network's memory where nothing was merged.
    """
    try:
        graph = _Tracer().trace(network)
        return _Reader(network, graph).steps()
    except Exception:  # a network's code may raise anything on a proxy
        return None


class _Tracer(fx.Tracer):
    """Traces only into containers: a module without children is one operation."""

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
                if self._number[_node(node.args[0])] != len(self._steps):
                    raise _UnreadableError("the last step isn't the output")
            else:
                raise _UnreadableError(node.op)
        used = {value for step in self._steps for value in step.inputs}
        if used != set(range(len(self._steps))):
            raise _UnreadableError("a value that nothing uses")
        return tuple(self._steps)

    def _module(self, node: fx.Node) -> None:
        module = self._network.get_submodule(str(node.target))
        (argument,) = node.args
        source = _node(argument)
        if isinstance(module, nn.Dropout | nn.Dropout2d | nn.Identity):
            self._number[node] = self._number[source]
            return
        before = self._convolution_of(source) if isinstance(module, nn.BatchNorm2d) else None
        if isinstance(module, nn.BatchNorm2d) and before is not None:
            number = self._number[source]
            merged = before.scaled(*_scaling(module))
            self._steps[number - 1] = replace(self._steps[number - 1], operation=merged)
            self._number[node] = number
            return
        if getattr(module, "inplace", False):
            _check_alone(source)
        self._append(node, _of_module(module), (source,), from_module=True)

    def _function(self, node: fx.Node) -> None:
        found = _of_function(node)
        self._append(node, found.operation, found.sources, from_module=False)

    def _append(
        self,
        node: fx.Node,
        operation: Operation,
        sources: Iterable[fx.Node],
        *,
        from_module: bool,
    ) -> None:
        inputs = tuple(self._number[source] for source in sources)
        self._steps.append(Step(operation, inputs, from_module))
        self._number[node] = len(self._steps)

    def _convolution_of(self, source: fx.Node) -> Convolution | None:
        """Return the convolution whose output only one node uses; None if the source isn't one."""
        if source.op != "call_module" or len(source.users) > 1:
            return None
        module = self._network.get_submodule(str(source.target))
        operation = self._steps[self._number[source] - 1].operation
        if not isinstance(module, nn.Conv2d) or not isinstance(operation, Convolution):
            return None
        return operation


def _scaling(norm: nn.BatchNorm2d) -> tuple[Tensor, Tensor]:
    """Return the factors and offsets by channel of a batch norm in evaluation mode."""
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
    window = _pair(module.kernel_size), _pair(module.stride)
    frame = Frame(*window, _pair(module.padding), _pair(module.dilation))
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
    """Return a function's operation, and the nodes that it is applied to."""
    function, arguments = node.target, node.args
    if function in (operator.add, operator.iadd, torch.add):
        if len(arguments) == 2 and not node.kwargs:
            first, second = map(_node, arguments)
            if function is operator.iadd:
                _check_alone(first)
            return _Called(Add(), (first, second))
    elif function is torch.cat:
        parts = arguments[0]
        dim = node.kwargs.get("dim", arguments[1] if len(arguments) > 1 else 0)
        if dim == 1 and isinstance(parts, list | tuple):
            return _Called(Join(), tuple(map(_node, parts)))
    elif function is torch.flatten:
        if arguments[1:] == (1,) and not node.kwargs:
            return _Called(Flatten(), (_node(arguments[0]),))
    elif function is functional.relu:
        source = _node(arguments[0])
        if arguments[1:] or node.kwargs.get("inplace", False):
            _check_alone(source)
        return _Called(Rectify(), (source,))
    elif function is functional.adaptive_avg_pool2d and _pair(arguments[1]) == (1, 1):
        return _Called(Mean(), (_node(arguments[0]),))
    raise _UnreadableError(str(function))


def _node(argument: Any) -> fx.Node:
    """Return an argument that is the output of another node; refuse any other."""
    if not isinstance(argument, fx.Node):
        raise _UnreadableError(f"{argument!r} is no output of an operation")
    return argument


def _check_alone(source: fx.Node) -> None:
    """Refuse a value that is overwritten although other nodes use it, too."""
    if len(source.users) > 1:
        raise _UnreadableError(f"{source} is changed in place")


def _pair(number: Any) -> Pair:
    return (number, number) if isinstance(number, int) else tuple(number)
