// Rows of a product that are reduced, and taken by another product, stay in a warp each: no barrier in the loop. So
// does what a user says of warps and registers, if an instruction leaves sums so; a remark says where it doesn't.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' --remarks-filter-missed=carousel-distribute -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#warps = #carousel.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
                          lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [16, 0]]>
#pinned = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], carousel.layout = #warps}
#lines = #carousel.layout<register = [[0, 1], [0, 2], [32, 0], [0, 32], [16, 0]],
                          lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#elsewhere = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], carousel.layout = #lines}
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [1], block = [128]>
!matrix = memref<?x64xbf16, #gl>
!tile = vector<64x64xbf16>
!sums = vector<64x64xf32>
!row = vector<64xf32>

gpu.module @attention {
  // REMARK-NOT: Sums {{.*}}Function={{rows|pinned}}
  // CHECK-LABEL: gpu.func @rows(
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  gpu.func @rows(%q: !matrix {llvm.align = 16 : i64}, %k: !matrix {llvm.align = 16 : i64}, %v: !matrix {llvm.align = 16 : i64},
      %y: memref<?x64xf32, #gl>, %n: index) kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %low = arith.constant dense<-1.0e30> : !row
    %qt = vector.transfer_read %q[%c0, %c0], %pad : !matrix, !tile
    %max, %out = scf.for %j = %c0 to %n step %c64 iter_args(%m = %low, %o = %zeros) -> (!row, !sums) {
      %kt = vector.transfer_read %k[%j, %c0], %pad : !matrix, !tile
      %vt = vector.transfer_read %v[%j, %c0], %pad : !matrix, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !sums
      %next = vector.multi_reduction <maxnumf>, %s, %m [1] : !sums to !row
      %beside = vector.broadcast %next : !row to !sums
      %below = vector.transpose %beside, [1, 0] : !sums to !sums
      %p = arith.subf %s, %below : !sums
      %narrow = arith.truncf %p : !sums to !tile
      %scaled = arith.mulf %o, %below : !sums
      %more = vector.contract #product %narrow, %vt, %scaled : !tile, !tile into !sums
      scf.yield %next, %more : !row, !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %out, %y[%c0, %c0] : !sums, memref<?x64xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @pinned(
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.yield
  gpu.func @pinned(%q: !matrix, %k: !matrix, %y: memref<?x64xf32, #gl>, %n: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %all = scf.for %j = %c0 to %n step %c64 iter_args(%o = %zeros) -> (!sums) {
      %qt = vector.transfer_read %q[%j, %c0], %pad : !matrix, !tile
      %kt = vector.transfer_read %k[%j, %c0], %pad : !matrix, !tile
      %s = vector.contract #pinned %qt, %kt, %o : !tile, !tile into !sums
      %e = math.exp %s : !sums
      scf.yield %e : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] : !sums, memref<?x64xf32, #gl>
    gpu.return
  }

  // REMARK: Sums {{.*}}Function=elsewhere | Remark="the sums go through shared memory to another layout. mma.sync leaves [0, 1] and [8, 0] in registers, lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] and the other bits of rows and columns in registers or warps; got register = {{\[\[}}0, 1], [0, 2], [32, 0], [0, 32], [16, 0]],
  // CHECK-LABEL: gpu.func @elsewhere(
  // CHECK: scf.for
  // CHECK: nvgpu.mma.sync
  // CHECK: gpu.barrier
  // CHECK: scf.yield
  gpu.func @elsewhere(%q: !matrix, %k: !matrix, %y: memref<?x64xf32, #gl>, %n: index) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %all = scf.for %j = %c0 to %n step %c64 iter_args(%o = %zeros) -> (!sums) {
      %qt = vector.transfer_read %q[%j, %c0], %pad : !matrix, !tile
      %kt = vector.transfer_read %k[%j, %c0], %pad : !matrix, !tile
      %s = vector.contract #elsewhere %qt, %kt, %o : !tile, !tile into !sums
      %e = math.exp %s : !sums
      scf.yield %e : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] : !sums, memref<?x64xf32, #gl>
    gpu.return
  }
}
