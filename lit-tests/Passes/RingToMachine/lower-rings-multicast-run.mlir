// Stores and reductions to multicast addresses on the simulated machine, before and after they are lowered: elements of
// each width, boxes that the end of the memref cuts, rows at multiples of 4 bytes, columns, a swizzled tile. One GPU puts.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' -o %t.mlir
// DEFINE: %{all} = --gpus 2 --multicast all=part --arg rank={rank} --policy all --schedules 2
// RUN: carousel-sim %s --kernel @bytes %{all} --arg x=random:996:7 --arg part=zeros:996 --expect part=random:996:7
// RUN: carousel-sim %t.mlir --kernel @bytes %{all} --arg x=random:996:7 --arg part=zeros:996 --expect part=random:996:7
// RUN: carousel-sim %t.mlir --kernel @bytes_tma %{all} --arg x=random:996:7 --arg part=zeros:996 --expect part=random:996:7
// RUN: carousel-sim %s --kernel @halves %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %t.mlir --kernel @halves %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %t.mlir --kernel @halves_wide %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %s --kernel @half_sums %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %t.mlir --kernel @half_sums %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %t.mlir --kernel @half_sums_wide %{all} --arg x=random:5x70:7 --arg part=zeros:5x70 --expect part=random:5x70:7
// RUN: carousel-sim %s --kernel @longs %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @longs %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @longs_tma %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %s --kernel @longs %{all} --arg x=random:0:7 --arg part=zeros:0 --expect part=random:0:7
// RUN: carousel-sim %t.mlir --kernel @longs %{all} --arg x=random:0:7 --arg part=zeros:0 --expect part=random:0:7
// RUN: carousel-sim %s --kernel @double_sums %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @double_sums %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @double_sums_tma %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %s --kernel @float_sums %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @float_sums %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %t.mlir --kernel @float_sums_tma %{all} --arg x=random:333:7 --arg part=zeros:333 --expect part=random:333:7
// RUN: carousel-sim %s --kernel @float_sums %{all} --arg x=random:0:7 --arg part=zeros:0 --expect part=random:0:7
// RUN: carousel-sim %t.mlir --kernel @float_sums %{all} --arg x=random:0:7 --arg part=zeros:0 --expect part=random:0:7
// RUN: carousel-sim %s --kernel @columns %{all} --arg x=random:45x2:7 --arg part=zeros:45x2 --expect part=random:45x2:7
// RUN: carousel-sim %t.mlir --kernel @columns %{all} --arg x=random:45x2:7 --arg part=zeros:45x2 --expect part=random:45x2:7
// RUN: carousel-sim %s --kernel @swizzled %{all} --arg x=random:37x32:7 --arg part=zeros:37x32 --expect part=random:37x32:7
// RUN: carousel-sim %t.mlir --kernel @swizzled_tma %{all} --arg x=random:37x32:7 --arg part=zeros:37x32 --expect part=random:37x32:7
// RUN: carousel-sim %t.mlir --kernel @swizzled %{all} --arg x=random:37x32:7 --arg part=zeros:37x32 --expect part=random:37x32:7

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bytes = memref<996xi8, #gl>
!byte_tile = memref<256xi8, #ws>
!halves = memref<5x70xf16, #gl>
!half_tile = memref<2x64xf16, #ws>
!longs = memref<?xi64, #gl>
!long_tile = memref<100xi64, #ws>
!doubles = memref<?xf64, #gl>
!double_tile = memref<100xf64, #ws>
!floats = memref<?xf32, #gl>
!float_tile = memref<100xf32, #ws>
!columns = memref<?x2xf32, #gl>
!column_tile = memref<32x1xf32, #ws>
!matrix = memref<?x32xf32, #gl>
!swizzled = memref<16x32xf32, #ws>

gpu.module @multicast {
  gpu.func @bytes(%x: !bytes {carousel.argument = #carousel.argument<"x", in>},
      %all: !bytes {carousel.argument = #carousel.argument<"all">, carousel.multicast, llvm.align = 4 : i64},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !byte_tile
    %n = arith.constant 996 : index
    %step = arith.constant 256 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i] to %tile : !bytes, !byte_tile
        carousel.store %tile to %all[%i] : !byte_tile, !bytes
      }
    }
    gpu.return
  }

  gpu.func @halves(%x: !halves {carousel.argument = #carousel.argument<"x", in>},
      %all: !halves {carousel.argument = #carousel.argument<"all">, carousel.multicast, llvm.align = 4 : i64},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !half_tile
    %rows = arith.constant 5 : index
    %columns = arith.constant 70 : index
    %two = arith.constant 2 : index
    %step = arith.constant 64 : index
    scf.if %is_first {
      scf.for %i = %c0 to %rows step %two {
        scf.for %j = %c0 to %columns step %step {
          carousel.load %x[%i, %j] to %tile : !halves, !half_tile
          carousel.store %tile to %all[%i, %j] : !half_tile, !halves
        }
      }
    }
    gpu.return
  }

  gpu.func @half_sums(%x: !halves {carousel.argument = #carousel.argument<"x", in>},
      %all: !halves {carousel.argument = #carousel.argument<"all">, carousel.multicast, llvm.align = 4 : i64},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !half_tile
    %rows = arith.constant 5 : index
    %columns = arith.constant 70 : index
    %two = arith.constant 2 : index
    %step = arith.constant 64 : index
    scf.if %is_first {
      scf.for %i = %c0 to %rows step %two {
        scf.for %j = %c0 to %columns step %step {
          carousel.load %x[%i, %j] to %tile : !halves, !half_tile
          carousel.store %tile to %all[%i, %j] reduce<add f16> : !half_tile, !halves
        }
      }
    }
    gpu.return
  }

  gpu.func @longs(%x: !longs {carousel.argument = #carousel.argument<"x", in>},
      %all: !longs {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !long_tile
    %n = memref.dim %x, %c0 : !longs
    %step = arith.constant 100 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i] to %tile : !longs, !long_tile
        carousel.store %tile to %all[%i] : !long_tile, !longs
      }
    }
    gpu.return
  }

  gpu.func @double_sums(%x: !doubles {carousel.argument = #carousel.argument<"x", in>},
      %all: !doubles {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !double_tile
    %n = memref.dim %x, %c0 : !doubles
    %step = arith.constant 100 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i] to %tile : !doubles, !double_tile
        carousel.store %tile to %all[%i] reduce<add f64> : !double_tile, !doubles
      }
    }
    gpu.return
  }

  gpu.func @float_sums(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !float_tile
    %n = memref.dim %x, %c0 : !floats
    %step = arith.constant 100 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i] to %tile : !floats, !float_tile
        carousel.store %tile to %all[%i] reduce<add f32> : !float_tile, !floats
      }
    }
    gpu.return
  }

  gpu.func @columns(%x: !columns {carousel.argument = #carousel.argument<"x", in>},
      %all: !columns {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !column_tile
    %n = memref.dim %x, %c0 : !columns
    %step = arith.constant 32 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i, %c1] to %tile : !columns, !column_tile
        carousel.store %tile to %all[%i, %c1] : !column_tile, !columns
        carousel.load %x[%i, %c0] to %tile : !columns, !column_tile
        carousel.store %tile to %all[%i, %c0] : !column_tile, !columns
      }
    }
    gpu.return
  }

  gpu.func @swizzled(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %all: !matrix {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    %tile = memref.alloc() {alignment = 1024 : i64} : !swizzled
    %n = memref.dim %x, %c0 : !matrix
    %step = arith.constant 16 : index
    scf.if %is_first {
      scf.for %i = %c0 to %n step %step {
        carousel.load %x[%i, %c0] to %tile swizzle(b128) : !matrix, !swizzled
        carousel.store %tile to %all[%i, %c0] swizzle(b128) : !swizzled, !matrix
      }
    }
    gpu.return
  }
}
