# ===- attention_gradient.py - gradients of attention ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""attention_gradient.py FORWARD.mlir BACKWARD.mlir DIR LENGTH... [--kind NAME...]: simulates attention and its gradients, of two
heads that share keys and values (of 64 elements in files of that name, or else of 128), and compares the gradients with those of
Python's floats. These are compared with differences of the sum of y * dy first, for some elements of q, k and v. Kinds are plain and causal, the
default, window and none, of three keys and of none with a soft cap, and bias, by which the keys of one query don't count.

Weights, their gradients and results are rounded to bf16 (2^-9 of each), and so is y, of which delta is computed: an element is off by at
most 2^-7 of the sum of its terms' sizes, with those of delta."""

import argparse
import math
import random
import struct
import subprocess
import sys
from pathlib import Path

HEADS, SCALE, CAP = 2, 0.09, 1.5
PARSER = argparse.ArgumentParser()
PARSER.add_argument("forward")
PARSER.add_argument("backward")
PARSER.add_argument("folder", type=Path)
PARSER.add_argument("lengths", type=int, nargs="+")
PARSER.add_argument("--kind", nargs="+", choices=["plain", "causal", "window", "none", "bias"], default=["plain", "causal"])
OPTIONS = PARSER.parse_args()
FORWARD, BACKWARD, FOLDER = OPTIONS.forward, OPTIONS.backward, OPTIONS.folder
ELEMENTS, SUFFIX = (64, "_64") if "_64" in Path(FORWARD).name else (128, "")
WINDOWS = {"window": 3, "none": 0}
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


def as_rows(numbers, width=ELEMENTS):
    return [numbers[at:at + width] for at in range(0, len(numbers), width)]


def read(name, rows, width):
    data = (FOLDER / f"{name}.npy").read_bytes()
    return as_rows(widen(struct.unpack(f"<{rows * width}H", data[-rows * width * 2:])), width)


def simulate(file, kernel, arguments, *outputs):
    words = [w for name, value in arguments.items() for w in ("--arg", f"{name}={value}")]
    words += [w for name in outputs for w in ("--out", f"{name}={FOLDER / name}.npy")]
    subprocess.run(["carousel-sim", file, "--kernel", f"@{kernel}", "--quiet", *words], check=True)


def dot(a, b):
    return sum(map(float.__mul__, a, b))


def score(kind, bias, at, n, j, s):
    """The score of a key and its slope, or none where the key doesn't count."""
    i = at % n
    if kind == "causal":
        return (s, 1.0) if j <= i else None
    if kind in WINDOWS:
        bounded = math.tanh(s / CAP)
        return (CAP * bounded, 1 - bounded**2) if 0 <= i - j < WINDOWS[kind] else None
    if kind == "bias":
        return (s + bias[at][j], 1.0) if bias[at][j] > -math.inf else None
    return s, 1.0


def attend(x, at, n, kind):
    """Of a query: the keys that count, with their weights and slopes, and the result."""
    found = [(j, score(kind, x["bias"], at, n, j, SCALE * dot(x["q"][at], key))) for j, key in enumerate(x["k"])]
    found = [(j, *own) for j, own in found if own is not None]
    largest = max((s for _, s, _ in found), default=0.0)
    p = [math.exp(s - largest) for _, s, _ in found]
    total = sum(p)
    weights = [(j, each / total, slope) for each, (j, _, slope) in zip(p, found)]
    return weights, [sum((weight * x["v"][j][d] for j, weight, _ in weights), 0.0) for d in range(ELEMENTS)]


def make_loss(x, n, kind):
    """sum(y * dy), for differences."""
    return sum(dot(attend(x, at, n, kind)[1], x["dy"][at]) for at in range(HEADS * n))


def differentiate(x, n, kind):
    """By the name of a gradient: its rows, and the sizes of their terms."""
    grads = {name: [[0.0] * ELEMENTS for _ in x[name[1]]] for name in ("dq", "dk", "dv")}
    grads["dbias"] = [[0.0] * n for _ in range(HEADS * n)]
    sizes = {name: [[0.0] * len(row) for row in rows] for name, rows in grads.items()}

    def add(name, row, factor, size, term):
        grads[name][row] = [sum_ + factor * each for sum_, each in zip(grads[name][row], term)]
        sizes[name][row] = [sum_ + size * abs(each) for sum_, each in zip(sizes[name][row], term)]

    for at in range(HEADS * n):
        q, dy = x["q"][at], x["dy"][at]
        weights, y = attend(x, at, n, kind)
        delta, size = dot(y, dy), dot(map(abs, y), map(abs, dy))
        for j, weight, slope in weights:
            ds = weight * slope * (dot(dy, x["v"][j]) - delta)
            of_ds = weight * slope * (dot(map(abs, dy), map(abs, x["v"][j])) + size)
            add("dv", j, weight, weight, dy)
            add("dk", j, SCALE * ds, SCALE * of_ds, q)
            add("dq", at, SCALE * ds, SCALE * of_ds, x["k"][j])
            grads["dbias"][at][j], sizes["dbias"][at][j] = ds, of_ds
    return grads, sizes


def check_differences(x, grads, n, kind):
    step = 2.0**-10
    for name in ("q", "k", "v"):
        row, column = DRAW.randrange(len(x[name])), DRAW.randrange(ELEMENTS)
        losses = []
        for sign in (1, -1):
            moved = {**x, name: [list(each) for each in x[name]]}
            moved[name][row][column] += sign * step
            losses.append(make_loss(moved, n, kind))
        slope = (losses[0] - losses[1]) / (2 * step)
        assert abs(slope - grads[f"d{name}"][row][column]) < 1e-5 * (1 + abs(slope)), (name, slope, grads[f"d{name}"][row][column])


def check(n, kind):
    extents = {"q": HEADS, "k": 1, "v": 1, "dy": HEADS}
    halves = {name: [0x3E00 + DRAW.randrange(512) + 0x8000 * DRAW.randrange(2) for _ in range(count * n * ELEMENTS)]
              for name, count in extents.items()}
    files = {name: write(name, (count, n, ELEMENTS), halves[name]) for name, count in extents.items()}
    # The forward pass has a head of k and v for each head of q.
    repeated = {name: write(f"{name}{HEADS}", (HEADS, n, ELEMENTS), halves[name] * HEADS) for name in ("k", "v")}
    name = {"plain": "", "none": "_window"}.get(kind, f"_{kind}") + SUFFIX
    more, bias = {}, []
    if kind in WINDOWS:
        more = {"cap": CAP, "window": WINDOWS[kind]}
    elif kind == "bias":
        bias = [0xFF80 if at % n == 1 or (at + j) % 5 == 4 else 0x3E00 + DRAW.randrange(512)
                for at in range(HEADS * n) for j in range(n)]
        more = {"bias": write("bias", (HEADS, n, n), bias)}
    simulate(FORWARD, f"attention{name}", {"q": files["q"], **repeated, "scale": SCALE, **more, "y": "like:q",
                                           "lse": f"empty:{HEADS}x{n}"}, "y", "lse")
    simulate(Path(FORWARD).parent / f"attention_backward{SUFFIX}.mlir", f"delta{SUFFIX}",
             {"y": FOLDER / "y.npy", "dy": files["dy"], "delta": f"empty:{HEADS}x{n}"}, "delta")
    given = {**files, "lse": FOLDER / "lse.npy", "delta": FOLDER / "delta.npy", "scale": SCALE, **more}
    simulate(BACKWARD, f"attention_dkv{name}", {**given, "dk": "like:k", "dv": "like:v"}, "dk", "dv")
    of_bias = {"dbias": f"empty:{HEADS}x{n}x{n}"} if kind == "bias" else {}
    simulate(BACKWARD, f"attention_dq{name}", {**given, "dq": "like:q", **of_bias}, "dq", *of_bias)
    x = {name: as_rows(widen(halves[name])) for name in NAMES}
    x["bias"] = as_rows(widen(bias), n)
    grads, sizes = differentiate(x, n, kind)
    if n < 64:
        check_differences(x, grads, n, kind)
    good, words = True, []
    for name, rows in grads.items():
        if name == "dbias" and not of_bias:
            continue
        got = read(name, len(rows), len(rows[0]))
        # A comparison with NaN is false.
        is_right = all(abs(g - w) <= s * 2**-7 + 1e-6 for one, two, three in zip(got, rows, sizes[name])
                       for g, w, s in zip(one, two, three))
        good &= is_right
        words.append(f"{name} {'right' if is_right else 'WRONG'}")
    print(f"attention {kind} {n}: " + ", ".join(words))
    return good


FOLDER.mkdir(parents=True, exist_ok=True)
sys.exit(not all([check(n, kind) for n in OPTIONS.lengths for kind in OPTIONS.kind]))
