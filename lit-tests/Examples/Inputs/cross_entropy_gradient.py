# ===- cross_entropy_gradient.py - gradients in chunks of words ---------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""cross_entropy_gradient.py FORWARD.mlir BACKWARD.mlir DIR: simulates the kernels of a cross-entropy and of its gradients, in two
chunks of words, and compares what they give with sums of Python's floats.

A gradient of a logit is rounded to bf16 (2^-9 of it), and so is dw: an element is off by at most 2^-8 of the sum of its terms' sizes,
and as much for the logarithms."""

import math
import random
import struct
import subprocess
import sys
from pathlib import Path

TOKENS, WORDS, DEPTH, CHUNK, PARTS = 37, 300, 24, 256, 2
FORWARD, BACKWARD, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])


def write(name, code, shape, numbers):
    descr = {"H": "<u2", "i": "<i4", "f": "<f4"}[code]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path = FOLDER / f"{name}.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(numbers)}{code}", *numbers))
    return path


def read(name, code, count):
    data = (FOLDER / f"{name}.npy").read_bytes()
    return struct.unpack(f"<{count}{code}", data[-count * struct.calcsize(code):])


def widen(halves):
    return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]


def simulate(file, kernel, arguments, outputs):
    words = [w for name, value in arguments.items() for w in ("--arg", f"{name}={value}")]
    words += [w for name, own in outputs.items() for w in ("--out", f"{name}={FOLDER / own}.npy")]
    subprocess.run(["carousel-sim", file, "--kernel", f"@{kernel}", "--quiet", *words], check=True)


def find_error(got, want, sizes):
    return max(abs(g - w) / (s * 2**-7 + 1e-6) for g, w, s in zip(got, want, sizes))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    halves = {"x": [0x3E00 + draw.randrange(512) + 0x8000 * draw.randrange(2) for _ in range(TOKENS * DEPTH)],
              "w": [0x3D80 + draw.randrange(512) + 0x8000 * draw.randrange(2) for _ in range(WORDS * DEPTH)]}
    labels = [draw.randrange(WORDS) for _ in range(TOKENS)]
    labels[:3] = [CHUNK - 1, CHUNK, -1]  # the last one doesn't count
    g = [draw.random() if label >= 0 else 0.0 for label in labels]
    x, label = write("x", "H", (TOKENS, DEPTH), halves["x"]), write("label", "i", (TOKENS,), labels)
    w, grad = write("w", "H", (WORDS, DEPTH), halves["w"]), write("g", "f", (TOKENS,), g)
    simulate(FORWARD, "parts", {"x": x, "w": w, "label": label, "parts": f"empty:3x{PARTS}x{TOKENS}"}, {"parts": "parts"})
    simulate(FORWARD, "combine", {"parts": FOLDER / "parts.npy", "loss": f"empty:{TOKENS}", "lse": f"empty:{TOKENS}"},
             {"loss": "loss", "lse": "lse"})
    write("sums", "f", (TOKENS, DEPTH), [0.0] * (TOKENS * DEPTH))
    got_w = []
    for first in range(0, WORDS, CHUNK):
        words = min(CHUNK, WORDS - first)
        chunk = write("chunk", "H", (words, DEPTH), halves["w"][first * DEPTH:(first + words) * DEPTH])
        simulate(BACKWARD, "dlogits", {"x": x, "w": chunk, "label": label, "lse": FOLDER / "lse.npy", "g": grad, "first": first,
                                       "d": f"empty:{TOKENS}x{words}"}, {"d": "d"})
        d = FOLDER / "d.npy"
        simulate(BACKWARD, "dw", {"d": d, "x": x, "dw": f"empty:{words}x{DEPTH}"}, {"dw": "dw"})
        simulate(BACKWARD, "dx", {"d": d, "w": chunk, "sums": FOLDER / "sums.npy"}, {"sums": "sums"})
        got_w += widen(read("dw", "H", words * DEPTH))
    xs, ws = widen(halves["x"]), widen(halves["w"])
    dx, dw = [0.0] * (TOKENS * DEPTH), [0.0] * (WORDS * DEPTH)
    size_x, size_w, losses = list(dx), list(dw), []
    for t in range(TOKENS):
        row = xs[t * DEPTH:(t + 1) * DEPTH]
        z = [sum(a * b for a, b in zip(row, ws[v * DEPTH:(v + 1) * DEPTH])) for v in range(WORDS)]
        lse = math.log(sum(map(math.exp, z)))
        losses.append(lse - (z[labels[t]] if labels[t] >= 0 else 0.0))
        for v in range(WORDS):
            d = (math.exp(z[v] - lse) - (v == labels[t])) * g[t]
            for k in range(DEPTH):
                for sums, sizes, at, term in ((dx, size_x, t * DEPTH + k, d * ws[v * DEPTH + k]), (dw, size_w, v * DEPTH + k, d * row[k])):
                    sums[at] += term
                    sizes[at] += abs(term)
    errors = {"loss": find_error(read("loss", "f", TOKENS), losses, [0.01 + abs(loss) for loss in losses]),
              "dx": find_error(read("sums", "f", TOKENS * DEPTH), dx, size_x), "dw": find_error(got_w, dw, size_w)}
    print(", ".join(f"{name} {'right' if error <= 1 else f'WRONG, by {error:.3g}'}" for name, error in errors.items()))
    return any(error > 1 for error in errors.values())


sys.exit(main())
