# ===- transfer_parts.py - what transfers.py times --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The parts of transfers.py. All ranks call each function, with their Rank."""

import ctypes
import statistics
import time

import torch

from c_runtime import Index, Kernel, Memory
from transfer_group import (KIB, MIB, Symmetric, find_error, load_cudart, make_bytes, make_matrix, send_or_receive, share,
                            share_most, time_many, time_recorded)
from transfers import TILES, name_tiles

# ===--------------------------------------------------------------------------===#
# Copies
# ===--------------------------------------------------------------------------===#


def get_sizes(options):
    sizes = [16, 4 * KIB, 16 * KIB, 128 * KIB, MIB, 16 * MIB, 128 * MIB, 1024 * MIB]
    return [size for size in sizes if size <= options.most]


def time_copies(rank):
    most = max(get_sizes(rank.options))
    target = Symmetric(rank, most)
    own = make_bytes(most + 16, 1 + rank.number)
    other = make_bytes(most + 16, 2 - rank.number)
    peer = 1 - rank.number
    driver = load_cudart() if not rank.shares else None
    there = torch.empty(most, dtype=torch.uint8, device=f"cuda:{1 - rank.gpu}") if driver and rank.number == 0 else None
    if driver and rank.number == 0:
        driver.cudaDeviceEnablePeerAccess(1 - rank.gpu, 0)
    rank.title("copies from rank 0 to rank 1, in CUDA graphs but for cudaMemcpyPeerAsync and NCCL, whose calls by "
               "Python count: bytes, way, CTAs, us, GB/s, times the copy engine's speed")
    for nbytes in get_sizes(rank.options):
        count = 50 if nbytes < 4 * MIB else 10
        ways = [("put", "copy engine", 0)]
        ways += [("put", "tma", ctas) for ctas in (4, 8, 16) if ctas == 4 or (ctas // 2) * 16 * KIB < nbytes]
        ways += [("get", "copy engine", 0), ("get", "tma", 16), ("odd put", "copy engine", 0), ("odd put", "tma", 16)]
        base = None
        for name, transport, ctas in ways:
            # Odd: a source whose address has another remainder modulo 16 than the target's.
            move, odd = getattr(target, name.split()[-1]), 5 if name.startswith("odd") else 0
            to = own if name != "get" else torch.full((most,), 0xa5, dtype=torch.uint8, device="cuda")
            # A get reads what the put before it left.
            if name != "get":
                target.clear()
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
            # Its capture is an error of the driver.
            us = time_many(lambda: driver.cudaMemcpyPeerAsync(
                ctypes.c_void_p(there.data_ptr()), 1 - rank.gpu, ctypes.c_void_p(own.data_ptr()), rank.gpu,
                ctypes.c_size_t(nbytes), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)), count=count)
            rank.say(bytes=nbytes, way="cudaMemcpyPeerAsync", ctas=0, us=us, gbps=nbytes / us / 1e3, ratio=base / us)
        if rank.has_nccl:
            buffer = own[:nbytes] if rank.number == 0 else torch.empty(nbytes, dtype=torch.uint8, device="cuda")
            us = time_many(lambda: send_or_receive(rank, buffer), count=count)
            rank.say(bytes=nbytes, way="NCCL", ctas=0, us=us, gbps=nbytes / us / 1e3, ratio=(base or us) / us)
        rank.barrier()
    target.free()


def time_tiles(rank):
    nbytes = rank.options.most
    target = Symmetric(rank, nbytes)
    own = make_bytes(nbytes, 1)
    none = own[:0]
    rank.title("puts by kernels of other tiles: bytes of a tile, stages, loads ahead, CTAs of a cluster, bytes, CTAs, us, "
               "GB/s")
    for size, stages, ahead, cluster in TILES:
        target.clear()
        kernel = Kernel(rank.runtime, rank.options.folder / f"{name_tiles(size, stages, ahead, cluster)}.pkg", "copy_bytes")
        for count in sorted({min(MIB, nbytes), nbytes}):
            for ctas in (number for number in (4, 8, 16, 32) if number >= cluster):
                source = Memory(own.data_ptr(), torch.uint8, (count,))
                there = Memory(target.address(1), torch.uint8, (count,))
                bound = Kernel.bind([source, there, none, none, none, none, Index(ctas)])
                if rank.number == 0:
                    us = time_recorded(lambda: kernel.launch(bound), count=50 if count < 4 * MIB else 5)
                    rank.say(tile=size, stages=stages, ahead=ahead, cluster=cluster, bytes=count, ctas=ctas, us=us,
                             gbps=count / us / 1e3)
        torch.cuda.synchronize()
        rank.barrier()
        if rank.number == 1:
            rank.expect(torch.equal(target.read(own), own), f"{nbytes} bytes by tiles of {size}")
        rank.barrier()
    target.free()


# ===--------------------------------------------------------------------------===#
# A product beside transfers
# ===--------------------------------------------------------------------------===#


def time_beside(rank):
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


# What time_many launches with 9 samples of 5.
LAUNCHES = 3 + 9 * 5


# ===--------------------------------------------------------------------------===#
# Products whose tiles go to a peer
# ===--------------------------------------------------------------------------===#


def time_products(rank):
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
            inbox.clear()
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

        # Bound before, since Python takes longer for it than a GPU for these kernels. Rounds go on behind those of
        # the way that copies first.
        bound = [(at, [Kernel.bind([parts[number], parts[peer], there[peer], at, number]) for peer in peers],
                  Kernel.bind([parts[number], b, there[number], y, at, number]))
                 for at in range(LAUNCHES + 1, 2 * LAUNCHES + 1)]

        def gather_meanwhile(bound=iter(bound)):
            at, pushed, gathering = next(bound)
            main = torch.cuda.current_stream()
            side.wait_stream(main)
            with torch.cuda.stream(side):
                for peer, arguments in zip(peers, pushed):
                    gathered.wait(peer, 2 * at - 2)
                    push.launch(arguments)
            gather.launch(gathering)
            for peer in peers:
                gathered.signal(peer, 2 * at)
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
            us = share_most(rank, us)
            base = base or us
            rank.say(k=k, way=name, us=us, ratio=base / us)
            error = find_error(y.view(ranks * m, n), want, k)
            rank.expect(error < 2**-7, f"{name} with K = {k}: a relative error of {error:.3g}")
        gathered.free()
        counters.free()


# ===--------------------------------------------------------------------------===#
# Products that two GPUs add up
# ===--------------------------------------------------------------------------===#


def time_sums(rank):
    """Each rank multiplies all rows by its share of K, and gets the sums of a part of the rows."""
    number, m, n = rank.number, 4096, 8192
    peer = 1 - number
    inbox, counters = Symmetric(rank, m * n * 2), Symmetric(rank, (m // 256) * (n // 128) * 8)
    path = rank.options.folder / "products.pkg"
    push, reduce = (Kernel(rank.runtime, path, name) for name in ("push_product", "reduce_product"))
    y = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    whole = torch.empty(2 * m, n, device="cuda", dtype=torch.bfloat16)
    own_inbox = Memory(inbox.address(number), torch.bfloat16, (m, n))
    remote = Memory(inbox.address(peer), torch.bfloat16, (m, n))
    arrived, there = (Memory(counters.address(at), torch.int64, (m // 256, n // 128)) for at in (number, peer))
    done = 0
    counters.clear()
    rank.title(f"sums of two products of {2 * m} x K and K x {n} bf16, half of the rows for each rank: K, way, us, times the "
               "speed of the first way")
    for k in (1024, 2048, 4096):
        a = [make_matrix(2 * m, k, 10 * k + at) for at in range(2)]
        b = [make_matrix(k, n, 10 * k + 5 + at) for at in range(2)]
        foreign, own = a[number][peer * m:(peer + 1) * m], a[number][number * m:(number + 1) * m]

        # Bound before, since Python takes longer for it than a GPU for these kernels.
        bound = [(at, Kernel.bind([foreign, b[number], remote, there, at]),
                  Kernel.bind([own, b[number], own_inbox, arrived, at, y])) for at in range(done + 1, done + LAUNCHES + 1)]
        done += LAUNCHES

        def at_once(bound=iter(bound)):
            at, pushed, reduced = next(bound)
            inbox.wait(peer, at - 1)
            push.launch(pushed)
            reduce.launch(reduced)
            inbox.signal(peer, at)

        def nccl(left=a[number], right=b[number]):
            torch.matmul(left, right, out=whole)
            rank.dist.reduce_scatter_tensor(y, whole)

        ways = ([("torch then NCCL", nccl)] if rank.has_nccl else []) + [("pushed, then reduced", at_once)]
        last = bound[-1]
        ways += [("pushed alone", lambda last=last: push.launch(last[1])), ("reduced alone", lambda last=last: reduce.launch(last[2]))]
        rows = slice(number * m, (number + 1) * m)
        parts = [a[at][rows].double() @ b[at].double() for at in range(2)]
        base = None
        for name, run in ways:
            if name != "pushed alone":
                y.zero_()
            torch.cuda.synchronize()
            rank.barrier()
            us = share_most(rank, time_many(run, samples=9, count=5))
            base = base or us
            rank.say(k=k, way=name, us=us, ratio=base / us)
            # Both parts and their sum are rounded to bf16, which loses 2^-9 of a number at most.
            size = sum(part.abs() for part in parts).clamp(min=k**0.5 * 0.05)
            error = ((y.double() - sum(parts)).abs() / size).max().item()
            rank.expect(error < 2**-7, f"{name} with K = {k}: a relative error of {error:.3g}")
        torch.cuda.synchronize()
        rank.barrier()
    inbox.free()
    counters.free()


# ===--------------------------------------------------------------------------===#
# Exchanges
# ===--------------------------------------------------------------------------===#


def time_exchanges(rank):
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
            inbox.clear()
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


RUNS = {"copies": time_copies, "tiles": time_tiles, "beside": time_beside, "products": time_products, "gathers": time_gathers,
        "sums": time_sums, "exchanges": time_exchanges}
