# ===- header_calls.py - operations as calls of the device headers --------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The operations of docs/ptx-forms.json as a person would call them in CUDA C++. For header-coverage.

An operation is read by its parts: `clauses` in parentheses or brackets, `flags`, and what stands
before them. The order of arguments is the operation's, as in docs/DeviceHeaders.md.
"""

import re

# The C++ type of what a row's operation takes; shared memory is declared once.
PARAMETERS = {
    "i": "int", "n": "int", "h": "short", "p": "bool", "l": "unsigned long", "policy": "unsigned long",
    "v_i8": "signed char", "v_i16": "short", "v_i32": "int", "v_i64": "long", "v_f32": "float", "v_f64": "double",
    "v2_i32": "vec<int, 2>", "v2_i64": "vec<long, 2>", "v2_f32": "vec<float, 2>", "v2_f64": "vec<double, 2>",
    "v4_i32": "vec<int, 4>", "v4_f32": "vec<float, 4>",
    "global": "int *", "local": "int *", "peer": "int *", "peer_bars": "mbarrier *", "global_maps": "tensor_map *",
    "p_i32": "int *", "p_i64": "long *", "p_f32": "float *", "p_f64": "double *",
    "g_i8": "signed char *", "g_i16": "short *", "g_i32": "int *", "g_i64": "long *", "g_f16": "f16 *",
    "g_bf16": "bf16 *", "g_f32": "float *", "g_f64": "double *",
    "m_i32": "int *", "m_i64": "long *", "m_f16": "f16 *", "m_bf16": "bf16 *", "m_f32": "float *", "m_f64": "double *",
    "v2_f16": "vec<f16, 2>", "v4_f16": "vec<f16, 4>", "v8_f16": "vec<f16, 8>",
    "v2_bf16": "vec<bf16, 2>", "v4_bf16": "vec<bf16, 4>", "v8_bf16": "vec<bf16, 8>",
}
SHARED = {
    "bars": "mbarrier bars[4]", "tile": "int tile[1024]", "shared_maps": "tensor_map shared_maps[4]",
    "s_i32": "int s_i32[64]", "s_i64": "long s_i64[64]", "s_f16": "f16 s_f16[64]", "s_bf16": "bf16 s_bf16[64]",
    "s_f32": "float s_f32[64]", "s_f64": "double s_f64[64]",
}
CLUSTER = {"peer", "peer_bars", "p_i32", "p_i64", "p_f32", "p_f64"}
FLAGS = ("no_complete", "noinc", "unaligned", "mmio")
WORDS = {"and": "and_", "or": "or_", "xor": "xor_"}


class Operation:
    """One line of a row's body, taken apart."""

    def __init__(self, line):
        self.result, self.op, rest = re.match(r"(?:%(\w+) = )?carousel\.([\w.]+)\s*(.*)", line).groups()
        rest = re.sub(r"\s:\s.*", "", " " + rest)
        self.clauses = dict(re.findall(r"(\w+)\(([^)]*)\)", rest))
        rest = re.sub(r"\w+\([^)]*\)", "", rest)
        self.flags = {flag for flag in FLAGS if re.search(rf"\b{flag}\b", rest)}
        rest = re.sub(rf"\b({'|'.join(FLAGS)})\b", "", rest)
        for key in ("offsets", "multicast", "cache", "mask", "valid", "ignore", "state", "parity", "suspend", "literal",
                    "with", "otherwise"):
            found = re.search(rf"\s{key}\s?(\[[^\]]*\]|%?\w+)", rest)
            if found:
                self.clauses[key] = found[1]
                rest = rest.replace(found[0], "")
        self.elements = re.findall(r"%(\w+)\[([^\]]*)\]", rest)
        rest = re.sub(r"%\w+\[[^\]]*\]", "", rest)
        self.values = re.findall(r"%(\w+)", rest)
        rest = re.sub(r"%\w+", "", rest)
        self.words = [word for word in re.split(r"[\s,]+", rest) if word and word not in ("of", "to", "signals")]

    def address(self, place):
        name, index = self.elements[place]
        return f"&{name}[{index.strip('%')}]"

    def space(self, place):
        return "space::cluster" if self.elements[place][0] in CLUSTER else None

    def enum(self, key, enumeration=None):
        return f"{enumeration or key}::{WORDS.get(self.clauses[key], self.clauses[key])}" if key in self.clauses else None

    def optional(self, key, text="{}"):
        """The argument that a clause makes, as a list of one or none."""
        return [text.format(self.clauses[key].strip("%"))] if key in self.clauses else []


def call(name, templates, arguments):
    """Template arguments that are None, at the end, are the defaults."""
    templates = list(templates)
    while templates and templates[-1] is None:
        templates.pop()
    assert None not in templates, name
    return name + (f"<{', '.join(templates)}>" if templates else "") + f"({', '.join(arguments)})"


def filled(values, defaults):
    """`values` with their defaults in front of what is given."""
    last = max((i for i, value in enumerate(values) if value is not None), default=-1)
    return [default if value is None and i < last else value for i, (value, default) in enumerate(zip(values, defaults))]


def cache_hint(o):
    return o.optional("cache")


# ===------------------------------------------------------------------------===#
# Families
# ===------------------------------------------------------------------------===#


def mbarrier(o, name):
    arguments = [o.address(0), *o.values, *(word for word in o.words if word.isdigit())]
    order = filled([o.enum("semantics"), o.enum("scope"), o.space(0)],
                   ["semantics::release", "scope::cta", "space::shared"])
    if name.endswith("_tx") and "arrive" not in name:
        order = filled(order[1:], ["scope::cta", "space::shared"])
    if name.endswith("wait"):
        order = filled([o.enum("semantics"), o.enum("scope")], ["semantics::acquire", "scope::cta"])
        arguments += o.optional("state") + o.optional("parity") + o.optional("suspend")
    if name.endswith(("init", "inval", "pending_count")):
        order = []
    if "no_complete" in o.flags:
        name, order = name + "_no_complete", []
    return call(name, order, arguments)


def pending_count(o, name):
    return call(name, [], o.values)


def cp_async_copy(o, name):
    cache, size = o.words
    extra = o.optional("valid", "valid{{static_cast<uint32_t>({})}}") + o.optional("ignore", "ignore{{{}}}")
    return call(name, [f"cp_async_cache::{cache}", size, o.clauses.get("l2_prefetch")],
                [o.address(0), o.address(1), *extra, *cache_hint(o)])


def simple(o, name):
    """No template arguments, elements and values in order, flags as suffixes."""
    suffix = "".join(f"_{flag}" for flag in sorted(o.flags))
    return call(name + suffix, [], [o.address(i) for i in range(len(o.elements))] + o.values)


def wait_group(o, name):
    return call(name, [f"group_wait::{o.words[0]}", o.words[1]] if len(o.words) == 2 else [o.words[0]], [])


def bulk_load(o, name):
    extra = o.optional("multicast", "multicast{{static_cast<uint16_t>({})}}")
    return call(name, [o.space(1)], [o.address(0), o.address(1), *o.values, o.address(2), *extra, *cache_hint(o)])


def bulk(o, name):
    templates = [f"reduce::{WORDS.get(o.words[0], o.words[0])}", f"reduce_type::{o.words[1]}"] if o.words else []
    addresses = [o.address(i) for i in range(len(o.elements))]
    split = 1 if "prefetch" in name else 2
    extra = o.optional("mask", "byte_mask{{static_cast<uint16_t>({})}}")
    return call(name, templates, [*addresses[:split], *o.values, *addresses[split:], *extra, *cache_hint(o)])


def coordinates(text):
    return "{" + text.strip("[]").replace("%", "") + "}"


def tensor_load(o, name):
    mode = o.enum("mode", "load_mode")
    templates = filled([mode, o.space(1) if len(o.elements) > 1 else None, o.clauses.get("cta_group")],
                       ["load_mode::tile", "space::shared", None])
    arguments = [f"&{o.elements[0][0]}", coordinates(o.elements[0][1])]
    arguments += [coordinates(o.clauses["offsets"])] if "offsets" in o.clauses else []
    if len(o.elements) > 1:
        arguments += [o.address(1), o.address(2)]
    extra = o.optional("multicast", "multicast{{static_cast<uint16_t>({})}}")
    return call(name, templates, [*arguments, *extra, *cache_hint(o)])


def tensor_store(o, name):
    kind = [f"reduce::{WORDS.get(o.words[0], o.words[0])}"] if o.words else []
    return call(name, [*kind, o.enum("mode", "store_mode")],
                [o.address(0), f"&{o.elements[1][0]}", coordinates(o.elements[1][1]), *cache_hint(o)])


def tensor_map_replace(o, name):
    space = "space::shared" if o.elements[0][0] == "shared_maps" else "space::global"
    number = o.clauses.get("dim", o.clauses.get("literal"))
    templates = [f"tensor_map_field::{o.words[0]}", *([number] if number else []), space]
    return call(name, templates, [o.address(0), *(f"static_cast<uint64_t>({v})" for v in o.optional("with"))])


def copy_fence(o, name):
    return call(name, [o.enum("scope")], [o.address(0), o.address(1)])


def map_prefetch(o, name):
    return call(name, [{None: None, "param": "space::param", "const": "space::constant"}[o.clauses.get("space")]],
                [f"&{o.values[0]}"])


def async_value(o, name):
    kind = [f"reduce::{WORDS.get(o.words[0], o.words[0])}"] if len(o.words) == 2 else []
    kind += [f"reduce_type::{o.words[-1]}"] if o.words else []
    name += "_mmio" if "mmio" in o.flags else ""
    return call(name, [*kind, o.enum("scope")], [*o.values, *(o.address(i) for i in range(len(o.elements)))])


def fence(o, name):
    words = list(o.words)
    if "tensor_map" in name:
        return call(name, [f"scope::{words[0]}"], [f"&{v}" for v in o.values])
    kinds = ["proxy"] if name == "fence_proxy" else ["semantics", "scope"]
    return call(name, [f"{kind}::{word}" for kind, word in zip(kinds, words)], [])


def cache_policy(o, name):
    templates = [f"evict::{o.words[0]}" if o.words else None] + [f"evict::{v}" for v in o.optional("otherwise")]
    fraction = [f"{o.clauses['fraction']}f"] if "fraction" in o.clauses else []
    return call(name, templates, [*(o.address(i) for i in range(len(o.elements))), *o.values, *fraction])


def prefetch(o, name):
    local = "space::local" if o.elements[0][0] == "local" else None
    return call(name, [f"prefetch_level::{o.words[0]}", local], [o.address(0)])


def threads(o, name):
    arguments = [word for word in o.words if word.isdigit()] + o.optional("threads")
    suffix = "_unaligned" if "unaligned" in o.flags else ""
    return call(name + suffix, [o.enum("semantics")], arguments)


def set_max_registers(o, name):
    return call(name, [f"register_change::{o.words[0]}", o.words[1]], [])


def map_shared(o, name):
    return call(name, [], o.values)


FAMILIES = {
    "mbarrier.pending_count": pending_count, "mbarrier": mbarrier,
    "cp_async.copy": cp_async_copy, "cp_async.wait_group": wait_group, "cp_async": simple,
    "bulk.load": bulk_load, "bulk.wait_group": wait_group, "bulk": bulk,
    "tensor.load": tensor_load, "tensor.prefetch": tensor_load, "tensor": tensor_store,
    "tensor_map.replace": tensor_map_replace, "tensor_map.copy_fence": copy_fence, "tensor_map.prefetch": map_prefetch,
    "st_async": async_value, "st_async_global": async_value, "red_async": async_value, "red_async_global": async_value,
    "multimem": async_value, "vector.reduce": async_value, "fence": fence, "cache_policy": cache_policy, "prefetch": prefetch, "barrier": threads, "cluster.arrive": threads,
    "cluster.wait": threads, "cluster": map_shared, "set_max_registers": set_max_registers, "elect": simple, "grid": simple,
    "wgmma.wait": wait_group, "wgmma": simple,
}


# Operations that have no function: the text of a product depends on the number of its registers, so that printed kernels
# define functions of their own (docs/CUDA.md).
WITHOUT_FUNCTION = {"carousel.wgmma.mma"}


def call_text(line):
    """The result's name, or None, and the call that an operation's line is."""
    o = Operation(line)
    family = o.op
    while family not in FAMILIES:
        if not family:
            raise ValueError(f"expected a family for the calls of {o.op} in FAMILIES of {__name__}, got none")
        family = family.rpartition(".")[0]
    return o.result, FAMILIES[family](o, o.op.replace(".", "_"))


def kernel(row):
    """A kernel that calls what a row's operations are. Results go where the row's body puts them."""
    lines = [*row.scaffold, *row.body]
    statements, made = [], set()
    for line in lines:
        if "carousel." not in line:
            continue
        result, text = call_text(line)
        statements.append(f"auto {result} = {text};" if result and result not in made else f"{text};")
        made |= {result} if result else set()
    names = set(re.findall(r"%(\w+)", " ".join(line for line in lines if "carousel." in line))) - made
    if row.body[-1].startswith(("memref.store", "scf.if")):
        result = Operation(next(line for line in row.body if "carousel." in line)).result
        names |= {"sink"}
        target = {"map_shared": "*{} = 1;"}.get(row.op.rpartition(".")[2], "*sink = static_cast<unsigned long>({});")
        statements.append(target.format(result))
    elif made:
        statements += [f"(void){name};" for name in sorted(made)]
    parameters = []
    for name in sorted(names - set(SHARED)):
        kind = {"sink": "unsigned long *"}.get(name) or PARAMETERS.get(name)
        parameters.append(f"{kind} {name}" if kind else f"const __grid_constant__ tensor_map {name}")
    return f'extern "C" __global__ void {row.name}({", ".join(parameters)}) {{ {" ".join(statements)} }}'


def module(kernels):
    """The text of a module with these kernels; they begin in line 3."""
    shared = " ".join(f"__shared__ {text};" for text in SHARED.values())
    return "\n".join(["#include <carousel/device/device.h>", f"using namespace carousel; {shared}", *kernels, ""])
