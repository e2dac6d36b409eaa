#!/usr/bin/env python3
"""Fails if compile time isn't linear in what is compiled, or depends on how deep rings are.

Usage: check_linear.py BENCHMARK. Runs it briefly. The time for each kernel of 1000 may be FACTOR
times that of 10, that for each transfer of 32 in a stage FACTOR times that of 4, and a ring of 32
slots may take FACTOR times as long as one of 2. (At 1, fixed costs rule; the factor leaves room
for caches and a busy machine, not for a quadratic stage.)
"""
import json
import subprocess
import sys

FACTOR = 3.0
# Benchmarks by their names: a small and a large argument, and whether time is divided by them.
COMPARED = {"BM_Transfers": (4, 32, True), "BM_Stages": (2, 32, False)}
DEFAULT = (10, 1000, True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = [sys.argv[1], "--benchmark_filter=^BM_", "--benchmark_format=json",
               "--benchmark_min_time=0.05"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    times = {}
    for row in rows["benchmarks"]:
        if row.get("error_occurred"):
            sys.exit(f"{row['name']}: {row['error_message']}")
        name, argument = row["name"].split("/")[:2]
        times.setdefault(name, {})[int(argument)] = row["cpu_time"]
    if COMPARED.keys() - times.keys() or len(times) == len(COMPARED):
        sys.exit(f"expected benchmarks of kernels, and {', '.join(sorted(COMPARED))}, got {sorted(times)}")
    failures = 0
    for name, by_argument in times.items():
        small, large, is_divided = COMPARED.get(name, DEFAULT)
        few, many = (by_argument[n] / (n if is_divided else 1) for n in (small, large))
        failures += many > FACTOR * few
        unit = "each" if is_divided else "in all"
        print(f"{name}: {few:.3f} ms {unit} at {small}, {many:.3f} ms at {large}: "
              + ("ok" if many <= FACTOR * few else "NOT LINEAR" if is_divided else "NOT CONSTANT"))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
