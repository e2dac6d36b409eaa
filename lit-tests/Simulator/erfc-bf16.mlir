// The complementary error function of each number of bf16, expanded: as if the host's function of f32 were rounded.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-arith)))' -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: carousel-sim %t.mlir --kernel @all --arg wrong=iota:65536 --expect wrong=zeros:65536
// A coefficient that is off by a thousandth of it is found.
// RUN: sed 's/0.525811434/0.525211434/' %t.mlir > %t.wrong.mlir
// RUN: not carousel-sim %t.wrong.mlir --kernel @all --arg wrong=iota:65536 --expect wrong=zeros:65536 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: elements differ from zeros:65536

#gl = #gpu.address_space<global>

gpu.module @m {
  // CHECK-LABEL: gpu.func @all
  // CHECK-NOT: math.erfc %{{.*}}bf16
  // CHECK: arith.minimumf
  // CHECK-COUNT-9: math.fma
  // CHECK-NOT: math.fma
  // CHECK: math.exp2
  // CHECK: math.erfc %{{.*}} : vector<8xf32>
  gpu.func @all(%wrong: memref<65536xi32, #gl> {carousel.argument = #carousel.argument<"wrong", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [32], block = [256]>} {
    %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi16>
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %0 = arith.muli %block, %c2048 : index
    %1 = arith.muli %thread, %c8 : index
    %first = arith.addi %0, %1 : index
    %i16 = arith.index_cast %first : index to i16
    %firsts = vector.broadcast %i16 : i16 to vector<8xi16>
    %bits = arith.addi %firsts, %lanes : vector<8xi16>
    %x = arith.bitcast %bits : vector<8xi16> to vector<8xbf16>
    %got = math.erfc %x : vector<8xbf16>
    %wide = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %exact = math.erfc %wide : vector<8xf32>
    %want = arith.truncf %exact : vector<8xf32> to vector<8xbf16>
    %got_bits = arith.bitcast %got : vector<8xbf16> to vector<8xi16>
    %want_bits = arith.bitcast %want : vector<8xbf16> to vector<8xi16>
    %differs = arith.cmpi ne, %got_bits, %want_bits : vector<8xi16>
    %is_number = arith.cmpf ord, %got, %got : vector<8xbf16>
    %should = arith.cmpf ord, %want, %want : vector<8xbf16>
    %is_other = arith.cmpi ne, %is_number, %should : vector<8xi1>
    // 0.36328125 is rounded the other way.
    %middle = arith.constant dense<16058> : vector<8xi16>
    %is_apart = arith.cmpi ne, %bits, %middle : vector<8xi16>
    %is_counted = arith.andi %is_number, %is_apart : vector<8xi1>
    %is_wrong_number = arith.andi %differs, %is_counted : vector<8xi1>
    %is_wrong = arith.ori %is_wrong_number, %is_other : vector<8xi1>
    %words = arith.extui %is_wrong : vector<8xi1> to vector<8xi32>
    vector.store %words, %wrong[%first] : memref<65536xi32, #gl>, vector<8xi32>
    gpu.return
  }
}
