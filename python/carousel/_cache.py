# ===- _cache.py - parts on disk ---------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What back ends of PyTorch and JAX compile, on disk: a directory for each key, with its graph and package, or with why it
was refused.

The key is the part's text, the options and the chip, so that a machine without a GPU, or without a compiler, has the same
ones. An entry names the compiler that made it: another compiler of the same release, as in a source tree, makes it anew."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from ._import import find_tool
from ._library import find_library
from .errors import CarouselError

FORMAT = 2
GRAPH, PACKAGE, REFUSAL, COMPILER, DECISIONS = "graph.mlir", "package", "refusal.txt", "compiler.txt", "decisions.json"
BUILD_ID_NOTE = struct.pack("<III4s", 4, 20, 3, b"GNU\0")


def find_release() -> str:
    try:
        return importlib.metadata.version("carousel")
    except importlib.metadata.PackageNotFoundError:
        lists = Path(__file__).resolve().parents[2] / "CMakeLists.txt"  # of a source tree
        found = re.search(r"project\(Carousel VERSION ([0-9.]+)", lists.read_text()) if lists.is_file() else None
        return found[1] if found else ""


@functools.lru_cache(maxsize=None)
def find_compiler(end: str) -> str:
    """The build of the compiler's library, and the sources of the importer and the back end; empty where there is no
    compiler."""
    try:
        with find_library("libCarouselCompiler.so.1").open("rb") as file:
            _, found, rest = file.read(1 << 16).partition(BUILD_ID_NOTE)
    except (CarouselError, OSError):
        return ""
    sources = hashlib.sha256()
    for folder in (find_tool().parent, Path(__file__).parent / end):
        for path in sorted(path for path in folder.iterdir() if path.is_file()):
            sources.update(path.read_bytes())
    return f"{rest[:20].hex() if found else ''} {sources.hexdigest()}"


def find_root(end: str) -> Optional[Path]:
    """The directory that the runtime's cache has, too (docs/Runtime.md); None if caches are off."""
    if os.environ.get("CAROUSEL_CACHE_DISABLE") == "1":
        return None
    given = os.environ.get("CAROUSEL_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(given or os.path.join(base, "carousel")) / end


class Entry:
    """`end`: the back end, "torch" or "jax", whose entries have a directory of their own."""

    def __init__(self, end: str, text: str, chip: str, products: str, libraries: bool):
        self.chip, self.products, self.libraries = chip, products, libraries
        settings = f"{FORMAT} {find_release()} {chip} {products} {libraries}\n"
        self.key = hashlib.sha256((settings + text).encode()).hexdigest()
        root = find_root(end)
        self._end = end
        self.directory = root / self.key if root else None

    def _read(self, name: str) -> Optional[str]:
        try:
            return (self.directory / name).read_text() if self.directory else None
        except OSError:
            return None

    def is_known(self) -> bool:
        """Whether this compiler, or any where there is none, has made the entry."""
        made_by, own = self._read(COMPILER), find_compiler(self._end)
        return made_by is not None and (not own or own == made_by)

    @property
    def refusal(self) -> str:
        return self._read(REFUSAL) or ""

    @property
    def graph(self) -> str:
        return self._read(GRAPH) or ""

    @property
    def package(self) -> Optional[Path]:
        return self.directory / PACKAGE if self.directory else None

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """Those about the graph, which the package doesn't have."""
        try:
            loaded: list[dict[str, Any]] = json.loads(self._read(DECISIONS) or "[]")
        except ValueError:
            return []
        return loaded

    def store(self, graph: str, package: Optional[Path], refusal: str, decisions: Sequence[dict[str, Any]] = ()) -> None:
        """All of it or nothing. A directory that can't be written is no error: the part is compiled again next time."""
        if self.directory is None:
            return
        temporary = None
        try:
            self.directory.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=self.directory.parent))
            for name, contents in ((GRAPH, graph), (REFUSAL, refusal), (COMPILER, find_compiler(self._end)),
                                   (DECISIONS, json.dumps(decisions))):
                (temporary / name).write_text(contents)
            if package is not None:
                shutil.copytree(package, temporary / PACKAGE)
            if self.directory.exists():
                shutil.rmtree(self.directory)
            os.replace(temporary, self.directory)
        except OSError:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
