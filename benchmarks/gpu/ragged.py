#!/usr/bin/env python3
# ===- ragged.py - ragged products of graphs on a GPU ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs programs of graphs with JAX's ragged_dot, and times them in turns with PyTorch's grouped product.

  ragged.py DIR

DIR has libcarousel_runtime.so.2 and packages of the graphs that carousel-import makes, in bf16, of 2048 rows in 8 groups:

  rows.pkg      lax.ragged_dot(x, w, sizes)                                  bf16[2048,1024],bf16[8,1024,4096],i32[8]
  weights.pkg   its gradient of w, a function of (x, sizes, dy)
  inputs.pkg    its gradient of x, a function of (w, sizes, dy)
  batches.pkg   jax.vmap(lax.ragged_dot)                                     bf16[4,512,1024],bf16[4,8,1024,4096],i32[4,8]

Those that are missing are left out. Results are compared with f32, within 2^-7 of the largest magnitude, for groups of random
sizes, and for groups that are empty, have one row, and leave some rows to no group. What isn't finite in a row must stay in
the gradient of its group's weights. Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1
says that the package is faster. PyTorch's product takes offsets that are there; the programs count them.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Program, Runtime, bind
from graphs import capture
from products import measure_in_turns

ROWS, DEPTH, COLUMNS, GROUPS, BATCHES = 2048, 1024, 4096, 8, 4
SIZES = {"random": (437, 122, 459, 260, 355, 232, 139, 44), "empty": (0, 1, 700, 0, 63, 65, 1000, 0)}


class Problem:
    """Groups of rows, and what multiplies them."""

    def __init__(self, sizes):
        generator = torch.Generator("cuda").manual_seed(sum(sizes))

        def randn(*shape):
            return torch.randn(*shape, device="cuda", generator=generator).bfloat16()

        self.x, self.w, self.dy = randn(ROWS, DEPTH), randn(GROUPS, DEPTH, COLUMNS), randn(ROWS, COLUMNS)
        self.sizes = torch.tensor(sizes, dtype=torch.int32, device="cuda")
        self.ends = self.sizes.cumsum(0).int()
        self.bounds = [0, *self.ends.tolist()]

    def get_groups(self):
        return enumerate(zip(self.bounds, self.bounds[1:]))

    def multiply(self, x, w):
        z = torch.zeros(x.shape[0], w.shape[2], device="cuda")
        for g, (begin, end) in self.get_groups():
            z[begin:end] = x[begin:end].float() @ w[g].float()
        return z

    def sum_groups(self, x, dy):
        return torch.stack([x[begin:end].float().t() @ dy[begin:end].float() for _, (begin, end) in self.get_groups()])


def make_rows(p):
    return [p.x, p.w, p.sizes], lambda: p.multiply(p.x, p.w), lambda: torch._grouped_mm(p.x, p.w, p.ends)


def make_weights(p):
    return [p.x, p.sizes, p.dy], lambda: p.sum_groups(p.x, p.dy), lambda: torch._grouped_mm(p.x.t(), p.dy, p.ends)


def make_inputs(p):
    w = p.w.transpose(1, 2)
    return [p.w, p.sizes, p.dy], lambda: p.multiply(p.dy, w), lambda: torch._grouped_mm(p.dy, w, p.ends)


def make_batches(p):
    """The rows of all batches in groups of 64."""
    rows = ROWS // BATCHES
    x, w = p.x.view(BATCHES, rows, DEPTH), p.w.expand(BATCHES, -1, -1, -1).contiguous()
    sizes = torch.full((BATCHES, GROUPS), rows // GROUPS, dtype=torch.int32, device="cuda")
    ends, all_w = sizes.flatten().cumsum(0).int(), w.flatten(0, 1)

    def compute():
        return torch.bmm(x.reshape(-1, rows // GROUPS, DEPTH).float(), all_w.float()).view(BATCHES, rows, COLUMNS)

    return [x, w, sizes], compute, lambda: torch._grouped_mm(p.x, all_w, ends)


GRAPHS = {"rows": make_rows, "weights": make_weights, "inputs": make_inputs, "batches": make_batches}


def is_close(got, want):
    error = (got.float() - want).abs().max() / want.abs().max()
    return not got.isnan().any() and error.item() <= 2.0**-7


def check_finite(program):
    """A row that isn't finite in both factors."""
    p = Problem(SIZES["random"])
    row = p.bounds[4]
    p.x[row], p.dy[row] = float("nan"), float("inf")
    z = torch.zeros(GROUPS, DEPTH, COLUMNS, dtype=torch.bfloat16, device="cuda")
    program.launch(bind([p.x, p.sizes, p.dy, z]))
    return [g for g in range(GROUPS) if not z[g].isfinite().all()] == [4]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = False
    runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    is_good = True
    for name, make in GRAPHS.items():
        path = options.folder / f"{name}.pkg"
        if not path.exists():
            continue
        program = Program(runtime, path)
        is_right = name != "weights" or check_finite(program)
        for sizes in ("empty", "random"):
            inputs, compute, run_peer = make(Problem(SIZES[sizes]))
            want = compute()
            z = torch.full(want.shape, 7.0, dtype=torch.bfloat16, device="cuda")
            bound = bind([*inputs, z])
            program.launch(bound)
            torch.cuda.synchronize()
            is_right &= is_close(z, want)
        peer, time = measure_in_turns([capture(run_peer), capture(lambda program=program, bound=bound: program.launch(bound))])
        is_good &= is_right
        print(f"{name:8} {'right' if is_right else 'WRONG'}  torch {peer:7.1f} us  {time:7.1f} us ({peer / time:.2f})", flush=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
