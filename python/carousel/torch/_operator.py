# ===- _operator.py - kernels as operators of PyTorch ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`operator` makes an operator of torch.library of a kernel: with a schema, results for fake tensors, and a gradient by another
kernel. torch.compile and torch.export keep such an operator whole."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import torch

from .._arrays import NAMES
from .._compile import compile as compile_source
from ..block import Argument, TracedKernel
from ..errors import InvalidArgumentError
from ..package import Package
from ..simulator import simulate as simulate_source
from ._options import Options

TYPES = {element: getattr(torch, name) for element, name in NAMES.items() if hasattr(torch, name)}
SCALARS = {"f64": "float", "f32": "float", "f16": "float", "bf16": "float", "i1": "bool"}  # others are integers
Extent = Union[int, str, None]


@dataclass(frozen=True)
class Slot:
    """A parameter of a kernel."""

    name: str
    access: str
    """"in", "out" or "inout"; empty for a number."""
    element: str
    extents: tuple[Extent, ...] = ()
    """A number, a name that equal extents have, or None."""
    is_contiguous: bool = True
    """Whether all dimensions have to be contiguous; else only the last one."""

    @property
    def type(self) -> torch.dtype:
        return TYPES[self.element]

    @property
    def is_differentiable(self) -> bool:
        return self.access == "in" and self.type.is_floating_point

    def __str__(self) -> str:
        extents = ", ".join("?" if extent is None else str(extent) for extent in self.extents)
        return f"{self.element}[{extents}]" if self.access else self.element

    def spell(self, number: int) -> str:
        """In a schema of PyTorch."""
        if not self.access:
            return f"{SCALARS.get(self.element, 'SymInt')} {self.name}"
        return f"Tensor{f'(a{number}!)' if self.access == 'inout' else ''} {self.name}"


def read_slots(source: Union[TracedKernel, Package], name: str) -> list[Slot]:
    if isinstance(source, TracedKernel):
        slots = [Slot(each.name, each.access, each.dtype, tuple(each.extents), each.strides is None) if isinstance(each, Argument) else
                 Slot(each.node.name, "", each.dtype)
                 for each in source._arguments if not (isinstance(each, Argument) and each.is_workspace)]
    else:
        symbols = {place: symbol for symbol, places in source._symbols.get(name, {}).items() for place in places}
        slots = [Slot(each.name, each.access if each.is_tensor else "", each.element,
                      tuple(symbols.get((each.name, dim)) if extent is None else extent for dim, extent in enumerate(each.extents)),
                      each.is_contiguous) for each in source.kernel(name).parameters]
    for each in slots:
        if each.access and each.element not in TYPES:
            raise InvalidArgumentError(f"{each.name}: expected elements of {', '.join(TYPES)} in an operator of PyTorch, got "
                                       f"{each.element}")
    return slots


class Operator:
    """An operator of torch.library whose implementation is a kernel: a call takes inputs and numbers in the kernel's order, and
    gives its results, one, or a tuple of several."""

    def __init__(self, source: Union[TracedKernel, Package], name: str, kernel: str, results: Optional[Callable[..., Any]],
                 options: Options):
        self.name, self._source, self._kernel = name, source, kernel
        self.slots = read_slots(source, kernel)
        self.inputs = [each for each in self.slots if each.access != "out"]
        self.results = [each for each in self.slots if each.access == "out"]
        self._make_results, self._options = results, options
        if results is None:
            self._check_extents()
        self._packages: dict[str, Package] = {}
        arguments = ", ".join(each.spell(number) for number, each in enumerate(self.inputs))
        returned = ", ".join("Tensor" for _ in self.results)
        schema = f"({arguments}) -> {returned if len(self.results) == 1 else f'({returned})'}"
        simulated = ("cpu",) if options.cpu == "simulate" else ()
        self.definition = torch.library.custom_op(
            name, self._run, mutates_args=[each.name for each in self.inputs if each.access == "inout"],
            device_types=("cuda", *simulated), schema=schema)
        self.definition.register_fake(self._fake)

    def _check_extents(self) -> None:
        known = {extent for each in self.inputs for extent in each.extents if isinstance(extent, str)}
        for result in self.results:
            for extent in result.extents:
                if not isinstance(extent, int) and extent not in known:
                    raise InvalidArgumentError(f"{self.name}: expected a function `results` of the inputs, as no input has an extent "
                                               f"{'' if extent is None else extent + ' '}as {result.name}: {result} has, got none")

    def _check(self, slots: Sequence[Slot], values: Sequence[Any], sizes: dict[str, Any]) -> None:
        """`sizes` has extents by their names, and gets those of the values."""
        for slot, value in zip(slots, values):
            if not slot.access:
                continue
            if value.dtype != slot.type or value.dim() != len(slot.extents):
                raise InvalidArgumentError(f"{self.name}: {slot.name}: expected {slot}, got {value.dtype} of {value.dim()} dimensions")
            for dim, (wanted, extent) in enumerate(zip(slot.extents, value.shape)):
                if isinstance(wanted, str):
                    wanted = sizes.setdefault(wanted, extent)
                if wanted is not None and wanted != extent:
                    raise InvalidArgumentError(f"{self.name}: {slot.name}: expected {slot} with {wanted} in dimension {dim}, got "
                                               f"{extent}")

    def _allocate(self, values: Sequence[Any]) -> list[Any]:
        sizes: dict[str, Any] = {}
        self._check(self.inputs, values, sizes)
        if self._make_results is not None:
            made = self._make_results(*values)
            results = list(made) if isinstance(made, (tuple, list)) else [made]
            if len(results) != len(self.results):
                raise InvalidArgumentError(f"{self.name}: results: expected {', '.join(map(str, self.results))}, got {len(results)}")
            self._check(self.results, results, sizes)
            # Tensors that are like an input may have its order in memory.
            return [each if each.is_contiguous() else each.new_empty(each.shape) for each in results]
        like = next(value for value in values if isinstance(value, torch.Tensor))
        return [like.new_empty([sizes[extent] if isinstance(extent, str) else extent for extent in slot.extents], dtype=slot.type)
                for slot in self.results]

    def _give(self, results: list[Any]) -> Any:
        return results[0] if len(results) == 1 else tuple(results) if results else None

    def _fake(self, *values: Any) -> Any:
        return self._give(self._allocate(values))

    def _place(self, slot: Slot, value: Any) -> Any:
        """A tensor as the kernel takes it."""
        if not isinstance(value, torch.Tensor) or value.is_contiguous() or (not slot.is_contiguous and value.stride(-1) == 1):
            return value
        if slot.access == "inout":
            raise InvalidArgumentError(f"{self.name}: {slot.name}: expected a contiguous tensor, as the kernel changes it, got strides "
                                       f"{tuple(value.stride())}")
        return value.contiguous()

    def _run(self, *values: Any) -> Any:
        results = self._allocate(values)
        named = {slot.name: self._place(slot, value) for slot, value in zip(self.inputs, values)}
        named.update((slot.name, value) for slot, value in zip(self.results, results))
        if any(value.numel() for value in named.values() if isinstance(value, torch.Tensor)):
            self._launch(named)
        return self._give(results)

    def _launch(self, named: dict[str, Any]) -> None:
        device = next(value.device for value in named.values() if isinstance(value, torch.Tensor))
        if device.type == "cpu":
            changed = [slot.name for slot in self.slots if slot.access == "inout"]
            simulate_source(self._source, {key: value.detach() if isinstance(value, torch.Tensor) else value
                                           for key, value in named.items()}, kernel=self._kernel, lower=True,
                            chip=self._options.chip or "sm_90a", written=changed).check()
            return
        self._find_kernel(device)(*(named[slot.name] for slot in self.slots))

    def _find_kernel(self, device: torch.device) -> Any:
        if isinstance(self._source, Package):
            return self._source.kernel(self._kernel)
        chip = self._options.find_chip(device)
        if chip not in self._packages:
            self._packages[chip] = compile_source(self._source, chips=chip)
        return self._packages[chip].kernel(self._kernel)

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.definition(*values, **named)

    def __repr__(self) -> str:
        return f"<carousel.torch.Operator {self.name}({', '.join(f'{each.name}: {each}' for each in self.slots)})>"


class Gradient:
    """The gradient of an operator by another one: dy is the gradient of the result y, and dx that of the input x."""

    def __init__(self, forward: Operator, backward: Operator, gradients: Mapping[str, Callable[..., Any]], constants: Sequence[str]):
        self._forward, self._backward = forward, backward
        inputs, results = [each.name for each in forward.inputs], [each.name for each in forward.results]
        if any(each.access == "inout" for each in forward.inputs):
            raise InvalidArgumentError(f"{forward.name}: expected an operator that changes no input, as it has a gradient, got one that "
                                       "does")
        known = {each.name: each for each in (*forward.inputs, *forward.results)}
        for each in forward.results:
            if known.setdefault(f"d{each.name}", each) is not each:
                raise InvalidArgumentError(f"{forward.name}: expected another name than that of the gradient of {each.name}, got "
                                           f"d{each.name}")
        for each in backward.inputs:
            if each.name in known and (each.element, len(each.extents)) != (known[each.name].element, len(known[each.name].extents)):
                raise InvalidArgumentError(f"{backward.name}: {each.name}: expected {known[each.name]}, as {forward.name} has it, got "
                                           f"{each}")
            if each.name not in known:
                raise InvalidArgumentError(f"{backward.name}: expected inputs and results of {forward.name}, and gradients of its "
                                           f"results ({', '.join(sorted(known))}), got '{each.name}'")
        own = [each.name for each in backward.results]
        self._functions: dict[str, Callable[..., Any]] = {}
        for each in forward.inputs:
            if each.name in gradients:
                self._functions[each.name] = gradients[each.name]
                needed = [name for name in inspect.signature(gradients[each.name]).parameters if name not in own]
                if needed:
                    raise InvalidArgumentError(f"gradients: {each.name}: expected a function of results of {backward.name} "
                                               f"({', '.join(own)}), got one of '{needed[0]}'")
            elif each.is_differentiable and each.name not in constants and f"d{each.name}" not in own:
                raise InvalidArgumentError(f"{backward.name}: expected a gradient of each input of {forward.name}, a result "
                                           f"'d{each.name}', or '{each.name}' in gradients or constants, got none")
        self._saved = [each.name for each in backward.inputs if each.name in (*inputs, *results)]
        # Results whose gradients the kernel doesn't take have none.
        self._plain = [name for name in results if not any(each.name == f"d{name}" for each in backward.inputs)]
        self._constants = set(constants)
        forward.definition.register_autograd(self._run, setup_context=self._save)

    def _save(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        results = output if isinstance(output, (tuple, list)) else (output,)
        values = dict(zip((each.name for each in self._forward.inputs), inputs))
        values.update(zip((each.name for each in self._forward.results), results))
        ctx.mark_non_differentiable(*(values[name] for name in self._plain))
        ctx.tensors = [name for name in self._saved if isinstance(values[name], torch.Tensor)]
        ctx.numbers = {name: values[name] for name in self._saved if name not in ctx.tensors}
        ctx.save_for_backward(*(values[name] for name in ctx.tensors))

    def _run(self, ctx: Any, *gradients: Any) -> Any:
        values = {**ctx.numbers, **dict(zip(ctx.tensors, ctx.saved_tensors))}
        values.update((f"d{each.name}", gradient) for each, gradient in zip(self._forward.results, gradients))
        made = self._backward(*(values[each.name] for each in self._backward.inputs))
        results = made if isinstance(made, (tuple, list)) else (made,)
        found = dict(zip((each.name for each in self._backward.results), results))

        def choose(slot: Slot) -> Any:
            if slot.name in self._functions:
                function = self._functions[slot.name]
                return function(*(found[name] for name in inspect.signature(function).parameters))
            return found.get(f"d{slot.name}") if slot.is_differentiable and slot.name not in self._constants else None

        return tuple(map(choose, self._forward.inputs))


def find_kernel(source: Any, kernel: Optional[str]) -> str:
    known = (source.name,) if isinstance(source, TracedKernel) else source.kernels if isinstance(source, Package) else None
    if known is None:
        raise InvalidArgumentError(f"expected a kernel of carousel.kernel, or a package, got {type(source).__name__}")
    if kernel is None and len(known) == 1:
        return str(known[0])
    if kernel not in known:
        raise InvalidArgumentError(f"kernel: expected one of {', '.join(known)}, got {kernel}")
    return kernel


def operator(source: Union[TracedKernel, Package], name: str, *, kernel: Optional[str] = None,
             results: Optional[Callable[..., Any]] = None, backward: Union[Operator, TracedKernel, Package, None] = None,
             gradients: Optional[Mapping[str, Callable[..., Any]]] = None, constants: Sequence[str] = (),
             chip: Optional[str] = None, simulate: bool = False) -> Operator:
    """An operator of torch.library, as torch.ops has it by its `name`, such as "mine::softmax".

    `source` is a kernel of carousel.kernel, which is compiled at the first call for the chip of the tensors, or a package with the
    `kernel`. Inputs of the operator are the kernel's inputs and numbers, in its order, and arguments that it changes; what it
    writes are results. Their extents are those of inputs by their names, unless a function `results` of the inputs gives empty
    tensors. Inputs whose memory the kernel can't take are copied.

    `backward` is a kernel, or an operator, that computes gradients: of its parameters, x and y are an input and a result of this
    operator, dy is the gradient of the result, and dx, which it writes, the gradient of the input. `gradients` has functions for
    inputs whose gradient follows from results of it, such as {"w": lambda parts: parts.sum(0)}. `constants` are inputs without a
    gradient. With `simulate`, tensors on the CPU go to the simulated machine. `chip` is the one to compile
    for, by default that of the tensors' GPU, and sm_90a for the simulated machine."""
    options = Options(chip=chip, cpu="simulate" if simulate else "torch")
    if simulate and isinstance(source, Package):
        raise InvalidArgumentError("simulate: expected a kernel of carousel.kernel, got a package, which has no source")
    made = Operator(source, name, find_kernel(source, kernel), results, options)
    if backward is not None:
        if not isinstance(backward, Operator):
            backward = Operator(backward, f"{name}_backward", find_kernel(backward, None), None, options)
        Gradient(made, backward, gradients or {}, constants)
    elif gradients or constants:
        raise InvalidArgumentError("expected gradients and constants with a backward kernel, got none")
    return made
