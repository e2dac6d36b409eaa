"""Checks the JSON of carousel-compile --explain=json for decisions.mlir."""

import json
import sys

kernels = {kernel["name"]: kernel["variants"] for kernel in json.load(open(sys.argv[1], encoding="utf-8"))["kernels"]}
assert sorted(kernels) == ["good", "roles", "twice"], kernels
misses = [miss["id"] for miss in kernels["twice"][0]["decisions"]["misses"]]
assert misses.count("not-ringed:loaded-twice") == 2, misses
good = kernels["good"][0]["decisions"]
assert good["rings"][0]["stages"] == 4, good
assert "misses" not in good, good
assert good["occupancies"][0]["chip"] == "sm_90a", good
