// Slots of loops whose product begins at zero. An iteration waits for the next one's slots before it releases its own: a loop for
// which the ring has too few, or whose producers would wait for that release, stays as it is. Results are those of loops that
// write memory and so stay as they are, for no iteration, one and several, with all schedules.
// DEFINE: %{pipeline} = 'builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-verify-ring,carousel-lower-products,canonicalize,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))'
// DEFINE: %{kernel} =
// DEFINE: %{n} =
// DEFINE: %{args} = --kernel @%{kernel} --arg n=%{n} --arg s=iota:8:3 --arg x=iota:64x1024:7 --arg y=empty:4096 --arg z=empty:4096 --quiet
// DEFINE: %{run} = carousel-sim %t.base.mlir %{args} --out y=%t.npy && carousel-sim %t.mlir %{args} --expect y=%t.npy --policy all --schedules 2
// RUN: carousel-opt %s --pass-pipeline=%{pipeline} --remarks-filter=carousel-lower-products --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: sed 's/^ *%next = math.fma.*/&\n vector.store %next, %z[%first] : memref<?xf32, #gl>, !v/' %s | carousel-opt --pass-pipeline=%{pipeline} --remarks-filter=carousel-lower-products --remark-format=emitRemark -o %t.base.mlir 2>&1 | FileCheck %s --check-prefix=BASE
// REDEFINE: %{kernel} = two_uses
// REDEFINE: %{n} = 0
// RUN: %{run}
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 2
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}
// REDEFINE: %{n} = 5
// RUN: %{run}
// REDEFINE: %{kernel} = few_slots
// REDEFINE: %{n} = 0
// RUN: %{run}
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 2
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}
// REDEFINE: %{n} = 5
// RUN: %{run}
// REDEFINE: %{kernel} = late_release
// REDEFINE: %{n} = 0
// RUN: %{run}
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 2
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}
// REDEFINE: %{n} = 5
// RUN: %{run}
// REDEFINE: %{kernel} = two_rings
// REDEFINE: %{n} = 0
// RUN: %{run}
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 2
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}
// REDEFINE: %{n} = 5
// RUN: %{run}
// REDEFINE: %{kernel} = ahead
// REDEFINE: %{n} = 0
// RUN: %{run}
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 2
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}
// REDEFINE: %{n} = 5
// RUN: %{run}
// REDEFINE: %{kernel} = peeled
// REDEFINE: %{n} = 1
// RUN: %{run}
// REDEFINE: %{n} = 3
// RUN: %{run}

// CHECK: remark: [Passed] ProductLoop | {{.*}} | Function=two_uses | Remark="threads add the sums of an iteration while the product of the next one is in flight"
// CHECK: remark: [Missed] ProductLoop | {{.*}} | Function=few_slots | Remark="each product is waited for: two iterations need 4 slots, and its ring has 3"
// CHECK: remark: [Missed] ProductLoop | {{.*}} | Function=late_release | Remark="each product is waited for: an iteration releases other slots than those that it waits for"
// CHECK: remark: [Passed] ProductLoop | {{.*}} | Function=two_rings | Remark="threads add the sums of an iteration while the product of the next one is in flight"
// CHECK: remark: [Missed] ProductLoop | {{.*}} | Function=ahead | Remark="each product is waited for: producers don't fill all slots of an iteration in one block"
// CHECK: remark: [Missed] ProductLoop | {{.*}} | Function=peeled | Remark="each product is waited for: one of its rings is waited for elsewhere, too"
// BASE-NOT: [Passed]

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#b128 = #carousel.swizzle<b128>
!x = memref<64x128xf8E4M3FN, #ws>
!w = memref<64x128xf8E4M3FN, #ws>
!ring2 = !carousel.ring<2 x memref<64x128xf8E4M3FN, #ws>, memref<64x128xf8E4M3FN, #ws>>
!ring3 = !carousel.ring<3 x memref<64x128xf8E4M3FN, #ws>, memref<64x128xf8E4M3FN, #ws>>
!ring4 = !carousel.ring<4 x memref<64x128xf8E4M3FN, #ws>, memref<64x128xf8E4M3FN, #ws>>
!ra = !carousel.ring<2 x memref<64x128xf8E4M3FN, #ws>>
!rb = !carousel.ring<4 x memref<64x128xf8E4M3FN, #ws>>
!part = vector<1x8x2x2xf32>
!v = vector<32xf32>

gpu.module @m {
  // Four slots are two iterations'.
  gpu.func @two_uses(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %ring = carousel.ring.create : !ring4
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        carousel.ring.produce %ring[%k] : !ring4 {
          %x = carousel.ring.tile %ring[%k], 0 : !ring4 -> !x
          %w = carousel.ring.tile %ring[%k], 1 : !ring4 -> !w
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %k1 = arith.addi %k, %c1 : index
        carousel.ring.produce %ring[%k1] : !ring4 {
          %x = carousel.ring.tile %ring[%k1], 0 : !ring4 -> !x
          %w = carousel.ring.tile %ring[%k1], 1 : !ring4 -> !w
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %next = arith.addi %k1, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %ring[%k], 0 : !ring4 -> !x
        %k1 = arith.addi %k, %c1 : index
        %w = carousel.ring.tile %ring[%k1], 1 : !ring4 -> !w
        carousel.ring.wait %ring[%k] : !ring4
        carousel.ring.wait %ring[%k1] : !ring4
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %ring[%k] : !ring4
        carousel.ring.release %ring[%k1] : !ring4
        %use = arith.addi %k1, %c1 : index
        scf.yield %use, %next : index, !v
      }
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }

  // The next iteration would wait for a fourth slot of three.
  gpu.func @few_slots(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %ring = carousel.ring.create : !ring3
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        carousel.ring.produce %ring[%k] : !ring3 {
          %x = carousel.ring.tile %ring[%k], 0 : !ring3 -> !x
          %w = carousel.ring.tile %ring[%k], 1 : !ring3 -> !w
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %k1 = arith.addi %k, %c1 : index
        carousel.ring.produce %ring[%k1] : !ring3 {
          %x = carousel.ring.tile %ring[%k1], 0 : !ring3 -> !x
          %w = carousel.ring.tile %ring[%k1], 1 : !ring3 -> !w
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %next = arith.addi %k1, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %ring[%k], 0 : !ring3 -> !x
        %k1 = arith.addi %k, %c1 : index
        %w = carousel.ring.tile %ring[%k1], 1 : !ring3 -> !w
        carousel.ring.wait %ring[%k] : !ring3
        carousel.ring.wait %ring[%k1] : !ring3
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %ring[%k] : !ring3
        carousel.ring.release %ring[%k1] : !ring3
        %use = arith.addi %k1, %c1 : index
        scf.yield %use, %next : index, !v
      }
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }

  // An iteration releases the slot that the one before it waited for.
  gpu.func @late_release(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %ring = carousel.ring.create : !ring2
    carousel.ring.roles producer threads(32) {
        carousel.ring.produce %ring[%c0] : !ring2 {
          %x = carousel.ring.tile %ring[%c0], 0 : !ring2 -> !x
          %w = carousel.ring.tile %ring[%c0], 1 : !ring2 -> !w
          carousel.ring.load %gx[%c0, %c0] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c0] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        %k1 = arith.addi %k, %c1 : index
        carousel.ring.produce %ring[%k1] : !ring2 {
          %x = carousel.ring.tile %ring[%k1], 0 : !ring2 -> !x
          %w = carousel.ring.tile %ring[%k1], 1 : !ring2 -> !w
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          carousel.ring.load %gx[%c0, %c] to %w engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !w
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      carousel.ring.wait %ring[%c0] : !ring2
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %ring[%k], 0 : !ring2 -> !x
        %k1 = arith.addi %k, %c1 : index
        %w = carousel.ring.tile %ring[%k1], 1 : !ring2 -> !w
        carousel.ring.wait %ring[%k1] : !ring2
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %ring[%k] : !ring2
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, !v
      }
      carousel.ring.release %ring[%r#0] : !ring2
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }

  // Producers fill both rings once an iteration.
  gpu.func @two_rings(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %a = carousel.ring.create : !ra
    %b = carousel.ring.create : !rb
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        carousel.ring.produce %a[%k] : !ra {
          %x = carousel.ring.tile %a[%k], 0 : !ra -> !x
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        carousel.ring.produce %b[%k] : !rb {
          %x = carousel.ring.tile %b[%k], 0 : !rb -> !x
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %a[%k], 0 : !ra -> !x
        %w = carousel.ring.tile %b[%k], 0 : !rb -> !w
        carousel.ring.wait %a[%k] : !ra
        carousel.ring.wait %b[%k] : !rb
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %a[%k] : !ra
        carousel.ring.release %b[%k] : !rb
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, !v
      }
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }

  // Producers fill %a one iteration ahead. They would wait for its slot before they fill %b.
  gpu.func @ahead(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %a = carousel.ring.create : !ra
    %b = carousel.ring.create : !rb
    carousel.ring.roles producer threads(32) {
      %has = arith.cmpi sgt, %n, %c0 : index
      scf.if %has {
        carousel.ring.produce %a[%c0] : !ra {
          %x = carousel.ring.tile %a[%c0], 0 : !ra -> !x
          carousel.ring.load %gx[%c0, %c0] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
      }
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        %k1 = arith.addi %k, %c1 : index
        %more = arith.cmpi slt, %k1, %n : index
        scf.if %more {
          %c2 = arith.muli %k1, %c128 : index
          carousel.ring.produce %a[%k1] : !ra {
            %x = carousel.ring.tile %a[%k1], 0 : !ra -> !x
            carousel.ring.load %gx[%c0, %c2] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
          }
        }
        carousel.ring.produce %b[%k] : !rb {
          %x = carousel.ring.tile %b[%k], 0 : !rb -> !x
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %a[%k], 0 : !ra -> !x
        %w = carousel.ring.tile %b[%k], 0 : !rb -> !w
        carousel.ring.wait %a[%k] : !ra
        carousel.ring.wait %b[%k] : !rb
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %a[%k] : !ra
        carousel.ring.release %b[%k] : !rb
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, !v
      }
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }
  // The loop is one use of %b ahead: before producers fill the next one, they wait for a slot of %a.
  gpu.func @peeled(%n: index {carousel.argument = #carousel.argument<"n", in>}, %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"s", in>}, %gx: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"x", in>}, %out: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n1 = arith.addi %n, %c1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !part
    %none = arith.constant dense<0.0> : !v
    %t = gpu.thread_id x
    %first = arith.muli %t, %c32 : index
    %a = carousel.ring.create : !ra
    %b = carousel.ring.create : !rb
    carousel.ring.roles producer threads(32) {
      scf.for %i = %c0 to %n1 step %c1 iter_args(%k = %c0) -> (index) {
        %c = arith.muli %i, %c128 : index
        carousel.ring.produce %a[%k] : !ra {
          %x = carousel.ring.tile %a[%k], 0 : !ra -> !x
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        carousel.ring.produce %b[%k] : !rb {
          %x = carousel.ring.tile %b[%k], 0 : !rb -> !x
          carousel.ring.load %gx[%c0, %c] to %x engine<bulk> : memref<?x?xf8E4M3FN, #gl>, !x
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    } consumer threads(128) {
      carousel.ring.wait %b[%c0] : !rb
      carousel.ring.release %b[%c0] : !rb
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %acc = %none) -> (index, !v) {
        %x = carousel.ring.tile %a[%k], 0 : !ra -> !x
        %k1 = arith.addi %k, %c1 : index
        %w = carousel.ring.tile %b[%k1], 0 : !rb -> !w
        carousel.ring.wait %a[%k] : !ra
        carousel.ring.wait %b[%k1] : !rb
        %part = carousel.multiply %x[%c0], %w[%c0], %zeros transpose_b promote(128) {swizzle_a = #b128, swizzle_b = #b128} : !x, !w, !part
        %flat = vector.shape_cast %part : !part to !v
        %s = memref.load %scale[%i] : memref<?xf32, #gl>
        %scales = vector.broadcast %s : f32 to !v
        %next = math.fma %flat, %scales, %acc : !v
        carousel.ring.release %a[%k] : !ra
        carousel.ring.release %b[%k1] : !rb
        %use = arith.addi %k, %c1 : index
        scf.yield %use, %next : index, !v
      }
      carousel.ring.wait %a[%r#0] : !ra
      carousel.ring.release %a[%r#0] : !ra
      vector.store %r#1, %out[%first] : memref<?xf32, #gl>, !v
    }
    gpu.return
  }
}
