#!/usr/bin/env python3
# ===- grouped.py - products of groups of rows on a GPU ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of grouped products, and times them in turns with PyTorch's grouped product and with a loop of products.

  grouped.py DIR [--kernel grouped] [--only NAME...] [--repeat N]

DIR has libcarousel_runtime.so.2 and packages, NAME.pkg, each with one kernel of x (rows x k), w (groups x k x n), offsets
(groups + 1 numbers of i32) and z (rows x n), in bf16: rows from offsets[g] on are multiplied by w[g]. Results are compared
with products in f32 of each group, within the rounding of bf16, 2^-8 of |z|, and 2^-20 of the sum of magnitudes; groups
are empty, have one row, or as many as a random draw says. Rows beyond the last offset must stay as they are. Times are
medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is faster. A loop of
products is timed as the sum of the products' kernels. With --repeat, N launches must give the same bits.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns

# Groups, the least and the most rows of each, k and n.
CHECKED = [(5, 0, 3, 64, 256), (7, 0, 300, 72, 264), (64, 1, 1, 256, 512), (3, 0, 0, 64, 256), (1, 1000, 1000, 520, 136), (200, 0, 40, 128, 256)]
TIMED = [(64, 8, 8, 4096, 2048), (64, 8, 512, 4096, 2048), (64, 128, 128, 4096, 2048), (64, 512, 512, 4096, 2048),
         (8, 2048, 2048, 4096, 4096), (8, 0, 4096, 4096, 4096)]


class Problem:
    """Random groups, and what the kernel takes."""

    def __init__(self, groups, least, most, k, n):
        generator = torch.Generator("cuda").manual_seed(groups * 7 + most * 3 + k)
        counts = torch.randint(least, most + 1, (groups,), device="cuda", generator=generator)
        self.offsets = torch.zeros(groups + 1, dtype=torch.int32, device="cuda")
        self.offsets[1:] = counts.cumsum(0)
        self.bounds = self.offsets.tolist()
        # Rows that belong to no group are left alone.
        rows = self.bounds[-1] + 3
        self.x = torch.randn(rows, k, device="cuda", generator=generator).to(torch.bfloat16)
        self.w = torch.randn(groups, k, n, device="cuda", generator=generator).to(torch.bfloat16)
        self.z = torch.empty(rows, n, dtype=torch.bfloat16, device="cuda")
        self.spoil()
        self.flops = 2 * self.bounds[-1] * k * n

    def spoil(self):
        self.z.fill_(7.0)

    def bind(self):
        return bind([self.x, self.w, self.offsets, self.z])

    def run_peer(self):
        return torch._grouped_mm(self.x[:self.bounds[-1]], self.w, self.offsets[1:])

    def run_loop(self):
        for g, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:])):
            if begin != end:
                torch.mm(self.x[begin:end], self.w[g])

    def find_error(self):
        """The largest error in units of the tolerance."""
        torch.backends.cuda.matmul.allow_tf32 = False
        if not (self.z[self.bounds[-1]:] == 7.0).all():
            return float("inf")
        worst = 0.0
        for g, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:])):
            if begin == end:
                continue
            x, w, got = self.x[begin:end].float(), self.w[g].float(), self.z[begin:end].float()
            want = x @ w
            error = (got - want).abs() / (want.abs() * 2.0**-8 + x.abs() @ w.abs() * 2.0**-20 + 1e-30)
            worst = max(worst, float("inf") if error.isnan().any() else error.max().item())
        return worst


def check(name, kernel, repeat):
    is_right = True
    for shape in CHECKED:
        problem = Problem(*shape)
        kernel.launch(problem.bind())
        torch.cuda.synchronize()
        error = problem.find_error()
        if not error <= 1:
            is_right = False
            print(f"{name} {shape}: WRONG, error {error:.3g}")
        first = problem.z.clone()
        for _ in range(repeat):
            kernel.launch(problem.bind())
            is_right &= torch.equal(first, problem.z)
    print(f"{name}: {'right' if is_right else 'WRONG'}", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernel", default="grouped")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--repeat", type=int, default=0)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    names = options.only or sorted(path.stem for path in options.folder.glob("*.pkg"))
    kernels = {name: Kernel(runtime, options.folder / f"{name}.pkg", options.kernel) for name in names}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = all([check(name, kernel, options.repeat) for name, kernel in kernels.items()])
    if options.repeat:
        return 0 if good else 1
    print(f"{'groups, rows, k, n':28} {'torch us':>9} {'loop us':>9}  " + "  ".join(f"{name:>18}" for name in names))
    for shape in TIMED:
        problem = Problem(*shape)
        bound = problem.bind()
        runs = [capture(problem.run_peer), capture(problem.run_loop)]
        runs += [capture(lambda kernel=kernel: kernel.launch(bound)) for kernel in kernels.values()]
        peer, loop, *times = measure_in_turns(runs)
        problem.spoil()
        for name, kernel in kernels.items():
            kernel.launch(bound)
            if not problem.find_error() <= 1:
                good = False
                print(f"{name} {shape}: WRONG")
        columns = [f"{time:9.1f} ({peer / time:6.3f})" for time in times]
        groups, least, most, k, n = shape
        print(f"{f'{groups} of {least} to {most}, {k}, {n}':28} {peer:9.1f} {loop:9.1f}  " + "  ".join(columns), flush=True)
        del problem, bound, runs
        torch.cuda.empty_cache()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
