// barrier.arrive: counts for those that sync, without waiting; releases what the thread did before.
// RUN: carousel-sim %s --kernel @k --arg y=empty:32 --expect y=iota:32 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<32xi32, #ws>
!y = memref<32xi32, #gl>

gpu.module @m {
  // Warp 0 makes values for warp 1, four rounds through one tile: barrier 1 says full, barrier 2 empty.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %full = arith.constant 1 : i32
    %t = gpu.thread_id x
    %lane = arith.remui %t, %c32 : index
    %makes = arith.cmpi ult, %t, %c32 : index
    scf.if %makes {
      scf.for %k = %c0 to %c4 step %c1 {
        %later = arith.cmpi ne, %k, %c0 : index
        scf.if %later {
          carousel.barrier.sync 2 threads(64)
        }
        %product = arith.muli %k, %lane : index
        %v = arith.index_cast %product : index to i32
        memref.store %v, %tile[%lane] : !tile
        carousel.barrier.arrive %full threads(64)
      }
    } else {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
        carousel.barrier.sync 1 threads(64)
        %v = memref.load %tile[%lane] : !tile
        %c3 = arith.constant 3 : index
        %again = arith.cmpi ult, %k, %c3 : index
        scf.if %again {
          carousel.barrier.arrive 2 threads(64)
        }
        %next = arith.addi %s, %v : i32
        scf.yield %next : i32
      }
      // (0 + 1 + 2 + 3) * lane / 6
      %six = arith.constant 6 : i32
      %u = arith.divui %sum, %six : i32
      memref.store %u, %y[%lane] : !y
    }
    gpu.return
  }
}
