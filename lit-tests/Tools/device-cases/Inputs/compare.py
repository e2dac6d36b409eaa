# ===- compare.py - two ways on a GPU that isn't there ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""compare.py SCRIPTS DIR OUTPUT VARIANT...: `device-paths compare` with a case of that output (-: none), whose variants
end by PTX and by CUDA C++ as their names say."""

import json
import os
import subprocess
import sys
from pathlib import Path

REFUSED = (3, "variant 'k' of 'k' doesn't take these arguments: expected x aligned to 16 bytes, got the address 0x7")
ENDS = {
    "both": ((0, ""), (0, "")),
    "refused": (REFUSED, REFUSED),
    "no-file": (REFUSED, (2, "y.npy: cannot open")),
    "runs": (REFUSED, (1, "y: 1 of 3 elements differ")),
    "differs": ((0, ""), (1, "y: 1 of 3 elements differ")),
    "broken": (REFUSED, (3, "module 'm' has no image that works")),
}
FAKE = f"""#!/usr/bin/env python3
import sys
ENDS = {ENDS!r}
for number, line in enumerate(open(sys.argv[2]), 1):
    status, text = ENDS[line.split()[4]]["--via cuda" in line]
    print(f"{{text}}\\nbatch {{number}}: {{status}}", flush=True)
"""

scripts, folder, output, *names = sys.argv[1:]
folder = Path(folder)
(folder / "case.sm_90a").mkdir(parents=True)
(folder / "fake").write_text(FAKE)
(folder / "fake").chmod(0o755)
variants = [{"function": name} for name in names]
(folder / "case.sm_90a/manifest.json").write_text(json.dumps({"kernels": [{"name": "k", "variants": variants}]}))
case = {"file": folder.name, "kernel": "k", "arguments": [], "chips": ["sm_90a"], "tolerance": [], "expected": {},
        "outputs": {} if output == "-" else {output: "y.npy"}}
(folder / f"{folder.name}.sm_90a").symlink_to(folder / "case.sm_90a")
(folder / "cases.json").write_text(json.dumps([case]))
environment = dict(os.environ, CAROUSEL_RUN=str(folder / "fake"))
sys.exit(subprocess.run([sys.executable, Path(scripts) / "device-paths", "compare", folder], env=environment,
                        check=False).returncode)
