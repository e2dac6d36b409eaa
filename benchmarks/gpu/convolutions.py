#!/usr/bin/env python3
# ===- convolutions.py - convolutions on a GPU, beside cuDNN ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles convolutions of several shapes, and runs the packages beside PyTorch's, which are cuDNN's.

  convolutions.py pack DIR [--compiler carousel-compile] [--chip sm_90a]
  convolutions.py run DIR      DIR has libcarousel_runtime.so.2, too

Each shape is compiled for f32, for f32 with products of tf32, and for bf16. `run` compares with float64, and times both
as CUDA graphs, with inputs that aren't in the L2. Errors are in tolerances: f32 1e-4, tf32 7e-2, bf16 2e-2, relative
to max(|y|, 1% of the largest |y|).
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

# Name, channels last, (images, rows, columns, channels), channels of the result, kernel, stride, pad.
SHAPES = [
    ("3x3", True, (32, 56, 56, 64), 64, 3, 1, 1),
    ("3x3_stride_2", True, (32, 56, 56, 128), 128, 3, 2, 1),
    ("7x7_stride_2", True, (32, 224, 224, 3), 64, 7, 2, 3),
    ("3x3_nchw", False, (32, 14, 14, 256), 256, 3, 1, 1),
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


def pack(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    for shape in SHAPES:
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                graph = Path(folder) / "graph.mlir"
                graph.write_text(write_graph(shape, "bf16" if kind == "bf16" else "f32"), encoding="utf-8")
                words = [options.compiler, graph, "-o", options.folder / f"{shape[0]}.{kind}.pkg", "--chip", options.chip]
                subprocess.run(words + (["--products=tf32"] if kind == "tf32" else []), check=True)


def run(options):
    import torch
    import torch.nn.functional as F
    from graphs import Program, Runtime, capture, find_error, measure

    torch.backends.cudnn.benchmark = True
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = True
    for shape in SHAPES:
        name, last, extents, f, k, stride, pad = shape
        n, h, w, c = extents
        for kind in KINDS:
            package = options.folder / f"{name}.{kind}.pkg"
            if not package.exists():
                continue
            torch.backends.cudnn.allow_tf32 = kind == "tf32"
            dtype = torch.bfloat16 if kind == "bf16" else torch.float32
            generator = torch.Generator("cuda").manual_seed(0)
            x = torch.randn(n, c, h, w, device="cuda", generator=generator).to(dtype)
            weights = (torch.randn(f, c, k, k, device="cuda", generator=generator) / (c * k * k)**0.5).to(dtype)
            if last:
                x = x.to(memory_format=torch.channels_last)
                weights = weights.to(memory_format=torch.channels_last)
            own = [x.permute(0, 2, 3, 1), weights.permute(2, 3, 1, 0).contiguous()] if last else [x, weights]

            def convolve():
                return F.conv2d(x, weights, stride=stride, padding=pad)

            want = F.conv2d(x.double(), weights.double(), stride=stride, padding=pad)
            want = want.permute(0, 2, 3, 1).contiguous() if last else want.contiguous()
            result = torch.full(want.shape, float("nan"), dtype=dtype, device="cuda")
            program = Program(runtime, package)
            arguments = Program.bind([*own, result])
            program.launch(arguments)
            torch.cuda.synchronize()
            error = find_error(name, result, want) / {"f32": 1e-4, "tf32": 7e-2, "bf16": 2e-2}[kind]
            good &= error <= 1
            times = [measure(capture(convolve)), measure(capture(lambda: program.launch(arguments)))]
            work = 2 * want.numel() * c * k * k
            print(f"{name:14} {kind:5} {'right' if error <= 1 else 'WRONG'} ({error:.2g})  torch {times[0]:7.1f} us, "
                  f"ours {times[1]:7.1f} us: {times[0] / times[1]:.2f}; {work / times[1] / 1e6:.1f} TFLOPS", flush=True)
            del x, weights, own, want, result, arguments
            torch.cuda.empty_cache()
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["pack", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", default="carousel-compile", help="for pack")
    parser.add_argument("--chip", default="sm_90a", help="for pack")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if options.command == "pack":
        pack(options)
        return 0
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
