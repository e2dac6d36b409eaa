# ===- arithmetic.py - what each thread computes ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Conversions and random expressions, on numbers or on vectors of them. No op of these has undefined
results, and none depends on an order that a later phase may change."""

from .types import bits, is_float


def vector(kind, width):
    return f"vector<{width}x{kind}>" if width > 1 else kind


def convert(body, value, source, target, width=1):
    """`value` of element type `source` as `target`."""
    if source == target:
        return value
    old, new = vector(source, width), vector(target, width)
    if is_float(source) and is_float(target):
        if bits(source) == bits(target):  # f16 and bf16
            wide = vector("f32", width)
            value = body.op(f"arith.extf {value} : {old} to {wide}")
            return body.op(f"arith.truncf {value} : {wide} to {new}")
        operation = "extf" if bits(source) < bits(target) else "truncf"
        return body.op(f"arith.{operation} {value} : {old} to {new}")
    if not is_float(source) and not is_float(target):
        operation = "extsi" if bits(source) < bits(target) else "trunci"
        return body.op(f"arith.{operation} {value} : {old} to {new}")
    if is_float(target):
        return body.op(f"arith.sitofp {value} : {old} to {new}")
    # A float that doesn't fit an integer has no value: take what it compares to.
    limit = body.const("2.500000e-01", old)
    flag = body.op(f"arith.cmpf olt, {value}, {limit} : {old}")
    return body.op(f"arith.extui {flag} : {vector('i1', width)} to {new}")


def number(rng, kind):
    if is_float(kind):
        return rng.choice(["5.000000e-01", "1.250000e+00", "-7.500000e-01", "2.000000e+00"])
    return rng.choice([1, 2, 3, 5, 7, -1, -3, 85])


def broadcast(body, value, kind, width):
    if width == 1:
        return value
    return body.op(f"vector.broadcast {value} : {kind} to {vector(kind, width)}")


def combine(rng, body, a, b, kind, width=1):
    """Some operation on two values."""
    operation = rng.choice(["addf", "subf", "mulf", "maximumf"] if is_float(kind) else
                           ["addi", "subi", "muli", "xori", "maxsi", "minui"])
    return body.op(f"arith.{operation} {a}, {b} : {vector(kind, width)}")


def add(body, a, b, kind):
    return body.op(f"arith.{'addf' if is_float(kind) else 'addi'} {a}, {b} : {kind}")


def expression(rng, body, values, kind, width=1):
    """One value made of all of `values`."""
    result = values[0]
    for value in values[1:]:
        result = combine(rng, body, result, value, kind, width)
    for _ in range(rng.randrange(3)):
        constant = body.const(number(rng, kind), vector(kind, width))
        result = combine(rng, body, result, constant, kind, width)
    return result


def from_index(body, value, kind):
    """A small number of type `kind` made of an index."""
    small = body.op(f"arith.remui {body.value(value)}, {body.const(61)} : index")
    integer = body.op(f"arith.index_cast {small} : index to i32")
    return convert(body, integer, "i32", kind)


def forget_fill(body, value, kind, width):
    """What was filled with NaN or an infinity becomes a number: sums of NaNs have bits of their own on each host."""
    shape, flags = vector(kind, width), vector("i1", width)
    for relation, other, number in [("uno", value, "5.000000e-01"),
                                    ("oeq", body.const(infinity(kind, "-inf"), shape), "2.500000e-01"),
                                    ("oeq", body.const(infinity(kind, "inf"), shape), "1.500000e+00")]:
        flag = body.op(f"arith.cmpf {relation}, {value}, {other} : {shape}")
        value = body.op(f"arith.select {flag}, {body.const(number, shape)}, {value} : {flags}, {shape}")
    return value


def infinity(kind, name):
    digits = {"f16": "7C00", "bf16": "7F80", "f32": "7F800000", "f64": "7FF0000000000000"}[kind]
    return "0x" + (digits if name == "inf" else "F" + digits[1:])
