# ===- structured.py - ops of vectors, threads and memory -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cells of the vector, gpu and memref dialects. Each element type is tried that an op of the dialect can
have; what computes is tried with numbers of its kind."""

from .cells import LANES, print_kernel
from .types import COLUMNS, ODD, constant, is_float, is_loaded, shaped, width

FOUR, TWO_FOUR = (4,), (2, 4)
COMBINING = {False: ("add", "mul", "and", "or", "xor", "minsi", "minui", "maxsi", "maxui"),
             True: ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")}
ATOMIC = {False: ("addi", "andi", "assign", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori"),
          True: ("addf", "assign", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf")}
# Factors of a contraction that are narrower than its sum.
NARROW_FACTORS = {"f32": ("f16", "bf16"), "f64": ("f32",), "i32": ("i8", "i16")}


def unary(op, kind, form, source, target, line, inside=()):
    """%r of %a, each of its shape."""
    return print_kernel(op, kind, form, [("a", kind, source)], [("r", kind, target)], [*inside, line])


def vector_values(kind):
    v4, v8, v24 = (f"vector<{shape}x{kind}>" for shape in ("4", "8", "2x4"))
    v42 = f"vector<4x2x{kind}>"
    at4 = ["%lane = arith.remui %i, %c4 : index"]
    yield unary("vector.broadcast", kind, "scalar", (), FOUR, f"%r = vector.broadcast %a : {kind} to {v4}")
    yield unary("vector.broadcast", kind, "row", FOUR, TWO_FOUR, f"%r = vector.broadcast %a : {v4} to {v24}")
    yield unary("vector.broadcast", kind, "column", (1,), FOUR, f"%r = vector.broadcast %a : vector<1x{kind}> to {v4}")
    yield unary("vector.extract", kind, "element", FOUR, (), f"%r = vector.extract %a[2] : {kind} from {v4}")
    yield unary("vector.extract", kind, "element at run time", FOUR, (),
                f"%r = vector.extract %a[%lane] : {kind} from {v4}", at4)
    yield unary("vector.extract", kind, "row", TWO_FOUR, FOUR, f"%r = vector.extract %a[1] : {v4} from {v24}")
    yield unary("vector.extract", kind, "row at run time", TWO_FOUR, FOUR,
                f"%r = vector.extract %a[%p] : {v4} from {v24}",
                ["%c2 = arith.constant 2 : index", "%p = arith.remui %i, %c2 : index"])
    for form, where, inside in (("element", "1", []), ("element at run time", "%lane", at4)):
        yield print_kernel("vector.insert", kind, form, [("a", kind, FOUR), ("b", kind, ())], [("r", kind, FOUR)],
                           [*inside, f"%r = vector.insert %b, %a[{where}] : {kind} into {v4}"])
    for form, where, inside in (("row", "1", []), ("row at run time", "%p",
                                                  ["%c2 = arith.constant 2 : index",
                                                   "%p = arith.remui %i, %c2 : index"])):
        yield print_kernel("vector.insert", kind, form, [("a", kind, TWO_FOUR), ("b", kind, FOUR)],
                           [("r", kind, TWO_FOUR)],
                           [*inside, f"%r = vector.insert %b, %a[{where}] : {v4} into {v24}"])
    for form, mask, target in (("any", "0, 2, 1, 3", FOUR), ("interleaving", "0, 4, 1, 5, 2, 6, 3, 7", (8,)),
                               ("with poison", "0, -1, 5, 3", FOUR), ("even lanes", "0, 2, 4, 6", FOUR)):
        yield print_kernel("vector.shuffle", kind, form, [("a", kind, FOUR), ("b", kind, FOUR)],
                           [("r", kind, target)], [f"%r = vector.shuffle %a, %b [{mask}] : {v4}, {v4}"])
    yield print_kernel("vector.shuffle", kind, "two narrow to one", [("a", kind, FOUR)], [("r", kind, FOUR)],
                       [f"%l = vector.shuffle %a, %a [0, 1] : {v4}, {v4}",
                        f"%h = vector.shuffle %a, %a [2, 3] : {v4}, {v4}",
                        f"%r = vector.shuffle %l, %h [0, 2, 1, 3] : vector<2x{kind}>, vector<2x{kind}>"])
    yield print_kernel("vector.interleave", kind, "", [("a", kind, FOUR), ("b", kind, FOUR)], [("r", kind, (8,))],
                       [f"%r = vector.interleave %a, %b : {v4} -> {v8}"])
    yield print_kernel("vector.deinterleave", kind, "", [("a", kind, (8,))], [("r", kind, FOUR), ("s", kind, FOUR)],
                       [f"%r, %s = vector.deinterleave %a : {v8} -> {v4}"])
    yield unary("vector.from_elements", kind, "", (), FOUR, f"%r = vector.from_elements %a, %a, %a, %a : {v4}")
    yield unary("vector.to_elements", kind, "", FOUR, (), f"%r, %s, %t, %u = vector.to_elements %a : {v4}")
    yield unary("vector.shape_cast", kind, "", (8,), TWO_FOUR, f"%r = vector.shape_cast %a : {v8} to {v24}")
    yield unary("vector.transpose", kind, "", TWO_FOUR, (4, 2), f"%r = vector.transpose %a, [1, 0] : {v24} to {v42}")
    yield unary("vector.extract_strided_slice", kind, "", (8,), FOUR,
                f"%r = vector.extract_strided_slice %a {{offsets = [2], sizes = [4], strides = [1]}} : {v8} to {v4}")
    yield print_kernel("vector.insert_strided_slice", kind, "", [("a", kind, FOUR), ("b", kind, (8,))],
                       [("r", kind, (8,))],
                       [f"%r = vector.insert_strided_slice %a, %b {{offsets = [2], strides = [1]}} : {v4} into {v8}"])
    for other in COLUMNS:
        if other not in (kind, "index") and kind != "index" and 4 * width(kind) % width(other) == 0:
            lanes = 4 * width(kind) // width(other)
            if lanes in (4, 8, 1) or (lanes == 2 and width(other) > 8):
                yield print_kernel("vector.bitcast", kind, f"to {other}", [("a", kind, FOUR)],
                                   [("r", other, (lanes,))] if lanes in (1, 4, 8) else [("r", other, ())],
                                   [f"%r = vector.bitcast %a : {v4} to vector<{lanes}x{other}>"] if lanes != 2 else
                                   [f"%q = vector.bitcast %a : {v4} to vector<2x{other}>",
                                    f"%r = vector.extract %q[1] : {other} from vector<2x{other}>"])


def vector_numbers(kind):
    """What computes."""
    v4, v24 = shaped(kind, FOUR), shaped(kind, TWO_FOUR)
    floats = is_float(kind)
    for combining in COMBINING[floats]:
        yield unary("vector.reduction", kind, combining, FOUR, (), f"%r = vector.reduction <{combining}>, %a : {v4} into {kind}")
        yield print_kernel("vector.reduction", kind, f"{combining} from a start", [("a", kind, FOUR), ("b", kind, ())],
                           [("r", kind, ())], [f"%r = vector.reduction <{combining}>, %a, %b : {v4} into {kind}"])
        yield print_kernel("vector.multi_reduction", kind, combining, [("a", kind, TWO_FOUR), ("b", kind, FOUR)],
                           [("r", kind, FOUR)],
                           [f"%r = vector.multi_reduction <{combining}>, %a, %b [0] : {v24} to {v4}"])
        yield print_kernel("vector.scan", kind, combining, [("a", kind, TWO_FOUR), ("b", kind, FOUR)],
                           [("r", kind, TWO_FOUR)],
                           [f"%r, %s = vector.scan <{combining}>, %a, %b {{inclusive = true, reduction_dim = 0 : i64}} "
                            f": {v24}, {v4}"])
    yield print_kernel("vector.outerproduct", kind, "", [("a", kind, FOUR), ("b", kind, ())],
                       [("r", kind, FOUR)], [f"%r = vector.outerproduct %a, %b : {v4}, {kind}"])
    if floats:
        yield print_kernel("vector.fma", kind, "", [(name, kind, FOUR) for name in "abc"], [("r", kind, FOUR)],
                           [f"%r = vector.fma %a, %b, %c : {v4}"])
    for factor in (kind, *NARROW_FACTORS.get(kind, ())):
        form = "" if factor == kind else f"of {factor}"
        factors = shaped(factor, FOUR)
        yield print_kernel("vector.contract", kind, form, [("a", factor, FOUR), ("b", factor, FOUR), ("c", kind, ())],
                           [("r", kind, ())],
                           ["%r = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, "
                            "affine_map<(d0) -> ()>], iterator_types = [\"reduction\"], kind = #vector.kind<add>} "
                            f"%a, %b, %c : {factors}, {factors} into {kind}"])
    yield print_kernel("vector.mask", kind, "", [("a", kind, FOUR), ("m", "i1", FOUR)], [("r", kind, ())],
                       [f"%r = vector.mask %m {{ vector.reduction <add>, %a : {v4} into {kind} }} : vector<4xi1> -> {kind}"])


def vector_memory(kind):
    """Of buffers whose elements are of the type itself."""
    if not is_loaded(kind) and kind not in ("i1", "index") and width(kind) % 8:
        return
    memref, v4, v24 = f"memref<128x{kind}, #gl>", shaped(kind, FOUR), shaped(kind, TWO_FOUR)
    if not is_loaded(kind):
        # Through memory of the thread's own.
        yield unary("vector.store", kind, "", FOUR, FOUR, f"%r = vector.load %own[%c0] : memref<4x{kind}>, {v4}",
                    [f"%own = memref.alloca() : memref<4x{kind}>", f"vector.store %a, %own[%c0] : memref<4x{kind}>, {v4}"])
        return
    one = f"%zero = arith.constant {constant(kind, (), 0)}"
    mask = ["%m = vector.create_mask %i : vector<4xi1>"]

    def reads(op, form, lines, shape=FOUR):
        return print_kernel(op, kind, form, [("a", kind, shape)], [("r", kind, shape)], lines)

    yield reads("vector.load", "", [f"%r = vector.load %m_a[%j4] : {memref}, {v4}"])
    yield reads("vector.store", "", [f"%r = vector.load %m_a[%j4] : {memref}, {v4}"])
    yield reads("vector.load", "rows", [f"%own = memref.alloca() : memref<2x4x{kind}>",
                                        f"vector.store %a, %own[%c0, %c0] : memref<2x4x{kind}>, {v24}",
                                        f"%r = vector.load %own[%c0, %c0] : memref<2x4x{kind}>, {v24}"], TWO_FOUR)
    yield reads("vector.maskedload", "", [*mask, f"%r = vector.maskedload %m_a[%j4], %m, %a : {memref}, vector<4xi1>, {v4} into {v4}"])
    yield reads("vector.maskedstore", "", [*mask, f"%own = memref.alloca() : memref<4x{kind}>",
                                           f"vector.store %a, %own[%c0] : memref<4x{kind}>, {v4}",
                                           f"vector.maskedstore %own[%c0], %m, %a : memref<4x{kind}>, vector<4xi1>, {v4}",
                                           f"%r = vector.load %own[%c0] : memref<4x{kind}>, {v4}"])
    for number in ("i32", "i64", "index"):
        lanes = [*mask, f"%n = arith.constant dense<[0, 2, 1, 3]> : vector<4x{number}>"]
        yield reads("vector.gather", number, [*lanes, f"%r = vector.gather %m_a[%j4] [%n], %m, %a : {memref}, "
                                                      f"vector<4x{number}>, vector<4xi1>, {v4} into {v4}"])
        yield reads("vector.scatter", number, [*lanes, f"%own = memref.alloca() : memref<4x{kind}>",
                                               f"vector.store %a, %own[%c0] : memref<4x{kind}>, {v4}",
                                               f"vector.scatter %own[%c0] [%n], %m, %a : memref<4x{kind}>, "
                                               f"vector<4x{number}>, vector<4xi1>, {v4}",
                                               f"%r = vector.load %own[%c0] : memref<4x{kind}>, {v4}"])
    yield reads("vector.expandload", "", [*mask, f"%r = vector.expandload %m_a[%j4], %m, %a : {memref}, vector<4xi1>, {v4} into {v4}"])
    yield reads("vector.compressstore", "", [*mask, f"%own = memref.alloca() : memref<4x{kind}>",
                                             f"vector.store %a, %own[%c0] : memref<4x{kind}>, {v4}",
                                             f"vector.compressstore %own[%c0], %m, %a : memref<4x{kind}>, vector<4xi1>, {v4}",
                                             f"%r = vector.load %own[%c0] : memref<4x{kind}>, {v4}"])
    yield reads("vector.transfer_read", "", [one, f"%r = vector.transfer_read %m_a[%j4], %zero : {memref}, {v4}"])
    yield reads("vector.transfer_write", "", [f"%own = memref.alloca() : memref<8x{kind}>",
                                              f"vector.store %a, %own[%c0] : memref<8x{kind}>, {v4}",
                                              f"vector.transfer_write %a, %own[%c0] : {v4}, memref<8x{kind}>",
                                              f"%r = vector.load %own[%c0] : memref<8x{kind}>, {v4}"])
    yield reads("vector.type_cast", "", [f"%own = memref.alloca() : memref<4x{kind}>",
                                         f"vector.store %a, %own[%c0] : memref<4x{kind}>, {v4}",
                                         f"%cast = vector.type_cast %own : memref<4x{kind}> to memref<{v4}>",
                                         f"%r = memref.load %cast[] : memref<{v4}>"])
    yield reads("vector.print", "", [f"vector.print %a : {v4}", f"%r = vector.load %m_a[%j4] : {memref}, {v4}"])


def masks():
    yield print_kernel("vector.create_mask", "i1", "", [], [("r", "i1", FOUR)], ["%r = vector.create_mask %i : vector<4xi1>"])
    yield print_kernel("vector.create_mask", "i1", "rows", [], [("r", "i1", TWO_FOUR)],
                       ["%r = vector.create_mask %c1, %i : vector<2x4xi1>"])
    yield print_kernel("vector.constant_mask", "i1", "", [], [("r", "i1", FOUR)], ["%r = vector.constant_mask [2] : vector<4xi1>"])
    yield print_kernel("vector.step", "index", "", [], [("r", "index", FOUR)], ["%r = vector.step : vector<4xindex>"])
    yield print_kernel("vector.vscale", "index", "", [], [("r", "index", ())], ["%r = vector.vscale"])
    yield print_kernel("vector.scalable.insert", "f32", "", [("a", "f32", FOUR)], [("r", "f32", FOUR)],
                       ["%z = arith.constant dense<0.0> : vector<[4]xf32>",
                        "%s = vector.scalable.insert %a, %z[0] : vector<4xf32> into vector<[4]xf32>",
                        "%r = vector.scalable.extract %s[0] : vector<4xf32> from vector<[4]xf32>"])


# ===- gpu ---------------------------------------------------------------------===#

def registers():
    for op in ("thread_id", "block_id", "block_dim", "grid_dim", "global_id", "cluster_id", "cluster_dim",
               "cluster_block_id", "cluster_dim_blocks"):
        for dim in "xyz":
            yield print_kernel(f"gpu.{op}", "index", dim, [], [("r", "index", ())], [f"%r = gpu.{op} {dim}"])
    for op in ("lane_id", "subgroup_id", "num_subgroups", "subgroup_size"):
        yield print_kernel(f"gpu.{op}", "index", "", [], [("r", "index", ())], [f"%r = gpu.{op}" + ("" if op == "lane_id" else " : index")])
    yield print_kernel("gpu.barrier", "index", "", [], [], ["gpu.barrier"])
    yield print_kernel("gpu.dynamic_shared_memory", "i8", "", [], [],
                       ["%d = gpu.dynamic_shared_memory : memref<?xi8, #ws>"])
    yield print_kernel("gpu.warp_execute_on_lane_0", "f32", "", [("a", "f32", ())], [("r", "f32", ())],
                       ["%lane = gpu.lane_id", "%r = gpu.warp_execute_on_lane_0(%lane)[32] -> (f32) {",
                        "  %s = arith.constant 1.0 : f32", "  gpu.yield %s : f32", "}"])
    yield print_kernel("gpu.subgroup_mma_constant_matrix", "f16", "", [], [],
                       ["%z = arith.constant 0.0 : f16",
                        "%m = gpu.subgroup_mma_constant_matrix %z : !gpu.mma_matrix<16x16xf16, \"COp\">"])


def collectives(kind):
    floats = is_float(kind)
    for mode in ("xor", "up", "down", "idx"):
        yield print_kernel("gpu.shuffle", kind, mode, [("a", kind, ())], [("r", kind, ())],
                           ["%o = arith.constant 1 : i32", "%w = arith.constant 32 : i32",
                            f"%r, %valid = gpu.shuffle {mode} %a, %o, %w : {kind}"])
    yield print_kernel("gpu.shuffle", kind, "of a part", [("a", kind, ())], [("r", kind, ()), ("s", "i1", ())],
                       ["%o = arith.constant 1 : i32", "%w = arith.constant 16 : i32",
                        f"%r, %s = gpu.shuffle down %a, %o, %w : {kind}"], block=16)
    yield print_kernel("gpu.shuffle", kind, "vector", [("a", kind, FOUR)], [("r", kind, FOUR)],
                       ["%o = arith.constant 1 : i32", "%w = arith.constant 32 : i32",
                        f"%r, %valid = gpu.shuffle xor %a, %o, %w : vector<4x{kind}>"])
    for size in (32, 16):
        yield print_kernel("gpu.rotate", kind, f"of {size}", [("a", kind, ())], [("r", kind, ())],
                           [f"%r, %valid = gpu.rotate %a, 1, {size} : {kind}"])
    yield print_kernel("gpu.rotate", kind, "vector", [("a", kind, FOUR)], [("r", kind, FOUR)],
                       [f"%r, %valid = gpu.rotate %a, 1, 32 : vector<4x{kind}>"])
    for shape in ((), FOUR):
        typed, form = shaped(kind, shape), "vector" if shape else "scalar"
        yield print_kernel("gpu.subgroup_broadcast", kind, f"first, {form}", [("a", kind, shape)], [("r", kind, shape)],
                           [f"%r = gpu.subgroup_broadcast %a, first_active_lane : {typed}"])
        yield print_kernel("gpu.subgroup_broadcast", kind, f"lane, {form}", [("a", kind, shape)], [("r", kind, shape)],
                           ["%l = arith.constant 3 : i32",
                            f"%r = gpu.subgroup_broadcast %a, specific_lane %l : {typed}"])
    reductions = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf") if floats else (
        "add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
    for how in reductions:
        for uniform in ("", " uniform"):
            yield print_kernel("gpu.all_reduce", kind, f"{how}{uniform}", [("a", kind, ())], [("r", kind, ())],
                               [f"%r = gpu.all_reduce {how} %a{uniform} {{}} : ({kind}) -> {kind}"])
            yield print_kernel("gpu.subgroup_reduce", kind, f"{how}{uniform}", [("a", kind, ())], [("r", kind, ())],
                               [f"%r = gpu.subgroup_reduce {how} %a{uniform} : ({kind}) -> {kind}"])
        yield print_kernel("gpu.subgroup_reduce", kind, f"{how} cluster", [("a", kind, ())], [("r", kind, ())],
                           [f"%r = gpu.subgroup_reduce {how} %a cluster(size = 8) : ({kind}) -> {kind}"])
        yield print_kernel("gpu.subgroup_reduce", kind, f"{how} vector", [("a", kind, FOUR)], [("r", kind, FOUR)],
                           [f"%r = gpu.subgroup_reduce {how} %a : (vector<4x{kind}>) -> vector<4x{kind}>"])
    add = "arith.addf" if floats else "arith.addi"
    for uniform in ("", " uniform"):
        yield print_kernel("gpu.all_reduce", kind, f"region{uniform}", [("a", kind, ())], [("r", kind, ())],
                           [f"%r = gpu.all_reduce %a{uniform} {{", f"^bb(%x: {kind}, %y: {kind}):",
                            f"  %z = {add} %x, %y : {kind}", f"  gpu.yield %z : {kind}", f"}} : ({kind}) -> {kind}"],
                           block=64)
    yield print_kernel("gpu.all_reduce", kind, "in a loop", [("a", kind, ())], [("r", kind, ())],
                       ["%r = scf.for %n = %c0 to %c4 step %c1 iter_args(%s = %a) -> (" + kind + ") {",
                        f"  %t = gpu.all_reduce add %s uniform {{}} : ({kind}) -> {kind}",
                        f"  scf.yield %t : {kind}", "}"], block=64)
    if kind in ("i32", "i64", "f32", "f64", "i8", "i16", "f16"):
        yield print_kernel("gpu.printf", kind, "", [("a", kind, ())], [], [f'gpu.printf "%d", %a : {kind}'])


# ===- memref ------------------------------------------------------------------===#

def memory(kind):
    memref, own = f"memref<{LANES}x{kind}, #gl>", f"memref<8x{kind}>"
    through = [f"%own = memref.alloca() : {own}", f"memref.store %a, %own[%c1] : {own}"]

    def own_memory(op, form, lines, body_before=None):
        return unary(op, kind, form, (), (), lines[-1], [*(through if body_before is None else body_before), *lines[:-1]])

    yield own_memory("memref.alloca", "", [f"%r = memref.load %own[%c1] : {own}"])
    yield own_memory("memref.load", "private", [f"%r = memref.load %own[%c1] : {own}"])
    yield own_memory("memref.store", "private", [f"%r = memref.load %own[%c1] : {own}"])
    shared = f"memref<{LANES}x{kind}, #ws>"
    yield own_memory("memref.cast", "", [f"%d = memref.cast %own : {own} to memref<?x{kind}>",
                                         f"%r = memref.load %d[%c1] : memref<?x{kind}>"])
    yield own_memory("memref.subview", "", [f"%d = memref.subview %own[%c1] [4] [1] : {own} to memref<4x{kind}, strided<[1], offset: ?>>",
                                            f"%r = memref.load %d[%c0] : memref<4x{kind}, strided<[1], offset: ?>>"])
    yield own_memory("memref.expand_shape", "", [f"%d = memref.expand_shape %own [[0, 1]] output_shape [2, 4] : {own} into memref<2x4x{kind}>",
                                                 f"%r = memref.load %d[%c0, %c1] : memref<2x4x{kind}>"])
    yield own_memory("memref.collapse_shape", "", [f"%d = memref.expand_shape %own [[0, 1]] output_shape [2, 4] : {own} into memref<2x4x{kind}>",
                                                   f"%e = memref.collapse_shape %d [[0, 1]] : memref<2x4x{kind}> into {own}",
                                                   f"%r = memref.load %e[%c1] : {own}"])
    yield own_memory("memref.reinterpret_cast", "", [f"%d = memref.reinterpret_cast %own to offset: [1], sizes: [2], strides: [1] : {own} to memref<2x{kind}, strided<[1], offset: 1>>",
                                                     f"%r = memref.load %d[%c0] : memref<2x{kind}, strided<[1], offset: 1>>"])
    yield own_memory("memref.reshape", "", [f"%p = memref.alloca() : memref<2xindex>", "%c2 = arith.constant 2 : index",
                                            "memref.store %c2, %p[%c0] : memref<2xindex>", "memref.store %c4, %p[%c1] : memref<2xindex>",
                                            f"%d = memref.reshape %own(%p) : ({own}, memref<2xindex>) -> memref<2x4x{kind}>",
                                            f"%r = memref.load %d[%c0, %c1] : memref<2x4x{kind}>"])
    yield own_memory("memref.transpose", "", [f"%o2 = memref.alloca() : memref<2x4x{kind}>", f"memref.store %a, %o2[%c0, %c1] : memref<2x4x{kind}>",
                                              f"%d = memref.transpose %o2 (i, j) -> (j, i) : memref<2x4x{kind}> to memref<4x2x{kind}, strided<[1, 4]>>",
                                              f"%r = memref.load %d[%c1, %c0] : memref<4x2x{kind}, strided<[1, 4]>>"], [])
    yield own_memory("memref.copy", "", [f"%o2 = memref.alloca() : {own}", f"memref.copy %own, %o2 : {own} to {own}",
                                         f"%r = memref.load %o2[%c1] : {own}"])
    yield own_memory("memref.assume_alignment", "", [f"%d = memref.assume_alignment %own, 16 : {own}", f"%r = memref.load %d[%c1] : {own}"])
    yield own_memory("memref.distinct_objects", "", [f"%o2 = memref.alloca() : {own}", f"%d:2 = memref.distinct_objects %own, %o2 : {own}, {own}",
                                                     f"%r = memref.load %d#0[%c1] : {own}"])
    yield own_memory("memref.memory_space_cast", "", [f"%d = memref.memory_space_cast %own : {own} to memref<8x{kind}, #gpu.address_space<private>>",
                                                      f"%r = memref.load %d[%c1] : memref<8x{kind}, #gpu.address_space<private>>"])
    yield own_memory("memref.prefetch", "", [f"memref.prefetch %own[%c1], read, locality<3>, data : {own}", f"%r = memref.load %own[%c1] : {own}"])
    yield own_memory("memref.view", "", [f"%r = memref.load %d[%c1] : {own}"],
                     ["%bytes = memref.alloca() {alignment = 16 : i64} : memref<128xi8>",
                      f"%d = memref.view %bytes[%c0][] : memref<128xi8> to {own}", f"memref.store %a, %d[%c1] : {own}"])
    yield own_memory("memref.alloca_scope", "", ["%r = memref.alloca_scope -> (" + kind + ") {", "  memref.alloca_scope.return %a : " + kind, "}"], [])
    yield print_kernel("memref.global", kind, "shared", [("a", kind, ())], [("r", kind, ())],
                       [f"%g = memref.get_global @g : {shared}", f"memref.store %a, %g[%i] : {shared}", f"%r = memref.load %g[%i] : {shared}"],
                       outside=f"memref.global \"private\" @g : {shared} = uninitialized")
    values = f"dense<{constant(kind, (1,), 1).split('<')[1].split('>')[0]}>"
    constants = f"memref<4x{kind}, #gl>"
    yield print_kernel("memref.global", kind, "with initial values", [], [("r", kind, ())],
                       [f"%g = memref.get_global @g : {constants}", f"%r = memref.load %g[%c1] : {constants}"],
                       outside=f'memref.global "private" constant @g : {constants} = {values}')
    yield print_kernel("memref.get_global", kind, "", [], [("r", kind, ())],
                       [f"%g = memref.get_global @g : {shared}", f"%z = arith.constant {constant(kind, (), 0)}",
                        f"memref.store %z, %g[%i] : {shared}", f"%r = memref.load %g[%i] : {shared}"],
                       outside=f"memref.global \"private\" @g : {shared} = uninitialized")
    for how in ATOMIC[is_float(kind)]:
        if kind != "index":
            yield print_kernel("memref.atomic_rmw", kind, how, [("a", kind, ())], [("r", kind, ())],
                               [f"%s = memref.get_global @g : {shared}", f"memref.store %a, %s[%i] : {shared}",
                                f"%r = memref.atomic_rmw {how} %a, %s[%i] : ({kind}, {shared}) -> {kind}"],
                               outside=f"memref.global \"private\" @g : {shared} = uninitialized")
    add = "arith.addf" if is_float(kind) else "arith.addi"
    yield print_kernel("memref.generic_atomic_rmw", kind, "", [("a", kind, ())], [("r", kind, ())],
                       [f"%s = memref.get_global @g : {shared}", f"memref.store %a, %s[%i] : {shared}",
                        f"%r = memref.generic_atomic_rmw %s[%i] : {shared} {{", f"^bb0(%old: {kind}):",
                        f"  %new = {add} %old, %a : {kind}", f"  memref.atomic_yield %new : {kind}", "}"],
                       outside=f"memref.global \"private\" @g : {shared} = uninitialized")
    if is_loaded(kind):
        yield unary("memref.load", kind, "global", (), (), f"%r = memref.load %m_a[%i] : {memref}")
        yield unary("memref.store", kind, "global", (), (), f"%r = memref.load %m_a[%i] : {memref}")


def shapes():
    yield print_kernel("memref.dim", "index", "", [("a", "f32", ())], [("r", "index", ())],
                       [f"%r = memref.dim %m_a, %c0 : memref<{LANES}xf32, #gl>"])
    yield print_kernel("memref.dim", "index", "at run time", [("a", "f32", ())], [("r", "index", ())],
                       ["%n = arith.muli %i, %c0 : index", f"%r = memref.dim %m_a, %n : memref<{LANES}xf32, #gl>"])
    yield print_kernel("memref.rank", "index", "", [("a", "f32", ())], [("r", "index", ())],
                       [f"%r = memref.rank %m_a : memref<{LANES}xf32, #gl>"])
    yield print_kernel("memref.extract_strided_metadata", "index", "", [("a", "f32", ())], [("r", "index", ())],
                       [f"%b, %o, %r, %s = memref.extract_strided_metadata %m_a : memref<{LANES}xf32, #gl> -> memref<f32, #gl>, index, index, index"])
    yield print_kernel("memref.extract_aligned_pointer_as_index", "index", "", [("a", "f32", ())], [("r", "index", ())],
                       [f"%p = memref.extract_aligned_pointer_as_index %m_a : memref<{LANES}xf32, #gl> -> index",
                        "%r = arith.remui %p, %c4 : index"])
    yield print_kernel("memref.alloc", "f32", "global", [], [], ["%m = memref.alloc() : memref<4xf32>"])
    yield print_kernel("memref.dealloc", "f32", "global", [], [], ["%m = memref.alloc() : memref<4xf32>", "memref.dealloc %m : memref<4xf32>"])
    yield print_kernel("memref.realloc", "f32", "", [], [], ["%m = memref.alloc() : memref<4xf32>", "%n = memref.realloc %m : memref<4xf32> to memref<8xf32>"])
    yield print_kernel("memref.dma_start", "f32", "", [("a", "f32", ())], [],
                       ["%tag = memref.alloca() : memref<1xi32>", "%own = memref.alloca() : memref<4xf32>",
                        f"memref.dma_start %m_a[%c0], %own[%c0], %c4, %tag[%c0] : memref<{LANES}xf32, #gl>, memref<4xf32>, memref<1xi32>"])
    yield print_kernel("memref.dma_wait", "f32", "", [], [],
                       ["%tag = memref.alloca() : memref<1xi32>", "memref.dma_wait %tag[%c0], %c4 : memref<1xi32>"])


def structured():
    yield from masks()
    yield from registers()
    yield from shapes()
    for kind in COLUMNS + ODD:
        yield from vector_values(kind)
        if kind != "index":
            yield from vector_memory(kind)
        yield from vector_numbers(kind)
        yield from collectives(kind)
        yield from memory(kind)
