// st_async_global: stores values of every width to global memory; releases what the thread did
// before.
// RUN: carousel-sim %s --kernel @store --chip sm_100a --arg a=empty:1 --arg b=empty:2 --arg c=empty:1 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @release --chip sm_100a --arg flag=zeros:1 --arg x=zeros:1 --arg y=empty:1 --reference @expected_release --schedules 8

#gl = #gpu.address_space<global>

gpu.module @m {
  gpu.func @store(%a: memref<1xi8, #gl> {carousel.argument = #carousel.argument<"a", out>},
                  %b: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"b", out>},
                  %c: memref<1xf64, #gl> {carousel.argument = #carousel.argument<"c", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %byte = arith.constant -3 : i8
    %word = arith.constant 70000 : i32
    %other = arith.constant 1 : i32
    %double = arith.constant 0.1 : f64
    carousel.st_async_global %byte to %a[%c0] scope(sys) mmio : i8, memref<1xi8, #gl>
    carousel.st_async_global %other to %b[%c0] scope(gpu) : i32, memref<2xi32, #gl>
    carousel.st_async_global %word to %b[%c1] scope(gpu) : i32, memref<2xi32, #gl>
    carousel.st_async_global %double to %c[%c0] scope(sys) : f64, memref<1xf64, #gl>
    gpu.return
  }

  // CTA 0 writes x and then the flag; CTA 1 waits for the flag, then reads x.
  gpu.func @release(%flag: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"flag", inout>},
                    %x: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"x", inout>},
                    %y: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %value = arith.constant 42 : i32
    %block = gpu.block_id x
    %writes = arith.cmpi eq, %block, %c0 : index
    scf.if %writes {
      memref.store %value, %x[%c0] : memref<1xi32, #gl>
      carousel.st_async_global %one to %flag[%c0] scope(gpu) : i32, memref<1xi32, #gl>
    } else {
      carousel.grid.serial_wait %flag[%c0], %one : memref<1xi32, #gl>
      %v = memref.load %x[%c0] : memref<1xi32, #gl>
      memref.store %v, %y[%c0] : memref<1xi32, #gl>
    }
    gpu.return
  }
}

func.func @expected(%a: memref<1xi8>, %b: memref<2xi32>, %c: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %byte = arith.constant -3 : i8
  %word = arith.constant 70000 : i32
  %other = arith.constant 1 : i32
  %double = arith.constant 0.1 : f64
  memref.store %byte, %a[%c0] : memref<1xi8>
  memref.store %other, %b[%c0] : memref<2xi32>
  memref.store %word, %b[%c1] : memref<2xi32>
  memref.store %double, %c[%c0] : memref<1xf64>
  return
}

func.func @expected_release(%flag: memref<1xi32>, %x: memref<1xi32>, %y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %value = arith.constant 42 : i32
  memref.store %one, %flag[%c0] : memref<1xi32>
  memref.store %value, %x[%c0] : memref<1xi32>
  memref.store %value, %y[%c0] : memref<1xi32>
  return
}
