// A cf.assert that doesn't hold is a finding with its message and the values that it compares, at every phase and as PTX. The
// run ends there.
// DEFINE: %{k} = --kernel @k --arg n=iota:8 --arg y=empty:8
// DEFINE: %{failed} = FileCheck %s --check-prefix=FOUND
// RUN: carousel-sim %s %{k} --arg least=0 --arg most=8 --quiet
// RUN: not carousel-sim %s %{k} --arg least=0 --arg most=7 2>&1 | %{failed}
// RUN: carousel-opt %s --carousel-lower="chip=sm_90a debug-assertions" -o %t.mlir
// RUN: carousel-sim %t.mlir %{k} --arg least=0 --arg most=8 --quiet
// RUN: not carousel-sim %t.mlir %{k} --arg least=0 --arg most=7 2>&1 | %{failed}
// FOUND: finding: [invalid-operand] expected a number from least to most, got 7 >= 7
// FOUND-NOT: finding:
// RUN: not carousel-sim %s %{k} --arg least=1 --arg most=8 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: finding: [invalid-operand] expected a number from least to most, got 0 < 1
// LOW-NOT: finding:

// Numbers without a sign, and conditions that aren't comparisons.
// RUN: not carousel-sim %s %{k} --arg least=-1 --arg most=8 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: finding: [invalid-operand] expected least to be few, got 4294967295 > 100
// BARE-NOT: finding:
// RUN: not carousel-sim %s %{k} --arg least=0 --arg most=99 2>&1 | FileCheck %s --check-prefix=FALSE
// FALSE: finding: [invalid-operand] expected most not to be 99, got false

// PTX has the message, by either way.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %t.mlir -o %t.ptx
// RUN: not carousel-sim %t.mlir --ptx %t.ptx %{k} --arg least=0 --arg most=7 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: finding: [invalid-operand] kernel 'k': expected a number from least to most, got false
// PTX-NOT: finding:

#gl = #gpu.address_space<global>
!n = memref<?xi32, #gl>

gpu.module @m {
  gpu.func @k(%n: !n {carousel.argument = #carousel.argument<"n", in>}, %least: i32 {carousel.argument = #carousel.argument<"least", in>},
              %most: i32 {carousel.argument = #carousel.argument<"most", in>}, %y: !n {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %few = arith.constant 100 : i32
    %true = arith.constant true
    %false = arith.constant false
    %i = gpu.block_id x
    %v = memref.load %n[%i] : !n
    %is_high = arith.cmpi sge, %v, %least : i32
    %is_low = arith.cmpi slt, %v, %most : i32
    %both = arith.andi %is_high, %is_low : i1
    cf.assert %both, "expected a number from least to most"
    %are_few = arith.cmpi ule, %least, %few : i32
    cf.assert %are_few, "expected least to be few"
    %odd = arith.constant 99 : i32
    %is_odd = arith.cmpi eq, %most, %odd : i32
    %isnt = arith.select %is_odd, %false, %true : i1
    cf.assert %isnt, "expected most not to be 99"
    memref.store %v, %y[%i] : !n
    gpu.return
  }
}
