# ===- refusals.py - which op can't be imported, and where it is ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Places in the user's model, for messages of carousel-import and for the graphs that it writes."""

import re
import traceback

# Frameworks, the standard library and this tool: what is inside of them tells a user nothing.
FOREIGN = re.compile(r"(site|dist)-packages/(torch|torch_mlir|torchgen|functorch|jax|jaxlib|flax|onnx|numpy|sympy)/"
                     r"|/lib/python\d[^/]*/(?!site-packages|dist-packages)|carousel-import|carousel/(_import|jax/\w+)\.py$|_lowerings\.py$|^<")
# Before the name of a module of the model, as a file of MLIR's locations.
MODULE = "module of the model: "
FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+)(?::(\d+))?')


class Refusal(Exception):
    """One line for people."""


def find_file(location):
    """(file, line, column) of a location of MLIR, the innermost that isn't the framework's; None if it has none."""
    places = [(file, int(line), int(column or 0)) for file, line, column in FILE.findall(str(location))
              if not file.startswith((MODULE, "torch/fx/"))]
    return next((place for place in places if not FOREIGN.search(place[0])), places[0] if places else None)


def find_place(location):
    """FILE:LINE of a location of MLIR; nothing if it has none."""
    place = find_file(location)
    return f"{place[0]}:{place[1]}" if place else ""


def find_module(location):
    """The name of the part of the model that an op is of: a module of PyTorch, or a scope of JAX."""
    if own := re.search(f'"{MODULE}([^"]*)"', location):
        return own[1]
    # Before it are the jitted functions, behind it is the op.
    scopes = re.match(r'loc\("((?:\w+\([^()"]*\)/)*)([^"()]+)/[^"/]+"\(', location)
    return scopes[2] if scopes else ""


def replace_argument_places(text, place=""):
    """The text of a module, in which all arguments of regions have the location `place`, or none."""
    kept, end, tokens = [], 0, re.compile(r'"(?:[^"\\]|\\.)*"|[()]')
    for match in re.finditer(r"%\w+: [^,()\n]+?(?= loc\()", text):
        kept += [text[end:match.end()], place]
        depth = 0
        for token in tokens.finditer(text, match.end()):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if depth == 0:
                end = token.end()
                break
    return "".join(kept) + text[end:]


def keep_places(text):
    """The text of a module, whose locations are each one place in the model. `text`: with MLIR's locations at its end."""
    known, aliases = {}, re.compile(r"#loc\d*\b")

    def shorten(line):
        name, _, location = line[0].partition(" = ")
        known[name] = location = aliases.sub(lambda alias: known.get(alias[0], alias[0]).removeprefix("loc(").removesuffix(")"),
                                             location)
        place, module = find_file(location), find_module(location)
        if not place or place[0] == "-":  # of a text that this tool wrote
            return f"{name} = loc(unknown)"
        file = f'"{place[0]}":{place[1]}:{place[2]}'
        return f'{name} = loc(fused<"{module}">[{file}])' if module else f"{name} = loc({file})"

    return re.sub(r"^#loc\d* = loc\(.*\)$", shorten, replace_argument_places(text, " loc(unknown)"), flags=re.MULTILINE)


def find_frame(error, tool):
    """FILE:LINE of the model's call that an exception comes from, innermost; nothing if it comes from none. `tool`: the file
    whose calls come before the model's."""
    frames = list(traceback.extract_tb(error.__traceback__))
    calls = max((at for at, frame in enumerate(frames) if frame.filename == tool), default=-1)
    own = [frame for frame in frames[calls + 1:] if not FOREIGN.search(frame.filename)]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else ""


def describe_op(op):
    """An op of MLIR, with its place."""
    place = find_place(op.location)
    return f"{op.name} at {place}" if place else op.name


def describe_error(message, location):
    """An error that MLIR reports: the op, its place and the message."""
    # What follows is the op's text, with all constants.
    custom = re.search(r'name = "torch\.([\w.]+)"', message)
    message = re.split(r" that was explicitly marked illegal|: %|\n", message)[0]
    if custom:
        message = message.replace("torch.operator", custom[1])
    place = find_place(location)
    return f"{message} at {place}" if place else message


def run_passes(ir, managers, module, pipeline, name):
    """Runs passes of a front end's bindings of MLIR; the first error is a refusal. `name`: whose passes they are."""
    errors = []

    def note(diagnostic):
        if diagnostic.severity == ir.DiagnosticSeverity.ERROR:
            errors.append((diagnostic.message, diagnostic.location))
        return True

    with module.context as context:
        handler, wasEmitted = context.attach_diagnostic_handler(note), context.emit_error_diagnostics
        context.emit_error_diagnostics = True
        try:
            managers.PassManager.parse(f"builtin.module({pipeline})").run(module)
        except ir.MLIRError as error:
            text = describe_error(*errors[0]) if errors else str(error).splitlines()[0]
            raise Refusal(f"{name} refuses the model: {text}") from None
        finally:
            context.emit_error_diagnostics = wasEmitted
            handler.detach()
