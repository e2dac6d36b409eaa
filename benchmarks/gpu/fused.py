#!/usr/bin/env python3
# ===- fused.py - products with what is fused to them on a GPU ---------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of examples/block that fuse work to products, and times them in turns with PyTorch's ops for the same.

  fused.py DIR [--only KERNEL...] [--packages NAME...]

DIR has libcarousel_runtime.so.2 and packages, NAME.pkg; each case runs in the packages that have its kernel. Peers are

  gated         two torch.mm, and a compiled kernel of silu and the product
  residual      torch.addmm
  block_scales  torch._scaled_mm with scales of 1, for want of one with blocks
  norm_residual a compiled rmsnorm, and torch.addmm
  matmul_int8, matmul_int4, matmul_float8, skinny_int8, skinny_int4, skinny_float8   torch.mm of the weights as bf16
  conv3x3       cuDNN, channels last
  linear_cross_entropy   torch.mm, and a compiled cross-entropy of the logits

Results are compared with f32, within 2^-7 of the largest magnitude in a row: of bf16, whose rounding of a result is 2^-9 of
it, and of sums of f8, which lose up to 2^-11 of the terms' magnitudes.
Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is faster.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns

BF16, F8 = torch.bfloat16, torch.float8_e4m3fn


def randn(*shape):
    return torch.randn(*shape, device="cuda")


@torch.compile
def gate(a, b):
    return torch.nn.functional.silu(a.float()).to(BF16) * b


def make_gated(m, n, k):
    x, w1, w2 = randn(m, k).to(BF16), randn(k, n).to(BF16) / 8, randn(k, n).to(BF16) / 8
    want = torch.nn.functional.silu(x.float() @ w1.float()) * (x.float() @ w2.float())
    return [x, w1, w2], want, lambda: gate(torch.mm(x, w1), torch.mm(x, w2))


def make_residual(m, n, k):
    x, w, r = randn(m, k).to(BF16), randn(k, n).to(BF16), randn(m, n).to(BF16) * 32
    return [x, w, r], x.float() @ w.float() + r.float(), lambda: torch.addmm(r, x, w)


def make_block_scales(m, n, k):
    x, w = randn(m, k).to(F8), randn(n, k).to(F8)
    sx, sw = torch.rand(k // 128, m, device="cuda") + 0.5, torch.rand(n // 128, k // 128, device="cuda") + 0.5
    wide_x = x.float() * sx.T.repeat_interleave(128, 1)
    wide_w = w.float() * sw.repeat_interleave(128, 0).repeat_interleave(128, 1)
    one = torch.ones((), device="cuda")
    return [x, w, sx, sw], wide_x @ wide_w.T, lambda: torch._scaled_mm(x, w.T, one, one, out_dtype=BF16)


def make_matmul_int8(m, n, k):
    x, w = randn(m, k).to(BF16), torch.randint(-128, 128, (n, k), device="cuda", dtype=torch.int8)
    scale = (torch.rand(n, device="cuda") * 0.02).to(BF16)
    wide = w.to(BF16) * scale[:, None]
    return [x, w, scale], x.float() @ wide.float().T, lambda: torch.mm(x, wide.T)


def make_matmul_int4(m, n, k):
    x, w = randn(m, k).to(BF16), torch.randint(-128, 128, (n, k // 2), device="cuda", dtype=torch.int8)
    groups = -(-k // 128)
    scale = (torch.rand(groups, n, device="cuda") * 0.2).to(BF16)
    zero = torch.randint(0, 16, (groups, n), device="cuda").to(BF16)
    number = torch.stack([w & 15, (w >> 4) & 15], -1).reshape(n, k).to(BF16)
    each = [(value.T.repeat_interleave(128, 1))[:, :k] for value in (zero, scale)]
    wide = (number - each[0]) * each[1]
    return [x, w, scale, zero], x.float() @ wide.float().T, lambda: torch.mm(x, wide.T)


def make_matmul_float8(m, n, k):
    x, w = randn(m, k).to(BF16), randn(n, k).to(F8)
    scale = torch.rand(n, device="cuda") + 0.5
    wide = w.to(BF16)
    return [x, w, scale], x.float() @ wide.float().T * scale, lambda: torch.mm(x, wide.T)


def make_skinny_int8(m, n, k):
    x, w = randn(m, k).to(BF16), torch.randint(-128, 128, (n, k), device="cuda", dtype=torch.int8)
    scale = torch.rand(n, device="cuda") * 0.02
    wide = w.to(BF16)
    return [x, w, scale], x.float() @ wide.float().T * scale, lambda: torch.mm(x, wide.T)


@torch.compile
def normalize(x, g):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-6)).to(BF16) * g


def make_norm_residual(m, n, k):
    x, g, w, r = randn(m, k).to(BF16), randn(k).to(BF16), (randn(k, n) / k**0.5).to(BF16), randn(m, n).to(BF16)
    wide = x.float()
    scaled = (x * g).float() * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-6)
    return [x, g, w, r], scaled @ w.float() + r.float(), lambda: torch.addmm(r, normalize(x, g), w)


def make_conv3x3(images, height, width, channels, filters):
    x, w = randn(images, height, width, channels).to(BF16), randn(3, 3, channels, filters).to(BF16)
    nchw = x.permute(0, 3, 1, 2)
    weight = w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    want = torch.nn.functional.conv2d(nchw.float(), weight.float(), padding=1).permute(0, 2, 3, 1)
    return [x, w], want, lambda: torch.nn.functional.conv2d(nchw, weight, padding=1)


@torch.compile
def cross_entropy(logits, labels):
    return torch.nn.functional.cross_entropy(logits.float(), labels, reduction="none")


def make_linear_cross_entropy(tokens, words, k):
    x, w = randn(tokens, k).to(BF16), (randn(words, k) / k**0.5).to(BF16)
    labels = torch.randint(0, words, (tokens,), device="cuda")
    want = torch.cat([torch.nn.functional.cross_entropy(rows.float() @ w.float().T, own, reduction="none")
                      for rows, own in zip(x.split(1024), labels.split(1024))])
    parts = torch.empty(3, min(32, -(-words // 256)), tokens, device="cuda")
    lse = torch.empty(tokens, device="cuda")
    return [x, w, labels.to(torch.int32), parts, lse], want, lambda: cross_entropy(torch.mm(x, w.T), labels)


# Of those that are more than one kernel: each, and what it takes.
CALLS = {"linear_cross_entropy": lambda inputs, result: [("parts", inputs[:4]), ("combine", [inputs[3], result, inputs[4]])]}
CASES = {
    "gated": (make_gated, [(4096, 14336, 4096), (1024, 4096, 1024), (130, 264, 136)]),
    "residual": (make_residual, [(4096, 4096, 4096), (4096, 4096, 1024), (1024, 1024, 4096), (130, 264, 136)]),
    "block_scales": (make_block_scales, [(4096, 4096, 4096), (8192, 8192, 8192), (128, 256, 384)]),
    "matmul_int8": (make_matmul_int8, [(4096, 4096, 4096), (64, 8192, 8192), (16, 8192, 8192), (130, 264, 144)]),
    "matmul_int4": (make_matmul_int4, [(4096, 4096, 4096), (64, 8192, 8192), (16, 8192, 8192), (1, 8192, 8192), (130, 264, 288)]),
    "skinny_int4": (make_matmul_int4, [(64, 8192, 8192), (16, 8192, 8192), (1, 8192, 8192), (17, 264, 288)]),
    "matmul_float8": (make_matmul_float8, [(4096, 4096, 4096), (64, 8192, 8192), (16, 8192, 8192), (1, 8192, 8192), (130, 264, 144)]),
    "skinny_int8": (make_skinny_int8, [(64, 8192, 8192), (16, 8192, 8192), (1, 8192, 8192), (17, 264, 288)]),
    "skinny_float8": (make_matmul_float8, [(64, 8192, 8192), (16, 8192, 8192), (1, 8192, 8192), (17, 264, 288)]),
    "norm_residual": (make_norm_residual, [(4096, 4096, 4096), (4096, 4096, 1024), (130, 264, 136)]),
    "conv3x3": (make_conv3x3, [(32, 56, 56, 64, 64), (32, 28, 28, 128, 128), (32, 14, 14, 256, 256), (8, 56, 56, 256, 256), (2, 9, 17, 72, 136)]),
    "linear_cross_entropy": (make_linear_cross_entropy, [(8192, 128256, 4096), (4096, 32000, 4096), (130, 520, 72)]),
}


def find_error(got, want):
    """In units of the tolerance."""
    scale = (want.abs().amax(-1, keepdim=True) if want.dim() > 1 else want.abs()) * 2.0**-7 + 1e-30
    error = ((got.float() - want).abs() / scale)
    return float("inf") if error.isnan().any() else error.max().item()


def time_case(name, shape, case, kernels, list_calls):
    """Prints a line, and returns whether all results are right."""
    inputs, want, peer = case
    kind = BF16 if want.dim() > 1 else torch.float32
    results = {package: torch.full(want.shape, float("nan"), dtype=kind, device="cuda") for package in kernels}
    launches = {package: [(own[kernel], bind(arguments)) for kernel, arguments in list_calls(inputs, results[package])]
                for package, own in kernels.items()}

    def launch(package):
        for kernel, arguments in launches[package]:
            kernel.launch(arguments)

    peer()
    time, *times = measure_in_turns([capture(peer), *[capture(lambda package=package: launch(package)) for package in kernels]])
    columns, good = [], True
    for package, own in zip(kernels, times):
        error = find_error(results[package], want)
        good &= error <= 1
        columns.append(f"{package} {own:8.1f} ({time / own:6.3f}){'' if error <= 1 else f' WRONG, error {error:.3g}'}")
    print(f"{name + ' ' + 'x'.join(map(str, shape)):42} peer {time:8.1f}  " + "  ".join(columns), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--packages", nargs="*", default=None)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    runtime = Runtime(options.folder)
    packages = options.packages or sorted(path.stem for path in options.folder.glob("*.pkg"))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = True
    for name in options.only:
        make, shapes = CASES[name]
        list_calls = CALLS.get(name, lambda inputs, result, name=name: [(name, [*inputs, result])])
        kernels = {}  # of each package, by name
        for package in packages:
            try:
                kernels[package] = {kernel: Kernel(runtime, options.folder / f"{package}.pkg", kernel)
                                    for kernel in (["parts", "combine"] if name in CALLS else [name])}
            except RuntimeError:
                continue  # of other kernels
        if not kernels:
            print(f"{name}: no package has it")
            good &= options.only == list(CASES)
        for shape in shapes if kernels else []:
            good &= time_case(name, shape, make(*shape), kernels, list_calls)
            torch.cuda.empty_cache()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
