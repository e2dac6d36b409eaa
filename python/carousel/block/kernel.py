# ===- kernel.py - kernels in Python ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`@carousel.kernel`: a function of Python becomes a kernel of the block phase (docs/BlockPhase.md).

A parameter's annotation is a text: "bf16[m, n]", "out f32[m]", "inout contiguous f32[8, n]", "f32". Names are extents that
each launch chooses. Rows of a matrix may have gaps unless it is contiguous. A workspace, "workspace i32[ceildiv(m, 64)]", is
memory that the runtime gives, at first of zeros; callers don't pass it. Memory that GPUs share is "symmetric" if it is this
GPU's part, "peer" if it is another's, and "multicast" if it is that of all (docs/Transport.md)."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Optional, Union

from .memory import ELEMENTS, Argument
from .trace import PACKAGE, Function, Node, Op, Place, Printer, Region, Trace, TraceError, Type, drop_dead
from .values import Value


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
                if isinstance(extent, str) and not argument.is_workspace:
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


def find_called(error: BaseException) -> str:
    """The function of this package that a kernel called, if the error is from inside of it: not from the kernel's own code."""
    called, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        is_own = code.co_filename.startswith(str(Path(PACKAGE).parent)) and code.co_name != "__getattr__"
        called = "" if not is_own else called or code.co_name.strip("_")
        trace = trace.tb_next
    return called


class TracedKernel:
    """A kernel that Python wrote. `mlir` is its text at the block phase; carousel.compile and carousel.simulate take it."""

    def __init__(self, function: Callable[..., object], grid: Any, block: Optional[int], width: Optional[int],
                 covers: Union[str, int, None], module: Optional[str], cluster: Union[int, Sequence[int], None] = None,
                 parts: Optional[int] = None):
        self.name, self.function = function.__name__, function
        self.module = module or self.name
        self.__doc__ = function.__doc__
        trace = Trace()
        self._trace, self._arguments = trace, self._make_arguments(trace.body)
        with trace, NamedValues():
            try:
                returned = function(*self._arguments)
            except TraceError:
                raise
            except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError) as error:
                if operation := find_called(error):
                    raise TraceError(f"{operation}: expected operands of the kinds that it takes, got others: "
                                     f"{type(error).__name__}: {error}") from error
                raise
        if trace.failure:
            raise TraceError(f"{self.name}: {trace.failure}")
        if returned is not None:
            raise TraceError(f"{self.name}: expected a kernel that returns nothing, got {type(returned).__name__}")
        for called in trace.functions.values():
            drop_dead(called.body)
        drop_dead(trace.body)
        if not trace.body.ops:
            raise TraceError(f"{self.name}: expected a kernel that writes to an argument, got one that doesn't")
        expressions = Expressions(self._arguments)
        extents = [grid] if isinstance(grid, (int, str)) else list(grid)
        if not 1 <= len(extents) <= 3:
            raise TraceError(f"grid: expected 1 to 3 extents, got {len(extents)}")
        launch = "grid = [" + ", ".join(expressions.spell(each, "grid") for each in extents) + "]"
        self._launch = launch + (f", block = [{block}]" if block else "")
        if cluster is not None:
            shape = [cluster] if isinstance(cluster, int) else list(cluster)
            if not 1 <= len(shape) <= 3 or any(not isinstance(extent, int) or extent < 1 for extent in shape):
                raise TraceError(f"cluster: expected 1 to 3 extents from 1 on, got {cluster}")
            self._launch += f", cluster = {shape}"
        self._workspaces = {
            id(argument): ", ".join(expressions.spell(extent, argument.name) for extent in argument.extents
                                    if isinstance(extent, str))
            for argument in self._arguments if isinstance(argument, Argument) and argument.is_workspace}
        if (width is None) != (covers is None):
            raise TraceError("expected width and covers together, got one of them")
        self._program = "" if width is None or covers is None else \
            f"width = {width}, covers = {expressions.spell(covers, 'covers')}"
        self._parts = "" if parts is None else f" carousel.parts = {parts} : i64,"

    @property
    def symbols(self) -> dict[str, list[tuple[str, int]]]:
        """The arguments and dimensions that each name of an extent stands for."""
        places: dict[str, list[tuple[str, int]]] = {}
        for argument in self._arguments:
            for dim, extent in enumerate(argument.extents if isinstance(argument, Argument) else ()):
                if isinstance(extent, str) and not argument.is_workspace:
                    places.setdefault(extent, []).append((argument.name, dim))
        return places

    @property
    def parameters(self) -> list[tuple[str, str, str, Optional[list[Union[int, str]]]]]:
        """Of each argument that callers pass, the name, the access, the element type, and the extents; None of a scalar."""
        return [(each.name, each.access, each.dtype, list(each.extents)) if isinstance(each, Argument)
                else (each.node.name, "in", str(each.node.type), None)
                for each in self._arguments if not (isinstance(each, Argument) and each.is_workspace)]

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

    @property
    def _functions(self) -> list[Function]:
        """Those that the kernel calls, callees before their callers."""
        found: dict[int, Function] = {}

        def visit(ops: Iterable[Op]) -> None:
            for op in ops:
                if op.callee is not None and id(op.callee) not in found:
                    visit(op.callee.body.walk())
                    found[id(op.callee)] = op.callee

        visit(self._trace.body.walk())
        return list(found.values())

    def _print(self, has_places: bool, callees: Mapping[object, str]) -> str:
        printer = Printer(has_places, callees)
        parameters = []
        for argument in self._arguments:
            access = argument.access if isinstance(argument, Argument) else "in"
            extents = self._workspaces.get(id(argument))
            more = "" if extents is None else f", carousel.workspace = #carousel.workspace<[{extents}]>"
            if isinstance(argument, Argument) and argument.sharing:
                more += f", carousel.{argument.sharing}"
            parameters.append(f"{printer.name(argument.node)}: {argument.node.type} "
                              f"{{carousel.argument = #carousel.argument<\"{argument.node.name}\", {access}>{more}}}")
        printer.region(self._trace.body, "    ")
        place = self._place if has_places else ""
        joined = (",\n" + " " * 6).join(parameters)
        return (f"  gpu.func @{self.name}(\n      {joined}) kernel attributes {{\n"
                f"      carousel.block_program = #carousel.block_program<{self._program}>,{self._parts}\n"
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
    texts = []
    for name, members in modules.items():
        functions = {each.key: each for member in members for each in member._functions}
        names = name_functions(functions.values(), {each.name for each in members})
        parts = [print_function(each, has_places, names) for each in functions.values()]
        parts += [each._print(has_places, names) for each in members]
        texts.append(f"gpu.module @{name} {{\n" + "\n".join(parts) + f"}}{members[0]._place if has_places else ''}\n")
    return "\n".join(texts)


def name_functions(functions: Iterable[Function], taken: set[str]) -> dict[object, str]:
    """A name for each, with numbers where there are several of a name."""
    names: dict[object, str] = {}
    for each in functions:
        name, number = each.name if each.name.isidentifier() else "function", 1
        while name in taken:
            name, number = f"{each.name}_{number}", number + 1
        taken.add(name)
        names[each.key] = name
    return names


def print_function(function: Function, has_places: bool, names: Mapping[object, str]) -> str:
    printer = Printer(has_places, names)
    parameters = ", ".join(f"{printer.name(node)}: {node.type}" for node in function.body.arguments)
    printer.region(function.body, "    ")
    place = str(function.place) if has_places else ""
    results = ", ".join(map(printer.name, function.body.results))
    types = ", ".join(str(node.type) for node in function.body.results)
    returned = f" {results} : {types}" if results else ""
    return "".join([f"  func.func private @{names[function.key]}({parameters})", f" -> ({types})" if types else "", " {\n",
                    "".join(f"{line}\n" for line in printer.lines), f"    return{returned}{place}\n  }}{place}\n"])


def kernel(function: None = None, *, grid: Union[int, str, Sequence[Union[int, str]], None] = None, block: Optional[int] = None, width: Optional[int] = None,
           covers: Union[str, int, None] = None, module: Optional[str] = None,
           cluster: Union[int, Sequence[int], None] = None, parts: Optional[int] = None) -> Callable[[Callable[..., object]], TracedKernel]:
    """Makes a kernel of a function. `grid` has an expression for each axis, such as "ceildiv(m, 128)". `block` is the number
    of threads, by default the compiler's choice. `width` and `covers` are of kernels whose vectors cover a whole row
    (docs/BlockPhase.md#width). `module` is the name of the gpu.module. `cluster` is the number of CTAs in a cluster, or its
    extents; the grid's must be multiples of them. The iterations of a loop of products may be divided into up to `parts`
    parts (docs/BlockPhase.md#who-multiplies)."""

    if function is not None or grid is None:
        raise TraceError("kernel: expected a grid, as in @carousel.kernel(grid=\"ceildiv(n, 1024)\"), got none")

    def trace(function: Callable[..., object]) -> TracedKernel:
        return TracedKernel(function, grid, block, width, covers, module, cluster, parts)

    return trace
