// Programs that signal are those of a loop over programs. A signal is given when the next program is about to write, and
// the last one behind the loop. Programs that wait keep CTAs of their own: one that ends makes room for what is waited for.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks))' --remarks-filter-missed=carousel-specialize-blocks 2>&1 | FileCheck %s

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 128)]>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!counters = memref<?xi64, #gl>
!tile = vector<128x128xbf16>
!sums = vector<128x128xf32>

gpu.module @products {
  // CHECK: Function=waits{{.*}}no loop over programs: it has 'carousel.wait_signal'

  // CHECK-LABEL: gpu.func @signals
  // CHECK: %[[LAST:.*]]:2 = scf.for %[[P:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %{{.*}} iter_args(%[[PLACE:.*]] = %c0{{.*}}, %[[VALUE:.*]] = %c0_i64{{.*}})
  // CHECK: scf.for
  // CHECK: vector.contract
  // CHECK: arith.truncf
  // CHECK: %[[ISNT_FIRST:.*]] = arith.cmpi ne, %[[P]], %[[FIRST]]
  // CHECK: scf.if %[[ISNT_FIRST]] {
  // CHECK-NEXT: carousel.signal %arg2[%[[PLACE]]] set %[[VALUE]]
  // CHECK: vector.transfer_write
  // CHECK-NOT: carousel.signal
  // CHECK: scf.yield %{{.*}}, %{{.*}} : index, i64
  // CHECK: %[[IS_ANY:.*]] = arith.cmpi ult, %[[FIRST]], %[[END]]
  // CHECK: scf.if %[[IS_ANY]] {
  // CHECK-NEXT: carousel.signal %arg2[%[[LAST]]#0] set %[[LAST]]#1
  gpu.func @signals(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer}) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %b = gpu.block_id x
    %i = arith.muli %b, %c128 : index
    %n = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %n step %c128 iter_args(%s = %zeros) -> (!sums) {
      %v = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile
      %w = vector.transfer_read %x[%k, %c0], %pad : !matrix, !tile
      %t = vector.contract #product %v, %w, %s : !tile, !tile into !sums
      scf.yield %t : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %r = arith.truncf %sum : !sums to !tile
    vector.transfer_write %r, %y[%i, %c0] : !tile, !matrix
    %round = arith.index_cast %b : index to i64
    carousel.signal %there[%b] set %round : !counters
    gpu.return
  }

  // A signal that isn't behind all writes stays where it is.
  // CHECK-LABEL: gpu.func @signals_before
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: carousel.signal
  // CHECK: vector.transfer_write
  // CHECK-NOT: carousel.signal
  gpu.func @signals_before(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer}, %round: i64) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %b = gpu.block_id x
    %i = arith.muli %b, %c128 : index
    %n = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %n step %c128 iter_args(%s = %zeros) -> (!sums) {
      %v = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile
      %w = vector.transfer_read %x[%k, %c0], %pad : !matrix, !tile
      %t = vector.contract #product %v, %w, %s : !tile, !tile into !sums
      scf.yield %t : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %r = arith.truncf %sum : !sums to !tile
    carousel.signal %there[%b] set %round : !counters
    vector.transfer_write %r, %y[%i, %c0] : !tile, !matrix
    gpu.return
  }

  // CHECK-LABEL: gpu.func @waits
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: vector.transfer_write
  gpu.func @waits(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.symmetric}, %round: i64) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %b = gpu.block_id x
    %i = arith.muli %b, %c128 : index
    %n = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %n step %c128 iter_args(%s = %zeros) -> (!sums) {
      %v = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile
      %w = vector.transfer_read %x[%k, %c0], %pad : !matrix, !tile
      %t = vector.contract #product %v, %w, %s : !tile, !tile into !sums
      scf.yield %t : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %r = arith.truncf %sum : !sums to !tile
    carousel.wait_signal %there[%b] at_least %round : !counters
    vector.transfer_write %r, %y[%i, %c0] : !tile, !matrix
    gpu.return
  }
}
