"""Writes a graph whose ops after a product are a chain: each uses the value before it twice, or once."""
import sys

uses, count = sys.argv[1], int(sys.argv[2])
lines = []
for i in range(count):
    last = f"%v{i - 1}" if i else "%p"
    op = "arith.maximumf" if i % 2 else "arith.addf"
    other = {"twice": last, "once": "%w", "apart": "%w"}[uses]
    lines.append(f"    %v{i} = {op} {'%p' if uses == 'apart' else last}, {other} : f32")
if uses == "apart":  # in parallel, joined by a tree
    values = [f"%v{i}" for i in range(count)]
    while len(values) > 1:
        joined = []
        for a, b in zip(values[::2], values[1::2]):
            joined.append(f"%j{len(lines)}")
            lines.append(f"    {joined[-1]} = arith.maximumf {a}, {b} : f32")
        values = joined + values[len(values) // 2 * 2 :]
    result = values[0]
else:
    result = f"%v{count - 1}"
newline = "\n"
print(f"""
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64xf32>) -> tensor<64x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = linalg.generic {{indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}}
      ins(%y, %c : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {{
  ^bb0(%p: f32, %w: f32, %o: f32):
{newline.join(lines)}
    linalg.yield {result} : f32
  }} -> tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}}""")
