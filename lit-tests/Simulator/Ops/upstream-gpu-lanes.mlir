// gpu.rotate and gpu.subgroup_broadcast: among a width of lanes, of which the others get nothing; from
// the first lane, from a given one; a lane that differs, or that the warp doesn't have.
// RUN: carousel-sim %s --kernel @rotate --arg y=empty:64 --reference @expected_rotate --schedules 4
// RUN: carousel-sim %s --kernel @broadcast --arg y=empty:48 --arg z=empty:48 --reference @expected_broadcast --schedules 4
// RUN: not carousel-sim %s --kernel @uneven --arg y=empty:32 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: [[#@LINE+41]]:10: finding: [invalid-operand] expected one lane for all of a warp's broadcast, got {{[56]}} and {{[56]}}
// RUN: not carousel-sim %s --kernel @uneven --block 1 --arg y=empty:32 | FileCheck %s --check-prefix=NONE
// NONE: [[#@LINE+39]]:10: finding: [invalid-operand] expected the lane of a broadcast to be one that the warp has, got 5

#gl = #gpu.address_space<global>

gpu.module @m {
  gpu.func @rotate(%y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %none = arith.constant -1 : i32
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %r, %valid = gpu.rotate %v, 3, 16 : i32
    %w = arith.select %valid, %r, %none : i32
    memref.store %w, %y[%t] : memref<64xi32, #gl>
    gpu.return
  }

  // One and a half warps.
  gpu.func @broadcast(%y: memref<48xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                      %z: memref<48xi8, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [48]>} {
    %c15 = arith.constant 15 : i32
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %n = arith.trunci %v : i32 to i8
    %r = gpu.subgroup_broadcast %v, specific_lane %c15 : i32
    memref.store %r, %y[%t] : memref<48xi32, #gl>
    %f = gpu.subgroup_broadcast %n, first_active_lane : i8
    memref.store %f, %z[%t] : memref<48xi8, #gl>
    gpu.return
  }

  gpu.func @uneven(%y: memref<32xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %odd = arith.andi %v, %c1 : i32
    %lane = arith.addi %odd, %c5 : i32
    %r = gpu.subgroup_broadcast %v, specific_lane %lane : i32
    memref.store %r, %y[%t] : memref<32xi32, #gl>
    gpu.return
  }
}

func.func @expected_rotate(%y: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant -1 : i32
  scf.for %i = %c0 to %c64 step %c1 {
    %lane = arith.remui %i, %c32 : index
    %first = arith.subi %i, %lane : index
    %moved = arith.addi %lane, %c3 : index
    %from = arith.remui %moved, %c16 : index
    %source = arith.addi %first, %from : index
    %v = arith.index_cast %source : index to i32
    %valid = arith.cmpi ult, %lane, %c16 : index
    %w = arith.select %valid, %v, %none : i32
    memref.store %w, %y[%i] : memref<64xi32>
  }
  return
}

func.func @expected_broadcast(%y: memref<48xi32>, %z: memref<48xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  scf.for %i = %c0 to %c48 step %c1 {
    %lane = arith.remui %i, %c32 : index
    %first = arith.subi %i, %lane : index
    %source = arith.addi %first, %c15 : index
    %v = arith.index_cast %source : index to i32
    memref.store %v, %y[%i] : memref<48xi32>
    %f = arith.index_cast %first : index to i8
    memref.store %f, %z[%i] : memref<48xi8>
  }
  return
}
