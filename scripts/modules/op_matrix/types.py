# ===- types.py - element types, and how values of them are made ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Element types. A kernel's arguments have types that every way can load; a value of another type is made of
one of these, by a conversion that stands in the kernel, and its result goes the way back."""

INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
ODD_INTEGERS = ("i4", "i24", "i128")
ODD_FLOATS = ("f8E4M3", "f8E3M4", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN",
              "f4E2M1FN", "tf32", "f80", "f128")
COLUMNS = INTEGERS + FLOATS
ODD = ODD_INTEGERS + ODD_FLOATS
WIDTHS = {"bf16": 16, "tf32": 19, "index": 64}


def is_float(kind):
    return kind in FLOATS + ODD_FLOATS


def width(kind):
    if kind in WIDTHS:
        return WIDTHS[kind]
    digits = "".join(c if c.isdigit() else " " for c in kind[1:]).split()
    return int(digits[0])


def is_loaded(kind):
    """Whether a kernel's argument has such elements."""
    return kind in COLUMNS and kind not in ("i1", "index")


def storage(kind):
    """The element type of the argument that a value of this type is made of."""
    if is_loaded(kind):
        return kind
    if kind in ("tf32", "f128", "f80"):
        return "f32"
    return {"index": "i64", "i128": "i64", "i24": "i32"}.get(kind, "i8")


def shaped(kind, shape):
    return f"vector<{'x'.join(map(str, (*shape, kind)))}>" if shape else kind


def constant(kind, shape, value):
    text = f"{float(value)}" if is_float(kind) else str(value)
    if kind == "i1":
        text = "true" if value else "false"
    return f"dense<{text}> : {shaped(kind, shape)}" if shape else text if kind == "i1" else f"{text} : {kind}"


def make(name, kind, shape):
    """Ops that make %name, a value of `kind`, of %name_in."""
    base = storage(kind)
    source, target = shaped(base, shape), shaped(kind, shape)
    at = f"%{name} = "
    if base == kind:
        return []
    if kind == "i1":
        return [f"%{name}_zero = arith.constant {constant('i8', shape, 0)}",
                f"{at}arith.cmpi ne, %{name}_in, %{name}_zero : {source}"]
    if kind == "index":
        return [f"{at}arith.index_cast %{name}_in : {source} to {target}"]
    if kind == "i128":
        return [f"{at}arith.extui %{name}_in : {source} to {target}"]
    if kind in ODD_INTEGERS:
        return [f"{at}arith.trunci %{name}_in : {source} to {target}"]
    if kind in ("f80", "f128"):
        return [f"{at}arith.extf %{name}_in : {source} to {target}"]
    if kind == "tf32":
        return [f"{at}arith.truncf %{name}_in : {source} to {target}"]
    bits = shaped(f"i{width(kind)}", shape)
    if width(kind) == 8:
        return [f"{at}arith.bitcast %{name}_in : {source} to {target}"]
    return [f"%{name}_bits = arith.trunci %{name}_in : {source} to {bits}",
            f"{at}arith.bitcast %{name}_bits : {bits} to {target}"]


def unmake(name, kind, shape):
    """The way back: ops that make %name_out of %name."""
    base = storage(kind)
    source, target = shaped(kind, shape), shaped(base, shape)
    at = f"%{name}_out = "
    if kind == "i1":
        return [f"{at}arith.extui %{name} : {source} to {target}"]
    if kind == "index":
        return [f"{at}arith.index_cast %{name} : {source} to {target}"]
    if kind == "i128":
        return [f"{at}arith.trunci %{name} : {source} to {target}"]
    if kind in ODD_INTEGERS:
        return [f"{at}arith.extui %{name} : {source} to {target}"]
    if kind in ("f80", "f128"):
        return [f"{at}arith.truncf %{name} : {source} to {target}"]
    if kind == "tf32":
        return [f"{at}arith.extf %{name} : {source} to {target}"]
    bits = shaped(f"i{width(kind)}", shape)
    if width(kind) == 8:
        return [f"{at}arith.bitcast %{name} : {source} to {target}"]
    return [f"%{name}_bits = arith.bitcast %{name} : {source} to {bits}",
            f"{at}arith.extui %{name}_bits : {bits} to {target}"]
