# ===- effect_runs.py - kernels with effects on a GPU, and their results ------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What scripts/device/device-effects runs and compares. It uses the driver, by ctypes, and Python's library alone."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from instruction_runs import FLOATS, Driver, decode, run_processes
from tensor_map_calls import encode_map


def family(name):
    """The row of a table in which a case counts."""
    words = name.split()[0].rstrip(",").split(".")
    return ".".join(words[:2]) if words[0] in ("cp", "wgmma", "shfl", "vote", "match", "redux") else words[0]


@dataclass
class Report:
    """`unequal` counts elements that differ in bits and are within the bound, `wrong` those that are not."""
    name: str
    elements: int = 0
    unequal: int = 0
    wrong: int = 0
    error: float = 0.0  # the largest one, as a part of the bound
    texts: list = field(default_factory=list)
    failure: str = ""


# ===- Comparing ------------------------------------------------------------------===#

SIZES = {"f64": 8, "b64": 8, "u64": 8, "s64": 8, "b128": 8, "f16": 2, "bf16": 2, "f16x2": 2, "bf16x2": 2, "b16": 2, "u8": 1,
         "u16": 2}


def compare(case, given, want, got, show):
    """The report of a case."""
    size = SIZES.get(case["kind"], 4)
    kind = case["kind"].removesuffix("x2")
    if case["rule"]:
        return RULES[case["rule"]](case, given, got, show)
    report = Report(case["name"], len(want) // size)
    if want == got:
        return report
    for at in range(0, len(want), size):
        if want[at:at + size] == got[at:at + size]:
            continue
        a, b = (int.from_bytes(data[at:at + size], "little") for data in (want, got))
        if case["bound"] and kind in FLOATS:
            error = abs(decode(a, kind) - decode(b, kind)) / case["bound"]
            if error <= 1:
                report.unequal += 1
                report.error = max(report.error, error)
                continue
        report.wrong += 1
        if len(report.texts) < show:
            report.texts.append(f"byte {at}: expected {a:#x}, got {b:#x}{describe(case, given, at)}")
    return report


def check_election(case, given, got, show):
    """The ISA leaves open which lane of the mask elect.sync takes. All lanes of a mask get the same one, which is in the mask,
    and the predicate of that lane alone is true. A warp has 32 words, masks, lanes and predicates each."""
    report = Report(case["name"], len(got) // 4)
    words = [[int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)] for data in (given, got)]
    for warp in range(case["grid"]):
        begin, leaders = 64 * warp, {}
        for lane in range(32):
            mask, leader, is_leader = words[0][begin + 32 + lane], words[1][begin + lane], words[1][begin + 32 + lane]
            wrong = []
            if leader > 31 or not mask >> leader & 1:
                wrong.append("which the mask lacks")
            if leaders.setdefault(mask, leader) != leader:
                wrong.append(f"another lane got {leaders[mask]}")
            if is_leader != (lane == leader):
                wrong.append(f"its predicate is {is_leader}")
            report.wrong += len(wrong)
            if wrong and len(report.texts) < show:
                report.texts.append(f"warp {warp}, lane {lane} of mask {mask:#x} got lane {leader}: {', '.join(wrong)}")
    return report


RULES = {"elect": check_election}


def describe(case, given, at):
    """The inputs of the thread that an output belongs to, where each thread has as many of both."""
    threads = case["grid"] * case["threads"]
    per_cta, outputs = len(given) // case["grid"], case["outputs"][1]
    if case["map"] or len(given) % (4 * threads) or outputs % threads or len(given) // threads > 64:
        return ""
    cta, rest = divmod(at, outputs // case["grid"])
    # Atomics have 32 bytes of outputs for each thread, others a word of each thread after the other.
    is_cell = outputs == 32 * threads
    thread = rest // 32 if is_cell else rest // 4 % case["threads"]
    first = cta * per_cta + 4 * thread
    words = [int.from_bytes(given[i:i + 4], "little") for i in range(first, (cta + 1) * per_cta, 4 * case["threads"])]
    return f", CTA {cta}, thread {thread} of {', '.join(map(hex, words))}"


# ===- Running --------------------------------------------------------------------===#


MOST_FAILURES = 12  # of a file


def load(driver, text, cases):
    """The module of each case, or an error."""
    try:
        return [driver.load(text.encode() + b"\0")] * len(cases)
    except RuntimeError:
        # Kernels of their own, so that one that the driver refuses doesn't take the others with it.
        head, *kernels = text.split(".visible .entry ")
        kernels = {kernel.split("(")[0]: f"{head}.visible .entry {kernel}\0" for kernel in kernels}
        modules = []
        for case in cases:
            try:
                modules.append(driver.load(kernels[case["kernel"]].encode()))
            except RuntimeError as error:
                modules.append(error)
        return modules


def run_file(folder, file, show):
    """The reports of a file's cases."""
    driver = Driver()
    driver.open()
    inputs, results = Path(folder, "inputs.bin").read_bytes(), Path(folder, "results.bin").read_bytes()
    modules = load(driver, Path(folder, file["file"]).read_text(encoding="utf-8"), file["cases"])
    room = [max(case[key][1] for case in file["cases"]) for key in ("inputs", "outputs")]
    places = {"input": driver.allocate(room[0]), "output": driver.allocate(room[1])}
    reports = []
    for case, module in zip(file["cases"], modules):
        if isinstance(module, RuntimeError):
            reports.append(Report(case["name"], failure=str(module)))
            continue
        given = inputs[case["inputs"][0]:case["inputs"][0] + case["inputs"][1]]
        want = results[case["outputs"][0]:case["outputs"][0] + case["outputs"][1]]
        try:
            driver.write(places["input"], given)
            driver.write(places["output"], bytes(len(want)))
            arguments = [places["input"], places["output"]]
            if case["map"]:
                arguments.append(encode_map(driver, places[case["map"]["of"]], case["map"]))
            driver.launch(module, case["kernel"], case["threads"], *arguments, grid=case["grid"])
            driver.check("cuCtxSynchronize")
            reports.append(compare(case, given, want, driver.read(places["output"], len(want)), show))
        except RuntimeError as error:
            # The context is lost: the others of this file run in another process.
            reports.append(Report(case["name"], failure=str(error)))
            break
    return reports


def run_files(folder, files, jobs, show):
    """The reports of all cases. A process has a driver of its own; a kernel that fails ends its process's part, and the rest
    runs in another one. That takes a while, so the rest of a file with many such kernels doesn't run."""
    reports, left = [], files
    for _ in range(MOST_FAILURES):
        if not left:
            break
        done = run_processes(run_file, [(str(folder), file, show) for file in left], jobs, keeps_processes=False)
        reports += [report for part in done for report in part]
        left = [dict(file, cases=file["cases"][len(part):]) for file, part in zip(left, done)
                if len(part) < len(file["cases"])]
    return reports + [Report(case["name"], failure=f"not run: {MOST_FAILURES} before it failed")
                      for file in left for case in file["cases"]]


def print_reports(reports, show):
    """A line for each family, and the differences. Returns the exit status."""
    rows = {}
    for report in reports:
        row = rows.setdefault(family(report.name), [0, 0, 0, 0, 0, 0.0])
        for i, value in enumerate((not report.failure, bool(report.failure), bool(report.wrong), report.elements,
                                   report.unequal + report.wrong)):
            row[i] += value
        row[5] = max(row[5], report.error)
    print(f"{'instruction':24} {'compared':>8} {'failed':>7} {'differ':>7} {'elements':>9} {'equal bits':>11} {'of bound':>9}")
    totals = [sum(row[i] for row in rows.values()) for i in range(5)] + [max(row[5] for row in rows.values())]
    for name, row in [*rows.items(), ("all", totals)]:
        share = 100 * (1 - row[4] / row[3]) if row[3] else math.nan
        print(f"{name:24} {row[0]:8} {row[1]:7} {row[2]:7} {row[3]:9} {share:10.4f}% {row[5]:9.3f}")
    differing = [report for report in reports if report.wrong]
    for report in differing[:show]:
        print(f"{report.name}: {report.wrong} of {report.elements} differ\n    " + "\n    ".join(report.texts))
    if len(differing) > show:
        print(f"... and {len(differing) - show} more: {', '.join(report.name for report in differing[show:])}")
    failed = [report for report in reports if report.failure]
    for report in failed[:show]:
        print(f"{report.name}: {report.failure}")
    return 1 if differing or failed else 0
