#!/usr/bin/env python3
# ===- rows.py - rows, scans and movement of graphs on a GPU ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times graphs of one JAX function each, whose work is rows, scans, sorts or movement, beside PyTorch and a copy.

  rows.py list
  rows.py pack DIR [WORD...]   import and compile the cases whose names have one of the words to DIR/NAME.pkg, and note what
                               they are predicted to take; copy the runtime (where Carousel is built, with JAX)
                               and those of `check` as NAME.cuda.pkg, of CUDA C++, too
    --chip CHIP                a chip other than sm_90a
    --jobs N                   cases at once, 2 by default
  rows.py check DIR [WORD...]  compare cases of few rows of 1 to 65537 columns, by both ways to code, which give the same bits
                               in each of 100 launches
  rows.py time DIR [WORD...]   check and time each NAME.pkg of DIR
    --no-compiler              without torch.compile
    --mamba FOLDER             selective scans beside mamba_ssm's kernel, from its folder csrc/selective_scan (built by nvcc)
    --xla                      beside jax.jit, too: from launch to synchronization, so for long cases alone

Times are medians in us of runs in turns with nothing in the L2, as CUDA graphs where PyTorch captures them. Errors are the
largest distance from PyTorch in float64 (integers: whether they are equal), as a part of the largest magnitude, beside
PyTorch's own in the case's type. `copy` is a pointwise kernel of PyTorch of as many bytes as the case has to read and write.
Exit status: 0, or 1 if a result isn't right: an error may be twice PyTorch's, or a rounding to the type of the results."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time as clock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDING = {"f32": 2e-5, "bf16": 2**-7, "f16": 2**-10}

# ===------------------------------------------------------------------------===#
# The functions, in JAX
# ===------------------------------------------------------------------------===#


def rmsnorm(x, w):
    wide = x.astype("float32")
    return (wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6) * w.astype("float32")).astype(x.dtype)


def layernorm(x, w, b):
    wide = x.astype("float32")
    mean = wide.mean(-1, keepdims=True)
    variance = ((wide - mean)**2).mean(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5) * w.astype("float32") + b.astype("float32")).astype(x.dtype)


def softmax(x):
    return jax.nn.softmax(x.astype("float32"), -1).astype(x.dtype)


def loss(x, label):
    wide = x.astype("float32")
    return jax.nn.logsumexp(wide, -1) - jnp.take_along_axis(wide, label[:, None], -1)[:, 0]


def cumsum(x):
    return jnp.cumsum(x, -1)


def cumprod(x):
    return jnp.cumprod(x, -1)


def logcumsumexp(x):
    return jax.lax.cumlogsumexp(x, x.ndim - 1)


def selective_scan(x, step, a, b, c):
    """A state-space model's states h' = exp(step a) h + step x b, and their sums weighted by c (Mamba's selective scan)."""
    decay = jnp.exp(step[..., None] * a)
    own = (step * x)[..., None] * b[:, :, None]
    states = jax.lax.associative_scan(lambda first, then: (first[0] * then[0], then[0] * first[1] + then[1]), (decay, own), axis=1)[1]
    return (states * c[:, :, None]).sum(-1)


def segment_sum(x, begins):
    """Sums of segments up to each element: a segment begins where a number is 0."""

    def add(first, then):
        return jnp.where(then[1], then[0], first[0] + then[0]), first[1] | then[1]

    return jax.lax.associative_scan(add, (x, begins == 0), axis=1)[0]


def sort(x):
    return jnp.sort(x, -1)


def argsort(x):
    return jnp.argsort(x, -1, stable=True)


def top8(x):
    return jax.lax.top_k(x, 8)


def top64(x):
    return jax.lax.top_k(x, 64)


def argmax(x):
    return jnp.argmax(x, -1)


def tanh(x):
    return jnp.tanh(x)


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def gelu_tanh(x):
    return jax.nn.gelu(x)


def erf(x):
    return jax.lax.erf(x)


def sigmoid(x):
    return jax.nn.sigmoid(x)


def silu(x):
    return jax.nn.silu(x)


def transpose(x):
    return x.T


# ===------------------------------------------------------------------------===#
# Cases
# ===------------------------------------------------------------------------===#


class Case:
    """A function of arguments: '65536x999 bf16', or '65536 below 999' for numbers below 999."""

    def __init__(self, name, function, *arguments):
        self.name, self.function = name, function
        self.arguments = [self.parse(argument) for argument in arguments]

    @staticmethod
    def parse(text):
        extents, kind, *bound = text.split()
        return tuple(map(int, extents.split("x"))), *(("i32", int(bound[0])) if bound else (kind, 0))

    def get_shapes(self):
        return ",".join(f"{kind}[{','.join(map(str, extents))}]" for extents, kind, _ in self.arguments)


def make_selective_scan(name, batch, steps, channels, states):
    return Case(name, "selective_scan", f"{batch}x{steps}x{channels} f32", f"{batch}x{steps}x{channels} f32", f"{channels}x{states} f32",
                f"{batch}x{steps}x{states} f32", f"{batch}x{steps}x{states} f32")


def make_cases():
    cases = []
    for rows, columns in ((32768, 4096), (32768, 4095), (16384, 8192), (16384, 8191), (65536, 1024), (65536, 1000), (65536, 999),
                          (648720, 104), (648720, 100)):
        shape = f"{rows}x{columns}"
        x, w = f"{shape} bf16", f"{columns} bf16"
        cases += [Case(f"rmsnorm_{shape}", "rmsnorm", x, w), Case(f"softmax_{shape}", "softmax", x),
                  Case(f"layernorm_{shape}", "layernorm", x, w, w), Case(f"loss_{shape}", "loss", x, f"{rows} below {columns}")]
    for shape in ("262144x256", "32768x2048", "13107x5000", "4096x16384", "1024x65536", "1x268435456"):
        cases.append(Case(f"cumsum_{shape}", "cumsum", f"{shape} f32"))
    cases += [Case("cumsum_bf16_32768x2048", "cumsum", "32768x2048 bf16"), Case("cumprod_32768x2048", "cumprod", "32768x2048 f32"),
              Case("logcumsumexp_32768x2048", "logcumsumexp", "32768x2048 f32")]
    for batch, steps, channels in ((8, 4096, 2048), (1, 2048, 768)):
        cases.append(make_selective_scan(f"selective_scan_{batch}x{steps}x{channels}", batch, steps, channels, 16))
    cases.append(Case("segment_sum_32768x2048", "segment_sum", "32768x2048 f32", "32768x2048 below 64"))
    for rows, columns in ((1048576, 64), (65536, 1000), (65536, 1024), (16384, 4096), (8192, 8192)):
        for kind in ("f32", "bf16"):
            cases.append(Case(f"sort_{kind}_{rows}x{columns}", "sort", f"{rows}x{columns} {kind}"))
    cases.append(Case("argsort_f32_65536x1024", "argsort", "65536x1024 f32"))
    for count in (8, 64):
        for kind in ("f32", "bf16"):
            cases.append(Case(f"top{count}_{kind}_256x128256", f"top{count}", f"256x128256 {kind}"))
    cases.append(Case("top8_f32_65536x64", "top8", "65536x64 f32"))
    for function in ("tanh", "gelu", "gelu_tanh", "erf", "sigmoid", "silu"):
        for kind in ("f32", "bf16"):
            cases.append(Case(f"{function}_{kind}", function, f"16384x16384 {kind}"))
    for kind in ("f32", "bf16"):
        for shape in ("16384x16384", "16381x16383", "16384x2048", "16384x2049"):
            cases.append(Case(f"transpose_{kind}_{shape}", "transpose", f"{shape} {kind}"))
    cases += [Case(f"argmax_{shape}", "argmax", f"{shape} bf16") for shape in ("16384x8192", "32768x4095")]
    return cases


def make_checks():
    """Rows that no tile divides; top_k takes 8 elements."""
    cases = []
    for columns in (1, 7, 67, 1023, 4096, 65537):
        for kind in ("f32", "bf16"):
            shape = f"7x{columns} {kind}"
            functions = ["cumsum", "cumprod", "logcumsumexp", "argmax", "softmax", "gelu"]
            functions += ["top8"] if columns > 8 else []
            functions += ["sort", "argsort"] if columns <= 8192 or kind == "f32" else []
            cases += [Case(f"check_{function}_{kind}_{columns}", function, shape) for function in functions]
            cases.append(Case(f"check_rmsnorm_{kind}_{columns}", "rmsnorm", shape, f"{columns} {kind}"))
        cases.append(Case(f"check_segment_sum_{columns}", "segment_sum", f"7x{columns} f32", f"7x{columns} below 9"))
        cases.append(make_selective_scan(f"check_selective_scan_{columns}", 2, min(columns, 1023), 67, 16))
    cases.append(make_selective_scan("check_selective_scan_odd", 3, 129, 130, 10))
    return cases


def choose(words, cases=None):
    cases = [case for case in cases or make_cases() if not words or any(word in case.name for word in words)]
    if not cases:
        sys.exit(f"rows.py: error: no case's name has one of {', '.join(words)}")
    return cases


# ===------------------------------------------------------------------------===#
# Where Carousel is built
# ===------------------------------------------------------------------------===#


def pack_case(case, folder, chip):
    build = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
    begin, graph = clock.monotonic(), folder / f"{case.name}.mlir"
    done = subprocess.run([sys.executable, ROOT / "tools/carousel-import/carousel-import", f"{__file__}:{case.function}", "--shapes",
                           case.get_shapes(), "--framework", "jax", "-o", graph], capture_output=True, check=False, text=True)
    if done.returncode == 0:
        done = subprocess.run([build / "bin/carousel-compile", graph, "-o", folder / f"{case.name}.pkg", "--chip", chip,
                               "--explain=json"], capture_output=True, check=False, text=True)
    if done.returncode:
        return f"{case.name}: refused: {(done.stderr.strip() or 'no message').splitlines()[0][:300]}", False
    if case.name.startswith("check_"):
        made = subprocess.run([build / "bin/carousel-compile", graph, "-o", folder / f"{case.name}.cuda.pkg", "--chip", chip, "--quiet",
                               "--emit=cuda"], capture_output=True, check=False, text=True)
        if made.returncode:
            return f"{case.name}: refused as CUDA C++: {(made.stderr.strip() or 'no message').splitlines()[0][:300]}", False
    steps = [note for note in json.loads(done.stdout).get("graphs", []) if note["name"] == "Time" and " steps" not in note["Step"]]
    predicted = sum(float(note["Predicted"]) for note in steps)
    (folder / f"{case.name}.json").write_text(json.dumps(predicted), encoding="utf-8")
    return f"{case.name}: {len(steps)} steps, predicted {predicted:.0f} us, {clock.monotonic() - begin:.1f} s", True


def pack(folder, cases, chip, jobs):
    folder.mkdir(parents=True, exist_ok=True)
    build = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
    shutil.copy(build / "lib/libcarousel_runtime.so.2", folder)
    right = True
    with ThreadPoolExecutor(jobs) as pool:
        for line, is_packed in pool.map(lambda case: pack_case(case, folder, chip), cases):
            print(line, flush=True)
            right &= is_packed
    return right


# ===------------------------------------------------------------------------===#
# On a GPU
# ===------------------------------------------------------------------------===#


def get_peers():
    import torch
    import torch.nn.functional as F

    return {
        "rmsnorm": lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), "layernorm": lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5),
        "softmax": lambda x: F.softmax(x, -1),
        "loss": lambda x, label: F.cross_entropy(x if x.dtype == torch.float64 else x.float(), label.long(), reduction="none"),
        "cumsum": lambda x: torch.cumsum(x, -1), "cumprod": lambda x: torch.cumprod(x, -1),
        "logcumsumexp": lambda x: torch.logcumsumexp(x, -1), "sort": lambda x: torch.sort(x, dim=-1, stable=True)[0],
        "argsort": lambda x: torch.sort(x, dim=-1, stable=True)[1], "top8": lambda x: torch.topk(x, 8), "top64": lambda x: torch.topk(x, 64),
        "argmax": lambda x: torch.argmax(x, -1), "tanh": torch.tanh, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "erf": torch.erf, "sigmoid": torch.sigmoid, "silu": F.silu, "transpose": lambda x: x.T.contiguous(), "selective_scan": scan_states,
        "segment_sum": sum_segments}


def scan_states(x, step, a, b, c):
    """The states one after the other."""
    import torch

    state = torch.zeros(x.shape[0], *a.shape, dtype=x.dtype, device=x.device)
    sums = []
    for now in range(x.shape[1]):
        state = (step[:, now, :, None] * a).exp() * state + (step[:, now] * x[:, now])[..., None] * b[:, now, None]
        sums.append((state * c[:, now, None]).sum(-1))
    return torch.stack(sums, 1)


def scan_states_at_once(x, step, a, b, c):
    """For torch.compile."""
    from torch._higher_order_ops.associative_scan import associative_scan

    elements = ((step[..., None] * a).exp(), (step * x)[..., None] * b[:, :, None])
    return (associative_scan(lambda first, then: (first[0] * then[0], then[0] * first[1] + then[1]), elements, 1)[1] * c[:, :, None]).sum(-1)


def sum_segments(x, begins):
    """What comes before a segment's beginning is subtracted: in float64 alone it's as right."""
    import torch

    sums = x.double().cumsum(1)
    number = torch.arange(x.shape[1], device=x.device)
    first = torch.where(begins == 0, number, 0).cummax(1)[0]
    return (sums - torch.where(first > 0, sums.gather(1, (first - 1).clamp(min=0)), 0)).to(x.dtype)


def build_mamba(folder):
    """The forward kernel of mamba_ssm, from its folder csrc/selective_scan, of tensors (batch, channels, steps)."""
    from torch.utils.cpp_extension import load_inline

    code = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include "selective_scan_fwd_kernel.cuh"
torch::Tensor scan(torch::Tensor u, torch::Tensor delta, torch::Tensor A, torch::Tensor B, torch::Tensor C, torch::Tensor x) {
  torch::Tensor out = torch::empty_like(u);
  SSMParamsBase p = {};
  p.batch = u.size(0); p.dim = u.size(1); p.seqlen = u.size(2); p.dstate = A.size(1);
  p.n_groups = 1; p.n_chunks = (p.seqlen + 2047) / 2048; p.dim_ngroups_ratio = p.dim;
  p.is_variable_B = p.is_variable_C = true;
  p.u_ptr = u.data_ptr(); p.delta_ptr = delta.data_ptr(); p.A_ptr = A.data_ptr(); p.B_ptr = B.data_ptr(); p.C_ptr = C.data_ptr();
  p.out_ptr = out.data_ptr(); p.x_ptr = x.data_ptr();
  p.A_d_stride = A.stride(0); p.A_dstate_stride = A.stride(1);
  p.B_batch_stride = B.stride(0); p.B_dstate_stride = B.stride(1);
  p.C_batch_stride = C.stride(0); p.C_dstate_stride = C.stride(1);
  p.u_batch_stride = u.stride(0); p.u_d_stride = u.stride(1);
  p.delta_batch_stride = delta.stride(0); p.delta_d_stride = delta.stride(1);
  p.out_batch_stride = out.stride(0); p.out_d_stride = out.stride(1);
  selective_scan_fwd_cuda<float, float>(p, at::cuda::getCurrentCUDAStream().stream());
  return out;
}
"""
    flags = ["-O3", "--expt-relaxed-constexpr", "--expt-extended-lambda", "--use_fast_math", f"-I{folder}"]
    flags += [f"-U__CUDA_NO_HALF{rest}__" for rest in ("_OPERATORS", "_CONVERSIONS", "2_OPERATORS")]
    flags += [f"-U__CUDA_NO_BFLOAT16{rest}__" for rest in ("_OPERATORS", "_CONVERSIONS", "2_OPERATORS", "2_CONVERSIONS")]
    return load_inline("mamba", "torch::Tensor scan(torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor);",
                       code, functions=["scan"], extra_cuda_cflags=flags).scan


def as_tuple(values):
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def make_arguments(case):
    import torch

    kinds = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    torch.manual_seed(0)
    values = []
    for extents, kind, bound in case.arguments:
        if kind == "i32":
            values.append(torch.randint(0, bound, extents, device="cuda", dtype=torch.int32))
        else:
            values.append(torch.randn(extents, device="cuda").to(kinds[kind]))
            if case.function == "cumprod":
                values[-1] = 1 + values[-1] / 64
            if case.function == "selective_scan" and len(values) == 2:
                values[-1] = values[-1].abs() / 8
            if case.function == "selective_scan" and len(values) == 3:
                values[-1] = -1 - values[-1].abs()
    return values


def find_error(got, want):
    """The largest distance, as a part of the largest magnitude; of integers, 0 or infinite."""
    if not want.dtype.is_floating_point:
        return 0 if (got.long() == want.long()).all() else float("inf")
    error, most = 0, 1e-30
    for own, exact in zip(got.flatten().split(1 << 26), want.flatten().split(1 << 26)):
        distance = (own.double() - exact.double()).abs()
        error = max(error, distance.max().item() if distance.isfinite().all() else float("inf"))
        most = max(most, exact.double().abs().max().item())
    return error / most


def limit(case, values):
    """The first rows alone, in which results are compared: float64 takes much memory."""
    rows = max(1, min(values[0].shape[0], (1 << 28) // max(values[0][0].numel(), 1)))
    is_row = len(case.arguments[0][0]) > 1 and case.function != "transpose"
    return [value[:rows] if is_row and value.shape[0] == values[0].shape[0] else value for value in values], rows if is_row else None


class Run:
    """A package with arguments, which has been launched."""

    def __init__(self, path, case, runtime):
        import torch
        from c_runtime import Program

        self.values = make_arguments(case)
        self.peer = get_peers()[case.function]
        self.eager = as_tuple(self.peer(*self.values))
        self.program = Program(runtime, path)
        self.outs = [torch.zeros_like(each, dtype=each.dtype if each.dtype.is_floating_point else torch.int32) for each in self.eager]
        self.arguments = self.program.bind([*self.values, *self.outs])
        self.launch()
        torch.cuda.synchronize()

    def launch(self):
        self.program.launch(self.arguments)


def compare(run, case):
    """Whether the results are right, and the errors, with PyTorch's."""
    import torch

    outs = run.outs
    few, rows = limit(case, run.values)
    wants = as_tuple(run.peer(*[value.double() if value.dtype.is_floating_point else value for value in few]))
    right, errors = True, []
    rounding = ROUNDING.get("f32" if case.function == "loss" else case.arguments[0][1], 0)
    for number, (out, own, want) in enumerate(zip(outs, run.eager, wants)):
        if case.function.startswith("top") and number == 1:  # of equal elements, PyTorch takes any
            ours, theirs = find_error(few[0].gather(-1, out[:rows].long()), wants[0]), 0
        else:
            ours, theirs = find_error(out[:rows], want), find_error(own[:rows], want)
        right &= ours <= max(2 * theirs, rounding)
        errors.append(f"{ours:.1g} ({theirs:.1g})")
    torch.cuda.empty_cache()
    return right, errors


def check_case(case, runtime, folder):
    right = True
    for path in (folder / f"{case.name}.pkg", folder / f"{case.name}.cuda.pkg"):
        run = Run(path, case, runtime)
        own, errors = compare(run, case)
        first = [out.clone() for out in run.outs]
        for _ in range(100):
            run.launch()
        same = all((out == other).logical_or((out != out) & (other != other)).all() for out, other in zip(run.outs, first))
        if not (own and same):
            print(f"{path.name}: {'right' if own else 'WRONG'} {', '.join(errors)}{'' if same else ', NOT THE SAME BITS'}", flush=True)
        right &= own and bool(same)
    return right


def time_case(case, runtime, folder, options):
    import torch
    from graphs import capture
    from products import measure_in_turns

    own = Run(folder / f"{case.name}.pkg", case, runtime)
    peer, values, eager, launch = own.peer, own.values, own.eager, own.launch
    right, errors = compare(own, case)
    count = sum(value.nbytes for value in [*values, *eager])
    half = torch.empty(count // 8, dtype=torch.int32, device="cuda")
    other = torch.empty_like(half)
    names = ["copy", "eager", "ours"]

    def try_capture(run):
        try:
            return capture(run)
        except RuntimeError:
            torch.cuda.synchronize()
            return run

    runs = [try_capture(lambda: torch.bitwise_not(half, out=other)), try_capture(lambda: peer(*values)), capture(launch)]
    if options.compiler and case.function not in ("sort", "argsort", "top8", "top64"):
        torch._dynamo.reset()
        compiled = torch.compile(scan_states_at_once if case.function == "selective_scan" else peer, dynamic=False)
        compiled(*values)
        runs.append(try_capture(lambda: compiled(*values)))
        names.append("compiled")
    if options.mamba and case.function == "selective_scan":
        scan, (x, step, a, b, c) = build_mamba(options.mamba.resolve()), values
        lines = [value.transpose(1, 2).contiguous() for value in (x, step)] + [a] + [value.transpose(1, 2).contiguous() for value in (b, c)]
        lines.append(torch.empty(x.shape[0], x.shape[2], (x.shape[1] + 2047) // 2048, 2 * a.shape[1], device="cuda"))
        errors.append(f"mamba {find_error(scan(*lines).transpose(1, 2), eager[0]):.1g}")
        runs.append(capture(lambda: scan(*lines)))
        names.append("mamba")
    taken = dict(zip(names, measure_in_turns(runs)))
    ours = taken.pop("ours")
    copy = taken.pop("copy")
    best = min(taken, key=taken.get)
    predicted = json.loads((folder / f"{case.name}.json").read_text(encoding="utf-8"))
    text = (f"{case.name:28} {'right' if right else 'WRONG'} {', '.join(errors):22} {ours:9.1f} us, {best} {taken[best]:9.1f}: "
            f"{taken[best] / ours:6.2f}; of copy {copy / ours:5.2f}; predicted {predicted:8.1f}")
    if options.xla:
        text += f"; xla {time_xla(case, values):9.1f}"
    print(text, flush=True)
    return right


def time_xla(case, values):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax as framework

    run = framework.jit(globals()[case.function])
    given = [framework.dlpack.from_dlpack(value) for value in values]
    times = []
    for _ in range(8):
        begin = clock.perf_counter()
        framework.block_until_ready(run(*given))
        times.append((clock.perf_counter() - begin) * 1e6)
    return sorted(times[2:])[3]


def check_all(folder, cases):
    import torch
    from c_runtime import Runtime

    torch.zeros(1, device="cuda")
    runtime, right = Runtime(folder), 0
    for case in cases:
        try:
            right += check_case(case, runtime, folder)
        except Exception as error:  # pylint: disable=broad-except
            print(f"{case.name:28} FAILED {str(error).splitlines()[0][:200]}", flush=True)
    print(f"{torch.cuda.get_device_name()}: {right} of {len(cases)} cases right by both ways, with the same bits in 100 launches")
    return right == len(cases)


def time_all(folder, cases, options):
    import torch
    from c_runtime import Runtime

    torch.zeros(1, device="cuda")
    runtime = Runtime(folder)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
    right = True
    cases = [case for case in cases if (folder / f"{case.name}.pkg").exists()]
    if not cases:
        sys.exit(f"rows.py: error: expected packages in '{folder}', which rows.py pack makes, got none")
    for case in cases:
        try:
            right &= time_case(case, runtime, folder, options)
        except Exception as error:  # pylint: disable=broad-except
            print(f"{case.name:28} FAILED {str(error).splitlines()[0][:200]}", flush=True)
            right = False
        torch.cuda.empty_cache()
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    for command in ("pack", "check", "time"):
        sub = commands.add_parser(command)
        sub.add_argument("folder", type=Path, metavar="DIR")
        sub.add_argument("words", nargs="*", metavar="WORD")
        if command == "pack":
            sub.add_argument("--chip", default="sm_90a")
            sub.add_argument("--jobs", type=int, default=2)
        elif command == "time":
            sub.add_argument("--no-compiler", dest="compiler", action="store_false")
            sub.add_argument("--xla", action="store_true")
            sub.add_argument("--mamba", type=Path)
    options = parser.parse_args()
    if options.command == "list":
        print("\n".join(f"{case.name}: {case.function} {case.get_shapes()}" for case in make_cases()))
        return 0
    if options.command == "check":
        return 0 if check_all(options.folder.resolve(), choose(options.words, make_checks())) else 1
    if options.command == "pack":
        cases = choose(options.words, make_cases() + make_checks())
        return 0 if pack(options.folder.resolve(), cases, options.chip, options.jobs) else 1
    cases = choose(options.words)
    return 0 if time_all(options.folder.resolve(), cases, options) else 1


if __name__ != "__main__" or "--xla" in sys.argv:  # imported for its functions
    import jax
    import jax.numpy as jnp

if __name__ == "__main__":
    sys.exit(main())
