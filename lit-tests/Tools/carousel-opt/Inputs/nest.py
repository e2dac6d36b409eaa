"""Prints a file in which something is nested: nest.py KIND DEPTH."""

import sys

kind, depth = sys.argv[1], int(sys.argv[2])
if kind == "regions":
    print("""#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @k(%x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %c = arith.cmpi eq, %t, %c0 : index""")
    print("scf.if %c {\n" * depth, end="")
    print("%v = memref.load %x[%c0] : memref<?xi32, #gl>\nmemref.store %v, %x[%c0] : memref<?xi32, #gl>")
    print("}\n" * depth + "    gpu.return\n  }\n}")
elif kind == "types":
    print("func.func private @f(" + "tuple<" * depth + "i1" + ">" * depth + ")")
elif kind == "attributes":
    print("module attributes {llvm.a = " + "[" * depth + "]" * depth + "} {}")
elif kind == "parentheses":
    print("module attributes {llvm.a = affine_map<(d0) -> (" + "(" * depth + "d0" + ")" * depth + ")>} {}")
elif kind == "minuses":
    print("module attributes {llvm.a = affine_map<(d0) -> (" + "- " * depth + "d0)>} {}")
elif kind == "sums":
    print("module attributes {llvm.a = affine_map<(d0) -> (" + " + ".join(["d0"] * depth) + ")>} {}")
elif kind == "divisions":
    print("module attributes {llvm.a = affine_map<(d0)[s0] -> (d0" + " floordiv s0" * depth + ")>} {}")
elif kind == "aliases":
    print("!a0 = i1")
    for i in range(depth):
        print(f"!a{i + 1} = tuple<!a{i}>")
    print(f"func.func private @f(!a{depth})")
elif kind == "constants":
    print("func.func @f() {")
    for i in range(depth):
        print(f"%a{i} = arith.constant -1 : index\n%b{i} = arith.constant dense<[-1.0e-3, 1.0e+3]> : vector<2xf32>")
    print("return\n}")
elif kind == "strings":
    print('module attributes {llvm.a = "' + "{" * depth + '\\"' + "[" * depth + '"} {}')
elif kind == "comments":
    print("// " + "{" * depth + "\nmodule {}")
elif kind == "comparisons":
    print("module attributes {llvm.a = affine_set<(d0) : (" + ", ".join(["d0 >= 0, d0 <= 9"] * depth) + ")>} {}")
elif kind == "chunks":
    print("module {\n// -----\n" * depth)
