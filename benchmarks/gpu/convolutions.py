#!/usr/bin/env python3
# ===- convolutions.py - convolutions on a GPU, beside cuDNN ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles convolutions of several shapes, and runs the packages beside PyTorch's, which are cuDNN's.

  convolutions.py pack DIR [--compiler carousel-compile] [--chip sm_90a] [--only NAME]
  convolutions.py run DIR [--only NAME]      DIR has libcarousel_runtime.so.2, too

Each shape is compiled for f32, for f32 with products of tf32, and for bf16. So are convolutions in groups, depthwise
ones and gradients (convolution_forms.py), of fewer types. `run` compares with float64, and times both
as CUDA graphs, with inputs that aren't in the L2. Errors are in tolerances: f32 1e-4, tf32 7e-2, bf16 2e-2, relative
to max(|y|, 1% of the largest |y|).
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from convolution_forms import FORMS, make_form, write_form

# Name, channels last, (images, rows, columns, channels), channels of the result, kernel, stride, pad.
SHAPES = [
    ("3x3", True, (32, 56, 56, 64), 64, 3, 1, 1),
    ("3x3_stride_2", True, (32, 56, 56, 128), 128, 3, 2, 1),
    ("7x7_stride_2", True, (32, 224, 224, 3), 64, 7, 2, 3),
    ("3x3_nchw", False, (32, 14, 14, 256), 256, 3, 1, 1),
    ("3x3_one_image", True, (1, 14, 14, 256), 256, 3, 1, 1),
]
KINDS = ["f32", "tf32", "bf16"]


def arrange(last, n, h, w, c):
    return [n, h, w, c] if last else [n, c, h, w]


def write_graph(shape, element):
    _, last, (n, h, w, c), f, k, stride, pad = shape

    def tensor(*extents):
        return f"tensor<{'x'.join(map(str, extents))}x{element}>"

    out = [(extent + 2 * pad - k) // stride + 1 for extent in (h, w)]
    image, padded = tensor(*arrange(last, n, h, w, c)), tensor(*arrange(last, n, h + 2 * pad, w + 2 * pad, c))
    weights = tensor(k, k, c, f) if last else tensor(f, c, k, k)
    result = tensor(*arrange(last, n, *out, f))
    pads = arrange(last, 0, pad, pad, 0)
    op = "conv_2d_nhwc_hwcf" if last else "conv_2d_nchw_fchw"
    return f"""func.func @main(%x: {image}, %w: {weights}) -> {result} {{
  %zero = arith.constant 0.0 : {element}
  %p = tensor.pad %x low{pads} high{pads} {{
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : {element}
  }} : {image} to {padded}
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%zero : {element}) outs(%e : {result}) -> {result}
  %y = linalg.{op} {{strides = dense<{stride}> : tensor<2xi64>}} ins(%p, %w : {padded}, {weights})
      outs(%f : {result}) -> {result}
  return %y : {result}
}}
"""


def compile_graph(options, name, kind, text):
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder) / "graph.mlir"
        graph.write_text(text, encoding="utf-8")
        words = [options.compiler, graph, "-o", options.folder / f"{name}.{kind}.pkg", "--chip", options.chip]
        subprocess.run(words + (["--products=tf32"] if kind == "tf32" else []), check=True)


def pack(options):
    options.folder.mkdir(parents=True, exist_ok=True)

    def is_wanted(name):
        return options.only in name

    for shape in filter(lambda shape: is_wanted(shape[0]), SHAPES):
        for kind in KINDS:
            compile_graph(options, shape[0], kind, write_graph(shape, "bf16" if kind == "bf16" else "f32"))
    for form in filter(lambda form: is_wanted(form.name), FORMS):
        for kind in form.kinds:
            compile_graph(options, form.name, kind, write_form(form, "bf16" if kind == "bf16" else "f32"))


class Runner:
    """Runs packages, and prints a line for each."""

    def __init__(self, folder):
        import torch
        from graphs import Runtime

        torch.backends.cudnn.benchmark = True
        torch.zeros(1, device="cuda")
        self.folder = folder
        self.runtime = Runtime(folder)
        self.good = True
        print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")

    def find(self, name, kind):
        """The package and the type of elements, or nothing; PyTorch multiplies as the package does."""
        import torch

        package = self.folder / f"{name}.{kind}.pkg"
        torch.backends.cudnn.allow_tf32 = kind == "tf32"
        return (package, torch.bfloat16 if kind == "bf16" else torch.float32) if package.exists() else (None, None)

    def check(self, name, kind, package, own, peer, want, work, elements=None):
        import torch
        from graphs import Program, capture, find_error, measure

        result = torch.full(want.shape, float("nan"), dtype=own[0].dtype, device="cuda")
        program = Program(self.runtime, package)
        arguments = Program.bind([*own, result])
        program.launch(arguments)
        torch.cuda.synchronize()
        error = find_error(name, result, want) / {"f32": 1e-4, "tf32": 7e-2, "bf16": 2e-2}[kind]
        self.good &= error <= 1
        times = [measure(capture(peer)), measure(capture(lambda: program.launch(arguments)))]
        rate = f"{work / times[1] / 1e6:.1f} TFLOPS"
        if elements:
            rate += f", {elements * own[0].element_size() / times[1] / 1e3:.0f} GB/s"
        print(f"{name:18} {kind:5} {'right' if error <= 1 else 'WRONG'} ({error:.2g})  torch {times[0]:7.1f} us, "
              f"ours {times[1]:7.1f} us: {times[0] / times[1]:.2f}; {rate}", flush=True)


def run_shape(runner, shape, kind):
    import torch
    import torch.nn.functional as F

    name, last, extents, f, k, stride, pad = shape
    n, h, w, c = extents
    package, dtype = runner.find(name, kind)
    if not package:
        return
    generator = torch.Generator("cuda").manual_seed(0)
    x = torch.randn(n, c, h, w, device="cuda", generator=generator).to(dtype)
    weights = (torch.randn(f, c, k, k, device="cuda", generator=generator) / (c * k * k)**0.5).to(dtype)
    if last:
        x = x.to(memory_format=torch.channels_last)
        weights = weights.to(memory_format=torch.channels_last)
    own = [x.permute(0, 2, 3, 1), weights.permute(2, 3, 1, 0).contiguous()] if last else [x, weights]
    want = F.conv2d(x.double(), weights.double(), stride=stride, padding=pad)
    want = want.permute(0, 2, 3, 1).contiguous() if last else want.contiguous()
    runner.check(name, kind, package, own, lambda: F.conv2d(x, weights, stride=stride, padding=pad), want,
                 2 * want.numel() * c * k * k)


def run_form(runner, form, kind):
    package, dtype = runner.find(form.name, kind)
    if not package:
        return
    own, peer, want = make_form(form, dtype)
    runner.check(form.name, kind, package, own, peer, want, form.work, form.elements)


def run(options):
    import torch

    runner = Runner(options.folder)
    for case, kinds, run_case in [(shape, KINDS, run_shape) for shape in SHAPES] + [(form, form.kinds, run_form) for form in FORMS]:
        if options.only not in (case[0] if run_case is run_shape else case.name):
            continue
        for kind in kinds:
            run_case(runner, case, kind)
            torch.cuda.empty_cache()
    return 0 if runner.good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["pack", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", default="carousel-compile", help="for pack")
    parser.add_argument("--chip", default="sm_90a", help="for pack")
    parser.add_argument("--only", default="", help="part of the names of cases")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if options.command == "pack":
        pack(options)
        return 0
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
