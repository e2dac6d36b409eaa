# ===- package.py - compiled packages -------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Packages: what the compiler makes and the runtime launches (docs/Package.md)."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _compiler as api
from . import _runtime as runtime
from ._checks import check_device, check_path
from ._library import encode
from ._symbols import Symbols
from .errors import CarouselError, Diagnostic, NotFoundError, PackageError
from .explanation import Explanation

if TYPE_CHECKING:
    from .device import Kernel, Program

MANIFEST = "manifest.json"


class Package:
    """Compiled kernels and programs. `carousel.compile` makes one, `carousel.open` reads one."""

    def __init__(self, result: Optional[api.Result] = None, *, directory: Union[str, Path, None] = None,
                 symbols: Optional[dict[str, Symbols]] = None):
        self._result = result
        self._symbols = symbols or {}
        self._lock = threading.Lock()
        self._directory: Optional[str] = None
        self._opened: Optional[OpenedFiles] = None
        self._is_tuned = False
        self._functions: dict[Any, Any] = {}
        if result is not None:
            self._files = result.files()
            self.diagnostics: tuple[Diagnostic, ...] = result.diagnostics()
        elif directory is not None:
            self._directory = check_path(directory, "directory")
            self._opened = OpenedFiles(self._directory)
            self._files = self._opened.files
            self.diagnostics = ()
        else:
            raise TypeError("expected a directory, got none")

    @property
    def files(self) -> Mapping[str, bytes]:
        """The package's files by name."""
        return MappingProxyType(self._opened.read_all() if self._opened else self._files)

    @property
    def manifest(self) -> dict[str, Any]:
        """manifest.json, of which docs/Package.md says what it has."""
        loaded: dict[str, Any] = json.loads(self._files[MANIFEST])
        return loaded

    def _images(self, kind: str) -> dict[str, str]:
        found = {}
        for module in self.manifest["modules"]:
            for image in module["images"]:
                if image["kind"] == kind:
                    found[image["file"]] = self._files[image["file"]].decode("utf-8", "replace")
        return found

    @property
    def ptx(self) -> dict[str, str]:
        """PTX by file name: "softmax.sm_90a.ptx"."""
        return self._images("ptx")

    @property
    def cuda(self) -> dict[str, str]:
        """CUDA C++ by file name, with emit="cuda"."""
        return self._images("cuda")

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels."""
        return tuple(kernel["name"] for kernel in self.manifest["kernels"])

    @property
    def programs(self) -> tuple[str, ...]:
        """Names of the programs of graphs."""
        return tuple(program["name"] for program in self.manifest.get("programs", ()))

    @property
    def decisions(self) -> dict[str, Any]:
        """What the compiler decided, as carousel-compile --explain=json prints it. Of a package that was opened: the
        manifest's record."""
        if self._result is not None:
            loaded: dict[str, Any] = json.loads(self._decisions_text)
            return loaded
        return {"kernels": [{"name": kernel["name"], "variants": kernel["variants"]} for kernel in self.manifest["kernels"]]}

    @property
    def _decisions_text(self) -> str:
        return "" if self._result is None else self._result.text(api.DECISIONS_JSON)

    def explain(self, *, full: bool = False) -> Explanation:
        """The decisions with their reasons. Printing shows their point; with `full`, all of them. Of a package that was
        opened: those that the manifest records."""
        if self._result is None:
            try:
                return Explanation(self.decisions, full=full)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                misfit = f"no member {error}" if isinstance(error, KeyError) else str(error)
                raise PackageError(f"expected a package in '{self._directory}', got a manifest whose decisions can't be read: "
                                   f"{misfit}") from None
        return Explanation(self.decisions, self._result.text(api.DECISIONS), self._result.text(api.SUMMARY), full=full)

    @property
    def svg(self) -> str:
        """A drawing of graphs and their kernels; "" without graphs."""
        return "" if self._result is None else self._result.text(api.GRAPHS_SVG)

    def save(self, directory: Union[str, Path]) -> None:
        """Writes the package to a directory, all of it or nothing. Replaces an older package. Times that `carousel.tune`
        has measured follow in a second step."""
        if self._result is not None:
            self._result.write(directory)
            if self._is_tuned:
                replace_manifest(Path(directory), self._files[MANIFEST])
        else:
            raise CarouselError(f"expected a package that this process compiled, got one from {self._directory}; copy that")

    def _reload(self) -> None:
        """Reads the manifest again, in which there are times now. Kernels that were opened before don't know them."""
        self._opened = OpenedFiles(self._on_disk())
        self._files = self._opened.files
        self._is_tuned = True
        self._functions.clear()

    def _on_disk(self) -> str:
        """A directory that has the package, for the runtime."""
        with self._lock:
            if self._directory is None:
                folder = tempfile.mkdtemp(prefix="carousel-")
                weakref.finalize(self, remove_folder, folder, os.getpid())
                self.save(Path(folder) / "package")
                self._directory = str(Path(folder) / "package")
            return self._directory

    def kernel(self, name: Optional[str] = None, *, device: Optional[int] = None) -> Kernel:
        """A kernel to call: `package.kernel("softmax")(x, y)`. The name may be left out if there is one kernel."""
        from .device import Kernel

        return self._function(Kernel, name, self.kernels, "kernel", device)  # type: ignore[no-any-return]

    def program(self, name: Optional[str] = None, *, device: Optional[int] = None) -> Program:
        """A program to call: `package.program()(*inputs)`."""
        from .device import Program

        return self._function(Program, name, self.programs, "program", device)  # type: ignore[no-any-return]

    def _function(self, kind: Any, name: Optional[str], names: tuple[str, ...], what: str, device: Optional[int]) -> Any:
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            got = "none" if name is None else f"'{name}'"
            raise NotFoundError(f"expected a {what} of the package ({', '.join(names) or 'it has none'}), got {got}")
        key = (kind, name, check_device(device, "device"))
        found = self._functions.get(key)
        if found is None:
            found = self._functions.setdefault(key, kind(self, name, device))
        return found

    def __reduce__(self) -> Any:
        raise TypeError("expected a package to stay in its process; save it, and open it in the other one")

    def __repr__(self) -> str:
        names = [*self.kernels, *self.programs]
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"<carousel.Package of {shown}: {len(self.files)} files, {sum(map(len, self.files.values()))} bytes>"


def remove_folder(folder: str, process: int) -> None:
    """Not by a child of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def replace_manifest(directory: Path, contents: bytes) -> None:
    """By one rename, as carousel-tune does."""
    temporary = directory / f"{MANIFEST}.{os.getpid()}-0.tmp"
    try:
        temporary.write_bytes(contents)
        os.replace(temporary, directory / MANIFEST)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise PackageError(f"can't store the times in '{directory}': {error.strerror}") from None


class OpenedFiles:
    """The files of a package directory that the runtime has read and checked (SECURITY.md)."""

    def __init__(self, directory: str):
        handle = ctypes.c_void_p()
        try:
            runtime.call("package_open", encode(directory, "directory"), ctypes.byref(handle))
        except NotFoundError as error:
            raise PackageError(str(error)) from None
        self._package = runtime.Handle(handle, "package_close")
        self.files: dict[str, bytes] = {}
        self._constants: Optional[tuple[str, int]] = None
        runtime.call("package_files", self._package.value, runtime.USE_FILE(self._note), None)

    def _note(self, _: object, name: bytes, data: Optional[int], size: int) -> None:
        if data is None:
            self._constants = name.decode(), size
        elif name.decode() not in self.files:
            self.files[name.decode()] = ctypes.string_at(data, size)

    def read_all(self) -> dict[str, bytes]:
        """With constants, which may be large."""
        if self._constants is not None:
            name, size = self._constants
            memory = ctypes.create_string_buffer(size)
            runtime.call("package_read_constants", self._package.value, memory, size)
            self.files[name], self._constants = memory.raw, None
        return self.files


def open(directory: Union[str, Path]) -> Package:  # noqa: A001 - the name that users expect
    """Reads a package from a directory that `Package.save` or carousel-compile wrote."""
    return Package(directory=check_path(directory, "directory"))
