# ===- run_all.py - variants that a GPU doesn't take ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""run_all.py SCRIPTS DIR refusals|strict|none: calls device_cases.run_all with a case, or none, whose variants end
as carousel-run says that they do."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import device_cases  # noqa: E402

TAKES = "variant 'k' of 'k' doesn't take these arguments: "
ENDS = {
    "k_right": (0, ""),
    "k_multiple": (3, TAKES + "expected min(x.extent(0), 4) to be a multiple of 4, got 3"),
    "k_aligned": (3, TAKES + "expected x aligned to 16 bytes, got the address 0x7"),
    "k_both": (3, TAKES + "expected x.extent(0) to be a multiple of 4, got 3, expected x.extent(1) and y.extent(1) "
                          "to be equal, got 1 and 2"),
    "k_chip": (3, TAKES + "expected compute capability 10.0, got 9.0, expected x.extent(0) to be a multiple of 4, got 3"),
    "k_image": (3, "module 'm' has no image that works on compute capability 9.0: the driver refused it"),
    "k_differs": (1, "y: 1 of 3 elements differ from /guards/refused/y.npy"),
}
FAKE = f"""#!/usr/bin/env python3
import sys
ENDS = {ENDS!r}
for number, line in enumerate(open(sys.argv[2]), 1):
    status, text = ENDS[line.split()[4]]
    print(f"{{text}}\\nbatch {{number}}: {{status}}", flush=True)
"""

folder = Path(sys.argv[2])
package = folder / "case.sm_90a"
package.mkdir(parents=True, exist_ok=True)
(folder / "fake").write_text(FAKE)
(folder / "fake").chmod(0o755)
os.environ["CAROUSEL_RUN"] = str(folder / "fake")
variants = [{"function": name} for name in ENDS]
(package / "manifest.json").write_text(json.dumps({"kernels": [{"name": "k", "variants": variants}]}))
case = {"file": "case", "kernel": "k", "arguments": [], "chips": ["sm_90a"],
        "outputs": {}, "expected": {}, "tolerance": []}
(folder / "cases.json").write_text(json.dumps([case] if sys.argv[3] != "none" else []))
print(device_cases.run_all(folder, lambda file, kernel, variant: variant, refusals=sys.argv[3] != "strict"))
