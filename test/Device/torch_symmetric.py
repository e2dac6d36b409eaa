#!/usr/bin/env python3
# ===- torch_symmetric.py - PyTorch's symmetric memory, adopted ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Puts and signals between ranks in memory that PyTorch shares (docs/Comm.md, Other memory). Each process has a GPU. With
one GPU, the only rank copies to itself. Where PyTorch or its symmetric memory is missing, a line says so.

  torch_symmetric.py [--ranks N]        N: all GPUs unless given; exit status 1 if bytes are wrong

environment: CAROUSEL_RUNTIME_LIBRARY, the file of the runtime; libcarousel_runtime.so beside this file unless given.
CAROUSEL_TRANSPORT_PACKAGE: copies go by the TMA kernel, too.
"""

import argparse
import ctypes
import os
import socket
import sys
from pathlib import Path

SIGNALS = 4
BLOCK = (1 << 20) + 64
COPY_ENGINE, TMA = 1, 2


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_int32), ("blocking", ctypes.c_int32),
                ("driver", ctypes.c_char_p), ("nvrtc", ctypes.c_char_p), ("nvjitlink", ctypes.c_char_p),
                ("cache_directory", ctypes.c_char_p), ("cache_bytes", ctypes.c_uint64),
                ("trust_symmetric", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class CommOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rank", ctypes.c_int32), ("ranks", ctypes.c_int32),
                ("session", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint64), ("mailbox_bytes", ctypes.c_uint64),
                ("transport_package", ctypes.c_char_p), ("transport_table", ctypes.c_char_p),
                ("nccl_id", ctypes.c_void_p)]


class Runtime:
    """The C interface. A call that fails raises its message."""

    def __init__(self, file):
        self.library = ctypes.CDLL(str(file))
        self.library.carousel_last_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        function = getattr(self.library, f"carousel_{name}")
        if function(*arguments) != 0:
            raise RuntimeError(f"{name}: {self.library.carousel_last_error().decode()}")

    def make_options(self, kind, name):
        options = kind()
        initialize = getattr(self.library, f"carousel_{name}_options_init")
        initialize.restype = None
        initialize(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
        return options

    def make_context(self, device):
        options = self.make_options(ContextOptions, "context")
        options.device = device
        context = ctypes.c_void_p()
        self.call("context_create", ctypes.byref(options), ctypes.byref(context))
        return context

    def connect(self, context, rank, ranks, session):
        options = self.make_options(CommOptions, "comm")
        options.rank, options.ranks, options.session, options.mailbox_bytes = rank, ranks, session.encode(), 0
        comm = ctypes.c_void_p()
        self.call("comm_connect", context, ctypes.byref(options), ctypes.byref(comm))
        return comm

    def adopt(self, comm, addresses, size, counters):
        buffer, count = ctypes.c_void_p(), len(addresses)
        self.call("symmetric_adopt", comm, (ctypes.c_uint64 * count)(*addresses), ctypes.c_uint64(size),
                  (ctypes.c_uint64 * count)(*counters), ctypes.c_uint32(SIGNALS), ctypes.byref(buffer))
        return buffer

    def put_signal(self, buffer, to, offset, source, size, value, transport, stream):
        self.call("symmetric_put_signal", buffer, to, ctypes.c_uint64(offset), ctypes.c_uint64(source),
                  ctypes.c_uint64(size), ctypes.c_uint32(0), ctypes.c_uint64(value), transport, 0,
                  ctypes.c_void_p(stream))

    def wait(self, buffer, source, value, stream):
        self.call("symmetric_wait", buffer, source, ctypes.c_uint32(0), ctypes.c_uint64(value), ctypes.c_uint32(0),
                  ctypes.c_uint64(0), ctypes.c_void_p(stream))

    def release(self, kind, handle):
        function = getattr(self.library, f"carousel_{kind}")
        function.restype = None
        function(handle)


def share(torch, symmetric, size, dtype, group):
    """A zeroed tensor of this rank, and its address on each rank as mapped here."""
    tensor = symmetric.empty(size, dtype=dtype, device="cuda")
    handle = symmetric.rendezvous(tensor, group)
    tensor.zero_()
    torch.cuda.synchronize()
    offset = getattr(handle, "offset", 0)
    return tensor, handle, [address + offset for address in handle.buffer_ptrs]


def make_bytes(torch, source, target, step):
    generator = torch.Generator().manual_seed(1000 * step + 10 * source + target)
    return torch.randint(0, 256, (BLOCK,), dtype=torch.uint8, generator=generator)


def exchange(torch, runtime, comm, buffer, tensor, rank, ranks):
    """Every rank puts to every other one, at several offsets. Returns the number of puts."""
    peers = [other for other in range(ranks) if other != rank] or [rank]
    transports = [COPY_ENGINE] + ([TMA] if os.environ.get("CAROUSEL_TRANSPORT_PACKAGE") else [])
    stream, step, puts = torch.cuda.current_stream().cuda_stream, 0, 0
    for transport in transports:
        for offset, size in ((0, BLOCK), (16, 1 << 20), (3, 65537), (5, 1)):
            step += 1
            tensor.fill_(0xA5)
            torch.cuda.synchronize()
            runtime.call("comm_barrier", comm)
            sources = {to: make_bytes(torch, rank, to, step).cuda() for to in peers}
            for to in peers:
                runtime.put_signal(buffer, to, rank * BLOCK + offset, sources[to].data_ptr(), size, step, transport, stream)
                puts += 1
            for other in peers:
                runtime.wait(buffer, other, step, stream)
            runtime.call("comm_synchronize", comm, ctypes.c_void_p(stream))
            got = tensor.cpu()
            for other in peers:
                wanted = torch.full((BLOCK,), 0xA5, dtype=torch.uint8)
                wanted[offset:offset + size] = make_bytes(torch, other, rank, step)[:size]
                if not torch.equal(got[other * BLOCK:(other + 1) * BLOCK], wanted):
                    raise RuntimeError(f"expected the {size} bytes of rank {other} at offset {offset}, got other bytes")
            runtime.call("comm_barrier", comm)
    return puts


def work(rank, ranks, port, library, session):
    import torch
    import torch.distributed as distributed
    import torch.distributed._symmetric_memory as symmetric
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    group = distributed.group.WORLD
    if hasattr(symmetric, "enable_symm_mem_for_group"):  # newer releases need no call
        symmetric.enable_symm_mem_for_group(group.group_name)
    tensor, handle, addresses = share(torch, symmetric, ranks * BLOCK, torch.uint8, group)
    counters, counters_handle, words = share(torch, symmetric, ranks * SIGNALS, torch.int64, group)
    distributed.barrier()
    runtime = Runtime(library)
    context = runtime.make_context(rank)
    comm = runtime.connect(context, rank, ranks, session)
    buffer = runtime.adopt(comm, addresses, ranks * BLOCK, words)
    puts = exchange(torch, runtime, comm, buffer, tensor, rank, ranks)
    print(f"torch          rank {rank}: ok: {puts} puts in symmetric memory of PyTorch {torch.__version__}", flush=True)
    runtime.release("symmetric_free", buffer)
    runtime.release("comm_destroy", comm)
    runtime.release("context_destroy", context)
    distributed.barrier()
    del tensor, handle, counters, counters_handle
    distributed.destroy_process_group()


def find_problem():
    """Why there is nothing to check, or ""."""
    try:
        import torch
    except ImportError:
        return "no PyTorch here"
    if not torch.cuda.is_available():
        return "PyTorch sees no GPU"
    try:
        import torch.distributed._symmetric_memory as symmetric
    except ImportError:
        return f"PyTorch {torch.__version__} has no symmetric memory"
    if not hasattr(symmetric, "empty") or not hasattr(symmetric, "rendezvous"):
        return f"PyTorch {torch.__version__} has an older symmetric memory"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=0)
    options = parser.parse_args()
    problem = find_problem()
    if problem:
        print(f"torch          skipped: {problem}")
        return 0
    library = Path(os.environ.get("CAROUSEL_RUNTIME_LIBRARY", Path(__file__).resolve().parent / "libcarousel_runtime.so"))
    if not library.exists():
        print(f"torch_symmetric.py: error: expected the runtime's library, got none at {library}", file=sys.stderr)
        return 1
    import torch
    ranks = options.ranks or torch.cuda.device_count()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    session = f"torch-{os.getpid()}"
    try:
        torch.multiprocessing.spawn(work, args=(ranks, port, str(library), session), nprocs=ranks)
    except Exception as error:  # of a rank, with its trace
        print(f"torch          FAILED: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
