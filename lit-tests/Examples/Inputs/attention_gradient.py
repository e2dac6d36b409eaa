# ===- attention_gradient.py - gradients of attention ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""attention_gradient.py FORWARD.mlir BACKWARD.mlir DIR LENGTH...: simulates attention and its gradients, plain and causal, of two heads
that share keys and values (of 64 elements in files of that name, or else of 128), and compares the gradients with those of Python's floats. These are compared with differences of the sum of
y * dy first, for some elements of q, k and v.

Weights, their gradients and results are rounded to bf16 (2^-9 of each), and so is y, of which delta is computed: an element is off by at
most 2^-7 of the sum of its terms' sizes, with those of delta."""

import math
import random
import struct
import subprocess
import sys
from pathlib import Path

HEADS, SCALE = 2, 0.09
FORWARD, BACKWARD, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
ELEMENTS, SUFFIX = (64, "_64") if "_64" in Path(FORWARD).name else (128, "")
NAMES = ("q", "k", "v", "dy")
DRAW = random.Random(1)


def write(name, shape, halves):
    header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path = FOLDER / f"{name}.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(halves)}H", *halves))
    return path


def widen(halves):
    return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]


def as_rows(numbers):
    return [numbers[at:at + ELEMENTS] for at in range(0, len(numbers), ELEMENTS)]


def read(name, rows):
    data = (FOLDER / f"{name}.npy").read_bytes()
    return as_rows(widen(struct.unpack(f"<{rows * ELEMENTS}H", data[-rows * ELEMENTS * 2:])))


def simulate(file, kernel, arguments, *outputs):
    words = [w for name, value in arguments.items() for w in ("--arg", f"{name}={value}")]
    words += [w for name in outputs for w in ("--out", f"{name}={FOLDER / name}.npy")]
    subprocess.run(["carousel-sim", file, "--kernel", f"@{kernel}", "--quiet", *words], check=True)


def dot(a, b):
    return sum(map(float.__mul__, a, b))


def attend(row, keys, values):
    """The weights and the result of a query."""
    s = [SCALE * dot(row, key) for key in keys]
    largest = max(s)
    p = [math.exp(each - largest) for each in s]
    total = sum(p)
    p = [each / total for each in p]
    return p, [dot(p, column) for column in zip(*values)]


def make_loss(x, n, is_causal):
    """sum(y * dy), for differences."""
    return sum(dot(attend(x["q"][h * n + i], x["k"][:i + 1 if is_causal else n], x["v"][:i + 1 if is_causal else n])[1],
                   x["dy"][h * n + i]) for h in range(HEADS) for i in range(n))


def differentiate(x, n, is_causal):
    """By the name of a gradient: its rows, and the sizes of their terms."""
    grads = {name: [[0.0] * ELEMENTS for _ in x[name[1]]] for name in ("dq", "dk", "dv")}
    sizes = {name: [[0.0] * ELEMENTS for _ in rows] for name, rows in grads.items()}

    def add(name, row, factor, size, term):
        grads[name][row] = [sum_ + factor * each for sum_, each in zip(grads[name][row], term)]
        sizes[name][row] = [sum_ + size * abs(each) for sum_, each in zip(sizes[name][row], term)]

    for at in range(HEADS * n):
        end = at % n + 1 if is_causal else n
        q, dy = x["q"][at], x["dy"][at]
        p, y = attend(q, x["k"][:end], x["v"][:end])
        delta, size = dot(y, dy), dot(map(abs, y), map(abs, dy))
        for j, weight in enumerate(p):
            ds = weight * SCALE * (dot(dy, x["v"][j]) - delta)
            of_ds = weight * SCALE * (dot(map(abs, dy), map(abs, x["v"][j])) + size)
            add("dv", j, weight, weight, dy)
            add("dk", j, ds, of_ds, q)
            add("dq", at, ds, of_ds, x["k"][j])
    return grads, sizes


def check_differences(x, grads, n, is_causal):
    step = 2.0**-10
    for name in ("q", "k", "v"):
        row, column = DRAW.randrange(len(x[name])), DRAW.randrange(ELEMENTS)
        losses = []
        for sign in (1, -1):
            moved = {**x, name: [list(each) for each in x[name]]}
            moved[name][row][column] += sign * step
            losses.append(make_loss(moved, n, is_causal))
        slope = (losses[0] - losses[1]) / (2 * step)
        assert abs(slope - grads[f"d{name}"][row][column]) < 1e-5 * (1 + abs(slope)), (name, slope, grads[f"d{name}"][row][column])


def check(n, kind):
    extents = {"q": HEADS, "k": 1, "v": 1, "dy": HEADS}
    halves = {name: [0x3E00 + DRAW.randrange(512) + 0x8000 * DRAW.randrange(2) for _ in range(count * n * ELEMENTS)]
              for name, count in extents.items()}
    files = {name: write(name, (count, n, ELEMENTS), halves[name]) for name, count in extents.items()}
    # The forward pass has a head of k and v for each head of q.
    repeated = {name: write(f"{name}{HEADS}", (HEADS, n, ELEMENTS), halves[name] * HEADS) for name in ("k", "v")}
    simulate(FORWARD, f"attention{kind}{SUFFIX}", {"q": files["q"], **repeated, "scale": SCALE, "y": "like:q", "lse": f"empty:{HEADS}x{n}"},
             "y", "lse")
    simulate(BACKWARD, f"delta{SUFFIX}", {"y": FOLDER / "y.npy", "dy": files["dy"], "delta": f"empty:{HEADS}x{n}"}, "delta")
    given = {**files, "lse": FOLDER / "lse.npy", "delta": FOLDER / "delta.npy", "scale": SCALE}
    simulate(BACKWARD, f"attention_dkv{kind}{SUFFIX}", {**given, "dk": "like:k", "dv": "like:v"}, "dk", "dv")
    simulate(BACKWARD, f"attention_dq{kind}{SUFFIX}", {**given, "dq": "like:q"}, "dq")
    x = {name: as_rows(widen(halves[name])) for name in NAMES}
    is_causal = kind != ""
    grads, sizes = differentiate(x, n, is_causal)
    if n < 64:
        check_differences(x, grads, n, is_causal)
    good, words = True, []
    for name, rows in grads.items():
        got = read(name, len(rows))
        error = max(abs(g - w) / (s * 2**-7 + 1e-6) for one, two, three in zip(got, rows, sizes[name])
                    for g, w, s in zip(one, two, three))
        good &= error <= 1
        words.append(f"{name} {'right' if error <= 1 else f'WRONG, by {error:.3g}'}")
    print(f"attention{kind}{SUFFIX} {n}: " + ", ".join(words))
    return good


FOLDER.mkdir(parents=True, exist_ok=True)
sys.exit(not all([check(int(n), kind) for n in sys.argv[4:] for kind in ("", "_causal")]))
