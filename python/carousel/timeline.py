# ===- timeline.py - traces of the simulated machine as drawings ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Draws a CTA of a trace with a line for each track, as text or as SVG. scripts/timeline is its command."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

from .errors import InvalidArgumentError, NotFoundError

TRANSFERS = ("loads", "stores", "reductions", "cp.async")


class Span(NamedTuple):
    name: str
    category: Optional[str]
    start: float
    duration: float
    signals: Optional[str] = None
    """The mbarrier that a load completes on, such as "full[0]": that of the slot."""

    @property
    def end(self) -> float:
        return self.start + max(self.duration, 1)


class Bar(NamedTuple):
    activity: str
    left: float
    width: float


def classify(track: str, span: Span) -> str:
    if track.startswith(TRANSFERS):
        return "="
    if track.startswith("products"):
        return "*"
    if span.name == "compute":
        return "#"
    return "." if span.category == "wait" or span.name.startswith("wait") or "barrier" in span.name else "+"


def draw(track: str, spans: Iterable[Span], columns: int, cycles: float) -> str:
    """One character a column."""
    totals: list[dict[str, float]] = [defaultdict(float) for _ in range(columns)]
    for span in spans:
        character = classify(track, span)
        first, last = int(span.start * columns / cycles), int(min(span.end, cycles - 1e-9) * columns / cycles)
        for column in range(first, last + 1):
            left, right = column * cycles / columns, (column + 1) * cycles / columns
            totals[column][character] += max(0.0, min(span.end, right) - max(span.start, left))
    return "".join(max(total, key=lambda key: total[key]) if total else " " for total in totals)


# An activity's colour, its name in the key of a drawing, and the part of a row's height that its bars have.
BARS = {"#": ("#4c9f70", "computes", 1.0), "+": ("#9a9a9a", "issues, arrives", 1.0), ".": ("#e2a29b", "waits", 0.35),
        "=": ("#4a7bb5", "a load in flight", 1.0), "u": ("#b9d3ee", "a slot in use", 1.0), "*": ("#7d5ba6", "a product in flight", 1.0),
        "s": ("#d9902f", "a store in flight", 1.0)}
ROW, BAR, LABEL, LENGTH, KEYS = 22, 14, 90, 620, 4


def bars(track: str, spans: Iterable[Span], scale: float) -> list[Bar]:
    """The activities of a track, with neighbours joined."""
    found: list[list[Any]] = []
    for span in sorted(spans, key=lambda span: span.start):
        activity = classify(track, span)
        if activity == "=" and not track.startswith("loads"):
            activity = "s"
        left, right = span.start * scale, span.end * scale
        is_joined = activity not in ("=", "s") and bool(found) and found[-1][0] == activity
        if is_joined and left - found[-1][2] < 0.5:
            found[-1][2] = max(right, found[-1][2])
        else:
            found.append([activity, left, right])
    return [Bar(activity, round(left, 1), round(max(right - left, 0.5), 1)) for activity, left, right in found]


def split_slot(name: str) -> tuple[str, str]:
    """An array of mbarriers and an index."""
    array, _, index = name.rpartition("[")
    return array, index


def use_slots(loads: Iterable[Span], calls: list[Span], scale: float) -> Iterator[tuple[str, list[Bar]]]:
    """A row for each slot of a ring: its loads, and its uses. A use begins when a warp has waited for the loads. It ends when
    a warp hands the slot back, by another mbarrier of the same index, or else waits for another slot of the ring, and at the
    latest before the next load."""
    slots: dict[str, list[Span]] = defaultdict(list)
    for load in sorted(loads, key=lambda load: load.start):
        slots[str(load.signals)].append(load)
    last = max((call.end for call in calls), default=0.0)
    for slot in sorted(slots, key=lambda slot: (split_slot(slot)[0], len(slot), slot)):
        ring, index = split_slot(slot)
        waits = sorted(call.end for call in calls if call.name == f"wait {slot}")
        returned, others = [], []
        for call in calls:
            verb, _, name = call.name.partition(" ")
            array, at = split_slot(name)
            if verb == "arrive" and array and array != ring and at == index:
                returned.append(call.start)
            elif verb == "wait" and array == ring and at != index:
                others.append(call.start)
        row: list[Bar] = []
        starts = [load.start for load in slots[slot]]
        for load in slots[slot]:
            row.append(Bar("=", round(load.start * scale, 1), round(max((load.end - load.start) * scale, 0.5), 1)))
            begin = next((wait for wait in waits if wait >= load.end), None)
            following = next((start for start in starts if start > load.end), last)
            if begin is None or begin >= following:
                continue
            end = min((time for time in returned or others if time > begin), default=last)
            row.append(Bar("u", round(begin * scale, 1), round(max((min(end, following) - begin) * scale, 0.5), 1)))
        yield f"slot {slot}", sorted(set(row), key=lambda bar: (bar.left, bar.activity != "u"))


def draw_svg(rows: list[tuple[str, list[Bar]]], cycles: float) -> Iterator[str]:
    """The lines of an SVG document; rows are (label, bars). The key has the activities that the rows have."""
    key = [(colour, name) for activity, (colour, name, _) in BARS.items() if any(bar.activity == activity for _, row in rows for bar in row)]
    height = (len(rows) + 1 + -(-len(key) // KEYS)) * ROW
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + LENGTH + 10} {height}" '
           'font-family="sans-serif" font-size="12">')
    yield f'<rect width="{LABEL + LENGTH + 10}" height="{height}" fill="#ffffff"/>'
    for number, (label, activities) in enumerate(rows):
        top = number * ROW + (ROW - BAR) // 2
        yield f'<text x="4" y="{top + BAR - 3}" fill="#222222">{label}</text>'
        for activity, left, width in activities:
            colour, _, part = BARS[activity]
            yield (f'<rect x="{LABEL + left:g}" y="{top + BAR * (1 - part) / 2:g}" width="{width:g}" height="{BAR * part:g}" '
                   f'fill="{colour}" stroke="#ffffff" stroke-width="0.5"/>')
    base = len(rows) * ROW
    yield f'<path d="M{LABEL} {base}H{LABEL + LENGTH}" stroke="#222222"/>'
    yield f'<text x="{LABEL}" y="{base + 15}" fill="#222222">0</text>'
    yield f'<text x="{LABEL + LENGTH}" y="{base + 15}" fill="#222222" text-anchor="end">{cycles:.0f} cycles</text>'
    for number, (colour, name) in enumerate(key):
        start, down = LABEL + number % KEYS * LENGTH // KEYS, base + number // KEYS * ROW + 24
        yield f'<rect x="{start}" y="{down}" width="{BAR}" height="{BAR}" fill="{colour}"/>'
        yield f'<text x="{start + BAR + 5}" y="{down + 11}" fill="#222222">{name}</text>'
    yield "</svg>"


class Timeline:
    """A CTA of a trace. `str` of it is text; a notebook shows the SVG."""

    def __init__(self, trace: str, cta: int = 0):
        """Raises ValueError, KeyError or TypeError if `trace` isn't one, and NotFoundError without the CTA."""
        events = json.loads(trace)["traceEvents"]
        self.trace = trace
        self.names: dict[int, str] = {
            event["tid"]: event["args"]["name"] for event in events
            if event["ph"] == "M" and event["name"] == "thread_name" and event["pid"] == cta}
        self.spans: dict[int, list[Span]] = defaultdict(list)
        for event in events:
            if event["ph"] == "X" and event["pid"] == cta:
                self.spans[event["tid"]].append(
                    Span(str(event["name"]), event.get("cat"), float(event["ts"]), float(event["dur"]),
                         event.get("args", {}).get("signals")))
        if not self.spans:
            raise NotFoundError(f"expected CTA {cta} in the trace, found none of its spans")
        self.cycles = max(span.end for spans in self.spans.values() for span in spans)

    def _rows(self, make: Any) -> list[tuple[str, Any]]:
        """A label and a line for each track. Warps with the same activities share one."""
        rows: list[list[Any]] = []
        for track in sorted(self.names):
            name = self.names[track]
            line = make(name, self.spans.get(track, []))
            if rows and rows[-1][2] == line and name.startswith("warp") and rows[-1][0].startswith("warp"):
                rows[-1][1] = name.split()[-1]
            else:
                rows.append([name, None, line])
        return [(name if last is None else f"{name.replace('warp', 'warps')}-{last}", line) for name, last, line in rows]

    def text(self, width: int = 100) -> str:
        """`#` a warp computes, `+` it issues or arrives, `.` it waits; `=` a transfer is in flight, `*` a product is."""
        if width < 20:
            raise InvalidArgumentError(f"expected a width of at least 20, got {width}")
        rows = self._rows(lambda name, spans: draw(name, spans, width, self.cycles))
        margin = max((len(label) for label, _ in rows), default=0)
        lines = [f"{label:{margin}} |{line}|" for label, line in rows]
        return "\n".join([*lines, f"{'':{margin}}  0{'cycles':^{width - 8}}{self.cycles:>7.0f}"])

    @property
    def svg(self) -> str:
        """Warps; the slots of rings, with their loads and uses; other transfers; products."""
        scale = LENGTH / self.cycles
        named = [(self.names.get(track, ""), spans) for track, spans in sorted(self.spans.items())]
        loads = [span for name, spans in named if name.startswith(TRANSFERS) for span in spans if span.signals]
        calls = [span for name, spans in named if name.startswith("warp") for span in spans]
        products = [span for name, spans in named if name.startswith("products") for span in spans]
        rows = [row for row in self._rows(lambda name, spans: bars(name, [span for span in spans if not span.signals], scale))
                if row[1] and not row[0].startswith("products")]
        warps = [row for row in rows if row[0].startswith("warp")]
        rows = warps + list(use_slots(loads, calls, scale)) + [row for row in rows if row not in warps]
        if products:
            rows.append(("products", bars("products", products, scale)))
        return "\n".join(draw_svg(rows, self.cycles))

    def save(self, path: Union[str, Path]) -> None:
        """Writes an SVG drawing (.svg), or the trace of all CTAs (.json), which Perfetto and Chrome show."""
        suffix = Path(path).suffix
        if suffix not in (".svg", ".json"):
            raise InvalidArgumentError(f"expected a file with the suffix .svg or .json, got '{path}'")
        Path(path).write_text(self.svg + "\n" if suffix == ".svg" else self.trace, encoding="utf-8")

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg
