#!/usr/bin/env python3
# ===- attention.py - attention on a GPU ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of attention, and times them in turns with PyTorch's by cuDNN and by its flash backend.

  attention.py DIR [--length N...] [--kernel NAME...] [--package NAME] [--head 128]

DIR has libcarousel_runtime.so.2 and attention.pkg, or the package of another name, with kernels of q, k and v (heads x
positions x elements, bf16), a scale, y and lse; those with `causal` in their names are so. There are 16384 positions of 2048
columns in all. Results are compared with cuDNN's, within 2^-7 of the largest magnitude. Times are medians of runs whose
inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the kernel is faster than cuDNN.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns
from torch.nn.attention import SDPBackend, sdpa_kernel


def attend(backend, factors, is_causal):
    with sdpa_kernel(backend):
        return torch.nn.functional.scaled_dot_product_attention(*(factor[None] for factor in factors), is_causal=is_causal)[0]


def run(kernel, name, n, elements):
    """Whether the result is right."""
    is_causal, heads = "causal" in name, 2048 // elements * max(16384 // n, 1)
    factors = [torch.randn(heads, n, elements, device="cuda").to(torch.bfloat16) for _ in range(3)]
    y, lse = torch.full_like(factors[0], float("nan")), torch.empty(heads, n, device="cuda")
    arguments = bind([*factors, elements**-0.5, y, lse])
    want = attend(SDPBackend.CUDNN_ATTENTION, factors, is_causal)
    kernel.launch(arguments)
    torch.cuda.synchronize()
    error = ((y.float() - want.float()).abs().max() / want.float().abs().max()).item()
    peers = [capture(lambda backend=backend: attend(backend, factors, is_causal))
             for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION)]
    times = measure_in_turns([*peers, capture(lambda: kernel.launch(arguments))])
    work = 4 * heads * n * n * elements / (2 if is_causal else 1) / 1e6
    print(f"{name:18} {n:6} {'right' if error < 2**-7 else 'WRONG'} ({error:.2g})  cuDNN {times[0]:7.1f} us, flash "
          f"{times[1]:7.1f}, ours {times[2]:7.1f}: {times[0] / times[2]:.2f}; {work / times[2]:.0f} TFLOPS", flush=True)
    return error < 2**-7


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--length", type=int, nargs="+", default=[512, 1024, 4096, 16384, 1000, 4097])
    parser.add_argument("--kernel", nargs="+", default=["attention", "attention_causal"])
    parser.add_argument("--package", default="attention")
    parser.add_argument("--head", type=int, default=128, help="elements of a head")
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = True
    for name in options.kernel:
        kernel = Kernel(runtime, options.folder / f"{options.package}.pkg", name)
        for n in options.length:
            good &= run(kernel, name, n, options.head)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
