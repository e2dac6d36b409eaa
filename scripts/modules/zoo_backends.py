# ===- zoo_backends.py - models by torch.compile and carousel.jax ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs a model of scripts/zoo by a back end, on the simulated machine, beside its framework and float64."""

import copy

import numpy

OPTIONS = {"chip": "sm_90a", "cpu": "simulate"}
FACTOR = 16
"""How many times the framework's error a result may be off: sums have another order."""


def is_number(value):
    return numpy.issubdtype(value.dtype, numpy.floating)


def find_error(name, got, own, exact, unit):
    """How a result differs from float64; empty if it's right."""
    if got.shape != exact.shape:
        return f"{name}: expected extents {exact.shape}, got {got.shape}"
    if not is_number(exact):
        return "" if numpy.array_equal(got, exact) else f"{name}: expected the same integers, got others"
    if not exact.size:
        return ""
    finite = numpy.isfinite(exact)
    if not numpy.array_equal(got[~finite], exact[~finite], equal_nan=True):
        return f"{name}: expected {exact[~finite][0]}, got another number"
    largest = numpy.abs(exact[finite]).max(initial=0)
    bound = FACTOR * numpy.abs(own - exact)[finite].max(initial=0) + 4 * unit * largest
    error = numpy.abs(got - exact)[finite].max(initial=0)
    return "" if error <= bound else f"{name}: expected errors of at most {bound:.3g}, as the framework's are {bound / FACTOR:.3g}, got {error:.3g}"


# ===------------------------------------------------------------------------===#
# PyTorch
# ===------------------------------------------------------------------------===#


class Uncompiled(Exception):
    """PyTorch's own back end doesn't run the model, either."""


def call_torch(function, module, values, is_step):
    """Results by their names, and gradients of their sum by weights that differ."""
    import torch

    with torch.set_grad_enabled(is_step):
        results = [each for each in torch.utils._pytree.tree_leaves(function(*values)) if isinstance(each, torch.Tensor)]
    found = {f"result {at}": each.detach() for at, each in enumerate(results)}
    if is_step:
        sums = [(each * torch.linspace(-1, 1, each.numel(), dtype=each.dtype).reshape(each.shape)).mean() for each in results
                if each.requires_grad]
        if sums:
            sum(sums).backward()
        found.update((f"gradient of {name}", each.grad) for name, each in module.named_parameters() if each.grad is not None)
    return found


def run_torch(entry, shapes, importer, is_step):
    """Errors, and the report of the back end."""
    import carousel.torch
    import torch

    module = entry.function.eval()
    modules = module, copy.deepcopy(module), copy.deepcopy(module).double()
    values = [torch.tensor(value).to(importer.torch_type(shape.type)) for shape, value in zip(shapes, entry.inputs)]
    wide = [value.double() if value.is_floating_point() else value for value in values]
    compiled = torch.compile(modules[0], backend=carousel.torch.backend, options=OPTIONS,
                             dynamic=any(isinstance(extent, str) for shape in shapes for extent in shape.extents))
    carousel.torch.reset()
    own, exact = (call_torch(each, each, given, is_step) for each, given in zip(modules[1:], (values, wide)))
    try:
        got = call_torch(compiled, modules[0], values, is_step)
    except Exception as error:
        torch._dynamo.reset()
        try:
            call_torch(torch.compile(modules[1], backend="aot_eager"), modules[1], values, is_step)
        except Exception:
            raise Uncompiled(str(error).splitlines()[0]) from error
        raise
    errors = []
    for name in dict.fromkeys([*got, *exact]):
        if name not in got or name not in exact:
            errors.append(f"{name}: expected the results that PyTorch has, got {'one more' if name in got else 'none'}")
            continue
        unit = torch.finfo(own[name].dtype).eps if own[name].is_floating_point() else 0
        arrays = [(each.double() if each.is_floating_point() else each).numpy() for each in (got[name], own[name], exact[name])]
        errors.append(find_error(name, *arrays, unit))
    return [error for error in errors if error], carousel.torch.report()


# ===------------------------------------------------------------------------===#
# JAX
# ===------------------------------------------------------------------------===#


def run_jax(entry):
    import carousel.jax
    import jax

    def call(function, values):
        return [numpy.asarray(each) for each in jax.tree_util.tree_leaves(function(*values))]

    own = call(jax.jit(entry.function), entry.inputs)
    with jax.enable_x64(True):
        wide = [value.astype(numpy.float64) if is_number(value) else value for value in entry.inputs]
        exact = call(jax.jit(entry.function), wide)
    carousel.jax.reset()
    got = call(carousel.jax.jit(entry.function, **OPTIONS), entry.inputs)
    errors = [find_error(f"result {at}", each.astype(exact[at].dtype), own[at].astype(exact[at].dtype), exact[at],
                         numpy.finfo(own[at].dtype).eps if is_number(own[at]) else 0) for at, each in enumerate(got)]
    return [error for error in errors if error], carousel.jax.report()


def summarize(report):
    """Operators in programs and all, graphs, and reasons why others aren't."""
    reasons = []
    for graph in report.graphs:
        reasons += [f"{name}: {reason}" for name, reason, _ in graph.left]
        reasons += [graph.reason] if getattr(graph, "reason", "") else []
    reasons += [f"{', '.join(sorted(part.operators)[:3])}: {part.reason}" for part in report.parts if part.reason]
    taken = sum(graph.taken_operators for graph in report.graphs)
    return {"taken": taken, "all": taken + sum(graph.left_operators for graph in report.graphs), "graphs": len(report.graphs),
            "reasons": list(dict.fromkeys(reasons))}
