#!/usr/bin/env python3
# ===- experts.py - a mixture of experts on a GPU ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs the kernels of examples/block/router.mlir and experts.mlir, and times them in turns with PyTorch's ops for the same.

  experts.py DIR [--packages NAME...]

DIR has libcarousel_runtime.so.2, router.pkg, and packages of experts.mlir, NAME.pkg (experts.pkg by default). All begin with
tokens and end with a result for each token: the two of the experts with the largest logits, weighted by their softmax.

  grouped  a product, topk, softmax and a stable sort; index_select, torch._grouped_mm of both matrices at once, a compiled
           gate, torch._grouped_mm, and compiled scales and sums
  loop     the same with a torch.mm for each expert, whose bounds the host knows

Results are compared with f32 for the experts and weights that the router chose (training.py checks these), within 2^-6 of
the largest magnitude in a row: h, both results and their sum are each rounded to bf16. All launches must give the same
bits. Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is
faster.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns

# Tokens, experts, the width of tokens and of what is between the products.
CHECKED = [(1, 8, 64, 128), (77, 8, 136, 264), (300, 3, 512, 256), (20, 64, 256, 128)]
TIMED = [(128, 8, 4096, 14336), (1024, 8, 4096, 14336), (8192, 8, 4096, 14336), (8192, 64, 4096, 2048)]
LAUNCHES = 20


@torch.compile
def gate(both):
    a, b = both.float().chunk(2, dim=-1)
    return torch.nn.functional.silu(a).mul(b).bfloat16()


@torch.compile
def combine(rows, scale, place):
    scaled = (rows.float() * scale[:, None]).bfloat16()
    return scaled[place].view(-1, 2, rows.shape[1]).float().sum(1).bfloat16()


class Problem:
    """Random tokens and weights, and what the kernels make of them."""

    def __init__(self, tokens, experts, width, between):
        generator = torch.Generator("cuda").manual_seed(tokens + experts)
        self.experts, rows = experts, 2 * tokens

        def randn(*shape):
            return torch.randn(*shape, device="cuda", generator=generator).to(torch.bfloat16)

        def empty(*shape, dtype):
            return torch.empty(*shape, dtype=dtype, device="cuda")

        self.x, self.w = randn(tokens, width), randn(width, experts)
        # Rows of both along k, as those of torch.nn.Linear.
        self.w_up, self.w_down = randn(experts, 2, between, width), randn(experts, width, between)
        self.expert, self.weight = empty(tokens, 2, dtype=torch.int32), empty(tokens, 2, dtype=torch.float32)
        self.token, self.scale = empty(rows, dtype=torch.int32), empty(rows, dtype=torch.float32)
        self.tiles = empty(3, rows // 128 + experts, dtype=torch.int32)
        self.h, self.z = empty(rows, between, dtype=torch.bfloat16), torch.empty_like(self.x)
        self.numbers = torch.arange(experts, device="cuda")

    def bind(self):
        return (bind([self.x, self.w, self.z, self.expert, self.weight, self.token, self.scale, self.tiles]),
                bind([self.x, self.token, self.w_up, self.tiles, self.h]),
                bind([self.h, self.w_down, self.tiles, self.token, self.scale, self.z]))

    def route(self):
        """Rows by expert, where they come from and go to, their weights, and where experts end."""
        values, chosen = torch.topk(torch.mm(self.x, self.w).float(), 2)
        weight = torch.softmax(values, 1).flatten()
        expert, to = chosen.flatten().sort(stable=True)
        ends = (expert[:, None] == self.numbers).sum(0).cumsum(0).to(torch.int32)
        place = torch.empty_like(to).scatter_(0, to, torch.arange(to.numel(), device="cuda"))
        return to // 2, weight[to], place, ends

    def run_grouped(self):
        token, scale, place, ends = self.route()
        x = torch.index_select(self.x, 0, token)
        h = gate(torch._grouped_mm(x, self.w_up.flatten(1, 2).transpose(1, 2), ends))
        return combine(torch._grouped_mm(h, self.w_down.transpose(1, 2), ends), scale, place)

    def find_bounds(self):
        self.bounds = [0, *self.route()[3].tolist()]

    def run_loop(self):
        token, scale, place, _ = self.route()
        x, rows = torch.index_select(self.x, 0, token), torch.empty(token.numel(), self.x.shape[1], dtype=self.x.dtype, device="cuda")
        for g, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:])):
            if begin != end:
                h = gate(torch.mm(x[begin:end], self.w_up[g].flatten(0, 1).t()))
                torch.mm(h, self.w_down[g].t(), out=rows[begin:end])
        return combine(rows, scale, place)

    def find_error(self):
        """The largest error in units of the tolerance."""
        torch.backends.cuda.matmul.allow_tf32 = False
        want = torch.zeros(self.x.shape, device="cuda")
        for g in range(self.experts):
            token, choice = (self.expert == g).nonzero(as_tuple=True)
            own = self.x[token].float()
            a, b = (own @ w.float().t() for w in self.w_up[g])
            h = torch.nn.functional.silu(a) * b
            want.index_add_(0, token, h @ self.w_down[g].float().t() * self.weight[token, choice][:, None])
        error = (self.z.float() - want).abs() / (want.abs().amax(1, keepdim=True) * 2.0**-6 + 1e-30)
        return float("inf") if error.isnan().any() else error.max().item()


def launch(kernels, bound):
    for kernel, arguments in zip(kernels, bound):
        kernel.launch(arguments)


def check(name, kernels, shapes, launches):
    is_right = True
    for shape in shapes:
        problem = Problem(*shape)
        bound = problem.bind()
        launch(kernels, bound)
        torch.cuda.synchronize()
        error, first = problem.find_error(), problem.z.clone()
        differ = 0
        for _ in range(launches):
            launch(kernels, bound)
            torch.cuda.synchronize()
            differ += not torch.equal(first, problem.z)
        if not error <= 1 or differ:
            is_right = False
            print(f"{name} {shape}: WRONG, error {error:.3g}, other bits in {differ} launches")
        del problem, bound
        torch.cuda.empty_cache()
    print(f"{name}: {'right' if is_right else 'WRONG'}", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", nargs="*", default=["experts"])
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    names = options.packages
    route = Kernel(runtime, options.folder / "router.pkg", "route")
    packages = {name: [route, *(Kernel(runtime, options.folder / f"{name}.pkg", kernel) for kernel in ("up", "down"))] for name in names}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = all([check(name, kernels, CHECKED + TIMED[1:], LAUNCHES) for name, kernels in packages.items()])
    print(f"{'tokens, experts, k, n':24} {'grouped us':>10} {'loop us':>9}  " + "  ".join(f"{name:>18}" for name in names) + "  route, up, down")
    for shape in TIMED:
        problem = Problem(*shape)
        problem.find_bounds()
        bound = problem.bind()
        runs = [capture(problem.run_grouped), capture(problem.run_loop)]
        runs += [capture(lambda kernels=kernels: launch(kernels, bound)) for kernels in packages.values()]
        runs += [capture(lambda kernel=kernel, own=own: kernel.launch(own)) for kernel, own in zip(packages[names[0]], bound)]
        peer, loop, *times = measure_in_turns(runs)
        columns = [f"{time:9.1f} ({min(peer, loop) / time:6.3f})" for time in times[:len(names)]]
        parts = ", ".join(f"{time:.1f}" for time in times[len(names):])
        print(f"{', '.join(map(str, shape)):24} {peer:10.1f} {loop:9.1f}  " + "  ".join(columns) + f"  {parts}", flush=True)
        del problem, bound, runs
        torch.cuda.empty_cache()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
