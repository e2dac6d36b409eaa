# ===- refusals.py - which op can't be imported, and where it is ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Messages of carousel-import: what is refused, and the place in the user's model."""

import re

# Of frameworks: what is inside of them tells a user nothing.
FOREIGN = re.compile(r"site-packages|dist-packages|/lib/python\d|carousel-import|_lowerings\.py$|^<")


class Refusal(Exception):
    """One line for people."""


def find_place(location):
    """FILE:LINE of a location of MLIR, the innermost that isn't the framework's; nothing if it has none."""
    places = re.findall(r'"([^"]+)":(\d+)', str(location))
    for file, line in places:
        if not FOREIGN.search(file):
            return f"{file}:{line}"
    return f"{places[0][0]}:{places[0][1]}" if places else ""


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
