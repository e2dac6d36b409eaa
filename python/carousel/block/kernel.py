# ===- kernel.py - kernels in Python ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`@carousel.kernel`: a function of Python becomes a kernel of the block phase (docs/BlockPhase.md).

A parameter's annotation is a text: "bf16[m, n]", "out f32[m]", "inout contiguous f32[8, n]", "f32". Names are extents that
each launch chooses. Rows of a matrix may have gaps unless it is contiguous."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, Callable, Optional, Union

from .trace import PACKAGE, Node, Place, Printer, Region, Trace, TraceError, Type, drop_dead
from .values import FLOATS, INDEX, INTEGERS, Number, Operand, Value, as_value, find_linear, make

GLOBAL = "#gpu.address_space<global>"
ELEMENTS = (*INTEGERS, *FLOATS, "f8E8M0FNU")
ANNOTATION = re.compile(r"\s*(?:(in|out|inout)\s+)?(contiguous\s+)?(\w+)\s*(?:\[([^\[\]]*)\])?\s*")


class Argument:
    """A tensor that a kernel reads and writes by slices: `x[i, :1024]`, `y[i:i + 64, j:j + 64] = v`. A slice has as many
    elements as the vector; a number takes one. Elements beyond the tensor read as 0, and aren't written."""

    def __init__(self, name: str, text: str, position: int, body: Region):
        match = ANNOTATION.fullmatch(text)
        if not match or match[3] not in ELEMENTS or match[4] is None:
            raise TraceError(f"{name}: expected an annotation such as 'bf16[m, n]', 'out f32[m]' or 'f32', of "
                             f"{', '.join(ELEMENTS)}, got '{text}'")
        self.name, self.access, self.dtype, self.position = name, match[1] or "in", match[3], position
        self.extents: list[Union[int, str]] = []
        for extent in (part.strip() for part in match[4].split(",") if match[4].strip()):
            if not re.fullmatch(r"\d+|[A-Za-z_]\w*", extent):
                raise TraceError(f"{name}: expected numbers and names as extents, got '{extent}'")
            self.extents.append(int(extent) if extent.isdigit() else extent)
        dims = "".join(f"{extent if isinstance(extent, int) else '?'}x" for extent in self.extents)
        layout = "" if match[2] or len(self.extents) < 2 else f"strided<[{'?, ' * (len(self.extents) - 1)}1], offset: ?>, "
        self.type = f"memref<{dims}{self.dtype}, {layout}{GLOBAL}>"
        self.node = Node(Type(self.type), name, body)
        self.padding: Number = 0

    @property
    def shape(self) -> tuple[Union[int, Value], ...]:
        """Extents: numbers of Python where they are fixed."""
        return tuple(extent if isinstance(extent, int) else self._extent(dim) for dim, extent in enumerate(self.extents))

    def _extent(self, dim: int) -> Value:
        of = Value(self.node)
        return make(f"memref.dim {{0}}, {{1}} : {self.type}", [of, as_value(dim, INDEX)], INDEX, str(self.extents[dim]))

    def pad(self, value: Number) -> Argument:
        """The same tensor, whose elements beyond the end read as `value`."""
        padded = object.__new__(type(self))
        padded.__dict__.update(self.__dict__, padding=value)
        return padded

    def _box(self, index: Any) -> tuple[list[Value], list[int], list[int]]:
        """Where an access starts, the extents of its vector, and the dimensions that these are of."""
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) != len(self.extents):
            raise TraceError(f"{self.name}: expected {len(self.extents)} indices, got {len(indices)}")
        starts, extents, dims = [], [], []
        for dim, each in enumerate(indices):
            if not isinstance(each, slice):
                starts.append(self._index(each))
                continue
            if each.step is not None:
                raise TraceError(f"{self.name}: expected slices without a step, got one with {each.step}")
            start = self._index(0 if each.start is None else each.start)
            extents.append(self._count(start, each.stop, dim))
            starts.append(start)
            dims.append(dim)
        return starts, extents, dims

    def _index(self, value: Operand) -> Value:
        made = as_value(value, INDEX)
        if made.type != INDEX:
            raise TraceError(f"{self.name}: expected indices of type index, got {made.type}; convert them with .to('index')")
        return made

    def _count(self, start: Value, stop: Optional[Operand], dim: int) -> int:
        """The elements of a slice, which the trace must know: i:i + 64."""
        if stop is None:
            fixed = self.extents[dim]
            if not isinstance(fixed, int):
                raise TraceError(f"{self.name}: expected slices with a stop, such as i:i + 64, since the extent {fixed} is "
                                 "known at the launch only")
            stop = fixed
        first, last = find_linear(start), find_linear(self._index(stop))
        assert first is not None and last is not None
        if first[0] != last[0]:
            raise TraceError(f"{self.name}: expected a slice whose number of elements is fixed, such as i:i + 64")
        count = last[1] - first[1]
        if count < 1:
            raise TraceError(f"{self.name}: expected a slice of at least one element, got {count}")
        return count

    def _map(self, dims: list[int]) -> str:
        """Vectors are of the last dimensions unless a map says of which."""
        rank = len(self.extents)
        if dims == list(range(rank - len(dims), rank)):
            return ""
        names = [f"d{dim}" for dim in range(rank)]
        return f" {{{{permutation_map = affine_map<({', '.join(names)}) -> ({', '.join(names[dim] for dim in dims)})>}}}}"

    def __getitem__(self, index: Any) -> Value:
        starts, extents, dims = self._box(index)
        places = ", ".join(f"{{{number + 1}}}" for number in range(len(starts)))
        if not dims:
            return make(f"memref.load {{0}}[{places}] : {self.type}", [Value(self.node), *starts], Type(self.dtype), "element")
        padding = as_value(float(self.padding) if self.dtype in FLOATS else self.padding, Type(self.dtype))
        result = Type(self.dtype, tuple(extents))
        return make(f"vector.transfer_read {{0}}[{places}], {{{len(starts) + 1}}}{self._map(dims)} : {self.type}, {result}",
                    [Value(self.node), *starts, padding], result, self.name + "_tile")

    def __setitem__(self, index: Any, value: Operand) -> None:
        if self.access == "in":
            raise TraceError(f"{self.name}: expected an argument with 'out' or 'inout' to write to, got one with 'in'")
        starts, extents, dims = self._box(index)
        wanted = Type(self.dtype, tuple(extents) if dims else None)
        made = as_value(value, wanted)
        if made.type != wanted:
            raise TraceError(f"{self.name}: expected {wanted} for this slice, got {made.type}")
        places = ", ".join(f"{{{number + 2}}}" for number in range(len(starts)))
        text = (f"vector.transfer_write {{0}}, {{1}}[{places}]{self._map(dims)} : {wanted}, {self.type}" if dims else
                f"memref.store {{0}}, {{1}}[{places}] : {self.type}")
        Trace.get().add(text, [made.node, self.node, *[start.node for start in starts]], None, "", has_effects=True)


class Expressions:
    """Spells expressions of launches: names of extents and of scalars, and what #carousel.launch has."""

    FUNCTIONS = ("ceildiv", "floordiv", "min", "max", "mod")
    NAMES = ("resident", "sms")
    OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}

    def __init__(self, arguments: Sequence[Any]):
        self.places: dict[str, str] = {}
        for number, argument in enumerate(arguments):
            if not isinstance(argument, Argument):
                self.places.setdefault(argument.node.name, f"scalar({number})")
                continue
            for dim, extent in enumerate(argument.extents):
                if isinstance(extent, str):
                    self.places.setdefault(extent, f"extent({number}, {dim})")

    def spell(self, expression: Union[int, str], what: str) -> str:
        try:
            return self._spell(ast.parse(str(expression), mode="eval").body)
        except (SyntaxError, TraceError) as error:
            reason = error if isinstance(error, TraceError) else "no expression"
            known = ", ".join([*self.places, *self.NAMES])
            raise TraceError(f"{what}: expected an expression of {known}, with + - * // %, ceildiv, min and max, got "
                             f"'{expression}' ({reason})") from None

    def _spell(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return str(node.value)
        if isinstance(node, ast.Name) and (node.id in self.places or node.id in self.NAMES):
            return self.places.get(node.id, node.id)
        if isinstance(node, ast.BinOp):
            left, right = self._spell(node.left), self._spell(node.right)
            if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
                return f"{'floordiv' if isinstance(node.op, ast.FloorDiv) else 'mod'}({left}, {right})"
            if type(node.op) in self.OPERATORS:
                parts = [f"({part})" if isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Add, ast.Sub)) else part
                         for part, side in ((left, node.left), (right, node.right))]
                return f" {self.OPERATORS[type(node.op)]} ".join(parts)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.FUNCTIONS and not node.keywords:
            return f"{node.func.id}({', '.join(map(self._spell, node.args))})"
        raise TraceError(f"'{ast.unparse(node)}' isn't known")


class NamedValues:
    """Names values by the variables of Python that have them, when a function of a kernel returns."""

    def __enter__(self) -> None:
        self.before = sys.getprofile()
        sys.setprofile(self.note)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self.before)

    @staticmethod
    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "return" or frame.f_code.co_filename.startswith(PACKAGE):
            return
        for name, value in dict(frame.f_locals).items():
            if isinstance(value, Value) and name.isascii():
                value.node.name = name


class TracedKernel:
    """A kernel that Python wrote. `mlir` is its text at the block phase; carousel.compile and carousel.simulate take it."""

    def __init__(self, function: Callable[..., object], grid: Any, block: Optional[int], width: Optional[int],
                 covers: Union[str, int, None], module: Optional[str]):
        self.name, self.function = function.__name__, function
        self.module = module or self.name
        self.__doc__ = function.__doc__
        trace = Trace()
        self._trace, self._arguments = trace, self._make_arguments(trace.body)
        with trace, NamedValues():
            returned = function(*self._arguments)
        if trace.failure:
            raise TraceError(f"{self.name}: {trace.failure}")
        if returned is not None:
            raise TraceError(f"{self.name}: expected a kernel that returns nothing, got {type(returned).__name__}")
        drop_dead(trace.body)
        if not trace.body.ops:
            raise TraceError(f"{self.name}: expected a kernel that writes to an argument, got one that doesn't")
        expressions = Expressions(self._arguments)
        extents = [grid] if isinstance(grid, (int, str)) else list(grid)
        if not 1 <= len(extents) <= 3:
            raise TraceError(f"grid: expected 1 to 3 extents, got {len(extents)}")
        launch = "grid = [" + ", ".join(expressions.spell(each, "grid") for each in extents) + "]"
        self._launch = launch + (f", block = [{block}]" if block else "")
        if (width is None) != (covers is None):
            raise TraceError("expected width and covers together, got one of them")
        self._program = "" if width is None or covers is None else \
            f"width = {width}, covers = {expressions.spell(covers, 'covers')}"

    @property
    def symbols(self) -> dict[str, list[tuple[str, int]]]:
        """The arguments and dimensions that each name of an extent stands for."""
        places: dict[str, list[tuple[str, int]]] = {}
        for argument in self._arguments:
            for dim, extent in enumerate(argument.extents if isinstance(argument, Argument) else ()):
                if isinstance(extent, str):
                    places.setdefault(extent, []).append((argument.name, dim))
        return places

    def _make_arguments(self, body: Region) -> list[Any]:
        arguments: list[Any] = []
        for position, parameter in enumerate(inspect.signature(self.function).parameters.values()):
            text = parameter.annotation
            if isinstance(text, str) and text[:1] in "'\"":  # from __future__ import annotations
                text = ast.literal_eval(text)
            if not isinstance(text, str) or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
                raise TraceError(f"{self.name}: expected parameters with an annotation such as 'bf16[m, n]', got {parameter}")
            if text.strip() in ELEMENTS:
                arguments.append(Value(Node(Type(text.strip()), parameter.name, body)))
            else:
                arguments.append(Argument(parameter.name, text, position, body))
        return arguments

    def _print(self, has_places: bool) -> str:
        printer = Printer(has_places)
        parameters = []
        for argument in self._arguments:
            access = argument.access if isinstance(argument, Argument) else "in"
            parameters.append(f"{printer.name(argument.node)}: {argument.node.type} "
                              f"{{carousel.argument = #carousel.argument<\"{argument.node.name}\", {access}>}}")
        printer.region(self._trace.body, "    ")
        place = self._place if has_places else ""
        joined = (",\n" + " " * 6).join(parameters)
        return (f"  gpu.func @{self.name}(\n      {joined}) kernel attributes {{\n"
                f"      carousel.block_program = #carousel.block_program<{self._program}>,\n"
                f"      carousel.launch = #carousel.launch<{self._launch}>}} {{\n"
                + "\n".join(printer.lines) + f"\n    gpu.return{place}\n  }}{place}\n")

    @property
    def _place(self) -> str:
        code = self.function.__code__
        return str(Place(code.co_filename, code.co_firstlineno))

    @property
    def mlir(self) -> str:
        """The kernel's text, as authors write it by hand."""
        return print_kernels([self], has_places=False)

    @property
    def mlir_with_places(self) -> str:
        """The same with locations, which are lines of Python."""
        return print_kernels([self], has_places=True)

    def __call__(self, *_: object) -> None:
        raise TraceError(f"expected a compiled kernel to launch, got @carousel.kernel {self.name}; use "
                         f"carousel.compile({self.name}).kernel()")

    def __repr__(self) -> str:
        return f"<carousel.kernel {self.name}({', '.join(argument.node.name for argument in self._arguments)})>"


def print_kernels(kernels: Sequence[TracedKernel], has_places: bool) -> str:
    """The kernels' text: those of one module together."""
    modules: dict[str, list[TracedKernel]] = {}
    for each in kernels:
        others = modules.setdefault(each.module, [])
        if any(other.name == each.name for other in others):
            raise TraceError(f"expected kernels of different names in the module {each.module}, got {each.name} twice")
        others.append(each)
    return "\n".join(
        f"gpu.module @{name} {{\n" + "\n".join(each._print(has_places) for each in members)
        + f"}}{members[0]._place if has_places else ''}\n" for name, members in modules.items())


def kernel(*, grid: Union[int, str, Sequence[Union[int, str]]], block: Optional[int] = None, width: Optional[int] = None,
           covers: Union[str, int, None] = None, module: Optional[str] = None) -> Callable[[Callable[..., object]], TracedKernel]:
    """Makes a kernel of a function. `grid` has an expression for each axis, such as "ceildiv(m, 128)". `block` is the number
    of threads, by default the compiler's choice. `width` and `covers` are of kernels whose vectors cover a whole row
    (docs/BlockPhase.md#width). `module` is the name of the gpu.module."""

    def trace(function: Callable[..., object]) -> TracedKernel:
        return TracedKernel(function, grid, block, width, covers, module)

    return trace
