# ===- __main__.py - python -m carousel ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`python -m carousel compile FILE.mlir -o DIR`: carousel-compile for those who have the wheel, on the C interface."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Optional, Union

from ._compile import CompileWarning, compile
from .errors import CarouselError, CompileError

INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # As carousel-compile ends.
        self.exit(1, f"{self.prog}: error: {message}; --help lists the options\n")


def split(text: str) -> list[str]:
    return text.split(",")


def make_parser() -> Parser:
    parser = Parser(prog="python -m carousel", description="Commands of the package carousel.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="compile")
    command = commands.add_parser("compile", allow_abbrev=False, help="compile a file of MLIR to a package",
                                  description="Compiles kernels and graphs of a file of MLIR to a package, as carousel-compile "
                                              "does (docs/Package.md). Exit status: 0 success, 1 an error.")
    command.add_argument("file", metavar="FILE.mlir", help="the source; -: stdin")
    command.add_argument("-o", dest="output", metavar="DIR", required=True, help="the package; replaces an older package")
    command.add_argument("--chip", dest="chips", metavar="CHIP,...", type=split, action="extend",
                         help="chips to compile for (that of the first GPU)")
    command.add_argument("--gpu", dest="gpus", metavar="GPU,...", type=split, action="extend", help="GPUs to plan for")
    command.add_argument("--emit", metavar="KIND,...", type=split, action="extend",
                         help="images to write: cubin, ptx and cuda (cubin,ptx)")
    command.add_argument("--no-cubin", action="store_true", help="write PTX only")
    command.add_argument("--cuda-root", metavar="DIR", help="CUDA toolkit (the one that is found)")
    command.add_argument("--cuda-line-directives", action="store_true", help="write #line directives to CUDA C++")
    command.add_argument("--opt-level", metavar="N", type=int, default=2, help="LLVM's optimisation (2)")
    command.add_argument("--index-bitwidth", metavar="N", type=int, default=64, help="32 or 64 (64)")
    command.add_argument("--ptx-version", metavar="N", type=int, help="PTX version times ten")
    command.add_argument("--debug-waits", metavar="MS", type=int, help="bound waits")
    command.add_argument("--variants", choices=("all", "first"), default="all", help="variants to compile (all)")
    command.add_argument("--accumulate", choices=("f32", "as-written"), default="f32",
                         help="the least type in which contractions add (f32)")
    command.add_argument("--products", choices=("exact", "tf32"), default="exact",
                         help="how graphs multiply factors of f32 (exact)")
    command.add_argument("--no-libraries", action="store_true", help="compute all products of graphs by kernels")
    command.add_argument("--no-streams", action="store_true", help="compute each product of graphs by a kernel of its own")
    command.add_argument("--werror", metavar="KIND,...", type=split, action="extend", default=[], help="make warnings errors")
    command.add_argument("--explain", choices=("text", "json", "svg"), metavar="text|json|svg",
                         help="print the reasoning instead of the summary (text, where =KIND is left out)")
    command.add_argument("--quiet", action="store_true", help="print errors only")
    return parser


def report_progress(number: int, count: int, module: str, chip: str) -> None:
    print(f"[{number}/{count}] {module} for {chip}", file=sys.stderr)


def run_compile(options: argparse.Namespace) -> None:
    source: Union[Path, bytes] = Path(options.file)
    if options.file == "-":
        source = sys.stdin.buffer.read()
    with warnings.catch_warnings():
        # They are among the diagnostics.
        warnings.simplefilter("ignore", CompileWarning)
        package = compile(
            source, chips=options.chips, gpus=options.gpus or (), emit=options.emit or ("ptx", "cubin"),
            cubins="never" if options.no_cubin else "auto", cuda_root=options.cuda_root, opt_level=options.opt_level,
            index_bitwidth=options.index_bitwidth, ptx_version=options.ptx_version, debug_waits=options.debug_waits,
            first_variant=options.variants == "first", accumulate=options.accumulate, products=options.products,
            libraries=not options.no_libraries, streams=not options.no_streams,
            line_directives=options.cuda_line_directives, werror=options.werror, warn=not options.quiet,
            name="<stdin>" if options.file == "-" else None, progress=None if options.quiet else report_progress)
    for each in package.diagnostics:
        print(each, file=sys.stderr)
    package.save(options.output)
    if options.explain == "json":
        text = package._decisions_text
    elif options.explain == "svg":
        text = package.svg
    elif options.explain == "text":
        text = package.explain().text
    else:
        text = "" if options.quiet else package.explain().summary
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer can't be written at the end, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CarouselError(f"can't write to the standard output: {error.strerror}") from None


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Its value may be left out, and what follows is no value of it.
    options = make_parser().parse_args(["--explain=text" if each == "--explain" else each for each in given])
    try:
        run_compile(options)
    except CompileError as error:
        print("\n".join(map(str, error.diagnostics)), file=sys.stderr)
        return 1
    except CarouselError as error:
        print(f"python -m carousel compile: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
