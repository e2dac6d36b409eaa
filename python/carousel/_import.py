# ===- _import.py - functions of JAX and PyTorch as graphs ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Functions become linalg on tensors by the modules of carousel-import, which the wheel has beside this file."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Optional, Union

from . import _compiler as api
from ._arrays import is_torch_tensor, view_array
from .errors import CarouselError, InvalidArgumentError, MissingPackageError

FRAMEWORKS = ("jax", "torch")
CLEAN = "builtin.module(reconcile-unrealized-casts,inline,symbol-dce,canonicalize,cse,canonicalize)"


def find_tool() -> Path:
    """carousel-import, in the wheel or in the source tree."""
    here = Path(__file__).resolve().parent
    for path in (here / "_importer" / "carousel-import", here.parents[1] / "tools/carousel-import/carousel-import"):
        if path.is_file():
            return path
    raise CarouselError(f"expected carousel-import in {here / '_importer'}, got none; reinstall the package")


@contextlib.contextmanager
def load_tool() -> Iterator[ModuleType]:
    """The script as a module. Its own modules are found beside it as long as the context lasts."""
    path = find_tool()
    sys.path.insert(0, str(path.parent))
    try:
        name = "carousel_import"
        if name not in sys.modules:
            loader = importlib.machinery.SourceFileLoader(name, str(path))
            spec = importlib.util.spec_from_loader(name, loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            sys.modules[name] = module
        yield sys.modules[name]
    finally:
        sys.path.remove(str(path.parent))


def find_framework(function: object, inputs: Optional[Sequence[object]]) -> str:
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch and (isinstance(function, torch.nn.Module) or any(map(is_torch_tensor, inputs or ()))):
        return "torch"
    if jax and (hasattr(function, "lower") or any(isinstance(value, jax.Array) for value in inputs or ())):
        return "jax"
    # The one that the function's module has imported.
    names = [getattr(value, "__name__", "").partition(".")[0]
             for value in getattr(function, "__globals__", {}).values() if isinstance(value, ModuleType)]
    found = [framework for framework in FRAMEWORKS if framework in names]
    if len(found) == 1:
        return found[0]
    raise InvalidArgumentError("expected framework='jax' or 'torch', as neither the function nor its inputs tell, got none")


def describe_inputs(inputs: Sequence[object]) -> str:
    """The shapes of arrays: "f32[8,64],parameter bf16[64]". Parameters of PyTorch's modules are parameters."""
    shapes, of_torch = [], getattr(sys.modules.get("torch"), "nn", None)
    for number, value in enumerate(inputs):
        if hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(value, "__array_interface__") \
                and not is_torch_tensor(value):
            from ._arrays import find_element

            described: Any = value  # a jax.ShapeDtypeStruct, or an array that isn't on the host
            element, extents = find_element(described.dtype, "", f"inputs[{number}]"), tuple(described.shape)
        else:
            view = view_array(value, f"inputs[{number}]")
            if view is None:
                raise InvalidArgumentError(f"inputs[{number}]: expected an array, got {type(value).__name__}")
            element, extents = view.element, view.extents
        kind = "parameter " if of_torch is not None and isinstance(value, of_torch.Parameter) else ""
        shapes.append(f"{kind}{element}[{','.join(map(str, extents))}]")
    return ",".join(shapes)


def import_function(function: object, shapes: Union[str, Sequence[str], None], inputs: Optional[Sequence[object]],
                    framework: Optional[str]) -> str:
    """A function of arrays as MLIR text. A program of torch.export says its shapes itself."""
    if is_exported_program(function):
        if shapes is not None or inputs is not None or framework not in (None, "torch"):
            raise InvalidArgumentError("expected neither shapes, inputs nor framework with a torch.export.ExportedProgram, which "
                                       "has them, got some")
        return translate(lambda tool: tool.export_program(function))
    if (shapes is None) == (inputs is None):
        raise InvalidArgumentError("expected shapes, such as 'f32[b,64],bf16[64]', or inputs with a function, got "
                                   f"{'neither' if shapes is None else 'both'}")
    if framework is not None and framework not in FRAMEWORKS:
        raise InvalidArgumentError(f"framework: expected jax or torch, got '{framework}'")
    framework = framework or find_framework(function, inputs)
    text = describe_inputs(inputs) if inputs is not None else shapes if isinstance(shapes, str) else ",".join(shapes or ())
    if framework == "torch":
        with keep_modes(function):  # the tool takes modules as they are at inference
            return translate(lambda tool: tool.export_torch(tool.as_torch_module(function), tool.parse_shapes(text)))
    return translate(lambda tool: tool.export_jax(function, tool.parse_shapes(text)))


@contextlib.contextmanager
def keep_modes(function: Any) -> Iterator[None]:
    """Modules that train go on training."""
    torch = sys.modules.get("torch")
    is_module = torch is not None and isinstance(function, torch.nn.Module)
    training = [module for module in function.modules() if module.training] if is_module else []
    try:
        yield
    finally:
        for module in training:
            module.training = True


def is_exported_program(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.export.ExportedProgram)


def translate(export: Callable[[Any], str]) -> str:
    with load_tool() as tool:
        try:
            graph, clean = export(tool), tool.replace_argument_places
        except (tool.Failure, tool.Refusal) as failure:
            message = str(failure)
            kind = MissingPackageError if "Python package" in message else InvalidArgumentError
            raise kind(message) from None
    return str(clean(api.run_passes(api.make_source("<imported>", graph.encode()), CLEAN, has_locations=True)))
