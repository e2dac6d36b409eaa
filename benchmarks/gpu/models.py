#!/usr/bin/env python3
# ===- models.py - whole models on a GPU, beside their frameworks ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Times the models of scripts/modules/real_models on a GPU, beside torch.compile, or XLA for JAX's.

  models.py pack DIR [NAME...] compile DIR/NAME.mlir, which scripts/zoo --size=real --models DIR writes, to DIR/NAME.pkg, and
                               note what its steps are predicted to take; copy the runtime (where Carousel is built)
    --chip CHIP                a chip other than sm_90a
  models.py time DIR [NAME...] check and time each NAME.pkg of DIR
    --steps                    print measured beside predicted times of kernels, too
    --no-peer                  without torch.compile, which takes minutes

Each model runs in a process of its own. Times are medians in us with nothing in the L2, both sides as CUDA graphs
(max-autotune for torch.compile); eager PyTorch without. XLA gives no stream: its training step and ours are timed by the
host, from launch to synchronization. Results are compared with the model in float32: the norm of errors may be twice the
framework's own in the model's type, and the largest error four times as large. Exit status: 0, or 1 if one isn't right.
"""

import argparse
import copy
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/modules"))
from real_models import FRAMEWORKS  # noqa: E402

LIMIT = 400  # seconds for a model
NORM_FACTOR, MOST_FACTOR = 2, 4

# ===--------------------------------------------------------------------------===#
# Where Carousel is built
# ===--------------------------------------------------------------------------===#


def pack(folder, names, chip):
    build = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build"))
    shutil.copy(build / "lib/libcarousel_runtime.so.2", folder)
    for name in names or [name for name in FRAMEWORKS if (folder / f"{name}.mlir").exists()]:
        begin = time.monotonic()
        done = subprocess.run([build / "bin/carousel-compile", folder / f"{name}.mlir", "-o", folder / f"{name}.pkg", "--chip", chip,
                               "--explain=json"], stdout=subprocess.PIPE, check=False, text=True)
        if done.returncode:
            sys.exit(f"models.py: error: expected {name}.mlir to compile, got status {done.returncode}")
        steps = [[note["Step"], float(note["Predicted"])] for note in json.loads(done.stdout)["graphs"]
                 if note["name"] == "Time" and not note["Step"].endswith(" at load")]
        steps = [step for step in steps if " steps" not in step[0]]  # without the sum
        (folder / f"{name}.steps.json").write_text(json.dumps(steps), encoding="utf-8")
        print(f"{name}: {len(steps)} steps, predicted {sum(time for _, time in steps):.0f} us, compiled in "
              f"{time.monotonic() - begin:.1f} s", flush=True)


# ===--------------------------------------------------------------------------===#
# On a GPU
# ===--------------------------------------------------------------------------===#


def find_errors(got, want):
    """The norm of errors and the largest, each relative to what is wanted; a large result in pieces."""
    sums = [0.0, 0.0, 0.0, 0.0]
    for own, exact in zip(got.flatten().split(1 << 26), want.flatten().split(1 << 26)):
        errors, exact = (own.double() - exact.double()).abs(), exact.double()
        if not errors.isfinite().all():
            return float("inf"), float("inf")
        sums = [sums[0] + errors.square().sum().item(), sums[1] + exact.square().sum().item(),
                max(sums[2], errors.max().item()), max(sums[3], exact.abs().max().item())]
    return (sums[0] / (sums[1] or 1)) ** 0.5, sums[2] / (sums[3] or 1)


def is_right(ours, own):
    """Errors of our results, and the framework's."""
    return ours[0] <= NORM_FACTOR * own[0] + 1e-6 and ours[1] <= MOST_FACTOR * own[1] + 1e-6


def measure_steps(run, predicted):
    """Prints the time of each kernel in one run, beside the predicted ones."""
    import torch

    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        run()
        torch.cuda.synchronize()
    rows = defaultdict(lambda: [0, 0.0, 0.0])
    for name, value in predicted:
        rows[name][1] += value
    for event in profiler.key_averages():
        if event.device_time_total == 0:
            continue  # a call of the host
        step = re.match(r"(main_\d+)(?![0-9])", event.key)
        row = rows[step[1] if step else "cuBLASLt"]
        row[0] += event.count
        row[2] += event.device_time_total
    for name, (count, value, took) in sorted(rows.items(), key=lambda row: -row[1][2]):
        print(f"    {name:12} {count:4} x {took:9.1f} us, predicted {value:9.1f}: {value / took if took else 0:.2f}", flush=True)


def report(name, right, eager, peer, plain, graph, predicted):
    def show(value):
        return f"{value:9.1f}" if value else f"{'-':>9}"

    print(f"{name:14} {'right' if right else 'WRONG':5} {show(eager)} {show(peer)} {show(plain)} {show(graph)} "
          f"{f'{peer / graph:5.2f}' if peer else '    -'} {predicted:9.0f} {predicted / graph:5.2f}", flush=True)


def time_torch(program, bind, name, predicted, options):
    import torch
    from graphs import capture, measure
    from real_models import torch_models

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    model = getattr(torch_models, name)()
    model.module.cuda()
    model.inputs = [value.cuda() for value in model.inputs]
    model.__post_init__()
    with torch.no_grad():
        own = model.run(*model.inputs)
        wide = copy.deepcopy(model.module).float()
        want = model.call(wide, *[value.float() if value.is_floating_point() else value for value in model.inputs])
        del wide
        out = torch.full(own.shape, float("nan"), dtype=own.dtype, device="cuda")
        arguments = bind([*model.make_arguments(), out])
        errors = find_errors(own, want)
        del own

        def launch():
            program.launch(arguments)

        def load_and_launch():  # a graph has the parameters of its own stream
            program.load_parameters(arguments)
            launch()

        program.load_parameters(arguments)
        right = True
        for run in (launch, capture(launch, load_and_launch)):
            out.fill_(float("nan"))
            run()
            torch.cuda.synchronize()
            right &= is_right(find_errors(out, want), errors)
        print(f"  errors: norm {find_errors(out, want)[0]:.2g} ({errors[0]:.2g} of PyTorch), largest {find_errors(out, want)[1]:.2g} "
              f"({errors[1]:.2g})")
        del want
        times = [measure(lambda: model.run(*model.inputs)), 0, measure(launch), measure(capture(launch, load_and_launch))]
        if options.steps:
            measure_steps(launch, predicted)
        if not options.no_peer:
            if name.startswith("resnet"):  # as PyTorch recommends for convolutions
                model.module.to(memory_format=torch.channels_last)
                model.inputs = [value.to(memory_format=torch.channels_last) for value in model.inputs]
            compiled = torch.compile(model.run, mode="max-autotune-no-cudagraphs", dynamic=False)
            for _ in range(2):
                compiled(*model.inputs)
            times[1] = measure(capture(lambda: compiled(*model.inputs)))
    report(name, right, *times, sum(value for _, value in predicted))
    return right


def time_jax(program, bind, name, predicted, options):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    import torch
    from graphs import capture
    from real_models import jax_models

    scratch = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def measure(run, count=20):
        times = []
        for _ in range(count + 3):
            scratch.fill_(1)
            torch.cuda.synchronize()
            begin = time.perf_counter()
            run()
            times.append((time.perf_counter() - begin) * 1e6)
        return statistics.median(times[3:])

    model = getattr(jax_models, name)()
    values = [jnp.asarray(value) for value in model.make_arguments()]
    with jax.default_matmul_precision("highest"):
        wants = jax.block_until_ready(jax.jit(model.get_function(jnp.float32))(*values))
    step = jax.jit(model.get_function())
    owns = jax.block_until_ready(step(*values))
    owns, wants = ([torch.from_dlpack(value) for value in results] for results in (owns, wants))
    outs = [torch.full(value.shape, float("nan"), dtype=value.dtype, device="cuda") for value in owns]
    arguments = bind([*map(torch.from_dlpack, values), *outs])

    def launch():
        program.launch(arguments)
        torch.cuda.synchronize()

    def load_and_launch():
        program.load_parameters(arguments)
        program.launch(arguments)

    program.load_parameters(arguments)
    launch()
    errors = [(find_errors(out, want), find_errors(own, want)) for out, own, want in zip(outs, owns, wants)]
    # One number can be right by chance.
    largest = tuple(max(own[at] for _, own in errors) for at in (0, 1))
    right = all(is_right(ours, own if want.numel() > 1 else largest) for (ours, own), want in zip(errors, wants))
    print(f"  errors: norms at most {max(ours[0] for ours, _ in errors):.2g} ({largest[0]:.2g} of XLA)")
    replay = capture(lambda: program.launch(arguments), load_and_launch)

    def replay_once():
        replay()
        torch.cuda.synchronize()

    times = [0, 0 if options.no_peer else measure(lambda: jax.block_until_ready(step(*values))), measure(launch), measure(replay_once)]
    if options.steps:
        measure_steps(launch, predicted)
    report(name, right, *times, sum(value for _, value in predicted))
    return right


def time_models(folder, names, options):
    names = names or [name for name in FRAMEWORKS if (folder / f"{name}.pkg").exists()]
    if not names:
        sys.exit("models.py: error: expected packages, which models.py pack makes, got none")
    if len(names) > 1:
        print(f"{'model':14} {'':5} {'eager':>9} {'peer':>9} {'ours':>9} {'as graph':>9} ratio predicted /measured", flush=True)
        failed = []
        for name in names:
            words = [sys.executable, __file__, "time", folder, name, *(["--steps"] if options.steps else []),
                     *(["--no-peer"] if options.no_peer else [])]
            try:
                status = subprocess.run(words, check=False, timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                status = f"no end in {LIMIT} s"
            if status:
                failed.append(name)
                print(f"{name:14} FAILED: {status}", flush=True)
        return not failed
    import torch
    from c_runtime import Program, Runtime

    torch.zeros(1, device="cuda")  # the context that all share
    print(f"{names[0]} on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
    program = Program(Runtime(folder), folder / f"{names[0]}.pkg")
    predicted = json.loads((folder / f"{names[0]}.steps.json").read_text(encoding="utf-8"))
    return (time_torch if FRAMEWORKS[names[0]] == "torch" else time_jax)(program, Program.bind, names[0], predicted, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("pack", "time"):
        sub = commands.add_parser(command)
        sub.add_argument("folder", type=Path, metavar="DIR")
        sub.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FRAMEWORKS)}")
        if command == "pack":
            sub.add_argument("--chip", default="sm_90a")
        else:
            sub.add_argument("--steps", action="store_true", help="print kernels")
            sub.add_argument("--no-peer", action="store_true", help="without torch.compile")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in FRAMEWORKS]:
        parser.error(f"expected one of {', '.join(FRAMEWORKS)}, got '{unknown[0]}'")
    if options.command == "pack":
        pack(options.folder, options.names, options.chip)
        return 0
    return 0 if time_models(options.folder.resolve(), options.names, options) else 1


if __name__ == "__main__":
    sys.exit(main())
