# ===- padding.py - padding that counts unless a pass masks it ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Steps of programs that cover an extent, whose padding is what no element of the row is: infinite, NaN, at the pole of
a function, or a number of its own. Sums are of whole numbers, so that they are exact."""

from .values import Vector, vector_type

# Infinities and a NaN.
ODD = {"f32": ["0x7F800000", "0xFF800000", "0x7FC00000"], "bf16": ["0x7F80", "0xFF80", "0x7FC0"]}
# Of numbers from 1 to 3. Twos less, they may be at a pole or beyond it.
FUNCTIONS = ["math.rsqrt {v}", "math.log {v}", "math.log2 {v}", "math.log10 {v}", "math.sqrt {v}", "math.exp {v}",
             "math.powf {v}, {less}", "arith.divf {one}, {v}", "arith.remf {one}, {v}"]
LARGEST = {"i8": 127, "i16": 32767, "i32": 2147483647, "i64": 9223372036854775807}


class Padded:
    """The values of one program, of f32 and of its width but where the name says otherwise."""

    def __init__(self, rows):
        self.rows, self.b = rows, rows.b
        self.type = vector_type((rows.width,), "f32")

    def op(self, text, type_=None):
        return self.b.body.op(f"{text} : {type_ or self.type}")

    def of(self, element):
        return vector_type((self.rows.width,), element)

    def splat(self, number):
        return self.b.body.const(number, self.type)

    def read(self, pad, element="f32", more=0):
        """Of a matrix of its own, from column `more` on."""
        source = self.b.argument([self.rows.rows, self.rows.columns + more], element, "in")
        return self.b.body.op(f"vector.transfer_read %{source.name}[%program, %c{more}], {self.b.body.const(pad, element)} : "
                              f"{source.type}, {self.of(element)}")

    def positive(self):
        """From 1 to 3. Padding may be 0."""
        pad = self.b.rng.choice([*ODD["f32"], "-1.0", "-2.0", "-2.0", "-2.0", "-3.0", "1.0e+30"])
        return self.op(f"arith.addf {self.read(pad)}, {self.splat('2.0')}")

    def few(self):
        """0 to 3, with padding 0."""
        low = self.op(f"arith.andi {self.read(0, 'i32')}, {self.b.body.const(3, self.of('i32'))}", self.of("i32"))
        return self.op(f"arith.sitofp {low}", f"{self.of('i32')} to {self.type}")

    def spread(self, number, element="f32"):
        copies = self.b.body.op(f"vector.broadcast {number} : {element} to {self.of(element)}")
        return copies if element == "f32" else self.op(f"arith.sitofp {copies}", f"{self.of(element)} to {self.type}")

    def reduce(self, value, kind, acc, element="f32"):
        return self.b.body.op(f"vector.multi_reduction <{kind}>, {value}, {self.b.body.const(acc, element)} [0] : "
                              f"{self.of(element)} to {element}")

    def write(self, copies, feature):
        self.b.features.add(feature)
        self.rows.write(self.b, Vector(copies, (self.rows.width,), "f32"))

    def write_sum(self, value, feature):
        product = self.op(f"arith.mulf {value}, {self.few()}")
        self.write(self.spread(self.reduce(product, "add", "1.0")), feature)


def pole(rows):
    """A sum of products of a function and what is 0 beyond the row."""
    p = Padded(rows)
    value = p.positive()
    if p.b.chance(0.3):
        value = p.op(f"arith.truncf {value}", f"{p.type} to {p.of('f16')}")
        value = p.op(f"arith.extf {value}", f"{p.of('f16')} to {p.type}")
    text = p.b.rng.choice(FUNCTIONS).format(v=value, one=p.splat("1.0"), less=p.splat("-1.0"))
    value = p.op(f"arith.mulf {p.op(text)}, {p.splat('8.0')}")
    p.write_sum(p.op(f"math.floor {value}"), "pole in padding")


def sign(rows):
    """A limit of quotients by products with a number of the row."""
    p = Padded(rows)
    source = p.b.argument([rows.rows], "i32", "in")
    source.iota = True
    number = p.b.body.op(f"memref.load %{source.name}[%program] : {source.type}")
    half = p.op(f"arith.subf {p.spread(number, 'i32')}, {p.splat('1.5')}")
    quotient = p.op(f"arith.divf {p.splat('1.0')}, {p.op(f'arith.mulf {p.positive()}, {half}')}")
    kind = p.b.rng.choice(["minimumf", "maximumf", "minnumf", "maxnumf"])
    acc = ODD["f32"][kind.startswith("max")]
    p.write(p.spread(p.reduce(quotient, kind, acc)), "sign in padding")


def columns(rows):
    """A limit of rows, from what another matrix has a column later."""
    p, type_ = Padded(rows), vector_type((4, rows.width), "f32")
    source = p.b.argument([4, rows.columns], "f32", "in")
    table = p.b.body.op(f"vector.transfer_read %{source.name}[%c0, %c0], {p.b.body.const(ODD['f32'][1], 'f32')} : "
                        f"{source.type}, {type_}")
    table = p.op(f"math.floor {table}", type_)
    acc = p.op(f"math.floor {p.read(p.b.rng.choice(ODD['f32']), more=1)}")
    kind = p.b.rng.choice(["maximumf", "maxnumf"])
    most = p.b.body.op(f"vector.multi_reduction <{kind}>, {table}, {acc} [0] : {type_} to {p.type}")
    p.write_sum(most, "initial values in padding")


def first(rows):
    """The first column whose element is the row's largest, in integers that may have fewer numbers."""
    p = Padded(rows)
    lowest, element = ODD["f32"][1], p.b.rng.choice(list(LARGEST))
    value = p.read(lowest)
    if p.b.chance(0.6):  # all are
        value = p.op(f"arith.addf {value}, {p.splat(lowest)}")
    equal = p.op(f"arith.cmpf oeq, {value}, {p.spread(p.reduce(value, 'maximumf', lowest))}")
    steps = p.b.body.op(f"vector.step : {p.of('index')}")
    own = p.op(f"arith.index_cast {steps}", f"{p.of('index')} to {p.of(element)}")
    largest = LARGEST[element]
    chosen = p.op(f"arith.select {equal}, {own}, {p.b.body.const(largest, p.of(element))}", f"{p.of('i1')}, {p.of(element)}")
    p.write(p.spread(p.reduce(chosen, "minsi", largest, element), element), "first column")


def step(rows):
    if not rows.b.depth:
        rows.b.rng.choice([pole, pole, sign, columns, first])(rows)
