# ===- convolution_forms.py - other convolutions than plain ones ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Graphs of convolutions in groups and of gradients, as JAX writes them, and PyTorch's ops for the same: convolutions.py
runs them. All have channels last. The gradient of an image is a convolution by reversed weights, and that of weights a
convolution by all pixels of another image."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """A convolution of (images, rows, columns, channels) of a padded image. `what` is 'result', 'image' or 'weights': what
    the graph computes."""
    name: str
    what: str
    image: tuple
    channels: int  # of the result
    groups: int = 1
    kernel: int = 3
    stride: int = 1
    pad: int = 1
    kinds: tuple = ("tf32", "bf16")

    @property
    def pixels(self):
        """Rows and columns of the result."""
        return [(extent + 2 * self.pad - self.kernel) // self.stride + 1 for extent in self.image[1:3]]

    @property
    def is_depthwise(self):
        return self.groups == self.image[3] == self.channels

    @property
    def work(self):
        n, _, _, c = self.image
        return 2 * n * self.pixels[0] * self.pixels[1] * self.channels * self.kernel**2 * c // self.groups

    @property
    def elements(self):
        """Of all three tensors."""
        n, h, w, c = self.image
        return n * h * w * c + n * self.pixels[0] * self.pixels[1] * self.channels + self.kernel**2 * c * self.channels // self.groups


FORMS = [
    Form("depthwise", "result", (32, 56, 56, 128), 128, groups=128, kinds=("f32", "bf16")),
    Form("depthwise_stride_2", "result", (32, 56, 56, 128), 128, groups=128, stride=2, kinds=("f32", "bf16")),
    Form("depthwise_image", "image", (32, 56, 56, 128), 128, groups=128, kinds=("f32", "bf16")),
    Form("depthwise_weights", "weights", (32, 56, 56, 128), 128, groups=128, kinds=("f32", "bf16")),
    Form("groups_of_4", "result", (32, 56, 56, 128), 128, groups=32),
    Form("groups_of_16", "result", (32, 28, 28, 512), 512, groups=32),
    Form("image_56", "image", (32, 56, 56, 64), 64),
    Form("image_14", "image", (32, 14, 14, 256), 256),
    Form("image_stride_2", "image", (32, 56, 56, 128), 128, stride=2),
    Form("weights_56", "weights", (32, 56, 56, 64), 64),
    Form("weights_14", "weights", (32, 14, 14, 256), 256),
    Form("weights_stride_2", "weights", (32, 56, 56, 128), 128, stride=2),
]


class Graph:
    """Text of a function."""

    def __init__(self, element):
        self.element = element
        self.lines = [f"%zero = arith.constant 0.0 : {element}"]
        self.values = 0

    def tensor(self, extents):
        return f"tensor<{'x'.join(map(str, extents))}x{self.element}>"

    def add(self, text):
        self.values += 1
        self.lines.append(f"%v{self.values} = {text}")
        return f"%v{self.values}"

    def fill(self, extents):
        type = self.tensor(extents)
        empty = self.add(f"tensor.empty() : {type}")
        return self.add(f"linalg.fill ins(%zero : {self.element}) outs({empty} : {type}) -> {type}")

    def insert(self, value, extents, offsets, steps, into):
        """Into zeros."""
        return self.add(f"tensor.insert_slice {value} into {self.fill(into)}{offsets} {list(extents)} {steps} : "
                        f"{self.tensor(extents)} into {self.tensor(into)}")

    def reverse(self, value, extents):
        """Along the first two dimensions."""
        type, names = self.tensor(extents), [f"d{dim}" for dim in range(len(extents))]
        indices = [f"{extents[dim] - 1} - {name}" if dim < 2 else name for dim, name in enumerate(names)]
        empty = self.add(f"tensor.empty() : {type}")
        maps = f"[affine_map<({', '.join(names)}) -> ({', '.join(indices)})>, affine_map<({', '.join(names)}) -> ({', '.join(names)})>]"
        return self.add(f"linalg.generic {{indexing_maps = {maps}, iterator_types = {self.iterators('p' * len(extents))}}}\n"
                        f"      ins({value} : {type}) outs({empty} : {type}) {{\n  ^bb0(%in: {self.element}, %out: {self.element}):\n"
                        f"    linalg.yield %in : {self.element}\n  }} -> {type}")

    def divide(self, value, extents, groups):
        """The last dimension into groups."""
        into = [*extents[:-1], groups, extents[-1] // groups]
        last = len(extents) - 1
        dims = [[dim] for dim in range(last)] + [[last, last + 1]]
        return self.add(f"tensor.expand_shape {value} {dims} output_shape {into} : {self.tensor(extents)} into {self.tensor(into)}"), into

    @staticmethod
    def iterators(text):
        return "[" + ", ".join('"parallel"' if letter == "p" else '"reduction"' for letter in text) + "]"

    def multiply(self, loops, kinds, operands, result):
        """Adds up products. Each operand has a value, extents and indices; the result extents and indices."""
        e = self.element
        maps = ", ".join(f"affine_map<({loops}) -> ({indices})>" for *_, indices in (*operands, result))
        type = self.tensor(result[0])
        return self.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = {self.iterators(kinds)}}}\n"
                        f"      ins({', '.join(value for value, *_ in operands)} : {', '.join(self.tensor(extents) for _, extents, _ in operands)}) "
                        f"outs({self.fill(result[0])} : {type}) {{\n  ^bb0(%in: {e}, %by: {e}, %out: {e}):\n"
                        f"    %m = arith.mulf %in, %by : {e}\n    %s = arith.addf %out, %m : {e}\n    linalg.yield %s : {e}\n  }} -> {type}")

    def finish(self, arguments, value, extents):
        words = ", ".join(f"{name}: {self.tensor(own)}" for name, own in arguments)
        body = "\n  ".join([*self.lines, f"return {value} : {self.tensor(extents)}"])
        return f"func.func @main({words}) -> {self.tensor(extents)} {{\n  {body}\n}}\n"


def write_result(form, graph):
    n, h, w, c = form.image
    k, p, f = form.kernel, form.pad, form.channels
    padded = [n, h + 2 * p, w + 2 * p, c]
    image = graph.insert("%x", form.image, [0, p, p, 0], [1] * 4, padded)
    out = [n, *form.pixels, f]
    rows, columns = (f"{pixel} * {form.stride} + {tap}" for pixel, tap in ("ia", "jb"))
    if form.is_depthwise:
        weights = [k, k, c]
        value = graph.multiply("n, i, j, c, a, b", "pppprr", [(image, padded, f"n, {rows}, {columns}, c"), ("%w", weights, "a, b, c")],
                               (out, "n, i, j, c"))
        return graph.finish([("%x", form.image), ("%w", weights)], value, out)
    weights = [k, k, c // form.groups, f]
    divided, divided_extents = graph.divide(image, padded, form.groups)
    by, by_extents = graph.divide("%w", weights, form.groups)
    grouped = [n, *form.pixels, form.groups, f // form.groups]
    value = graph.multiply("n, i, j, g, f, a, b, c", "ppppprrr", [(divided, divided_extents, f"n, {rows}, {columns}, g, c"),
                                                                  (by, by_extents, "a, b, c, g, f")], (grouped, "n, i, j, g, f"))
    value = graph.add(f"tensor.collapse_shape {value} [[0], [1], [2], [3, 4]] : {graph.tensor(grouped)} into {graph.tensor(out)}")
    return graph.finish([("%x", form.image), ("%w", weights)], value, out)


def write_image(form, graph):
    n, h, w, c = form.image
    k, f = form.kernel, form.channels
    weights = [k, k, c] if form.is_depthwise else [k, k, c, f]
    given = [n, *form.pixels, f]
    reverse = graph.reverse("%w", weights)
    low = k - 1 - form.pad
    wide = [n, h + k - 1, w + k - 1, f]
    image = graph.insert("%g", given, [0, low, low, 0], [1, form.stride, form.stride, 1], wide)
    if form.is_depthwise:
        value = graph.multiply("n, i, j, c, a, b", "pppprr", [(image, wide, "n, i + a, j + b, c"), (reverse, weights, "a, b, c")],
                               (form.image, "n, i, j, c"))
    else:
        value = graph.multiply("n, i, j, c, a, b, f", "pppprrr", [(image, wide, "n, i + a, j + b, f"), (reverse, weights, "a, b, c, f")],
                               (form.image, "n, i, j, c"))
    return graph.finish([("%w", weights), ("%g", given)], value, form.image)


def write_weights(form, graph):
    n, h, w, c = form.image
    k, p, f, s = form.kernel, form.pad, form.channels, form.stride
    given = [n, *form.pixels, f]
    padded = [n, h + 2 * p, w + 2 * p, c]
    image = graph.insert("%x", form.image, [0, p, p, 0], [1] * 4, padded)
    by, by_extents = "%g", given
    if s != 1:
        by_extents = [n, *((extent - 1) * s + 1 for extent in form.pixels), f]
        by = graph.insert("%g", given, [0] * 4, [1, s, s, 1], by_extents)
    if form.is_depthwise:
        out = [k, k, c]
        value = graph.multiply("a, b, c, n, i, j", "ppprrr", [(image, padded, "n, a + i, b + j, c"), (by, by_extents, "n, i, j, c")],
                               (out, "a, b, c"))
    else:
        out = [k, k, c, f]
        value = graph.multiply("a, b, c, f, n, i, j", "pppprrr", [(image, padded, "n, a + i, b + j, c"), (by, by_extents, "n, i, j, f")],
                               (out, "a, b, c, f"))
    return graph.finish([("%x", form.image), ("%g", given)], value, out)


def write_form(form, element):
    return {"result": write_result, "image": write_image, "weights": write_weights}[form.what](form, Graph(element))


def make_form(form, dtype):
    """The graph's arguments, PyTorch's op for the same, and its result in float64 as the graph has it."""
    import torch

    n, h, w, c = form.image
    k = form.kernel
    generator = torch.Generator("cuda").manual_seed(0)

    def draw(*extents, scale=1.0):
        value = (torch.randn(*extents, device="cuda", generator=generator) * scale).to(dtype)
        return value.to(memory_format=torch.channels_last)

    x, grad = draw(n, c, h, w), draw(n, form.channels, *form.pixels)
    weights = draw(form.channels, c // form.groups, k, k, scale=(c // form.groups * k * k)**-0.5)
    more = [[form.stride] * 2, [form.pad] * 2, [1, 1], False, [0, 0], form.groups]

    def compute(x, weights, grad):
        if form.what == "result":
            return torch.ops.aten.convolution(x, weights, None, *more)
        mask = [form.what == "image", form.what == "weights", False]
        return torch.ops.aten.convolution_backward(grad, x, weights, None, *more, mask)[0 if mask[0] else 1]

    def arrange(value):
        """Weights have taps first, and an image its channels last."""
        if value.shape[2:] != (k, k):
            return value.permute(0, 2, 3, 1).contiguous()
        value = value.permute(2, 3, 1, 0)
        return (value[:, :, 0] if form.is_depthwise else value).contiguous()

    given = {"result": (x, weights), "image": (weights, grad), "weights": (x, grad)}[form.what]
    want = compute(x.double(), weights.double(), grad.double())
    return [arrange(value) for value in given], lambda: compute(x, weights, grad), arrange(want)
