# ===- explanation.py - what the compiler decided, and why ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decisions as objects, with their places and reasons: text, a table in a terminal, and one in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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


class Explanation:
    """What the compiler decided. `str` of it is what carousel-compile --explain prints; rich prints a table, and a notebook
    shows one."""

    def __init__(self, record: Mapping[str, Any], text: str = "", summary: str = ""):
        self.decisions: tuple[Decision, ...] = tuple(read_decisions(record))
        self.text = text or "".join(f"{each}\n" for each in self.decisions)
        self.summary = summary

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)

    def of_kind(self, kind: str) -> tuple[Decision, ...]:
        """Those of one kind: "ring", "miss"."""
        return tuple(each for each in self.decisions if each.kind == kind)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

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
        return (f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
                f"<details><summary>As text</summary><pre>{html.escape(self.summary + self.text)}</pre></details>\n")
