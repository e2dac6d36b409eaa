// One ring, several loads of different engines to a slot, one of them under a condition; and a ring without tiles for
// loads to a buffer that stays where it is.
// DEFINE: %{lower} = carousel-lower-rings,carousel-allocate-shared,carousel-verify-chip,carousel-verify-machine
// DEFINE: %{run} = carousel-sim --kernel @add --reference @reference --policy all
// RUN: sed 's/FIRST/bulk/; s/SECOND/cp_async, width = 16/; s/THIRD/vector, width = 8/' %s > %t.all.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.all.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg a=random:1001 --arg b=random:1001 --arg c=random:64 --arg y=empty:1001
// RUN: sed 's/FIRST/vector, width = 4/; s/SECOND/bulk/; s/THIRD/bulk/' %s > %t.bulk.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},%{lower}))' %t.bulk.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg a=random:1001 --arg b=random:1001 --arg c=random:64 --arg y=empty:1001
// RUN: sed 's/FIRST/cp_async, width = 16/; s/SECOND/cp_async, width = 4/; s/THIRD/cp_async, width = 8/' %s > %t.async.mlir
// RUN: carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},%{lower}))' %t.async.mlir -o %t.mlir
// RUN: %{run} %t.mlir --arg a=random:1001 --arg b=random:1001 --arg c=random:64 --arg y=empty:1001

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<64xf32, #ws>
!ring = !carousel.ring<3 x !tile, !tile>
!none = !carousel.ring<1>

gpu.module @kernels {
  // y = a + c (cyclic), and + b in every second tile.
  gpu.func @add(%a: !vector {carousel.argument = #carousel.argument<"a", in>},
                %b: !vector {carousel.argument = #carousel.argument<"b", in>},
                %c: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"c", in>},
                %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %buffer = memref.alloc() : !tile
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %once = carousel.ring.create release(cta_barrier) : !none
    carousel.ring.produce %once[%c0] : !none {
      carousel.ring.load %c[%c0] to %buffer in_bounds engine<THIRD> : memref<64xf32, #gl>, !tile
    }
    carousel.ring.wait %once[%c0] : !none
    %thread = gpu.thread_id x
    %n = memref.dim %a, %c0 : !vector
    carousel.ring.produce %ring[%c0] : !ring {
      %first = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      %second = carousel.ring.tile %ring[%c0], 1 : !ring -> !tile
      carousel.ring.load %a[%c0] to %first engine<FIRST> : !vector, !tile
      carousel.ring.load %b[%c0] to %second engine<SECOND> : !vector, !tile
    }
    scf.for %i = %c0 to %n step %c64 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %ahead = arith.addi %i, %c64 : index
      %some = arith.cmpi slt, %ahead, %n : index
      scf.if %some {
        carousel.ring.produce %ring[%next] : !ring {
          %first = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %a[%ahead] to %first engine<FIRST> : !vector, !tile
          %bit = arith.remui %next, %c2 : index
          %is_even = arith.cmpi eq, %bit, %c0 : index
          scf.if %is_even {
            %second = carousel.ring.tile %ring[%next], 1 : !ring -> !tile
            carousel.ring.load %b[%ahead] to %second engine<SECOND> : !vector, !tile
          }
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      %first = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      %second = carousel.ring.tile %ring[%k], 1 : !ring -> !tile
      %u = memref.load %first[%thread] : !tile
      %v = memref.load %buffer[%thread] : !tile
      %uv = arith.addf %u, %v : f32
      %bit = arith.remui %k, %c2 : index
      %is_even = arith.cmpi eq, %bit, %c0 : index
      %sum = scf.if %is_even -> (f32) {
        %w = memref.load %second[%thread] : !tile
        %uvw = arith.addf %uv, %w : f32
        scf.yield %uvw : f32
      } else {
        scf.yield %uv : f32
      }
      %at = arith.addi %i, %thread : index
      %is_inside = arith.cmpi slt, %at, %n : index
      scf.if %is_inside {
        memref.store %sum, %y[%at] : !vector
      }
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }
}

func.func @reference(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<64xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.remui %i, %c64 : index
    %u = memref.load %a[%i] : memref<?xf32>
    %v = memref.load %c[%j] : memref<64xf32>
    %uv = arith.addf %u, %v : f32
    %w = memref.load %b[%i] : memref<?xf32>
    %uvw = arith.addf %uv, %w : f32
    %place = arith.remui %i, %c128 : index
    %is_even = arith.cmpi ult, %place, %c64 : index
    %sum = arith.select %is_even, %uvw, %uv : f32
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
