# ===- block_cases.py - cases of the kernels of examples/block -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The arguments that scripts/block-examples runs each kernel with."""

from dataclasses import dataclass

SUMS = ["--rtol", "0.0079", "--atol", "1e-4"]
# Weights of values round to bf16, by 2^-8 of their sizes, and add up to 1: results of values up to 1 are off by 2^-8, and
# round to bf16.
ATTENTION = ["--rtol", "0.0079", "--atol", "0.004"]
# Parts of attention aren't divided by their sums: values up to 1 times up to 64 weights of the largest size are off by 2^-4 at
# most, where all of these round in one direction.
PARTS = ["--rtol", "0.0079", "--atol", "0.0625"]
# Weights round to 8-bit floats, by 2^-4 of their sizes, and add up to 1: results of values up to 1 are off by 2^-4. Scores are
# off by 2^-11 of the sum of their products' magnitudes, 128 at most, times a scale of 0.1.
ATTENTION_FP8 = ["--rtol", "0.0079", "--atol", "0.07"]
# Scores of up to 16 of random q and k, times 0.02, and lse from -1 on give weights of up to 4. These round to bf16, by 2^-8 of
# their sizes; 512 such errors of both signs, times elements of dy up to 1, add up to 0.2 about.
GRADIENTS = ["--rtol", "0.0079", "--atol", "0.25"]
# Biases of up to 1 make weights e times as large.
GRADIENTS_BIAS = ["--rtol", "0.0079", "--atol", "0.7"]


@dataclass
class Case:
    file: str
    kernel: str
    outputs: list
    arguments: list
    tolerance: tuple = ()
    width: int = 4096  # of the vectors from which the variants are made
    shrinks: bool = True  # products have smaller tiles than in the example
    page: int = 64  # the keys of a page

    def describe(self):
        return (f"{self.file}: {self.kernel} {' '.join(self.arguments)}"
                + (f" in vectors of {self.width}" if self.width != 4096 else "") + ("" if self.shrinks else " in whole tiles")
                + (f" with pages of {self.page}" if self.page != 64 else ""))


def make_gradients(heads, groups, rows, keys, elements=128):
    """What gradients of attention are computed from: q, k, v and dy, and numbers of rows and a scale."""
    factors = [f"{name}=random:{count}x{n}x{elements}:{seed}" for seed, (name, count, n)
               in enumerate((("q", heads, rows), ("k", groups, keys), ("v", groups, keys), ("dy", heads, rows)), 1)]
    return factors, [f"lse=random:{heads}x{rows}:5", f"delta=random:{heads}x{rows}:6", "scale=0.02"]


def make_cases():
    cases = []

    def add(file, kernel, outputs, *arguments, tolerance=(), width=4096, shrinks=True, page=64):
        cases.append(Case(file, kernel, outputs.split(), list(arguments), tolerance, width, shrinks, page))

    for rows, columns, layout in ((1, 1, ""), (37, 96, ""), (3, 1001, "@1008x1")):
        x = f"x=random:{rows}x{columns}{layout}"
        w, b = f"w=random:{columns}:1", f"b=random:{columns}:2"
        small = f"{rows}x{columns}"
        add("softmax", "softmax", "y", x, "y=like:x", tolerance=SUMS)
        add("softmax", "log_softmax", "y", x, "y=like:x", tolerance=SUMS)
        for bits in (16, 32):
            add("sums", f"row_sum_{bits}", "y", x, f"y=empty:{rows}", tolerance=SUMS)
            add("sums", f"column_sum_{bits}", "y", x, f"y=empty:{columns}", tolerance=SUMS)
        add("argmax", "argmax", "value index", x, f"value=empty:{rows}", f"index=empty:{rows}")
        add("rmsnorm", "rmsnorm", "y", x, w, "y=like:x", tolerance=SUMS)
        add("rmsnorm", "rmsnorm_residual", "h y", x, f"residual=random:{small}:3", w, "h=like:x", "y=like:x", tolerance=SUMS)
        add("layernorm", "layernorm", "y mean rstd", x, w, b, "y=like:x", f"mean=empty:{rows}", f"rstd=empty:{rows}",
            tolerance=SUMS)
        dy, stats = f"dy=random:{small}:4", [f"mean=random:{rows}:5", f"rstd=random:{rows}:6"]
        parts = -(-rows // 64)
        add("rmsnorm_backward", "rmsnorm_backward", "dx parts", x, dy, w, stats[1], "dx=like:x",
            f"parts=empty:{parts}x{columns}", tolerance=SUMS)
        add("layernorm_backward", "layernorm_backward", "dx parts parts_b", x, dy, w, *stats, "dx=like:x",
            f"parts=empty:{parts}x{columns}", f"parts_b=empty:{parts}x{columns}", tolerance=SUMS)
        for norm in ("rmsnorm", "layernorm"):
            add(f"{norm}_backward", "column_sum", "sums", f"parts=random:{small}", f"sums=empty:{columns}", tolerance=SUMS)
        add("cross_entropy", "cross_entropy", "loss", x, f"label=zeros:{rows}", f"loss=empty:{rows}", tolerance=SUMS)
        for kind in ("int8", "fp8"):
            add("dequantize", f"dequantize_{kind}", "y", x, f"scale=random:{rows}:1", f"y=empty:{small}")
        add("gather", "gather_rows", "y", f"table=random:{small}", f"index=permutation:{rows}", f"y=empty:{small}")
    for pages, page, columns in ((1, 1, 1), (7, 16, 96), (5, 3, 1001)):
        add("gather", "gather_pages", "y", f"pool=random:{pages}x{page}x{columns}", f"pages=permutation:{pages}",
            f"y=empty:{pages * page}x{columns}")
    add("argmax", "argmax", "value index", "x=nans:9x300", "value=empty:9", "index=empty:9")
    add("argmax", "argmax", "value index", "x=nans:9x300", "value=empty:9", "index=empty:9", width=64)
    # More rows than a program has.
    add("rmsnorm_backward", "rmsnorm_backward", "dx parts", "x=random:150x72", "dy=random:150x72:4", "w=random:72:1",
        "rstd=random:150:6", "dx=like:x", "parts=empty:3x72", tolerance=SUMS)
    add("layernorm_backward", "layernorm_backward", "dx parts parts_b", "x=random:150x72", "dy=random:150x72:4",
        "w=random:72:1", "mean=random:150:5", "rstd=random:150:6", "dx=like:x", "parts=empty:3x72", "parts_b=empty:3x72",
        tolerance=SUMS)
    for columns in (300, 304):
        x, w = f"x=random:3x{columns}", f"w=random:{columns}:1"
        add("softmax", "softmax", "y", x, "y=like:x", tolerance=SUMS, width=64)
        add("softmax", "log_softmax", "y", x, "y=like:x", tolerance=SUMS, width=64)
        add("sums", "row_sum_16", "y", x, "y=empty:3", tolerance=SUMS, width=64)
        add("argmax", "argmax", "value index", x, "value=empty:3", "index=empty:3", width=64)
        add("argmax", "argmax", "value index", f"x=zeros:3x{columns}", "value=empty:3", "index=empty:3", width=64)
        add("rmsnorm", "rmsnorm", "y", x, w, "y=like:x", tolerance=SUMS, width=64)
        add("layernorm", "layernorm", "y mean rstd", x, w, f"b=random:{columns}:2", "y=like:x", "mean=empty:3",
            "rstd=empty:3", tolerance=SUMS, width=64)
        add("cross_entropy", "cross_entropy", "loss", x, "label=iota:3", "loss=empty:3", tolerance=SUMS, width=64)
    # Rows in chunks, and what the loop over them carries.
    for rows, columns in ((3, 300), (3, 304), (67, 304), (2, 257)):
        x, dy, w, rstd = (f"x=random:{rows}x{columns}", f"dy=random:{rows}x{columns}:4", f"w=random:{columns}:1",
                          f"rstd=random:{rows}:6")
        parts = f"{-(-rows // 64)}x{columns}"
        add("rmsnorm_backward", "rmsnorm_backward", "dx parts", x, dy, w, rstd, "dx=like:x", f"parts=empty:{parts}",
            tolerance=SUMS, width=64)
        add("layernorm_backward", "layernorm_backward", "dx parts parts_b", x, dy, w, f"mean=random:{rows}:5", rstd,
            "dx=like:x", f"parts=empty:{parts}", f"parts_b=empty:{parts}", tolerance=SUMS, width=64)
    for file, kernel, outputs in (("softmax", "softmax", "y"), ("rmsnorm", "rmsnorm", "y"), ("layernorm", "layernorm", "y mean rstd"),
                                  ("cross_entropy", "cross_entropy", "loss"), ("argmax", "argmax", "value index")):
        columns = 40008
        arguments = {"y": "y=like:x", "mean": "mean=empty:2", "rstd": "rstd=empty:2", "loss": "loss=empty:2",
                     "value": "value=empty:2", "index": "index=empty:2"}
        others = {"rmsnorm": [f"w=random:{columns}:1"], "layernorm": [f"w=random:{columns}:1", f"b=random:{columns}:2"],
                  "cross_entropy": ["label=iota:2"]}
        add(file, kernel, outputs, f"x=random:2x{columns}", *others.get(kernel, []), *[arguments[name] for name in outputs.split()],
            tolerance=SUMS, width=65536)
    # Rows in tiles: ends in the first chunk, behind one, in the middle and in the last granule.
    for columns in (8, 4104, 16392, 32760, 32768):
        x = f"x=random:2x{columns}"
        add("softmax", "softmax", "y", x, "y=like:x", tolerance=SUMS, width=32768)
        add("layernorm", "layernorm", "y mean rstd", x, f"w=random:{columns}:1", f"b=random:{columns}:2", "y=like:x",
            "mean=empty:2", "rstd=empty:2", tolerance=SUMS, width=32768)
        add("cross_entropy", "cross_entropy", "loss", x, "label=iota:2", "loss=empty:2", tolerance=SUMS, width=32768)
    # Rows in tiles of a cluster: ends with the first CTA's part, in the next one, and with the last.
    for columns in (32768, 32776, 65536):
        x = f"x=random:2x{columns}"
        add("softmax", "softmax", "y", x, "y=like:x", tolerance=SUMS, width=65536)
        add("rmsnorm", "rmsnorm", "y", x, f"w=random:{columns}:1", "y=like:x", tolerance=SUMS, width=65536)
        add("cross_entropy", "cross_entropy", "loss", x, "label=iota:2", "loss=empty:2", tolerance=SUMS, width=65536)
    for rows, columns, layout in ((1, 1, ""), (9, 515, ""), (17, 520, "@528x1")):
        x, r = f"x=random:{rows}x{columns}{layout}", f"r=random:{rows}x{columns}:1"
        add("activation", "gelu_bias", "y", x, f"b=random:{columns}:2", r, "y=like:x")
        add("activation", "silu_mul", "y", x, r, "y=like:x")
        add("activation", "chain", "y", x, r, f"b=random:{columns}:2", f"a=random:{rows}:3", "y=like:x")
    for bits in (8, 16, 32):
        for rows, columns in ((1, 130), (160, 144), (127, 257)):
            add("transpose", f"transpose_{bits}", "y", f"x=random:{rows}x{columns}", f"y=empty:{columns}x{rows}")
    for extent in (1, 5000, 8192):
        add("adamw", "adamw", "p m v", f"p=random:{extent}", f"g=random:{extent}:1", f"m=random:{extent}:2",
            f"v=iota:{extent}", "lr=0.001", "beta1=0.9", "beta2=0.999", "eps=1e-8", "decay=0.01", "scale1=10", "scale2=1000")
    for heads in (1, 20, 64):
        add("rope", "rope", "y", f"x=random:3x{heads}x128", "cos=random:3x64:1", "sin=random:3x64:2", "y=like:x")
    for shape in ("1x1", "20x300", "17x257@260x1"):
        add("stencil", "stencil", "y", f"x=random:{shape}", "y=like:x")
    for m, n, k in ((1, 1, 1), (35, 40, 30), (32, 36, 72)):
        a, b, y = f"a=random:{m}x{k}", f"b=random:{k}x{n}:1", f"y=empty:{m}x{n}"
        add("matmul", "matmul_gelu", "y", a, b, f"bias=random:{n}:2", y)
        add("matmul", "matmul_int8", "y", a, f"w=random:{n}x{k}:1", f"scale=random:{n}:2", y)
        add("matmul", "split_k", "y", a, b, y, "split=3")
        for programs in (1, 2, 7):
            add("stream_k", "stream_k", "y", a, b, f"bias=random:{n}:2", y, f"programs={programs}")
    # Bank conflicts depend on the tiles.
    add("matmul", "matmul_gelu", "y", "a=random:256x64", "b=random:64x128:1", "bias=random:128:2", "y=empty:256x128",
        shrinks=False)
    add("matmul", "matmul_int8", "y", "a=random:256x64", "w=random:128x64:1", "scale=random:128:2", "y=empty:256x128",
        shrinks=False)
    # Tiles that two programs share, that all do, and whole ones between shared ones.
    for m, n, k, programs in ((130, 264, 200, 3), (128, 256, 200, 3), (256, 768, 72, 2)):
        add("stream_k", "stream_k", "y", f"a=random:{m}x{k}", f"b=random:{k}x{n}:1", f"bias=random:{n}:2", f"y=empty:{m}x{n}",
            f"programs={programs}", shrinks=False)
    # Warpgroups multiply only whole tiles.
    for m, n, k in ((1, 8, 16), (130, 264, 144)):
        x, v, w, y = (f"x=random:{m}x{k}", f"v=random:{k}x{n}:1", f"w=random:{k}x{n}:2", f"y=empty:{m}x{n}")
        add("products", "batched", "y", f"x=random:2x{k}x{m}", f"w=random:2x{k}x{n}:1", f"y=empty:2x{m}x{n}", shrinks=False)
        add("products", "two_products", "y z", x, v, w, y, "z=like:y", shrinks=False)
        add("products", "matmul_i8", "y", x, f"w=random:{n}x{k}:1", y, shrinks=False)
        add("products", "matmul_tf32", "y", x, w, y, shrinks=False)
        add("products", "matmul_f8", "y", x, f"w=random:{n}x{k}:1", f"row=random:{m}:2", f"column=random:{n}:3", y, tolerance=SUMS,
            shrinks=False)
    for m, n, k in ((1, 8, 8), (130, 264, 136)):
        x, w1, w2, y = f"x=random:{m}x{k}", f"w1=random:{k}x{n}:1", f"w2=random:{k}x{n}:2", f"y=empty:{m}x{n}"
        add("fused", "gated", "y", x, w1, w2, y, tolerance=SUMS, shrinks=False)
        w, r = f"w=random:{k}x{n}:1", f"r=random:{m}x{n}:2"
        add("fused", "residual", "y", x, w, r, y, tolerance=SUMS, shrinks=False)
        add("fused", "norm_residual", "y", x, f"g=random:{k}:3", w, r, y, tolerance=SUMS, shrinks=False)
    for m, n, k in ((1, 8, 8), (130, 264, 136)):
        draws = ("p=0.25", "seed=1234567890123", f"offset={(1 << 32) + m}")
        add("dropout", "linear_dropout", "y", f"x=random:{m}x{k}", f"w=random:{k}x{n}:1", f"b=random:{n}:2", f"y=empty:{m}x{n}",
            *draws, tolerance=SUMS, shrinks=False)
        add("dropout", "dropout_backward", "dx", f"dy=random:{m}x{n}", f"dx=empty:{m}x{n}", *draws, shrinks=False)
    for m, n, k in ((1, 8, 32), (130, 264, 288)):
        groups = -(-k // 128)
        for file, kernel in (("weights", "matmul_int4"), ("skinny_int4", "skinny_int4")):
            add(file, kernel, "y", f"x=random:{m}x{k}", f"w=random:{n}x{k // 2}:1", f"scale=random:{groups}x{n}:2",
                f"zero=random:{groups}x{n}:3", f"y=empty:{m}x{n}", tolerance=SUMS, shrinks=False)
        for file, kernel in (("weights", "matmul_float8"), ("skinny_bytes", "skinny_float8"), ("skinny_bytes", "skinny_int8")):
            add(file, kernel, "y", f"x=random:{m}x{k}", f"w=random:{n}x{k}:1", f"scale=random:{n}:2", f"y=empty:{m}x{n}",
                tolerance=SUMS, shrinks=False)
    for m, n, k in ((4, 8, 16), (132, 264, 272)):
        blocks = -(-k // 128)
        add("block_scales", "block_scales", "z", f"x=random:{m}x{k}", f"w=random:{n}x{k}:1", f"sx=random:{blocks}x{m}:2",
            f"sw=random:{-(-n // 128)}x{blocks}:3", f"z=empty:{m}x{n}", tolerance=SUMS, shrinks=False)
    for rows, words, k, parts in ((1, 8, 8, 1), (130, 520, 72, 2)):
        add("linear_cross_entropy", "parts", "parts", f"x=random:{rows}x{k}", f"w=random:{words}x{k}:1", f"label=iota:{rows}",
            f"parts=empty:3x{parts}x{rows}", tolerance=SUMS, shrinks=False)
        add("linear_cross_entropy", "combine", "loss lse", f"parts=random:3x{parts}x{rows}", f"loss=empty:{rows}", f"lse=empty:{rows}",
            tolerance=SUMS, shrinks=False)
    # Chunks of words: the first one, and one with some labels and others before and behind it.
    backward = "linear_cross_entropy_backward"
    for rows, words, k, first in ((1, 8, 8, 0), (130, 264, 24, 40)):
        d = f"d=random:{rows}x{words}:2"
        add(backward, "dlogits", "d", f"x=random:{rows}x{k}", f"w=random:{words}x{k}:1", f"label=iota:{rows}", f"lse=iota:{rows}",
            f"g=random:{rows}:3", f"first={first}", f"d=empty:{rows}x{words}", tolerance=SUMS, shrinks=False)
        add(backward, "dw", "dw", d, f"x=random:{rows}x{k}", f"dw=empty:{words}x{k}", tolerance=SUMS, shrinks=False)
        add(backward, "dx", "sums", d, f"w=random:{words}x{k}:1", f"sums=random:{rows}x{k}:4", tolerance=SUMS, shrinks=False)
    for n, h, w, c, f in ((1, 1, 1, 8, 8), (2, 9, 17, 72, 136)):
        add("convolution", "conv3x3", "y", f"x=random:{n}x{h}x{w}x{c}", f"w=random:3x3x{c}x{f}:1", f"y=empty:{n}x{h}x{w}x{f}",
            tolerance=SUMS, shrinks=False)
    # A cluster's CTAs have parts of the products that are equal, that end early, and none.
    for m, n, k in ((1, 8, 8), (17, 136, 200), (16, 128, 256)):
        add("skinny", "skinny", "y", f"x=random:{m}x{k}", f"w=random:{k}x{n}:1", f"y=empty:{m}x{n}", tolerance=SUMS, shrinks=False)
    # Empty groups, one row, rows behind a tile, and rows that no group has.
    for rows, counts, n, k in ((210, "0x1x130x0x77", 136, 72), (300, "256x0x0", 256, 64), (3, "0x0", 8, 8)):
        groups = counts.count("x") + 1
        add("grouped", "grouped", "z", f"x=random:{rows}x{k}", f"w=random:{groups}x{k}x{n}:1", f"offsets=ends:{counts}",
            f"z=zeros:{rows}x{n}", shrinks=False)
        add("grouped", "grouped_weights", "z", f"x=random:{rows}x{k}", f"y=random:{rows}x{n}:1", f"offsets=ends:{counts}",
            f"z=empty:{groups}x{k}x{n}", shrinks=False)
        # Each token has two rows.
        tokens, tiles = -(-rows // 2), f"tiles=tiles:{counts}"
        add("experts", "up", "h", f"x=random:{tokens}x{k}", f"token=tokens:{rows}", f"w_up=random:{groups}x2x{n}x{k}:1", tiles,
            f"h=zeros:{rows}x{n}", tolerance=SUMS, shrinks=False)
        add("experts", "down", "z", f"h=random:{rows}x{k}", f"w_down=random:{groups}x{n}x{k}:1", tiles, f"token=tokens:{rows}",
            f"scale=random:{rows}:2", f"z=zeros:{tokens}x{n}", tolerance=SUMS, shrinks=False)
    # One program, and the last one of two with few tokens; eight experts, and all 64.
    for tokens, k, experts in ((1, 8, 8), (75, 72, 64)):
        add("router", "route", "z expert weight token scale tiles", f"x=random:{tokens}x{k}", f"w=random:{k}x{experts}:1",
            f"z=empty:{tokens}x{k}", f"expert=empty:{tokens}x2", f"weight=empty:{tokens}x2", f"token=empty:{2 * tokens}",
            f"scale=empty:{2 * tokens}", f"tiles=empty:3x{2 * tokens // 128 + experts}", tolerance=SUMS, shrinks=False)
    # One tile, whole tiles, and one row and key more than those.
    # Rows that no key counts for have zeros.
    for name, elements in (("attention", 128), ("attention_64", 64)):
        add(name, name, "y lse", f"q=random:1x5x{elements}:1", f"k=random:1x0x{elements}", f"v=random:1x0x{elements}", "scale=0.3",
            "y=like:q", "lse=empty:1x5", shrinks=False)
    for heads, n in ((1, 5), (2, 129), (1, 256)):
        factors = [f"{name}=random:{heads}x{n}x128:{seed}" for seed, name in enumerate("qkv", 1)]
        for kernel in ("attention", "attention_causal"):
            add("attention", kernel, "y lse", *factors, "scale=0.3", "y=like:q", f"lse=empty:{heads}x{n}", tolerance=ATTENTION,
                shrinks=False)
    for heads, n in ((1, 5), (2, 129), (1, 256)):
        factors = [f"{name}=random:{heads}x{n}x64:{seed}" for seed, name in enumerate("qkv", 1)]
        for kernel in ("attention_64", "attention_causal_64"):
            add("attention_64", kernel, "y lse", *factors, "scale=0.3", "y=like:q", f"lse=empty:{heads}x{n}", tolerance=ATTENTION,
                shrinks=False)
    # Windows that end in the first tile that a program reads, with it, and behind all keys; and none but the sink.
    for heads, groups, n, window in ((1, 1, 5, 2), (2, 1, 129, 128), (1, 1, 300, 130), (2, 2, 5, 0), (4, 2, 129, 1000)):
        factors = [f"{name}=random:{count}x{n}x64:{seed}" for seed, (name, count)
                   in enumerate((("q", heads), ("k", groups), ("v", groups)), 1)]
        add("attention_64", "attention_sink", "y lse", *factors, "scale=0.3", f"sink=random:{heads}:5", f"window={window}", "y=like:q",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    # Two batches, and two heads that share keys and values.
    for n in (5, 129, 256):
        factors = [f"{name}=random:2x{n}x2x128:{seed}" for seed, name in enumerate("qkv", 1)]
        add("attention_layouts", "attention_bshd", "y lse", *factors, "scale=0.3", "y=like:q", f"lse=empty:2x2x{n}",
            tolerance=ATTENTION, shrinks=False)
        add("attention_layouts", "attention_qkv", "y lse", f"qkv=random:{n}x3x2x128:1", "scale=0.3", f"y=empty:{n}x2x128",
            f"lse=empty:2x{n}", tolerance=ATTENTION, shrinks=False)
        add("attention_layouts", "attention_kv", "y lse", f"q=random:{n}x4x128:1", f"kv=random:{n}x2x2x128:2", "scale=0.3",
            f"y=empty:{n}x4x128", f"lse=empty:4x{n}", tolerance=ATTENTION, shrinks=False)
    # Pages: a sequence of some rows of a page, none, whole ones, an odd number of them or an even one, and some rows more; a
    # decoding step beside a prefill.
    for page, counts, lengths in ((64, "5", "5"), (64, "3x0x5x130", "70x0x64x131"), (64, "1x64x1", "65x64x1"),
                                  (64, "1x200x40", "199x256x320"), (16, "1x130x20", "17x131x112"), (32, "1x130x20", "33x131x96"),
                                  (128, "1x130x20", "127x131x256")):
        n = sum(map(int, counts.split("x")))
        k, v, table = (f"{kind}:{lengths}:{page}" for kind in ("keys", "values", "table"))
        add("attention_paged", "attention_paged", "y lse", f"q=random:{n}x2x128:1", f"k={k}", f"v={v}", "scale=0.3",
            f"table={table}", f"lengths=lengths:{lengths}", f"offsets=ends:{counts}", f"y=random:{n}x2x128:4",
            f"lse=random:2x{n}:5", tolerance=ATTENTION, shrinks=False, page=page)
    # A step of decoding, of caches with room for 600 keys or 1100: all parts but one are empty; a tile and one key more; all.
    for heads, groups, keys, lengths in ((2, 1, 600, "1x65x0"), (8, 2, 600, "64x600"), (4, 1, 1100, "1100")):
        batch, parts = lengths.count("x") + 1, -(-keys // 512)
        left = f"{batch}x{heads}x{parts}"
        add("attention_decode", "attention_decode", "parts largest total", f"q=random:{batch}x{heads}x128:1",
            f"k=cached_keys:{keys}x{groups}x{lengths}", f"v=cached_values:{keys}x{groups}x{lengths}", "scale=0.3",
            f"lengths=lengths:{lengths}", f"parts=empty:{left}x128", f"largest=empty:{left}", f"total=empty:{left}", tolerance=PARTS,
            shrinks=False)
        add("attention_decode", "attention_decode_combine", "y", f"parts=random:{left}x128:1", f"largest=random:{left}:2",
            f"total=iota:{left}", f"lengths=lengths:{lengths}", f"y=empty:{batch}x{heads}x128", tolerance=SUMS, shrinks=False)
    for heads, n in ((1, 5), (2, 129), (1, 256)):
        factors = [f"q=random:{heads}x{n}x192:1", f"k=random:{heads}x{n}x192:2", f"v=random:{heads}x{n}x128:3"]
        add("attention_latent", "attention_latent", "y lse", *factors, "scale=0.3", f"y=empty:{heads}x{n}x128",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    # Parts without keys, whole tiles, one key more, and more heads than a program has.
    for heads, parts, lengths in ((1, 2, "5"), (16, 3, "64x0x65"), (66, 1, "130")):
        b = lengths.count("x") + 1
        add("attention_latent", "attention_latent_decode", "parts logs", f"q=random:{b}x{heads}x576:1", f"cache=cache:{lengths}",
            f"lengths=lengths:{lengths}", "scale=0.1", f"parts=empty:{b}x{parts}x{heads}x512", f"logs=empty:{b}x{parts}x{heads}",
            tolerance=ATTENTION, shrinks=False)
    for b, parts, heads in ((1, 1, 1), (2, 7, 3)):
        add("attention_latent", "attention_latent_combine", "y lse", f"parts=random:{b}x{parts}x{heads}x512:1",
            f"logs=random:{b}x{parts}x{heads}:2", f"y=empty:{b}x{heads}x512", f"lse=empty:{b}x{heads}", tolerance=ATTENTION,
            shrinks=False)
    for heads, n, keys in ((1, 5, 16), (1, 3, 0), (1, 129, 144), (2, 128, 128), (1, 4, 21)):
        factors = [f"q=random:{heads}x{n}x128:1", f"k=random:{heads}x{keys}x128:2", f"v=random:{heads}x128x{keys}:3"]
        add("attention_fp8", "attention_fp8", "y lse", *factors, "scale=0.1", "of_values=0.9", f"y=empty:{heads}x{n}x128",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION_FP8, shrinks=False)
    # Heads of other sizes, by (queries and keys, values). Without keys, results are zeros.
    for file, name, (of_keys, of_values) in (
            ("attention_heads", "80", (80, 80)), ("attention_heads", "96", (96, 96)), ("attention_heads", "64_128", (64, 128)),
            ("attention_wide", "256", (256, 256)), ("attention_wide", "192_128", (192, 128))):
        for heads, n, keys in ((1, 5, 5), (1, 3, 0), (1, 129, 65), (1, 64, 128)):
            factors = [f"q=random:{heads}x{n}x{of_keys}:1", f"k=random:{heads}x{keys}x{of_keys}:2",
                       f"v=random:{heads}x{keys}x{of_values}:3"]
            add(file, f"attention_{name}", "y lse", *factors, "scale=0.3", f"y=empty:{heads}x{n}x{of_values}",
                f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    # Sequences of no row, of one, of a tile and of one more or less; and none. Rows behind the last one stay as they are.
    for heads, counts, more in ((1, "5", 0), (2, "40x0x1x130", 7), (1, "127x128x129x0", 0), (1, "0", 3)):
        n = sum(map(int, counts.split("x"))) + more
        factors = [f"{name}=random:{heads}x{n}x128:{seed}" for seed, name in enumerate("qkv", 1)]
        for kernel in ("attention_ragged", "attention_ragged_causal"):
            add("attention_ragged", kernel, "y lse", *factors, f"offsets=ends:{counts}", "scale=0.3",
                f"y=random:{heads}x{n}x128:4", f"lse=random:{heads}x{n}:5", tolerance=ATTENTION, shrinks=False)
    # A bias of numbers, and one by which some keys, all of some rows and the first tiles of others don't count.
    for heads, n, keys in ((1, 5, 5), (2, 129, 65), (1, 64, 130)):
        factors = [f"q=random:{heads}x{n}x128:1", f"k=random:{heads}x{keys}x128:2", f"v=random:{heads}x{keys}x128:3"]
        for kernel, bias in (("attention_bias", "random"), ("attention_bias", "holes"), ("attention_bias_f32", "random")):
            bias += f":{heads}x{n}x{keys}" + (":6" if bias == "random" else "")
            add("attention_bias", kernel, "y lse", *factors, f"bias={bias}", "scale=0.3", "y=like:q", f"lse=empty:{heads}x{n}",
                tolerance=ATTENTION, shrinks=False)
    # Documents, causal ones, windows that are longer than a tile, and rows without keys.
    for heads, counts, start, stop in ((1, "5", "starts", "stops"), (2, "40x88x1x130", "starts", "stops"),
                                       (1, "200x129", "starts", "nexts"), (1, "300", "windows", "nexts"), (1, "130", "starts", "starts")):
        n = sum(map(int, counts.split("x")))
        factors = [f"{name}=random:{heads}x{n}x128:{seed}" for seed, name in enumerate("qkv", 1)]
        add("attention_ranges", "attention_ranges", "y lse", *factors, f"start={start}:{counts}", f"stop={stop}:{counts}", "scale=0.3",
            "y=like:q", f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    # One position, whole tiles, one row and key more than those, a prime number; two heads of q for one of k and v; fewer queries
    # than keys, and more; and no keys, which gives zeros.
    gradients = ((1, 1, 256, 256), (2, 1, 129, 129), (1, 1, 5, 130), (1, 1, 1, 1), (2, 2, 67, 67), (2, 1, 132, 132), (1, 1, 130, 64),
                 (1, 1, 3, 0))
    for elements, suffix, shapes in ((128, "", gradients), (64, "_64", gradients[:3])):
        for heads, groups, rows, keys in shapes:
            file = f"attention_backward{suffix}"
            factors, stats = make_gradients(heads, groups, rows, keys, elements)
            for kind in ("", "_causal") if rows == keys else ("",):
                if keys:
                    add(file, f"attention_dkv{kind}{suffix}", "dk dv", *factors, *stats, "dk=like:k", "dv=like:v",
                        tolerance=GRADIENTS, shrinks=False)
                add(file, f"attention_dq{kind}{suffix}", "dq", *factors, *stats, "dq=like:q", tolerance=GRADIENTS, shrinks=False)
            add(file, f"delta{suffix}", "delta", f"y=random:{heads}x{rows}x{elements}:1", f"dy=random:{heads}x{rows}x{elements}:4",
                f"delta=empty:{heads}x{rows}", tolerance=SUMS, shrinks=False)
    # Heads have 128 elements: windows that end in the first tile, with it, behind all keys, and none; and heads that share keys.
    for heads, groups, n, window in ((1, 1, 5, 2), (1, 1, 5, 0), (2, 1, 129, 128), (1, 1, 193, 70), (2, 2, 1, 1000)):
        factors, stats = make_gradients(heads, groups, n, n)
        stats = [*stats, "cap=2.5", f"window={window}"]
        add("attention_backward_kinds", "attention_dkv_window", "dk dv", *factors, *stats, "dk=like:k", "dv=like:v", tolerance=GRADIENTS,
            shrinks=False)
        add("attention_backward_kinds", "attention_dq_window", "dq", *factors, *stats, "dq=like:q", tolerance=GRADIENTS, shrinks=False)
    # A bias for each head, one for two of them, and one by which some keys don't count, all of some queries, and first tiles.
    for heads, groups, biases, n, keys, kind in ((1, 1, 1, 5, 5, "random"), (2, 1, 1, 129, 65, "random"), (1, 1, 1, 64, 130, "holes"),
                                                 (4, 2, 2, 67, 72, "random")):
        factors, stats = make_gradients(heads, groups, n, keys)
        stats.append(f"bias={kind}:{biases}x{n}x{keys}" + (":7" if kind == "random" else ""))
        add("attention_backward_kinds", "attention_dkv_bias", "dk dv", *factors, *stats, "dk=like:k", "dv=like:v",
            tolerance=GRADIENTS_BIAS, shrinks=False)
        add("attention_backward_kinds", "attention_dq_bias", "dq dbias", *factors, *stats, "dq=like:q",
            f"dbias=empty:{heads}x{n}x{keys}", tolerance=GRADIENTS_BIAS, shrinks=False)
    # One document, and some that begin and end within tiles and with them.
    for heads, groups, counts in ((1, 1, "5"), (2, 1, "40x88x1x67")):
        n = sum(map(int, counts.split("x")))
        factors, stats = make_gradients(heads, groups, n, n)
        stats.append(f"id=documents:{counts}")
        add("attention_backward_masks", "attention_dkv_documents", "dk dv", *factors, *stats, "dk=like:k", "dv=like:v",
            tolerance=GRADIENTS, shrinks=False)
        add("attention_backward_masks", "attention_dq_documents", "dq", *factors, *stats, "dq=like:q", tolerance=GRADIENTS,
            shrinks=False)
    # The keys of queries, and the queries of keys: documents, causal ones, windows that are longer than a tile, and none.
    for heads, groups, counts, keys, queries in (
            (1, 1, "5", ("starts", "stops"), ("starts", "stops")), (2, 1, "40x88x1x67", ("starts", "stops"), ("starts", "stops")),
            (1, 1, "128x61", ("starts", "nexts"), ("selves", "stops")), (1, 1, "257", ("windows", "nexts"), ("selves", "followers")),
            (1, 1, "130", ("starts", "starts"), ("starts", "starts"))):
        n = sum(map(int, counts.split("x")))
        factors, stats = make_gradients(heads, groups, n, n)
        for kernel, outputs, (start, stop), results in (("attention_dkv_ranges", "dk dv", queries, ("dk=like:k", "dv=like:v")),
                                                        ("attention_dq_ranges", "dq", keys, ("dq=like:q",))):
            add("attention_backward_masks", kernel, outputs, *factors, *stats, f"start={start}:{counts}", f"stop={stop}:{counts}",
                *results, tolerance=GRADIENTS, shrinks=False)
    # Sequences of no row, of one, of one more or less than a tile; and none. Rows behind the last one stay as they are.
    for heads, groups, counts, more in ((1, 1, "5", 0), (2, 1, "40x0x1x67", 7), (1, 1, "129x127x0", 0), (1, 1, "0", 3)):
        n = sum(map(int, counts.split("x"))) + more
        factors, stats = make_gradients(heads, groups, n, n)
        stats.append(f"offsets=ends:{counts}")
        for kind in ("ragged", "ragged_causal"):
            add("attention_backward_ragged", f"attention_dkv_{kind}", "dk dv", *factors, *stats, f"dk=random:{groups}x{n}x128:7",
                f"dv=random:{groups}x{n}x128:8", tolerance=GRADIENTS, shrinks=False)
            add("attention_backward_ragged", f"attention_dq_{kind}", "dq", *factors, *stats, f"dq=random:{heads}x{n}x128:7",
                tolerance=GRADIENTS, shrinks=False)
    # Two batches, heads that share keys and values, and fewer queries than keys.
    for n, keys in ((1, 1), (67, 129), (128, 128)):
        stats = ["lse=random:2x2x{}:5", "delta=random:2x2x{}:6", "scale=0.02"]
        of_batches = [each.format(n) for each in stats]
        factors = [f"q=random:2x{n}x2x128:1", f"k=random:2x{keys}x1x128:2", f"v=random:2x{keys}x1x128:3", f"dy=random:2x{n}x2x128:4"]
        add("attention_backward_layouts", "delta_bshd", "delta", f"y=random:2x{n}x2x128:1", factors[3], f"delta=empty:2x2x{n}",
            tolerance=SUMS, shrinks=False)
        add("attention_backward_layouts", "attention_dkv_bshd", "dk dv", *factors, *of_batches, "dk=like:k", "dv=like:v",
            tolerance=GRADIENTS, shrinks=False)
        add("attention_backward_layouts", "attention_dq_bshd", "dq", *factors, *of_batches, "dq=like:q", tolerance=GRADIENTS,
            shrinks=False)
        of_heads = [f"lse=random:2x{n}:5", f"delta=random:2x{n}:6", "scale=0.02"]
        packed = [f"qkv=random:{n}x3x2x128:1", f"dy=random:{n}x2x128:4", *of_heads, f"dqkv=random:{n}x3x2x128:7"]
        for kernel in ("attention_dkv_qkv", "attention_dq_qkv"):
            add("attention_backward_layouts", kernel, "dqkv", *packed, tolerance=GRADIENTS, shrinks=False)
        pairs = [f"q=random:{n}x2x128:1", f"kv=random:{keys}x1x2x128:2", f"dy=random:{n}x2x128:4", *of_heads]
        add("attention_backward_layouts", "attention_dkv_kv", "dkv", *pairs, f"dkv=empty:{keys}x1x2x128", tolerance=GRADIENTS,
            shrinks=False)
        add("attention_backward_layouts", "attention_dq_kv", "dq", *pairs, f"dq=empty:{n}x2x128", tolerance=GRADIENTS, shrinks=False)
    # Windows that end in the first tile that a program reads, with it, and behind all keys.
    for heads, n, window in ((1, 5, 2), (1, 5, 0), (2, 129, 128), (1, 300, 130), (1, 256, 1000)):
        factors = [f"{name}=random:{heads}x{n}x128:{seed}" for seed, name in enumerate("qkv", 1)]
        add("attention_kinds", "attention_window", "y lse", *factors, "scale=0.3", "cap=2.5", f"window={window}", "y=like:q",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    for heads, groups, n in ((1, 1, 5), (4, 2, 129)):
        factors = [f"k=random:{groups}x{n}x128:2", f"v=random:{groups}x{n}x128:3", f"slope=random:{heads}:5"]
        add("attention_kinds", "attention_grouped", "y lse", f"q=random:{heads}x{n}x128:1", *factors, "scale=0.3", "y=like:q",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    # One document, and some that begin and end within tiles and with them.
    for heads, counts in ((1, "5"), (2, "40x88x1x130")):
        n = sum(map(int, counts.split("x")))
        factors = [f"{name}=random:{heads}x{n}x128:{seed}" for seed, name in enumerate("qkv", 1)]
        add("attention_documents", "attention_documents", "y lse", *factors, f"id=documents:{counts}", "scale=0.3", "y=like:q",
            f"lse=empty:{heads}x{n}", tolerance=ATTENTION, shrinks=False)
    return cases
