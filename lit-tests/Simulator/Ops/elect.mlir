// elect: true in one thread of each warp; with a mask, in one of the threads that it names.
// RUN: carousel-sim %s --kernel @all --arg y=zeros:3 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @masked --arg y=zeros:4 --reference @expected_masked --schedules 8

#gl = #gpu.address_space<global>
!y = memref<3xi32, #gl>

gpu.module @m {
  // y = how many each warp elects.
  gpu.func @all(%y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [96]>} {
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %warp = arith.divui %t, %c32 : index
    %elected = carousel.elect
    scf.if %elected {
      %n = memref.atomic_rmw addi %one, %y[%warp] : (i32, !y) -> i32
    }
    gpu.return
  }

  // The upper 16 of each warp elect: y = how many of the lower, of the upper halves.
  gpu.func @masked(%y: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %mask = arith.constant 0xffff0000 : i32
    %t = gpu.thread_id x
    %half = arith.divui %t, %c16 : index
    %lane = arith.remui %t, %c32 : index
    %upper = arith.cmpi uge, %lane, %c16 : index
    scf.if %upper {
      %elected = carousel.elect mask %mask
      scf.if %elected {
        %n = memref.atomic_rmw addi %one, %y[%half] : (i32, memref<4xi32, #gl>) -> i32
      }
    }
    gpu.return
  }
}

func.func @expected(%y: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1> : vector<3xi32>
  vector.store %v, %y[%c0] : memref<3xi32>, vector<3xi32>
  return
}

func.func @expected_masked(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 0, 1]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
