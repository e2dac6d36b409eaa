#!/usr/bin/env python3
# ===- losses.py - losses over a vocabulary on a GPU ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs programs of graphs with a linear cross-entropy, and times them in turns with PyTorch: torch.mm with a compiled
cross-entropy of its logits, and both of them compiled.

  losses.py DIR [--tokens N...] [--check]

DIR has libcarousel_runtime.so.2 and packages loss_V: graphs of x (tokens x 4096, bf16), w (V x 4096, bf16) and labels (i32)
whose result is the mean of the losses (f32). Results are compared with float64; the logits of both have a standard deviation
of 1. Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the program is
faster. Memory is what PyTorch allocates beside the arguments, and the program's workspace.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Program, Runtime
from graphs import capture
from products import measure_in_turns

DEPTH = 4096
TOLERANCE = 1e-4  # f32 sums of 4096 products, and a mean


def cross_entropy(logits, labels):
    return torch.nn.functional.cross_entropy(logits.float(), labels)


def whole(x, w, labels):
    return cross_entropy(torch.mm(x, w.T), labels)


def compute_exact(x, w, labels):
    rows = 64
    losses = [torch.nn.functional.cross_entropy(x[at:at + rows].double() @ w.double().T, labels[at:at + rows], reduction="none")
              for at in range(0, len(x), rows)]
    return torch.cat(losses).mean()


def run(program, name, tokens, words, is_timed):
    """Whether the result is right."""
    x = torch.randn(tokens, DEPTH, device="cuda").to(torch.bfloat16)
    w = (torch.randn(words, DEPTH, device="cuda") / DEPTH**0.5).to(torch.bfloat16)
    labels = torch.randint(words, (tokens,), device="cuda")
    y = torch.full((), float("nan"), device="cuda")
    arguments = program.bind([x, w, labels.to(torch.int32), y])
    program.launch(arguments)
    torch.cuda.synchronize()
    few = min(tokens, 512)
    exact = compute_exact(x[:few], w, labels[:few]) if tokens <= 512 else whole(x, w, labels).double()
    error = abs(y.item() - exact.item())
    # PyTorch rounds logits to bf16.
    is_right = error <= (TOLERANCE if tokens <= 512 else 1e-3) * max(1, abs(exact.item()))
    text = f"{name:12} {tokens:5} x {words:6} x {DEPTH} {'right' if is_right else 'WRONG'} ({error:.2g})"
    if is_timed:
        separate = torch.compile(cross_entropy, dynamic=False)
        compiled = torch.compile(whole, dynamic=False)
        functions = [lambda: separate(torch.mm(x, w.T), labels), lambda: compiled(x, w, labels)]
        times = measure_in_turns([*(capture(function) for function in functions), capture(lambda: program.launch(arguments))])
        best = min(times[:-1])
        text += (f"  mm + compiled {times[0]:7.0f} us, compiled {times[1]:7.0f}, ours {times[2]:7.0f}: {best / times[2]:.2f}, "
                 f"{2 * tokens * words * DEPTH / times[2] / 1e6:.0f} TFLOPS")
    print(text, flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokens", type=int, nargs="+", default=[1024, 8192])
    parser.add_argument("--check", action="store_true", help="check few tokens, without times")
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = True
    for package in sorted(options.folder.glob("loss*_*.pkg")):
        program = Program(runtime, package)
        words = int(package.stem.split("_")[-1])
        for tokens in (1, 2, 127, 129, 500):
            good &= run(program, package.stem, tokens, words, False)
        for tokens in () if options.check else options.tokens:
            good &= run(program, package.stem, tokens, words, True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
