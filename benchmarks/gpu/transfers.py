#!/usr/bin/env python3
# ===- transfers.py - transfers between GPUs, beside what else carries them --- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times transfers (docs/Comm.md, docs/Transport.md) on a machine with two GPUs or more, a process for each GPU. Checks
all bytes that arrive. No multicast object is made.

  transfers.py pack DIR [--chip sm_90a]       the packages and the runtime's library (needs a build)
  transfers.py run DIR [--only NAME...] [--json FILE] [--most BYTES]
      copies     put and get by the TMA kernel and the copy engine, cudaMemcpyPeerAsync, NCCL send and recv
      beside     products by PyTorch while transfers run in another stream: how much slower they are
      products   a product whose tiles are pushed (examples/transport/products.mlir), beside product then copy
      gathers    rows that all GPUs gather and multiply, at once (@gather_product of the same file), beside an
                 all-gather and then a product
      exchanges  all GPUs at once: to the next one, and each to all others

On a machine with one GPU two processes share it: this tries the program out, the times mean nothing, and there is no
NCCL. Exit status: 0 if all bytes were right."""

import argparse
import ctypes
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
PACKAGES = {"transport": "runtime/transport/transport.mlir", "products": "examples/transport/products.mlir"}
PARTS = ("copies", "beside", "products", "gathers", "exchanges")
TRANSPORTS = {"copy engine": 1, "tma": 2}
KIB, MIB = 1 << 10, 1 << 20


def pack(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, source in PACKAGES.items():
        subprocess.run([BUILD / "bin/carousel-compile", ROOT / source, "-o", options.folder / f"{name}.pkg", "--chip",
                        options.chip, "--emit=cubin,ptx", "--quiet"], check=True)
    shutil.copy2(BUILD / "lib/libcarousel_runtime.so.2", options.folder / "libcarousel_runtime.so.2")


class CommOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rank", ctypes.c_int32), ("ranks", ctypes.c_int32),
                ("session", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint64), ("mailbox_bytes", ctypes.c_uint64),
                ("transport_package", ctypes.c_char_p), ("transport_table", ctypes.c_char_p),
                ("nccl_id", ctypes.c_void_p)]


class Symmetric:
    """A symmetric buffer, and a part's transfers in PyTorch's current stream."""

    def __init__(self, rank, nbytes):
        self.rank, self.call = rank, rank.runtime.call
        self.handle = ctypes.c_void_p()
        self.call("carousel_symmetric_allocate", rank.comm, ctypes.c_uint64(nbytes), ctypes.c_uint32(1),
                  ctypes.byref(self.handle))

    def address(self, rank):
        address = ctypes.c_uint64()
        self.call("carousel_symmetric_address", self.handle, ctypes.c_int32(rank), ctypes.byref(address))
        return address.value

    def move(self, name, peer, offset, local, nbytes, transport, ctas):
        from c_runtime import get_stream

        self.call(f"carousel_symmetric_{name}", self.handle, ctypes.c_int32(peer), ctypes.c_uint64(offset),
                  ctypes.c_uint64(local), ctypes.c_uint64(nbytes), ctypes.c_int32(TRANSPORTS[transport]),
                  ctypes.c_int32(ctas), get_stream())

    def put(self, *words):
        self.move("put", *words)

    def get(self, *words):
        self.move("get", *words)

    def signal(self, peer, value):
        from c_runtime import get_stream

        self.call("carousel_symmetric_signal", self.handle, ctypes.c_int32(peer), ctypes.c_uint32(0),
                  ctypes.c_uint64(value), get_stream())

    def wait(self, peer, value):
        from c_runtime import get_stream

        self.call("carousel_symmetric_wait", self.handle, ctypes.c_int32(peer), ctypes.c_uint32(0),
                  ctypes.c_uint64(value), ctypes.c_uint32(0), ctypes.c_uint64(0), get_stream())

    def read(self, like, offset=0):
        """What this rank's own part has."""
        import torch

        tensor = torch.empty_like(like)
        torch.cuda.synchronize()
        self.get(self.rank.number, offset, tensor.data_ptr(), tensor.numel() * tensor.element_size(), "copy engine", 0)
        torch.cuda.synchronize()
        return tensor

    def free(self):
        import torch

        torch.cuda.synchronize()
        self.rank.barrier()
        self.call("carousel_symmetric_free", self.handle, direct=True)


class Rank:
    """A process of the group, and what it has measured."""

    def __init__(self, options, number, ranks, store):
        import torch
        import torch.distributed as dist

        from c_runtime import Runtime

        self.options, self.number, self.ranks = options, number, ranks
        gpus = torch.cuda.device_count()
        self.gpu, self.has_nccl, self.shares = number % gpus, gpus >= ranks and dist.is_nccl_available(), gpus < ranks
        torch.cuda.set_device(self.gpu)
        torch.zeros(1, device="cuda")  # the context that all share
        dist.init_process_group("cpu:gloo,cuda:nccl" if self.has_nccl else "gloo", init_method=store, rank=number,
                                world_size=ranks)
        self.dist = dist
        self.runtime = Runtime(options.folder, self.gpu)
        self.kept = str(options.folder / "transport.pkg").encode()
        made = CommOptions()
        self.runtime.call("carousel_comm_options_init", ctypes.byref(made), ctypes.c_size_t(ctypes.sizeof(made)),
                          direct=True)
        made.rank, made.ranks, made.session = number, ranks, store.rpartition(":")[2].encode()
        made.transport_package = self.kept
        self.comm = ctypes.c_void_p()
        self.runtime.call("carousel_comm_connect", self.runtime.context, ctypes.byref(made), ctypes.byref(self.comm))
        self.rows, self.good = [], True

    def barrier(self):
        self.dist.barrier(group=self.gloo) if self.has_nccl else self.dist.barrier()

    def open_group(self):
        if self.has_nccl:
            self.gloo = self.dist.new_group(backend="gloo")

    def say(self, **row):
        """A row of the table, from rank 0."""
        if self.number == 0:
            self.rows.append(row)
            print("  ".join(f"{value:>10.2f}" if isinstance(value, float) else f"{value:>10}" for value in row.values()),
                  flush=True)

    def title(self, text):
        if self.number == 0:
            print(f"\n== {text}", flush=True)

    def expect(self, holds, what):
        if not holds:
            self.good = False
            print(f"rank {self.number}: WRONG: {what}", flush=True)


def make_bytes(count, seed):
    import torch

    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randint(0, 256, (count,), dtype=torch.uint8, device="cuda", generator=generator)


def make_matrix(rows, columns, seed):
    import torch

    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16, generator=generator)


def find_error(got, want, k):
    """The largest of a product, relative to a twentieth of a result's usual size at least: bf16 keeps 8 bits, and sums of
    `k` terms in f32 add less."""
    return ((got.double() - want).abs() / want.abs().clamp(min=k**0.5 * 0.05)).max().item()


def time_many(run, samples=15, count=10):
    """The median of samples, in microseconds; each of `count` runs between two events."""
    import torch

    for _ in range(3):
        run()
    times = []
    for _ in range(samples):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / count)
    return statistics.median(times)


def time_recorded(run, count=10):
    """The same in a CUDA graph of `count` runs, so that calls of Python don't count."""
    import torch

    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            run()
    return time_many(graph.replay, count=1) / count


def load_cudart():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libcudart" in line:
                return ctypes.CDLL(line.split()[-1])
    return None


# ===--------------------------------------------------------------------------===#
# Copies
# ===--------------------------------------------------------------------------===#


def get_sizes(options):
    sizes = [16, 4 * KIB, 16 * KIB, 128 * KIB, MIB, 16 * MIB, 128 * MIB, 1024 * MIB]
    return [size for size in sizes if size <= options.most]


def time_copies(rank):
    import torch

    most = max(get_sizes(rank.options))
    target = Symmetric(rank, most)
    own = make_bytes(most + 16, 1 + rank.number)
    other = make_bytes(most + 16, 2 - rank.number)
    peer = 1 - rank.number
    driver = load_cudart() if not rank.shares else None
    there = torch.empty(most, dtype=torch.uint8, device=f"cuda:{1 - rank.gpu}") if driver and rank.number == 0 else None
    if driver and rank.number == 0:
        driver.cudaDeviceEnablePeerAccess(1 - rank.gpu, 0)
    rank.title("copies from rank 0 to rank 1, in CUDA graphs but for NCCL: bytes, way, CTAs, us, GB/s, times the copy "
               "engine's speed")
    for nbytes in get_sizes(rank.options):
        count = 50 if nbytes < 4 * MIB else 10
        ways = [("put", "copy engine", 0)]
        ways += [("put", "tma", ctas) for ctas in (4, 8, 16) if ctas == 4 or (ctas // 2) * 16 * KIB < nbytes]
        ways += [("get", "copy engine", 0), ("get", "tma", 16), ("odd put", "copy engine", 0), ("odd put", "tma", 16)]
        base = None
        for name, transport, ctas in ways:
            # Odd: a source whose address has another remainder modulo 16 than the target's.
            move, odd = getattr(target, name.split()[-1]), 5 if name.startswith("odd") else 0
            to = own if name != "get" else torch.empty(most, dtype=torch.uint8, device="cuda")
            if rank.number == 0:
                us = time_recorded(lambda: move(peer, 0, to.data_ptr() + odd, nbytes, transport, ctas), count=count)
                base = base or us
                rank.say(bytes=nbytes, way=f"{name} {transport}", ctas=ctas, us=us, gbps=nbytes / us / 1e3, ratio=base / us)
            torch.cuda.synchronize()
            rank.barrier()
            if name != "get" and rank.number == 1:
                rank.expect(torch.equal(target.read(own[:nbytes]), other[odd:odd + nbytes]), f"{nbytes} bytes by {name} {transport}")
            if name == "get" and rank.number == 0:
                # What was put before comes back.
                rank.expect(torch.equal(to[:nbytes], own[:nbytes]), f"{nbytes} bytes by {name} {transport}")
            rank.barrier()
        if there is not None:
            us = time_recorded(lambda: driver.cudaMemcpyPeerAsync(
                ctypes.c_void_p(there.data_ptr()), 1 - rank.gpu, ctypes.c_void_p(own.data_ptr()), rank.gpu,
                ctypes.c_size_t(nbytes), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)), count=count)
            rank.say(bytes=nbytes, way="cudaMemcpyPeerAsync", ctas=0, us=us, gbps=nbytes / us / 1e3, ratio=base / us)
        if rank.has_nccl:
            buffer = own[:nbytes] if rank.number == 0 else torch.empty(nbytes, dtype=torch.uint8, device="cuda")
            us = time_many(lambda: send_or_receive(rank, buffer), count=count)
            rank.say(bytes=nbytes, way="NCCL", ctas=0, us=us, gbps=nbytes / us / 1e3, ratio=(base or us) / us)
        rank.barrier()
    target.free()


def send_or_receive(rank, buffer):
    if rank.number == 0:
        rank.dist.send(buffer, 1)
    elif rank.number == 1:
        rank.dist.recv(buffer, 0)


# ===--------------------------------------------------------------------------===#
# A product beside transfers
# ===--------------------------------------------------------------------------===#


def time_beside(rank):
    import torch

    nbytes = min(64 * MIB, rank.options.most)
    target = Symmetric(rank, nbytes)
    own = make_bytes(nbytes, 1)
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)
    side = torch.cuda.Stream(priority=-1)
    products = 20 if not rank.shares else 2

    def run_products(start):
        """Milliseconds, from when `start` has enqueued transfers, and those of the transfers."""
        torch.cuda.synchronize()
        rank.barrier()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
        with torch.cuda.stream(side):
            events[0].record()
            start()
            events[1].record()
        events[2].record()
        if rank.number == 0:
            for _ in range(products):
                torch.matmul(a, b, out=c)
        events[3].record()
        torch.cuda.synchronize()
        return events[2].elapsed_time(events[3]), events[0].elapsed_time(events[1])

    rank.title("20 products of 8192 x 8192 bf16 by PyTorch beside transfers of 64 MiB to rank 1: "
               "way, ms, slower by %, GB/s meanwhile")
    for _ in range(2):
        alone, _ = run_products(lambda: None)
    alone = statistics.median(run_products(lambda: None)[0] for _ in range(3))
    rank.say(way="alone", ms=alone, slower=0.0, gbps=0.0)
    ways = [("copy engine", "copy engine", 0), ("tma x4", "tma", 4), ("tma x8", "tma", 8), ("tma x16", "tma", 16)]
    ways += [("NCCL", None, 0)] if rank.has_nccl else []
    # Enough transfers to last as long as the products, at 400 GB/s.
    transfers = max(1, int(1.3 * alone * 1e-3 * 400e9 / nbytes)) if not rank.shares else 2
    for name, transport, ctas in ways:
        counted = [0]

        def start(transport=transport, ctas=ctas):
            for _ in range(transfers):
                if transport is None:
                    send_or_receive(rank, own)
                elif rank.number == 0:
                    target.put(1, 0, own.data_ptr(), nbytes, transport, ctas)

        transfers = share(rank, transfers)
        times = [run_products(start) for _ in range(4)][1:]
        products_ms = statistics.median(first for first, _ in times)
        transfers_ms = statistics.median(second for _, second in times)
        rank.say(way=name, ms=products_ms, slower=(products_ms / alone - 1) * 100,
                 gbps=transfers * nbytes / transfers_ms / 1e6)
    target.free()


def share(rank, value):
    """Rank 0's value."""
    values = [value]
    rank.dist.broadcast_object_list(values, 0, group=rank.gloo if rank.has_nccl else None)
    return values[0]


# ===--------------------------------------------------------------------------===#
# Products whose tiles go to a peer
# ===--------------------------------------------------------------------------===#


def time_products(rank):
    import torch

    from c_runtime import Kernel, Memory

    m = n = 8192
    inbox = Symmetric(rank, m * n * 2)
    counters = Symmetric(rank, (m // 256) * (n // 128) * 8)
    path = rank.options.folder / "products.pkg"
    push, product = (Kernel(rank.runtime, path, name) for name in ("push_product", "product"))
    local = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    rank.title(f"products of {m} x K and K x {n} bf16 that rank 1 gets: K, way, us, times the speed of product then copy")
    for k in (512, 1024, 2048, 4096):
        a, b = make_matrix(m, k, k), make_matrix(k, n, k + 1)
        remote = Memory(inbox.address(1), torch.bfloat16, (m, n))
        there = Memory(counters.address(1), torch.int64, (m // 256, n // 128))
        pushed = Kernel.bind([a, b, remote, there, k])
        alone = Kernel.bind([a, b, local])

        def put(transport, ctas):
            inbox.put(1, 0, local.data_ptr(), m * n * 2, transport, ctas)

        def run_then_copy(multiply, transport, ctas):
            multiply()
            put(transport, ctas)

        ours = lambda: product.launch(alone)
        torchs = lambda: torch.matmul(a, b, out=local)
        ways = [("product then copy engine", lambda: run_then_copy(ours, "copy engine", 0)),
                ("product then tma x16", lambda: run_then_copy(ours, "tma", 16)),
                ("torch then copy engine", lambda: run_then_copy(torchs, "copy engine", 0)),
                ("product alone", ours), ("copy alone", lambda: put("copy engine", 0)),
                ("pushed tiles", lambda: push.launch(pushed))]
        base = None
        for name, run in ways:
            if rank.number == 0:
                us = time_many(run, samples=9, count=5)
                base = base or us
                rank.say(k=k, way=name, us=us, ratio=base / us)
        torch.cuda.synchronize()
        rank.barrier()
        if rank.number == 1:
            error = find_error(inbox.read(local), a.double() @ b.double(), k)
            rank.expect(error < 2**-7, f"the product with K = {k}: a relative error of {error:.3g}")
            arrived = counters.read(torch.empty((m // 256) * (n // 128), dtype=torch.int64, device="cuda"))
            rank.expect(bool((arrived == k).all()), f"the signals of the product with K = {k}")
        rank.barrier()
    inbox.free()
    counters.free()


# ===--------------------------------------------------------------------------===#
# Rows that are gathered while they are multiplied
# ===--------------------------------------------------------------------------===#


def time_gathers(rank):
    import torch

    from c_runtime import Kernel, Memory

    number, ranks = rank.number, rank.ranks
    m, n = 8192 // ranks, 2048
    path = rank.options.folder / "products.pkg"
    push, gather, product = (Kernel(rank.runtime, path, name) for name in ("push_rows", "gather_product", "product"))
    side = torch.cuda.Stream(priority=-1)
    peers = [(number + i) % ranks for i in range(1, ranks)]
    tiles = -(-m // 256)
    rank.title(f"{m} rows of each of {ranks} ranks, gathered and multiplied by K x {n} bf16: K, way, us, times the speed of "
               "the first way")
    for k in (1024, 4096, 8192):
        gathered, counters = Symmetric(rank, ranks * m * k * 2), Symmetric(rank, ranks * tiles * 8)
        own = make_matrix(m, k, number)
        b = make_matrix(k, n, 100)
        y = torch.empty(ranks, m, n, device="cuda", dtype=torch.bfloat16)
        flat = torch.empty(ranks * m, k, device="cuda", dtype=torch.bfloat16)
        parts = [Memory(gathered.address(peer), torch.bfloat16, (ranks, m, k)) for peer in range(ranks)]
        there = [Memory(counters.address(peer), torch.int64, (ranks, tiles)) for peer in range(ranks)]
        whole = Memory(gathered.address(number), torch.bfloat16, (ranks * m, k))
        gathered.put(number, number * m * k * 2, own.data_ptr(), m * k * 2, "copy engine", 0)
        torch.cuda.synchronize()
        rank.barrier()
        rounds = [0]

        def gather_then(multiply, rounds=rounds):
            rounds[0] += 1
            for peer in peers:
                gathered.wait(peer, 2 * rounds[0] - 2)
                gathered.put(peer, number * m * k * 2, own.data_ptr(), m * k * 2, "copy engine", 0)
                gathered.signal(peer, 2 * rounds[0] - 1)
            for peer in peers:
                gathered.wait(peer, 2 * rounds[0] - 1)
            multiply()
            for peer in peers:
                gathered.signal(peer, 2 * rounds[0])

        def gather_meanwhile(rounds=rounds):
            rounds[0] += 1
            main = torch.cuda.current_stream()
            side.wait_stream(main)
            with torch.cuda.stream(side):
                for peer in peers:
                    gathered.wait(peer, 2 * rounds[0] - 2)
                    push.launch(Kernel.bind([parts[number], parts[peer], there[peer], rounds[0], number]))
            gather.launch(Kernel.bind([parts[number], b, there[number], y, rounds[0], number]))
            for peer in peers:
                gathered.signal(peer, 2 * rounds[0])
            main.wait_stream(side)

        def nccl():
            rank.dist.all_gather_into_tensor(flat, own)
            torch.matmul(flat, b, out=y.view(ranks * m, n))

        ways = [("copies then product", lambda: gather_then(lambda: product.launch(Kernel.bind(
            [whole, b, y.view(ranks * m, n)])))), ("copies and product", gather_meanwhile)]
        ways += [("NCCL then torch", nccl)] if rank.has_nccl else []
        base = None
        want = torch.cat([make_matrix(m, k, other) for other in range(ranks)]).double() @ b.double()
        for name, run in ways:
            y.zero_()
            torch.cuda.synchronize()
            rank.barrier()
            us = time_many(run, samples=9, count=5)
            torch.cuda.synchronize()
            rank.barrier()
            all_us = [None] * ranks
            rank.dist.all_gather_object(all_us, us, group=rank.gloo if rank.has_nccl else None)
            us = max(all_us)
            base = base or us
            rank.say(k=k, way=name, us=us, ratio=base / us)
            error = find_error(y.view(ranks * m, n), want, k)
            rank.expect(error < 2**-7, f"{name} with K = {k}: a relative error of {error:.3g}")
        gathered.free()
        counters.free()


# ===--------------------------------------------------------------------------===#
# Exchanges
# ===--------------------------------------------------------------------------===#


def time_exchanges(rank):
    import torch

    from c_runtime import get_stream  # noqa: F401  (the streams below become the current ones)

    nbytes = min(64 * MIB, rank.options.most)
    number, ranks = rank.number, rank.ranks
    inbox = Symmetric(rank, nbytes * ranks)
    own = make_bytes(nbytes, 10 + number)
    streams = [torch.cuda.Stream() for _ in range(ranks)]
    rank.title(f"exchanges of {ranks} ranks, {nbytes} bytes to each: pattern, way, us, GB/s that each rank sends")
    patterns = {"ring": [(number + 1) % ranks], "all pairs": [other for other in range(ranks) if other != number]}

    def put_all(peers, transport, ctas):
        for peer in peers:
            with torch.cuda.stream(streams[peer]):
                inbox.put(peer, number * nbytes, own.data_ptr(), nbytes, transport, ctas)

    def nccl_all(peers, pattern, buffers):
        senders = [(number - 1) % ranks] if pattern == "ring" else peers
        operations = [rank.dist.P2POp(rank.dist.isend, own, peer) for peer in peers]
        operations += [rank.dist.P2POp(rank.dist.irecv, buffers[peer], peer) for peer in senders]
        for work in rank.dist.batch_isend_irecv(operations):
            work.wait()

    for pattern, peers in patterns.items():
        buffers = [torch.empty_like(own) for _ in range(ranks)] if rank.has_nccl else None
        ways = [("copy engine", lambda: put_all(peers, "copy engine", 0)),
                ("tma x16", lambda: put_all(peers, "tma", max(16 // len(peers), 4))),
                ("tma x32", lambda: put_all(peers, "tma", max(32 // len(peers), 4)))]
        ways += [("NCCL", lambda: nccl_all(peers, pattern, buffers))] if rank.has_nccl else []
        for name, run in ways:
            times = []
            for sample in range(12):
                torch.cuda.synchronize()
                rank.barrier()
                begin = time.perf_counter()
                for _ in range(10):
                    run()
                torch.cuda.synchronize()
                times.append((time.perf_counter() - begin) * 1e5)
            us = statistics.median(times[2:])
            all_us = [None] * ranks
            rank.dist.all_gather_object(all_us, us, group=rank.gloo if rank.has_nccl else None)
            us = max(all_us)
            rank.say(pattern=pattern, way=name, us=us, gbps=nbytes * len(peers) / us / 1e3)
            rank.barrier()
            if name == "NCCL":
                continue
            for sender in [(number - 1) % ranks] if pattern == "ring" else peers:
                want = make_bytes(nbytes, 10 + sender)
                rank.expect(torch.equal(inbox.read(own, sender * nbytes), want), f"{pattern} by {name} from rank {sender}")
            rank.barrier()
    inbox.free()


# ===--------------------------------------------------------------------------===#
# The group
# ===--------------------------------------------------------------------------===#

RUNS = {"copies": time_copies, "beside": time_beside, "products": time_products, "gathers": time_gathers,
        "exchanges": time_exchanges}


def run_rank(options, number, ranks, store):
    import torch

    sys.path.insert(0, str(Path(__file__).resolve().parent))
    rank = Rank(options, number, ranks, store)
    rank.open_group()
    if number == 0:
        how = f"{ranks} GPUs" if not rank.shares else f"{ranks} processes on one GPU"
        print(f"{torch.cuda.get_device_name()}, {how}, torch {torch.__version__}, NCCL "
              f"{'.'.join(map(str, torch.cuda.nccl.version())) if rank.has_nccl else 'left out'}")
    for part in options.only:
        RUNS[part](rank)
        torch.cuda.empty_cache()
    if number == 0 and options.json:
        options.json.write_text(json.dumps(rank.rows, indent=1))
    rank.barrier()
    rank.runtime.call("carousel_comm_destroy", rank.comm, direct=True)
    rank.dist.destroy_process_group()
    return 0 if rank.good else 1


def run(options):
    import torch

    ranks = max(2, torch.cuda.device_count())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        store = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    words = [sys.executable, __file__, *sys.argv[1:]]
    processes = [subprocess.Popen([*words, "--rank", f"{number}/{ranks}", "--store", store]) for number in range(ranks)]
    failed = False
    # A rank that ends early ends the others, which would wait for it.
    while processes:
        for process in [process for process in processes if process.poll() is not None]:
            processes.remove(process)
            if process.returncode and not failed:
                failed = True
                time.sleep(2)
                for other in processes:
                    other.kill()
        time.sleep(0.05)
    print(f"\ntransfers: {'failed' if failed else 'all bytes were right'}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("pack", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--most", type=int, default=1024 * MIB, help="the largest copy in bytes")
    parser.add_argument("--rank", help=argparse.SUPPRESS)
    parser.add_argument("--store", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if options.command == "pack":
        return pack(options)
    if options.rank:
        number, ranks = map(int, options.rank.split("/"))
        return run_rank(options, number, ranks, options.store)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
