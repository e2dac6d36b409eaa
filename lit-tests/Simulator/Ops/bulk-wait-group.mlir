// bulk.wait_group: `read` lets the source be written again; `complete` shows the thread what was
// written; `pending` newest groups may stay open.
// RUN: carousel-sim %s --kernel @read --arg y=zeros:16 --expect y=iota:16 --schedules 8
// RUN: carousel-sim %s --kernel @complete --arg y=zeros:8 --arg z=empty:4 --expect y=iota:8 --expect z=iota:4 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m {
  // One slot of 16 bytes serves four stores.
  gpu.func @read(%y: memref<16xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%slot: memref<4xf32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    scf.for %i = %c0 to %c16 step %c4 {
      scf.for %j = %c0 to %c4 step %c1 {
        %k = arith.addi %i, %j : index
        %k_i32 = arith.index_cast %k : index to i32
        %v = arith.sitofp %k_i32 : i32 to f32
        memref.store %v, %slot[%j] : memref<4xf32, #ws>
      }
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %slot[%c0] to %y[%i], 16 : memref<4xf32, #ws>, memref<16xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // Two groups: with one pending, the first has written y[0..3], which the thread reads.
  gpu.func @complete(%y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                     %z: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: memref<8xf32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %all = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : vector<8xf32>
    vector.store %all, %tile[%c0] : memref<8xf32, #ws>, vector<8xf32>
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 16 : memref<8xf32, #ws>, memref<8xf32, #gl>
    carousel.bulk.commit_group
    carousel.bulk.store %tile[%c4] to %y[%c4], 16 : memref<8xf32, #ws>, memref<8xf32, #gl>
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 1
    %v = vector.load %y[%c0] : memref<8xf32, #gl>, vector<4xf32>
    vector.store %v, %z[%c0] : memref<4xf32, #gl>, vector<4xf32>
    carousel.bulk.wait_group complete 0
    gpu.return
  }
}
