# ===- text.py - MLIR, line by line ---------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Writes the body of a kernel. One op stands on one line, so that the minimiser can drop lines;
constants are gathered at the top."""

import contextlib


class Body:
    def __init__(self):
        self.lines = []
        self.top = {}  # text of a constant -> its name
        self.depth = 2
        self.count = 0

    def name(self, stem="v"):
        self.count += 1
        return f"%{stem}{self.count}"

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def op(self, text, stem="v"):
        """A line with one result; its name."""
        result = self.name(stem)
        self.line(f"{result} = {text}")
        return result

    def const(self, value, kind="index"):
        """A constant of an index, integer or float type, or a vector of one."""
        if kind == "index" and value >= 0:
            name = f"%c{value}"
        else:
            name = f"%k{len(self.top)}"
        if kind.startswith("vector"):
            text = f"arith.constant dense<{value}> : {kind}"
        else:
            text = f"arith.constant {value} : {kind}"
        return self.top.setdefault(text, name)

    def op_at_top(self, text):
        """A line before all others, once for each text; its name."""
        return self.top.setdefault(text, f"%top{len(self.top)}")

    def allocate(self, text, name):
        """A buffer at the top. The top is keyed by text, and equal allocations are different ones."""
        self.top[f"memref.alloc() : {text}{' ' * (len(self.top) + 1)}"] = name
        return name

    def index(self, operation, a, b):
        """`operation` on indices; integers are constants, and trivial ones fold."""
        if isinstance(a, int) and isinstance(b, int):
            return {"add": a + b, "mul": a * b, "sub": a - b}[operation]
        if (operation, b) in (("add", 0), ("sub", 0), ("mul", 1), ("divu", 1)):
            return a
        if (operation, a) in (("add", 0), ("mul", 1)):
            return b
        if (operation, b) == ("remu", 1) or (operation == "mul" and 0 in (a, b)):
            return 0
        return self.op(f"arith.{operation}i {self.value(a)}, {self.value(b)} : index", "i")

    def value(self, value):
        return self.const(value) if isinstance(value, int) else value

    def values(self, values):
        return ", ".join(self.value(value) for value in values)

    @contextlib.contextmanager
    def region(self, head, tail="}"):
        self.line(head + " {")
        self.depth += 1
        yield
        self.depth -= 1
        self.line(tail)

    @contextlib.contextmanager
    def loop(self, lower, upper, step, carried=(), attributes=""):
        """An scf.for. `carried` are (value, type); yields the induction variable, the region's
        arguments, and a Yield to set; its `results` are what the loop gives."""
        variable, loop = self.name("i"), Yield()
        head = (f"scf.for {variable} = {self.value(lower)} to {self.value(upper)} "
                f"step {self.value(step)}")
        arguments = [self.name("a") for _ in carried]
        if carried:
            loop.name = self.name("r")
            inits = ", ".join(f"{a} = {self.value(v)}" for a, (v, _) in zip(arguments, carried))
            types = ", ".join(kind for _, kind in carried)
            count = f":{len(carried)}" if len(carried) > 1 else ""
            head = f"{loop.name}{count} = {head} iter_args({inits}) -> ({types})"
            loop.results = [f"{loop.name}#{i}" if count else loop.name for i in range(len(carried))]
        loop.values = list(arguments)
        with self.region(head, "}" + (f" {{{attributes}}}" if attributes else "")):
            yield variable, arguments, loop
            if carried:
                self.line(f"scf.yield {', '.join(loop.values)} : {types}")

    def text(self):
        top = [f"    {name} = {text}" for text, name in self.top.items()]
        return "\n".join(line.rstrip() for line in top + self.lines)


class Yield:
    """What a loop's body hands on, and what the loop gives in the end."""

    def __init__(self):
        self.values, self.results, self.name = [], [], None
