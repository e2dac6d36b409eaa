# ===- block_cells.py - a block program for each op, element type and mode ------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cells of the block phase. A mode says how operands are read and results written:

  static    types have all extents, and accesses are inside
  dynamic   boxes begin before their memrefs and end after them, at numbers of the run; so do positions in vectors
  masked    accesses and reductions are masked
  narrowed  rows with `width` and `covers`, which are compiled for narrower vectors, several in a CTA
"""

from dataclasses import dataclass

from random_kernels.types import Argument, Kernel, Scalar, row_strides

from .cells import DIVISIONS, conversions, count, element_wise
from .structured import COMBINING
from .types import COLUMNS, constant, is_float, is_loaded, make, shaped, storage, unmake, width

MODES = ("static", "dynamic", "masked", "narrowed")
WIDTH, ROWS, COVERED = 256, 3, 52
SHAPES = {"narrowed": (WIDTH,)}
SHAPE = (4, 64)
THREADS = 64
# Ops -> operands and what they are made, so that no result is undefined, and none a NaN.
DOMAINS = {
    **{f"math.{op}": {"a": "above one"} for op in ("acosh", "log", "log2", "log10", "rsqrt", "powf")},
    **{f"math.{op}": {"a": "absolute"} for op in ("sqrt", "log1p")},
    "arith.divf": {"b": "above one"}, "arith.remf": {"b": "above one"}, "arith.fptosi": {"a": "hundredfold"},
    "arith.fptoui": {"a": "hundredfold absolute"}, "math.ipowi": {"b": "few"}, "math.fpowi": {"a": "above one", "b": "few"},
    **{f"arith.{op}": {"a": "not negative"} for op in ("divsi", "ceildivsi", "floordivsi", "remsi")},
}


@dataclass(frozen=True)
class BlockCell:
    op: str
    kind: str
    form: str
    mode: str
    body: str  # of the gpu.module
    arguments: tuple

    @property
    def name(self):
        return " ".join(filter(None, (self.op, self.kind, self.form, self.mode)))

    def number(self, index):
        """The text, and the kernel, with names of its own."""
        named = [rename(argument, f"n{index}_") for argument in self.arguments]
        parameters = ", ".join(argument.declare() for argument in named)
        text = self.body.replace("gpu.module @m ", f"gpu.module @m{index} ").replace("gpu.func @k(", f"gpu.func @k{index}(")
        text = text.replace("PARAMETERS", parameters)
        return text, Kernel(f"k{index}", index, text, named, set())


def rename(argument, prefix):
    """The text names arguments by their SSA names, which stay."""
    copy = Scalar(argument.name, argument.number) if isinstance(argument, Scalar) else Argument(
        argument.name, argument.element, argument.extents, argument.strides, argument.dynamic, argument.access, argument.seed)
    declared = copy.declare()
    copy.declare = lambda: declared.replace('carousel.argument<"', f'carousel.argument<"{prefix}')
    copy.name = prefix + argument.name
    return copy


def adjust(rule, source, target, kind, shape):
    """Lines that make %target of %source."""
    typed = shaped(kind, shape)
    lines, value = [], f"%{source}"

    def op(text, name):
        lines.append(f"%{name} = {text} : {typed}")
        return f"%{name}"

    def number(value):
        lines.append(f"%{target}_{value} = arith.constant {constant(kind, shape, value)}")
        return f"%{target}_{value}"

    if rule == "few":
        op(f"arith.andi {value}, {number(3)}", target)
    elif rule == "not negative":
        op(f"arith.shrui {value}, {number(1)}", target)
    elif rule == "absolute":
        op(f"math.absf {value}", target)
    elif rule == "above one":
        op(f"arith.addf {op(f'math.absf {value}', target + '_abs')}, {number(1)}", target)
    else:
        if "absolute" in rule:
            value = op(f"math.absf {value}", target + "_abs")
        op(f"arith.mulf {value}, {number(100)}", target)
    return lines


class Printer:
    """Collects the lines and arguments of one kernel."""

    def __init__(self, mode):
        self.mode, self.lines, self.arguments = mode, [], []
        self.scalars = 0

    def scalar(self, number):
        name = f"i{self.scalars}"
        self.scalars += 1
        self.arguments.append(Scalar(name, number))
        return f"%{name}"

    def is_row(self, shape):
        return self.mode == "narrowed" and WIDTH in shape

    def argument(self, name, element, extents, access):
        dynamic = [self.mode != "static"] * len(extents)
        argument = Argument(name, element, list(extents), row_strides(extents), dynamic, access,
                            seed=len(self.arguments) + 1)
        self.arguments.append(argument)
        return argument

    def mask(self, name, shape):
        sizes = []
        for dim, extent in enumerate(shape):
            self.lines.append(f"%{name}_{dim} = arith.constant {max(1, extent - 1)} : index")
            sizes.append(f"%{name}_{dim}")
        if len(shape) == 1:  # of the run
            sizes = [self.scalar(max(1, shape[0] - 3))]
        self.lines.append(f"%{name}_mask = vector.create_mask {', '.join(sizes)} : {shaped('i1', shape)}")
        return f"%{name}_mask"

    def read(self, name, element, shape, pad=1):
        """%name of memory, with a padding."""
        if not shape:
            memory = self.argument(f"m_{name}", element, [1], "in")
            self.lines.append(f"%{name} = memref.load %m_{name}[%c0] : {memory.type}")
            return
        extents, at, masked = list(shape), ["%c0"] * len(shape), ""
        inside = "true" if self.mode == "static" else "false"
        if self.is_row(shape):
            extents = [COVERED if extent == WIDTH else extent for extent in shape]
            if len(shape) == 1:
                extents, at = [ROWS, *extents], ["%program", "%c0"]
        elif self.mode == "dynamic":
            extents[-1] = max(1, extents[-1] - 2)
            at[-1] = self.scalar(-1)
        memory = self.argument(f"m_{name}", element, extents, "in")
        if self.mode == "masked":
            masked = f", {self.mask(name, shape)}"
        self.lines += [f"%{name}_pad = arith.constant {constant(element, (), pad)}",
                       f"%{name} = vector.transfer_read %m_{name}[{', '.join(at)}], %{name}_pad{masked} "
                       f"{{in_bounds = [{', '.join([inside] * len(shape))}]}} : {memory.type}, {shaped(element, shape)}"]

    def write(self, name, element, shape):
        access, extents, at, masked = "out", list(shape), ["%c0"] * len(shape), ""
        inside = "true" if self.mode == "static" else "false"
        if self.mode == "narrowed":
            extents = [ROWS, *(COVERED if extent == WIDTH else extent for extent in shape)]
            at = ["%program", *at]
        elif self.mode == "dynamic" and shape:
            access = "inout"
            extents[-1] += 2
            at[-1] = self.scalar(-2)
        if not shape:
            if self.mode != "narrowed":
                extents, at = [1], ["%c0"]
            memory = self.argument(f"m_{name}", element, extents, access)
            self.lines.append(f"memref.store %{name}, %m_{name}[{', '.join(at)}] : {memory.type}")
            return
        if self.mode == "masked":
            access, masked = "inout", f", {self.mask(name, shape)}"
        memory = self.argument(f"m_{name}", element, extents, access)
        self.lines.append(f"vector.transfer_write %{name}, %m_{name}[{', '.join(at)}]{masked} "
                          f"{{in_bounds = [{', '.join([inside] * len(shape))}]}} : {shaped(element, shape)}, {memory.type}")


def print_block(mode):
    """As cells.print_kernel does for a thread's program."""
    def print_cell(op, kind, form, inputs, outputs, body):
        printer = Printer(mode)
        if mode == "narrowed":  # its extent is covered
            printer.argument("rows", "i8", [ROWS, COVERED], "in")
        for name, element, shape in inputs:
            base, rule = storage(element), DOMAINS.get(op, {}).get(name)
            raw = f"{name}_raw" if rule else name
            printer.read(raw if base == element else f"{raw}_in", base, shape)
            if element == "i1":
                printer.lines.append(f"%{raw} = arith.trunci %{raw}_in : {shaped('i8', shape)} to {shaped('i1', shape)}")
            else:
                printer.lines += make(raw, element, shape)
            if rule:
                printer.lines += adjust(rule, raw, name, element, shape)
        printer.lines += body(printer) if callable(body) else body
        for name, element, shape in outputs:
            base = storage(element)
            if base != element:
                printer.lines += unmake(name, element, shape)
            printer.write(name if base == element else f"{name}_out", base, shape)
        program, grid = ("width = 256, covers = extent(0, 1)", "grid = [extent(0, 0)]") if mode == "narrowed" else \
            ("", f"grid = [1], block = [{THREADS}]")
        lines = "\n".join(f"    {line}" for line in printer.lines)
        text = f"""gpu.module @m {{
  gpu.func @k(PARAMETERS) kernel attributes {{carousel.block_program = #carousel.block_program<{program}>,
      carousel.launch = #carousel.launch<{grid}>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %program = gpu.block_id x
{lines}
    gpu.return
  }}
}}
"""
        return BlockCell(op, kind, form.removeprefix("block").strip(), mode, text, tuple(printer.arguments))
    return print_cell


# ===- Structured ops ----------------------------------------------------------===#

def at_positions(printer, shape):
    """Of an element or a row: fixed, or of the run."""
    if printer.mode in ("dynamic", "narrowed"):
        return ", ".join(printer.scalar(extent // 3) for extent in shape)
    return ", ".join(str(extent // 3) for extent in shape)


def values(mode, kind):
    """What moves elements."""
    cell, shape = print_block(mode), SHAPES.get(mode, SHAPE)
    typed, inner = shaped(kind, shape), shape[-1]
    column, row = (*shape[:-1], 1), shape[-1:]
    one = [("a", kind, shape)]

    def unary(op, form, target, line):
        return cell(op, kind, form, one, [("r", kind, target)], [line])

    yield cell("vector.broadcast", kind, "scalar", [("a", kind, ())], [("r", kind, shape)],
               [f"%r = vector.broadcast %a : {kind} to {typed}"])
    if mode != "narrowed":
        yield cell("vector.broadcast", kind, "row", [("a", kind, row)], [("r", kind, shape)],
                   [f"%r = vector.broadcast %a : {shaped(kind, row)} to {typed}"])
        yield cell("vector.broadcast", kind, "column", [("a", kind, column)], [("r", kind, shape)],
                   [f"%r = vector.broadcast %a : {shaped(kind, column)} to {typed}"])
        yield cell("vector.extract", kind, "row", one, [("r", kind, row)],
                   lambda p: [f"%r = vector.extract %a[{at_positions(p, shape[:1])}] : {shaped(kind, row)} from {typed}"])
        yield cell("vector.insert", kind, "row", [*one, ("b", kind, row)], [("r", kind, shape)],
                   lambda p: [f"%r = vector.insert %b, %a[{at_positions(p, shape[:1])}] : {shaped(kind, row)} into {typed}"])
        yield unary("vector.transpose", "", shape[::-1],
                    f"%r = vector.transpose %a, [1, 0] : {typed} to {shaped(kind, shape[::-1])}")
        yield cell("vector.insert_strided_slice", kind, "of fewer dimensions", [*one, ("b", kind, (inner // 2,))],
                   [("r", kind, shape)],
                   [f"%r = vector.insert_strided_slice %b, %a {{offsets = [1, {inner // 2}], strides = [1]}} : "
                    f"{shaped(kind, (inner // 2,))} into {typed}"])
    place = tuple(min(extent, COVERED) for extent in shape)
    yield cell("vector.extract", kind, "element", one, [("r", kind, ())],
               lambda p: [f"%r = vector.extract %a[{at_positions(p, place)}] : {kind} from {typed}"])
    yield cell("vector.insert", kind, "element", [*one, ("b", kind, ())], [("r", kind, shape)],
               lambda p: [f"%r = vector.insert %b, %a[{at_positions(p, place)}] : {kind} into {typed}"])
    double, half = (*shape[:-1], 2 * inner), (*shape[:-1], inner // 2)
    yield cell("vector.interleave", kind, "", [*one, ("b", kind, shape)], [("r", kind, double)],
               [f"%r = vector.interleave %a, %b : {typed} -> {shaped(kind, double)}"])
    yield cell("vector.deinterleave", kind, "", one, [("r", kind, half), ("s", kind, half)],
               [f"%r, %s = vector.deinterleave %a : {typed} -> {shaped(kind, half)}"])
    zeros = [0] * (len(shape) - 1)
    sizes, strides = list(half), [1] * len(shape)
    yield unary("vector.extract_strided_slice", "", half,
                f"%r = vector.extract_strided_slice %a {{offsets = {[*zeros, inner // 2]}, sizes = {sizes}, strides = {strides}}} "
                f": {typed} to {shaped(kind, half)}")
    yield cell("vector.insert_strided_slice", kind, "", [*one, ("b", kind, half)], [("r", kind, shape)],
               [f"%r = vector.insert_strided_slice %b, %a {{offsets = {[*zeros, inner // 2]}, strides = {strides}}} : "
                f"{shaped(kind, half)} into {typed}"])
    folded = (2, count(shape) // 2)
    yield cell("vector.shape_cast", kind, "", one, [("r", kind, folded)],
               [f"%r = vector.shape_cast %a : {typed} to {shaped(kind, folded)}"])
    yield cell("scf.for", kind, "", [*one, ("b", kind, shape)], [("r", kind, shape)],
               lambda p: [f"%r, %s = scf.for %i = %c0 to {p.scalar(3)} step %c1 iter_args(%p = %a, %q = %b) -> ({typed}, {typed}) {{",
                          f"  scf.yield %q, %p : {typed}, {typed}", "}"])
    yield cell("scf.if", kind, "", [*one, ("b", kind, shape)], [("r", kind, shape)],
               lambda p: [f"%t = arith.cmpi eq, %program, {p.scalar(1)} : index", f"%r = scf.if %t -> ({typed}) {{",
                          f"  scf.yield %a : {typed}", "} else {", f"  scf.yield %b : {typed}", "}"])
    if kind != "i1":
        yield from listed_constants(cell, mode, kind)


def listed_constants(cell, mode, kind):
    if mode in ("static", "masked"):
        numbers = ", ".join(constant(kind, (), value % 7).split(" :")[0] for value in range(8))
        yield cell("arith.constant", kind, "several numbers", [], [("r", kind, (8,))],
                   [f"%r = arith.constant dense<[{numbers}]> : {shaped(kind, (8,))}"])


def memory(mode, kind):
    """Of buffers whose elements are of the type itself."""
    if not is_loaded(kind):
        return
    cell, shape = print_block(mode), SHAPES.get(mode, SHAPE)
    typed, indices, flags = shaped(kind, shape), shaped("i32", shape), shaped("i1", shape)
    yield cell("vector.transfer_read", kind, "", [("a", kind, shape)], [("r", kind, shape)],
               [f"%r = vector.broadcast %a : {typed} to {typed}"])
    yield cell("vector.gather", kind, "", [("a", kind, shape), ("n", "i32", shape), ("m", "i1", shape)],
               [("r", kind, shape)],
               lambda p: [f"%most = arith.constant {constant('i32', shape, 40)}",
                          f"%places = arith.remui %n, %most : {indices}",
                          f"%r = vector.gather %m_g[%c0] [%places], %m, %a : {p.argument('m_g', kind, [40], 'in').type}, "
                          f"{indices}, {flags}, {typed} into {typed}"])


def numbers(mode, kind):
    """What computes, and isn't element by element. Sums of floats are of zeros and ones, and products of 1 and -1."""
    cell, shape = print_block(mode), SHAPES.get(mode, SHAPE)
    typed = shaped(kind, shape)
    for combining in COMBINING[is_float(kind)]:
        for dims in ([1], [0], [0, 1]) if len(shape) == 2 else ([0],):
            target = tuple(extent for dim, extent in enumerate(shape) if dim not in dims)
            yield cell("vector.multi_reduction", kind, f"{combining} of {dims}", [("a", kind, shape)], [("r", kind, target)],
                       lambda p, combining=combining, dims=dims, target=target:
                       reduction(p, kind, shape, combining, dims, target))
        if mode == "narrowed":
            yield cell("vector.multi_reduction", kind, f"{combining} with padding", [], [("r", kind, ())],
                       lambda p, combining=combining: padded_reduction(p, kind, shape, combining))
    if mode == "narrowed" and kind in ("i8", "i16", "f16", "bf16"):  # of which a thread's registers hold enough
        yield cell("vector.contract", kind, "with padding", [], [("r", kind, (16, 16))], lambda p: padded_contraction(p, kind))
    if is_float(kind):
        yield cell("vector.fma", kind, "", [(name, kind, shape) for name in "abc"], [("r", kind, shape)],
                   [f"%r = vector.fma %a, %b, %c : {typed}"])
    if mode != "narrowed" and kind not in ("i1", "index"):
        yield cell("vector.contract", kind, "", [("a", kind, (16, 32)), ("b", kind, (32, 16))], [("r", kind, (16, 16))],
                   contraction(kind))
    yield cell("arith.select", kind, "scalar condition", [("p", "i1", ()), ("a", kind, shape), ("b", kind, shape)],
               [("r", kind, shape)], [f"%r = arith.select %p, %a, %b : {typed}"])


def whole(kind, shape, name, low, high):
    """One of two small numbers for each element of %name. Few are the low one in types of few bits, whose sums are exact to
    8 only."""
    typed, limit = shaped(kind, shape), -0.97 if width(kind) == 8 else 0
    return [f"%{name}_low = arith.constant {constant(kind, shape, low)}",
            f"%{name}_high = arith.constant {constant(kind, shape, high)}",
            f"%{name}_limit = arith.constant {constant(kind, shape, limit)}",
            f"%{name}_flags = arith.cmpf olt, %{name}, %{name}_limit : {typed}",
            f"%{name}_few = arith.select %{name}_flags, %{name}_low, %{name}_high : {shaped('i1', shape)}, {typed}"]


# Kinds -> padding that makes a difference.
COUNTING = {"mul": 2, "and": 0, "minui": 0, "max": 100, "min": -100}


def read_padded(printer, name, kind, shape, pad):
    base = storage(kind)
    printer.read(name if base == kind else f"{name}_in", base, shape, pad)
    printer.lines += make(name, kind, shape)


def padded_reduction(printer, kind, shape, combining):
    """Of a row as it is read: the pass has to leave out what is beyond it."""
    pad = COUNTING.get(combining, COUNTING.get(combining[:3], -1))
    if is_float(kind) and combining in ("add", "mul"):
        pad = -1
    if kind == "i1":
        pad = combining not in ("mul", "and", "minui", "maxsi")
    elif combining == "maxui":
        pad = -1
    read_padded(printer, "a", kind, shape, int(pad))
    return reduction(printer, kind, shape, combining, [0], (), is_masked=False)


def padded_contraction(printer, kind):
    """Along the covered dimension."""
    read_padded(printer, "a", kind, (16, WIDTH), -1)
    read_padded(printer, "b", kind, (WIDTH, 16), -1)
    return contraction(kind, WIDTH)


def reduction(printer, kind, shape, combining, dims, target, is_masked=True):
    typed, lines, source = shaped(kind, shape), [], "%a"
    if is_float(kind) and combining in ("add", "mul"):
        # One of few elements is 1, or -1.
        lines, source = whole(kind, shape, "a", 1 if combining == "add" else -1, 0 if combining == "add" else 1), "%a_few"
    if is_float(kind):
        start = 1
    else:
        start = 1 if kind == "i1" else 3
    lines.append(f"%start = arith.constant {constant(kind, target, start)}")
    result = shaped(kind, target)
    text = f"vector.multi_reduction <{combining}>, {source}, %start {dims} : {typed} to {result}"
    if printer.mode == "masked":
        size = printer.scalar(shape[-1] - 5)
        rows = ", ".join(f"%c{extent}" for extent in shape[:-1])
        lines += [f"%c{extent} = arith.constant {extent} : index" for extent in shape[:-1]]
        lines.append(f"%mask = vector.create_mask {rows}, {size} : {shaped('i1', shape)}")
        text = f"vector.mask %mask {{ {text} }} : {shaped('i1', shape)} -> {result}"
    elif printer.mode == "narrowed" and is_masked:  # beyond the columns is what makes no difference
        neutral = {"mul": 1, "and": -1, "minui": -1}.get(combining, {"min": 100, "max": -100}.get(combining[:3], 0))
        if combining == "maxui":
            neutral = 0
        if kind == "i1":
            neutral = combining in ("mul", "and", "minui", "maxsi")
        lines += [f"%covered = arith.constant {COVERED} : index",
                  "%columns = memref.dim %rows, %c1 : memref<?x?xi8, #gl>",
                  f"%mask = vector.create_mask %columns : {shaped('i1', shape)}",
                  f"%neutral = arith.constant {constant(kind, shape, neutral)}",
                  f"%inside = arith.select %mask, {source}, %neutral : {shaped('i1', shape)}, {typed}"]
        text = text.replace(source + ",", "%inside,", 1)
    return [*lines, f"%r = {text}"]


def contraction(kind, depth=32):
    """Of small numbers, whose sums are exact."""
    left, right, result = (shaped(kind, shape) for shape in ((16, depth), (depth, 16), (16, 16)))
    lines, names = [], ("%a", "%b")
    if is_float(kind):
        lines = whole(kind, (16, depth), "a", -1, 1) + whole(kind, (depth, 16), "b", -1, 1)
        names = ("%a_few", "%b_few")
    maps = ", ".join(f"affine_map<(m, n, k) -> ({dims})>" for dims in ("m, k", "k, n", "m, n"))
    return [*lines, f"%zero = arith.constant {constant(kind, (16, 16), 0)}",
            f"%r = vector.contract {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
            f"kind = #vector.kind<add>}} {names[0]}, {names[1]}, %zero : {left}, {right} into {result}"]


def masks(mode):
    cell, shape = print_block(mode), SHAPES.get(mode, SHAPE)
    flags = shaped("i1", shape)
    yield cell("vector.create_mask", "i1", "", [], [("r", "i1", shape)],
               lambda p: [f"%r = vector.create_mask {', '.join(p.scalar(min(extent, COVERED) - 1) for extent in shape)} : {flags}"])
    yield cell("vector.constant_mask", "i1", "", [], [("r", "i1", shape)],
               [f"%r = vector.constant_mask {[min(extent, COVERED) - 1 for extent in shape]} : {flags}"])
    yield cell("vector.step", "index", "", [], [("r", "index", shape[-1:])],
               [f"%r = vector.step : {shaped('index', shape[-1:])}"])


def powers(mode, kind):
    cell, shape = print_block(mode), SHAPES.get(mode, SHAPE)
    for exponent in ("i32", "i64"):
        yield cell("math.fpowi", kind, f"{exponent} exponents", [("a", kind, shape), ("b", exponent, shape)],
                   [("r", kind, shape)], [f"%r = math.fpowi %a, %b : {shaped(kind, shape)}, {shaped(exponent, shape)}"])


def is_defined(cell):
    """i1 has no shifts and no signed divisions, and no float but 0 becomes one."""
    return not (cell.op.startswith("arith.fpto") and " i1" in f" {cell.form}") and not (
        cell.kind == "i1" and (cell.op[6:] in DIVISIONS or cell.op[6:8] == "sh" or cell.op == "math.ipowi"))


def block_cells():
    for mode in MODES:
        shape = {"block": SHAPES.get(mode, SHAPE)}
        for cell in (*element_wise(shape, print_block(mode)), *conversions(shape, print_block(mode))):
            kinds = {cell.kind} | {word for word in cell.form.split() if word[0] in "ifb" and word[-1].isdigit()}
            if kinds <= set(COLUMNS) and is_defined(cell) and not cell.op.startswith("arith.scaling"):
                yield cell
        yield from masks(mode)
        for kind in COLUMNS:
            yield from values(mode, kind)
            yield from memory(mode, kind)
            yield from numbers(mode, kind)
            if is_float(kind):
                yield from powers(mode, kind)
