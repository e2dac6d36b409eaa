# ===- twins.py - the form of the twins ------------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# Usage: twins.py FOLDER FINDINGS.json
#
# Checks that the two kernels of each file differ in one op (changed, missing or moved), and that
# every finding of FINDINGS.json (carousel-sim --findings --json) is expected of a wrong twin.
#
# ===------------------------------------------------------------------------===#

import difflib
import json
import pathlib
import re
import sys


def get_kernel(text, name):
    """The statements of a kernel, continuation lines joined."""
    body = re.search(r"gpu\.func @%s\(.*?^  }$" % name, text, re.S | re.M).group()
    statements = []
    for line in body.replace("@" + name, "").splitlines():
        if line.lstrip().startswith(":"):
            statements[-1] += " " + line.strip()
        else:
            statements.append(line.strip())
    return statements


def count_differences(right, wrong):
    """Statements of the one and of the other that aren't in both, in order."""
    matcher = difflib.SequenceMatcher(None, right, wrong, autojunk=False)
    removed = added = 0
    for kind, i, j, k, l in matcher.get_opcodes():
        if kind != "equal":
            removed += j - i
            added += l - k
    return removed, added


def main(folder, findings):
    errors = []
    expected = set()
    files = sorted(pathlib.Path(folder).glob("*.mlir"))
    for path in files:
        text = path.read_text()
        runs = [line for line in text.splitlines() if line.startswith("// RUN:")]
        expected.update(re.findall(r"--expect-finding (\S+)", " ".join(runs)))
        for name in ("right", "wrong"):
            if not any(re.search(rf"--(kernel|then) @{name}\b", run) for run in runs):
                errors.append(f"{path.name}: expected a run of @{name}")
        removed, added = count_differences(get_kernel(text, "right"), get_kernel(text, "wrong"))
        if max(removed, added) != 1:
            errors.append(
                f"{path.name}: expected twins that differ in one op, "
                f"got {removed} lines of @right and {added} of @wrong"
            )
    if not files:
        errors.append(f"expected twins in {folder}")
    identifiers = {entry["id"] for entry in json.loads(pathlib.Path(findings).read_text())}
    for missing in sorted(identifiers - expected):
        errors.append(f"expected a wrong twin that is found as {missing}")
    for unknown in sorted(expected - identifiers):
        errors.append(f"expected findings that exist, got {unknown}")
    print("\n".join(errors) or f"{len(files)} twins")
    return bool(errors)


sys.exit(main(*sys.argv[1:]))
