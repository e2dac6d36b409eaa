# ===- instruction_runs.py - kernels of one instruction, and their results ---- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What scripts/device/device-instructions runs and compares. It uses the driver, by ctypes, and Python's library alone."""

import ctypes
import math
import multiprocessing
import struct
import sys
from array import array
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

# Bits of a result's type, where they aren't in its name.
WIDTHS = {"pred": 1, "tf32": 32, "e2m1x2": 8, "e2m1x4": 16, "ue8m0x2": 16}
# Exponent bits and fraction bits of the floats that NaNs and tolerances are about.
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "tf32": (8, 23)}

# Bounds of the ISA, by the beginning of a name and a part of it: (relative, absolute). Of two, the larger one holds.
BOUNDS = [
    ("div.full", "", (2**-22, 2**-149)),
    ("div.approx", "", (2**-22, 2**-149)),
    ("rcp.approx", ".f64", (2**-20, 0)),
    ("rcp.approx", "", (2**-23, 2**-149)),
    ("sqrt.approx", "", (2**-23, 0)),
    ("rsqrt.approx.ftz", ".f64", (2**-20, 0)),
    ("rsqrt.approx", ".f64", (2**-51, 0)),
    ("rsqrt.approx", "", (2**-22.9, 0)),
    ("lg2.approx", "", (2**-22, 2**-22)),
    ("ex2.approx", "bf16", (2**-7, 0)),
    ("ex2.approx", ".f16", (2**-9.9, 2**-24)),
    ("ex2.approx", "", (2**-22, 2**-148)),
    ("sin.approx", "", (0, 2**-20.5)),
    ("cos.approx", "", (0, 2**-20.5)),
    ("tanh.approx", "bf16", (2**-8, 0)),
    ("tanh.approx", ".f16", (2**-10.5, 2**-10.987)),
    ("tanh.approx", "", (2**-11, 0)),
]


def bits_of(kind):
    if kind in WIDTHS:
        return WIDTHS[kind]
    head, _, count = kind.partition("x")
    return int("".join(c for c in head[1:] if c.isdigit()) or 0) * int(count or 1) if head[0] in "bus" or head in FLOATS \
        else 8 * int(count or 1)


def bytes_of(kind):
    # Integers of 8 bits are in registers of 32.
    bits = 32 if kind in ("u8", "s8") else bits_of(kind)
    return max(1, min(8, (bits + 7) // 8))


def keep(case, words, results, threads):
    """Of a case of carousel-ptx-values, what the other machine needs; its results go to the end of `results`."""
    kinds = case["types"]
    kept = {"name": case["name"], "text": case["text"], "inputs": case["inputs"], "operands": case["operands"],
            "types": kinds, "results": len(results)}
    begin = case["results"]
    for index, kind in enumerate(kinds):
        size = bytes_of(kind)
        for word in words[begin + index:begin + threads * len(kinds):len(kinds)]:
            results += word.to_bytes(8, "little")[:size]
    return kept


def expected_columns(case, results, threads):
    """The results of one case: for each result, the words of all threads."""
    at, columns = case["results"], []
    for kind in case["types"]:
        size = bytes_of(kind)
        columns.append([int.from_bytes(results[i:i + size], "little") for i in range(at, at + size * threads, size)])
        at += size * threads
    return columns


# ===- The driver -----------------------------------------------------------------===#


class Driver:
    """A context on the first GPU."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        self.device = ctypes.c_int()
        self.check("cuDeviceGet", ctypes.byref(self.device), 0)

    def check(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else status}")

    def describe(self):
        name = ctypes.create_string_buffer(100)
        self.check("cuDeviceGetName", name, 100, self.device)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check("cuDeviceGetAttribute", ctypes.byref(major), 75, self.device)
        self.check("cuDeviceGetAttribute", ctypes.byref(minor), 76, self.device)
        return {"name": name.value.decode(), "chip": f"sm_{major.value}{minor.value}"}

    def open(self):
        context = ctypes.c_void_p()
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.check("cuCtxSetCurrent", context)

    def load(self, text):
        """A module; the driver's messages if it takes none."""
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
        keys = (ctypes.c_int * 2)(5, 6)  # the buffer of errors, and its size
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(8192))
        try:
            self.check("cuModuleLoadDataEx", ctypes.byref(module), text, 2, keys, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {log.value.decode(errors='replace').strip()[:500]}") from None
        return module

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 8)))
        return address.value

    def write(self, address, data):
        self.check("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.check("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def launch(self, module, kernel, threads, *values, grid=1):
        """Values are addresses, or ctypes' structures."""
        function = ctypes.c_void_p()
        self.check("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        held = [ctypes.c_uint64(value) if isinstance(value, int) else value for value in values]
        arguments = (ctypes.c_void_p * len(held))(*[ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in held])
        self.check("cuLaunchKernel", function, grid, 1, 1, threads, 1, 1, 0, None, arguments, None)


def run_processes(function, calls, jobs, keeps_processes=True):
    """The results of calls in processes that have a driver of their own. A process that is killed, for its memory perhaps, is
    an error."""
    try:
        with ProcessPoolExecutor(max(1, min(jobs, len(calls))), multiprocessing.get_context("spawn"),
                                 max_tasks_per_child=None if keeps_processes else 1) as pool:
            return [call.result() for call in [pool.submit(function, *arguments) for arguments in calls]]
    except BrokenProcessPool:
        sys.exit(f"{Path(sys.argv[0]).name}: error: expected processes that end by themselves, got one that was killed; "
                 f"if that was for its memory, take fewer at a time")


def describe_device():
    """In a process of its own: processes that are forked later need a driver of their own."""
    return run_processes(describe_now, [()], 1)[0]


def describe_now():
    return Driver().describe()


def run_file(folder, file, threads, show):
    """The reports of a file's cases: (name, count of differences, of those in the bits of a NaN alone, the first ones)."""
    driver = Driver()
    driver.open()
    inputs, results = Path(folder, "inputs.bin").read_bytes(), Path(folder, "results.bin").read_bytes()
    text = Path(folder, file["file"]).read_text(encoding="utf-8")
    try:
        modules = [driver.load(text.encode() + b"\0")] * len(file["cases"])
    except RuntimeError:
        # Kernels of their own, so that one that the driver refuses doesn't take the others with it.
        head, *kernels = text.split(".visible .entry ")
        kernels = {kernel.split("(")[0]: f"{head}.visible .entry {kernel}\0" for kernel in kernels}
        modules = []
        for case in file["cases"]:
            try:
                modules.append(driver.load(kernels[case["kernel"]].encode()))
            except RuntimeError as error:
                modules.append(error)
    given = driver.allocate(len(inputs))
    driver.write(given, inputs)
    sizes = [8 * threads * len(case["types"]) for case in file["cases"]]
    place = driver.allocate(sum(sizes))
    at = place
    for case, module, size in zip(file["cases"], modules, sizes):
        if not isinstance(module, RuntimeError):
            driver.launch(module, case["kernel"], threads, given + 8 * case["inputs"], at)
        at += size
    driver.check("cuCtxSynchronize")
    found = array("Q", driver.read(place, sum(sizes)))
    operands, at, reports = array("Q", inputs), 0, []
    for case, module, size in zip(file["cases"], modules, sizes):
        words = found[at:at + size // 8]
        at += size // 8
        if isinstance(module, RuntimeError):
            reports.append((case["name"], None, 0, [f"PTX {file['version']}: {module}"]))
            continue
        reports.append(compare(case, operands, expected_columns(case, results, threads), words, threads, show))
    return reports


def run_files(folder, files, threads, jobs, show):
    done = run_processes(run_file, [(str(folder), file, threads, show) for file in files], jobs)
    return [report for reports in done for report in reports]


# ===- Comparing ------------------------------------------------------------------===#


def lanes_of(kind):
    """The float of each element, and how many."""
    for name in FLOATS:
        if kind in (name, name + "x2"):
            return name, 2 if kind.endswith("x2") else 1
    return None, 1


def decode(bits, name):
    exponent_bits, fraction_bits = FLOATS[name]
    if name == "f64":
        return struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    sign = -1.0 if bits >> (exponent_bits + fraction_bits) & 1 else 1.0
    exponent, fraction = bits >> fraction_bits & ((1 << exponent_bits) - 1), bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    return sign * math.ldexp(fraction | (1 << fraction_bits if exponent else 0), max(exponent, 1) - bias - fraction_bits)


def is_nan(bits, name):
    return math.isnan(decode(bits, name))


def bound_of(name):
    for head, part, bound in BOUNDS:
        if name.startswith(head) and part in name:
            return bound
    return None


def is_close(want, got, name, bound):
    """Within the ISA's bound and half of a last digit, for the result is rounded itself."""
    want, got = decode(want, name), decode(got, name)
    if not (math.isfinite(want) and math.isfinite(got)):
        # Next to the largest number an approximation may be infinite.
        limit = {"f16": 65504.0, "bf16": 3.38953139e38, "f32": 3.40282347e38, "f64": 1.7976931348623157e308}[name]
        return min(abs(want), abs(got)) >= limit * (1 - 2 * bound[0]) and want * got > 0
    exponent_bits, fraction_bits = FLOATS[name]
    least = math.ldexp(1.0, 2 - (1 << (exponent_bits - 1)))
    digit = math.ldexp(max(least, 2.0 ** math.floor(math.log2(abs(want))) if want else 0), -fraction_bits)
    return abs(want - got) <= max(bound[0] * abs(want), bound[1]) + digit / 2


def judge(want, got, kind, bound):
    """"" if a result is right, "NaN" if only a NaN's bits differ, else "bits"."""
    if want == got:
        return ""
    name, lanes = lanes_of(kind)
    if name is None:
        return "bits"
    width = 16 if name in ("f16", "bf16") else 64 if name == "f64" else 32
    worst = ""
    for lane in range(lanes):
        mask = (1 << width) - 1
        a, b = want >> (lane * width) & mask, got >> (lane * width) & mask
        if a == b or (bound and is_close(a, b, name, bound)):
            continue
        if not (is_nan(a, name) and is_nan(b, name)):
            return "bits"
        worst = "NaN"
    return worst


def is_defined(case, operands):
    """Divisors for which the ISA says nothing of div.approx: subnormal ones."""
    if not case["name"].startswith("div.approx"):
        return True
    return operands[1] & 0x7f800000 != 0 or operands[1] & 0x7fffffff == 0


def compare(case, operands, columns, found, threads, show):
    """The report of a case, with `show` differences: those that aren't in the bits of a NaN alone come first."""
    count = len(case["types"])
    bound = bound_of(case["name"])
    masks = [(1 << (8 * bytes_of(kind))) - 1 for kind in case["types"]]
    differing, payloads = [], []
    for thread in range(threads):
        want = [column[thread] for column in columns]
        got = [word & mask for word, mask in zip(found[thread * count:(thread + 1) * count], masks)]
        if want == got:
            continue
        begin = case["inputs"] + thread * len(case["operands"])
        given = operands[begin:begin + len(case["operands"])]
        verdicts = [judge(a, b, kind, bound) for a, b, kind in zip(want, got, case["types"])]
        if not any(verdicts) or not is_defined(case, given):
            continue
        text = f"{case['text']} of {', '.join(map(hex, given))}: expected {', '.join(map(hex, want))}, " \
            f"got {', '.join(map(hex, got))}"
        if "bits" in verdicts:
            differing.append(text)
        else:
            payloads.append("NaN bits: " + text)
    return case["name"], len(differing) + len(payloads), len(payloads), (differing + payloads)[:show]


def print_reports(reports, show):
    """A line for each instruction, and the differences. Returns the exit status."""
    rows = {}
    for name, wrong, payloads, _ in reports:
        row = rows.setdefault(name.split(".")[0], [0, 0, 0, 0])
        row[0] += 1
        row[1] += wrong is None
        row[2] += bool(wrong) and wrong > payloads
        row[3] += bool(wrong) and wrong == payloads
    print(f"{'instruction':12} {'compared':>8} {'not run':>8} {'differ':>8} {'NaN bits':>9}")
    for name, (count, left, wrong, payloads) in rows.items():
        print(f"{name:12} {count - left:8} {left:8} {wrong:8} {payloads:9}")
    totals = [sum(row[i] for row in rows.values()) for i in range(4)]
    print(f"{'all':12} {totals[0] - totals[1]:8} {totals[1]:8} {totals[2]:8} {totals[3]:9}")
    differing = [report for report in reports if report[1]]
    differing.sort(key=lambda report: report[1] == report[2])
    for name, wrong, _, firsts in differing[:show]:
        print(f"{name}: {wrong} differ; " + "\n    ".join(firsts))
    if len(differing) > show:
        print(f"... and {len(differing) - show} more")
    for first in dict.fromkeys(firsts[0] for _, wrong, _, firsts in reports if wrong is None):
        print(f"not run: {first}")
    return 1 if differing else 0
