# ===- model_cases.py - graphs, models and block kernels as cases ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What scripts/device/device-models packs: a source, what it is called with, and what it gives, from the framework or from the
simulated machine."""

import array
import ast
import json
import random
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from device_cases import TOOLS, run
from random_kernels import guards
from random_kernels.blocks import kernel as plain
from random_kernels.blocks import products, rows, tiles

UNKNOWN = 5  # an extent that each launch chooses
SIMULATION = 120  # seconds
# Relative to max(|y|, 1 % of the largest |y|): products of up to some thousand terms, added in another order.
ROUNDING = {"f64": 1e-9, "f32": 1e-4, "f16": 4e-3, "bf16": 2e-2}
# A graph's results may be off by this many times what they change by when its inputs change by a unit in the last place, as
# long as that is a small part of the largest: a softmax of large scores turns rounding errors into large ones.
FACTOR, MOST = 2, 0.05
# Functions whose last bits depend on the library: the host's for the simulated machine, and libdevice's.
INEXACT = re.compile(r"math\.(?!abs|ceil|clampf|copysign|ct|floor|fma|is|rint|round|sqrt|trunc)\w+")
NPY = {"f2": "f16", "f4": "f32", "f8": "f64", "u2": "bf16"}


class Failure(Exception):
    """One line for people."""


@dataclass
class ModelCase:
    """`expected` has, by tolerance, the files of outputs; `kernel` is empty for a program. `random` is what generated a
    random kernel."""
    name: str
    kind: str
    source: Path
    arguments: list
    kernel: str = ""
    expected: list = field(default_factory=list)
    random: object = None

    def call(self):
        return ["--kernel", self.kernel] if self.kernel else ["--program", "main"]


# ===- Arrays -------------------------------------------------------------------===#


def read_npy(path):
    """The element's type, and the shape, of an array in a file, and its bytes."""
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0] + 10 if data[6] == 1 else struct.unpack_from("<I", data, 8)[0] + 12
    header = ast.literal_eval(data[10 if data[6] == 1 else 12:size].decode("latin1"))
    return header["descr"][1:], header["shape"], data[size:]


def read_floats(path):
    """All elements; None of integers."""
    kind, _, data = read_npy(path)
    if kind == "u2":  # bf16: the upper half of an f32
        data = b"".join(b"\0\0" + data[at:at + 2] for at in range(0, len(data), 2))
        return array.array("f", data)
    if kind == "f2":
        return [struct.unpack_from("<e", data, at)[0] for at in range(0, len(data), 2)]
    if kind in ("f4", "f8"):
        return array.array("f" if kind == "f4" else "d", data)
    return None


def find_largest(path):
    """The largest finite magnitude of floats; None of integers."""
    values = read_floats(path)
    if values is None:
        return None
    return max((abs(value) for value in values if abs(value) < float("inf")), default=0.0)


def find_tolerance(path, shaken=None):
    """Words of carousel-run. `shaken` has the results for inputs that differ in the last place."""
    largest = find_largest(path)
    if largest is None:
        return []
    relative = ROUNDING[NPY[read_npy(path)[0]]]
    absolute = relative * 0.01 * largest
    if shaken:
        moved = max((abs(a - b) for a, b in zip(read_floats(path), read_floats(shaken)) if abs(a - b) < float("inf")),
                    default=0.0)
        absolute = max(absolute, min(FACTOR * moved, MOST * largest))
    return ["--rtol", f"{relative:g}", "--atol", f"{absolute:.3g}"]


def shake(path, seed):
    """Moves half of the elements of a file of floats by a unit in the last place; zeros, infinities and NaNs stay."""
    kind, _, data = read_npy(path)
    if kind not in NPY or not data:
        return
    code, infinity = {"f2": ("H", 0x7C00), "u2": ("H", 0x7F80), "f4": ("I", 0x7F800000), "f8": ("Q", 0x7FF << 52)}[kind]
    words, draws = array.array(code, data), random.Random(seed)
    unsigned = (1 << (8 * words.itemsize - 1)) - 1
    for at, word in enumerate(words):
        magnitude = word & unsigned
        if 1 < magnitude < infinity - 1 and draws.getrandbits(1):
            words[at] = word ^ 1
    path.write_bytes(path.read_bytes()[:-len(data)] + words.tobytes())


def spell_shape(path):
    _, shape, _ = read_npy(path)
    return "x".join(map(str, shape)) if shape else "[]"


# ===- Models: a folder with graph.mlir and arrays -------------------------------===#


def attempt(make, path):
    """A case, or why there is none."""
    try:
        return make(path)
    except (Failure, OSError, ValueError, KeyError) as failure:
        return f"{path}: {failure}"


def find_models(folder):
    """Cases of folders that scripts/zoo or carousel-import --save wrote, each with graph.mlir; lines for people of others."""
    return [attempt(model_case, graph.parent) for graph in sorted(folder.glob("*/graph.mlir"))]


def model_case(folder):
    """Tolerances are those of tolerance.json, an absolute one for each result, if there is one."""
    case = ModelCase(folder.name, "model", folder / "graph.mlir", [])
    count = len(list(folder.glob("arg*.npy")))
    case.arguments = [f"arg{at}={folder / f'arg{at}.npy'}" for at in range(count)]
    results = sorted(folder.glob("result*.npy"), key=lambda path: int(re.search(r"\d+", path.stem)[0]))
    if not results:
        raise Failure(f"expected results of {folder.name}, result0.npy..., got none")
    given = folder / "tolerance.json"
    bounds = json.loads(given.read_text(encoding="utf-8")) if given.exists() else {}
    groups = {}
    for result in results:
        case.arguments.append(f"{result.stem}=empty:{spell_shape(result)}")
        words = tuple(["--atol", f"{bounds[result.stem]:.3g}"] if bounds.get(result.stem) else
                      [] if result.stem in bounds else find_tolerance(result))
        groups.setdefault(words, {})[result.stem] = result
    case.expected = [(list(words), files) for words, files in groups.items()]
    return case


# ===- Graphs: a function on tensors ---------------------------------------------===#


def find_graphs(folder):
    """Cases of a folder's files; lines for people of others."""
    return [attempt(graph_case, file) for file in sorted(folder.glob("*.mlir"))]


def graph_case(file):
    """Inputs are random, numbers in tensors zero, since they may be indices; FILE.args has other words of carousel-sim."""
    given = file.with_suffix(".args")
    if given.exists():
        words = given.read_text(encoding="utf-8").split()
        return ModelCase(file.stem, "graph", file, [word for word in words if word != "--arg"])
    text = file.read_text(encoding="utf-8")
    match = re.search(r"func\.func (?:public )?@main\((.*?)\)(?: -> (\(.*?\)|[^\n]*?))?(?: attributes [^\n]*)? \{\n", text, re.S)
    if not match:
        raise Failure(f"expected a function @main in {file}, got none")
    arguments = []
    for at, type_ in enumerate(re.findall(r"%\w+: (tensor<[^>]*>|\w+)", match[1])):
        arguments.append(f"arg{at}={describe_value(type_, at)}")
    names = re.findall(r'#carousel\.argument<"(\w+)"', match[1])
    if len(names) == len(arguments):
        arguments = [f"{name}={word.partition('=')[2]}" for name, word in zip(names, arguments)]
    results = re.findall(r"tensor<([^>]*)>", match[2] or "")
    arguments += [f"result{at}=empty:{describe_extents(type_)}" for at, type_ in enumerate(results)]
    return ModelCase(file.stem, "graph", file, arguments)


def describe_extents(type_):
    extents = [str(UNKNOWN) if extent == "?" else extent for extent in type_.split("x")[:-1]]
    return "x".join(extents) or "[]"


def describe_value(type_, seed):
    if not type_.startswith("tensor<"):
        return "0.5" if type_.startswith(("f", "bf")) else "1"
    inside = type_[7:-1]
    isNumber = re.search(r"(?:^|x)[iu]?\w*?(i\d+|index)$", inside) is not None
    return f"zeros:{describe_extents(inside)}" if isNumber else f"random:{describe_extents(inside)}:{seed}"


# ===- Random kernels of the block phase -----------------------------------------===#


def make_blocks(first, count, folder):
    """Kernels of each kind in turns, written into a folder."""
    cases, kinds = [], (plain, rows, products, tiles)
    for seed in range(first, first + count):
        kernel = kinds[(seed - first) % len(kinds)].generate(seed)
        file = folder / f"{kernel.name}.mlir"
        file.write_text(kernel.text, encoding="utf-8")
        # What a kernel doesn't write is the same on both machines.
        arguments = [argument.value().replace("=empty:", "=zeros:") for argument in kernel.arguments
                     if argument.access != "workspace"]
        cases.append(ModelCase(kernel.name, "block", file, arguments, kernel.name,
                               [([], {name: None for name in kernel.outputs()})], kernel))
    return cases


def tell_apart(cases):
    """Gives cases of one name others: packages and arrays are named for them."""
    names = set()
    for case in cases:
        own, number = case.name, 2
        while case.name in names:
            case.name, number = f"{own}_{number}", number + 1
        names.add(case.name)


# ===- The simulated machine ------------------------------------------------------===#


def simulate(case, folder):
    """Runs a case that has no expected results: its outputs become files of a folder."""
    source, words = case.source, ["--kernel", "@" + case.kernel]
    names = [name for _, files in case.expected for name in files]
    if not case.kernel:
        source, words = folder / f"{case.name}.program.mlir", ["--program", "@main"]
        done = run([TOOLS / "carousel-opt", case.source, "--carousel-graph-to-block", "-o", source])
        if done.returncode:
            raise Failure(first_line(done.stderr))
        names = [word.partition("=")[0] for word in case.arguments if "=empty:" in word]
    files = {name: folder / f"{case.name}.{name}.npy" for name in names}
    exact = case.kernel and not INEXACT.search(case.source.read_text(encoding="utf-8"))
    try:
        if case.kernel:
            run_simulated([source, *words], case.arguments, files)
            case.expected = [([], files)] if exact else [(find_tolerance(file), {name: file}) for name, file in files.items()]
            return
        inputs = {word.partition("=")[0]: folder / f"{case.name}.{word.partition('=')[0]}.in.npy" for word in case.arguments
                  if "=random:" in word}
        run_simulated([source, *words], case.arguments, files | inputs)
        for seed, file in enumerate(inputs.values()):
            shake(file, seed)
        shaken = {name: folder / f"{case.name}.{name}.shaken.npy" for name in names}
        arguments = [f"{name}={inputs.get(name, value)}" for name, _, value in (word.partition("=") for word in case.arguments)]
        run_simulated([source, *words], arguments, shaken)
        case.expected = [(find_tolerance(file, shaken[name]), {name: file}) for name, file in files.items()]
    finally:
        if not case.kernel:
            source.unlink(missing_ok=True)


def run_simulated(words, arguments, files):
    """Runs with arguments, and writes arrays to files."""
    words = [*words, *(word for argument in arguments for word in ("--arg", argument)),
             *(word for name, file in files.items() for word in ("--out", f"{name}={file}"))]
    try:
        done = run([TOOLS / "carousel-sim", *words, "--quiet"], timeout=SIMULATION)
    except subprocess.TimeoutExpired:
        raise Failure(f"expected the simulated machine to end within {SIMULATION} s, got no end") from None
    if done.returncode:
        raise Failure(first_line(done.stderr or done.stdout))


def first_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")[:300]


def compile_case(case, package, chip, *words):
    done = run([TOOLS / "carousel-compile", case.source, "-o", package, "--chip", chip, "--quiet", "--emit=ptx,cuda", *words],
               timeout=580)
    if done.returncode:
        raise Failure(first_line(done.stderr))


def check_variants(case, chip):
    """Refuses a random kernel of which no launch on the device would take a variant, as random-kernels does."""
    done = run([TOOLS / "carousel-opt", case.source, f"--pass-pipeline=builtin.module(carousel-lower{{chip={chip}}})",
                "--mlir-print-local-scope"])
    if done.returncode:
        raise Failure(first_line(done.stderr))
    if not guards.find_variants(done.stdout, case.random, chip):
        raise Failure(guards.describe_none(case.random))


def bring(case, folder):
    """Copies arrays that arguments and results name into a folder, and names them there."""

    def place(path):
        target = folder / f"{case.name}.{Path(path).name}"
        if Path(path) != target:
            shutil.copyfile(path, target)
        return target.name

    arguments = []
    for argument in case.arguments:
        name, _, value = argument.partition("=")
        arguments.append(f"{name}={place(value)}" if value.endswith(".npy") else argument)
    expected = [[words, {name: place(file) for name, file in files.items()}] for words, files in case.expected]
    return {"name": case.name, "kind": case.kind, "call": case.call(), "arguments": arguments, "expected": expected}
