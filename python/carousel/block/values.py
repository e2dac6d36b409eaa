# ===- values.py - what kernels see of ops and arguments ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Numbers and vectors that a kernel computes, and the arguments that it reads and writes."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from .._arrays import ELEMENTS
from .._numbers import FLOATS, INTEGERS, Number, check_number, read_scalar
from .constants import spell_number
from .trace import Listed, Node, Trace, TraceError, Type

INDEX, BOOL = Type("index"), "i1"

Operand = Union["Value", bool, int, float]
# An index as a sum: node times factor, and a constant.
Linear = tuple[frozenset[tuple[int, int]], int]


class Value(Listed):
    """A number, or a vector of the whole program. Operators work element by element, and follow the rules of NumPy for
    extents: a missing one, or one of 1, is repeated. Python's numbers get the other operand's type."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Node, linear: Optional[Linear] = None):
        self.node, self.linear = node, linear

    @property
    def type(self) -> Type:
        return self.node.type

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents; () of a number."""
        return self.type.shape

    @property
    def dtype(self) -> str:
        """The type of the elements, such as "f32"."""
        return self.type.element

    def __repr__(self) -> str:
        return f"<carousel.block.Value {self.node.name}: {self.type}>"

    def __bool__(self) -> bool:
        raise TraceError("expected a condition that Python knows, got one that the kernel computes; use carousel.where, or "
                         "carousel.cond for code; & | ~ and carousel.maximum take the place of and, or, not and max")

    def __iter__(self) -> Any:
        raise TraceError("expected carousel.range to loop, got a value")

    def __index__(self) -> int:
        raise TraceError("expected a number that Python knows, got one that the kernel computes; use carousel.range to loop")

    def __float__(self) -> float:
        raise TraceError("expected a number that Python knows, got one that the kernel computes; use a function of carousel, "
                         "such as carousel.exp, or .to")

    def __int__(self) -> int:
        return int(float(self))

    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **_: Any) -> Value:
        """Operators of NumPy's scalars are those of the kernel."""
        if method == "__call__" and function.__name__ in UFUNCS:
            made: Value = UFUNCS[function.__name__](*operands)
            return made
        raise TraceError(f"expected functions of carousel for values of the kernel, got numpy.{function.__name__}")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TraceError("expected functions of carousel for values of the kernel, got one that makes an array of NumPy")

    def __add__(self, other: Operand) -> Value:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Value:
        return binary("add", other, self)

    def __sub__(self, other: Operand) -> Value:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Value:
        return binary("sub", other, self)

    def __mul__(self, other: Operand) -> Value:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Value:
        return binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return binary("div", other, self)

    def __floordiv__(self, other: Operand) -> Value:
        return binary("floordiv", self, other)

    def __mod__(self, other: Operand) -> Value:
        return binary("rem", self, other)

    def __and__(self, other: Operand) -> Value:
        return binary("and", self, other)

    def __or__(self, other: Operand) -> Value:
        return binary("or", self, other)

    def __xor__(self, other: Operand) -> Value:
        return binary("xor", self, other)

    def __lshift__(self, other: Operand) -> Value:
        return binary("shl", self, other)

    def __rshift__(self, other: Operand) -> Value:
        return binary("shr", self, other)

    def __getitem__(self, index: Any) -> Value:
        """Parts: `v[:, 16:32]`, whose bounds are numbers of Python, and `v[i]`, an element or a row."""
        from .parts import take_part

        return take_part(self, index if isinstance(index, tuple) else (index,))

    @property
    def at(self) -> Parts:
        """Parts to change: `v.at[:, 16:32].set(part)` and `v.at[i].set(number)` return the vector with that part."""
        return Parts(self)

    def __matmul__(self, other: Value) -> Value:
        """The product of matrices, as carousel.dot makes it."""
        from .functions import dot

        return dot(self, other)

    def __pow__(self, exponent: int) -> Value:
        if type(exponent) is not int or exponent < 1:
            raise TraceError(f"expected an exponent that is an integer from 1 on, got {exponent}; use carousel.exp2 and log2")
        half = self ** (exponent // 2) if exponent > 1 else None
        square = self if half is None else half * half
        return square * self if half is not None and exponent % 2 else square

    def __abs__(self) -> Value:
        from .functions import abs

        return abs(self)

    def __invert__(self) -> Value:
        return binary("xor", self, True if self.dtype == BOOL else -1)

    def __neg__(self) -> Value:
        if not self.type.is_float:
            return binary("sub", 0, self)
        return make(f"arith.negf {{0}} : {self.type}", [self], self.type, "negated")

    def __lt__(self, other: Operand) -> Value:
        return compare("lt", self, other)

    def __le__(self, other: Operand) -> Value:
        return compare("le", self, other)

    def __gt__(self, other: Operand) -> Value:
        return compare("gt", self, other)

    def __ge__(self, other: Operand) -> Value:
        return compare("ge", self, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return compare("eq", self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return compare("ne", self, other)  # type: ignore[arg-type]

    def to(self, element: str, *, unsigned: bool = False) -> Value:
        """Converts the elements: `x.to("f32")`. Integers have a sign unless they are `unsigned`."""
        return convert(self, element, unsigned)

    def reshape(self, *extents: int) -> Value:
        """The same elements, in row-major order, with other extents."""
        count = 1
        for extent in extents:
            count *= extent
        if not self.type.is_vector or count != element_count(self.type):
            raise TraceError(f"expected extents of {element_count(self.type)} elements for {self.type}, got {extents}")
        return cast_shape(self, extents)

    def transpose(self, *permutation: int) -> Value:
        """By default the reverse order of dimensions."""
        order = permutation or tuple(reversed(range(len(self.shape))))
        if sorted(order) != list(range(len(self.shape))):
            raise TraceError(f"expected a permutation of the {len(self.shape)} dimensions, got {order}")
        result = Type(self.dtype, tuple(self.shape[dim] for dim in order))
        return make(f"vector.transpose {{0}}, {list(order)} : {self.type} to {result}", [self], result, "transposed")

    @property
    def T(self) -> Value:  # noqa: N802 - NumPy's name
        """Transposed."""
        return self.transpose()

    def sum(self, axis: Union[int, Sequence[int], None] = None, *, start: Optional[Operand] = None,
            keepdims: bool = False) -> Value:
        """Sums along an axis or several, by default all, added to `start`. With `keepdims`, axes keep an extent of 1."""
        return reduce("add", self, axis, start, keepdims)

    def mean(self, axis: Union[int, Sequence[int], None] = None, *, keepdims: bool = False) -> Value:
        """Means of floats, as for `sum`."""
        if not self.type.is_float:
            raise TraceError(f"mean: expected floats, got {self.type}; convert them with .to('f32')")
        total = self.sum(axis, keepdims=keepdims)
        return total / (element_count(self.type) // element_count(total.type) * 1.0)

    def argmax(self, axis: Optional[int] = None, *, unsigned: bool = False) -> Value:
        """Where the first maximum along an axis is, as i32; of all elements, its place in row-major order. NaN is one, as in
        NumPy."""
        return find_first(self, "argmax", axis, lambda value, axis: value.max(axis, keepdims=True, propagate_nan=True,
                                                                             unsigned=unsigned))

    def argmin(self, axis: Optional[int] = None, *, unsigned: bool = False) -> Value:
        """Where the first minimum is, as for `argmax`."""
        return find_first(self, "argmin", axis, lambda value, axis: value.min(axis, keepdims=True, propagate_nan=True,
                                                                             unsigned=unsigned))

    def max(self, axis: Union[int, Sequence[int], None] = None, *, start: Optional[Operand] = None, keepdims: bool = False,
            propagate_nan: bool = False, unsigned: bool = False) -> Value:
        """Maxima, as for `sum`. A number wins over NaN, unless `propagate_nan`."""
        return reduce("maximum" if propagate_nan else "max", self, axis, start, keepdims, unsigned)

    def min(self, axis: Union[int, Sequence[int], None] = None, *, start: Optional[Operand] = None, keepdims: bool = False,
            propagate_nan: bool = False, unsigned: bool = False) -> Value:
        """Minima, as for `sum`. A number wins over NaN, unless `propagate_nan`."""
        return reduce("minimum" if propagate_nan else "min", self, axis, start, keepdims, unsigned)

    def prod(self, axis: Union[int, Sequence[int], None] = None, *, start: Optional[Operand] = None,
             keepdims: bool = False) -> Value:
        """Products, as for `sum`."""
        return reduce("mul", self, axis, start, keepdims)

    def cumsum(self, axis: Optional[int] = None, *, start: Operand = 0, exclusive: bool = False, reverse: bool = False) -> Value:
        """Sums of `start` and of all elements up to each one along an axis; with `exclusive`, without its own; with `reverse`,
        from the last one on. carousel.associative_scan gives the total, too, and takes any operation."""
        from .scans import cumulate

        return cumulate(lambda before, own: before + own, self, start, axis, exclusive, reverse)

    def cumprod(self, axis: Optional[int] = None, *, start: Operand = 1, exclusive: bool = False, reverse: bool = False) -> Value:
        """Products, as for `cumsum`."""
        from .scans import cumulate

        return cumulate(lambda before, own: before * own, self, start, axis, exclusive, reverse)

    def all(self, axis: Union[int, Sequence[int], None] = None, *, keepdims: bool = False) -> Value:
        """Whether all conditions hold."""
        return reduce("and", self._check_conditions("all"), axis, None, keepdims)

    def any(self, axis: Union[int, Sequence[int], None] = None, *, keepdims: bool = False) -> Value:
        """Whether a condition holds."""
        return reduce("or", self._check_conditions("any"), axis, None, keepdims)

    def _check_conditions(self, what: str) -> Value:
        if self.dtype != BOOL:
            raise TraceError(f"{what}: expected conditions of i1, got {self.type}")
        return self


class Parts:
    """Parts of a vector that `set` replaces, as with JAX's arrays."""

    def __init__(self, value: Value, indices: tuple[Any, ...] = ()):
        self._value, self._indices = value, indices

    def __getitem__(self, index: Any) -> Parts:
        return Parts(self._value, index if isinstance(index, tuple) else (index,))

    def set(self, part: Operand) -> Value:
        """The vector, with `part` in this place. A number is set in each element."""
        from .parts import set_part

        return set_part(self._value, self._indices, part)


def element_count(type: Type) -> int:
    count = 1
    for extent in type.shape:
        count *= extent
    return count


def make(text: str, operands: Sequence[Value], type: Type, name: str, linear: Optional[Linear] = None) -> Value:
    return Value(Trace.get().add(text, [operand.node for operand in operands], type, name), linear)


def constant(given: Any, type: Type) -> Value:
    """A number in each element."""
    check_element(type.element)
    scalar = read_scalar(given)
    if scalar is None:
        raise TraceError(f"expected a value of the kernel or a number, got {type_name(given)}")
    value = check_number(scalar, type.element, "", TraceError)
    spelt = spell_number(value, type.element)
    if type.is_vector:
        return make(f"arith.constant dense<{spelt}> : {type}", [], type, "constant")
    name = f"c{value}" if isinstance(value, int) and value >= 0 else "constant"
    suffix = "" if type.element == "i1" else f" : {type}"
    linear = (frozenset(), int(value)) if type.element == "index" else None  # type: ignore[var-annotated]
    return make(f"arith.constant {spelt}{suffix}", [], type, name, linear)


def as_value(value: Operand, type: Type) -> Value:
    if isinstance(value, Value):
        return value
    scalar = read_scalar(value)
    if scalar is None:
        raise TraceError(f"expected a value of the kernel or a number, got {type_name(value)}")
    number = check_number(scalar, type.element, "", TraceError)
    # A constant that no variable has stands once for all places that can use it.
    trace = Trace.get()
    key = (type, repr(number))
    for node in trace.constants.get(key, ()):
        if node.region.contains(trace.region):
            return Value(node, (frozenset(), int(number)) if type == INDEX else None)
    made = constant(number, type)
    trace.constants.setdefault(key, []).append(made.node)
    return made


def type_name(value: object) -> str:
    return type(value).__name__


def broadcast(value: Value, shape: tuple[int, ...]) -> Value:
    """Repeats missing dimensions before the others, and those of one element."""
    result = Type(value.dtype, shape)
    if value.type == result:
        return value
    return make(f"vector.broadcast {{0}} : {value.type} to {result}", [value], result, "broadcast")


def join_shapes(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(left), len(right))
    joined = []
    for a, b in zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right):
        if a != b and 1 not in (a, b):
            raise TraceError(f"expected vectors whose extents are equal or 1, got {left} and {right}")
        joined.append(max(a, b))
    return tuple(joined)


def unify(left: Operand, right: Operand) -> tuple[Value, Value]:
    """Both operands with the same type."""
    like = left if isinstance(left, Value) else right
    if not isinstance(like, Value):
        raise TraceError(f"expected a value of the kernel, got {type_name(left)} and {type_name(right)}")
    # A number gets the whole type: a constant vector needs no broadcast.
    first, second = as_value(left, like.type), as_value(right, like.type)
    if first.dtype != second.dtype:
        raise TraceError(f"expected operands of one type, got {first.type} and {second.type}; convert one with .to")
    if first.type.is_vector or second.type.is_vector:
        shape = join_shapes(first.shape, second.shape)
        return broadcast(first, shape), broadcast(second, shape)
    return first, second


def combine(operation: str, left: Optional[Linear], right: Optional[Linear]) -> Optional[Linear]:
    """The sum that an index is, where it is one."""
    if left is None or right is None:
        return None
    if operation in ("add", "sub"):
        sign = 1 if operation == "add" else -1
        terms = dict(left[0])
        for node, factor in right[0]:
            terms[node] = terms.get(node, 0) + sign * factor
        return frozenset((node, factor) for node, factor in terms.items() if factor), left[1] + sign * right[1]
    if operation == "mul" and (not left[0] or not right[0]):
        factor, other = (left[1], right) if not left[0] else (right[1], left)
        return frozenset((node, each * factor) for node, each in other[0] if factor), other[1] * factor
    return None


def find_linear(value: Value) -> Optional[Linear]:
    if value.type != INDEX:
        return None
    return value.linear or (frozenset({(id(value.node), 1)}), 0)


FLOAT_OPS = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf", "rem": "arith.remf"}
INTEGER_OPS = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "floordiv": "arith.divsi", "rem": "arith.remsi",
               "floor": "arith.floordivsi",
               "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori", "shl": "arith.shli", "shr": "arith.shrsi"}
# Indices of programs aren't negative.
INDEX_OPS = {**INTEGER_OPS, "floordiv": "arith.divui", "rem": "arith.remui", "shr": "arith.shrui"}
# Indices of programs don't overflow, either: what multiplies them promises that.
FLAGS = {("mul", "index"): " overflow<nsw>"}
NAMES = {"add": "sum", "sub": "difference", "mul": "product", "div": "quotient", "floordiv": "quotient", "rem": "rest"}


def binary(operation: str, left: Operand, right: Operand, flags: str = "", *, unsigned: bool = False) -> Value:
    first, second = unify(left, right)
    ops = FLOAT_OPS if first.type.is_float else INDEX_OPS if unsigned or first.dtype == "index" else INTEGER_OPS
    if operation not in ops:
        raise TraceError(f"expected operands that {operation} takes, got {first.type}")
    linear = combine(operation, find_linear(first), find_linear(second)) if first.type == INDEX else None
    flags = flags or FLAGS.get((operation, first.dtype), "")
    return make(f"{ops[operation]} {{0}}, {{1}}{flags} : {first.type}", [first, second], first.type,
                NAMES.get(operation, operation), linear)


def compare(predicate: str, left: Operand, right: Operand, *, unsigned: bool = False) -> Value:
    first, second = unify(left, right)
    result = first.type.with_element(BOOL)
    if first.type.is_float:
        spelt, op = ("une" if predicate == "ne" else f"o{predicate}"), "arith.cmpf"
    else:
        spelt, op = (predicate if predicate in ("eq", "ne") else f"{'u' if unsigned else 's'}{predicate}"), "arith.cmpi"
    return make(f"{op} {spelt}, {{0}}, {{1}} : {first.type}", [first, second], result, "is_" + predicate)


UFUNCS: dict[str, Any] = {
    **{name: functools.partial(binary, operation) for name, operation in {
        "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "floor_divide": "floordiv", "remainder": "rem",
        "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "left_shift": "shl", "right_shift": "shr"}.items()},
    **{name: functools.partial(compare, predicate) for name, predicate in {
        "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne"}.items()},
}


def check_element(element: str) -> None:
    if element not in (*INTEGERS, *FLOATS):
        raise TraceError(f"expected a type of {', '.join((*INTEGERS, *FLOATS))}, got '{element}'{suggest_element(element)}")


def suggest_element(name: str) -> str:
    """What a name of NumPy, PyTorch or Triton is here."""
    if unsigned := re.fullmatch(r"u(?:int)?(8|16|32|64)", name):
        return f"; use 'i{unsigned[1]}', and unsigned=True where a function or .to has it"
    element = ELEMENTS.get(name)
    return f"; use '{element}'" if element else ""


def convert(value: Value, element: str, unsigned: bool = False) -> Value:
    source, result = value.type, value.type.with_element(element)
    check_element(element)
    if source.element == element:
        return value
    if "index" in (source.element, element):
        if source.is_float or result.is_float:
            between = "i64" if "f64" in (source.element, element) else "i32"
            return convert(convert(value, between, unsigned), element, unsigned)
        op = "arith.index_castui" if unsigned else "arith.index_cast"
    elif source.is_float and result.is_float:
        if FLOATS[element].bits == FLOATS[source.element].bits:
            return convert(convert(value, "f32"), element)
        op = "arith.extf" if FLOATS[element].bits > FLOATS[source.element].bits else "arith.truncf"
    elif source.is_float:
        op = "arith.fptoui" if unsigned else "arith.fptosi"
    elif result.is_float:
        op = "arith.uitofp" if source.element == BOOL or unsigned else "arith.sitofp"
    elif INTEGERS[element] > INTEGERS[source.element]:
        op = "arith.extui" if source.element == BOOL or unsigned else "arith.extsi"
    else:
        op = "arith.trunci"
    return make(f"{op} {{0}} : {source} to {result}", [value], result, element if element != "index" else "i")


def cast_shape(value: Value, extents: Sequence[int]) -> Value:
    result = Type(value.dtype, tuple(extents))
    if result == value.type:
        return value
    return make(f"vector.shape_cast {{0}} : {value.type} to {result}", [value], result, "reshaped")


def find_first(value: Value, what: str, axis: Optional[int], extreme: Callable[[Value, int], Value]) -> Value:
    """Where the first element is that equals an extreme one, or is NaN, along an axis."""
    from .functions import iota, where

    if not value.type.is_vector:
        raise TraceError(f"{what}: expected a vector, got {value.type}")
    if axis is None:
        value, axis = cast_shape(value, (element_count(value.type),)), 0
    rank = len(value.shape)
    dim = axis + rank if axis < 0 else axis
    if not 0 <= dim < rank:
        raise TraceError(f"expected an axis of {value.type}, got {axis}")
    extent = value.shape[dim]
    is_extreme = value == extreme(value, dim)
    if value.type.is_float:
        is_extreme = is_extreme | (value != value)
    places = cast_shape(convert(iota(extent), "i32"), [extent if each == dim else 1 for each in range(rank)])
    return where(is_extreme, places, extent).min(dim)


INFINITY = float("inf")
NEUTRAL = {"add": 0, "mul": 1, "and": True, "or": False, "max": -INFINITY, "min": INFINITY, "maximum": -INFINITY,
           "minimum": INFINITY}
KINDS = {**{kind: (kind,) * 3 for kind in ("add", "mul", "and", "or")},
         "max": ("maxnumf", "maxsi", "maxui"), "min": ("minnumf", "minsi", "minui"),
         "maximum": ("maximumf", "maxsi", "maxui"), "minimum": ("minimumf", "minsi", "minui")}


def reduce(kind: str, value: Value, axis: Union[int, Sequence[int], None], start: Optional[Operand], keepdims: bool,
           unsigned: bool = False) -> Value:
    rank = len(value.shape)
    if not value.type.is_vector or rank == 0:
        raise TraceError(f"expected a vector to reduce, got {value.type}")
    given = range(rank) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    axes = sorted({each + rank if each < 0 else each for each in given})
    if not axes or any(not 0 <= each < rank for each in axes):
        raise TraceError(f"expected axes of {value.type}, got {axis}")
    kept = tuple(extent for dim, extent in enumerate(value.shape) if dim not in axes)
    result = Type(value.dtype, kept or None)
    neutral: Number = NEUTRAL[kind]
    if not value.type.is_float and kind.startswith(("max", "min")):
        bits = INTEGERS[value.dtype]
        least, most = (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        neutral = least if kind.startswith("max") else most
    accumulator = as_value(neutral if start is None else start, result)
    if accumulator.type != result:
        raise TraceError(f"expected a start of {result}, got {accumulator.type}")
    spelt = KINDS[kind][0 if value.type.is_float else 2 if unsigned else 1]
    reduced = make(f"vector.multi_reduction <{spelt}>, {{0}}, {{1}} {axes} : {value.type} to {result}", [value, accumulator],
                   result, kind if kind != "add" else "sum")
    if not keepdims:
        return reduced
    shape = tuple(1 if dim in axes else extent for dim, extent in enumerate(value.shape))
    return cast_shape(reduced, shape) if kept else broadcast(reduced, shape)
