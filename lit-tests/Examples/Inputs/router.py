# ===- router.py - lists of choices by expert ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""router.py ROUTER.mlir DIR TOKENS EXPERTS [OPTION...]: simulates examples/block/router.mlir, and compares the lists with what Python
sorts; then again with options of carousel-sim, and compares with the first run. Numbers are small integers, so that logits are
exact, and equal ones are frequent."""

import math
import random
import subprocess
import sys
from pathlib import Path

import arrays

SOURCE, FOLDER = sys.argv[1], Path(sys.argv[2])
TOKENS, EXPERTS = int(sys.argv[3]), int(sys.argv[4])
DEPTH, TILES = 24, 2 * TOKENS // 128 + EXPERTS


def simulate(outputs, *options):
    words = [w for name in "xw" for w in ("--arg", f"{name}={FOLDER}/{name}.npy")]
    words += [w for name, shape in outputs.items() for w in ("--arg", f"{name}=empty:{shape}")]
    return subprocess.run(["carousel-sim", SOURCE, "--quiet", *words, *options], check=False).returncode == 0


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = random.Random(TOKENS)
    # Of 257 tokens, all are alike: two experts have all of them.
    x = [draw.randrange(-1, 2) for _ in range(TOKENS * DEPTH)] if TOKENS != 257 else [1] * (TOKENS * DEPTH)
    w = [draw.randrange(-1, 2) for _ in range(DEPTH * EXPERTS)]
    arrays.write_bf16(FOLDER / "x.npy", (TOKENS, DEPTH), x)
    arrays.write_bf16(FOLDER / "w.npy", (DEPTH, EXPERTS), w)
    rows = 2 * TOKENS

    def read(name, code, count):
        return arrays.read(FOLDER / f"{name}.npy", code, count)
    outputs = {"z": f"{TOKENS}x{DEPTH}", "expert": f"{TOKENS}x2", "weight": f"{TOKENS}x2", "token": rows, "scale": rows,
               "tiles": f"3x{TILES}"}
    if not simulate(outputs, *[w for name in outputs for w in ("--out", f"{name}={FOLDER}/{name}.npy")]):
        return 1

    experts, weights = [], []
    for t in range(TOKENS):
        z = [sum(x[t * DEPTH + k] * w[k * EXPERTS + e] for k in range(DEPTH)) for e in range(EXPERTS)]
        first, second = sorted(range(EXPERTS), key=lambda e: (-z[e], e))[:2]
        experts += [first, second]
        weights += [1 / (1 + math.exp(z[second] - z[first])), 1 / (1 + math.exp(z[first] - z[second]))]
    to = sorted(range(rows), key=lambda i: experts[i])
    tiles = []
    for e in range(EXPERTS):
        begin, end = (sum(other < last for other in experts) for last in (e, e + 1))
        tiles += [(e, first, end) for first in range(begin, end, 128)]
    tiles += [(0, 0, 0)] * (TILES - len(tiles))
    good = {"expert": read("expert", "i", rows) == experts,
            "weight": all(abs(a - b) < 1e-5 for a, b in zip(read("weight", "f", rows), weights)),
            "tiles": read("tiles", "i", 3 * TILES) == [tile[at] for at in range(3) for tile in tiles],
            "token": read("token", "i", rows) == [i // 2 for i in to], "zeros": not any(read("z", "H", TOKENS * DEPTH)),
            "scale": all(abs(a - weights[i]) < 1e-5 for a, i in zip(read("scale", "f", rows), to))}
    # In other schedules, the same bits.
    good["all"] = simulate(outputs, *[w for name in outputs for w in ("--expect", f"{name}={FOLDER}/{name}.npy")], *sys.argv[5:])
    print(", ".join(f"{name} {'right' if is_good else 'WRONG'}" for name, is_good in good.items()))
    return not all(good.values())


sys.exit(main())
