#!/usr/bin/env python3
# ===- products.py - products of matrices on a GPU, beside cuBLAS -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of products, z = x * w^T, and times them in turns with PyTorch's, which are cuBLAS's.

  products.py DIR [--kernel matmul] [--only NAME...] [--shapes MxNxK...] [--kind bf16|tf32|i8|f8] [--plain] [--gelu]
      [--repeat N] [--parts N...] [--programs] [--compiled] [--count N]

DIR has libcarousel_runtime.so.2 and packages, NAME.pkg, each with one kernel of x (m x k), w (n x k) and z (m x n) in
bf16; or of f32 rounded to tf32, of i8 with sums of i32, or of f8E4M3FN with z in bf16 (--kind). With --plain, w is k x n, and z = x * w. Or, with --gelu, of a (m x k), b (k x n), a bias of n numbers in f32 and y = gelu(a * b + bias), beside addmm and
gelu. Results are compared with products in f64 of the same factors, which are rounded to tf32 before for products of
that. z differs by its own rounding, 2^-8 of |z| in bf16, and by the truncation of sums: an instruction truncates once for
16 of k, or for 8 in tf32, by 2^-23 of a partial sum, which is at most 4 * sqrt(k) for these factors; the sum of
magnitudes is 0.64 * k, so that z differs by sqrt(k) * 2^-24 of it, or by sqrt(k) * 2^-23 in tf32, and by at least 2^-20.
gelu is steeper than 1 by 13 % at most, and adds a rounding of f32 of its own. Products of i8 are exact. Those of
f8 are added in tiles of 128 by four instructions, each of which keeps 13 bits behind the largest term's first one: by
2^-11 of the sum of magnitudes; their peer is torch._scaled_mm with scales of 1. Times are medians of runs
whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the package is faster than the fastest peer.

With --parts, kernels have a last argument, the number of parts of k, and the fastest of these is shown. With --programs,
packages are programs of a graph for one shape each, NAME_MxNxK.pkg. With --compiled, torch.compile's code
(max-autotune) is timed, too. --count says how many runs a median is of.

With --repeat, nothing is timed: N launches must give the same bits, and rows of x alone the bits that they have among
others.
"""

import argparse
import statistics
import sys
from pathlib import Path

import torch
from c_runtime import Index, Kernel, Program, Runtime, bind
from graphs import capture

CHECKED = [(128, 256, 64), (1, 8, 8), (129, 264, 72), (1000, 520, 136), (256, 512, 4096), (4095, 4096, 4096), (300, 2056, 8)]
TIMED = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (65536, 1024, 1024), (2048, 2048, 2048), (1024, 1024, 1024)]


def round_tf32(x):
    """The nearest numbers of tf32, ties to even."""
    bits = x.view(torch.int32)
    return ((bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fff).view(torch.float32)


class Product:
    """One problem: its arguments in the kernel's order, the peer, and the results in f32."""

    def __init__(self, m, n, k, options):
        generator = torch.Generator("cuda").manual_seed(m * 7 + n * 3 + k)
        self.kind, self.has_gelu = options.kind, options.gelu
        is_plain = options.plain or options.gelu
        self.x, w = self.make(generator, m, k), self.make(generator, *((k, n) if is_plain else (n, k)))
        self.w = w if is_plain else w.T  # k x n
        result = {"bf16": torch.bfloat16, "tf32": torch.float32, "i8": torch.int32, "f8": torch.bfloat16}[self.kind]
        self.one = torch.ones((), device="cuda")
        self.z = torch.empty((m, n), dtype=result, device="cuda")
        self.spoil()
        self.peer, self.activated = torch.empty_like(self.z), torch.empty_like(self.z)
        self.arguments = [self.x, w, self.z]
        if self.has_gelu:
            bias = torch.randn(n, device="cuda", generator=generator)
            self.bias, self.narrow_bias = bias.to(torch.bfloat16).float(), bias.to(torch.bfloat16)
            self.arguments.insert(2, self.bias)

    def make(self, generator, *shape):
        if self.kind == "i8":
            return torch.randint(-128, 128, shape, device="cuda", generator=generator, dtype=torch.int8)
        numbers = torch.randn(*shape, device="cuda", generator=generator)
        return numbers.to({"tf32": torch.float32, "bf16": torch.bfloat16, "f8": torch.float8_e4m3fn}[self.kind])

    def bind(self, parts=None):
        """Arguments of a launch."""
        return bind([*self.arguments, Index(parts)] if parts else self.arguments)

    def spoil(self):
        self.z.fill_(1 << 30 if self.kind == "i8" else float("nan"))

    def run_peer(self):
        if self.has_gelu:
            torch.addmm(self.narrow_bias, self.x, self.w, out=self.peer)
            torch.ops.aten.gelu.out(self.peer, out=self.activated)
        elif self.kind == "i8":
            torch._int_mm(self.x, self.w, out=self.peer)
        elif self.kind == "f8":
            torch._scaled_mm(self.x, self.w, self.one, self.one, out_dtype=torch.bfloat16, out=self.peer)
        else:
            torch.mm(self.x, self.w, out=self.peer)

    def compile_peer(self):
        """torch.compile's code for the same, after its search."""
        def multiply(x, w, bias):
            return torch.nn.functional.gelu(torch.addmm(bias, x, w)) if self.has_gelu else torch.mm(x, w)

        torch._dynamo.reset()
        compiled = torch.compile(multiply, mode="max-autotune-no-cudagraphs", dynamic=False)
        bias = self.narrow_bias if self.has_gelu else None
        return lambda: compiled(self.x, self.w, bias)

    def has_peer(self):
        """cuBLAS multiplies bytes of few shapes only."""
        m, (k, n) = self.x.shape[0], self.w.shape
        if self.kind == "f8":
            return k % 16 == 0 and n % 16 == 0
        return self.kind != "i8" or (m > 16 and k % 8 == 0 and n % 8 == 0)

    def compute(self, rows):
        """The product of rows in higher precision, and the sum of magnitudes."""
        if self.kind == "i8":
            return rows.double() @ self.w.double(), None
        rows, w = (round_tf32(side) if self.kind == "tf32" else side for side in (rows, self.w))
        return rows.double() @ w.double(), rows.double().abs() @ w.double().abs()

    def find_error(self):
        """The largest error in units of the tolerance."""
        worst = 0.0
        for begin in range(0, self.x.shape[0], 4096):
            got = self.z[begin:begin + 4096]
            want, magnitude = self.compute(self.x[begin:begin + 4096])
            if self.kind == "i8":
                worst = max(worst, (got.double() - want).abs().max().item() * 2)
                continue
            if self.has_gelu:
                magnitude = 1.13 * (magnitude + self.bias.abs())
                want = torch.nn.functional.gelu(want + self.bias)
            rounding = want.abs() * 2.0**-8 if self.kind in ("bf16", "f8") else 0
            truncated = self.w.shape[0]**0.5 * (2.0**-23 if self.kind == "tf32" else 2.0**-24)
            of_sums = 2.0**-11 if self.kind == "f8" else max(2.0**-20, truncated)
            error = (got.to(want.dtype) - want).abs() / (rounding + magnitude * of_sums + 1e-30)
            worst = max(worst, float("inf") if error.isnan().any() else error.max().item())
        return worst


def find_unsteady(kernel, count, options):
    """What differs between launches, or between rows alone and in a batch; an empty string if nothing does."""
    product = Product(1000, 1032, 520, options)
    kernel.launch(product.bind())
    torch.cuda.synchronize()
    first = product.z.clone()
    for launch in range(count):
        product.spoil()
        kernel.launch(product.bind())
        if not torch.equal(first, product.z):
            return f"launch {launch} of {count}"
    for begin, end in ((0, 1), (130, 137), (500, 640)):
        alone = torch.empty_like(first[begin:end])
        kernel.launch(bind([product.x[begin:end].contiguous(), *product.arguments[1:-1], alone]))
        torch.cuda.synchronize()
        if not torch.equal(first[begin:end], alone):
            return f"rows {begin} to {end} alone"
    return ""


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


def check_kernel(name, kernel, options):
    """Whether results are right, and steady with --repeat."""
    is_right = True
    for shape in CHECKED:
        for parts in options.parts or [None]:
            product = Product(*shape, options)
            kernel.launch(product.bind(parts))
            torch.cuda.synchronize()
            error = product.find_error()
            if not error <= 1:
                is_right = False
                print(f"{name} {'x'.join(map(str, shape))}: WRONG, error {error:.3g}", flush=True)
    if options.repeat and (what := find_unsteady(kernel, options.repeat, options)):
        is_right = False
        print(f"{name}: other bits in {what}")
    print(f"{name}: {'right' if is_right else 'WRONG'}", flush=True)
    return is_right


def time_shape(shape, kernels, options):
    """Prints a line, and returns the names of packages with right results."""
    product = Product(*shape, options)
    label = "x".join(map(str, shape))
    if not product.has_peer():
        sys.exit(f"products.py: cuBLAS doesn't multiply bytes of {label}")
    launches = [(name, parts, product.bind(parts)) for name in kernels for parts in options.parts or [None]]
    peers = [product.run_peer, *([product.compile_peer()] if options.compiled else [])]
    runs = [capture(run) for run in peers]
    runs += [capture(lambda name=name, bound=bound: kernels[name].launch(bound)) for name, _, bound in launches]
    times = measure_in_turns(runs, options.count)
    peer, compiled, times = times[0], times[1:len(peers)], times[len(peers):]
    good, best = set(kernels), {}
    for (name, parts, bound), time in zip(launches, times):
        product.spoil()
        kernels[name].launch(bound)
        if not product.find_error() <= 1:
            good.discard(name)
            print(f"{name} {label}: WRONG")
        best[name] = min(best.get(name, (time, parts)), (time, parts))
    fastest = min(peer, *compiled) if compiled else peer
    columns = [f"{time:9.1f} ({fastest / time:6.3f})" + (f" in {parts}" if parts else "") for time, parts in best.values()]
    m, n, k = shape
    print(f"{label:18} {peer:9.1f} {2 * m * n * k / peer / 1e6:8.0f}  " +
          "".join(f"{time:9.1f}  " for time in compiled) + "  ".join(columns), flush=True)
    torch.cuda.empty_cache()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernel", default="matmul")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--kind", choices=["bf16", "tf32", "i8", "f8"], default="bf16", help="of factors")
    parser.add_argument("--plain", action="store_true", help="w is k x n")
    parser.add_argument("--gelu", action="store_true")
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--parts", nargs="*", type=int, default=[], help="of k, to choose from")
    parser.add_argument("--programs", action="store_true", help="packages are programs for one shape")
    parser.add_argument("--compiled", action="store_true", help="time torch.compile's code, too; ratios are to the faster one")
    parser.add_argument("--count", type=int, default=15, help="of runs")
    parser.add_argument("--shapes", nargs="*", help="to time, as MxNxK")
    options = parser.parse_args()
    if options.compiled and options.kind not in ("bf16", "tf32"):
        parser.error("expected --kind bf16 or tf32 with --compiled")
    if options.programs and options.repeat:
        parser.error("expected kernels to repeat, got --programs")
    shapes = [tuple(map(int, shape.split("x"))) for shape in options.shapes] if options.shapes else TIMED
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = True
    runtime = Runtime(options.folder)
    names = options.only or sorted({path.stem.split("_")[0] if options.programs else path.stem
                                    for path in options.folder.glob("*.pkg")})
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = set(names)
    kernels = {}
    if not options.programs:
        kernels = {name: Kernel(runtime, options.folder / f"{name}.pkg", options.kernel) for name in names}
    for name, kernel in kernels.items():
        if not check_kernel(name, kernel, options):
            good.discard(name)
    if options.repeat:
        return 0 if good == set(names) else 1
    print(f"{'m x n x k':18} {'torch us':>9} {'TFLOP/s':>8}  " + (f"{'compiled':>9}  " if options.compiled else "") +
          "  ".join(f"{name:>18}" for name in names))
    for shape in shapes:
        if options.programs:
            kernels = {name: Program(runtime, options.folder / f"{name}_{'x'.join(map(str, shape))}.pkg")
                       for name in names}
        good &= time_shape(shape, kernels, options)
    return 0 if good == set(names) else 1


if __name__ == "__main__":
    sys.exit(main())
