// One-dimensional bulk load, change, store. One thread issues a bulk load; the barrier completes
// when all bytes have landed, which all threads wait for. They change the tile in place. One thread
// then issues a bulk store. The TMA sees ordinary stores of threads only after a proxy fence. So
// each thread that wrote executes one, then all threads meet at a barrier, then the store is
// issued. The issuing thread waits until the tile has been read, because shared memory ends with
// the CTA. Sizes and addresses of bulk copies are multiples of 16 bytes; the last tile is a shorter
// copy.
//
//   carousel-sim bulk_1d.mlir --kernel @add_one --reference @reference --arg x=iota:3000 \
//     --arg y=like:x --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_90 bulk_1d.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @patterns {
  gpu.func @add_one(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "add_one", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)),
          divisible(extent(0, 0), 4), aligned(0, 16), aligned(1, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [ceildiv(extent(0, 0), 1024)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %false = arith.constant false
    %ones = arith.constant dense<1.0> : vector<4xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %n = memref.dim %x, %c0 : !vector
    %i = arith.muli %block, %c1024 : index
    %rest = arith.subi %n, %i : index
    %count = arith.minui %rest, %c1024 : index
    %bytes = arith.muli %count, %c4 : index
    %bytes_i32 = arith.index_cast %bytes : index to i32

    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], %bytes_i32 : !barrier
      carousel.bulk.load %x[%i] to %tile[%c0], %bytes_i32 signals %full[]
          : !vector, !tile, !barrier
    }
    gpu.barrier // The barrier is initialised.
    carousel.mbarrier.wait %full[] parity %false : !barrier

    %j = arith.muli %thread, %c4 : index
    %some = arith.cmpi ult, %j, %count : index
    scf.if %some {
      %v = vector.load %tile[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
      %w = arith.addf %v, %ones : vector<4xf32>
      vector.store %w, %tile[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
    }
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %y[%i], %bytes_i32 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}
