# ===- lowered_kernels.py - the variants of a kernel and its arguments ------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What a command line of carousel-sim says of a kernel's arguments, as guards want to know it, and
which kernels of a lowered module serve a kernel of the module that it was lowered from."""

import ast
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from random_kernels.guards import MULTIPROCESSORS, Guards, find_field, find_kernels
from random_kernels.types import Argument, Scalar


class Failure(Exception):
    """One line for people."""


@dataclass
class Call:
    """What guards want to know of a run."""
    name: str
    arguments: list
    multiprocessors: int = MULTIPROCESSORS


# ===- Command lines ---------------------------------------------------------===#

def take_option(words, name):
    """The values of an option, as `NAME VALUE` or `NAME=VALUE`, and the other words."""
    values, others, words = [], [], iter(words)
    for word in words:
        if word == name:
            values.append(next(words, ""))
        elif word.startswith(name + "="):
            values.append(word.partition("=")[2])
        else:
            others.append(word)
    return values, others


def read_npy_layout(path):
    """Extents and strides, in elements, of the array in a file."""
    try:
        data = Path(path).read_bytes()[:1 << 16]
        wide = data[6] > 1
        size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
        start = 12 if wide else 10
        header = ast.literal_eval(data[start:start + size].decode("latin1").strip())
        extents, backwards = list(header["shape"]), header["fortran_order"]
    except (OSError, ValueError, SyntaxError, LookupError, TypeError, struct.error) as error:
        raise Failure(f"expected an .npy file, got '{path}': {error}") from error
    return extents, find_strides(extents[::-1])[::-1] if backwards else find_strides(extents)


def find_strides(extents):
    strides = [1] * len(extents)
    for dim in reversed(range(len(extents) - 1)):
        strides[dim] = strides[dim + 1] * extents[dim + 1]
    return strides


def parse_shape(text):
    """Extents and strides of `4x8`, `4x8@16x1` or `[]`."""
    extents, _, strides = text.partition("@")
    if extents == "[]":
        return [], []
    try:
        extents = [int(extent) for extent in extents.split("x")]
        return extents, [int(stride) for stride in strides.split("x")] if strides else find_strides(extents)
    except ValueError as error:
        raise Failure(f"expected a shape like 4096, 64x128, 64x128@136x1 or [], got '{text}'") from error


def find_layout(name, values, seen=()):
    """Extents and strides of the tensor that --arg gives to `name`."""
    value = values.get(name)
    if value is None or name in seen:
        raise Failure(f"expected --arg {name}={'with a shape' if value else ''}, got {value or 'none'}")
    kind, colon, rest = value.partition(":")
    if value.endswith(".npy"):
        return read_npy_layout(value)
    if not colon:
        raise Failure(f"expected --arg {name}= with a .npy file or KIND:SHAPE, got '{value}'")
    return find_layout(rest, values, (*seen, name)) if kind == "like" else parse_shape(rest.split(":")[0])


def parse_number(text):
    """Integers as such: guards are about these."""
    try:
        return int(text, 0)
    except ValueError:
        return {"true": 1, "false": 0}.get(text, text)


def find_arguments(kernel, values, multiprocessors):
    """The arguments of a kernel of find_kernels, workspaces behind what callers pass, without tensor maps."""
    arguments = []
    for parameter in kernel.parameters:
        if parameter.type.startswith("!carousel.tensor_map"):
            continue
        name = re.search(r'#carousel\.argument<"([^"]*)"', parameter.attributes)
        name = name[1] if name else f"arg{len(arguments)}"
        memref = re.match(r"memref<((?:[\d?]+x)*)([\w.!]+)", parameter.type)
        if not memref:
            if name not in values:
                raise Failure(f"expected --arg {name}=, got none")
            arguments.append(Scalar(name, parse_number(values[name])))
            continue
        extents = find_field(parameter.attributes.replace("#carousel.workspace<[", "workspace = ["), "workspace")
        if extents is not None:
            guards = Guards(Call(kernel.name, arguments), "0", multiprocessors)
            dynamic = iter([guards.evaluate(extent) for extent in extents])
            extents = [next(dynamic) if extent == "?" else int(extent) for extent in memref[1].split("x")[:-1]]
            strides = find_strides(extents)
        else:
            extents, strides = find_layout(name, values)
        arguments.append(Argument(name, memref[2], extents, strides, [True] * len(extents), "in"))
    return arguments


# ===- Kernels ---------------------------------------------------------------===#

def split_name(name):
    """Module, or nothing, and function of `@module::@function`."""
    module, _, function = name.replace("@", "").rpartition("::")
    return module, function


def find_sources(text, name):
    """The kernels of a module that `name` names: the function, or all that serve the kernel."""
    module, function = split_name(name)
    found = [kernel for kernel in find_kernels(text)
             if function in (kernel.name, kernel.serves) and module in ("", kernel.module)]
    if not found:
        listed = ", ".join(f"@{kernel.name}" for kernel in find_kernels(text))
        raise Failure(f"expected --kernel with one of {listed or 'no kernels'}, got '{name}'")
    return found


def find_values(given, peers):
    """The values of arguments by name; of several GPUs those of the first one."""
    values = {}
    for text in given:
        name, _, value = text.partition("=")
        name, at, gpu = name.partition("@")
        if not at or gpu == "0":
            values[name] = re.sub(r"\{rank[+-]?\d*\}", "0", value)
    for text in peers:
        name, _, other = text.partition("=")
        other = re.split("[+-]", other)[0]
        if other in values:
            values[name] = values[other]
    return values


def find_call(text, words):
    """What a command line of carousel-sim, without its --kernel, says of the arguments of the kernel that it
    names: the name and the call. `text` is the module before it was lowered."""
    names, words = take_option(words, "--kernel")
    if len(names) != 1:
        raise Failure(f"expected --kernel once among the arguments of carousel-sim, got {len(names)}")
    given, words = take_option(words, "--arg")
    multiprocessors, _ = take_option(words, "--multiprocessors")
    multiprocessors = int((multiprocessors or [MULTIPROCESSORS])[-1])
    peers = take_option(words, "--peer")[0] + take_option(words, "--multicast")[0]
    values = find_values(given, peers)
    source = find_sources(text, names[0])[0]
    return names[0], Call(source.name, find_arguments(source, values, multiprocessors), multiprocessors)


def find_serving(source, lowered, name):
    """The kernels of the text `lowered` that were made of those that `name` names in the text `source`: of the
    functions that a lowered one can be named for, it is the longest."""
    wanted = {(kernel.module, kernel.name) for kernel in find_sources(source, name)}
    kernels = find_kernels(source)

    def find_origin(variant):
        return max((kernel.name for kernel in kernels
                    if (kernel.module, kernel.serves) == (variant.module, variant.serves)
                    and re.match(re.escape(kernel.name) + r"(_|$)", variant.name)), key=len, default=None)

    return [variant for variant in find_kernels(lowered) if (variant.module, find_origin(variant)) in wanted]
