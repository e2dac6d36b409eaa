// Quotients, remainders, and the quotients' own, that loops carry are those that are divided: for first numbers and steps at the ends of 31 bits, by
// divisors on both sides of them, and by zero where there is no iteration.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic)))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %t.mlir --kernel @divide --reference @divided --arg sums=empty:8x8x8 --quiet

// CHECK: gpu.func @divide
// CHECK-COUNT-2: arith.maxui
// CHECK: scf.for %{{.*}} iter_args
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK: gpu.return

#gl = #gpu.address_space<global>
!sums = memref<8x8x8xi64, #gl>
!host = memref<8x8x8xi64>

gpu.module @divisions {
  gpu.func @divide(%sums: !sums {carousel.argument = #carousel.argument<"sums", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 8, 8]>} {
    %c0 = arith.constant 0 : i64
    %xs = arith.constant dense<[0, 1, 6, 7, 1000000007, 2147483645, 2147483646, 2147483647]> : vector<8xi64>
    %steps = arith.constant dense<[1, 2, 3, 7, 132, 65536, 2147483646, 2147483647]> : vector<8xi64>
    %ys = arith.constant dense<[1, 2, 7, 100, 2147483648, 4294967296, -9223372036854775807, 0]> : vector<8xi64>
    %most = arith.constant 2147483647 : i64
    %c9 = arith.constant 9 : i64
    %c11 = arith.constant 11 : i64
    %c13 = arith.constant 13 : i64
    %c17 = arith.constant 17 : i64
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %k = gpu.thread_id z
    %x = vector.extract %xs[%i] : i64 from vector<8xi64>
    %s = vector.extract %steps[%j] : i64 from vector<8xi64>
    %by = vector.extract %ys[%k] : i64 from vector<8xi64>
    %first = arith.minui %x, %most : i64
    %step = arith.minui %s, %most : i64
    %some = arith.muli %step, %c9 : i64
    %behind = arith.addi %first, %some : i64
    %is_zero = arith.cmpi eq, %by, %c0 : i64
    %end = arith.select %is_zero, %c0, %behind : i64
    %other = arith.addi %by, %s : i64
    %sum = scf.for %t = %first to %end step %step iter_args(%before = %c0) -> (i64) : i64 {
      %q = arith.divui %t, %by : i64
      %r = arith.remui %t, %by : i64
      %qq = arith.divui %q, %other : i64
      %qr = arith.remui %q, %other : i64
      %a = arith.muli %before, %c11 : i64
      %b = arith.addi %a, %q : i64
      %c = arith.muli %b, %c13 : i64
      %d = arith.addi %c, %r : i64
      %e = arith.muli %d, %c17 : i64
      %f = arith.addi %e, %qq : i64
      %g = arith.muli %f, %c11 : i64
      %h = arith.addi %g, %qr : i64
      scf.yield %h : i64
    }
    memref.store %sum, %sums[%i, %j, %k] : !sums
    gpu.return
  }
}

func.func @divided(%sums: !host) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i8 = arith.constant 8 : index
  %c0 = arith.constant 0 : i64
  %xs = arith.constant dense<[0, 1, 6, 7, 1000000007, 2147483645, 2147483646, 2147483647]> : vector<8xi64>
  %steps = arith.constant dense<[1, 2, 3, 7, 132, 65536, 2147483646, 2147483647]> : vector<8xi64>
  %ys = arith.constant dense<[1, 2, 7, 100, 2147483648, 4294967296, -9223372036854775807, 0]> : vector<8xi64>
  %c9 = arith.constant 9 : i64
  %c11 = arith.constant 11 : i64
  %c13 = arith.constant 13 : i64
  %c17 = arith.constant 17 : i64
  scf.for %i = %i0 to %i8 step %i1 {
    scf.for %j = %i0 to %i8 step %i1 {
      scf.for %k = %i0 to %i8 step %i1 {
        %first = vector.extract %xs[%i] : i64 from vector<8xi64>
        %step = vector.extract %steps[%j] : i64 from vector<8xi64>
        %by = vector.extract %ys[%k] : i64 from vector<8xi64>
        %some = arith.muli %step, %c9 : i64
        %behind = arith.addi %first, %some : i64
        %is_zero = arith.cmpi eq, %by, %c0 : i64
        %end = arith.select %is_zero, %c0, %behind : i64
        %other = arith.addi %by, %step : i64
        %sum = scf.for %t = %first to %end step %step iter_args(%before = %c0) -> (i64) : i64 {
          %q = arith.divui %t, %by : i64
          %r = arith.remui %t, %by : i64
          %qq = arith.divui %q, %other : i64
          %qr = arith.remui %q, %other : i64
          %a = arith.muli %before, %c11 : i64
          %b = arith.addi %a, %q : i64
          %c = arith.muli %b, %c13 : i64
          %d = arith.addi %c, %r : i64
          %e = arith.muli %d, %c17 : i64
          %f = arith.addi %e, %qq : i64
          %g = arith.muli %f, %c11 : i64
          %h = arith.addi %g, %qr : i64
          scf.yield %h : i64
        }
        memref.store %sum, %sums[%i, %j, %k] : !host
      }
    }
  }
  return
}
