# ===- tensors.py - tensor copies ---------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of tensor copies: ranks, types, swizzles, element strides, coordinates outside of the tensor, and reductions.
Innermost coordinates are multiples of 16 bytes, and those of stores aren't negative (C75, C76). Lists begin with the
outermost dimension; coordinates of PTX begin with the innermost one."""

import math
from functools import partial

from .case import WAIT, Case, dump_shared, fill_shared, generator, words
from .numbers import fraction, hostile, words_of

BITS = {"u8": 8, "u16": 16, "f16": 16, "bf16": 16, "u64": 64, "s64": 64, "f64": 64}
THREADS = 32


def bytes_of(element, extents):
    return math.prod(extents) * BITS.get(element, 32) // 8


def round_up(count):
    return -(-count // 512) * 512


def coordinates(at):
    return "{" + ", ".join(str(c) for c in at[::-1]) + "}"


def describe(fields, at):
    traits = [f"{key} {fields[key]}" for key in ("swizzle", "interleave", "fill", "strides", "mode") if fields.get(key)]
    return f"{fields['element']}, {fields['shape']}, box {fields['box']} at {list(at)}" + "".join(f", {t}" for t in traits)


def map_address():
    return "mov.b64 %d12, map;\ncvta.param.u64 %d12, %d12;"


def begin_load(size, room):
    """Fills shared memory, and makes a barrier that expects the bytes of a copy."""
    return [f".shared .align 8 .b64 full;\nmov.u32 %r4, tile;\nmad.lo.u32 %r4, %r1, 16, %r4;",
            *[f"st.shared.v4.b32 [%r4+{at}], {{%r1, %r1, %r1, %r1}};" for at in range(0, room, 512)],
            "mov.u32 %r50, full;\nmov.u32 %r51, tile;\nsetp.eq.u32 %p1, %r1, 0;",
            "@%p1 mbarrier.init.shared.b64 [%r50], 1;\n@%p1 fence.mbarrier_init.release.cluster;",
            "fence.proxy.async;\nbar.sync 0;",
            f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r50], {size};", map_address()]


def box_extents(fields):
    """Elements of a box that a copy moves, with element strides."""
    return [-(-extent // stride) for extent, stride in
            zip(fields["box"], fields.get("strides") or [1] * len(fields["box"]))]


def random_tensor(name, element, shape):
    return words(words_of(fraction, generator(name), element, bytes_of(element, shape) // 4))


def make_load(element, shape, box, at, **traits):
    fields = {"of": "input", "element": element, "shape": shape, "box": box, **traits}
    size = bytes_of(element, box_extents(fields))
    room = round_up(size) + 512  # what is past the box stays as it was
    name = f"cp.async.bulk.tensor.{len(shape)}d load of {describe(fields, at)}"
    text = f"cp.async.bulk.tensor.{len(shape)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    body = begin_load(size, room) + [f"@%p1 {text} [%r51], [%d12, {coordinates(at)}], [%r50];", WAIT,
                                     dump_shared(room, THREADS)]
    return Case(name, "\n".join(body), partial(random_tensor, name, element, shape), room, shared=room, map=fields)


def make_im2col(element, shape, box, at, offsets, lower, upper, **traits):
    """A box is [pixels, channels]."""
    fields = {"of": "input", "element": element, "shape": shape, "box": box, "mode": "im2col", "rank": len(shape),
              "lower": lower, "upper": upper, **traits}
    size = bytes_of(element, box)
    room = round_up(size) + 512
    name = f"cp.async.bulk.tensor.{len(shape)}d im2col load of {describe(fields, at)}, corners {lower} {upper} at {offsets}"
    text = f"cp.async.bulk.tensor.{len(shape)}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
    body = begin_load(size, room) + [f"@%p1 {text} [%r51], [%d12, {coordinates(at)}], [%r50], {coordinates(offsets)};",
                                     WAIT, dump_shared(room, THREADS)]
    return Case(name, "\n".join(body), partial(random_tensor, name, element, shape), room, shared=room, map=fields)


def make_store(element, shape, box, at, op="", **traits):
    """Stores, or combines with, the outputs, which have other values before."""
    fields = {"of": "output", "element": element, "shape": shape, "box": box, **traits}
    size, total = bytes_of(element, box_extents(fields)), bytes_of(element, shape)
    room = round_up(size)
    kind = f"cp.reduce.async.bulk.tensor.{len(shape)}d.{op}" if op else f"cp.async.bulk.tensor.{len(shape)}d store"
    name = f"{kind} of {describe(fields, at)}"
    text = f"cp.{'reduce.' * bool(op)}async.bulk.tensor.{len(shape)}d.global.shared::cta{'.' * bool(op)}{op}.tile.bulk_group"
    random = generator(name)
    make = hostile if op else fraction
    data = words(words_of(make, random, element, room // 4)) + words(words_of(make, random, element, total // 4))
    body = [fill_shared(room, THREADS), "mad.wide.u32 %d5, %r1, 4, %d1;\nmad.wide.u32 %d6, %r1, 4, %d2;"]
    for first in range(0, total, 4 * THREADS):
        guard = ""
        if total - first < 4 * THREADS:
            body.append(f"setp.lt.u32 %p3, %r1, {(total - first) // 4};")
            guard = "@%p3 "
        body.append(f"{guard}ld.global.b32 %r5, [%d5+{room + first}];\n{guard}st.global.b32 [%d6+{first}], %r5;")
    body += ["fence.proxy.async;\nbar.sync 0;", map_address(), "mov.u32 %r51, tile;\nsetp.eq.u32 %p1, %r1, 0;",
             f"@%p1 {text} [%d12, {coordinates(at)}], [%r51];", "cp.async.bulk.commit_group;",
             "cp.async.bulk.wait_group 0;"]
    return Case(name, "\n".join(body), partial(bytes, data), total, shared=room, map=fields, kind=element)


# Swizzles and the bytes of their rows.
SWIZZLES = {"": 64, "b32": 32, "b64": 64, "b128": 128}


def make_loads():
    cases = []
    for element in ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"):
        bits = BITS.get(element, 32)
        for swizzle, span in SWIZZLES.items():
            inner = span * 8 // bits
            cases.append(make_load(element, [20, 2 * inner], [16, inner], (2, inner // 2), swizzle=swizzle))
        inner = 512 // bits
        for fill in ("", "nan") if element in ("f16", "bf16", "f32", "f64") else ("",):
            cases.append(make_load(element, [10, inner * 2], [8, inner], (-3, inner + inner // 2), fill=fill))
    for swizzle, span in SWIZZLES.items():
        inner = span // 4
        cases += [make_load("f32", [3, 9, inner], [2, 8, inner], at, swizzle=swizzle) for at in ((0, 0, 0), (1, 1, 0), (2, 5, 4))]
        cases.append(make_load("f32", [2, 3, 9, inner], [2, 2, 8, inner], (-1, 1, 0, 0), swizzle=swizzle))
        cases.append(make_load("f32", [2, 2, 3, 5, inner], [2, 1, 2, 4, inner], (0, 1, -1, 2, 0), swizzle=swizzle))
    cases += [make_load("f32", [64], [32], at) for at in ((0,), (8,), (-4,), (52,), (64,), (-32,))]
    cases += [make_load("f16", [24, 128], [16, 64], (2, 8), strides=strides, swizzle=swizzle)
              for strides in ([2, 1], [3, 1], [1, 1], [8, 1]) for swizzle in ("", "b128")]
    cases += [make_load("f32", [6, 12, 32], [4, 8, 32], (1, -2, 4), strides=strides) for strides in ([2, 3, 1], [1, 4, 1])]
    return cases


def make_im2col_loads():
    cases = []
    for swizzle in ("", "b64", "b128"):
        channels = {"": 32, "b64": 32, "b128": 64}[swizzle]
        shape = [2, 6, 7, channels]
        for lower, upper, at, offsets in (
                ([0, 0], [0, 0], (0, 0, 0, 0), (0, 0)), ([-1, -1], [-1, -1], (0, -1, -1, 0), (1, 2)),
                ([-1, 0], [0, -2], (1, 2, 3, 0), (0, 1)), ([0, -2], [-2, 1], (0, 3, -1, 0), (2, 0))):
            cases.append(make_im2col("f16", shape, [24, channels], at, offsets, lower, upper, swizzle=swizzle))
    cases.append(make_im2col("f32", [2, 9, 16], [12, 16], (0, -1, 0), (1,), [-1], [-1]))
    cases.append(make_im2col("bf16", [2, 3, 4, 5, 16], [20, 16], (0, 0, 1, 0, 0), (1, 0, 1), [0, 0, 0], [-1, -1, -1]))
    return cases


def make_stores():
    cases = []
    for element in ("u8", "u16", "f16", "f32", "u64", "f64"):
        for swizzle, span in SWIZZLES.items():
            inner = span * 8 // BITS.get(element, 32)
            cases.append(make_store(element, [20, 2 * inner], [8, inner], (2, inner // 2), swizzle=swizzle))
            cases.append(make_store(element, [20, 2 * inner], [8, inner], (15, inner + inner // 2), swizzle=swizzle))
    cases.append(make_store("f32", [3, 9, 8], [2, 4, 8], (2, 7, 4)))
    cases.append(make_store("f16", [24, 64], [16, 64], (2, 0), strides=[2, 1]))
    reductions = [(op, element) for op in ("and", "or", "xor") for element in ("u32", "s32", "u64")]
    reductions += [(op, element) for op in ("add", "min", "max") for element in ("u32", "s32", "u64", "f16", "bf16")]
    reductions += [(op, "s64") for op in ("min", "max")]
    reductions += [("add", "f32"), ("inc", "u32"), ("dec", "u32")]
    for op, element in reductions:
        inner = 256 // BITS.get(element, 32)
        cases.append(make_store(element, [12, 2 * inner], [8, inner], (3, inner // 2), op=op, swizzle="b32"))
        cases.append(make_store(element, [12, 2 * inner], [8, 2 * inner], (7, 8), op=op))
    return cases


def make_cases():
    return make_loads() + make_im2col_loads() + make_stores()
