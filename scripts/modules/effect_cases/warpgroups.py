# ===- warpgroups.py - wgmma --------------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of wgmma: types, swizzles, transposes, factors in registers, signs of factors, and numbers of columns. All of the
shared memory that the descriptors span is random, so that a result says which bytes were read."""

from dataclasses import dataclass

from .case import Case, fill_shared, generator, join, words
from .matrices import large, sum_bound
from .numbers import BITS, fraction, integer, words_of

THREADS = 128
SPANS = {"none": 16, "b32": 32, "b64": 64, "b128": 128}
MODES = {"none": 0, "b128": 1, "b64": 2, "b32": 3}
EIGHTS = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
BYTES = [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")]
TYPES = [("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32")]
TYPES += [(result, a, b) for result in ("f16", "f32") for a, b in EIGHTS] + [("s32", a, b) for a, b in BYTES]


@dataclass
class Form:
    result: str
    a: str
    b: str
    columns: int = 8
    swizzle: str = "b128"
    from_registers: bool = False
    transposes: tuple = (0, 0)
    signs: tuple = (1, 1)
    accumulates: bool = True
    saturates: bool = False
    step: int = 0  # bytes of k past the start of a row

    @property
    def depth(self):
        return 256 // BITS[self.a]

    @property
    def has_transposes(self):
        return BITS[self.a] == 16

    @property
    def text(self):
        saturates = ".satfinite" if self.saturates else ""
        return f"wgmma.mma_async.sync.aligned.m64n{self.columns}k{self.depth}{saturates}.{self.result}.{self.a}.{self.b}"

    @property
    def name(self):
        parts = [f"swizzle {self.swizzle}"]
        parts += ["A in registers"] * self.from_registers
        parts += [f"{which} transposed" for which, is_so in zip("AB", self.transposes) if is_so]
        parts += [f"{which} negated" for which, sign in zip("AB", self.signs) if sign < 0]
        parts += ["without C"] * (not self.accumulates) + [f"{self.step} bytes into rows"] * bool(self.step)
        return f"{self.text}, {', '.join(parts)}"

    def descriptor(self, transposed):
        """The bits besides the address: a row of the swizzle's span, in groups of eight."""
        span = SPANS[self.swizzle]
        leading, stride = 128, 256
        if self.swizzle != "none":
            leading, stride = (16 * span, 8 * span) if transposed else (16, 8 * span)
        return leading // 16 << 16 | stride // 16 << 32 | MODES[self.swizzle] << 62

    def size(self, lines, transposed):
        """Bytes of a factor with this many rows or columns."""
        span = SPANS[self.swizzle]
        size = lines * 32 if transposed or self.swizzle == "none" else lines * span
        return -(-size // 2048) * 2048


def make_descriptor(register, at, form, transposed):
    return [f"mov.u32 %r9, tile;\nadd.u32 %r9, %r9, {at + form.step};\ncvt.u64.u32 {register}, %r9;",
            f"and.b64 {register}, {register}, 0x3ffff;\nshr.u64 {register}, {register}, 4;",
            f"or.b64 {register}, {register}, {form.descriptor(transposed):#x};"]


def make_case(form, make, label):
    count = form.columns // (4 if form.result == "f16" else 2)
    sizes = [0 if form.from_registers else form.size(64, form.transposes[0]), form.size(form.columns, form.transposes[1])]

    def make_inputs():
        random = generator(f"wgmma {form.a} {form.b} {form.columns} {form.swizzle} {label}")
        data = [words_of(make, random, kind, size // 4) for kind, size in zip((form.a, form.b), sizes)]
        of_sums = large if label == "any bits" else make
        data += [words_of(of_sums, random, form.result, count * THREADS), words_of(make, random, form.a, 4 * THREADS)]
        return b"".join(words(part) for part in data)

    body = [fill_shared(sum(sizes), THREADS), "fence.proxy.async;", "bar.sync 0;"]
    body += make_descriptor("%d10", 0, form, form.transposes[0]) if not form.from_registers else []
    body += make_descriptor("%d11", sizes[0], form, form.transposes[1])
    body.append(f"mad.wide.u32 %d3, %r1, 4, %d1;\nadd.u64 %d3, %d3, {sum(sizes)};\nmad.wide.u32 %d4, %r1, 4, %d2;")
    body += [f"ld.global.b32 %r{100 + i}, [%d3+{4 * THREADS * i}];" for i in range(count)]
    body += [f"ld.global.b32 %r{20 + i}, [%d3+{4 * THREADS * (count + i)}];" for i in range(4)]
    body.append(f"setp.ne.u32 %p1, {int(form.accumulates)}, 0;")
    operands = [join(count, 100), join(4, 20) if form.from_registers else "%d10", "%d11", "%p1"]
    if form.result != "s32":
        operands += [str(sign) for sign in form.signs]
        if form.has_transposes:
            operands += [str(flag) for flag in form.transposes[form.from_registers:]]
    body += ["wgmma.fence.sync.aligned;", f"{form.text} {', '.join(operands)};", "wgmma.commit_group.sync.aligned;",
             "wgmma.wait_group.sync.aligned 0;"]
    body += [f"st.global.b32 [%d4+{4 * THREADS * i}], %r{100 + i};" for i in range(count)]
    bound = sum_bound(form.result, form.a, form.depth) if make is fraction else 0.0
    return Case(f"{form.name}, of {label}", "\n".join(body), make_inputs, 4 * THREADS * count,
                threads=THREADS, shared=sum(sizes), kind=form.result, bound=bound)


def make_forms():
    forms = []
    for types in TYPES:
        for from_registers in (False, True):
            forms += [Form(*types, swizzle=swizzle, from_registers=from_registers) for swizzle in SPANS]
            forms.append(Form(*types, columns=64, from_registers=from_registers))
        forms.append(Form(*types, accumulates=False))
        forms += [Form(*types, from_registers=True, swizzle=swizzle, step=32) for swizzle in ("b64", "b128")]
        forms.append(Form(*types, columns=16, swizzle="b128", step=96))
        if types[0] == "s32":
            forms += [Form(*types, from_registers=flag, saturates=True) for flag in (False, True)]
            continue
        forms += [Form(*types, signs=signs) for signs in ((-1, 1), (1, -1), (-1, -1))]
        forms.append(Form(*types, signs=(-1, 1), from_registers=True))
        if BITS[types[1]] == 16:
            forms += [Form(*types, columns=64, swizzle=swizzle, transposes=transposes) for swizzle in SPANS
                      for transposes in ((0, 1), (1, 0), (1, 1))]
            forms += [Form(*types, columns=32, swizzle=swizzle, transposes=(0, 1), from_registers=True) for swizzle in SPANS]
    # Numbers of columns: each multiple of 8, and of integers 8, 16, 24 and multiples of 16.
    forms += [Form("f32", "f16", "f16", columns=columns) for columns in (*range(24, 64, 8), *range(72, 257, 24))]
    forms += [Form("s32", "s8", "s8", columns=columns) for columns in (24, *range(32, 257, 48))]
    return forms


def make_cases():
    cases = []
    for form in make_forms():
        last = (fraction, "any bits" if form.result == "s32" else "fractions")
        cases += [make_case(form, make, label) for make, label in ((integer, "integers"), last)]
    return cases
