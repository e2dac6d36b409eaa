# ===- random_rows.py - random reductions of rows that need one another -- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Random kernels that reduce rows, and reduce again what earlier results change, in chunks, and vectors of whole rows
(docs/BlockPhase.md, Reductions in one pass).

The first reductions are maxima, minima or sums. Elements of the second ones are shifted, scaled, exponentials, or products of
two shifted ones, with and without masks. One kernel in eight has an op without a correction, and goes over the row twice; the
others must go over it once.
"""

import os
import random
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
WHOLE, CHUNK = 1024, 64
ROWS, LENGTHS = 3, (1, 63, 64, 65, 127, 500, 640, 1000)


class RowKernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.count, self.results = [], 0, 0
        self.length = self.random.choice(LENGTHS)
        self.is_one = self.random.random() >= 0.125
        self.write()

    def emit(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def vector(self, op, *operands):
        return self.emit(f"{op} {', '.join(operands)} : !row")

    def number(self, value):
        return self.emit(f"arith.constant dense<{value}> : !row")

    def spread(self, row):
        return self.emit(f"vector.broadcast {row} : f32 to !row")

    def select(self, condition, value, other):
        return self.emit(f"arith.select {condition}, {value}, {other} : vector<WIDTHxi1>, !row")

    def reduce(self, kind, value, start):
        return self.emit(f"vector.multi_reduction <{kind}>, {value}, {start} [0] : !row to f32")

    def store(self, value):
        self.lines.append(f"memref.store {value}, %y{self.results}[%i] : !v")
        self.results += 1

    def write(self):
        choose = self.random.choice
        # Elements that count are those of a mask by index, or all of the row.
        x = self.emit("vector.transfer_read %x[%i, %c0], %zero : !m, !row")
        mask = "%mask"
        if self.random.random() < 0.4:
            step = self.emit("vector.step : vector<WIDTHxindex>")
            first = self.emit(f"arith.constant dense<{choose((1, 70, 200))}> : vector<WIDTHxindex>")
            other = self.emit(f"arith.cmpi {choose(('uge', 'ult'))}, {step}, {first} : vector<WIDTHxindex>")
            mask = self.emit(f"arith.andi %mask, {other} : vector<WIDTHxi1>")
        shift = choose((0.0, 0.0, 30.0, -150.0))
        # What two roundings of the mean change in a sum of squares of the row.
        self.error = 3e-4 + abs(shift) * self.length * 2**-20
        if shift:
            x = self.vector("arith.addf", x, self.number(shift))
        kind = choose(("maximumf", "minimumf", "add", "add"))
        if kind == "add":
            self.write_moments(x, mask)
        else:
            self.write_exponentials(x, mask, kind)

    def write_moments(self, x, mask):
        zeros = self.number(0.0)
        total = self.reduce("add", self.select(mask, x, zeros), "%zero")
        mean = self.emit(f"arith.divf {total}, %nf : f32")
        if self.random.random() < 0.3:
            mean = self.emit(f"arith.addf {mean}, %half : f32")
        self.store(mean)
        d = self.vector("arith.subf", x, self.spread(mean))
        for _ in range(self.random.randrange(1, 3)):
            a = self.vector("arith.mulf", d, self.number(self.random.choice((0.5, -2.0)))) if self.random.random() < 0.4 else d
            b = self.vector("arith.negf", d) if self.random.random() < 0.2 else d
            product = self.vector("arith.mulf", a, b)
            if not self.is_one:
                product = self.vector("math.absf", product)
                product = self.vector("math.sqrt", product)
            self.store(self.reduce("add", self.select(mask, product, zeros), "%zero"))

    def write_exponentials(self, x, mask, kind):
        low = "0xFF800000" if kind == "maximumf" else "0x7F800000"
        top = self.reduce(kind, self.select(mask, x, self.number(low)), "%low" if kind == "maximumf" else "%high")
        self.store(top)
        row = top
        if self.random.random() < 0.3:
            # What a masked row has.
            size = self.emit(f"math.absf {top} : f32")
            finite = self.emit(f"arith.cmpf one, {size}, %high : f32")
            row = self.emit(f"arith.select {finite}, {top}, %zero : f32")
        d = self.vector("arith.subf", x, self.spread(row))
        if kind == "minimumf":
            d = self.vector("arith.negf", d)
        if self.random.random() < 0.4:
            d = self.vector("arith.mulf", d, self.number(0.5))
        e = self.vector("math.tanh" if not self.is_one else self.random.choice(("math.exp", "math.exp2")), d)
        zeros = self.number(0.0)
        self.store(self.reduce("add", self.select(mask, e, zeros), "%zero"))
        if self.random.random() < 0.5:
            weighted = self.vector("arith.mulf", e, x)
            scaled = self.vector("arith.mulf", e, e) if self.random.random() < 0.5 else weighted
            self.store(self.reduce("add", self.select(mask, scaled, zeros), "%zero"))

    def text(self, width):
        argument = "{{carousel.argument = #carousel.argument<\"{}\", {}>}}"
        results = "".join(f", %y{at}: !v {argument.format(f'y{at}', 'out')}" for at in range(self.results))
        return "\n".join([
            "#gl = #gpu.address_space<global>", "!m = memref<?x?xf32, #gl>", "!v = memref<?xf32, #gl>", f"!row = vector<{width}xf32>",
            "gpu.module @m {", f"gpu.func @rows(%x: !m {argument.format('x', 'in')}{results}) kernel attributes {{",
            f"carousel.block_program = #carousel.block_program<width = {width}, covers = extent(0, 1)>,",
            "carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {",
            "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%zero = arith.constant 0.0 : f32",
            "%half = arith.constant 0.5 : f32", "%low = arith.constant 0xFF800000 : f32", "%high = arith.constant 0x7F800000 : f32",
            "%i = gpu.block_id x", "%n = memref.dim %x, %c1 : !m", "%ni = arith.index_cast %n : index to i64",
            "%nf = arith.sitofp %ni : i64 to f32", f"%mask = vector.create_mask %n : vector<{width}xi1>",
            *(line.replace("WIDTH", str(width)) for line in self.lines), "gpu.return", "}", "}", ""])


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def check_rows(kernel, folder, chip):
    """What is wrong, or an empty string."""
    whole, narrow, streamed = (folder / f"{name}.mlir" for name in ("whole", "narrow", "streamed"))
    whole.write_text(kernel.text(WHOLE), encoding="utf-8")
    narrow.write_text(kernel.text(CHUNK), encoding="utf-8")
    passes = "gpu.module(carousel-stream-rows)" + (f",carousel-lower{{chip={chip}}}" if chip else "")
    made = run(BUILD / "bin/carousel-opt", narrow, f"--pass-pipeline=builtin.module({passes})", "-o", streamed,
               "--remarks-filter=carousel-stream-rows")
    if made.returncode:
        return made.stderr
    if bool(re.search("share the loop", made.stderr)) != kernel.is_one:
        return f"expected {'one loop' if kernel.is_one else 'two loops'}\n" + made.stderr
    names = [f"y{at}" for at in range(kernel.results)]
    arguments = ["--kernel", "@rows", "--arg", f"x=random:{ROWS}x{kernel.length}:1"]
    arguments += [word for name in names for word in ("--arg", f"{name}=empty:{ROWS}")]
    wanted = run(BUILD / "bin/carousel-sim", whole, *arguments,
                 *(word for name in names for word in ("--out", f"{name}={folder}/{name}.npy")))
    # A chunk has four roundings of corrections, and up to 16 chunks that many; sums of both signs have up to 1000 elements.
    done = run(BUILD / "bin/carousel-sim", streamed, *arguments, "--rtol", "1e-5", "--atol", kernel.error,
               *(word for name in names for word in ("--expect", f"{name}={folder}/{name}.npy")))
    return "" if wanted.returncode == done.returncode == 0 else wanted.stderr + done.stdout + done.stderr
