# ===- case.py - a kernel of one instruction ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A case: the text of a kernel, its launch, its inputs, and how its results are compared."""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

# Registers that each kernel has. %d1 and %d2 are the inputs and outputs, %r1 is the thread, and %r2 the CTA.
REGISTERS = """.reg .b32 %r<400>;
.reg .b64 %d<100>;
.reg .b16 %h<20>;
.reg .pred %p<10>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
ld.param.u64 %d1, [input];
ld.param.u64 %d2, [output];
cvta.to.global.u64 %d1, %d1;
cvta.to.global.u64 %d2, %d2;"""


# Waits for the first phase of the barrier at %r50; a copy that never completes ends in an error.
WAIT = """mov.u32 %r59, 0;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r50], 0;
@%p2 bra done;
add.u32 %r59, %r59, 1;
setp.lt.u32 %p4, %r59, 100000;
@%p4 bra wait;
trap;
done:"""


@dataclass
class Case:
    """`make_inputs` gives one buffer, and `outputs` are the bytes of the other one, which is zero before the launch. Its
    elements have the type `kind`, and `bound` is the absolute error that they may have: 0 compares bits. A case with a
    `rule` of effect_runs.RULES is right if its results obey that, for the ISA leaves them open."""
    name: str
    body: str
    make_inputs: Callable[[], bytes]
    outputs: int
    threads: int = 32
    grid: int = 1
    cluster: int = 1
    shared: int = 0
    kind: str = "b32"
    bound: float = 0.0
    map: dict = field(default_factory=dict)
    rule: str = ""

    @cached_property
    def inputs(self):
        """Made when they are needed first, for making all of them takes long."""
        return self.make_inputs()

    @property
    def kernel(self):
        parameters = ".param .u64 input, .param .u64 output"
        if self.map:
            parameters += ", .param .align 64 .b8 map[128]"
        cluster = f".reqnctapercluster {self.cluster}, 1, 1\n" if self.cluster > 1 else ""
        shared = f".shared .align 1024 .b8 tile[{self.shared}];\n" if self.shared else ""
        return f".visible .entry KERNEL({parameters})\n{cluster}{{\n{shared}{REGISTERS}\n{self.body}\nret;\n}}\n"


def generator(name):
    """Random numbers that are the same wherever a case is made."""
    return random.Random(f"effects {name}")


def words(values):
    return struct.pack(f"<{len(values)}I", *values)


def load_words(count, threads, first=10):
    """Loads `count` words of each thread to %r{first}...: those of a CTA are a slice, word by word over its threads."""
    lines = [f"mad.lo.u32 %r3, %r2, {count * threads}, %r1;", "mad.wide.u32 %d3, %r3, 4, %d1;"]
    lines += [f"ld.global.u32 %r{first + i}, [%d3+{4 * threads * i}];" for i in range(count)]
    return "\n".join(lines)


def store_words(registers, threads):
    """Stores the registers of each thread, as load_words loads."""
    lines = [f"mad.lo.u32 %r3, %r2, {len(registers) * threads}, %r1;", "mad.wide.u32 %d4, %r3, 4, %d2;"]
    lines += [f"st.global.u32 [%d4+{4 * threads * i}], {register};" for i, register in enumerate(registers)]
    return "\n".join(lines)


def pack_words(rows):
    """The input of load_words, of [CTA][thread][word]."""
    return words([thread[i] for cta in rows for i in range(len(cta[0])) for thread in cta])


def join(count, first=10):
    """The operand that is a vector of `count` registers."""
    registers = [f"%r{first + i}" for i in range(count)]
    return "{" + ", ".join(registers) + "}"


def fill_shared(count, threads, offset=0, at=0):
    """Copies `count` bytes of the inputs from `offset` on to shared memory."""
    assert count % (16 * threads) == 0
    lines = ["mov.u32 %r4, tile;", "mad.wide.u32 %d5, %r1, 16, %d1;", "mad.lo.u32 %r4, %r1, 16, %r4;"]
    for i in range(0, count, 16 * threads):
        lines += [f"ld.global.v4.b32 {{%r5, %r6, %r7, %r8}}, [%d5+{offset + i}];",
                  f"st.shared.v4.b32 [%r4+{at + i}], {{%r5, %r6, %r7, %r8}};"]
    return "\n".join(lines)


def dump_shared(count, threads, at=0):
    """Copies `count` bytes of shared memory from `at` on to the outputs, a slice for each CTA."""
    assert count % (4 * threads) == 0
    lines = ["mov.u32 %r4, tile;", "mad.lo.u32 %r4, %r1, 4, %r4;", f"mad.lo.u32 %r3, %r2, {count // 4}, %r1;",
             "mad.wide.u32 %d5, %r3, 4, %d2;"]
    for i in range(0, count, 4 * threads):
        lines += [f"ld.shared.b32 %r5, [%r4+{at + i}];", f"st.global.b32 [%d5+{i}], %r5;"]
    return "\n".join(lines)


# ===- Tensor maps -----------------------------------------------------------------===#

# The element of a map: of a memref, and of a .npy file.
ELEMENTS = {"u8": ("i8", "|u1"), "u16": ("i16", "<u2"), "u32": ("i32", "<u4"), "s32": ("i32", "<i4"), "u64": ("i64", "<u8"),
            "s64": ("i64", "<i8"), "f16": ("f16", "<f2"), "bf16": ("bf16", "<u2"), "f32": ("f32", "<f4"), "f64": ("f64", "<f8")}


def times(extents):
    return "x".join(map(str, extents))


def describe_buffer(case, name, size):
    """The memref and the .npy file of a buffer: (type, shape, descr)."""
    if case.map.get("of") != name:
        return f"memref<{size // 4}xi32>", [size // 4], "<i4"
    shape = case.map["shape"]
    kind, descr = ELEMENTS[case.map["element"]]
    return f"memref<{times(shape)}x{kind}>", shape, descr


def describe_parameters(case):
    """What carousel-sim takes as --parameters."""
    items = [f"input: {describe_buffer(case, 'input', len(case.inputs))[0]}",
             f"output: {describe_buffer(case, 'output', case.outputs)[0]}"]
    if case.map:
        of = case.map
        traits = "".join(f", {key} = {of[key]}" for key in ("swizzle", "interleave", "fill", "mode", "rank") if of.get(key))
        traits += "".join(f", {key} = [{', '.join(map(str, of[key]))}]" for key in ("strides", "lower", "upper") if of.get(key))
        items.append(f"map: !carousel.tensor_map<{times(of['box'])}x{of['element']}{traits}> of {of['of']}")
    return ", ".join(items)
