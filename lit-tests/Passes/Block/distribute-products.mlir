// Writes of a product's fragments go through a tile that is stored at once: on chips with bulk copies, to peers on all
// chips; not in loops of which an iteration has no whole product, nor with roles, and not where the tile and what the kernel allocates don't fit in shared memory.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-distribute))' | FileCheck %s --check-prefixes=CHECK,BULK,FITS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_120a},carousel-distribute))' | FileCheck %s --check-prefixes=CHECK,BULK,LARGE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-distribute))' | FileCheck %s --check-prefixes=CHECK,OLD,LARGE

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [1], block = [256]>
!matrix = memref<?x?xbf16, #gl>
!sums = memref<?x?xf32, #gl>

gpu.module @products {
  // CHECK-LABEL: gpu.func @write(
  // BULK-NOT: vector.store {{.*}}address_space<global>
  // BULK: carousel.store %{{.*}} to %{{.*}} : memref<64x128xf32, #gpu.address_space<workgroup>>
  // OLD-NOT: carousel.store
  // OLD: gpu.return
  gpu.func @write(%a: !matrix, %b: !matrix, %y: !sums) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %x = vector.transfer_read %a[%c0, %c0], %pad : !matrix, vector<64x64xbf16>
    %w = vector.transfer_read %b[%c0, %c0], %pad : !matrix, vector<64x128xbf16>
    %v = vector.contract #product %x, %w, %zeros : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<64x128xf32>, !sums
    gpu.return
  }

  // CHECK-LABEL: gpu.func @push(
  // CHECK: carousel.store %{{.*}} to %{{.*}} : memref<64x128xf32, #gpu.address_space<workgroup>>
  // CHECK: gpu.return
  gpu.func @push(%a: !matrix, %b: !matrix, %y: !sums {carousel.peer}) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %x = vector.transfer_read %a[%c0, %c0], %pad : !matrix, vector<64x64xbf16>
    %w = vector.transfer_read %b[%c0, %c0], %pad : !matrix, vector<64x128xbf16>
    %v = vector.contract #product %x, %w, %zeros : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<64x128xf32>, !sums
    gpu.return
  }

  // CHECK-LABEL: gpu.func @loop(
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @loop(%a: !matrix, %b: !matrix, %y: !sums, %n: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %w = vector.transfer_read %b[%c0, %c0], %pad : !matrix, vector<64x128xbf16>
    scf.for %i = %c0 to %n step %c64 {
      %x = vector.transfer_read %a[%i, %c0], %pad : !matrix, vector<64x64xbf16>
      %v = vector.contract #product %x, %w, %zeros : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      vector.transfer_write %v, %y[%i, %c0] : vector<64x128xf32>, !sums
    }
    gpu.return
  }

  // An iteration has a whole product, by a loop of its own. Its tile is beside the slots
  // of that loop: two of them, or as many as are asked for, which leave no place.
  // CHECK-LABEL: gpu.func @whole(
  // BULK: carousel.store %{{.*}} to %{{.*}} : memref<64x128xbf16, #gpu.address_space<workgroup>>
  // OLD-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @whole(%a: !matrix, %b: !matrix, %y: !matrix, %n: index, %k: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %p = gpu.block_id x
    scf.for %i = %p to %n step %c64 {
      %v = scf.for %d = %c0 to %k step %c64 iter_args(%sum = %zeros) -> (vector<64x128xf32>) {
        %x = vector.transfer_read %a[%i, %d], %pad : !matrix, vector<64x64xbf16>
        %w = vector.transfer_read %b[%d, %c0], %pad : !matrix, vector<64x128xbf16>
        %next = vector.contract #product %x, %w, %sum : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
        scf.yield %next : vector<64x128xf32>
      } {carousel.pipeline = #carousel.pipeline<>}
      %v16 = arith.truncf %v : vector<64x128xf32> to vector<64x128xbf16>
      vector.transfer_write %v16, %y[%i, %c0] : vector<64x128xbf16>, !matrix
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @slots(
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @slots(%a: !matrix, %b: !matrix, %y: !matrix, %n: index, %k: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %p = gpu.block_id x
    scf.for %i = %p to %n step %c64 {
      %v = scf.for %d = %c0 to %k step %c64 iter_args(%sum = %zeros) -> (vector<64x128xf32>) {
        %x = vector.transfer_read %a[%i, %d], %pad : !matrix, vector<64x64xbf16>
        %w = vector.transfer_read %b[%d, %c0], %pad : !matrix, vector<64x128xbf16>
        %next = vector.contract #product %x, %w, %sum : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
        scf.yield %next : vector<64x128xf32>
      } {carousel.pipeline = #carousel.pipeline<stages = 9>}
      %v16 = arith.truncf %v : vector<64x128xf32> to vector<64x128xbf16>
      vector.transfer_write %v16, %y[%i, %c0] : vector<64x128xbf16>, !matrix
    }
    gpu.return
  }

  // Rings of a loop with roles last as long as the kernel.
  // CHECK-LABEL: gpu.func @roles(
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @roles(%a: !matrix, %b: !matrix, %y: !sums, %k: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %v = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros) -> (vector<64x128xf32>) {
      %x = vector.transfer_read %a[%c0, %i], %pad : !matrix, vector<64x64xbf16>
      %w = vector.transfer_read %b[%i, %c0], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %x, %w, %sum : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      scf.yield %next : vector<64x128xf32>
    } {carousel.pipeline = #carousel.pipeline<mode = specialized>}
    vector.transfer_write %v, %y[%c0, %c0] : vector<64x128xf32>, !sums
    gpu.return
  }

  // 128 KiB, and 64 KiB that the kernel allocates.
  // CHECK-LABEL: gpu.func @large(
  // FITS: carousel.store %{{.*}} : memref<256x128xf32, #gpu.address_space<workgroup>>
  // LARGE-NOT: carousel.store {{.*}} : memref<256x128xf32
  // CHECK: gpu.return
  gpu.func @large(%a: !matrix, %b: !matrix, %y: !sums {carousel.peer}, %t: memref<?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<256x128xf32>
    %own = memref.alloc() : memref<16384xf32, #ws>
    carousel.load %t[%c0] to %own : memref<?xf32, #gl>, memref<16384xf32, #ws>
    carousel.store %own to %t[%c0] : memref<16384xf32, #ws>, memref<?xf32, #gl>
    %x = vector.transfer_read %a[%c0, %c0], %pad : !matrix, vector<256x64xbf16>
    %w = vector.transfer_read %b[%c0, %c0], %pad : !matrix, vector<64x128xbf16>
    %v = vector.contract #product %x, %w, %zeros : vector<256x64xbf16>, vector<64x128xbf16> into vector<256x128xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<256x128xf32>, !sums
    gpu.return
  }
}
