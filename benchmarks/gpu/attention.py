#!/usr/bin/env python3
# ===- attention.py - attention on a GPU ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels of attention, and times them in turns with PyTorch's, by the backends that have the same kind.

  attention.py DIR [--length N...] [--kernel NAME...] [--package NAME] [--head 128]

DIR has libcarousel_runtime.so.2 and packages of examples/block, as attention.pkg. A kernel's name says its kind:

  attention, attention_causal...      all keys, or those up to the row's own; beside cuDNN and the flash backend
  attention_80, attention_192_128...  heads of as many elements, and values of another number
  attention_ragged...                 sequences of random lengths up to N; beside nested tensors, and beside the kernel itself
                                      and cuDNN with equal lengths, by TFLOP/s
  attention_bias, attention_bias_f32  a bias in memory; beside the mask of the efficient backend and flex_attention
  attention_ranges                    documents, causal ones and windows of 1024; beside flex_attention
  attention_documents                 documents by their numbers; beside flex_attention
  attention_bshd, _qkv, _kv           layouts of models; beside cuDNN on views of the same tensors, and the kernel of attention.pkg
                                      whose heads come first
  attention_decode                    one query of 8 groups of 4 heads to N keys, of 1 sequence and of 32, with the combination of parts;
                                      beside cuDNN and the flash backend, and by bytes of keys and values beside a copy of these
  attention_fp8                       8-bit floats, with values transposed; beside cuDNN and attention.pkg on the same numbers in bf16
  attention_latent                    heads of 192 and 128 elements, causal; beside cuDNN
  attention_latent_decode             a position of 128 heads and of 16, a cache of N rows of 576 elements for each of 1 and of 32
                                      sequences, and attention_latent_combine; beside a copy that reads and writes as many bytes
                                      as the cache has
  attention_paged                     keys and values in pages; beside cuDNN and attention.pkg on the same ones in order
  attention_sink                      64 heads of 64 elements, 8 of keys and values, with a sink, of all keys up to the row's own and
                                      of a window of 128; beside flex_attention, whose results a sigmoid of sums corrects
  attention_backward...               dq, dk and dv, by attention_backward.pkg from what attention.pkg gives, or of heads of 64
                                      for names that end with _64; beside the backward passes of cuDNN and the flash backend,
                                      and of the latter in a fixed order. Prints each kernel's time, and checks that 20
                                      launches give the same bits
  attention_backward_KIND             the same of the kinds window (of 1024, with a soft cap), bias, documents, ranges, ragged and
                                      ragged_causal, beside flex_attention, and of the layouts bshd, qkv and kv, beside cuDNN on
                                      views. DIR has attention_backward_kinds.pkg, _masks.pkg, _ragged.pkg or
                                      _layouts.pkg, attention_backward.pkg, and the package of the forward kernel
  gradients...                y, dq, dk and dv of the program in NAME_N.pkg, which is a graph that jax.vjp writes: see
                              gradients.py; beside both passes of cuDNN. Prints the time of each kernel
  pages_decode, pages_causal  the program in NAME_N.pkg, a graph of JAX with pages: see pages.py; decoding beside a copy of half as
                              many bytes as keys and values have, prefill beside cuDNN on them in order

There are 16384 positions of 2048 columns in all. Results are compared with a peer's, within 2^-7 of the largest magnitude.
Times are medians of runs whose inputs aren't in the L2, as CUDA graphs; a ratio above 1 says that the kernel is faster. A peer
that PyTorch refuses for the kind is left out.
"""

import argparse
import functools
import re
import sys
from pathlib import Path

import torch
from c_runtime import Index, Kernel, Program, Runtime, bind
from graphs import capture
from products import measure_in_turns
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

# By the beginnings of kernels' names, the longest first.
PACKAGES = {"attention_64_128": "attention_heads", "attention_64": "attention_64", "attention_causal_64": "attention_64",
            "attention_80": "attention_heads", "attention_96": "attention_heads", "attention_256": "attention_wide",
            "attention_192": "attention_wide", "attention_ragged": "attention_ragged",
            "attention_bias": "attention_bias", "attention_ranges": "attention_ranges",
            "attention_decode": "attention_decode", "attention_documents": "attention_documents", "attention_bshd": "attention_layouts",
            "attention_paged": "attention_paged", "attention_sink": "attention_64", "attention_fp8": "attention_fp8",
            "attention_latent": "attention_latent", "attention_qkv": "attention_layouts",
            "attention_kv": "attention_layouts"}
# For each kind of gradients: how the name of its file in examples/block ends, and the file of the forward kernel.
FORWARD = {"window": ("kinds", "attention_kinds"), "bias": ("kinds", "attention_bias"), "documents": ("masks", "attention_documents"),
           "ranges": ("masks", "attention_ranges"), "ragged": ("ragged", "attention_ragged"),
           "ragged_causal": ("ragged", "attention_ragged"), "bshd": ("layouts", "attention_layouts"),
           "qkv": ("layouts", "attention_layouts"), "kv": ("layouts", "attention_layouts")}
TOLERANCE = 2**-7


def attend(backend, factors, mask=None, is_causal=False):
    with sdpa_kernel(backend):
        return torch.nn.functional.scaled_dot_product_attention(*(factor[None] for factor in factors), attn_mask=mask,
                                                                is_causal=is_causal)[0]


def make_peers(calls):
    """(name, result, replay) of the calls that PyTorch can make."""
    peers = []
    for name, call in calls.items():
        try:
            peers.append((name, call(), capture(call)))
        except RuntimeError as error:
            print(f"  no {name}: {str(error).splitlines()[0][:100]}", flush=True)
    return peers


def report(title, kernel, arguments, y, peers, work, want=None):
    """Whether the result is `want`, or that of the first peer."""
    kernel.launch(arguments)
    torch.cuda.synchronize()
    want = (peers[0][1] if want is None else want).float()
    error = ((y.float() - want).abs().max() / want.abs().max()).item()
    times = measure_in_turns([*(replay for _, _, replay in peers), capture(lambda: kernel.launch(arguments))])
    beside = "".join(f"{name} {time:8.1f} us ({time / times[-1]:.2f}), " for (name, _, _), time in zip(peers, times))
    print(f"{title:34} {'right' if error < TOLERANCE else 'WRONG'} ({error:.2g})  {beside}ours {times[-1]:8.1f}: "
          f"{work / times[-1] / 1e6:.0f} TFLOPS", flush=True)
    return error < TOLERANCE


def make_factors(heads, n, of_keys, of_values):
    return [torch.randn(heads, n, elements, device="cuda").to(torch.bfloat16) for elements in (of_keys, of_keys, of_values)]


def make_results(v):
    return torch.full_like(v, float("nan")), torch.empty(v.shape[:2], device="cuda")


def run_plain(kernel, name, n, options):
    is_causal = "causal" in name
    is_causal |= name == "attention_latent"
    sizes = [int(size) for size in re.findall(r"_(\d+)", name)] or ([192, 128] if name == "attention_latent" else [options.head])
    of_keys, of_values = sizes[0], sizes[-1]
    heads = max(2048 // of_keys, 1) * max(16384 // n, 1)
    factors = make_factors(heads, n, of_keys, of_values)
    y, lse = make_results(factors[2])
    backends = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
                "efficient": SDPBackend.EFFICIENT_ATTENTION}
    peers = make_peers({label: functools.partial(attend, backend, factors, is_causal=is_causal)
                        for label, backend in backends.items()})
    work = 2 * heads * n * n * (of_keys + of_values) / (2 if is_causal else 1)
    return report(f"{name} {n}", kernel, bind([*factors, of_keys**-0.5, y, lse]), y, peers, work)


def run_layouts(kernel, name, n, options):
    is_causal, heads, scale = name == "attention_qkv", 16, 128**-0.5
    batches = max(16384 // n, 1) if name == "attention_bshd" else 1
    groups = 4 if name == "attention_kv" else heads
    make = functools.partial(torch.randn, device="cuda", dtype=torch.bfloat16)
    y = torch.full((batches, n, heads, 128), float("nan"), device="cuda", dtype=torch.bfloat16)
    lse = torch.empty(batches, heads, n, device="cuda")
    if name == "attention_bshd":
        factors = [make(batches, n, heads, 128) for _ in range(3)]
        arguments = [*factors, scale, y, lse]
    elif name == "attention_qkv":
        qkv = make(n, 3, heads, 128)
        factors = [qkv[None, :, part] for part in range(3)]
        arguments = [qkv, scale, y[0], lse[0]]
    else:
        q, kv = make(n, heads, 128), make(n, groups, 2, 128)
        factors = [q[None], kv[None, :, :, 0], kv[None, :, :, 1]]
        arguments = [q, kv, scale, y[0], lse[0]]

    def attend_views():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(*(factor.transpose(1, 2) for factor in factors),
                                                                    is_causal=is_causal, enable_gqa=groups < heads).transpose(1, 2)

    calls = {"cuDNN": attend_views}
    if groups == heads:
        first = Kernel(options.runtime, options.folder / "attention.pkg", "attention_causal" if is_causal else "attention")
        dense = [factor.transpose(1, 2).reshape(-1, n, 128).contiguous() for factor in factors]
        results = make_results(dense[2])

        def attend_first():
            first.launch(bind([*dense, scale, *results]))
            return results[0].view(batches, heads, n, 128).transpose(1, 2)

        calls["heads first"] = attend_first
    return report(f"{name} {batches}x{n}", kernel, bind(arguments), y, make_peers(calls),
                  4 * batches * heads * n * n * 128 / (2 if is_causal else 1))


def run_paged(kernel, name, n, options):
    """Prefills sequences of one length, whose pages of 64 keys are anywhere in the pool."""
    heads, sequences, pages = 16, max(16384 // n, 1), -(-n // 64)
    factors = make_factors(sequences * heads, n, 128, 128)
    q, k, v = (factor.view(sequences, heads, n, 128).transpose(1, 2) for factor in factors)
    order = torch.randperm(sequences * pages, device="cuda")
    pools = []
    for factor in (k, v):
        padded = torch.nn.functional.pad(factor, (0, 0, 0, 0, 0, 64 * pages - n), value=float("nan"))
        pools.append(torch.empty(sequences * pages, 64, heads, 128, device="cuda", dtype=torch.bfloat16))
        pools[-1][order] = padded.reshape(sequences * pages, 64, heads, 128)
    table = order.to(torch.int32).view(sequences, pages)
    lengths = torch.full((sequences,), n, dtype=torch.int32, device="cuda")
    offsets = torch.arange(sequences + 1, dtype=torch.int32, device="cuda") * n
    y = torch.full((sequences * n, heads, 128), float("nan"), device="cuda", dtype=torch.bfloat16)
    lse = torch.empty(heads, sequences * n, device="cuda")
    arguments = bind([q.reshape(sequences * n, heads, 128).contiguous(), *pools, 128**-0.5, table, lengths, offsets, y, lse])
    dense = Kernel(options.runtime, options.folder / "attention.pkg", "attention_causal")
    results = make_results(factors[2])

    def attend_dense():
        dense.launch(bind([*factors, 128**-0.5, *results]))
        return results[0]

    def attend_cudnn():
        return attend(SDPBackend.CUDNN_ATTENTION, factors, is_causal=True)

    whole = attend_cudnn().view(sequences, heads, n, 128).transpose(1, 2).reshape(sequences * n, heads, 128)
    return report(f"{name} {sequences}x{n}", kernel, arguments, y, make_peers({"cuDNN": attend_cudnn, "in order": attend_dense}),
                  2 * sequences * heads * n * n * 128, whole)


def run_decode(kernel, name, n, options):
    """A step of decoding: 4 query heads share a head of keys. Equal bits of the first sequence alone and in a batch count, too."""
    combine = Kernel(options.runtime, options.folder / "attention_decode.pkg", "attention_decode_combine")
    good, alone = True, None
    for batch in (1, 32):
        torch.manual_seed(n)
        q = torch.randn(batch, 32, 128, device="cuda").to(torch.bfloat16)
        k, v = (torch.randn(batch, 8, n, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        if alone is not None:
            q[0], k[0], v[0] = (factor[0] for factor in alone[0])
        lengths = torch.full((batch,), n, dtype=torch.int32, device="cuda")
        parts, largest, total = (torch.empty(batch, 32, -(-n // 512), *size, device="cuda") for size in ((128,), (), ()))
        y = torch.full_like(q, float("nan"))
        steps = ((kernel, bind([q, k, v, 128**-0.5, lengths, parts, largest, total])),
                 (combine, bind([parts, largest, total, lengths, y])))

        def launch(steps=steps):
            for step, arguments in steps:
                step.launch(arguments)

        def attend_group(backend, q=q, k=k, v=v):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]

        launch()
        torch.cuda.synchronize()
        factor = 128**-0.5
        weights = torch.softmax(torch.einsum("bgrd,bgnd->bgrn", q.view(batch, 8, 4, 128).float() * factor, k.float()), dim=-1)
        want = torch.einsum("bgrn,bgnd->bgrd", weights, v.float()).reshape(batch, 32, 128)
        error = ((y.float() - want).abs().max() / want.abs().max()).item()
        is_same = alone is None or torch.equal(alone[1][0], y[0])
        del weights
        peers = make_peers({"cuDNN": lambda: attend_group(SDPBackend.CUDNN_ATTENTION),
                            "flash": lambda: attend_group(SDPBackend.FLASH_ATTENTION)})
        source, target = torch.stack((k, v)), torch.empty(2, *k.shape, device="cuda", dtype=k.dtype)
        *times, copying, own = measure_in_turns([*(replay for _, _, replay in peers), capture(lambda: target.copy_(source)),
                                                 capture(launch)])
        beside = "".join(f"{peer} {time:8.1f} us ({time / own:.2f}), " for (peer, _, _), time in zip(peers, times))
        is_right = error < TOLERANCE and is_same
        verdict = "right" if is_right else "WRONG" if is_same else "WRONG: other bits alone"
        print(f"{f'{name} {batch}x{n}':34} {verdict} ({error:.2g})  {beside}"
              f"copy of half as many bytes {copying / 2:8.1f} us ({copying / 2 / own:.2f}), ours {own:8.1f}: "
              f"{2 * k.nbytes / own / 1e3:.0f} GB/s", flush=True)
        good &= is_right
        alone = ((q, k, v), y)
    return good


class LatentDecode:
    """A kernel of parts, and the one that combines them."""

    def __init__(self, *kernels):
        self.kernels = kernels

    def launch(self, arguments):
        for kernel, own in zip(self.kernels, arguments):
            kernel.launch(own)


def run_latent(kernel, name, n, options):
    good, make = True, functools.partial(torch.randn, device="cuda", dtype=torch.bfloat16)
    combine = Kernel(options.runtime, options.folder / "attention_latent.pkg", "attention_latent_combine")
    # By the length alone, so that results don't depend on the batch.
    count, scale = min(max(n // 256, 1), 128), 192**-0.5
    for sequences, heads in ((1, 16), (1, 128), (32, 16), (32, 128)):
        q, cache = make(sequences, heads, 576), make(sequences, n, 576)
        lengths = torch.full((sequences,), n, dtype=torch.int32, device="cuda")
        parts, logs = (torch.empty(sequences, count, heads, *own, device="cuda") for own in ((512,), ()))
        y, lse = torch.full((sequences, heads, 512), float("nan"), device="cuda", dtype=torch.bfloat16), logs.new_empty(sequences, heads)
        arguments = [bind([q, cache, lengths, scale, parts, logs]), bind([parts, logs, y, lse])]
        want = torch.stack([torch.softmax(own.float() @ rows.float().T * scale, -1) @ rows[:, :512].float()
                            for own, rows in zip(q, cache)]).to(torch.bfloat16)
        halves = cache.view(-1)[:cache.numel() // 2 * 2].view(2, -1).clone()
        peers = make_peers({"copy": lambda halves=halves: halves[0].copy_(halves[1])})
        good &= report(f"{name} {sequences}x{heads}x{n}, {count} parts", LatentDecode(kernel, combine), arguments, y, peers,
                       2 * sequences * heads * n * (576 + 512), want)
    return good


def attend_nested(factors, offsets, is_causal):
    """Of (heads, positions, elements), without copies."""
    lengths = [int(length) for length in offsets.diff().tolist()] if not hasattr(offsets, "lengths") else offsets.lengths
    nested = [torch.nested.nested_tensor_from_jagged(factor.transpose(0, 1), offsets, min_seqlen=min(lengths),
                                                     max_seqlen=max(lengths)).transpose(1, 2) for factor in factors]
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        y = torch.nn.functional.scaled_dot_product_attention(*nested, is_causal=is_causal)
    return y.transpose(1, 2).values().transpose(0, 1)


def run_ragged(kernel, name, n, options):
    is_causal, heads = "causal" in name, 16
    generator = torch.Generator().manual_seed(n)
    lengths = []
    while sum(lengths) < 16384:
        lengths.append(min(int(torch.randint(1, n + 1, (1,), generator=generator)), 16384 - sum(lengths)))
    good = True
    # With equal lengths, about as much work.
    equal = max(round(sum(length**2 for length in lengths) / 16384), 1)
    for title, own in (("ragged", lengths), ("equal", [equal] * (16384 // equal))):
        offsets = torch.tensor([sum(own[:i]) for i in range(len(own) + 1)], dtype=torch.int32, device="cuda")
        offsets.lengths = own  # reading them from the GPU ends a capture
        factors = make_factors(heads, sum(own), 128, 128)
        y, lse = make_results(factors[2])
        calls = {"nested": functools.partial(attend_nested, factors, offsets, is_causal)}
        if title == "equal":
            dense = [factor.view(heads, len(own), equal, 128).transpose(0, 1) for factor in factors]

            def attend_dense(dense=dense):
                with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                    return torch.nn.functional.scaled_dot_product_attention(*dense, is_causal=is_causal)

            calls["cuDNN"] = attend_dense
        work = 4 * heads * 128 * sum(length**2 for length in own) / (2 if is_causal else 1)
        parts = zip(*(torch.split(factor, own, dim=1) for factor in factors))
        want = torch.cat([attend(SDPBackend.FLASH_ATTENTION, part, is_causal=is_causal) for part in parts], dim=1)
        good &= report(f"{name} {title}, up to {max(own)}", kernel, bind([*factors, 128**-0.5, offsets, y, lse]), y,
                       make_peers(calls), work, want)
    return good


@functools.cache
def compile_flex():
    return torch.compile(flex_attention, dynamic=False, mode="max-autotune-no-cudagraphs")


def attend_flex(factors, score=None, mask=None):
    return compile_flex()(*(factor[None] for factor in factors), score_mod=score, block_mask=mask)[0]


def run_bias(kernel, name, n, options):
    heads = 16
    factors = make_factors(heads, n, 128, 128)
    y, lse = make_results(factors[2])
    bias = torch.randn(heads, n, n, device="cuda").to(torch.float32 if name.endswith("f32") else torch.bfloat16)

    def add(score, batch, head, row, column):
        return score + bias[head, row, column]

    narrow = bias.to(torch.bfloat16)
    peers = make_peers({"efficient": lambda: attend(SDPBackend.EFFICIENT_ATTENTION, factors, mask=narrow[None]),
                        "cuDNN": lambda: attend(SDPBackend.CUDNN_ATTENTION, factors, mask=narrow[None]),
                        "flex": lambda: attend_flex(factors, score=add)})
    # Only flex_attention adds a bias of f32 as it is.
    return report(f"{name} {n}", kernel, bind([*factors, 128**-0.5, bias, y, lse]), y, peers, 4 * heads * n * n * 128,
                  peers[-1][1])


def make_documents(n):
    """The number of each position's document, from 1 on, of about eight in a sequence."""
    generator = torch.Generator().manual_seed(n)
    ends = torch.randint(1, n, (7,), generator=generator)
    return (1 + (torch.arange(n)[:, None] >= ends).sum(1)).to(torch.int32).cuda()


def run_masks(kernel, name, n, options):
    heads, window = 16 * max(16384 // n, 1), 1024
    factors = make_factors(heads, n, 128, 128)
    ids, rows = make_documents(n), torch.arange(n, device="cuda")
    begins = torch.searchsorted(ids, ids).int()
    ends = torch.searchsorted(ids, ids, right=True).int()
    after = (rows + 1).int()

    def is_document(batch, head, row, column):
        return ids[row] == ids[column]

    def is_causal(batch, head, row, column):
        return (ids[row] == ids[column]) & (column <= row)

    def is_near(batch, head, row, column):
        return (column <= row) & (row - column < window)

    kinds = {"documents": (is_document, begins, ends), "causal documents": (is_causal, begins, after),
             f"window of {window}": (is_near, (rows - window + 1).clamp(min=0).int(), after)}
    if name == "attention_documents":
        kinds = {"documents": kinds["documents"]}
    good = True
    for title, (function, start, stop) in kinds.items():
        mask = create_block_mask(function, None, None, n, n, device="cuda")
        y, lse = make_results(factors[2])
        bounds = [ids] if name == "attention_documents" else [start, stop]
        work = 4 * heads * 128 * int((stop - start).sum())
        good &= report(f"{name} {n}, {title}", kernel, bind([*factors, 128**-0.5, *bounds, y, lse]), y,
                       make_peers({"flex": lambda mask=mask: attend_flex(factors, mask=mask)}), work)
    return good


def run_sink(kernel, name, n, options):
    heads, groups, good = 64, 8, True
    q, (k, v) = make_factors(heads, n, 64, 64)[0], make_factors(groups, n, 64, 64)[1:]
    sink = torch.randn(heads, device="cuda")
    y, lse = make_results(q)

    def attend_flex_sink(mask):
        own, sums = compile_flex()(q[None], k[None], v[None], block_mask=mask, enable_gqa=True, return_lse=True)
        return (own * torch.sigmoid(sums - sink[:, None])[..., None]).to(torch.bfloat16)[0]

    for window in (n, 128):
        def is_near(batch, head, row, column, window=window):
            return (column <= row) & (row - column < window)

        def find_head(head, window=window):
            scores = q[head].float() @ k[head * groups // heads].float().T * 64**-0.5
            at = torch.arange(n, device="cuda")
            scores.masked_fill_(~is_near(0, 0, at[:, None], at[None], window), float("-inf"))
            weights = torch.softmax(torch.cat((scores, sink[head].expand(n, 1)), 1), -1)[:, :-1]
            return (weights @ v[head * groups // heads].float()).to(torch.bfloat16)

        mask = create_block_mask(is_near, None, None, n, n, device="cuda")
        want = torch.stack([find_head(head) for head in range(heads)])
        work = 4 * heads * 64 * sum(min(i + 1, window) for i in range(n))
        good &= report(f"{name} {n}, window of {window}", kernel, bind([q, k, v, 64**-0.5, sink, Index(window), y, lse]), y,
                       make_peers({"flex": lambda mask=mask: attend_flex_sink(mask)}), work, want)
    return good


def run_fp8(kernel, name, n, options):
    heads = 16 * max(16384 // n, 1)
    narrow = [factor.to(torch.float8_e4m3fn) for factor in make_factors(heads, n, 128, 128)]
    factors = [factor.to(torch.bfloat16) for factor in narrow]
    values = narrow[2].view(torch.uint8).transpose(1, 2).contiguous().view(torch.float8_e4m3fn)
    y, lse = make_results(factors[2])
    plain = Kernel(options.runtime, options.folder / "attention.pkg", "attention")
    results = make_results(factors[2])

    def attend_plain():
        plain.launch(bind([*factors, 128**-0.5, *results]))
        return results[0]

    peers = make_peers({"bf16": attend_plain, "cuDNN": lambda: attend(SDPBackend.CUDNN_ATTENTION, factors)})
    kernel.launch(bind([narrow[0], narrow[1], values, 128**-0.5, 1.0, y, lse]))
    torch.cuda.synchronize()
    error = ((y.float() - peers[0][1].float()).abs().max() / peers[0][1].float().abs().max()).item()
    print(f"  of 8-bit weights: {error:.2g} of the largest result", flush=True)
    # Weights of 8 bits are off by 2^-4, of both signs.
    return report(f"{name} {n}", kernel, bind([narrow[0], narrow[1], values, 128**-0.5, 1.0, y, lse]), y, peers,
                  4 * heads * n * n * 128, y if error < 2**-4 else None)


class Backward:
    """The kernels that compute gradients, one after the other."""

    def __init__(self, runtime, folder, name):
        self.kind = name.removeprefix("attention_backward").removeprefix("_")
        if self.kind in FORWARD:
            file, forward = FORWARD[self.kind]
            backward, deltas = f"attention_backward_{file}", ("attention_backward_layouts", "delta_bshd") if file == "layouts" else (
                "attention_backward", "delta")
            self.names = [deltas[1], f"attention_dkv_{self.kind}", f"attention_dq_{self.kind}"]
            files = [deltas[0], backward, backward]
            self.forward = Kernel(runtime, folder / f"{forward}.pkg", f"attention_{self.kind}")
        else:
            kind, size = "_causal" * ("causal" in name), "_64" * name.endswith("_64")
            self.names = [f"delta{size}", f"attention_dkv{kind}{size}", f"attention_dq{kind}{size}"]
            files = [f"attention_backward{size}"] * 3
            self.forward = Kernel(runtime, folder / f"attention{size}.pkg", f"attention{kind}{size}")
        self.kernels = [Kernel(runtime, folder / f"{file}.pkg", each) for file, each in zip(files, self.names)]


def run_backward(kernel, name, n, options):
    is_causal, elements = "causal" in name, 64 if name.endswith("_64") else 128
    heads = 2048 // elements * max(16384 // n, 1)
    factors = [factor.requires_grad_() for factor in make_factors(heads, n, elements, elements)]
    scale, dy = elements**-0.5, torch.randn_like(factors[0])
    runs, want = {}, None
    torch.utils.deterministic.fill_uninitialized_memory = False  # which only one of the peers would do
    for title, backend, in_order in (("cuDNN", SDPBackend.CUDNN_ATTENTION, False), ("flash", SDPBackend.FLASH_ATTENTION, False),
                                     ("flash in order", SDPBackend.FLASH_ATTENTION, True)):
        try:
            result = attend(backend, factors, is_causal=is_causal)

            def differentiate(result=result, in_order=in_order):
                torch.use_deterministic_algorithms(in_order)
                gradients = torch.autograd.grad(result, factors, dy, retain_graph=True)
                torch.use_deterministic_algorithms(False)
                return gradients

            gradients = differentiate()
        except RuntimeError as error:
            torch.use_deterministic_algorithms(False)
            print(f"  no {title}: {str(error).splitlines()[0][:100]}", flush=True)
            continue
        want = gradients if want is None else want
        runs[title] = differentiate
    if want is None:
        print(f"{name + ' ' + str(n):34} no peer", flush=True)
        return False
    q, k, v = (factor.detach() for factor in factors)
    y, lse = make_results(v)
    kernel.forward.launch(bind([q, k, v, scale, y, lse]))
    delta, (dq, dk, dv) = torch.empty_like(lse), (torch.full_like(q, float("nan")) for _ in range(3))
    bound = [bind([y, dy, delta]), bind([q, k, v, dy, lse, delta, scale, dk, dv]), bind([q, k, v, dy, lse, delta, scale, dq])]
    return report_backward(f"{name} {n}", kernel, bound, (dq, dk, dv), runs, want,
                           10 * heads * n * n * elements / (2 if is_causal else 1))


def report_backward(title, kernel, bound, results, runs, want, work):
    """Whether the results of the kernels are `want`, with the same bits in 20 launches. `runs` are peers by their names."""
    def launch():
        for each, arguments in zip(kernel.kernels, bound):
            each.launch(arguments)

    launch()
    torch.cuda.synchronize()
    errors = [((got.float() - own.float()).abs().max() / own.float().abs().max()).item() for got, own in zip(results, want)]
    first, good = [got.clone() for got in results], max(errors) < TOLERANCE
    for _ in range(20):
        launch()
        good &= all(torch.equal(got, own) for got, own in zip(results, first))
    each = [capture(lambda own=own, arguments=arguments: own.launch(arguments)) for own, arguments in zip(kernel.kernels, bound)]
    times = measure_in_turns([*runs.values(), *each, capture(launch)])
    beside = "".join(f"{peer} {time:8.1f} us ({time / times[-1]:.2f}), " for peer, time in zip(runs, times))
    parts = ", ".join(f"{part} {time:.1f}" for part, time in zip(kernel.names, times[len(runs):-1]))
    print(f"{title:34} {'right' if good else 'WRONG'} ({max(errors):.2g})  {beside}ours {times[-1]:8.1f}: "
          f"{work / times[-1] / 1e6:.0f} TFLOPS ({parts})", flush=True)
    return good


def differentiate_peers(calls, factors, dy):
    """The gradients of the first of the peers that PyTorch has, and functions that compute each one's backward pass."""
    want, runs = None, {}
    for title, call in calls.items():
        try:
            result = call()
            runs[title] = functools.partial(torch.autograd.grad, result, factors, dy.expand_as(result), retain_graph=True)
            want = runs[title]() if want is None else want
        except RuntimeError as error:
            runs.pop(title, None)
            print(f"  no {title}: {str(error).splitlines()[0][:100]}", flush=True)
    return want, runs


def find_queries(start, stop):
    """The range of queries that see each key, from those of keys that each query sees, which ascend."""
    keys = torch.arange(len(start), device="cuda", dtype=start.dtype)
    return torch.searchsorted(stop, keys, right=True).int(), torch.searchsorted(start, keys, right=True).int()


def make_kinds(kind, n, heads):
    """(title, pairs of positions that count, arguments before the results: of the forward kernel, of that of keys and of that of
    queries, a score and a mask for flex_attention) of the kinds that a name stands for."""
    rows, ids, window, cap = torch.arange(n, device="cuda"), make_documents(n), 1024, 30.0
    after, nears = (rows + 1).int(), (rows - window + 1).clamp(min=0).int()
    begins, ends = torch.searchsorted(ids, ids).int(), torch.searchsorted(ids, ids, right=True).int()

    def is_near(batch, head, row, column):
        return (column <= row) & (row - column < window)

    def is_document(batch, head, row, column):
        return ids[row] == ids[column]

    def is_causal(batch, head, row, column):
        return (ids[row] == ids[column]) & (column <= row)

    def bound(score, batch, head, row, column):
        return cap * torch.tanh(score / cap)

    if kind == "window":
        own = [cap, Index(window)]
        return [(f"window of {window}", (after - nears).sum(), own, own, own, bound, is_near)]
    if kind == "bias":
        bias = torch.randn(heads, n, n, device="cuda").to(torch.bfloat16).requires_grad_()

        def add(score, batch, head, row, column):
            return score + bias[head, row, column]

        own = [bias.detach()]
        return [("bias", n * n, own, own, own, add, None)]
    if kind == "documents":
        return [("documents", (ends - begins).sum(), [ids], [ids], [ids], None, is_document)]
    if kind.startswith("ragged"):
        offsets = torch.nn.functional.pad(torch.bincount(ids)[1:].cumsum(0), (1, 0)).int()
        stop, mask = (after, is_causal) if "causal" in kind else (ends, is_document)
        return [("ragged", (stop - begins).sum(), [offsets], [offsets], [offsets], None, mask)]
    return [(title, (stop - start).sum(), [start, stop], list(find_queries(start, stop)), [start, stop], None, mask)
            for title, start, stop, mask in (("documents", begins, ends, is_document), ("causal documents", begins, after, is_causal),
                                             (f"window of {window}", nears, after, is_near))]


def run_backward_kinds(kernel, name, n, options):
    heads, scale, good = 16 if kernel.kind == "bias" else 16 * max(16384 // n, 1), 128**-0.5, True
    factors = [factor.requires_grad_() for factor in make_factors(heads, n, 128, 128)]
    dy = torch.randn_like(factors[0])
    q, k, v = (factor.detach() for factor in factors)
    for title, pairs, own, of_keys, of_queries, score, mask in make_kinds(kernel.kind, n, heads):
        blocks = None if mask is None else create_block_mask(mask, None, None, n, n, device="cuda")
        calls = {"flex": functools.partial(attend_flex, factors, score=score, mask=blocks)}
        if kernel.kind == "bias":
            calls["efficient"] = functools.partial(attend, SDPBackend.EFFICIENT_ATTENTION, factors, mask=own[0][None])
        want, runs = differentiate_peers(calls, factors, dy)
        if want is None:
            good = False
            continue
        y, lse = make_results(v)
        kernel.forward.launch(bind([q, k, v, scale, *own, y, lse]))
        delta, results = torch.empty_like(lse), [torch.full_like(q, float("nan")) for _ in range(3)]
        dq, dk, dv = results
        more = [torch.empty_like(own[0])] if kernel.kind == "bias" else []
        shared = [q, k, v, dy, lse, delta, scale]
        bound = [bind([y, dy, delta]), bind([*shared, *of_keys, dk, dv]), bind([*shared, *of_queries, dq, *more])]
        good &= report_backward(f"{name} {n}, {title}", kernel, bound, results, runs, want, 10 * heads * 128 * int(pairs))
    return good


def run_backward_layouts(kernel, name, n, options):
    is_causal, heads, scale = kernel.kind == "qkv", 16, 128**-0.5
    batches, groups = max(16384 // n, 1) if kernel.kind == "bshd" else 1, 4 if kernel.kind == "kv" else heads
    make = functools.partial(torch.randn, device="cuda", dtype=torch.bfloat16)
    dy, y = make(batches, n, heads, 128), torch.empty(batches, n, heads, 128, device="cuda", dtype=torch.bfloat16)
    lse = torch.empty(batches, heads, n, device="cuda")
    delta = torch.empty_like(lse)
    if kernel.kind == "bshd":
        factors = [make(batches, n, heads, 128) for _ in range(3)]
        given, of_rows, numbers, results = factors, [y], [lse, delta], [torch.full_like(dy, float("nan")) for _ in range(3)]
        outs, views = (results[1:], results[:1]), results
    elif kernel.kind == "qkv":
        packed = make(n, 3, heads, 128)
        given, of_rows, numbers, result = [packed], [y[0]], [lse[0], delta[0]], torch.full_like(packed, float("nan"))
        factors, views = ([each[None, :, part] for part in range(3)] for each in (packed, result))
        outs = [result], [result]
    else:
        q, packed = make(n, heads, 128), make(n, groups, 2, 128)
        given, of_rows, numbers = [q, packed], [y[0]], [lse[0], delta[0]]
        dq, result = torch.full_like(q, float("nan")), torch.full_like(packed, float("nan"))
        factors = [q[None], packed[None, :, :, 0], packed[None, :, :, 1]]
        outs, views = ([result], [dq]), [dq[None], result[None, :, :, 0], result[None, :, :, 1]]
    heads_first = [factor.transpose(1, 2).detach().requires_grad_() for factor in factors]

    def attend_views():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(*heads_first, is_causal=is_causal, enable_gqa=groups < heads)

    want, runs = differentiate_peers({"cuDNN": attend_views}, heads_first, dy.transpose(1, 2))
    if want is None:
        return False
    kernel.forward.launch(bind([*given, scale, *of_rows, numbers[0]]))
    of_dy = dy if kernel.kind == "bshd" else dy[0]
    shared = [*given, of_dy, *numbers, scale]
    bound = [bind([y, dy, delta]), bind([*shared, *outs[0]]), bind([*shared, *outs[1]])]
    return report_backward(f"{name} {batches}x{n}", kernel, bound, [view.transpose(1, 2) for view in views], runs, want,
                           10 * batches * heads * n * n * 128 / (2 if is_causal else 1))


def run_gradients(_, name, n, options):
    program = Program(options.runtime, options.folder / f"{name}_{n}.pkg")
    is_causal, elements = "causal" in name, 64 if "64" in name else 128
    heads, batch = 2048 // elements, max(16384 // n, 1)
    factors = [torch.randn(batch, n, heads, elements, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3)]
    dy = torch.randn_like(factors[0])

    def run_peer():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            y = torch.nn.functional.scaled_dot_product_attention(*(factor.transpose(1, 2) for factor in factors), is_causal=is_causal)
        return y.transpose(1, 2), *torch.autograd.grad(y, factors, dy.transpose(1, 2))

    want, outs = run_peer(), [torch.full_like(dy, float("nan")) for _ in range(4)]
    arguments = bind([*(factor.detach() for factor in factors), dy, *outs])

    def launch():
        program.launch(arguments)

    launch()
    torch.cuda.synchronize()
    errors = [((got.float() - own.float()).abs().max() / own.float().abs().max()).item() for got, own in zip(outs, want)]
    good = max(errors) < TOLERANCE
    first = [out.clone() for out in outs]
    for _ in range(20):
        launch()
        good &= all(torch.equal(got, own) for got, own in zip(outs, first))
    peer, ours = measure_in_turns([run_peer, capture(launch)])
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        launch()
        torch.cuda.synchronize()
    steps = ", ".join(f"{event.key[:8]} {event.device_time_total:.1f}" for event in profiler.key_averages() if event.device_time_total)
    print(f"{name + ' ' + str(n):34} {'right' if good else 'WRONG'} ({max(errors):.2g})  cuDNN {peer:8.1f} us ({peer / ours:.2f}), ours "
          f"{ours:8.1f} ({steps})", flush=True)
    return good


def run_pages(_, name, n, options):
    """A graph whose keys and values are in pages of 64, anywhere in the pool."""
    program = Program(options.runtime, options.folder / f"{name}_{n}.pkg")
    is_decode = "decode" in name
    batch, heads, groups = (32, 32, 8) if is_decode else (max(16384 // n, 1), 16, 16)
    length, pages = 1 if is_decode else n, n // 64
    make = functools.partial(torch.randn, device="cuda", dtype=torch.bfloat16)
    q, k, v = make(batch, length, heads, 128), make(batch, n, groups, 128), make(batch, n, groups, 128)
    order = torch.randperm(batch * pages, device="cuda")
    pools = []
    for factor in (k, v):
        pools.append(torch.empty(batch * pages, 64, groups, 128, device="cuda", dtype=torch.bfloat16))
        pools[-1][order] = factor.reshape(batch * pages, 64, groups, 128)
    lengths = torch.full((batch,), n, dtype=torch.int32, device="cuda")
    y = torch.full_like(q, float("nan"))
    arguments = bind([q, *pools, order.to(torch.int32).view(batch, pages), lengths, y])

    def attend_in_order():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(
                *(factor.transpose(1, 2) for factor in (q, k, v)), is_causal=not is_decode, enable_gqa=True).transpose(1, 2)

    peers = make_peers({"cuDNN": attend_in_order})
    if is_decode:
        target = torch.empty_like(k)
        peers.append(("copy of half as many bytes", None, capture(lambda: target.copy_(k))))
    return report(f"{name} {batch}x{n}", program, arguments, y, peers,
                  4 * batch * heads * length * n * 128 / (1 if is_decode else 2))


def choose(name):
    kind = name.removeprefix("attention_backward_")
    if kind != name and kind in FORWARD:
        return run_backward_layouts if FORWARD[kind][0] == "layouts" else run_backward_kinds
    for word, run in (("gradients", run_gradients), ("pages", run_pages), ("latent_decode", run_latent), ("backward", run_backward), ("decode", run_decode),
                      ("paged", run_paged), ("bshd", run_layouts), ("kv", run_layouts), ("ragged", run_ragged), ("bias", run_bias),
                      ("ranges", run_masks), ("documents", run_masks), ("sink", run_sink), ("fp8", run_fp8)):
        if word in name:
            return run
    return run_plain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--length", type=int, nargs="+", default=[512, 1024, 4096, 16384, 1000, 4097])
    parser.add_argument("--kernel", nargs="+", default=["attention", "attention_causal"])
    parser.add_argument("--package", help="of all kernels, in place of the one of each")
    parser.add_argument("--head", type=int, default=128, help="elements of a head, where the kernel's name doesn't say it")
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    torch._dynamo.config.recompile_limit = 256  # flex_attention compiles for each kind and length
    runtime = options.runtime = Runtime(options.folder)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    good = True
    for name in options.kernel:
        package = options.package or next((file for word, file in PACKAGES.items() if name.startswith(word)), "attention")
        if name.startswith(("gradients", "pages")):
            kernel = None
        elif name.startswith("attention_backward"):
            kernel = Backward(runtime, options.folder, name)
        else:
            kernel = Kernel(runtime, options.folder / f"{package}.pkg", name)
        for n in options.length:
            good &= choose(name)(kernel, name, n, options)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
