"""Reports of results that are equal, within a bound, past it, or wrong bits; and the table of them."""

import struct
import sys

sys.path.insert(0, sys.argv[1])
import effect_runs  # noqa: E402


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def report(name, kind, bound, want, got):
    case = {"name": name, "kind": kind, "bound": bound, "map": {}, "rule": "", "grid": 1, "threads": len(want) // 4,
            "outputs": [0, len(want)]}
    return effect_runs.compare(case, bytes(range(len(want))), want, got, 3)


reports = [
    report("mma.equal", "f32", 0.5, floats(1, 2), floats(1, 2)),
    report("mma.near", "f32", 0.5, floats(1, 2), floats(1.25, 2)),
    report("mma.far", "f32", 0.5, floats(1, 2), floats(1, 3)),
    report("mma.nan", "f32", 0.5, floats(1, 2), floats(1, float("nan"))),
    report("atom.bits", "f32", 0.0, floats(1, 2), floats(1.25, 2)),
    effect_runs.Report("red.lost", failure="an error of the driver"),
]


def elect(name, leaders, predicates):
    """Lanes 0 to 7 have one mask, the others another one."""
    case = {"name": name, "kind": "b32", "bound": 0.0, "map": {}, "rule": "elect", "grid": 1, "threads": 32}
    masks = [0xff if lane < 8 else 0xffffff00 for lane in range(32)]
    want, got = ([0] * 64, [*leaders, *predicates])
    return effect_runs.compare(case, *(struct.pack("<64I", *words) for words in ([0] * 32 + masks, want, got)), 3)


right = [5] * 8 + [20] * 24
chosen = [lane in (5, 20) for lane in range(32)]
reports += [
    elect("elect.right", right, chosen),
    elect("elect.outside", [9] * 8 + [20] * 24, [lane in (9, 20) for lane in range(32)]),
    elect("elect.two", [5] * 8 + [20] * 23 + [31], chosen),
]
sys.exit(effect_runs.print_reports(reports[:int(sys.argv[2])], 10))
