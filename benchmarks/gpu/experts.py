#!/usr/bin/env python3
# ===- experts.py - a mixture of experts on a GPU ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs the kernels of examples/block/experts.mlir, and times them in turns with PyTorch's ops for the same.

  experts.py DIR [--packages NAME...]

DIR has libcarousel_runtime.so.2 and packages, NAME.pkg. Tokens choose two experts each, by random scores. The peers begin
and end where the kernels do: with the sorted choices, and with a result for each token.

  grouped  index_select, torch._grouped_mm, a compiled gate, torch._grouped_mm, and compiled scales and sums
  loop     the same with a torch.mm for each expert

Results are compared with f32, within 2^-6 of the largest magnitude in a row: h, y and z are each rounded to bf16. Times are
medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is faster.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns

# Tokens, experts, the width of tokens and of what is between the products.
CHECKED = [(1, 8, 64, 128), (77, 8, 136, 264), (300, 3, 512, 256)]
TIMED = [(128, 8, 4096, 14336), (1024, 8, 4096, 14336), (8192, 8, 4096, 14336), (8192, 64, 4096, 2048)]


@torch.compile
def gate(a, b):
    return torch.nn.functional.silu(a.float()).mul(b.float()).bfloat16()


@torch.compile
def combine(rows, scale, place):
    scaled = (rows.float() * scale[:, None]).bfloat16()
    return scaled[place].view(-1, 2, rows.shape[1]).float().sum(1).bfloat16()


class Problem:
    """Random tokens, weights and choices, and what the kernels take."""

    def __init__(self, tokens, experts, width, between):
        generator = torch.Generator("cuda").manual_seed(tokens + experts)

        def randn(*shape):
            return torch.randn(*shape, device="cuda", generator=generator).to(torch.bfloat16)

        self.x, self.w1, self.w2 = randn(tokens, width), randn(experts, width, between), randn(experts, width, between)
        self.w = randn(experts, between, width)
        weight, choice = torch.rand(tokens, experts, device="cuda", generator=generator).topk(min(2, experts))
        expert, self.to = choice.flatten().sort(stable=True)
        self.token, self.scale = self.to // 2, weight.flatten()[self.to].contiguous()
        self.offsets = torch.zeros(experts + 1, dtype=torch.int32, device="cuda")
        self.offsets[1:] = torch.bincount(expert, minlength=experts).cumsum(0)
        self.bounds = self.offsets.tolist()
        self.place = torch.empty_like(self.to)
        self.place[self.to] = torch.arange(2 * tokens, device="cuda")
        self.h = torch.zeros(2 * tokens, between, dtype=torch.bfloat16, device="cuda")
        self.y, self.z = torch.zeros(2 * tokens, width, dtype=torch.bfloat16, device="cuda"), torch.zeros_like(self.x)

    def bind(self):
        return (bind([self.x, self.token, self.w1, self.w2, self.offsets, self.h]),
                bind([self.h, self.w, self.offsets, self.to, self.scale, self.y]), bind([self.y, self.z]))

    def run_grouped(self):
        x, ends = torch.index_select(self.x, 0, self.token), self.offsets[1:]
        h = gate(torch._grouped_mm(x, self.w1, ends), torch._grouped_mm(x, self.w2, ends))
        return combine(torch._grouped_mm(h, self.w, ends), self.scale, self.place)

    def run_loop(self):
        x = torch.index_select(self.x, 0, self.token)
        rows = torch.empty_like(self.y)
        for g, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:])):
            if begin != end:
                own = x[begin:end]
                torch.mm(gate(torch.mm(own, self.w1[g]), torch.mm(own, self.w2[g])), self.w[g], out=rows[begin:end])
        return combine(rows, self.scale, self.place)

    def find_error(self):
        """The largest error in units of the tolerance."""
        torch.backends.cuda.matmul.allow_tf32 = False
        rows = torch.empty(self.y.shape, device="cuda")
        for g, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:])):
            own = self.x[self.token[begin:end]].float()
            h = torch.nn.functional.silu(own @ self.w1[g].float()) * (own @ self.w2[g].float())
            rows[self.to[begin:end]] = h @ self.w[g].float() * self.scale[begin:end, None]
        want = rows.view(-1, 2, rows.shape[1]).sum(1)
        error = (self.z.float() - want).abs() / (want.abs().amax(1, keepdim=True) * 2.0**-6 + 1e-30)
        return float("inf") if error.isnan().any() else error.max().item()


def launch(kernels, bound):
    for kernel, arguments in zip(kernels, bound):
        kernel.launch(arguments)


def check(name, kernels):
    is_right = True
    for shape in CHECKED:
        problem = Problem(*shape)
        launch(kernels, problem.bind())
        torch.cuda.synchronize()
        error, first = problem.find_error(), problem.z.clone()
        launch(kernels, problem.bind())
        if not error <= 1 or not torch.equal(first, problem.z):
            is_right = False
            print(f"{name} {shape}: WRONG, error {error:.3g}")
    print(f"{name}: {'right' if is_right else 'WRONG'}", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", nargs="*", default=None)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    names = options.packages or sorted(path.stem for path in options.folder.glob("*.pkg"))
    packages = {name: [Kernel(runtime, options.folder / f"{name}.pkg", kernel) for kernel in ("up", "down", "combine")]
                for name in names}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = all([check(name, kernels) for name, kernels in packages.items()])
    print(f"{'tokens, experts, k, n':24} {'grouped us':>10} {'loop us':>9}  " + "  ".join(f"{name:>18}" for name in names) + "  up, down, combine")
    for shape in TIMED:
        problem = Problem(*shape)
        bound = problem.bind()
        runs = [capture(problem.run_grouped), capture(problem.run_loop)]
        runs += [capture(lambda kernels=kernels: launch(kernels, bound)) for kernels in packages.values()]
        runs += [capture(lambda kernel=kernel, own=own: kernel.launch(own)) for kernel, own in zip(packages[names[0]], bound)]
        peer, loop, *times = measure_in_turns(runs)
        for name, kernels in packages.items():
            launch(kernels, bound)
            if not problem.find_error() <= 1:
                good = False
                print(f"{name} {shape}: WRONG")
        columns = [f"{time:9.1f} ({min(peer, loop) / time:6.3f})" for time in times[:len(names)]]
        parts = ", ".join(f"{time:.1f}" for time in times[len(names):])
        print(f"{', '.join(map(str, shape)):24} {peer:10.1f} {loop:9.1f}  " + "  ".join(columns) + f"  {parts}", flush=True)
        del problem, bound, runs
        torch.cuda.empty_cache()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
