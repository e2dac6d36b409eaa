# ===- experts.py - a mixture of experts from router to sum -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""experts.py ROUTER.mlir EXPERTS.mlir DIR TOKENS EXPERTS [OPTION...]: simulates the three kernels, and compares the sums with those
of two loops; then @up and @down again with options of carousel-sim, which must give the same bits. With fewer tokens than
experts, some experts have no rows; of 70 tokens, all are alike: two experts have all of them."""

import math
import random
import subprocess
import sys
from pathlib import Path

import arrays

ROUTER, SOURCE, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
TOKENS, EXPERTS, OPTIONS = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6:]
WIDTH, BETWEEN = 24, 40
ROWS, TILES = 2 * TOKENS, 2 * TOKENS // 128 + EXPERTS


def get(name):
    return f"{FOLDER}/{name}.npy"


def simulate(source, *words):
    return subprocess.run(["carousel-sim", source, "--quiet", *words], check=False).returncode == 0


def route():
    made = {"z": f"{TOKENS}x{WIDTH}", "expert": f"{TOKENS}x2", "weight": f"{TOKENS}x2", "token": ROWS, "scale": ROWS, "tiles": f"3x{TILES}"}
    return simulate(ROUTER, "--arg", f"x={get('x')}", "--arg", f"w={get('w')}",
                    *[w for name, shape in made.items() for w in ("--arg", f"{name}=empty:{shape}", "--out", f"{name}={get(name)}")])


def multiply(*more):
    words = [w for name in ("x", "token", "w_up", "tiles", "w_down", "scale", "z") for w in ("--arg", f"{name}={get(name)}")]
    return simulate(SOURCE, "--kernel", "@up", "--then", "@down", *words, "--arg", f"h=empty:{ROWS}x{BETWEEN}", *more)


def draw(name, shape, scale):
    numbers = [arrays.from_bf16(arrays.to_bf16(DRAW.uniform(-scale, scale))) for _ in range(math.prod(shape))]
    arrays.write_bf16(FOLDER / f"{name}.npy", shape, numbers)
    return numbers


def dot(a, b):
    return sum(map(float.__mul__, a, b))


def compute(x, w_up, w_down):
    """The sums, by token and choice."""
    expert = arrays.read(FOLDER / "expert.npy", "i", ROWS)
    weight = arrays.read(FOLDER / "weight.npy", "f", ROWS)
    sums = []
    for t in range(TOKENS):
        row, own = x[t * WIDTH:(t + 1) * WIDTH], [0.0] * WIDTH
        for choice in (2 * t, 2 * t + 1):
            e, h = expert[choice], []
            for n in range(BETWEEN):
                at = (2 * e * BETWEEN + n) * WIDTH
                a, b = (dot(row, w_up[begin:begin + WIDTH]) for begin in (at, at + BETWEEN * WIDTH))
                h.append(arrays.from_bf16(arrays.to_bf16(a / (1 + math.exp(-a)) * b)))
            for k in range(WIDTH):
                at = (e * WIDTH + k) * BETWEEN
                own[k] += weight[choice] * dot(h, w_down[at:at + BETWEEN])
        sums += own
    return sums


DRAW = random.Random(TOKENS)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    x = draw("x", (TOKENS, WIDTH), 1)
    if TOKENS == 70:
        x = x[:WIDTH] * TOKENS
        arrays.write_bf16(FOLDER / "x.npy", (TOKENS, WIDTH), x)
    draw("w", (WIDTH, EXPERTS), 1)
    w_up, w_down = draw("w_up", (EXPERTS, 2, BETWEEN, WIDTH), 1), draw("w_down", (EXPERTS, WIDTH, BETWEEN), 1)
    if not route() or not multiply("--out", f"z={get('sums')}"):
        return 1
    found = [arrays.from_bf16(bits) for bits in arrays.read(FOLDER / "sums.npy", "H", TOKENS * WIDTH)]
    want = compute(x, w_up, w_down)
    # h, each of the two results and their sum are rounded to 8 bits.
    bound = 2**-6 * max(map(abs, want))
    is_right = all(abs(a - b) <= bound for a, b in zip(found, want))
    is_same = multiply("--expect", f"z={get('sums')}", *OPTIONS)
    print(f"sums {'right' if is_right else 'WRONG'}, schedules {'equal' if is_same else 'DIFFER'}")
    return not (is_right and is_same)


sys.exit(main())
