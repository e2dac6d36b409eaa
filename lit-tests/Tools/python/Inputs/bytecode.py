import sys
from pathlib import Path

import carousel

bytecode, text = sys.argv[1:]
options = {"chips": "sm_90a", "emit": "ptx", "cuda_root": ""}
packages = [carousel.compile(source, **options) for source in (bytecode, Path(bytecode).read_bytes(), text)]
print("same" if packages[0].ptx == packages[1].ptx == packages[2].ptx else "other")
try:
    carousel.compile(Path(bytecode).read_bytes()[:-100], **options)
except carousel.CompileError as error:
    print(error)
