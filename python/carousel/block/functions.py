# ===- functions.py - what kernels call ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Functions of values: math, constants, masks, products, program numbers. Each is one op of MLIR, or few."""

from __future__ import annotations

from typing import Any, Optional, Union

from .trace import Node, Op, Trace, TraceError, Type, find_place
from .values import (INDEX, Operand, Value, as_value, binary, broadcast, cast_shape, compare, constant, convert, make,
                     type_name, unify)

DIMENSIONS = "xyz"


def flags_of(approximate: Union[bool, str]) -> str:
    """With True, functions are those of the fastest instructions (afn); a text has MLIR's flags, such as "arcp"."""
    return f" fastmath<{'afn' if approximate is True else approximate}>" if approximate else ""


def unary(op: str, value: Value, approximate: Union[bool, str]) -> Value:
    name = op.partition(".")[2]
    if not isinstance(value, Value) or not value.type.is_float:
        raise TraceError(f"{name}: expected floats, got {value.type if isinstance(value, Value) else type_name(value)}")
    return make(f"{op} {{0}}{flags_of(approximate)} : {value.type}", [value], value.type, name)


def exp(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """e to the power of each element."""
    return unary("math.exp", value, approximate)


def exp2(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """2 to the power of each element."""
    return unary("math.exp2", value, approximate)


def log(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The natural logarithm of each element."""
    return unary("math.log", value, approximate)


def log2(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The logarithm to base 2 of each element."""
    return unary("math.log2", value, approximate)


def sqrt(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The square root of each element."""
    return unary("math.sqrt", value, approximate)


def rsqrt(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """1 / sqrt(x) of each element."""
    return unary("math.rsqrt", value, approximate)


def erf(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The error function of each element."""
    return unary("math.erf", value, approximate)


def tanh(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The hyperbolic tangent of each element."""
    return unary("math.tanh", value, approximate)


def sigmoid(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """1 / (1 + exp(-x)) of each element."""
    if not isinstance(value, Value) or not value.type.is_float:
        raise TraceError(f"sigmoid: expected floats, got {value.type if isinstance(value, Value) else type_name(value)}")
    return divide(1.0, exp(-value, approximate=approximate) + 1.0, approximate=approximate)


def sin(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The sine of each element."""
    return unary("math.sin", value, approximate)


def cos(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The cosine of each element."""
    return unary("math.cos", value, approximate)


def floor(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The largest integer that isn't above each element."""
    return unary("math.floor", value, approximate)


def ceil(value: Value, *, approximate: Union[bool, str] = False) -> Value:
    """The least integer that isn't below each element."""
    return unary("math.ceil", value, approximate)


def abs(value: Value) -> Value:  # noqa: A001 - NumPy's name
    """Of each element."""
    op = "math.absf" if value.type.is_float else "math.absi"
    return make(f"{op} {{0}} : {value.type}", [value], value.type, "magnitude")


def divide(left: Operand, right: Operand, *, approximate: Union[bool, str] = False, unsigned: bool = False) -> Value:
    """`left / right` of floats; with `approximate`, by the fastest instructions, or by the flags that it names. Of integers,
    `left // right`: the quotient is rounded toward zero. They have a sign unless they are `unsigned`."""
    first, second = unify(left, right)
    if first.type.is_float:
        return binary("div", first, second, flags_of(approximate))
    return binary("floordiv", first, second, unsigned=unsigned)


def floor_divide(left: Operand, right: Operand) -> Value:
    """`left / right` of integers with a sign, rounded down, also of negative ones. `left // right` takes indices for positive
    numbers, and rounds other integers toward zero."""
    if isinstance(left, Value) and left.type == INDEX and isinstance(right, int) and right > 0:
        return make(f"affine.apply affine_map<(d) -> (d floordiv {right})>({{0}})", [left], INDEX, "quotient")
    return binary("floor", left, right)


def remainder(left: Operand, right: Operand, *, unsigned: bool = False) -> Value:
    """`left % right`, with the sign of `left`. Integers have a sign unless they are `unsigned`."""
    return binary("rem", left, right, unsigned=unsigned)


def shift_right(left: Operand, right: Operand, *, unsigned: bool = False) -> Value:
    """`left >> right` of integers, which keeps the sign unless they are `unsigned`."""
    return binary("shr", left, right, unsigned=unsigned)


def multiply_extended(left: Operand, right: Operand, *, unsigned: bool = False) -> tuple[Value, Value]:
    """The product of integers in twice their bits: its low and its high half."""
    first, second = unify(left, right)
    if first.type.is_float or first.dtype in ("index", "i1"):
        raise TraceError(f"multiply_extended: expected integers of i8 to i64, got {first.type}")
    trace = Trace.get()
    halves = [Node(first.type, name, trace.region) for name in ("low", "high")]
    trace.add_op(Op(f"arith.mul{'u' if unsigned else 's'}i_extended {{0}}, {{1}} : {first.type}", [first.node, second.node], halves,
                    find_place()))
    return Value(halves[0]), Value(halves[1])


def isnan(value: Value) -> Value:
    """Of each element."""
    return make(f"arith.cmpf uno, {{0}}, {{0}} : {value.type}", [value], value.type.with_element("i1"), "is_nan")


def round_tf32(value: Value) -> Value:
    """Rounds f32 to the precision of tf32, as products of f32 on tensor cores need."""
    return make(f"carousel.round_tf32 {{0}} : {value.type}", [value], value.type, "rounded")


def fma(left: Operand, right: Operand, addend: Operand) -> Value:
    """`left * right + addend` with one rounding."""
    first, second = unify(left, right)
    third, first = unify(addend, first)
    second, first = unify(second, first)
    return make(f"math.fma {{0}}, {{1}}, {{2}} : {first.type}", [first, second, third], first.type, "fma")


def extremum(kind: str, left: Operand, right: Operand, unsigned: bool, keeps_nan: bool) -> Value:
    first, second = unify(left, right)
    floats = f"arith.{kind}imumf" if keeps_nan else f"arith.{kind}numf"
    op = floats if first.type.is_float else f"arith.{kind}{'ui' if unsigned else 'si'}"
    return make(f"{op} {{0}}, {{1}} : {first.type}", [first, second], first.type, kind)


def maximum(left: Operand, right: Operand, *, unsigned: bool = False, keeps_nan: bool = False) -> Value:
    """Of each pair. A number wins over NaN, unless `keeps_nan`. Integers have a sign unless they are `unsigned`."""
    return extremum("max", left, right, unsigned, keeps_nan)


def minimum(left: Operand, right: Operand, *, unsigned: bool = False, keeps_nan: bool = False) -> Value:
    """Of each pair. A number wins over NaN, unless `keeps_nan`. Integers have a sign unless they are `unsigned`."""
    return extremum("min", left, right, unsigned, keeps_nan)


def less(left: Operand, right: Operand, *, or_equal: bool = False, unsigned: bool = False) -> Value:
    """`left < right`, or `left <= right`; of integers without a sign if they are `unsigned`."""
    return compare("le" if or_equal else "lt", left, right, unsigned=unsigned)


def greater(left: Operand, right: Operand, *, or_equal: bool = False, unsigned: bool = False) -> Value:
    """`left > right`, or `left >= right`; of integers without a sign if they are `unsigned`."""
    return compare("ge" if or_equal else "gt", left, right, unsigned=unsigned)


def interleave(left: Value, right: Value) -> Value:
    """The elements of two vectors in turns, along the last dimension."""
    for each in (left, right):
        if not isinstance(each, Value) or not each.type.is_vector or each.type != left.type:
            raise TraceError(f"interleave: expected two vectors of one type, got {type_name(each)}" if not isinstance(each, Value)
                             else f"interleave: expected two vectors of one type, got {left.type} and {right.type}")
    result = Type(left.dtype, (*left.shape[:-1], 2 * left.shape[-1]))
    return make(f"vector.interleave {{0}}, {{1}} : {left.type} -> {result}", [left, right], result, "pairs")


def deinterleave(value: Value) -> tuple[Value, Value]:
    """The even and the odd elements along the last dimension."""
    if not isinstance(value, Value) or not value.type.is_vector or value.shape[-1] % 2:
        got = value.type if isinstance(value, Value) else type_name(value)
        raise TraceError(f"deinterleave: expected a vector with an even number of elements in the last dimension, got {got}")
    result = Type(value.dtype, (*value.shape[:-1], value.shape[-1] // 2))
    trace = Trace.get()
    halves = [Node(result, name, trace.region) for name in ("even", "odd")]
    trace.add_op(Op(f"vector.deinterleave {{0}} : {value.type} -> {result}", [value.node], halves, find_place()))
    return Value(halves[0]), Value(halves[1])


def where(condition: Value, left: Operand, right: Operand) -> Value:
    """`left` where the condition holds, else `right`."""
    if not isinstance(condition, Value) or condition.dtype != "i1":
        got = condition.type if isinstance(condition, Value) else type_name(condition)
        raise TraceError(f"where: expected a condition of i1, got {got}")
    first, second = unify(left, right)
    if condition.type.is_vector:
        shape = tuple(unify_shapes(condition, first))
        condition, first, second = broadcast(condition, shape), broadcast(first, shape), broadcast(second, shape)
        types = f"{condition.type}, {first.type}"
    else:
        types = str(first.type)
    return make(f"arith.select {{0}}, {{1}}, {{2}} : {types}", [condition, first, second], first.type, "selected")


def unify_shapes(left: Value, right: Value) -> tuple[int, ...]:
    from .values import join_shapes

    return join_shapes(left.shape, right.shape)


def full(shape: Any, value: Any, dtype: str) -> Value:
    """A number in each element; of `shape` () a number."""
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(value, Value):
        return broadcast(convert(value, dtype), extents)
    return constant(value, Type(dtype, extents or None))


def zeros(shape: Any, dtype: str) -> Value:
    return full(shape, 0 if not dtype.startswith(("f", "bf")) else 0.0, dtype)


def iota(extent: int) -> Value:
    """0, 1, 2... as indices."""
    result = Type("index", (extent,))
    return make(f"vector.step : {result}", [], result, "step")


def mask(shape: Any, *bounds: Operand) -> Value:
    """True where each coordinate is below its bound."""
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(bounds) != len(extents):
        raise TraceError(f"mask: expected a bound for each of {len(extents)} dimensions, got {len(bounds)}")
    limits = [as_value(bound, INDEX) for bound in bounds]
    result = Type("i1", extents)
    names = ", ".join(f"{{{number}}}" for number in range(len(limits)))
    return make(f"vector.create_mask {names} : {result}", limits, result, "mask")


def dot(left: Value, right: Value, start: Optional[Value] = None, *, transposed: bool = False,
        transposed_left: bool = False, dtype: str = "") -> Value:
    """The product of matrices, added to `start`: (m, k) times (k, n). A matrix that is transposed is (n, k) or (k, m). Without
    a start the product is of `dtype`, by default f32, or i32 for integers."""
    for each in (left, right):
        if not isinstance(each, Value) or len(each.shape) != 2:
            raise TraceError(f"dot: expected two matrices, got {each.type if isinstance(each, Value) else type_name(each)}")
    rows, depth = left.shape[::-1] if transposed_left else left.shape
    columns, other = right.shape if transposed else right.shape[::-1]
    if depth != other:
        raise TraceError(f"dot: expected as many columns of the left matrix as rows of the right one, got {depth} and {other}")
    if start is None:
        start = zeros((rows, columns), dtype or ("f32" if left.type.is_float else "i32"))
    if start.shape != (rows, columns):
        raise TraceError(f"dot: expected a start of extents {(rows, columns)}, got {start.shape}")
    maps = ", ".join(f"affine_map<(m, n, k) -> ({dims})>" for dims in ("k, m" if transposed_left else "m, k", "n, k" if transposed else "k, n", "m, n"))
    attributes = (f"{{{{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}}}}")
    return make(f"vector.contract {attributes} {{0}}, {{1}}, {{2}} : {left.type}, {right.type} into {start.type}",
                [left, right, start], start.type, "dot")


def column(value: Value) -> Value:
    """A vector as a matrix of one column: a number for each row."""
    if len(value.shape) != 1:
        raise TraceError(f"column: expected a vector of one dimension, got {value.type}")
    return cast_shape(value, (*value.shape, 1))


def ceildiv(left: Operand, right: Operand) -> Value:
    """Of indices, rounded up."""
    first, second = unify(left, right)
    return make(f"arith.ceildivui {{0}}, {{1}} : {first.type}", [first, second], first.type, "count")


def axis_name(axis: int) -> str:
    if axis not in (0, 1, 2):
        raise TraceError(f"expected an axis of the grid, 0 to 2, got {axis}")
    return DIMENSIONS[axis]


def program_id(axis: int = 0) -> Value:
    """This program's number in the grid."""
    return make(f"gpu.block_id {axis_name(axis)}", [], INDEX, "block")


def num_programs(axis: int = 0) -> Value:
    """The extent of the grid."""
    return make(f"gpu.grid_dim {axis_name(axis)}", [], INDEX, "blocks")
