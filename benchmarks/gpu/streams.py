#!/usr/bin/env python3
# ===- streams.py - attention of graphs on a GPU ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs programs of graphs with attention, and times them in turns with PyTorch: cuDNN's attention, and the formula of the
graph, compiled.

  streams.py DIR [--length N...] [--name NAME...] [--check]

DIR has libcarousel_runtime.so.2 and, for each name, a package of a graph of q, k and v (batches x heads x positions x
elements, bf16): plain_D and causal_D with a softmax in f32 of heads of D elements, low_D with one in bf16. Graphs
documents_D and causal_documents_D also take numbers of documents (batches x positions, i32), of which there are 8 of random
lengths; their peer is flex_attention. Graphs masked_D also take a mask (batches x positions x positions, i1); their peer is
SDPA with the backend that it chooses. There are 16384 positions of 2048 columns in all. Results are compared with float64,
and cuDNN's beside them: an error is the largest difference, of the largest magnitude, and at most twice cuDNN's or 2^-7.
Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the program is faster.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Program, Runtime
from graphs import capture
from products import measure_in_turns
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.attention import SDPBackend, sdpa_kernel


def formula(q, k, v, is_causal, wide=torch.float32):
    s = torch.matmul(q.to(wide), k.to(wide).mT) if wide == torch.float64 else torch.matmul(q, k.mT).to(wide)
    s = s * q.shape[-1] ** -0.5
    if is_causal:
        n = q.shape[-2]
        s = s.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=q.device).tril(), float("-inf"))
    p = torch.softmax(s, -1)
    return torch.matmul(p, v.to(wide)) if wide == torch.float64 else torch.matmul(p.to(v.dtype), v)


def attend(q, k, v, is_causal):
    # cuDNN takes no single row.
    backends = [SDPBackend.CUDNN_ATTENTION] if q.shape[-2] > 1 else [SDPBackend.MATH]
    with sdpa_kernel(backends):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)


def get_error(y, want):
    return ((y.double() - want).abs().max() / want.abs().max()).item()


def run(program, name, batches, heads, n, elements, is_timed, compiled):
    """Whether the result is right."""
    is_causal = "causal" in name
    factors = [torch.randn(batches, heads, n, elements, device="cuda").to(torch.bfloat16) for _ in range(3)]
    y = torch.full_like(factors[0], float("nan"))
    arguments = program.bind([*factors, y])
    program.launch(arguments)
    torch.cuda.synchronize()
    few = [factor[:1, :2] for factor in factors]
    want = formula(*few, is_causal, torch.float64)
    errors = [get_error(result[:1, :2], want) for result in (y, attend(*factors, is_causal))]
    is_right = errors[0] <= max(2 * errors[1], 2**-7)
    text = f"{name:12} {batches:3} x {heads:2} x {n:5} {'right' if is_right else 'WRONG'} ({errors[0]:.2g}, cuDNN {errors[1]:.2g})"
    if is_timed:
        functions = [lambda: attend(*factors, is_causal)]
        if n <= 4096:
            functions.append(lambda: compiled(*factors, is_causal))
        times = measure_in_turns([*(capture(function) for function in functions), capture(lambda: program.launch(arguments))])
        work = 4 * batches * heads * n * n * elements / (2 if is_causal else 1) / 1e6
        text += f"  cuDNN {times[0]:7.1f} us, ours {times[-1]:7.1f}: {times[0] / times[-1]:.2f}, {work / times[-1]:.0f} TFLOPS"
        if len(times) > 2:
            text += f"; compiled {times[1]:7.1f}: {times[1] / times[-1]:.2f}"
    print(text, flush=True)
    return is_right


def make_documents(batches, n, count=8):
    random = torch.Generator().manual_seed(n)
    cuts = [torch.sort(torch.randperm(max(n - 1, 1), generator=random)[:count - 1] + 1).values for _ in range(batches)]
    return torch.stack([torch.searchsorted(cut, torch.arange(n), right=True) for cut in cuts]).to(torch.int32).cuda()


def run_documents(program, name, batches, heads, n, elements, is_timed):
    """Whether the result is right."""
    is_causal = "causal" in name
    q, k, v = (torch.randn(batches, heads, n, elements, device="cuda").to(torch.bfloat16) for _ in range(3))
    ids = make_documents(batches, n)
    y = torch.full_like(q, float("nan"))
    arguments = program.bind([q, k, v, ids, y])
    program.launch(arguments)
    torch.cuda.synchronize()

    def keeps(b, h, i, j):
        same = ids[b, i] == ids[b, j]
        return same & (i >= j) if is_causal else same

    at = torch.arange(n, device="cuda")
    kept = keeps(0, 0, at[:, None], at[None])
    s = (q[:1, :2].double() @ k[:1, :2].double().mT * elements**-0.5).masked_fill(~kept, float("-inf"))
    error = get_error(y[:1, :2], torch.softmax(s, -1) @ v[:1, :2].double())
    is_right = error <= 2**-7
    text = f"{name:20} {batches:3} x {heads:2} x {n:5} {'right' if is_right else 'WRONG'} ({error:.2g})"
    if is_timed:
        flex = torch.compile(flex_attention, dynamic=False, mode="max-autotune-no-cudagraphs")
        mask = create_block_mask(keeps, batches, None, n, n)
        times = measure_in_turns([capture(lambda: flex(q, k, v, block_mask=mask)), capture(lambda: program.launch(arguments))])
        text += f"  flex {times[0]:7.1f} us, ours {times[1]:7.1f}: {times[0] / times[1]:.2f}"
    print(text, flush=True)
    return is_right


def run_masked(program, name, batches, heads, n, elements, is_timed):
    """Whether the result is right."""
    q, k, v = (torch.randn(batches, heads, n, elements, device="cuda").to(torch.bfloat16) for _ in range(3))
    mask = torch.rand(batches, n, n, device="cuda") < 0.7
    mask[:, :, 0] = True  # a row without elements is NaN
    y = torch.full_like(q, float("nan"))
    arguments = program.bind([q, k, v, mask, y])
    program.launch(arguments)
    torch.cuda.synchronize()
    s = (q[:1, :2].double() @ k[:1, :2].double().mT * elements**-0.5).masked_fill(~mask[:1, None], float("-inf"))
    error = get_error(y[:1, :2], torch.softmax(s, -1) @ v[:1, :2].double())
    is_right = error <= 2**-7
    text = f"{name:12} {batches:3} x {heads:2} x {n:5} {'right' if is_right else 'WRONG'} ({error:.2g})"
    if is_timed:
        def peer():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None])

        times = measure_in_turns([capture(peer), capture(lambda: program.launch(arguments))])
        text += f"  SDPA {times[0]:7.1f} us, ours {times[1]:7.1f}: {times[0] / times[1]:.2f}"
    print(text, flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--length", type=int, nargs="+", default=[512, 1024, 4096, 16384])
    parser.add_argument("--name", nargs="+", default=["plain_128", "causal_128", "plain_64", "causal_64", "low_64"])
    parser.add_argument("--check", action="store_true", help="check short lengths, without times")
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    torch._dynamo.config.recompile_limit = 256  # one function for each kind and length
    runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    compiled = torch.compile(formula, dynamic=False)
    good = True
    for name in options.name:
        program = Program(runtime, options.folder / f"{name}.pkg")
        elements = int(name.split("_")[-1])
        if "documents" in name or "masked" in name:
            run_other = run_documents if "documents" in name else run_masked
            for n in (1, 2, 127, 129, 1021):
                good &= run_other(program, name, 2, 3, n, elements, False)
            for n in () if options.check else options.length:
                good &= run_other(program, name, max(16384 // n, 1), 2048 // elements, n, elements, True)
            continue
        for n in (1, 2, 63, 127, 128, 129, 1000, 1021):
            good &= run(program, name, 2, 3, n, elements, False, compiled)
        for n in () if options.check else options.length:
            good &= run(program, name, max(16384 // n, 1), 2048 // elements, n, elements, True, compiled)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
