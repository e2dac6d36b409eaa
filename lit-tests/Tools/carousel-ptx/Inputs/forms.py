"""Prints a kernel with every form of docs/ptx-forms.json, one an instruction."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "scripts/modules"))
from ptx_forms import read_forms  # noqa: E402

HEAD = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry forms()
{
  .reg .pred %p<8>;
  .reg .b8 %b<8>;
  .reg .b16 %h<8>, %rs<8>;
  .reg .b32 %r<128>, %n<8>;
  .reg .f32 %f<128>;
  .reg .b64 %rd<128>, %policy;
  .reg .f64 %d<128>, %fd<8>;"""

print(HEAD)
for form in sorted({row.form.text for row in read_forms(ROOT / "docs/ptx-forms.json").rows}):
    print(f"  {form};")
print("}")
