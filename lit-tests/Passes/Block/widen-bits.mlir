// Memrefs of bits become those of bytes: reads compare, writes extend, views follow, and masks of vectors stay. Callers pass
// bits still. A kernel stays as it is where a branch chooses the memref, and a
// remark says so.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block,carousel-widen-bits))' --remarks-filter=carousel-widen-bits --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [extent(0, 0)], block = [128]>
!bits = memref<?x?xi1, #gl>
!numbers = memref<?x?xf32, #gl>

gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-widen-bits
  // CHECK-LABEL: gpu.func @transfers
  // CHECK-SAME: %[[MASK:.*]]: memref<?x?xi8, #gpu.address_space<global>> {carousel.bits}
  // CHECK-SAME: %[[OUT:.*]]: memref<?x?xi8, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out>, carousel.bits}
  gpu.func @transfers(%mask: !bits, %out: !bits {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %i = gpu.block_id x
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i8
    // CHECK: %[[BYTES:.*]] = vector.transfer_read %[[MASK]][%{{.*}}, %{{.*}}], %[[ONE]] : memref<?x?xi8, #gpu.address_space<global>>, vector<1024xi8>
    // CHECK: %[[BITS:.*]] = arith.cmpi ne, %[[BYTES]], %{{.*}} : vector<1024xi8>
    %v = vector.transfer_read %mask[%i, %c0], %true : !bits, vector<1024xi1>
    // CHECK: %[[LINE:.*]] = memref.subview %[[MASK]]{{.*}} to memref<1x64xi8, strided<[?, 1], offset: ?>
    // CHECK: vector.transfer_read %[[LINE]]{{.*}}, %{{.*}}, %[[BITS]] {{.*}}vector<1024xi8>
    %line = memref.subview %mask[%i, 0] [1, 64] [1, 1] : !bits to memref<1x64xi1, strided<[?, 1], offset: ?>, #gl>
    %w = vector.transfer_read %line[%c0, %c0], %true, %v : memref<1x64xi1, strided<[?, 1], offset: ?>, #gl>, vector<1024xi1>
    %r = arith.xori %v, %w : vector<1024xi1>
    // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : vector<1024xi1> to vector<1024xi8>
    // CHECK: vector.transfer_write %[[WIDE]], %[[OUT]]
    vector.transfer_write %r, %out[%i, %c0] : vector<1024xi1>, !bits
    gpu.return
  }

  // CHECK-LABEL: gpu.func @elements
  // CHECK: %[[ALL:.*]] = vector.gather {{.*}} : memref<?x?xi8, #gpu.address_space<global>>, vector<64xindex>, vector<64xi1>, vector<64xi8> into vector<64xi8>
  // CHECK: %[[THESE:.*]] = arith.cmpi ne, %[[ALL]]
  // CHECK: %[[BYTE:.*]] = memref.load %{{.*}} : memref<?x?xi8, #gpu.address_space<global>>
  // CHECK: arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
  // CHECK: %[[EXTENDED:.*]] = arith.extui %{{.*}} : i1 to i8
  // CHECK: memref.store %[[EXTENDED]]
  // CHECK: vector.scatter {{.*}} : memref<?x?xi8, #gpu.address_space<global>>, vector<64xindex>, vector<64xi1>, vector<64xi8>
  gpu.func @elements(%mask: !bits, %places: memref<64xindex, #gl>, %out: !bits {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %all = arith.constant dense<true> : vector<64xi1>
    %at = vector.transfer_read %places[%c0], %c0 : memref<64xindex, #gl>, vector<64xindex>
    %v = vector.gather %mask[%c0, %c0] [%at], %all, %all : !bits, vector<64xindex>, vector<64xi1>, vector<64xi1> into vector<64xi1>
    %first = memref.load %mask[%c0, %c0] : !bits
    %not = arith.xori %first, %first : i1
    memref.store %not, %out[%c0, %c0] : !bits
    vector.scatter %out[%c0, %c0] [%at], %v, %v : !bits, vector<64xindex>, vector<64xi1>, vector<64xi1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @chosen
  // CHECK-SAME: memref<?x?xi1, #gpu.address_space<global>>, %{{.*}}: memref<?x?xi1, #gpu.address_space<global>>, %{{.*}}: i1)
  // CHECK: vector.transfer_read {{.*}} memref<?x?xi1, #gpu.address_space<global>>, vector<64xi1>
  gpu.func @chosen(%a: !bits, %b: !bits, %is_first: i1)
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %one = scf.if %is_first -> !bits {
      // expected-remark @below {{no argument of i1 is accessed as bytes: scf.yield uses argument 0 or a view of it}}
      scf.yield %a : !bits
    } else {
      scf.yield %b : !bits
    }
    %v = vector.transfer_read %one[%c0, %c0], %false : !bits, vector<64xi1>
    vector.transfer_write %v, %a[%c0, %c0] : vector<64xi1>, !bits
    gpu.return
  }

  // Bytes are the numbers that bits extend to, and need no comparison.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK: %[[BYTES:.*]] = vector.transfer_read %{{.*}} : memref<?x?xi8, #gpu.address_space<global>>, vector<64xi8>
  // CHECK-NOT: arith.cmpi
  // CHECK: vector.transfer_write %[[BYTES]]
  gpu.func @numbers(%a: !bits, %y: memref<?xi8, #gl>)
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %v = vector.transfer_read %a[%c0, %c0], %false : !bits, vector<64xi1>
    %w = arith.extui %v : vector<64xi1> to vector<64xi8>
    vector.transfer_write %w, %y[%c0] : vector<64xi8>, memref<?xi8, #gl>
    gpu.return
  }

  // What isn't a program of vectors has the memrefs that its author gave it.
  // CHECK-LABEL: gpu.func @threads
  // CHECK-SAME: memref<?xi1, #gpu.address_space<global>>)
  gpu.func @threads(%a: memref<?xi1, #gl>) kernel {
    gpu.return
  }
}
