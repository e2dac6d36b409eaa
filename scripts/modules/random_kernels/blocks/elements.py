# ===- elements.py - what block programs compute ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Steps that compute element by element, and reductions. No op has undefined results: divisors are above zero, shifts
below the width, and floats in the domain of each function."""

from ..types import bits, is_float
from .values import BOUND

INTEGER = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "maxui", "minsi", "minui"]
DIVIDING = ["divui", "divsi", "remui", "remsi", "floordivsi", "ceildivsi", "ceildivui"]
SHIFTING = ["shli", "shrui", "shrsi"]
UNARY = ["math.ceil", "math.floor", "math.trunc", "math.round", "math.roundeven", "math.exp", "math.exp2", "math.expm1",
         "math.tanh", "math.sin", "math.cos", "math.atan", "math.erf", "math.sinh", "math.cosh", "math.cbrt", "arith.negf",
         "math.absf"]
ABOVE_ONE = ["math.sqrt", "math.rsqrt", "math.log", "math.log2", "math.log10", "math.log1p", "math.acosh"]
FLOATING = ["addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"]
KINDS = {True: ["maxnumf", "minnumf", "maximumf", "minimumf"],
         False: ["add", "add", "mul", "and", "or", "xor", "minsi", "maxsi", "minui", "maxui"]}
WIDER = {"i8": ["i16", "i32", "i64"], "i16": ["i32", "i64"], "i32": ["i64"], "bf16": ["f32", "f64"], "f16": ["f32", "f64"],
         "f32": ["f64"]}
INTEGERS, FLOATS = ["i8", "i16", "i32", "i64"], ["bf16", "f16", "f32", "f64"]


def above_one(b, value):
    absolute = b.body.op(f"math.absf {value.name} : {value.type}")
    return b.body.op(f"arith.addf {absolute}, {b.body.const('1.0', value.type)} : {value.type}")


def compute(b, text, value, feature):
    """An op whose result is of the value's type."""
    return b.settle(b.op(text, value.shape, value.element, feature))


def arithmetic(b):
    value = b.pick()
    if not value:
        return
    other, type_, rng = b.like(value.shape, value.element), value.type, b.rng
    if not is_float(value.element):
        op, right = rng.choice(INTEGER + DIVIDING + SHIFTING), other.name
        if op in DIVIDING:  # 1, 3, 5... 63
            right = b.body.op(f"arith.andi {right}, {b.body.const(62, type_)} : {type_}")
            right = b.body.op(f"arith.ori {right}, {b.body.const(1, type_)} : {type_}")
        elif op in SHIFTING:
            right = b.body.op(f"arith.andi {right}, {b.body.const(bits(value.element) - 1, type_)} : {type_}")
        compute(b, f"arith.{op} {value.name}, {right} : {type_}", value, op)
    elif rng.random() < 0.6:
        op = rng.choice(FLOATING)
        compute(b, f"arith.{op} {value.name}, {other.name} : {type_}", value, op)
    elif rng.random() < 0.5:
        op = rng.choice(["arith.divf", "arith.remf", "math.atan2"])
        compute(b, f"{op} {value.name}, {above_one(b, other)} : {type_}", value, op)
    else:
        op = rng.choice(["math.fma", "vector.fma"])
        third = b.like(value.shape, value.element)
        compute(b, f"{op} {value.name}, {other.name}, {third.name} : {type_}", value, op)


def function(b):
    """Of one operand, mostly from math."""
    value = b.pick()
    if not value:
        return
    rng, type_ = b.rng, value.type
    if not is_float(value.element):
        op = rng.choice(["math.absi", "math.ctlz", "math.cttz", "math.ctpop"])
        compute(b, f"{op} {value.name} : {type_}", value, op)
    elif rng.random() < 0.6:
        op = rng.choice(UNARY)
        compute(b, f"{op} {value.name} : {type_}", value, op)
    elif rng.random() < 0.5:
        op = rng.choice(ABOVE_ONE)
        compute(b, f"{op} {above_one(b, value)} : {type_}", value, op)
    else:
        least, most = b.body.const(f"{-BOUND / 4}", type_), b.body.const(f"{BOUND / 4}", type_)
        compute(b, f"math.clampf {value.name} to [{least}, {most}] : {type_}", value, "clampf")


def power(b):
    """Exponents of 0 to 3."""
    value = b.pick()
    if not value:
        return
    if not is_float(value.element):
        exponent = b.like(value.shape, value.element)
        few = b.body.op(f"arith.andi {exponent.name}, {b.body.const(3, value.type)} : {value.type}")
        compute(b, f"math.ipowi {value.name}, {few} : {value.type}", value, "ipowi")
        return
    kind = b.rng.choice(["i32", "i64"])
    type_ = value.of(kind)
    if b.chance(0.5):
        few = b.constant(value.shape, kind, b.rng.randrange(-1, 4)).name
    else:
        few = b.body.op(f"arith.andi {b.like(value.shape, kind).name}, {b.body.const(3, type_)} : {type_}")
    base = above_one(b, value)
    compute(b, f"math.fpowi {base}, {few} : {value.type}, {type_}", value, f"fpowi {kind}")


def two_results(b):
    value = b.pick()
    if not value:
        return
    if is_float(value.element):
        results = b.ops(f"math.sincos {value.name} : {value.type}", [(value.shape, value.element)] * 2, "sincos")
        for result in results:
            b.settle(result)
        return
    other = b.like(value.shape, value.element)
    op = b.rng.choice(["addui_extended", "mului_extended", "mulsi_extended"])
    high = "i1" if op == "addui_extended" else value.element
    types = f"{value.type}, {value.of('i1')}" if high == "i1" else value.type
    results = [(value.shape, value.element), (value.shape, high)]
    _, flags = b.ops(f"arith.{op} {value.name}, {other.name} : {types}", results, op)
    if high == "i1":
        b.op(f"arith.extui {flags.name} : {flags.type} to {value.type}", value.shape, value.element, "carry")


def select(b):
    value = b.pick()
    if not value:
        return
    mask, other = b.mask(value.shape), b.like(value.shape, value.element)
    if is_float(value.element) and b.chance(0.3):
        relation = b.rng.choice(["olt", "oge", "une"])
        mask = b.op(f"arith.cmpf {relation}, {value.name}, {other.name} : {value.type}", value.shape, "i1", "cmpf")
    b.op(f"arith.select {mask.name}, {value.name}, {other.name} : {mask.type}, {value.type}", value.shape,
         value.element, "select")


def convert(b):
    value = b.pick()
    if not value:
        return
    rng, source = b.rng, value.element
    ways = [("extf" if is_float(source) else rng.choice(["extsi", "extui"]), target) for target in WIDER.get(source, [])]
    ways += [("truncf" if is_float(source) else "trunci", target) for target, wider in WIDER.items() if source in wider]
    ways += [("fptosi", kind) for kind in INTEGERS] if is_float(source) else \
        [(rng.choice(["sitofp", "uitofp"]), kind) for kind in FLOATS]
    op, target = rng.choice(ways)
    if op == "fptosi":
        value = b.settle(b.op(f"math.absf {value.name} : {value.type}", value.shape, source, "absf"))
    b.settle(b.op(f"arith.{op} {value.name} : {value.type} to {value.of(target)}", value.shape, target, op))


def reduce(b):
    """Of all kinds, and sums of floats that are 0 to 7."""
    rng, value = b.rng, b.pick()
    if not value:
        return
    kind = rng.choice(KINDS[is_float(value.element)])
    if value.element == "i32" and rng.random() < 0.2:
        few = b.body.op(f"arith.andi {value.name}, {b.body.const(7, value.type)} : {value.type}")
        value = b.op(f"arith.sitofp {few} : {value.type} to {value.of('f32')}", value.shape, "f32", "sum of floats")
        kind = "add"
    dims = sorted(rng.sample(range(len(value.shape)), rng.randrange(1, len(value.shape) + 1)))
    shape = tuple(extent for dim, extent in enumerate(value.shape) if dim not in dims)
    # A sum begins with an integer, too.
    acc = b.constant(shape, value.element) if kind == "add" and is_float(value.element) or not shape else \
        b.like(shape, value.element)
    text = f"vector.multi_reduction <{kind}>, {value.name}, {acc.name} {dims} : {value.type} to {acc.type}"
    if rng.random() < 0.25:
        mask = b.mask(value.shape)
        text = f"vector.mask {mask.name} {{ {text} }} : {mask.type} -> {acc.type}"
        b.features.add("masked reduction")
    b.op(text, shape, value.element, f"reduce {kind}")


STEPS = [(arithmetic, 4), (function, 2), (power, 1), (two_results, 2), (select, 2), (convert, 2), (reduce, 4)]
