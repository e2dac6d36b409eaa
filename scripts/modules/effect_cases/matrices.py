# ===- matrices.py - products and fragments of a warp ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of mma, wmma, ldmatrix, stmatrix and movmatrix. Products are of small integers, whose sums are exact, and of
fractions, where hardware adds in another order and to other digits."""

from functools import partial

from .case import Case, dump_shared, fill_shared, generator, join, load_words, pack_words, store_words, words
from .numbers import BITS, FLOATS, fraction, integer, words_of

CTAS = 4


def sum_bound(result, factor, depth):
    """How far two sums of `depth` products of fractions and one fraction may be apart.

    One rounds after each product, to half a unit of f32 for at most depth + 1. The other aligns the terms of a part of the
    sum, at least one product long, to the largest one and cuts off what is below the digits that it keeps: 23 after the
    point for f32, 13 for factors of 8 bits. It may cut each term and each sum, and none of them is larger than depth + 1. A
    result of f16 is rounded after each part, too: four parts at most."""
    if factor not in FLOATS or result == "f64":
        return 0.0
    most = depth + 1.0
    aligned = most * 2.0 ** (-13 if factor in ("e4m3", "e5m2") else -23)
    bound = (2 * depth + 2) * aligned + depth * most * 2.0 ** -24
    if factor in ("e4m3", "e5m2"):
        bound = (depth + 1) * aligned + depth * most * 2.0 ** -24  # all products are one part
    return bound + 5 * most * 2.0 ** -11 if result == "f16" else bound


# Shapes, the type of sums, types of factors, and registers of D, A and B; C is as D.
MMA = [
    ("m16n8k8", ("f16", "f32"), [("f16", "f16")], {"f16": 2, "f32": 4}, 2, 1),
    ("m16n8k16", ("f16", "f32"), [("f16", "f16")], {"f16": 2, "f32": 4}, 4, 2),
    ("m16n8k8", ("f32",), [("bf16", "bf16")], {"f32": 4}, 2, 1),
    ("m16n8k16", ("f32",), [("bf16", "bf16")], {"f32": 4}, 4, 2),
    ("m16n8k4", ("f32",), [("tf32", "tf32")], {"f32": 4}, 2, 1),
    ("m16n8k8", ("f32",), [("tf32", "tf32")], {"f32": 4}, 4, 2),
    ("m16n8k16", ("f16", "f32"), [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")], {"f16": 2, "f32": 4}, 2, 1),
    ("m16n8k32", ("f16", "f32"), [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")], {"f16": 2, "f32": 4}, 4, 2),
    ("m8n8k4", ("f64",), [("f64", "f64")], {"f64": 2}, 1, 1),
    ("m16n8k4", ("f64",), [("f64", "f64")], {"f64": 4}, 2, 1),
    ("m16n8k8", ("f64",), [("f64", "f64")], {"f64": 4}, 4, 2),
    ("m16n8k16", ("f64",), [("f64", "f64")], {"f64": 4}, 8, 4),
    ("m8n8k16", ("s32",), [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")], {"s32": 2}, 1, 1),
    ("m16n8k16", ("s32",), [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")], {"s32": 4}, 2, 1),
    ("m16n8k32", ("s32",), [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")], {"s32": 4}, 4, 2),
    ("m8n8k32", ("s32",), [(a, b) for a in ("s4", "u4") for b in ("s4", "u4")], {"s32": 2}, 1, 1),
    ("m16n8k32", ("s32",), [(a, b) for a in ("s4", "u4") for b in ("s4", "u4")], {"s32": 4}, 2, 1),
    ("m16n8k64", ("s32",), [(a, b) for a in ("s4", "u4") for b in ("s4", "u4")], {"s32": 4}, 4, 2),
    ("m8n8k128", ("s32",), [("b1", "b1")], {"s32": 2}, 1, 1),
    ("m16n8k128", ("s32",), [("b1", "b1")], {"s32": 4}, 2, 1),
    ("m16n8k256", ("s32",), [("b1", "b1")], {"s32": 4}, 4, 2),
]


def depth_of(shape):
    return int(shape.split("k")[1])


def large(random, kind):
    """Sums near the ends of their range."""
    return random.choice([0x7ffffff0, 0x80000010, random.getrandbits(32)]) if kind == "s32" else fraction(random, kind)


def mma_texts(shape, result, a, b):
    """Instructions, without operands."""
    head = f"mma.sync.aligned.{shape}.row.col"
    if a == "b1":
        return [f"{head}.{result}.b1.b1.{result}.{op}.popc" for op in ("xor", "and")]
    saturations = ("", ".satfinite") if result == "s32" else ("",)
    return [f"{head}{saturate}.{result}.{a}.{b}.{result}" for saturate in saturations]


def make_mma_case(text, result, factors, counts, make, label):
    """Operands are in registers from %r100 on for D, then A, B and C, each one or two words."""
    wide = 2 if result == "f64" else 1
    name = f"{text} of {label}"
    sums, left, right = counts
    total = wide * (left + right + sums)

    def make_inputs():
        random = generator(f"mma {factors} {counts} {label}")
        return pack_words([[words_of(make, random, factors[0], wide * left) + words_of(make, random, factors[1], wide * right) +
                            words_of(large if label == "any bits" else make, random, result, wide * sums) for _ in range(32)]
                           for _ in range(CTAS)])

    body, at, operands = [load_words(total, 32, first=100)], 100, []
    if wide == 1:
        for count in (left, right, sums):
            operands.append(join(count, at))
            at += count
        body += [f"{text} {join(sums, 10)}, {', '.join(operands)};", store_words([f"%r{10 + i}" for i in range(sums)], 32)]
    else:
        first = 10
        for count in (left, right, sums):
            names = [f"%d{first + i}" for i in range(count)]
            body += [f"mov.b64 {name}, {{%r{at + 2 * i}, %r{at + 2 * i + 1}}};" for i, name in enumerate(names)]
            operands.append("{" + ", ".join(names) + "}")
            first, at = first + count, at + 2 * count
        names = [f"%d{50 + i}" for i in range(sums)]
        body.append(f"{text} {{{', '.join(names)}}}, {', '.join(operands)};")
        # The two words of an element are neighbours.
        body += ["mad.lo.u32 %r3, %r2, 32, %r1;", f"mad.wide.u32 %d4, %r3, {8 * sums}, %d2;"]
        body += [f"st.global.b64 [%d4+{8 * i}], {name};" for i, name in enumerate(names)]
    bound = sum_bound(result, factors[0], depth_of(text.split(".")[3])) if make is fraction else 0.0
    return Case(name, "\n".join(body), make_inputs, CTAS * 128 * wide * sums, grid=CTAS, kind=result, bound=bound)


def make_products():
    cases = []
    for shape, results, factors, sums, left, right in MMA:
        for result in results:
            for a, b in factors:
                for text in mma_texts(shape, result, a, b):
                    counts = (sums[result], left, right)
                    labels = [(fraction, "any bits")] if result == "s32" else [(fraction, "fractions")]
                    for make, label in [(integer, "integers"), *labels]:
                        cases.append(make_mma_case(text, result, (a, b), counts, make, label))
    return cases


# ===- wmma ------------------------------------------------------------------------===#

# Shapes, types of factors and sums, and registers of A and B.
WMMA = [(shape, a, results, *counts)
        for a, results, shapes in (
            ("f16", ("f16", "f32"), {"m16n16k16": (8, 8), "m8n32k16": (8, 8), "m32n8k16": (8, 8)}),
            ("bf16", ("f32",), {"m16n16k16": (4, 4), "m8n32k16": (2, 8), "m32n8k16": (8, 2)}),
            ("tf32", ("f32",), {"m16n16k8": (4, 4)}),
            ("s8", ("s32",), {"m16n16k16": (2, 2), "m8n32k16": (1, 4), "m32n8k16": (4, 1)}),
            ("u8", ("s32",), {"m16n16k16": (2, 2), "m8n32k16": (1, 4), "m32n8k16": (4, 1)}),
            ("f64", ("f64",), {"m8n8k4": (1, 1)}))
        for shape, counts in shapes.items()]
SUMS = {"f16": 4, "f32": 8, "s32": 8, "f64": 2}


def extents(shape):
    m, rest = shape[1:].split("n")
    return int(m), *(int(x) for x in rest.split("k"))


def make_wmma_case(shape, kind, result, counts, layouts, make, label):
    (m, n, k), (left, right) = extents(shape), counts
    name = f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.{shape}.{result}.{kind} of {label}, C {layouts[2]}"
    sizes = [m * k * BITS[kind] // 8, k * n * BITS[kind] // 8, m * n * BITS[result] // 8]
    offsets = [0, sizes[0], sizes[0] + sizes[1]]

    def make_inputs():
        random = generator(f"wmma {shape} {kind} {result} {label}")
        return b"".join(words(words_of(make, random, of, size // 4)) for size, of in zip(sizes, (kind, kind, result)))

    letter = "d" if kind == "f64" else "r"
    operands = ["{" + ", ".join(f"%{letter}{first + i}" for i in range(count)) + "}"
                for first, count in ((20, left), (30, right), (40, SUMS[result]), (50, SUMS[result]))]
    strides = [k if layouts[0] == "row" else m, n if layouts[1] == "row" else k, n if layouts[2] == "row" else m]
    body = [f"add.u64 %d{10 + i}, %d1, {offset};" for i, offset in enumerate(offsets)]
    body += [f"wmma.load.{which}.sync.aligned.{layout}.{shape}.global.{of} {operand}, [%d{10 + i}], {stride};"
             for i, (which, layout, of, operand, stride) in enumerate(zip("abc", layouts, (kind, kind, result), operands,
                                                                         strides))]
    types = {"f16": f"{result}.{result}"}.get(kind, f"{result}.{kind}.{kind}.{result}")
    body.append(f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.{shape}.{types} {operands[3]}, {', '.join(operands[:3])};")
    body.append(f"wmma.store.d.sync.aligned.{layouts[2]}.{shape}.global.{result} [%d2], {operands[3]}, {strides[2]};")
    bound = sum_bound(result, kind, k) if make is fraction else 0.0
    return Case(name, "\n".join(body), make_inputs, sizes[2], kind=result, bound=bound)


def make_wmma():
    cases = []
    for shape, kind, results, left, right in WMMA:
        for result in results:
            for layouts in (("row", "col", "row"), ("col", "row", "col"), ("row", "row", "row"), ("col", "col", "col")):
                for make, label in ((integer, "integers"), (fraction, "fractions" if kind in FLOATS else "any bits")):
                    cases.append(make_wmma_case(shape, kind, result, (left, right), layouts, make, label))
    return cases


# ===- Fragments -------------------------------------------------------------------===#


def make_fragments():
    """Lanes give the addresses of rows, here in random order; a row may be there twice for loads."""
    cases = []
    for count in (1, 2, 4):
        for transpose in ("", ".trans"):
            for space in ("shared", "shared::cta"):
                text = f"ldmatrix.sync.aligned.m8n8.x{count}{transpose}.{space}.b16"
                random = generator(text)
                data = words([random.getrandbits(32) for _ in range(256)] + [16 * random.randrange(64) for _ in range(32)])
                body = [fill_shared(1024, 32), "bar.warp.sync 0xffffffff;", "mad.wide.u32 %d3, %r1, 4, %d1;",
                        "ld.global.u32 %r9, [%d3+1024];", "mov.u32 %r8, tile;", "add.u32 %r9, %r9, %r8;",
                        f"{text} {join(count)}, [%r9];", store_words([f"%r{10 + i}" for i in range(count)], 32)]
                cases.append(Case(text, "\n".join(body), partial(bytes, data), 128 * count, shared=1024))
                text = f"stmatrix.sync.aligned.m8n8.x{count}{transpose}.{space}.b16"
                random = generator(text)
                rows = random.sample(range(64), 32)
                data = pack_words([[[*(random.getrandbits(32) for _ in range(count)), 16 * row] for row in rows]])
                body = ["mov.u32 %r4, tile;", "mad.lo.u32 %r4, %r1, 32, %r4;"]
                body += [f"st.shared.v4.b32 [%r4+{at}], {{%r1, %r1, %r1, %r1}};" for at in (0, 16)]
                body += ["bar.warp.sync 0xffffffff;", load_words(count + 1, 32), "mov.u32 %r8, tile;",
                         f"add.u32 %r9, %r{10 + count}, %r8;", f"{text} [%r9], {join(count)};", "bar.warp.sync 0xffffffff;",
                         dump_shared(1024, 32)]
                cases.append(Case(text, "\n".join(body), partial(bytes, data), 1024, shared=1024))
    random = generator("movmatrix")
    rows = [[[random.getrandbits(32)] for _ in range(32)] for _ in range(CTAS)]
    body = "\n".join([load_words(1, 32), "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r10;", store_words(["%r20"], 32)])
    cases.append(Case("movmatrix.sync.aligned.m8n8.trans.b16", body, partial(pack_words, rows), 128 * CTAS, grid=CTAS))
    return cases


def make_cases():
    return make_products() + make_wmma() + make_fragments()
