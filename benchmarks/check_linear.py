#!/usr/bin/env python3
"""Fails if a stage of the compiler is not linear in the number of kernels.

Usage: check_linear.py BENCHMARK. Runs it briefly and compares the time per kernel at 1000
kernels with that at 10: more than FACTOR times as much is an error. (At 1 kernel, fixed costs
rule; the factor leaves room for caches and a busy machine, not for a quadratic stage, which
would cost 100 times as much.)
"""
import json
import subprocess
import sys

FACTOR = 3.0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = [sys.argv[1], "--benchmark_format=json", "--benchmark_min_time=0.05"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    times = {}
    for row in rows["benchmarks"]:
        if row.get("error_occurred"):
            sys.exit(f"{row['name']}: {row['error_message']}")
        name, kernels = row["name"].split("/")
        times.setdefault(name, {})[int(kernels)] = row["real_time"] / int(kernels)
    failures = 0
    for name, per_kernel in times.items():
        ratio = per_kernel[1000] / per_kernel[10]
        verdict = "ok" if ratio <= FACTOR else "NOT LINEAR"
        failures += ratio > FACTOR
        print(f"{name}: {1e3 * per_kernel[10]:.1f} us a kernel at 10, "
              f"{1e3 * per_kernel[1000]:.1f} us at 1000: {verdict}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
