// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer))' --remarks-filter=carousel-circular-buffer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Loops that feed products get producers, if slots fit and the author asks for nothing that excludes
// them. All threads begin with the same number of registers, so that those of the roles are fewer in
// all than a block has.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = memref<256x64xbf16, #ws>
!sums = vector<1x8x2x2xf32>
!square = memref<128x64xbf16, #ws>
!wide = vector<1x16x2x2xf32>
!factor = vector<1x4x4x2xbf16>
!narrow = vector<1x8x2x2xf32>

gpu.module @m {
  // 104 x 512 + 40 x 128 are 58368; 640 threads begin with 96 each.
  // CHECK-LABEL: gpu.func @roles_tma
  // CHECK: carousel.ring.roles producer threads(128) registers(40)
  // CHECK: consumer threads(512) registers(104)
  // CHECK: carousel.multiply
  gpu.func @roles(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: !sums) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [512]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!sums) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !tile
      %next = carousel.multiply %t[%c0], %t[%c0], %a transpose_b : !tile, !tile, !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // Slots fill shared memory where the author asks for no number. All threads can have the registers that 32 sums need,
  // so none are moved.
  // CHECK-LABEL: gpu.func @deep_tma
  // CHECK: carousel.ring.create : <7 x memref<256x64xbf16
  // CHECK: carousel.ring.roles producer threads(32) {
  // CHECK: carousel.multiply
  gpu.func @deep(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: !sums) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!sums) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !tile
      %next = carousel.multiply %t[%c0], %t[%c0], %a transpose_b : !tile, !tile, !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // 64 sums that the loop carries, 64 that the first product overwrites in each iteration, and a factor of all
  // iterations in 16 registers need more than the 168 that 384 threads have each.
  // CHECK-LABEL: gpu.func @two_products_tma
  // CHECK: carousel.ring.roles producer threads(128) registers(40)
  // CHECK: consumer threads(256) registers(232)
  // CHECK: carousel.multiply
  gpu.func @two_products(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
      %s: !wide, %q: !factor) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !wide
    %t = memref.alloc() : !square
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!wide) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !square
      %own = carousel.multiply %q, %t[%c0], %zeros transpose_b : !factor, !square, !wide
      %flat = vector.shape_cast %own : !wide to vector<64xf32>
      %narrow = arith.truncf %flat : vector<64xf32> to vector<64xbf16>
      %part = vector.extract_strided_slice %narrow {offsets = [0], sizes = [32], strides = [1]} : vector<64xbf16> to vector<32xbf16>
      %p = vector.shape_cast %part : vector<32xbf16> to !factor
      %next = carousel.multiply %p, %t[%c0], %a transpose_b : !factor, !square, !wide
      scf.yield %next : !wide
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // One warpgroup computes between the products of an iteration. An SM holds two CTAs: 216 x 128 + 40 x 128 are half of its
  // registers, and slots fill half of its shared memory. Products find their tiles through views without the index in the
  // middle.
  // CHECK-LABEL: gpu.func @shared_tma
  // CHECK-COUNT-2: carousel.ring.create : <6 x memref<64x1x64xbf16, #gpu.address_space<workgroup>>>
  // CHECK: carousel.ring.roles producer threads(128) registers(40)
  // CHECK: consumer threads(128) registers(216)
  gpu.func @shared(%x: memref<?x?x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
      %h: index {carousel.argument = #carousel.argument<"h", in>}, %s: !narrow, %q: !factor) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !narrow
    %t = memref.alloc() : memref<64x1x64xbf16, #ws>
    %u = memref.alloc() : memref<64x1x64xbf16, #ws>
    %t2 = memref.collapse_shape %t [[0, 1], [2]] : memref<64x1x64xbf16, #ws> into memref<64x64xbf16, #ws>
    %u2 = memref.collapse_shape %u [[0, 1], [2]] : memref<64x1x64xbf16, #ws> into memref<64x64xbf16, #ws>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!narrow) {
      carousel.load %x[%k, %h, %c0] to %t swizzle(b128) : memref<?x?x64xbf16, #gl>, memref<64x1x64xbf16, #ws>
      carousel.load %x[%k, %h, %c0] to %u swizzle(b128) : memref<?x?x64xbf16, #gl>, memref<64x1x64xbf16, #ws>
      %own = carousel.multiply %q, %t2[%c0], %zeros transpose_b : !factor, memref<64x64xbf16, #ws>, !narrow
      %flat = vector.shape_cast %own : !narrow to vector<32xf32>
      %short = arith.truncf %flat : vector<32xf32> to vector<32xbf16>
      %p = vector.shape_cast %short : vector<32xbf16> to !factor
      %next = carousel.multiply %p, %u2[%c0], %a : !factor, memref<64x64xbf16, #ws>, !narrow
      scf.yield %next : !narrow
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // A buffer of 128 KB beside the slots leaves no room for a second CTA.
  // CHECK-LABEL: gpu.func @alone_tma
  // CHECK: carousel.ring.roles producer threads(32) {
  gpu.func @alone(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
      %s: !narrow, %q: !factor, %z: f32) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !narrow
    %own = memref.alloc() : memref<32768xf32, #ws>
    memref.store %z, %own[%c0] : memref<32768xf32, #ws>
    %t = memref.alloc() : memref<64x64xbf16, #ws>
    %u = memref.alloc() : memref<64x64xbf16, #ws>
    // REMARK: one CTA on each SM: slots of two need {{[0-9]+}} bytes less in each
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!narrow) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, memref<64x64xbf16, #ws>
      carousel.load %x[%c0, %k] to %u swizzle(b128) : !matrix, memref<64x64xbf16, #ws>
      %first = carousel.multiply %q, %t[%c0], %zeros transpose_b : !factor, memref<64x64xbf16, #ws>, !narrow
      %flat = vector.shape_cast %first : !narrow to vector<32xf32>
      %short = arith.truncf %flat : vector<32xf32> to vector<32xbf16>
      %p = vector.shape_cast %short : vector<32xbf16> to !factor
      %next = carousel.multiply %p, %u[%c0], %a : !factor, memref<64x64xbf16, #ws>, !narrow
      scf.yield %next : !narrow
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // The factor of the second product is computed from the first one's sums. Its tile has a ring of its own, since it is
  // released later.
  // CHECK-LABEL: gpu.func @two_stages_tma
  // CHECK-COUNT-2: carousel.ring.create : <2 x memref<128x64xbf16, #gpu.address_space<workgroup>>>
  // CHECK: consumer threads
  // CHECK: carousel.ring.wait %[[KEYS:[0-9]+]]
  // CHECK: carousel.multiply
  // CHECK: carousel.ring.release %[[KEYS]]
  // CHECK-NOT: carousel.ring.wait %[[KEYS]]
  // CHECK: carousel.ring.wait %[[VALUES:[0-9]+]]
  // CHECK: carousel.multiply
  // CHECK: carousel.ring.release %[[VALUES]]
  // Threads that fill the slots themselves have one ring.
  // CHECK-LABEL: gpu.func @two_stages(
  // CHECK: carousel.ring.create : <2 x memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>>
  gpu.func @two_stages(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: !wide, %q: !factor) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !wide
    %t = memref.alloc() : !square
    %u = memref.alloc() : !square
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!wide) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !square
      carousel.load %y[%c0, %k] to %u swizzle(b128) : !matrix, !square
      %own = carousel.multiply %q, %t[%c0], %zeros transpose_b : !factor, !square, !wide
      %flat = vector.shape_cast %own : !wide to vector<64xf32>
      %narrow = arith.truncf %flat : vector<64xf32> to vector<64xbf16>
      %part = vector.extract_strided_slice %narrow {offsets = [0], sizes = [32], strides = [1]} : vector<64xbf16> to vector<32xbf16>
      %p = vector.shape_cast %part : vector<32xbf16> to !factor
      %next = carousel.multiply %p, %u[%c0], %a transpose_b : !factor, !square, !wide
      scf.yield %next : !wide
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // The sums of the inner loop leave no registers for warps that copy for the outer one.
  // CHECK-LABEL: gpu.func @nested_tma(
  // CHECK: carousel.ring.roles producer threads(32)
  // CHECK-LABEL: gpu.func @nested(
  // CHECK-NOT: carousel.ring.roles
  // CHECK: carousel.multiply
  gpu.func @nested(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
      %s: !wide) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !square
    %u = memref.alloc() : !square
    scf.for %i = %c0 to %n step %c64 {
      carousel.load %x[%i, %c0] to %u swizzle(b128) : !matrix, !square
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!wide) {
        carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !square
        %next = carousel.multiply %u[%c0], %t[%c0], %a transpose_b : !square, !square, !wide
        scf.yield %next : !wide
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @prefetch_tma
  // CHECK-NOT: carousel.ring.roles
  // CHECK: carousel.multiply
  gpu.func @prefetch(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: !sums) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!sums) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !tile
      %next = carousel.multiply %t[%c0], %t[%c0], %a transpose_b : !tile, !tile, !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 1>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @large_tma
  // CHECK-NOT: carousel.ring.roles
  // CHECK: carousel.multiply
  // REMARK: unified: slots and other buffers need 234496 bytes of shared memory, of 232448
  gpu.func @large(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: !sums) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!sums) {
      carousel.load %x[%c0, %k] to %t swizzle(b128) : !matrix, !tile
      %next = carousel.multiply %t[%c0], %t[%c0], %a transpose_b : !tile, !tile, !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 7>}
    %later = memref.alloc() : memref<4096xi8, #ws>
    %zero = arith.constant 0 : i8
    memref.store %zero, %later[%c0] : memref<4096xi8, #ws>
    gpu.return
  }
}
