"""Checks that the files of carousel-ptx-values fit each other; prints a module of some kernels."""
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
data = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
inputs, results = (folder / "inputs.bin").stat().st_size // 8, (folder / "results.bin").stat().st_size // 8
chosen, words = [], 0
for case in data["cases"]:
    assert case["inputs"] + data["threads"] * len(case["operands"]) <= inputs, case["name"]
    if not case["hasValue"]:
        continue
    assert case["results"] == words, case["name"]
    words += data["threads"] * len(case["types"])
    if case["name"].startswith(("madc.", "subc.", "cvt.rn.satfinite.e4m3x2.f", "lop3", "mov.b128", "setp.lt.and.s32", "vadd2.s32")):
        chosen.append(case["kernel"].replace("KERNEL", f"k{len(chosen)}"))
assert words == results and len(chosen) > 30, (words, results, len(chosen))
print(".version 9.0\n.target sm_90a\n.address_size 64\n" + "".join(chosen))
