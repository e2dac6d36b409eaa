# ===- tiles.py - random products of matrices, tile by tile ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs that compute a tile of a product each, as authors write them: a grid of tiles, of one or of many matrices, and a
loop along what is summed. Passes give them roles, a loop over tiles, other tiles, and clusters that share tiles. Extents
are one off a tile, a few, and none; rows are aligned, padded and odd; what follows a product stays in registers. Factors
are small integers, so that sums are exact in each order."""

from .products import pipeline
from .values import Builder, Vector, vector_type

# Of a factor in memory: the type that is multiplied, the sums', and the result's.
TYPES = [("bf16", "bf16", "f32", "bf16")] * 4 + [("f16", "f16", "f32", "f16")] * 2 + [("f32", "f32", "f32", "f32")] * 3 + \
    [("i8", "i8", "i32", "i32")] * 2 + [("i8", "bf16", "f32", "bf16"), ("f8E4M3FN", "f8E4M3FN", "f32", "bf16")]
TILES = [(128, 256), (128, 128), (128, 128), (64, 128), (64, 64), (128, 64), (256, 128), (64, 256), (32, 64), (16, 128)]
COUNT = 7  # integers of a factor; their products' sums are whole numbers far below 2^24
BYTES = {"i8": 1, "f8E4M3FN": 1, "f32": 4}


class Tiles:
    def __init__(self, seed):
        self.b = b = Builder("tiles", seed)
        rng = b.rng
        self.stored, self.factor, self.sum, self.result = rng.choice(TYPES)
        m, n = rng.choice(TILES)
        self.tile = {"m": m, "n": n, "k": rng.choice([128, 64, 32]) // BYTES.get(self.factor, 2) * (1 if b.chance(0.8) else 2)}
        self.orders = [rng.choice(["mk", "mk", "mk", "km"]), rng.choice(["kn", "kn", "nk"]), "mn"]
        self.batch = rng.choice([0, 0, 0, 1, 3])
        counts = {"m": rng.choice([1, 1, 2, 3, 5]), "n": rng.choice([1, 1, 2]), "k": rng.choice([0, 1, 2, 5])}
        while self.elements(counts) > 3 << 20:  # of multiplications, for the time of a run
            largest = max(counts, key=lambda loop: counts[loop])
            if counts[largest] == 1:
                break
            counts[largest] -= 1
        # Whether engines can copy all rows.
        self.aligned = b.chance(0.6)
        more = [0, 0, 0, 16, -16] if self.aligned else [0, 0, -1, -3, 8, -8]
        self.extents = {loop: max(0 if loop == "k" else 1, self.tile[loop] * count + rng.choice(more))
                        for loop, count in counts.items()}
        b.features.add(f"tile {m}x{n} {self.factor}")

    def elements(self, counts):
        result = max(self.batch, 1)
        for loop, count in counts.items():
            result *= self.tile[loop] * count
        return result

    def shape(self, operand):
        return tuple(self.tile[loop] for loop in self.orders[operand])

    def argument(self, operand, element, access, name):
        b = self.b
        extents = [self.extents[loop] for loop in self.orders[operand]]
        if self.batch:
            extents = [self.batch, *extents]
        argument = b.argument(extents, element, access, name=name, padded=b.chance(0.4),
                              gaps=[16, 64] if self.aligned else [1, 3, 8])
        argument.iota, argument.count = access == "in", COUNT
        return argument

    def indices(self, operand, places):
        words = [places[loop] for loop in self.orders[operand]]
        return ", ".join(["%batch", *words] if self.batch else words)

    # ===- The grid --------------------------------------------------------------===#

    def grid(self, y):
        """Text of the launch, and the names of the tile's first row and column."""
        b, rank = self.b, len(y.extents)
        number = self.b.arguments.index(y)
        down, across = (f"ceildiv(extent({number}, {rank - 2 + d}), {self.tile[loop]})" for d, loop in enumerate("mn"))
        batch = [f"extent({number}, 0)"] if self.batch else []
        way = b.rng.choice(["planes", "planes", "swapped", "line"])
        b.features.add(f"grid {way}")
        if way == "line":
            extent = b.body.op(f"memref.dim %{y.name}, {b.body.const(rank - 1)} : {y.type}")
            count = b.body.op(f"arith.ceildivui {extent}, {b.body.const(self.tile['n'])} : index")
            row, column = (b.body.op(f"arith.{op} %program, {count} : index") for op in ("divui", "remui"))
            grid = [f"{down} * {across}", *(["1", *batch] if batch else [])]
        else:
            second = b.body.op("gpu.block_id y")
            row, column = ("%program", second) if way == "swapped" else (second, "%program")
            grid = [*((down, across) if way == "swapped" else (across, down)), *batch]
        if batch:
            b.body.line("%batch = gpu.block_id z")
        places = {loop: b.body.op(f"affine.apply affine_map<(d) -> (d * {self.tile[loop]})>({at})")
                  for loop, at in (("m", row), ("n", column))}
        return f"grid = [{', '.join(grid)}]", places

    # ===- The product -------------------------------------------------------------===#

    def read(self, operand, argument, places):
        b, shape = self.b, self.shape(operand)
        type_ = vector_type(shape, self.stored)
        value = b.op(f"vector.transfer_read %{argument.name}[{self.indices(operand, places)}], "
                     f"{b.constant((), self.stored, 0).name} : {argument.type}, {type_}", shape, self.stored, "tile of a factor")
        if self.stored != self.factor:
            value = b.op(f"arith.sitofp {value.name} : {value.type} to {value.of(self.factor)}", shape, self.factor,
                         "converted factor")
        if self.factor == "f32":
            value = b.op(f"carousel.round_tf32 {value.name} : {value.type}", shape, "f32", "round_tf32")
        return value

    def multiply(self, factors, places):
        b = self.b
        zero = b.constant(self.shape(2), self.sum, 0)
        extent = b.body.op(f"memref.dim %{factors[0].name}, "
                           f"{b.body.const(len(factors[0].extents) - 2 + self.orders[0].index('k'))} : {factors[0].type}")
        result, induction, carried = (b.body.name(stem) for stem in "lia")
        b.body.line(f"{result} = scf.for {induction} = %c0 to {extent} step {b.body.const(self.tile['k'])} iter_args("
                    f"{carried} = {zero.name}) -> ({zero.type}) {{")
        b.body.depth += 1
        left, right = (self.read(operand, factors[operand], {**places, "k": induction}) for operand in (0, 1))
        maps = ", ".join(f"affine_map<(m, n, k) -> ({', '.join(order)})>" for order in self.orders)
        following = b.op(f"vector.contract {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", "
                         f"\"reduction\"], kind = #vector.kind<add>}} {left.name}, {right.name}, {carried} : {left.type}, "
                         f"{right.type} into {zero.type}", zero.shape, self.sum, f"contract {self.factor}")
        b.body.line(f"scf.yield {following.name} : {zero.type}")
        b.body.depth -= 1
        b.body.line("}" + (pipeline(b) if b.chance(0.3) else " {carousel.pipeline = #carousel.pipeline<>}"))
        return Vector(result, zero.shape, self.sum)

    def finish_tile(self, value, places):
        """A bias, a maximum with zero, a residual: some of them. Sums stay whole numbers that the result's type has or rounds
        once."""
        b, floats = self.b, self.sum == "f32"
        add, most = ("arith.addf", "arith.maximumf") if floats else ("arith.addi", "arith.maxsi")
        if b.chance(0.4):
            bias = b.argument([self.extents["n"]], self.sum, "in", name="bias")
            bias.iota, bias.count = True, COUNT
            row = b.op(f"vector.transfer_read %bias[{places['n']}], {b.constant((), self.sum, 0).name} : {bias.type}, "
                       f"{vector_type(value.shape[1:], self.sum)}", value.shape[1:], self.sum, "bias")
            row = b.broadcast(row, value.shape)
            value = b.op(f"{add} {value.name}, {row.name} : {value.type}", value.shape, self.sum, "add a bias")
        if b.chance(0.3):
            least = b.constant(value.shape, self.sum, 0)
            value = b.op(f"{most} {value.name}, {least.name} : {value.type}", value.shape, self.sum, "rectify")
        if b.chance(0.25):
            residual = self.argument(2, self.sum, "in", "r")
            tile = b.op(f"vector.transfer_read %r[{self.indices(2, places)}], {b.constant((), self.sum, 0).name} : "
                        f"{residual.type}, {value.type}", value.shape, self.sum, "residual")
            value = b.op(f"{add} {value.name}, {tile.name} : {value.type}", value.shape, self.sum, "add a residual")
        if self.result != self.sum:
            value = b.op(f"arith.truncf {value.name} : {value.type} to {value.of(self.result)}", value.shape, self.result,
                         "rounded result")
        return value

    def generate(self):
        b = self.b
        factors = [self.argument(operand, self.stored, "in", name) for operand, name in enumerate("xw")]
        y = self.argument(2, self.result, "out", "y")
        launch, places = self.grid(y)
        value = self.finish_tile(self.multiply(factors, places), places)
        b.body.line(f"vector.transfer_write {value.name}, %{y.name}[{self.indices(2, places)}] : {value.type}, {y.type}")
        kernel = b.finish("", launch)
        # Few multiprocessors have several tiles each.
        kernel.machine = ["--multiprocessors", b.rng.choice([1, 2, 4, 132])]
        return kernel


def generate(seed):
    return Tiles(seed).generate()
