#!/usr/bin/env python3
# ===- products.py - products of matrices on a GPU, beside cuBLAS -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of products, z = x * w^T, and times them in turns with PyTorch's, which are cuBLAS's.

  products.py DIR [--kernel matmul] [--only NAME...]

DIR has libcarousel_runtime.so.2 and packages, NAME.pkg, each with one kernel of x (m x k), w (n x k) and z (m x n) in
bf16. Results are compared with products in f32 of the same factors: sums of bf16's products are exact to the rounding of
f32, so that z differs by its own rounding, 2^-8 of |z|, and by 2^-20 of the sum of magnitudes. Times are medians of runs
whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is faster.
"""

import argparse
import statistics
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime
from graphs import capture

CHECKED = [(128, 256, 64), (1, 8, 8), (129, 264, 72), (1000, 520, 136), (256, 512, 4096), (4095, 4096, 4096), (300, 2056, 8)]
TIMED = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (65536, 1024, 1024), (2048, 2048, 2048), (1024, 1024, 1024)]


def make(m, n, k):
    generator = torch.Generator("cuda").manual_seed(m * 7 + n * 3 + k)
    x = torch.randn(m, k, device="cuda", generator=generator).to(torch.bfloat16)
    w = torch.randn(n, k, device="cuda", generator=generator).to(torch.bfloat16)
    return x, w, torch.full((m, n), float("nan"), dtype=torch.bfloat16, device="cuda")


def find_error(x, w, z):
    """The largest error in units of the tolerance."""
    torch.backends.cuda.matmul.allow_tf32 = False
    worst = 0.0
    for begin in range(0, x.shape[0], 4096):
        rows = x[begin:begin + 4096].float()
        want, magnitude = rows @ w.float().T, rows.abs() @ w.float().abs().T
        error = (z[begin:begin + 4096].float() - want).abs() / (want.abs() * 2.0**-8 + magnitude * 2.0**-20 + 1e-30)
        worst = max(worst, float("inf") if error.isnan().any() else error.max().item())
    return worst


def measure_in_turns(runs, count=15):
    """The median of each run in microseconds."""
    scratch = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    events = [[] for _ in runs]
    for turn in range(count + 2):
        for run, times in zip(runs, events):
            scratch.fill_(turn)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            run()
            end.record()
            times.append((begin, end))
    torch.cuda.synchronize()
    return [statistics.median(begin.elapsed_time(end) * 1e3 for begin, end in times[2:]) for times in events]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernel", default="matmul")
    parser.add_argument("--only", nargs="*", default=None)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    names = options.only or sorted(path.stem for path in options.folder.glob("*.pkg"))
    kernels = {name: Kernel(runtime, options.folder / f"{name}.pkg", options.kernel) for name in names}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = set(names)
    for name, kernel in kernels.items():
        for shape in CHECKED:
            x, w, z = make(*shape)
            kernel.launch(Kernel.bind([x, w, z]))
            torch.cuda.synchronize()
            error = find_error(x, w, z)
            if not error <= 1:
                good.discard(name)
                print(f"{name} {'x'.join(map(str, shape))}: WRONG, error {error:.3g}", flush=True)
        print(f"{name}: {'right' if name in good else 'WRONG'}", flush=True)
    print(f"{'m x n x k':18} {'torch us':>9} {'TFLOP/s':>8}  " + "  ".join(f"{name:>18}" for name in names))
    for shape in TIMED:
        m, n, k = shape
        x, w, z = make(*shape)
        peer = torch.empty_like(z)
        bound = {name: Kernel.bind([x, w, z]) for name in names}
        runs = [capture(lambda: torch.mm(x, w.T, out=peer))]
        runs += [capture(lambda name=name: kernels[name].launch(bound[name])) for name in names]
        times = measure_in_turns(runs)
        for name in names:
            z.fill_(float("nan"))
            kernels[name].launch(bound[name])
            if not find_error(x, w, z) <= 1:
                good.discard(name)
                print(f"{name} {shape}: WRONG")
        print(f"{'x'.join(map(str, shape)):18} {times[0]:9.1f} {2 * m * n * k / times[0] / 1e6:8.0f}  " +
              "  ".join(f"{time:9.1f} ({times[0] / time:6.3f})" for time in times[1:]), flush=True)
        del x, w, z, peer, bound, runs
        torch.cuda.empty_cache()
    return 0 if good == set(names) else 1


if __name__ == "__main__":
    sys.exit(main())
