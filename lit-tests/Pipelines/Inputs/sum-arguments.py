"""Writes a graph that adds its arguments, one after the other."""
import sys

count = int(sys.argv[1])
arguments = ", ".join(f"%a{i}: tensor<256xf32>" for i in range(count))
print(f"func.func @main({arguments}) -> tensor<256xf32> {{")
for i in range(1, count):
    print(f"  %s{i} = arith.addf {f'%s{i - 1}' if i > 1 else '%a0'}, %a{i} : tensor<256xf32>")
print(f"  return %s{count - 1} : tensor<256xf32>\n}}")
