// cluster.gather: all threads get the values of all CTAs by rank, in each iteration of a loop, however far their CTAs
// are apart. It needs one value in each CTA, a value for each CTA, and all of them.
// RUN: carousel-sim %s --kernel @ranks --arg y=zeros:8x4 --reference @expected --policy all --schedules 4
// RUN: carousel-sim %s --kernel @differ --arg y=zeros:8x4 --expect-finding invalid-operand | FileCheck %s --check-prefix=DIFFER
// RUN: carousel-sim %s --kernel @few --arg y=zeros:8x4 --expect-finding invalid-operand | FileCheck %s --check-prefix=FEW
// RUN: carousel-sim %s --kernel @missing --arg y=zeros:8x4 --expect-finding deadlock | FileCheck %s --check-prefix=MISSING

#gl = #gpu.address_space<global>
!y = memref<8x4xi32, #gl>

gpu.module @m {
  // Each thread adds what it got.
  gpu.func @ranks(%y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [40], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %block = gpu.block_id x
    %number = arith.index_cast %block : index to i32
    scf.for %i = %c0 to %c3 step %c1 {
      %factor = arith.index_cast %i : index to i32
      %own = arith.muli %number, %factor : i32
      %all = carousel.cluster.gather %own : i32 -> vector<4xi32>
      %v0 = vector.extract %all[0] : i32 from vector<4xi32>
      %0 = memref.atomic_rmw addi %v0, %y[%block, %c0] : (i32, !y) -> i32
      %v3 = vector.extract %all[3] : i32 from vector<4xi32>
      %3 = memref.atomic_rmw addi %v3, %y[%block, %c3] : (i32, !y) -> i32
    }
    gpu.return
  }

  // DIFFER: expected one value in all threads of a CTA, found two
  gpu.func @differ(%y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [40], cluster = [4]>} {
    %thread = gpu.thread_id x
    %own = arith.index_cast %thread : index to i32
    %all = carousel.cluster.gather %own : i32 -> vector<4xi32>
    gpu.return
  }

  // FEW: expected a value for each CTA of the cluster, got 4 values and 2 CTAs
  gpu.func @few(%y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [40], cluster = [2]>} {
    %own = arith.constant 1 : i32
    %all = carousel.cluster.gather %own : i32 -> vector<4xi32>
    gpu.return
  }

  // MISSING: cluster gather
  // MISSING-SAME: the values of the CTAs with ranks 2
  gpu.func @missing(%y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [40], cluster = [4]>} {
    %c2 = arith.constant 2 : index
    %own = arith.constant 1 : i32
    %block = gpu.block_id x
    %comes = arith.cmpi ne, %block, %c2 : index
    scf.if %comes {
      %all = carousel.cluster.gather %own : i32 -> vector<4xi32>
    }
    gpu.return
  }
}

// 40 threads add 0, 1 and 2 times the number of the cluster's first and last block.
func.func @expected(%y: memref<8x4xi32>) {
  %c0 = arith.constant 0 : index
  %0 = arith.constant dense<[[0, 0, 0, 360], [0, 0, 0, 360], [0, 0, 0, 360], [0, 0, 0, 360],
                             [480, 0, 0, 840], [480, 0, 0, 840], [480, 0, 0, 840], [480, 0, 0, 840]]> : vector<8x4xi32>
  vector.store %0, %y[%c0, %c0] : memref<8x4xi32>, vector<8x4xi32>
  return
}
