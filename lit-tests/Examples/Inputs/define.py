# ===- define.py - a body for a declared function ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""define.py FILE.mlir NAME OTHER: prints the file with the declaration of @NAME followed by the
body that @OTHER has in it."""

import re
import sys

path, name, other = sys.argv[1:]
text = open(path).read()
body = re.search(rf"func\.func private @{other}\([^\n]*(\{{\n.*?\n\}})", text, re.DOTALL).group(1)
declaration = re.compile(rf"func\.func private @{name}\([^\n{{]*$", re.MULTILINE)
assert len(declaration.findall(text)) == 1, f"expected one declaration of @{name}"
print(declaration.sub(lambda match: f"{match.group(0)} {body}", text), end="")
