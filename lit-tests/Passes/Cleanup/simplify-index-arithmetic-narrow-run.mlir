// Quotients and remainders of numbers at the ends of 32 bits, by divisors on both sides of them, are those of 64 bits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic)))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %t.mlir --kernel @divide --reference @divided --arg quotients=empty:8x8 --arg remainders=empty:8x8 \
// RUN:   --arg up=empty:8x8 --quiet

// CHECK: gpu.func @divide
// CHECK: arith.minui
// CHECK: arith.divui %{{.*}} : i32
// CHECK: arith.remui %{{.*}} : i32
// CHECK: arith.ceildivui %{{.*}} : i32
// CHECK: arith.divui %{{.*}}, %c7_i64
// CHECK: gpu.return

#gl = #gpu.address_space<global>
!numbers = memref<8x8xi64, #gl>
!host = memref<8x8xi64>

gpu.module @divisions {
  gpu.func @divide(
      %quotients: !numbers {carousel.argument = #carousel.argument<"quotients", out>},
      %remainders: !numbers {carousel.argument = #carousel.argument<"remainders", out>},
      %up: !numbers {carousel.argument = #carousel.argument<"up", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 8]>} {
    %xs = arith.constant dense<[0, 1, 7, 2147483647, 2147483648, 4294967292, 4294967293, 4294967294]> : vector<8xi64>
    %ys = arith.constant dense<[1, 2, 7, 4294967294, 4294967295, 4294967296, 4294967303, -9223372036854775807]> : vector<8xi64>
    %most = arith.constant 4294967294 : i64
    %seven = arith.constant 7 : i64
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %number = vector.extract %xs[%i] : i64 from vector<8xi64>
    %x = arith.minui %number, %most : i64
    %y = vector.extract %ys[%j] : i64 from vector<8xi64>
    %q = arith.divui %x, %y : i64
    %r = arith.remui %x, %y : i64
    %u = arith.ceildivui %x, %y : i64
    %by_seven = arith.ceildivui %x, %seven : i64
    %both = arith.addi %u, %by_seven : i64
    memref.store %q, %quotients[%i, %j] : !numbers
    memref.store %r, %remainders[%i, %j] : !numbers
    memref.store %both, %up[%i, %j] : !numbers
    gpu.return
  }
}

func.func @divided(%quotients: !host, %remainders: !host, %up: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i64
  %xs = arith.constant dense<[0, 1, 7, 2147483647, 2147483648, 4294967292, 4294967293, 4294967294]> : vector<8xi64>
  %ys = arith.constant dense<[1, 2, 7, 4294967294, 4294967295, 4294967296, 4294967303, -9223372036854775807]> : vector<8xi64>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = vector.extract %xs[%i] : i64 from vector<8xi64>
      %y = vector.extract %ys[%j] : i64 from vector<8xi64>
      %q = arith.divui %x, %y : i64
      %r = arith.remui %x, %y : i64
      %u = arith.ceildivui %x, %y : i64
      %by_seven = arith.ceildivui %x, %seven : i64
      %both = arith.addi %u, %by_seven : i64
      memref.store %q, %quotients[%i, %j] : !host
      memref.store %r, %remainders[%i, %j] : !host
      memref.store %both, %up[%i, %j] : !host
    }
  }
  return
}
