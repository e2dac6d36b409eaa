# ===- router.py - lists of choices by expert ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""router.py ROUTER.mlir DIR TOKENS EXPERTS: simulates the kernels of examples/block/router.mlir one after the other, and compares the
lists with what Python sorts. Numbers are small integers, so that logits are exact, and equal ones are frequent."""

import math
import random
import struct
import subprocess
import sys
from pathlib import Path

SOURCE, FOLDER = sys.argv[1], Path(sys.argv[2])
TOKENS, EXPERTS = int(sys.argv[3]), int(sys.argv[4])
DEPTH, PROGRAMS = 24, -(-TOKENS // 64)


def write(name, shape, numbers):
    """Integers of fewer than 8 bits, as bf16."""
    header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    halves = [struct.unpack("<I", struct.pack("<f", number))[0] >> 16 for number in numbers]
    (FOLDER / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                                         + struct.pack(f"<{len(halves)}H", *halves))


def read(name, code, count):
    data = (FOLDER / f"{name}.npy").read_bytes()
    return list(struct.unpack(f"<{count}{code}", data[-count * struct.calcsize(code):]))


def simulate(kernel, inputs, **outputs):
    words = [w for name in inputs for w in ("--arg", f"{name}={FOLDER}/{name}.npy")]
    words += [w for name, shape in outputs.items() for w in ("--arg", f"{name}=empty:{shape}", "--out", f"{name}={FOLDER}/{name}.npy")]
    subprocess.run(["carousel-sim", SOURCE, "--kernel", f"@{kernel}", "--quiet", *words], check=True)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = random.Random(TOKENS)
    x = [draw.randrange(-1, 2) for _ in range(TOKENS * DEPTH)]
    w = [draw.randrange(-1, 2) for _ in range(DEPTH * EXPERTS)]
    write("x", (TOKENS, DEPTH), x)
    write("w", (DEPTH, EXPERTS), w)
    rows = 2 * TOKENS
    simulate("choose", ["x", "w"], expert=f"{TOKENS}x2", weight=f"{TOKENS}x2", counts=f"{PROGRAMS}x64")
    simulate("count", ["counts"], before=f"{PROGRAMS}x64", offsets=EXPERTS + 1)
    simulate("place", ["expert", "weight", "before", "offsets"], token=rows, to=rows, scale=rows)

    experts, weights = [], []
    for t in range(TOKENS):
        z = [sum(x[t * DEPTH + k] * w[k * EXPERTS + e] for k in range(DEPTH)) for e in range(EXPERTS)]
        first, second = sorted(range(EXPERTS), key=lambda e: (-z[e], e))[:2]
        experts += [first, second]
        weights += [1 / (1 + math.exp(z[second] - z[first])), 1 / (1 + math.exp(z[first] - z[second]))]
    to = sorted(range(rows), key=lambda i: experts[i])
    good = {"expert": read("expert", "i", rows) == experts,
            "weight": all(abs(a - b) < 1e-5 for a, b in zip(read("weight", "f", rows), weights)),
            "offsets": read("offsets", "i", EXPERTS + 1) == [sum(e < end for e in experts) for end in range(EXPERTS + 1)],
            "to": read("to", "q", rows) == to, "token": read("token", "q", rows) == [i // 2 for i in to],
            "scale": all(abs(a - weights[i]) < 1e-5 for a, i in zip(read("scale", "f", rows), to))}
    print(", ".join(f"{name} {'right' if is_good else 'WRONG'}" for name, is_good in good.items()))
    return not all(good.values())


sys.exit(main())
