# ===- transfer_group.py - a process of a group ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A rank of a group (docs/Comm.md), its symmetric buffers, and how its work is timed."""

import ctypes
import statistics

import torch
import torch.distributed as dist

from c_runtime import Runtime, get_stream
from transfers import Meeting

KIB, MIB = 1 << 10, 1 << 20
TRANSPORTS = {"copy engine": 1, "tma": 2}


class CommOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rank", ctypes.c_int32), ("ranks", ctypes.c_int32),
                ("session", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint64), ("mailbox_bytes", ctypes.c_uint64),
                ("transport_package", ctypes.c_char_p), ("transport_table", ctypes.c_char_p),
                ("nccl_id", ctypes.c_void_p)]


class Symmetric:
    """A symmetric buffer, and a part's transfers in PyTorch's current stream."""

    def __init__(self, rank, nbytes):
        self.rank, self.call, self.nbytes = rank, rank.runtime.call, nbytes
        self.handle = ctypes.c_void_p()
        self.call("carousel_symmetric_allocate", rank.comm, ctypes.c_uint64(nbytes), ctypes.c_uint32(1),
                  ctypes.byref(self.handle))

    def address(self, rank):
        address = ctypes.c_uint64()
        self.call("carousel_symmetric_address", self.handle, ctypes.c_int32(rank), ctypes.byref(address))
        return address.value

    def move(self, name, peer, offset, local, nbytes, transport, ctas):
        self.call(f"carousel_symmetric_{name}", self.handle, ctypes.c_int32(peer), ctypes.c_uint64(offset),
                  ctypes.c_uint64(local), ctypes.c_uint64(nbytes), ctypes.c_int32(TRANSPORTS[transport]),
                  ctypes.c_int32(ctas), get_stream())

    def put(self, *words):
        self.move("put", *words)

    def get(self, *words):
        self.move("get", *words)

    def signal(self, peer, value):
        self.call("carousel_symmetric_signal", self.handle, ctypes.c_int32(peer), ctypes.c_uint32(0),
                  ctypes.c_uint64(value), get_stream())

    def wait(self, peer, value):
        self.call("carousel_symmetric_wait", self.handle, ctypes.c_int32(peer), ctypes.c_uint32(0),
                  ctypes.c_uint64(value), ctypes.c_uint32(0), ctypes.c_uint64(0), get_stream())

    def clear(self):
        """Sets this rank's own part to 0xa5; all ranks call it before a way that is checked."""
        filler = torch.full((self.nbytes,), 0xa5, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        self.put(self.rank.number, 0, filler.data_ptr(), self.nbytes, "copy engine", 0)
        torch.cuda.synchronize()
        self.rank.barrier()

    def read(self, like, offset=0):
        """What this rank's own part has."""
        tensor = torch.empty_like(like)
        torch.cuda.synchronize()
        self.get(self.rank.number, offset, tensor.data_ptr(), tensor.numel() * tensor.element_size(), "copy engine", 0)
        torch.cuda.synchronize()
        return tensor

    def free(self):
        torch.cuda.synchronize()
        self.rank.barrier()
        self.call("carousel_symmetric_free", self.handle, direct=True)


class Rank:
    """A process of the group, and what it has measured."""

    def __init__(self, options, number, ranks, store):
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
        made.rank, made.ranks, made.session = number, ranks, Meeting.name_session(store).encode()
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
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randint(0, 256, (count,), dtype=torch.uint8, device="cuda", generator=generator)


def make_matrix(rows, columns, seed):
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16, generator=generator)


def find_error(got, want, k):
    """The largest of a product, relative to a twentieth of a result's usual size at least: bf16 keeps 8 bits, and sums of
    `k` terms in f32 add less."""
    return ((got.double() - want).abs() / want.abs().clamp(min=k**0.5 * 0.05)).max().item()


def time_many(run, samples=15, count=10):
    """The median of samples, in microseconds; each of `count` runs between two events."""
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


def send_or_receive(rank, buffer):
    if rank.number == 0:
        rank.dist.send(buffer, 1)
    elif rank.number == 1:
        rank.dist.recv(buffer, 0)


def share(rank, value):
    """Rank 0's value."""
    values = [value]
    rank.dist.broadcast_object_list(values, 0, group=rank.gloo if rank.has_nccl else None)
    return values[0]


def share_most(rank, value):
    """The largest value of all ranks, when all have got here."""
    torch.cuda.synchronize()
    rank.barrier()
    values = [None] * rank.ranks
    rank.dist.all_gather_object(values, value, group=rank.gloo if rank.has_nccl else None)
    return max(values)
