# ===- ptx_forms.py - the list of PTX forms, and PTX text ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Expands docs/ptx-forms.json to rows, and finds a row's form in emitted PTX. For ptx-coverage."""

import functools
import itertools
import json
import re
from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace

# ===------------------------------------------------------------------------===#
# The list of forms
# ===------------------------------------------------------------------------===#


def sm_of(chip):
    """90 for sm_90a."""
    return int(re.sub(r"\D", "", chip))


def ptx_text(version):
    """8.6 for 86."""
    return f"{version // 10}.{version % 10}"


@dataclass(frozen=True)
class Needs:
    """The first SM, or the chips if there are any, and the first PTX version."""

    sm: int = 0
    chips: frozenset | None = None
    ptx: int = 0

    @staticmethod
    def parse(text):
        """Reads "sm_90 8.0" or "sm_100a,sm_120a 8.6"; nothing needs nothing."""
        if not text:
            return Needs()
        where, version = text.split()
        ptx = int(version.replace(".", ""))
        if not where.endswith("a"):
            return Needs(sm_of(where), ptx=ptx)
        return Needs(0, frozenset(where.split(",")), ptx)

    def __and__(self, other):
        lists = [chips for chips in (self.chips, other.chips) if chips is not None]
        chips = frozenset.intersection(*lists) if lists else None
        return Needs(max(self.sm, other.sm), chips, max(self.ptx, other.ptx))

    def on(self, chip):
        """Whether some PTX version has it on this chip."""
        return sm_of(chip) >= self.sm if self.chips is None else chip in self.chips

    def met(self, chip, ptx):
        return self.on(chip) and ptx >= self.ptx

    def __str__(self):
        where = f"sm_{self.sm}" if self.chips is None else ", ".join(sorted(self.chips, key=sm_of))
        return f"{where}, PTX {ptx_text(self.ptx)}"


@dataclass(frozen=True)
class Form:
    """A PTX statement with what is optional in parentheses, and what it needs."""

    template: str
    needs: Needs

    @property
    def text(self):
        """Without what is optional."""
        return re.sub(r"\([^)]*\)", "", self.template)

    def found_in(self, statements):
        required, shortest = parse_statement(self.text)
        most, longest = parse_statement(re.sub(r"[()]", "", self.template))
        for modifiers, operands in statements:
            if required <= modifiers <= most and any(
                    len(operands) == len(wanted) and all(map(same_operand, wanted, operands))
                    for wanted in (shortest, longest)):
                return True
        return False


@dataclass
class Row:
    """One form of PTX: its text, what it needs, and the op with a kernel's body, if there is one."""

    family: str
    form: Form
    llvm: Needs  # what LLVM asks for, beyond the form
    before: Form | None  # what the op becomes...
    until: Needs  # ...where these are not met
    note: str
    scaffold: tuple
    body: tuple
    name: str = ""

    @property
    def op(self):
        return re.search(r"carousel\.[\w.]+", self.body[0])[0] if self.body else None

    @property
    def dialect_needs(self):
        """What the op has to ask for."""
        return (self.before or self.form).needs & self.llvm

    def becomes(self, chip, ptx):
        return self.before if self.before and not self.until.met(chip, ptx) else self.form


class Forms(SimpleNamespace):
    """The list, expanded: its keys, and the rows."""

    def of(self, families):
        return [row for row in self.rows if row.family in families]


def axis_values(axis, shared):
    """The values of an axis as name -> {ptx, mlir, needs, ...}."""
    if isinstance(axis, str):
        axis = shared[axis]
    if isinstance(axis, list):
        axis = {name: name for name in axis}
    values = {}
    for name, value in axis.items():
        if isinstance(value, str):
            value = [value, value]
        if isinstance(value, list):
            value = dict(zip(("ptx", "mlir", "needs", "arg"), value))
        values[name] = value
    return values


def holds(condition, names):
    """Whether a rule's axes have the values chosen."""
    return all(names[axis] in ([v] if isinstance(v, str) else v) for axis, v in condition.items())


def expand(text, chosen, key):
    return re.sub(r"<(\w+)(?:\.(\w+))?>", lambda m: chosen[m[1]][m[2] or key] if m[1] in chosen else m[0], text)


def add_up(parts, key):
    return functools.reduce(Needs.__and__, (Needs.parse(part.get(key)) for part in parts), Needs())


def expand_row(family, form, rules, chosen, inherited):
    """The row of a form for one value of each axis; `rules` are those that hold."""
    parts = [form, *chosen.values(), *rules]

    def last(key):
        return next((part[key] for part in (*rules, form) if key in part), None)

    def lines(key):
        text = last(key) or ()
        return tuple(expand(line, chosen, "mlir") for line in ([text] if isinstance(text, str) else text))

    needs = add_up(parts if "needs" in form else [inherited, *parts], "needs")
    before, until = last("before"), Needs()
    if before:
        until = Needs.parse(before["until"])
        before = Form(expand(before["ptx"], chosen, "ptx"), Needs.parse(before["needs"]) if "needs" in before else needs)
    llvm = add_up(parts, "llvm")
    notes = [part["note"] for part in parts if "note" in part]
    if needs & llvm != needs:
        notes += ["LLVM: " + part["why"] for part in parts if "llvm" in part]
    return Row(family, Form(expand(form["ptx"], chosen, "ptx"), needs), llvm, before, until, "; ".join(notes),
               lines("with"), lines("mlir"))


def expand_form(family, form, shared, inherited):
    """The rows of one entry of the list."""
    axes = {name: axis_values(axis, shared) for name, axis in form.get("axes", {}).items()}
    for names in itertools.product(*axes.values()):
        names = dict(zip(axes, names))
        if not any(holds(condition, names) for condition in form.get("except", ())):
            rules = [rule for rule in form.get("rules", ()) if holds(rule["when"], names)]
            yield expand_row(family, form, rules, {axis: axes[axis][name] for axis, name in names.items()}, inherited)


def read_forms(path):
    forms = Forms(**json.loads(path.read_text()), rows=[])
    for family, content in forms.families.items():
        for form in content["forms"]:
            forms.rows += expand_form(family, form, forms.axes, {"needs": content.get("needs")})
    for number, row in enumerate(forms.rows):
        row.name = f"r{number}"
    return forms


# ===------------------------------------------------------------------------===#
# PTX text
# ===------------------------------------------------------------------------===#


def operand_kind(text, constants):
    """What an operand looks like: a register, a predicate, an immediate, an address, a vector."""
    text = constants.get(text.strip(), text.strip())
    if text.startswith("["):
        vector = re.search(r"\{(.*)\}", text)
        return f"[{vector[1].count(',') + 1}]" if vector else "[]"
    if text.startswith("{"):
        return "{%d}" % (text.count(",") + 1)
    if "|" in text:
        return "|".join(operand_kind(part, constants) for part in text.split("|"))
    if re.match(r"!?%p\d", text):
        return "p"
    if re.match(r"-?\d", text):
        return "#" + text
    return "r" if re.match(r"%(r|rd|rs|f|fd|b)\d", text) else text


def same_operand(wanted, found):
    return wanted == found or (wanted == "r" and found.startswith("#"))


def parse_statement(text, constants={}):
    """The modifiers as a multiset, and the kinds of the operands."""
    opcode, operands = re.match(r"(?:@!?%p\d+\s+)?(\S*)\s*(.*)", text.strip(), re.S).groups()
    modifiers = Counter("shared::cta" if m == "shared" else m for m in opcode.split(".") if m)
    if modifiers["bar"] and not modifiers["warp"]:
        modifiers += Counter({"barrier": 1, "aligned": 1})
        del modifiers["bar"]
    parts = re.findall(r"(?:[^,\[{]|\[[^\]]*\]|\{[^}]*\})+", operands)
    return modifiers, [operand_kind(part, constants) for part in parts]


def parse_kernels(ptx):
    """Kernel -> statements of an emitted module; registers that hold a constant are replaced by it."""
    kernels = {}
    for piece in re.split(r"\.entry\s+", re.sub(r"//[^\n]*", "", ptx))[1:]:
        name = re.match(r"\w+", piece)[0]
        body = piece[piece.index(")") + 1:].strip().lstrip("{")
        constants = dict(re.findall(r"mov\.b\d+\s+(%\w+), (-?\d+);", body))
        kernels[name] = [parse_statement(s, constants) for s in body.split(";")]
    return kernels


# ===------------------------------------------------------------------------===#
# The list, row by row
# ===------------------------------------------------------------------------===#

KINDS = {
    "spaces": r"global|shared(::cta|::cluster)?|local|const|param",
    "types": r"b?[bfsu]\d+",
    "mode": r"\dd|tile.*|im2col.*|noinc|noComplete|parity|read|aligned|v[24]|c[ag]",
    "semantics": r"relaxed|acquire|release|acq_rel|sc|weak|mmio",
    "scope": r"cta|cluster|gpu|sys",
}


def describe(row):
    """A row with its modifiers sorted by kind, for other programs to read."""
    modifiers = row.form.text.split(" ")[0].split(".")
    kinds = {kind: [m for m in modifiers[1:] if re.fullmatch(pattern, m)] for kind, pattern in KINDS.items()}
    known = set(itertools.chain.from_iterable(kinds.values()))
    return {"family": row.family, "instruction": ".".join(itertools.takewhile(lambda m: m not in known, modifiers)),
            **kinds, "ptx": row.form.template, "needs": str(row.form.needs), "op": row.op,
            "mlir": [*row.scaffold, *row.body] or None}


def named_registers(ptx):
    """The PTX with the registers that inline assembly declares called as the compiler calls its own."""
    declared = re.findall(r"\.reg \.(\w+) ([a-z]\w*);", ptx)
    for kind, name in set(declared):
        letter = {"pred": "p", "b8": "b", "b32": "r", "u64": "rd"}[kind]
        ptx = re.sub(rf"(?<![.\w:%]){name}\b(?!::)", f"%{letter}0", ptx)
    ptx = re.sub(r"\bmov\.u(\d+\s+%\w+, -?\d+;)", r"mov.b\1", ptx)  # a constant, as LLVM spells it
    return re.sub(r"[{}]\s*(?=\.reg)|;\s*\}", ";", ptx)
