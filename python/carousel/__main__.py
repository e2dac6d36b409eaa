# ===- __main__.py - python -m carousel ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`python -m carousel compile FILE.mlir -o DIR` and `explain` compile on the C interface; other commands are programs of the
wheel. Options without a command say where the package has what other builds need."""

from __future__ import annotations

import argparse
import importlib
import os
import runpy
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional

import carousel

from ._compile import CompileWarning, compile
from ._library import PREFIX
from ._tools import start
from .block import TracedKernel
from .errors import CarouselError, CompileError, NotFoundError
from .package import Package

INTERRUPTED = 130
# Commands that are programs of the wheel.
PROGRAMS = {"simulate": "carousel-sim", "tune": "carousel-tune", "run": "carousel-run", "opt": "carousel-opt",
            "mutate": "carousel-mutate"}
FOLDERS = {"--cmake-dir": "lib/cmake", "--include-dir": "include", "--library-dir": "lib"}


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # As carousel-compile ends.
        self.exit(1, f"{self.prog}: error: {message}; --help lists the options\n")


def split(text: str) -> list[str]:
    return text.split(",")


def add_options(command: Parser) -> None:
    """Those of compilations, by the names of carousel-compile."""
    command.add_argument("file", metavar="FILE",
                         help="the source: a file of MLIR, -: stdin, or a file of Python with kernels: kernels.py, kernels.py:add")
    command.add_argument("--chip", dest="chips", metavar="CHIP,...", type=split, action="extend",
                         help="chips to compile for (that of the first GPU)")
    command.add_argument("--gpu", dest="gpus", metavar="GPU,...", type=split, action="extend", help="GPUs to plan for")
    command.add_argument("--cuda-root", metavar="DIR", help="CUDA toolkit (the one that is found)")
    command.add_argument("--opt-level", metavar="N", type=int, default=2, help="LLVM's optimisation (2)")
    command.add_argument("--index-bitwidth", metavar="N", type=int, default=64, help="32 or 64 (64)")
    command.add_argument("--ptx-version", metavar="N", type=int, help="PTX version times ten")
    command.add_argument("--variants", choices=("all", "first"), default="all", help="variants to compile (all)")
    command.add_argument("--accumulate", choices=("f32", "as-written"), default="f32",
                         help="the least type in which sums add (f32)")
    command.add_argument("--products", choices=("exact", "tf32"), default="exact",
                         help="how graphs multiply factors of f32 (exact)")
    command.add_argument("--no-libraries", action="store_true", help="compute all products of graphs by kernels")
    command.add_argument("--no-streams", action="store_true", help="compute each product of graphs by a kernel of its own")
    command.add_argument("--werror", metavar="KIND,...", type=split, action="extend", default=[], help="make warnings errors")
    command.add_argument("--quiet", action="store_true", help="print no progress, no warnings and no summary")


def make_parser() -> Parser:
    parser = Parser(prog="python -m carousel", description="Commands of the package carousel.", allow_abbrev=False)
    parser.add_argument("--version", action=PrintVersion, nargs=0)
    for option, folder in FOLDERS.items():
        parser.add_argument(option, action=PrintFolder, nargs=0, folder=folder)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser("compile", allow_abbrev=False, help="compile kernels and graphs to a package",
                                  description="Compiles kernels and graphs to a package, as carousel-compile does "
                                              "(docs/Package.md). Exit status: 0 success, 1 an error.")
    add_options(command)
    command.add_argument("-o", dest="output", metavar="DIR", required=True, help="the package; replaces an older package")
    command.add_argument("--emit", metavar="KIND,...", type=split, action="extend",
                         help="images to write: cubin, ptx and cuda (cubin,ptx)")
    command.add_argument("--no-cubin", action="store_true", help="write PTX only")
    command.add_argument("--cuda-line-directives", action="store_true", help="write #line directives to CUDA C++")
    command.add_argument("--debug-waits", metavar="MS", type=int, help="bound waits")
    command.add_argument("--debug-assertions", action="store_true", help="keep assertions of kernels, and check indices that "
                         "they read")
    command.add_argument("--explain", choices=("text", "json", "svg"), metavar="text|json|svg",
                         help="print the reasoning instead of the summary (text, where =KIND is left out)")
    command = commands.add_parser("explain", allow_abbrev=False, help="print what the compiler decides, and why",
                                  description="Compiles, and prints the reasoning behind the decisions. Writes no package. "
                                              "Exit status: 0 success, 1 an error.")
    add_options(command)
    command.add_argument("--format", choices=("text", "json", "svg", "html"), help="text, JSON, a drawing of graphs, or HTML (a table if the output is "
                         "a terminal and rich is installed, or else text)")
    for name, program in PROGRAMS.items():
        commands.add_parser(name, add_help=False, help=f"run {program}, which the wheel has; it has the options")
    return parser


class PrintVersion(argparse.Action):
    """Loads the library for it only."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any):
        super().__init__(option_strings, dest, help="print the version", **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"carousel {carousel.__version__}")
        parser.exit()


class PrintFolder(argparse.Action):
    """Prints a folder of the package, and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str, folder: str, **options: Any):
        super().__init__(option_strings, dest, help=f"print the folder {folder} of the package", **options)
        self.folder = PREFIX / folder

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        if not self.folder.is_dir():
            parser.error(f"expected the folder {self.folder}, got none; install the package's wheel")
        print(self.folder)
        parser.exit()


def read_python(file: str) -> object:
    """The kernels of a file of Python, kernels.py, or one of them, kernels.py:add; None for other files."""
    path, _, name = file.partition(".py:") if ".py:" in file else (file.removesuffix(".py"), "", "")
    if not file.endswith(".py") and not name:
        return None
    try:
        open(path + ".py", "rb").close()
    except OSError as error:
        raise NotFoundError(f"expected a file of Python, got '{path}.py': {error.strerror}") from None
    # As for python FILE: modules beside it can be imported, also later.
    sys.path.insert(0, str(Path(path).resolve().parent))
    values = runpy.run_path(path + ".py", run_name="<carousel>")
    kernels = {key: value for key, value in values.items() if isinstance(value, TracedKernel)}
    if name and name not in kernels:
        raise NotFoundError(f"expected a kernel of {path}.py ({', '.join(kernels) or 'it has none'}), got '{name}'")
    if not kernels:
        raise NotFoundError(f"expected kernels in {path}.py, got none; make them by @carousel.kernel")
    return kernels[name] if name else list(kernels.values())


def report_progress(number: int, count: int, module: str, chip: str) -> None:
    print(f"[{number}/{count}] {module} for {chip}", file=sys.stderr)


def make_package(options: argparse.Namespace, **more: Any) -> Package:
    source: object = read_python(options.file)
    if source is None:
        source = sys.stdin.buffer.read() if options.file == "-" else Path(options.file)
    with warnings.catch_warnings():
        # They are among the diagnostics.
        warnings.simplefilter("ignore", CompileWarning)
        package = compile(
            source, chips=options.chips, gpus=options.gpus or (), cuda_root=options.cuda_root, opt_level=options.opt_level,
            index_bitwidth=options.index_bitwidth, ptx_version=options.ptx_version,
            first_variant=options.variants == "first", accumulate=options.accumulate, products=options.products,
            libraries=not options.no_libraries, streams=not options.no_streams, werror=options.werror,
            warn=not options.quiet, name="<stdin>" if options.file == "-" else None,
            progress=None if options.quiet else report_progress, **more)
    for each in package.diagnostics:
        print(each, file=sys.stderr)
    return package


def write_text(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer can't be written at the end, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CarouselError(f"can't write to the standard output: {error.strerror}") from None


def run_compile(options: argparse.Namespace) -> None:
    package = make_package(
        options, emit=options.emit or ("ptx", "cubin"), cubins="never" if options.no_cubin else "auto",
        debug_waits=options.debug_waits, debug_assertions=options.debug_assertions, line_directives=options.cuda_line_directives)
    package.save(options.output)
    if options.explain is not None:
        write_text(spell(package, options.explain))
    elif not options.quiet:
        write_text(package.explain().summary)


def run_explain(options: argparse.Namespace) -> None:
    package = make_package(options)
    if options.format is None and sys.stdout.isatty():
        try:
            rich = importlib.import_module("rich")
        except ImportError:
            pass
        else:
            rich.print(package.explain())
            return
    write_text(spell(package, options.format or "text"))


def spell(package: Package, form: str) -> str:
    if form == "json":
        return package._decisions_text
    if form == "svg":
        return package.svg
    return package.explain()._repr_html_() if form == "html" else package.explain().text


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in PROGRAMS:
        start(PROGRAMS[given[0]], given[1:])
    # Its value may be left out, and what follows is no value of it.
    options = make_parser().parse_args(["--explain=text" if each == "--explain" else each for each in given])
    try:
        (run_compile if options.command == "compile" else run_explain)(options)
    except CompileError as error:
        print("\n".join(map(str, error.diagnostics)), file=sys.stderr)
        return 1
    except CarouselError as error:
        print(f"python -m carousel {options.command}: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
