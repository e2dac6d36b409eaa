# ===- cells.py - a kernel for each op and element type --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What is compiled: a Cell is one kernel around one op. A form of an op says how the op is written; it is
tried with each element type that the op may have."""

from dataclasses import dataclass

from .types import (COLUMNS, FLOATS, INTEGERS, ODD, ODD_FLOATS, ODD_INTEGERS, constant, make, shaped, storage, unmake,
                    width)

LANES = 32
SHAPES = {"scalar": (), "vector": (4,), "vector2": (2, 4)}
HEAD = """#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
"""


@dataclass(frozen=True)
class Cell:
    op: str
    kind: str  # the column
    form: str  # what else differs: the shape, the other type, a mode
    text: str
    arguments: tuple

    @property
    def name(self):
        return f"{self.op} {self.kind} {self.form}"


def count(shape):
    elements = 1
    for extent in shape:
        elements *= extent
    return elements


def argument(name, kind, elements, access):
    return f'%{name}: memref<{elements}x{kind}, #gl> {{carousel.argument = #carousel.argument<"{name}", {access}>}}'


def print_kernel(op, kind, form, inputs, outputs, body, outside="", block=LANES):
    """`inputs` and `outputs` are (name, element type, shape): values that are loaded and stored. Lines of
    `body` compute the outputs of the inputs, of %i, the thread, and of %x, %y..., their memory."""
    lines, parameters, words = [], [], []
    for name, element, shape in inputs:
        base, elements = storage(element), block * count(shape)
        parameters.append(argument(f"m_{name}", base, elements, "in"))
        words.append(f"m_{name}=iota:{elements}")
        loaded = name if base == element else f"{name}_in"
        lines += load(loaded, f"%m_{name}", base, shape, elements) + make(name, element, shape)
    lines += body
    for name, element, shape in outputs:
        base, elements = storage(element), block * count(shape)
        parameters.append(argument(f"m_{name}", base, elements, "out"))
        words.append(f"m_{name}=empty:{elements}")
        stored = name
        if base != element:
            lines += unmake(name, element, shape)
            stored = f"{name}_out"
        lines += store(stored, f"%m_{name}", base, shape, elements)
    text = "\n".join(f"    {line}" for line in lines)
    outside = f"  {outside}\n" if outside else ""
    text = f"""gpu.module @m {{
{outside}  gpu.func @k({', '.join(parameters)}) kernel
      attributes {{carousel.launch = #carousel.launch<grid = [1], block = [{block}]>}} {{
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %j4 = arith.muli %i, %c4 : index
    %j8 = arith.muli %i, %c8 : index
{text}
    gpu.return
  }}
}}
"""
    return Cell(op, kind, form, HEAD + text, tuple(words))


def at(shape):
    return {1: "%i", 4: "%j4", 8: "%j8"}[count(shape)]


def load(name, memory, kind, shape, elements):
    memref = f"memref<{elements}x{kind}, #gl>"
    if not shape:
        return [f"%{name} = memref.load {memory}[%i] : {memref}"]
    flat = shaped(kind, (count(shape),))
    if len(shape) == 1:
        return [f"%{name} = vector.load {memory}[{at(shape)}] : {memref}, {flat}"]
    return [f"%{name}_flat = vector.load {memory}[{at(shape)}] : {memref}, {flat}",
            f"%{name} = vector.shape_cast %{name}_flat : {flat} to {shaped(kind, shape)}"]


def store(name, memory, kind, shape, elements):
    memref = f"memref<{elements}x{kind}, #gl>"
    if not shape:
        return [f"memref.store %{name}, {memory}[%i] : {memref}"]
    flat = shaped(kind, (count(shape),))
    if len(shape) == 1:
        return [f"vector.store %{name}, {memory}[{at(shape)}] : {memref}, {flat}"]
    return [f"%{name}_flat = vector.shape_cast %{name} : {shaped(kind, shape)} to {flat}",
            f"vector.store %{name}_flat, {memory}[{at(shape)}] : {memref}, {flat}"]


# ===- Element by element ------------------------------------------------------===#

# The name, the number of operands; a form has more in front of the operands or after the type.
ALL_INTEGERS = INTEGERS + ODD_INTEGERS
ALL_FLOATS = FLOATS + ODD_FLOATS
INTEGER_OPS = {
    "arith.addi": 2, "arith.subi": 2, "arith.muli": 2, "arith.divui": 2, "arith.divsi": 2, "arith.ceildivui": 2,
    "arith.ceildivsi": 2, "arith.floordivsi": 2, "arith.remui": 2, "arith.remsi": 2, "arith.andi": 2,
    "arith.ori": 2, "arith.xori": 2, "arith.shli": 2, "arith.shrui": 2, "arith.shrsi": 2, "arith.maxsi": 2,
    "arith.maxui": 2, "arith.minsi": 2, "arith.minui": 2, "math.absi": 1, "math.ctlz": 1, "math.cttz": 1,
    "math.ctpop": 1, "math.ipowi": 2,
}
FLOAT_OPS = {
    "arith.addf": 2, "arith.subf": 2, "arith.mulf": 2, "arith.divf": 2, "arith.remf": 2, "arith.negf": 1,
    "arith.maximumf": 2, "arith.minimumf": 2, "arith.maxnumf": 2, "arith.minnumf": 2, "math.absf": 1,
    "math.acos": 1, "math.acosh": 1, "math.asin": 1, "math.asinh": 1, "math.atan": 1, "math.atan2": 2,
    "math.atanh": 1, "math.cbrt": 1, "math.ceil": 1, "math.copysign": 2, "math.cos": 1, "math.cosh": 1,
    "math.erf": 1, "math.erfc": 1, "math.exp": 1, "math.exp2": 1, "math.expm1": 1, "math.floor": 1, "math.fma": 3,
    "math.log": 1, "math.log10": 1, "math.log1p": 1, "math.log2": 1, "math.powf": 2, "math.round": 1,
    "math.roundeven": 1, "math.rsqrt": 1, "math.sin": 1, "math.sinh": 1, "math.sqrt": 1, "math.tan": 1,
    "math.tanh": 1, "math.trunc": 1,
}
TESTS = ("math.isfinite", "math.isinf", "math.isnan", "math.isnormal")
EXPONENTS = ("i1", "i8", "i16", "index")
DIVISIONS = ("divui", "divsi", "ceildivui", "ceildivsi", "floordivsi", "remui", "remsi")


def operands(number, kind, shape):
    return [("a", kind, shape), ("b", kind, shape), ("c", kind, shape)][:number]


def names(number):
    return ", ".join(f"%{name}" for name in "abc"[:number])


def element_wise(shapes=None, print_kernel=print_kernel):
    """`print_kernel` makes a cell of inputs, outputs and lines; the block phase has another one."""
    for label, shape in (shapes or SHAPES).items():
        for op, number in INTEGER_OPS.items():
            for kind in ALL_INTEGERS:
                typed, body, right = shaped(kind, shape), [], names(number)
                if op[6:] in DIVISIONS:  # not by zero
                    body = [f"%one = arith.constant {constant(kind, shape, 1)}",
                            f"%divisor = arith.ori %b, %one : {typed}"]
                    right = "%a, %divisor"
                elif "sh" in op[6:8]:  # by less than the width
                    mask = 0 if kind == "i1" else 3
                    body = [f"%mask = arith.constant {constant(kind, shape, mask)}",
                            f"%amount = arith.andi %b, %mask : {typed}"]
                    right = "%a, %amount"
                body.append(f"%r = {op} {right} : {typed}")
                yield print_kernel(op, kind, label, operands(number, kind, shape), [("r", kind, shape)], body)
        for op, number in FLOAT_OPS.items():
            for kind in ALL_FLOATS:
                typed = shaped(kind, shape)
                yield print_kernel(op, kind, label, operands(number, kind, shape), [("r", kind, shape)],
                                   [f"%r = {op} {names(number)} : {typed}"])
        for op in TESTS:
            for kind in ALL_FLOATS:
                yield print_kernel(op, kind, label, operands(1, kind, shape), [("r", "i1", shape)],
                                   [f"%r = {op} %a : {shaped(kind, shape)}"])
        for kind in ALL_FLOATS:
            typed = shaped(kind, shape)
            yield print_kernel("math.clampf", kind, label, operands(3, kind, shape), [("r", kind, shape)],
                               [f"%r = math.clampf %a to [%b, %c] : {typed}"])
            yield print_kernel("math.sincos", kind, label, operands(1, kind, shape),
                               [("r", kind, shape), ("s", kind, shape)], [f"%r, %s = math.sincos %a : {typed}"])
            # The other types of an exponent are tried on vectors, and the widest one in all shapes.
            exponents = ("i32", "i64", *(EXPONENTS if label == "vector" else ())) if kind in COLUMNS else ("i32",)
            for exponent in exponents:
                yield print_kernel("math.fpowi", kind, f"{label} {exponent}", [("a", kind, shape), ("b", exponent, shape)],
                                   [("r", kind, shape)],
                                   [f"%r = math.fpowi %a, %b : {typed}, {shaped(exponent, shape)}"])
            for predicate in ("oeq", "ogt", "uno", "une", "ult"):
                yield print_kernel("arith.cmpf", kind, f"{label} {predicate}", operands(2, kind, shape),
                                   [("r", "i1", shape)], [f"%r = arith.cmpf {predicate}, %a, %b : {typed}"])
        for kind in ALL_INTEGERS:
            typed = shaped(kind, shape)
            for predicate in ("eq", "slt", "uge"):
                yield print_kernel("arith.cmpi", kind, f"{label} {predicate}", operands(2, kind, shape),
                                   [("r", "i1", shape)], [f"%r = arith.cmpi {predicate}, %a, %b : {typed}"])
            for op in ("addui_extended", "mulsi_extended", "mului_extended"):
                high = "i1" if op[0] == "a" else kind
                if kind == "index" and op[0] == "m":
                    continue  # MLIR has none
                types = f"{typed}, {shaped('i1', shape)}" if op[0] == "a" else typed
                yield print_kernel(f"arith.{op}", kind, label, operands(2, kind, shape),
                                   [("r", kind, shape), ("s", high, shape)],
                                   [f"%r, %s = arith.{op} %a, %b : {types}"])
        for kind in ALL_INTEGERS + ALL_FLOATS:
            typed = shaped(kind, shape)
            yield print_kernel("arith.constant", kind, label, operands(0, kind, shape), [("r", kind, shape)],
                               [f"%r = arith.constant {constant(kind, shape, 1)}"])
            yield print_kernel("arith.select", kind, label, [("p", "i1", shape), *operands(2, kind, shape)],
                               [("r", kind, shape)],
                               [f"%r = arith.select %p, %a, %b : {shaped('i1', shape) + ', ' if shape else ''}{typed}"])

            if shape and kind in COLUMNS:
                yield print_kernel("arith.select", kind, f"{label} by scalar", [("p", "i1", ()), *operands(2, kind, shape)],
                                   [("r", kind, shape)], [f"%r = arith.select %p, %a, %b : {typed}"])

def conversions(shapes=None, print_kernel=print_kernel):
    kinds = {"extf": (ALL_FLOATS, ALL_FLOATS), "truncf": (ALL_FLOATS, ALL_FLOATS),
             "extui": (ALL_INTEGERS, ALL_INTEGERS), "extsi": (ALL_INTEGERS, ALL_INTEGERS),
             "trunci": (ALL_INTEGERS, ALL_INTEGERS), "sitofp": (ALL_INTEGERS, ALL_FLOATS),
             "uitofp": (ALL_INTEGERS, ALL_FLOATS), "fptosi": (ALL_FLOATS, ALL_INTEGERS),
             "fptoui": (ALL_FLOATS, ALL_INTEGERS), "index_cast": (ALL_INTEGERS, ALL_INTEGERS),
             "index_castui": (ALL_INTEGERS, ALL_INTEGERS), "bitcast": (COLUMNS + ODD, COLUMNS + ODD)}
    for op, (sources, targets) in kinds.items():
        for source in sources:
            for target in targets:
                if not is_conversion(op, source, target):
                    continue
                for label, shape in (shapes or SHAPES).items():
                    if label == "vector2":
                        continue
                    # The column is the type that is less common.
                    column = min(source, target, key=lambda kind: (kind not in ODD, width(kind), kind))
                    yield print_kernel(f"arith.{op}", column, f"{label} {source} to {target}",
                                       [("a", source, shape)], [("r", target, shape)],
                                       [f"%r = arith.{op} %a : {shaped(source, shape)} to {shaped(target, shape)}"])
    for kind in ("f16", "bf16", "f32"):
        for narrow in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
            for label, shape in (shapes or SHAPES).items():
                wide, thin = shaped(kind, shape), shaped(narrow, shape)
                scale = shaped("f8E8M0FNU", shape)
                yield print_kernel("arith.scaling_extf", narrow, f"{label} to {kind}",
                                   [("a", narrow, shape), ("s", "f8E8M0FNU", shape)], [("r", kind, shape)],
                                   [f"%r = arith.scaling_extf %a, %s : {thin}, {scale} to {wide}"])
                yield print_kernel("arith.scaling_truncf", narrow, f"{label} of {kind}",
                                   [("a", kind, shape), ("s", "f8E8M0FNU", shape)], [("r", narrow, shape)],
                                   [f"%r = arith.scaling_truncf %a, %s : {wide}, {scale} to {thin}"])


def is_conversion(op, source, target):
    if source == target:
        return False
    index = "index" in (source, target)
    if op.startswith("index_cast"):
        return index
    if index:
        return False
    if op in ("extf", "extui", "extsi"):
        return width(source) < width(target)
    if op in ("truncf", "trunci"):
        return width(source) > width(target)
    if op == "bitcast":
        return width(source) == width(target)
    return True
