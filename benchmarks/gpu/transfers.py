#!/usr/bin/env python3
# ===- transfers.py - transfers between GPUs, beside what else carries them --- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times transfers (docs/Comm.md, docs/Transport.md) on a machine with two GPUs or more, a process for each GPU. Checks
all bytes that arrive. No multicast object is made.

  transfers.py pack DIR [--chip sm_90a]       the packages, the runtime's library and, where nvcc is, the programs of
                                              `explain` (needs a build)
  transfers.py run DIR [--only NAME...] [--json FILE] [--most BYTES]
      copies     put and get by the TMA kernel and the copy engine, cudaMemcpyPeerAsync, NCCL send and recv
      tiles      put by TMA kernels of other tiles, and with more stores under way, than the runtime's
      beside     products by PyTorch while transfers run in another stream: how much slower they are
      products   a product whose tiles are pushed (examples/transport/products.mlir), beside product then copy
      gathers    rows that all GPUs gather and multiply, at once (@gather_product of the same file), beside an
                 all-gather and then a product
      sums       products of two GPUs that they add up (@reduce_product), beside a product and a reduce-scatter
      exchanges  all GPUs at once: to the next one, and each to all others
  transfers.py explain DIR                    why: rates of kernels that differ in one choice from the transport's
                                              (PeerStores.cu), and what each call of a put costs (PeerLaunches.cu)

On a machine with one GPU two processes share it: this tries the program out, the times mean nothing, and there is no
NCCL. Exit status: 0 if all bytes were right."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
PACKAGES = {"transport": "runtime/transport/transport.mlir", "products": "examples/transport/products.mlir"}
PROGRAMS = {"peer-stores": "PeerStores.cu", "peer-launches": "PeerLaunches.cu"}
PARTS = ("copies", "tiles", "beside", "products", "gathers", "sums", "exchanges")


# Bytes of a tile, stages, how many of these are loads ahead (the others are stores under way), and CTAs of a cluster.
TILES = [(4096, 24, 20, 1), (8192, 12, 10, 1), (8192, 12, 6, 1), (16384, 6, 4, 1), (16384, 6, 3, 1), (16384, 12, 6, 1),
         (32768, 6, 3, 1), (16384, 6, 4, 2), (16384, 6, 4, 4), (16384, 6, 4, 8)]


def name_tiles(size, stages, ahead, cluster):
    return f"tiles_{size}x{stages}_{ahead}_{cluster}"


def write_copy(size, stages, ahead, cluster):
    """The first module of runtime/transport, of other tiles."""
    source = (ROOT / PACKAGES["transport"]).read_text(encoding="utf-8")
    source = source[:source.index("// The same for a source")].replace("16384", str(size))
    if cluster > 1:
        grid = f"grid = [ceildiv(scalar(6), {cluster}) * {cluster}], block = [32], cluster = [{cluster}]"
        source = source.replace("grid = [scalar(6)], block = [32]", grid)
    return source.replace("stages = 6", f"stages = {stages}, prefetch = {ahead}")


def pack(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, source in PACKAGES.items():
        subprocess.run([BUILD / "bin/carousel-compile", ROOT / source, "-o", options.folder / f"{name}.pkg", "--chip",
                        options.chip, "--emit=cubin,ptx", "--quiet"], check=True)
    for tiles in TILES:
        source = options.folder / f"{name_tiles(*tiles)}.mlir"
        source.write_text(write_copy(*tiles), encoding="utf-8")
        subprocess.run([BUILD / "bin/carousel-compile", source, "-o", source.with_suffix(".pkg"), "--chip", options.chip,
                        "--emit=cubin,ptx", "--quiet"], check=True)
    library = options.folder / "libcarousel_runtime.so.2"
    shutil.copy2(BUILD / "lib" / library.name, library)
    if not shutil.which("nvcc"):
        print("transfers: no nvcc here, so `explain` gets no programs")
        return 0
    here = Path(__file__).resolve().parent
    for program, source in PROGRAMS.items():
        subprocess.run(["nvcc", "-std=c++17", "-O2", f"-arch={options.chip}", f"-I{ROOT / 'runtime/include'}", here / source,
                        "-o", options.folder / program, f"-L{options.folder}", f"-l:{library.name}",
                        "-L/usr/local/cuda/lib64/stubs", "-lcuda", "-Xlinker", "-rpath=$ORIGIN"], check=True)
    return 0


def explain(options):
    """Both programs, and how the GPUs are connected and clocked."""
    if shutil.which("nvidia-smi"):
        for words in (["topo", "-m"], ["nvlink", "-s"],
                      ["--query-gpu=index,name,clocks.sm,clocks.mem,clocks.max.sm", "--format=csv"]):
            subprocess.run(["nvidia-smi", *words], check=False)
    good = True
    for program in PROGRAMS:
        words = [options.folder / program] + ([options.folder / "transport.pkg"] if program == "peer-launches" else [])
        print(f"\n=== {program}", flush=True)
        try:
            good &= subprocess.run(words, check=False, timeout=150).returncode == 0
        except subprocess.TimeoutExpired:
            print(f"transfers: {program}: expected an end within 150 s, got none")
            good = False
    return 0 if good else 1


class Meeting:
    """Where the processes of a run find each other: a file of its own. A port that is free now may be taken, even by
    the client that connects to it, before the server listens."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="carousel-transfers-")
        self.store = f"file://{self.folder.name}/store"

    @staticmethod
    def name_session(store):
        """The session of the group (docs/Comm.md): the folder's name."""
        return Path(store).parent.name


def run_rank(options, number, ranks, store):
    import torch

    from transfer_group import Rank
    from transfer_parts import RUNS

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
    meeting = Meeting()
    words = [sys.executable, __file__, *sys.argv[1:]]
    processes = [subprocess.Popen([*words, "--rank", f"{number}/{ranks}", "--store", meeting.store])
                 for number in range(ranks)]
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
    parser.add_argument("command", choices=("pack", "run", "explain"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--most", type=int, default=1 << 30, help="the largest copy in bytes")
    parser.add_argument("--rank", help=argparse.SUPPRESS)
    parser.add_argument("--store", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if options.command == "pack":
        return pack(options)
    if options.command == "explain":
        return explain(options)
    if options.rank:
        number, ranks = map(int, options.rank.split("/"))
        return run_rank(options, number, ranks, options.store)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
