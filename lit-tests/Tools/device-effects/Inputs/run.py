"""Runs packed cases on a driver of this test, whose kernels give what was packed. `flip` changes a bit of a product, and
`lose` fails there."""

import json
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import effect_runs  # noqa: E402

folder = Path(sys.argv[2])
files = json.loads((folder / "cases.json").read_text())["files"]
results = (folder / "results.bin").read_bytes()
for file in files:
    file["cases"] = [dict(case, kernel=f"k{number}") for number, case in enumerate(file["cases"])]


class Driver:
    cuda = None

    def open(self):
        pass

    def load(self, text):
        [self.cases] = [file["cases"] for file in files if (folder / file["file"]).read_bytes() + b"\0" == text]
        return "module"

    def allocate(self, size):
        return 4096

    def write(self, address, data):
        pass

    def launch(self, module, kernel, threads, *values, grid):
        self.case = self.cases[int(kernel[1:])]
        self.is_chosen = self.case["name"].startswith("mma") and self.case["name"].endswith("integers")
        assert grid == self.case["grid"] and len(values) == (3 if self.case["map"] else 2)

    def check(self, name):
        if sys.argv[3] == "lose" and self.is_chosen:
            raise RuntimeError(f"{name}: unspecified launch failure")

    def read(self, address, size):
        begin, count = self.case["outputs"]
        assert size == count
        data = bytearray(results[begin:begin + count])
        data[5] ^= sys.argv[3] == "flip" and self.is_chosen
        return bytes(data)


effect_runs.Driver = Driver
effect_runs.encode_map = lambda driver, address, fields: bytes(128)
reports = [report for file in files for report in effect_runs.run_file(folder, file, 3)]
sys.exit(effect_runs.print_reports(reports, 10))
