#!/usr/bin/env python3
# ===- graphs.py - programs of graphs on a GPU, beside PyTorch --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs packages of programs on a GPU through the runtime's C interface, in PyTorch's stream and on PyTorch's memory.

  graphs.py check DIR          results against PyTorch in float64, for many extents; the same bits in 100 launches
  graphs.py time DIR [NAME...] beside torch.compile (max-autotune), without and with CUDA graphs
  graphs.py host DIR           what a first call and a warm launch cost the host
  graphs.py profile DIR [NAME...]
                               the kernels of both, each with its time, by PyTorch's profiler

With --tf32 as the last word, PyTorch's products of f32 are of tf32, too, for packages compiled so, and tolerances are
those of its 10 bits. Before it, check takes --digests FILE: the results must have the bits whose SHA-256 hashes are in
the file, which another machine of the kind has written; if there is no such file, check writes it.

DIR has a package NAME.pkg for each graph, and libcarousel_runtime.so.2. Tolerances are relative to max(|y|, 1% of the
largest |y|): what sums of rounded products of this length can be off by, measured against float64.
"""

import hashlib
import json
import math
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from c_runtime import Program, Runtime

DEVICE = "cuda"
TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 2e-2, torch.float16: 4e-3}
# Products that follow one another.
WIDER = {"attention_dyn_seq": 10, "mlp_gelu": 10, "gpt2_layer": 10, "resnet_basic_block": 10, "torch_encoder_layer": 10}

# ===--------------------------------------------------------------------------===#
# The graphs in PyTorch: of the inputs' types, or all in float64
# ===--------------------------------------------------------------------------===#

GRAPHS = {}


def graph(*arguments, extents=({},), timed=({},)):
    """Arguments: (shape, type); a shape may name extents. `extents`: to check with, `timed`: to time with."""

    def add(function):
        GRAPHS[function.__name__] = (function, arguments, extents, timed)
        return function

    return add


def vary(name, *values):
    return [{name: value} for value in values]


F32, BF16, I32 = torch.float32, torch.bfloat16, torch.int32


@graph(((4096, 4096), BF16), ((4096, 4096), BF16), ((4096,), BF16))
def rmsnorm_residual_static(x, residual, weight):
    h = x + residual
    wide = h if h.dtype == torch.float64 else h.float()
    scale = torch.rsqrt(torch.mean(wide * wide, -1, keepdim=True) + 1e-6)
    return (wide * scale).to(h.dtype) * weight, h


@graph((("m", "n"), F32), timed=({"m": 8192, "n": 8192}, {"m": 32768, "n": 1000}),
       extents=[{"m": m, "n": n} for m, n in ((1, 1), (7, 67), (67, 7), (1023, 4096), (4096, 1023), (3, 65537), (65537, 3))])
def log_softmax_dyn2(x):
    return F.log_softmax(x, -1)


@graph((("b", 768), F32), ((768,), F32), ((768,), F32), (("b", 768), F32), timed=vary("b", 65536),
       extents=vary("b", 1, 7, 67, 1023, 4096, 65537))
def layernorm_backward(x, g, b, dy):
    centred = x - x.mean(-1, keepdim=True)
    rstd = torch.rsqrt(torch.mean(centred * centred, -1, keepdim=True) + 1e-5)
    hat, dyg = centred * rstd, dy * g
    dx = rstd * (dyg - dyg.mean(-1, keepdim=True) - hat * (dyg * hat).mean(-1, keepdim=True))
    return dx, (dy * hat).sum(0), dy.sum(0)


@graph(((4, 320, 64, 64), BF16), ((320,), BF16), ((320,), BF16))
def groupnorm_silu_nchw(x, g, b):
    return F.silu(F.group_norm(x, 32, g, b, 1e-5))


@graph((("n",), F32), (("n",), BF16), (("n",), F32), (("n",), F32), ((), F32), ((), F32), timed=vary("n", 1 << 25),
       extents=vary("n", 1, 7, 67, 1023, 4096, 65537, 1 << 22))
def adamw_clip_mixed(p, g, m, v, lr, clip):
    g = g.to(p.dtype)
    norm = torch.sqrt(torch.sum(g * g))
    g = g * torch.clamp(clip / (norm + 1e-6), max=1.0)
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    p = p - lr * (m / (torch.sqrt(v) + 1e-8) + 0.01 * p)
    return p, p.to(BF16) if p.dtype == F32 else p, m, v, norm


@graph((("t", 50257), F32), (("t",), I32), timed=vary("t", 4096), extents=vary("t", 1, 7, 67, 1023, 4096))
def cross_entropy(logits, labels):
    return F.cross_entropy(logits, labels.long())


@graph((("m", "n"), F32), (("n",), F32), timed=({"m": 8192, "n": 8192}, {"m": 16384, "n": 2049}),
       extents=[{"m": m, "n": n} for m, n in ((1, 1), (7, 67), (67, 7), (1023, 4096), (4096, 1023), (3, 65537), (65537, 3))])
def transpose_bias_gelu(x, bias):
    return F.gelu(x + bias, approximate="tanh").t().contiguous()


@graph(((128, 16384), BF16), ((16384, 256), BF16), ((256,), F32))
def matmul_splitk_bias_relu(a, b, c):
    product = a @ b if a.dtype == torch.float64 else torch.mm(a, b, out_dtype=F32)
    return F.relu(product + c)


@graph((("b", 768), F32), ((768, 3072), F32), ((3072,), F32), ((3072, 768), F32), ((768,), F32), timed=vary("b", 4096),
       extents=vary("b", 1, 7, 67, 1023, 4096))
def mlp_gelu(x, w1, b1, w2, b2):
    return F.gelu(x @ w1 + b1, approximate="tanh") @ w2 + b2


@graph((("b", 128, 768), F32), ((768,), F32), ((768,), F32), ((768, 2304), F32), ((2304,), F32), ((768, 768), F32),
       ((768,), F32), ((768,), F32), ((768,), F32), ((768, 3072), F32), ((3072,), F32), ((3072, 768), F32), ((768,), F32),
       timed=vary("b", 32), extents=vary("b", 1, 7, 67))
def gpt2_layer(x, g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2):
    batch, length, width = x.shape
    h = F.layer_norm(x, (width,), g1, b1, 1e-5)
    q, k, v = ((h @ wqkv + bqkv).view(batch, length, 3, 12, width // 12)).unbind(2)
    heads = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
    x = x + heads.transpose(1, 2).reshape(x.shape) @ wo + bo
    return x + mlp_gelu(F.layer_norm(x, (width,), g2, b2, 1e-5), w1, c1, w2, c2)


@graph((("b", 28, 28, 64), F32), ((3, 3, 64, 128), F32), ((128,), F32), ((128,), F32), ((3, 3, 128, 128), F32),
       ((128,), F32), ((128,), F32), ((1, 1, 64, 128), F32), ((128,), F32), ((128,), F32), timed=vary("b", 64),
       extents=vary("b", 1, 7, 67))
def resnet_basic_block(x, w1, s1, b1, w2, s2, b2, wd, sd, bd):
    def convolve(image, weight, stride, padding):
        image = F.pad(image.permute(0, 3, 1, 2), padding)
        return F.conv2d(image, weight.permute(3, 2, 0, 1), stride=stride).permute(0, 2, 3, 1)

    h = F.relu(convolve(x, w1, 2, (0, 1, 0, 1)) * s1 + b1)
    h = convolve(h, w2, 1, (1, 1, 1, 1)) * s2 + b2
    return F.relu(h + convolve(x, wd, 2, (0, 0, 0, 0)) * sd + bd)


@graph(((2, 32, 256), F32), ((768, 256), F32), ((768,), F32), ((256, 256), F32), ((256,), F32), ((1024, 256), F32),
       ((1024,), F32), ((256, 1024), F32), ((256,), F32), ((256,), F32), ((256,), F32), ((256,), F32), ((256,), F32))
def torch_encoder_layer(x, wqkv, bqkv, wo, bo, w1, b1, w2, b2, g1, c1, g2, c2):
    batch, length, width = x.shape
    q, k, v = F.linear(x, wqkv, bqkv).view(batch, length, 3, 4, width // 4).unbind(2)
    heads = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
    x = F.layer_norm(x + F.linear(heads.transpose(1, 2).reshape(x.shape), wo, bo), (width,), g1, c1, 1e-5)
    return F.layer_norm(x + F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2), (width,), g2, c2, 1e-5)


@graph((("b", "n", 12, 64), F32), (("b", "n", 12, 64), F32), (("b", "n", 12, 64), F32),
       extents=[{"b": b, "n": n} for b, n in ((1, 1), (2, 7), (1, 67), (2, 257), (1, 1023))],
       timed=({"b": 8, "n": 1024}, {"b": 2, "n": 4096}))
def attention_dyn_seq(q, k, v):
    q, k, v = (factor.transpose(1, 2) for factor in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)


def make_inputs(name, extents, seed=0):
    """As a network has them: weights by their fan in, second moments and step sizes above 0, labels in range."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    inputs = []
    for number, (shape, dtype) in enumerate(GRAPHS[name][1]):
        sizes = [extents.get(extent, extent) for extent in shape]
        if dtype == I32:
            inputs.append(torch.randint(0, 50257, sizes, dtype=dtype, device=DEVICE, generator=generator))
            continue
        value = torch.randn(sizes, dtype=F32, device=DEVICE, generator=generator)
        isWeight = number > 0 and all(isinstance(extent, int) for extent in shape)
        if isWeight and len(shape) == 2:
            value /= math.sqrt(shape[1] if name == "torch_encoder_layer" else shape[0])
        if isWeight and len(shape) == 4:
            value /= math.sqrt(shape[0] * shape[1] * shape[2])
        if name == "adamw_clip_mixed" and number >= 3:
            value = value.abs() * (1e-3 if number > 3 else 1)
        inputs.append(value.to(dtype))
    return inputs


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


# ===--------------------------------------------------------------------------===#
# Checks
# ===--------------------------------------------------------------------------===#


def find_error(name, got, want):
    """The largest error, in tolerances."""
    got, want = got.double().flatten(), want.double().flatten()
    if want.numel() == 0:
        return 0.0
    if not torch.isfinite(got).all():
        return math.inf
    scale = torch.clamp(want.abs(), min=1e-2 * want.abs().max().item())
    return ((got - want).abs() / torch.clamp(scale, min=1e-30)).max().item()


def hash_bits(values):
    digest = hashlib.sha256()
    for value in values:
        digest.update(value.reshape(-1).view(torch.uint8).cpu().numpy().tobytes())
    return digest.hexdigest()


def check_graph(runtime, folder, name, known, digests):
    """`known`: the digests of another machine. Adds to `digests`."""
    function, _, extents, _ = GRAPHS[name]
    program = Program(runtime, folder / f"{name}.pkg")
    good = True
    for sizes in extents:
        inputs = make_inputs(name, sizes)
        like = as_tuple(function(*inputs))
        wide = [value if value.dtype == I32 else value.double() for value in inputs]
        want = as_tuple(function(*wide))
        outputs = [torch.full_like(value, float("nan")) for value in like]
        arguments = Program.bind([*inputs, *outputs])
        program.launch(arguments)
        torch.cuda.synchronize()
        errors = [find_error(name, got, value) / (TOLERANCE[got.dtype] * WIDER.get(name, 1))
                  for got, value in zip(outputs, want)]
        first = [value.clone() for value in outputs]
        same = True
        for _ in range(100):
            program.launch(arguments)
        for value, before in zip(outputs, first):
            same &= torch.equal(value.view(torch.uint8), before.view(torch.uint8)) if value.dim() else bool(
                value == before)
        text = ", ".join(f"{key}={value}" for key, value in sizes.items()) or "static"
        key = f"{name} {text}"
        digests[key] = hash_bits(first)
        differs = known.get(key, digests[key]) != digests[key]
        right = max(errors) <= 1 and same and not differs
        good &= right
        print(f"{name:26} {text:18} {'right' if right else 'WRONG'}  errors in tolerances "
              f"{', '.join(f'{error:.2g}' for error in errors)}{'' if same else ', other bits in 100 launches'}"
              f"{', other bits than on the other machine' if differs else ''}", flush=True)
        del inputs, like, wide, want, outputs, first, arguments
        torch.cuda.empty_cache()
    return good


# ===--------------------------------------------------------------------------===#
# Times
# ===--------------------------------------------------------------------------===#


def measure(run, count=30):
    """The median in microseconds, of runs that find none of their inputs in the L2 cache."""
    scratch = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
    for _ in range(3):
        run()
    times = []
    for _ in range(count):
        scratch.fill_(1)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        times.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) * 1e3 for begin, end in times)


def capture(run, prepare=None):
    """`prepare` is called in the same stream before; the run itself, unless it is given."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())  # which may still use memory that the run has now
    with torch.cuda.stream(stream):
        (prepare or run)()
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded, stream=stream):
        run()
    return recorded.replay


def time_graph(runtime, folder, name):
    function, _, _, timed = GRAPHS[name]
    program = Program(runtime, folder / f"{name}.pkg")
    rows = []
    for sizes in timed:
        inputs = make_inputs(name, sizes)
        torch._dynamo.reset()
        begin = time.perf_counter()
        compiled = torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
        with torch.no_grad():
            outputs = [torch.empty_like(value) for value in as_tuple(compiled(*inputs))]
            torch.cuda.synchronize()
            seconds = time.perf_counter() - begin
            arguments = Program.bind([*inputs, *outputs])
            plain = [measure(lambda: compiled(*inputs)), measure(lambda: program.launch(arguments))]
            recorded = [measure(capture(lambda: compiled(*inputs))), measure(capture(lambda: program.launch(arguments)))]
        moved = sum(value.numel() * value.element_size() for value in [*inputs, *outputs])
        text = ", ".join(f"{key}={value}" for key, value in sizes.items()) or "static"
        rows.append({"graph": name, "extents": text, "torch_us": plain[0], "us": plain[1], "torch_graph_us": recorded[0],
                     "graph_us": recorded[1], "ratio": plain[0] / plain[1], "graph_ratio": recorded[0] / recorded[1],
                     "gb_per_s": moved / recorded[1] / 1e3, "torch_compile_s": seconds})
        print(f"{name:26} {text:18} torch {plain[0]:8.1f} us, ours {plain[1]:8.1f} us: {plain[0] / plain[1]:.2f};  "
              f"graphs {recorded[0]:8.1f}, {recorded[1]:8.1f}: {recorded[0] / recorded[1]:.2f}  "
              f"({moved / recorded[1] / 1e3:.0f} GB/s; torch.compile took {seconds:.0f} s)", flush=True)
        del inputs, outputs, arguments
        torch.cuda.empty_cache()
    return rows


def profile_graph(runtime, folder, name):
    function, _, _, timed = GRAPHS[name]
    program = Program(runtime, folder / f"{name}.pkg")
    scratch = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
    for sizes in timed:
        inputs = make_inputs(name, sizes)
        torch._dynamo.reset()
        compiled = torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
        with torch.no_grad():
            outputs = [torch.empty_like(value) for value in as_tuple(compiled(*inputs))]
            arguments = Program.bind([*inputs, *outputs])
            for title, run in (("torch", lambda: compiled(*inputs)), ("ours", lambda: program.launch(arguments))):
                run()
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
                    for _ in range(10):
                        scratch.fill_(1)
                        run()
                    torch.cuda.synchronize()
                print(f"{name} {sizes or ''} {title}")
                for event in profiler.key_averages():
                    if "FillFunctor<unsigned char>" not in event.key:
                        print(f"  {event.device_time_total / 10:8.1f} us  {event.count / 10:3.0f} x  {event.key[:90]}", flush=True)


def time_host(runtime, folder, name):
    """The first launch of a loaded program, and a warm one, without waiting for the device."""
    function, _, extents, _ = GRAPHS[name]
    program = Program(runtime, folder / f"{name}.pkg")
    inputs = make_inputs(name, extents[0])
    outputs = [torch.empty_like(value) for value in as_tuple(function(*inputs))]
    arguments = Program.bind([*inputs, *outputs])
    begin = time.perf_counter()
    runtime.call("carousel_program_load_all", program.handle)
    loaded = time.perf_counter()
    program.launch(arguments)
    first = time.perf_counter()
    torch.cuda.synchronize()
    again = time.perf_counter()
    for _ in range(200):
        program.launch(arguments)
    warm = (time.perf_counter() - again) / 200
    torch.cuda.synchronize()
    print(f"{name:26} load {(loaded - begin) * 1e3:8.2f} ms, first launch {(first - loaded) * 1e3:6.2f} ms, "
          f"warm {warm * 1e6:6.1f} us", flush=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "time", "host", "profile"):
        sys.exit(__doc__)
    folder = Path(sys.argv[2]).resolve()
    if sys.argv[-1] == "--tf32":
        sys.argv.pop()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        # Factors are off by 2^-11: terms by 7e-4, and a sum of them, relative to its usual size, by as much. The largest of
        # a million errors is five times that, and the smallest scale a twentieth of the usual size.
        TOLERANCE[F32] = 5 * 7e-4 * 20
        for name in WIDER:
            WIDER[name] = 2
    known, digests, to = {}, {}, None
    if sys.argv[-2] == "--digests":
        to = Path(sys.argv[-1])
        del sys.argv[-2:]
        known = json.loads(to.read_text()) if to.exists() else {}
    names = sys.argv[3:] or [name for name in GRAPHS if (folder / f"{name}.pkg").exists()]
    torch.zeros(1, device=DEVICE)  # the context that all share
    runtime = Runtime(folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good, rows = True, []
    for name in names:
        try:
            if sys.argv[1] == "check":
                good &= check_graph(runtime, folder, name, known, digests)
            elif sys.argv[1] == "time":
                rows += time_graph(runtime, folder, name)
            elif sys.argv[1] == "profile":
                profile_graph(runtime, folder, name)
            else:
                time_host(runtime, folder, name)
        except (RuntimeError, torch.cuda.OutOfMemoryError) as error:
            good = False
            print(f"{name:26} FAILED {str(error).splitlines()[0]}", flush=True)
    if rows:
        print(json.dumps(rows))
    if known:
        print(f"{sum(key in known for key in digests)} results compared with those of another machine")
    elif to:
        to.write_text(json.dumps(digests, indent=1))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
