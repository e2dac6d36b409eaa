# ===- atomics.py - atom and red ---------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of atomics. Each lane has a cell of 16 bytes of its own, so that the old values are defined too. Where the order of
lanes doesn't matter, a case has one cell for all of them."""

from functools import cache

from .case import Case, generator, load_words, pack_words
from .numbers import hostile, integer, words_of

CTAS = 8
ELEMENTS = {"f16x2": "f16", "bf16x2": "bf16", "b128": "b64"}
BYTES = {"b16": 2, "f16": 2, "bf16": 2, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16}
INTEGERS = ("u32", "s32", "u64", "s64")
HALVES = ("f16", "f16x2", "bf16", "bf16x2")
SPACES = ("global", "", "shared::cta", "shared::cluster")


def operations(opcode):
    """(operation, type, vector)."""
    found = [(op, kind, 1) for op in ("and", "or", "xor") for kind in ("b32", "b64")]
    if opcode == "atom":
        found += [("exch", kind, 1) for kind in ("b32", "b64", "b128")]
        found += [("cas", kind, 1) for kind in ("b16", "b32", "b64", "b128")]
    found += [("add", kind, 1) for kind in ("u32", "s32", "u64", "f32", "f64")]
    found += [("add.noftz", kind, 1) for kind in HALVES]
    found += [(op, "u32", 1) for op in ("inc", "dec")] + [(op, kind, 1) for op in ("min", "max") for kind in INTEGERS]
    found += [("add", "f32", count) for count in (2, 4)]
    for op in ("add.noftz", "min.noftz", "max.noftz"):
        found += [(op, kind, count) for kind in ("f16", "bf16") for count in (2, 4, 8)]
        found += [(op, kind, count) for kind in ("f16x2", "bf16x2") for count in (2, 4)]
    return found


def orders(opcode, space, vector):
    if vector > 1:
        return ["", "relaxed.gpu"]
    if opcode == "red":
        return ["", "relaxed.sys", "release.gpu"] if space in ("global", "shared::cta") else ["relaxed.cta"]
    if space in ("global", "shared::cta"):
        return ["", "relaxed.cta", "relaxed.sys", "acquire.gpu", "release.cluster", "acq_rel.gpu"]
    return ["", "acq_rel.cta"]


class Registers:
    """Registers of a type, and moves from and to words."""

    def __init__(self, kind, vector):
        self.bytes, self.vector = BYTES.get(kind, 4), vector

    def names(self, base):
        letter = {2: "h", 4: "r", 8: "d", 16: "q"}[self.bytes]
        return [f"%{letter}{base + i}" for i in range(self.vector)]

    def operand(self, base):
        names = self.names(base)
        return names[0] if self.vector == 1 else "{" + ", ".join(names) + "}"

    def unpack(self, base, first):
        """From the words %r{first}..."""
        names = self.names(base)
        if self.bytes == 2:
            if self.vector == 1:
                return [f"cvt.u16.u32 {names[0]}, %r{first};"]
            return [f"mov.b32 {{{names[i]}, {names[i + 1]}}}, %r{first + i // 2};" for i in range(0, self.vector, 2)]
        if self.bytes == 4:
            return [f"mov.b32 {name}, %r{first + i};" for i, name in enumerate(names)]
        if self.bytes == 8:
            return [f"mov.b64 {names[0]}, {{%r{first}, %r{first + 1}}};"]
        return [f"mov.b64 %d{base}, {{%r{first}, %r{first + 1}}};", f"mov.b64 %d{base + 1}, {{%r{first + 2}, %r{first + 3}}};",
                f"mov.b128 {names[0]}, {{%d{base}, %d{base + 1}}};"]

    def pack(self, base, first):
        """To the words %r{first}..., of which there are four."""
        names = self.names(base)
        if self.bytes == 2:
            if self.vector == 1:
                return [f"cvt.u32.u16 %r{first}, {names[0]};"]
            return [f"mov.b32 %r{first + i // 2}, {{{names[i]}, {names[i + 1]}}};" for i in range(0, self.vector, 2)]
        if self.bytes == 4:
            return [f"mov.b32 %r{first + i}, {name};" for i, name in enumerate(names)]
        if self.bytes == 8:
            return [f"mov.b64 {{%r{first}, %r{first + 1}}}, {names[0]};"]
        return [f"mov.b128 {{%d{base}, %d{base + 1}}}, {names[0]};", f"mov.b64 {{%r{first}, %r{first + 1}}}, %d{base};",
                f"mov.b64 {{%r{first + 2}, %r{first + 3}}}, %d{base + 1};"]


def element(kind):
    return ELEMENTS.get(kind, kind)


@cache
def make_inputs(op, kind, one_cell):
    """Words of the cell, of the operand and, for cas, of the new value: the same in all spaces and orders."""
    random, rows = generator(f"{op} {kind} {one_cell}"), []
    # The order of lanes doesn't matter to exact sums, and to inc and dec of equal operands.
    make, common = integer if one_cell else hostile, one_cell and op in ("inc", "dec")
    for _ in range(CTAS):
        shared_operand = words_of(make, random, element(kind), 4)
        lanes = []
        for _ in range(32):
            cell, operand, new = (words_of(make, random, element(kind), 4) for _ in range(3))
            if op == "cas" and random.random() < 0.5:
                operand = list(cell)
            lanes.append(cell + (shared_operand if common else operand) + new)
        rows.append(lanes)
    return pack_words(rows)


def instruction(opcode, order, space, op, kind, vector):
    parts = [opcode, order, space, op if vector == 1 else op.split(".")[0]]
    if vector > 1:
        # The vector comes before the operation's type, after .noftz.
        parts += ["noftz"] * ("noftz" in op) + [f"v{vector}"]
    return ".".join(part for part in parts + [kind] if part)


def address(space, cell):
    """Sets %d20, or %r60, to the cell of index `cell` of a CTA, and says how it is written."""
    if space.startswith("shared"):
        return [f"mov.u32 %r60, tile;\nmad.lo.u32 %r60, {cell}, 16, %r60;"], "%r60"
    lines = [f"mad.lo.u32 %r61, %r2, 32, {cell};", "mad.wide.u32 %d20, %r61, 32, %d2;"]
    if space == "":
        lines.append("cvta.global.u64 %d20, %d20;")
    return lines, "%d20"


def make_case(opcode, order, space, op, kind, vector, one_cell):
    text = instruction(opcode, order, space, op, kind, vector)
    name = f"{text}{', one cell' if one_cell else ''}"
    registers = Registers(kind, vector)
    lines, at = address(space, "0" if one_cell else "%r1")
    window = ".shared" if space.startswith("shared") else ".global" if space else ""
    body = [".reg .b128 %q<40>;"] if kind == "b128" else []
    body += [load_words(12, 32)] + lines + [f"mov.b32 %r{i}, 0;" for i in range(30, 34)]
    body += ["setp.eq.u32 %p1, %r1, 0;"]
    guard = "@%p1 " if one_cell else ""
    body += [f"{guard}st{window}.v4.b32 [{at}], {{%r10, %r11, %r12, %r13}};", "bar.warp.sync 0xffffffff;"]
    body += registers.unpack(4, 14) + registers.unpack(12, 18)
    operands = registers.operand(4) + (f", {registers.operand(12)}" if op == "cas" else "")
    if opcode == "atom":
        body += [f"{text} {registers.operand(22 if registers.bytes != 2 else 12)}, [{at}], {operands};"]
        if not one_cell:
            body += registers.pack(22 if registers.bytes != 2 else 12, 30)
    else:
        body += [f"{text} [{at}], {operands};"]
    body += ["bar.warp.sync 0xffffffff;", "mad.lo.u32 %r61, %r2, 32, %r1;", "mad.wide.u32 %d30, %r61, 32, %d2;"]
    if space.startswith("shared"):
        body += [f"ld.shared.v4.b32 {{%r40, %r41, %r42, %r43}}, [{at}];", "st.global.v4.b32 [%d30], {%r40, %r41, %r42, %r43};"]
    body.append("st.global.v4.b32 [%d30+16], {%r30, %r31, %r32, %r33};")
    return Case(name, "\n".join(body), lambda: make_inputs(op, kind, one_cell), CTAS * 32 * 32, grid=CTAS,
                shared=512 if space.startswith("shared") else 0, kind=kind)


def make_cases():
    cases = []
    for opcode in ("atom", "red"):
        for op, kind, vector in operations(opcode):
            for space in SPACES if vector == 1 else SPACES[:1]:
                for order in orders(opcode, space, vector):
                    cases.append(make_case(opcode, order, space, op, kind, vector, False))
                if op not in ("exch", "cas"):
                    cases.append(make_case(opcode, "", space, op, kind, vector, True))
    return cases
