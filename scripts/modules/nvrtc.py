# ===- nvrtc.py - CUDA C++ to PTX or a cubin, by NVRTC --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""NVRTC's C interface, as far as scripts need it. NVRTC needs no GPU."""

import ctypes
import functools
import shutil
from dataclasses import dataclass
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[2] / "runtime/device"


@dataclass
class Compiled:
    """What a compilation gave: the log, and the text or the bytes unless it failed."""

    log: str
    output: bytes | None


def find_library(root=None):
    """libnvrtc of the toolkit at `root`, or of the one whose nvcc or ptxas is on the path."""
    if not root:
        program = shutil.which("nvcc") or shutil.which("ptxas")
        if not program:
            return None
        root = Path(program).resolve().parent.parent
    for folder in ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"):
        found = sorted(path for path in Path(root, folder).glob("libnvrtc.so*") if "alt" not in path.name)
        if found:
            return found[0]
    return None


class NVRTC:
    """The library; raises OSError where it can't be opened."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))

    def call(self, function, *arguments):
        return getattr(self.library, function)(*arguments)

    @functools.cached_property
    def fast(self):
        """The option that compiles in least time, for texts of which only the log counts; none before NVRTC 12.8."""
        option = "--Ofast-compile=max"
        return [] if self.compile("", "compute_80", option).log else [option]

    def get(self, program, what):
        """What nvrtcGet<what> and nvrtcGet<what>Size give."""
        size = ctypes.c_size_t()
        if self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size)):
            return b""
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        return buffer.raw[: size.value] if not self.call(f"nvrtcGet{what}", program, buffer) else b""

    def compile(self, source, chip, *options, kind="PTX", name="kernel.cu", standard=17):
        """`kind` is PTX or CUBIN. The device headers are on the include path."""
        options = [f"--gpu-architecture={chip}", f"--std=c++{standard}", f"-I{HEADERS}", *options]
        program = ctypes.c_void_p()
        if self.call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), name.encode(), 0, None, None):
            raise OSError("nvrtcCreateProgram failed")
        texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        failed = self.call("nvrtcCompileProgram", program, len(options), texts)
        log = self.get(program, "ProgramLog").rstrip(b"\0").decode().strip()
        output = None if failed else self.get(program, kind)
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        if failed and not log:
            log = f"NVRTC failed with {failed}"
        return Compiled(log, output)
