"""Prints a kernel in which a chain of ops computes an index of a loop: long-chain.py LENGTH OP PLACE [FIRST].

OP is the op that takes the value before it and %k; PLACE says what the last one is: the offset of the load or of the
store, or the end or the step of the loop. FIRST is the first value, %i by default. A step's ops take the value before
them twice, so that 2^LENGTH ways lead to the first one; the store goes to where the load comes from."""

import sys

length, op, place = int(sys.argv[1]), sys.argv[2], sys.argv[3]
value = sys.argv[4] if len(sys.argv) > 4 else "%i"
lines = []
for number in range(length):
    other = value if place == "step" else "%k"
    lines.append(f"      %v{number} = {op} {value}, {other} : index")
    value = f"%v{number}"
chain = "\n".join(lines)
before, inside = (chain, "") if place in ("end", "step") else ("", chain)
others = {"load": "%i", "store": "%i", "end": "%n", "step": "%c128"}
at = {where: value if place == where else other for where, other in others.items()}
stored = "%x" if place == "step" else "%y"
print(f"""#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @m {{
  gpu.func @k(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %n: index, %k: index) kernel
      attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %tile = memref.alloc() : memref<128xf32, #ws>
    %other = memref.alloc() : memref<128xf32, #ws>
{before}
    scf.for %i = %c0 to {at["end"]} step {at["step"]} {{
{inside}
      carousel.load %x[{at["load"]}] to %tile : memref<?xf32, #gl>, memref<128xf32, #ws>
      %v = memref.load %tile[%t] : memref<128xf32, #ws>
      memref.store %v, %other[%t] : memref<128xf32, #ws>
      carousel.store %other to {stored}[{at["store"]}] : memref<128xf32, #ws>, memref<?xf32, #gl>
    }} {{carousel.pipeline = #carousel.pipeline<stages = auto, mode = unified>}}
    gpu.return
  }}
}}""")
