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


# An activity's colour, and its name in the key of a drawing; waits are left white.
BARS = {"#": ("#4c9f70", "computes"), "+": ("#9a9a9a", "issues, arrives"), "=": ("#4a7bb5", "a load in flight"),
        "s": ("#d9902f", "a store in flight")}
ROW, BAR, LABEL, LENGTH = 22, 14, 90, 620


def bars(track: str, spans: Iterable[Span], scale: float) -> list[Bar]:
    """The activities of a track, with neighbours joined."""
    found: list[list[Any]] = []
    for span in sorted(spans, key=lambda span: span.start):
        activity = classify(track, span)
        if activity == ".":
            continue
        if activity == "=" and not track.startswith("loads"):
            activity = "s"
        left, right = span.start * scale, span.end * scale
        if found and found[-1][0] == activity != "=" and activity != "s" and left - found[-1][2] < 0.5:
            found[-1][2] = right
        else:
            found.append([activity, left, right])
    return [Bar(activity, round(left, 1), round(max(right - left, 0.5), 1)) for activity, left, right in found]


def draw_svg(rows: list[tuple[str, list[Bar]]], cycles: float) -> Iterator[str]:
    """The lines of an SVG document; rows are (label, bars)."""
    height = (len(rows) + 2) * ROW
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + LENGTH + 10} {height}" '
           'font-family="sans-serif" font-size="12">')
    yield f'<rect width="{LABEL + LENGTH + 10}" height="{height}" fill="#ffffff"/>'
    for number, (label, activities) in enumerate(rows):
        top = number * ROW + (ROW - BAR) // 2
        yield f'<text x="4" y="{top + BAR - 3}" fill="#222222">{label}</text>'
        for activity, left, width in activities:
            yield (f'<rect x="{LABEL + left:g}" y="{top}" width="{width:g}" height="{BAR}" '
                   f'fill="{BARS[activity][0]}" stroke="#ffffff" stroke-width="0.5"/>')
    base = len(rows) * ROW
    yield f'<path d="M{LABEL} {base}H{LABEL + LENGTH}" stroke="#222222"/>'
    yield f'<text x="{LABEL}" y="{base + 15}" fill="#222222">0</text>'
    yield f'<text x="{LABEL + LENGTH}" y="{base + 15}" fill="#222222" text-anchor="end">{cycles:.0f} cycles</text>'
    for number, (colour, name) in enumerate(BARS.values()):
        start = LABEL + number * 150
        yield f'<rect x="{start}" y="{base + 24}" width="{BAR}" height="{BAR}" fill="{colour}"/>'
        yield f'<text x="{start + BAR + 5}" y="{base + 35}" fill="#222222">{name}</text>'
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
                    Span(str(event["name"]), event.get("cat"), float(event["ts"]), float(event["dur"])))
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
        """`#` a warp computes, `+` it issues or arrives, `.` it waits; `=` a transfer is in flight."""
        if width < 20:
            raise InvalidArgumentError(f"expected a width of at least 20, got {width}")
        rows = self._rows(lambda name, spans: draw(name, spans, width, self.cycles))
        margin = max((len(label) for label, _ in rows), default=0)
        lines = [f"{label:{margin}} |{line}|" for label, line in rows]
        return "\n".join([*lines, f"{'':{margin}}  0{'cycles':^{width - 8}}{self.cycles:>7.0f}"])

    @property
    def svg(self) -> str:
        return "\n".join(draw_svg(self._rows(lambda name, spans: bars(name, spans, LENGTH / self.cycles)), self.cycles))

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
