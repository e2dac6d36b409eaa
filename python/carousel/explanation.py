# ===- explanation.py - what the compiler decided, and why ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decisions as objects, with their places and reasons: text, a table in a terminal, and one in a notebook."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._numbers import count_of

POINT = 9  # lines, without the last
COLUMNS = ("kernel", "decision", "place", "reasons")


@dataclass(frozen=True)
class Decision:
    """One decision. `data` has it as manifest.json does (docs/Package.md#manifestjson)."""

    kind: str
    """One of "ring", "transfer", "occupancy", "miss" and "note"; of graphs "group", "library" and so on."""
    kernel: str
    """The kernel; of graphs, the function."""
    variant: str
    """The function of the variant; empty for graphs."""
    chip: str
    """Empty where the decision is for all chips of the variant."""
    place: str
    """A place such as "saxpy.mlir:38:5"; empty if there is none."""
    text: str
    reasons: tuple[str, ...]
    data: Mapping[str, Any]

    def __str__(self) -> str:
        where = f" at {self.place}" if self.place else ""
        lines = [f"{self.variant or self.kernel}: {self.kind}{where}: {self.text}"]
        return "\n".join([*lines, *(f"  {reason}" for reason in self.reasons)])


def spell_notes(notes: Any) -> list[str]:
    return [f"{note['key']}: {note['value']}" for note in notes]


def read_ring(data: Mapping[str, Any]) -> tuple[str, list[str], str]:
    verb = "loads" if data["is_load"] else "stores"
    ahead = f", {data['prefetch']} ahead" if data["is_load"] else ""
    text = (f"{verb} {', '.join(data['memrefs'])} in {data['stages']} stages of {data['slot_bytes']} bytes{ahead}, by "
            f"{', '.join(data['engines'])}")
    return text, spell_notes(data.get("notes", ())), data["loop"]


def read_transfer(data: Mapping[str, Any]) -> tuple[str, list[str], str]:
    verb = "loads" if data["is_load"] else "stores"
    text = f"{verb} {data['bytes']} bytes of {data['memref']} by {data['engine']}, at a cost of {data['cost']}"
    reasons = [f"not {note['key']}: {note['value']}" for note in data.get("rejections", ())]
    return text, reasons + spell_notes(data.get("notes", ())), data["location"]


def read_occupancy(data: Mapping[str, Any]) -> tuple[str, list[str], str]:
    text = f"{data['ctas_per_sm']} CTAs per SM on {data['chip']}, limited by {data['limit']}"
    registers = "unknown" if data["registers"] is None else data["registers"]
    return text, [f"a CTA: {data['threads']} threads, {data['shared']} bytes of shared memory, registers: {registers}",
                  f"in flight per SM: {data['bytes_in_flight']} bytes"], ""


def read_miss(data: Mapping[str, Any]) -> tuple[str, list[str], str]:
    return f"{data['subject']}: {data['reason']} [{data['id']}]", spell_notes(data.get("notes", ())), data["location"]


def read_note(data: Mapping[str, Any]) -> tuple[str, list[str], str]:
    return f"{data['key']}: {data['value']}", [], ""


READERS = {"occupancies": ("occupancy", read_occupancy), "rings": ("ring", read_ring), "transfers": ("transfer", read_transfer),
           "misses": ("miss", read_miss), "notes": ("note", read_note)}


def read_decisions(record: Mapping[str, Any]) -> Iterator[Decision]:
    """Those of `Package.decisions`."""
    for graph in record.get("graphs", ()):
        reasons = [f"{key}: {value}" for key, value in graph.items() if key not in ("function", "name", "place", "text")]
        yield Decision(graph["name"].lower(), graph["function"], "", "", graph.get("place", ""), graph["text"], tuple(reasons), graph)
    for kernel in record["kernels"]:
        for variant in kernel["variants"]:
            for key, (kind, read) in READERS.items():
                for data in variant.get("decisions", {}).get(key, ()):
                    text, reasons, place = read(data)
                    yield Decision(kind, kernel["name"], variant["function"], data.get("chip", ""), place, text,
                                   tuple(reasons), data)


def spell_bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            break
        count, unit = count / 1024, "GiB"
    return f"{count:.4g} {unit}"


def rank(lines: Iterable[str], most: int, prefix: str) -> list[str]:
    """The most frequent lines, with how often they occur."""
    counts = Counter(lines)
    found = [f"{prefix}{line}" + (f" ({count} times)" if count > 1 else "") for line, count in counts.most_common(most)]
    return [*found, f"{prefix}{len(counts) - most} more"] if len(counts) > most else found


def write_ring_point(data: Mapping[str, Any]) -> str:
    memory = f"{', '.join(data['memrefs'])} by {', '.join(data['engines'])}"
    role = ", filled by a role of their own" if data.get("mode") == "specialized" else ""
    return f"{memory} in {data['stages']} stages of {spell_bytes(data['slot_bytes'])}{role}"


def write_kernel_point(kernel: Mapping[str, Any]) -> Iterator[str]:
    """Of a kernel: what its first variant is limited by, and what would help."""
    variants = kernel["variants"]
    chips = sorted({chip for variant in variants for chip in variant["chips"]})
    chosen = next((variant for variant in variants if variant.get("decisions", {}).get("rings")), variants[0])
    decisions = chosen.get("decisions", {})
    others = f", of {len(variants)} variants" if len(variants) > 1 else ""
    yield f"{kernel['name']} on {', '.join(chips)}: {chosen['function']}{others}"
    for ring in decisions.get("rings", ())[:2]:
        yield f"  ring: {write_ring_point(ring)}"
    for occupancy in decisions.get("occupancies", ())[:1]:
        flight = occupancy["bytes_in_flight"]
        yield (f"  limits: {occupancy['ctas_per_sm']} of these CTAs on an SM, by {occupancy['limit']}"
               + (f", with {spell_bytes(flight)} in flight" if flight else ""))
    predicted = next((note["value"] for ring in decisions.get("rings", ()) for note in ring.get("notes", ())
                      if note["key"] == "limit"), "")
    if predicted:
        yield f"          time, by {predicted} (predicted)"
    every = [variant.get("decisions", {}) for variant in variants]
    yield from rank((f"{miss['subject']}: {miss['reason']} [{miss['id']}]" for each in every for miss in each.get("misses", ())),
                    2, "  lost: ")
    # Gather copies that another engine makes than the one that is tried first.
    slow = [copy for each in every for copy in each.get("transfers", ()) if copy.get("rejections")]
    yield from rank((f"{copy['memref']} by {copy['rejections'][0]['key']} in place of {copy['engine']}, but for "
                     f"{copy['rejections'][0]['value']}" for copy in slow if copy["engine"].startswith(("vector", "cp_async"))),
                    2, "  would help: ")


def write_graph_point(graphs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of graphs: the kernels, the slowest of them beside its bound, and the largest tensors that pass through memory."""
    groups = [each for each in graphs if each["name"] == "Group"]
    families = ", ".join(f"{count} of family {family}" for family, count in Counter(each["Family"] for each in groups).items())
    yield f"{', '.join(dict.fromkeys(each['function'] for each in groups))}: {count_of(len(groups), 'kernel')}, {families}"
    times = [each for each in graphs if each["name"] == "Time"]
    steps = [each for each in times if " step" not in each["Step"]]
    yield from (f"  time: {each['text']}" for each in times if each not in steps)
    for step in sorted(steps, key=lambda step: -float(step["Predicted"]))[:2]:
        yield f"  slowest: {step['text']}"
    passed = {(each["From"], each["To"], each["Reason"]): int(each["Bytes"]) for each in graphs if each["name"] == "Boundary"}
    for (start, end, reason), size in sorted(passed.items(), key=lambda entry: -entry[1])[:3]:
        yield f"  through memory: {spell_bytes(size)} from {start} to {end}: {reason}"


class Explanation:
    """What the compiler decided. `str` of it is its point, in some ten lines; with `full`, it is what carousel-compile --explain
    prints, as `text` is. rich prints a table; a notebook shows the point, and a table on request."""

    def __init__(self, record: Mapping[str, Any], text: str = "", summary: str = "", *, full: bool = False):
        self.decisions: tuple[Decision, ...] = tuple(read_decisions(record))
        self.text = text or "".join(f"{each}\n" for each in self.decisions)
        self.summary = summary
        self.point = self._make_point(record)
        self._shown = self.text if full else self.point

    def _make_point(self, record: Mapping[str, Any]) -> str:
        graphs, kernels = record.get("graphs", ()), record["kernels"]
        lines = list(write_graph_point(graphs)) if any(each["name"] == "Group" for each in graphs) else []
        if not lines:
            for kernel in kernels:
                point = list(write_kernel_point(kernel))
                if lines and len(lines) + len(point) > POINT:
                    lines.append(f"{count_of(len(kernels) - kernels.index(kernel), 'more kernel')}")
                    break
                lines += point
        left = count_of(len(self.decisions), "decision")
        return "\n".join([*lines, f"explain(full=True) has all of {left}, with places and reasons."]) + "\n"

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)

    def of_kind(self, kind: str) -> tuple[Decision, ...]:
        """Those of one kind: "ring", "miss"."""
        return tuple(each for each in self.decisions if each.kind == kind)

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return self._shown

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        """A cell is empty where it is that of the row before."""
        before = ""
        for each in self.decisions:
            name = each.variant or each.kernel
            yield "" if name == before else name, f"{each.kind}: {each.text}", each.place, "\n".join(each.reasons)
            before = name

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(*COLUMNS)
        for row in self._rows():
            if row[0] and table.row_count:
                table.add_section()
            table.add_row(*map(Text, row))
        return table

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in COLUMNS)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align: left; vertical-align: top">{html.escape(cell)}</td>' for cell in row[:3])
            + '<td style="text-align: left">' + "<br>".join(map(html.escape, row[3].split("\n"))) + "</td></tr>\n"
            for row in self._rows())
        return (f"<pre>{html.escape(self.point)}</pre>\n<details><summary>All decisions</summary>\n"
                f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</details>\n"
                f"<details><summary>As text</summary><pre>{html.escape(self.summary + self.text)}</pre></details>\n")
