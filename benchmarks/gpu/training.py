#!/usr/bin/env python3
# ===- training.py - shared sums, dropout, losses, a router ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Checks kernels around products on a GPU, and times them in turns with PyTorch.

  training.py DIR [NAME...]

DIR has libcarousel_runtime.so.2, and the packages of examples/block/FILE.mlir by these names:

  stream_k       stream_k.pkg and matmul.pkg: the bits of @matmul_gelu, for any number of programs
  dropout        dropout.pkg: Philox's mask, and a product with it, beside F.dropout(F.linear)
  cross_entropy  forward.pkg (linear_cross_entropy) and backward.pkg (linear_cross_entropy_backward): losses and gradients
  router         router.pkg: the choices of tokens, sorted, beside PyTorch's ops

Results are compared with f32, within 2^-7 of the largest magnitude in a row. Times are medians, in us.
"""

import argparse
import sys
from pathlib import Path

import torch
from c_runtime import Index, Kernel, Runtime, bind
from graphs import capture
from products import measure_in_turns

BF16 = torch.bfloat16
folder, runtime = None, None
good = True


def get(package, kernel):
    return Kernel(runtime, folder / f"{package}.pkg", kernel)


def launch(kernel, *arguments):
    kernel.launch(bind(list(arguments)))


def report(what, is_good, more=""):
    global good
    good &= bool(is_good)
    print(f"{what:50} {'right' if is_good else 'WRONG'} {more}", flush=True)


def randn(*shape):
    return torch.randn(*shape, device="cuda")


def near(got, want, scale=2**-7):
    size = want.float().abs().amax(-1, keepdim=True) if want.dim() > 1 else want.float().abs() + 1
    return ((got.float() - want.float()).abs() / (size * scale + 1e-20)).max().item() <= 1


def stream_k():
    ours, other = get("stream_k", "stream_k"), get("matmul", "matmul_gelu")
    for m, n, k in ((1, 8, 8), (130, 264, 200), (1000, 1032, 520), (3072, 3072, 3072), (4096, 4096, 4096), (1920, 1920, 8192)):
        a, b, bias = randn(m, k).to(BF16), randn(k, n).to(BF16), randn(n)
        y, z = torch.empty(m, n, dtype=BF16, device="cuda"), torch.empty(m, n, dtype=BF16, device="cuda")
        if k:
            launch(other, a, b, bias, z)
        want = torch.nn.functional.gelu(a.float() @ b.float() + bias)
        same = True
        for programs in (132, 1, 2, 66, 131, 132, 133, 264, 500, *([132] * 20)):
            if programs < 60 and m * n * k > 1 << 32:
                continue
            y.fill_(float("nan"))
            launch(ours, a, b, bias, y, Index(programs))
            torch.cuda.synchronize()
            same &= near(y, want) and (k == 0 or torch.equal(y, z))
        report(f"stream_k {m}x{n}x{k}, the bits of matmul_gelu", same)
    print("us: addmm + gelu, matmul_gelu, stream_k of 132 and of 264 programs")
    for m, n, k in ((3072, 3072, 3072), (3072, 3072, 8192), (4096, 4096, 4096), (1920, 1920, 8192), (2304, 2304, 4096), (8192, 8192, 8192)):
        a, b, bias = randn(m, k).to(BF16), randn(k, n).to(BF16), randn(n)
        y, bias16 = torch.empty(m, n, dtype=BF16, device="cuda"), bias.to(BF16)
        bound = [bind([a, b, bias, y])] + [bind([a, b, bias, y, Index(p)]) for p in (132, 264)]
        runs = [capture(lambda: torch.nn.functional.gelu(torch.addmm(bias16, a, b))), capture(lambda: other.launch(bound[0])),
                capture(lambda: ours.launch(bound[1])), capture(lambda: ours.launch(bound[2]))]
        print(f"  {m}x{n}x{k}: " + " ".join(f"{time:9.1f}" for time in measure_in_turns(runs)), flush=True)


def philox_words(m, n, seed, offset):
    i, j = torch.arange(m, device="cuda")[:, None].expand(m, n), torch.arange(n, device="cuda")[None, :].expand(m, n)
    mask = 0xFFFFFFFF

    def mul(x, factor):  # both words, without overflow of i64
        low, high = x & 0xFFFF, x >> 16
        a, b = low * factor, high * factor
        total = (a >> 16) + b  # < 2^49
        return total >> 16, (a & 0xFFFF) | ((total & 0xFFFF) << 16)
    a, b = j // 2, i // 16 * 8 + i % 8
    c, d = torch.full_like(i, offset & mask), torch.full_like(i, offset >> 32)
    k0, k1 = seed & mask, seed >> 32
    for _ in range(10):
        (h0, l0), (h1, l1) = mul(a, 0xD2511F53), mul(c, 0xCD9E8D57)
        a, b, c, d = h1 ^ b ^ k0, l1, h0 ^ d ^ k1, l0
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    upper, odd = (i // 8) % 2 == 0, j % 2 == 1
    return torch.where(upper, torch.where(odd, b, a), torch.where(odd, d, c))


def dropout():
    forward, backward = get("dropout", "linear_dropout"), get("dropout", "dropout_backward")
    p, seed, offset = 0.25, 1234567890123, (1 << 32) + 77
    for m, n, k in ((1, 8, 8), (130, 264, 136), (131, 267, 64), (1000, 1032, 520), (4096, 4096, 1024)):
        x, w, b, dy = randn(m, k).to(BF16), randn(k, n).to(BF16), randn(n), randn(m, n).to(BF16)
        y, dx = torch.empty(m, n, dtype=BF16, device="cuda"), torch.empty(m, n, dtype=BF16, device="cuda")
        launch(forward, x, w, b, y, p, seed, offset)
        launch(backward, dy, dx, p, seed, offset)
        torch.cuda.synchronize()
        kept = philox_words(m, n, seed, offset) >= int(p * 2**32)
        want = torch.where(kept, (x.float() @ w.float() + b) / (1 - p), 0.0)
        want_dx = torch.where(kept, dy.float() / (1 - p), 0.0)
        mask = bool(((y == 0) | kept).all()) and bool(((dx == 0) | kept).all())
        report(f"dropout {m}x{n}x{k}", mask and near(y, want) and near(dx, want_dx), f"kept {kept.float().mean().item():.4f}")
    print("us: F.dropout(F.linear), linear_dropout, matmul_gelu; then F.dropout, dropout_backward")
    other = get("matmul", "matmul_gelu")
    for m, n, k in ((4096, 4096, 4096), (8192, 4096, 1024)):
        x, w, b = randn(m, k).to(BF16), randn(k, n).to(BF16), randn(n)
        wt, b16, dy = w.T.contiguous(), b.to(BF16), randn(m, n).to(BF16)
        y = torch.empty(m, n, dtype=BF16, device="cuda")
        one, two = bind([x, w, b, y, p, seed, offset]), bind([x, w, b, y])
        three = bind([dy, y, p, seed, offset])
        linear = lambda: torch.nn.functional.dropout(torch.nn.functional.linear(x, wt, b16), p)
        runs = [linear, capture(lambda: forward.launch(one)), capture(lambda: other.launch(two)),
                lambda: torch.nn.functional.dropout(dy, p), capture(lambda: backward.launch(three))]
        print(f"  {m}x{n}x{k}: " + " ".join(f"{time:9.1f}" for time in measure_in_turns(runs)), flush=True)


def cross_entropy():
    parts_of, combine = get("forward", "parts"), get("forward", "combine")
    dlogits, dw_of, dx_of = (get("backward", kernel) for kernel in ("dlogits", "dw", "dx"))
    for tokens, words, k, chunk in ((130, 520, 72, 256), (1000, 5000, 512, 1024), (4096, 32000, 4096, 8192), (8192, 128256, 4096, 8192)):
        x, w = randn(tokens, k).to(BF16), (randn(words, k) / k**0.5).to(BF16)
        labels, g = torch.randint(0, words, (tokens,), device="cuda"), torch.rand(tokens, device="cuda")
        label = labels.to(torch.int32)
        parts = torch.empty(3, min(32, -(-words // 256)), tokens, device="cuda")
        loss, lse = torch.empty(tokens, device="cuda"), torch.empty(tokens, device="cuda")
        d = torch.empty(tokens * min(chunk, words), dtype=BF16, device="cuda")
        dw, sums = torch.empty_like(w), torch.empty(tokens, k, device="cuda")
        calls = [(parts_of, bind([x, w, label, parts])), (combine, bind([parts, loss, lse]))]
        for first in range(0, words, chunk):
            own = w[first:first + chunk]
            rows = d[:tokens * len(own)].view(tokens, len(own))
            calls += [(dlogits, bind([x, own, label, lse, g, Index(first), rows])), (dw_of, bind([rows, x, dw[first:first + chunk]])),
                      (dx_of, bind([rows, own, sums]))]

        def run(calls=calls, sums=sums):
            sums.zero_()
            for kernel, bound in calls:
                kernel.launch(bound)
        run()
        torch.cuda.synchronize()
        want_dx, want_dw, want_loss = torch.empty(tokens, k, device="cuda"), torch.zeros(words, k, device="cuda"), []
        for begin in range(0, tokens, 1024):
            rows = slice(begin, begin + 1024)
            z = x[rows].float() @ w.float().T
            want_loss.append(torch.nn.functional.cross_entropy(z, labels[rows], reduction="none"))
            z = torch.softmax(z, -1)
            z[torch.arange(len(z), device="cuda"), labels[rows]] -= 1
            z *= g[rows, None]
            want_dx[rows] = z @ w.float()
            want_dw += z.T @ x[rows].float()
            del z
        right = near(loss, torch.cat(want_loss)), near(sums, want_dx), near(dw, want_dw)
        report(f"cross-entropy {tokens}x{words}x{k} in chunks of {chunk}", all(right), str(right))
        if tokens < 4096:
            continue
        del want_dx, want_dw
        torch.cuda.empty_cache()
        times = measure_in_turns([capture(run), *[capture(lambda c=call: c[0].launch(c[1])) for call in calls[:5]]], 5)
        print(f"  us: all {times[0]:.1f}; parts, combine, and of the first chunk dlogits, dw, dx: " + " ".join(f"{t:.1f}" for t in times[1:]))
        own, rows16, first_chunk = w[:chunk], d[:tokens * chunk].view(tokens, chunk), torch.empty(chunk, k, dtype=BF16, device="cuda")
        peers = measure_in_turns([capture(lambda: torch.mm(x, own.T, out=rows16)), capture(lambda: torch.mm(rows16.T, x, out=first_chunk)),
                                  capture(lambda: torch.mm(rows16, own))], 5)
        print("  us: torch.mm of the same three products of a chunk: " + " ".join(f"{t:.1f}" for t in peers), flush=True)


def router():
    route = get("router", "route")
    for tokens, k, experts in ((1, 64, 2), (130, 72, 9), (257, 72, 64), (8192, 4096, 8), (16384, 4096, 64)):
        x, w = torch.randint(-1, 2, (tokens, k), device="cuda").to(BF16), torch.randint(-1, 2, (k, experts), device="cuda").to(BF16)
        i32 = dict(dtype=torch.int32, device="cuda")
        z, expert, weight = torch.full_like(x, float("nan")), torch.empty(tokens, 2, **i32), torch.empty(tokens, 2, device="cuda")
        token, scale = torch.empty(2 * tokens, **i32), torch.empty(2 * tokens, device="cuda")
        tiles = torch.empty(3, 2 * tokens // 128 + experts, **i32)
        bound = bind([x, w, z, expert, weight, token, scale, tiles])
        logits = x.float() @ w.float()
        order = torch.sort(logits, dim=1, descending=True, stable=True)
        want, top = order.indices[:, :2], order.values[:, :2]
        to = torch.sort(want.reshape(-1), stable=True).indices
        ends = torch.bincount(want.reshape(-1), minlength=experts).cumsum(0).tolist()
        cut = [(e, first, end) for e, (begin, end) in enumerate(zip([0, *ends], ends)) for first in range(begin, end, 128)]
        cut += [(0, 0, 0)] * (tiles.shape[1] - len(cut))
        is_right = True
        for _ in range(50):
            for made in (z, expert, weight, token, scale, tiles):
                made.fill_(-1)
            route.launch(bound)
            torch.cuda.synchronize()
            is_right &= (torch.equal(expert.long(), want) and torch.allclose(weight, torch.softmax(top, 1), atol=1e-5)
                         and torch.equal(token.long(), to // 2) and torch.equal(scale, weight.reshape(-1)[to])
                         and tiles.t().tolist() == [list(tile) for tile in cut] and not z.any())
        report(f"router {tokens}x{k}, {experts} experts, 50 launches", is_right)

        def peer():
            logits = torch.mm(x, w)
            values, chosen = torch.topk(logits.float(), 2)
            torch.softmax(values, 1)
            flat = chosen.reshape(-1)
            torch.sort(flat, stable=True)
            torch.bincount(flat, minlength=experts)
        times = measure_in_turns([capture(lambda: route.launch(bound)), peer])
        print("  us: route; PyTorch's ops, uncaptured: " + " ".join(f"{t:.1f}" for t in times), flush=True)


CHECKS = {"stream_k": stream_k, "dropout": dropout, "cross_entropy": cross_entropy, "router": router}


def main():
    global folder, runtime
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("checks", nargs="*", default=list(CHECKS), choices=list(CHECKS), metavar="NAME")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    folder, runtime = options.folder, Runtime(options.folder)
    print(torch.cuda.get_device_name())
    for name in options.checks:
        CHECKS[name]()
    return not good


if __name__ == "__main__":
    sys.exit(main())
