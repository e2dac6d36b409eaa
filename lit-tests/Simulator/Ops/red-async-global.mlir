// red_async_global: adds a value to global memory, atomically; releases what the thread did before.
// RUN: carousel-sim %s --kernel @add --chip sm_100a --arg y=iota:2 --arg z=iota:2 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @release --chip sm_100a --arg count=zeros:1 --arg x=zeros:3 --arg y=empty:3 --reference @expected_release --schedules 8

#gl = #gpu.address_space<global>

gpu.module @m {
  // 32 threads of 4 CTAs add 2 to 0 and -1 to 1; 2^32 to both.
  gpu.func @add(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                %z: memref<2xi64, #gl> {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant 2 : i32
    %minus = arith.constant -1 : i32
    %wide = arith.constant 4294967296 : i64
    carousel.red_async_global u32 %two to %y[%c0] scope(gpu) : i32, memref<2xi32, #gl>
    carousel.red_async_global s32 %minus to %y[%c1] scope(gpu) : i32, memref<2xi32, #gl>
    carousel.red_async_global u64 %wide to %z[%c0] scope(sys) : i64, memref<2xi64, #gl>
    carousel.red_async_global s64 %wide to %z[%c1] scope(sys) mmio : i64, memref<2xi64, #gl>
    gpu.return
  }

  // CTAs 0 to 2 each write a word of x and count; CTA 3 waits for the count, then copies x.
  gpu.func @release(%count: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"count", inout>},
                    %x: memref<3xi32, #gl> {carousel.argument = #carousel.argument<"x", inout>},
                    %y: memref<3xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [4], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %block = gpu.block_id x
    %writes = arith.cmpi ult, %block, %c3 : index
    scf.if %writes {
      %value = arith.index_cast %block : index to i32
      memref.store %value, %x[%block] : memref<3xi32, #gl>
      carousel.red_async_global u32 %one to %count[%c0] scope(gpu) : i32, memref<1xi32, #gl>
    } else {
      carousel.grid.serial_wait %count[%c0], %three : memref<1xi32, #gl>
      %v = vector.load %x[%c0] : memref<3xi32, #gl>, vector<3xi32>
      vector.store %v, %y[%c0] : memref<3xi32, #gl>, vector<3xi32>
    }
    gpu.return
  }
}

func.func @expected(%y: memref<2xi32>, %z: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  // 128 threads.
  %v = arith.constant dense<[256, -127]> : vector<2xi32>
  vector.store %v, %y[%c0] : memref<2xi32>, vector<2xi32>
  %w = arith.constant dense<[549755813888, 549755813889]> : vector<2xi64>
  vector.store %w, %z[%c0] : memref<2xi64>, vector<2xi64>
  return
}

func.func @expected_release(%count: memref<1xi32>, %x: memref<3xi32>, %y: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %v = arith.constant dense<[0, 1, 2]> : vector<3xi32>
  memref.store %three, %count[%c0] : memref<1xi32>
  vector.store %v, %x[%c0] : memref<3xi32>, vector<3xi32>
  vector.store %v, %y[%c0] : memref<3xi32>, vector<3xi32>
  return
}
