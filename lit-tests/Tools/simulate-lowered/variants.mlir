// scripts/simulate-lowered runs each variant whose guards hold, also of a kernel that is a variant already, and names the
// others with the guard and the value.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{status} = %python %S/../carousel-run/Inputs/status.py
// DEFINE: %{even} = --arg y=like:x --kernel @copy_even

// RUN: %{lowered} %s --require-variants -- %{even} --arg x=iota:2000 --expect y=iota:2000 | FileCheck %s --check-prefix=ALL
// The kernel that callers name, in a module that is named, from a file.
// RUN: carousel-sim %s %{even} --arg x=iota:2000 --out y=%t.npy --quiet
// RUN: %{lowered} %s --require-variants -- --kernel=@own::@copy --arg y=like:x --arg=x=%t.npy --expect y=%t.npy | FileCheck %s --check-prefix=ALL
//      ALL: sm_80: carousel-sim: copy_even_wide: 1 schedule clean
// ALL-NEXT: sm_80: carousel-sim: copy_even: 1 schedule clean
// ALL-NEXT: sm_90a: carousel-sim: copy_even_tma: 1 schedule clean
// ALL-NEXT: sm_90a: carousel-sim: copy_even_tma_ragged: 1 schedule clean
// The same code.
// ALL-NEXT: sm_90a: @copy_even is that of sm_80
// ALL-NOT:  sm_

// RUN: %{lowered} %s --chip sm_90a -- %{even} --arg x=iota:2002 --expect y=iota:2002 | FileCheck %s --check-prefix=SOME
//      SOME: sm_90a: @copy_even_tma not run: expected divisible(extent(1, 0), 4), got 2002
// SOME-NEXT: sm_90a: carousel-sim: copy_even_tma_ragged: 1 schedule clean
// SOME-NEXT: sm_90a: carousel-sim: copy_even: 1 schedule clean

// Only the last variant, where more are required, and none at all.
// RUN: %{lowered} %s --chip sm_90a -- %{even} --arg x=iota:0 --expect y=iota:0 | FileCheck %s --check-prefixes=LAST,ONE
// RUN: %{status} 1 %{lowered} %s --chip sm_90a --require-variants -- %{even} --arg x=iota:0 --expect y=iota:0 | FileCheck %s --check-prefixes=LAST,MORE
//      LAST: sm_90a: @copy_even_tma not run: expected range(extent(0, 0), 1, 2147483647), got 0
// LAST-NEXT: sm_90a: @copy_even_tma_ragged not run: expected range(extent(0, 0), 1, 2147483647), got 0
// LAST-NEXT: sm_90a: carousel-sim: copy_even: 1 schedule clean
//   ONE-NOT: expected another
// MORE-NEXT: sm_90a: expected another variant of @copy_even to run than the last one, got @copy_even alone
// RUN: %{status} 1 %{lowered} %s --chip sm_90a -- %{even} --arg x=iota:2001 --expect y=iota:2001 | FileCheck %s --check-prefix=NONE
//      NONE: sm_90a: @copy_even_tma not run: expected divisible(extent(0, 0), 2), got 2001
//      NONE: sm_90a: @copy_even not run: expected divisible(extent(0, 0), 2), got 2001
// NONE-NEXT: sm_90a: expected a variant of @copy_even whose guards hold, got none of 3

// A run that fails, a pipeline that doesn't run, and command lines that are wrong.
// RUN: %{status} 1 %{lowered} %s --chip sm_90a -- %{even} --arg x=iota:2000 --expect y=zeros:2000 | FileCheck %s --check-prefix=WRONG
// WRONG: sm_90a: @copy_even_tma failed
// WRONG: sm_90a: @copy_even failed
// RUN: %{status} 1 %{lowered} %s --chip sm_9 -- %{even} --arg x=iota:2000 | FileCheck %s --check-prefix=CHIP
// CHIP: sm_9: {{.*}}unknown chip 'sm_9'
// RUN: %{status} 2 %{lowered} %s -- --arg x=iota:2000 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: simulate-lowered: error: expected --kernel once among the arguments of carousel-sim, got 0
// RUN: %{status} 2 %{lowered} %s -- --kernel @other --arg x=iota:2000 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: simulate-lowered: error: expected --kernel with one of @copy_even, got '@other'
// RUN: %{status} 2 %{lowered} %s -- %{even} --arg x=%t.none.npy 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: simulate-lowered: error: expected an .npy file, got '{{.*}}.none.npy'
// RUN: %{status} 2 %{lowered} %s -- %{even} --arg x=iota 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: simulate-lowered: error: expected --arg x= with a .npy file or KIND:SHAPE, got 'iota'

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>

gpu.module @own {
  gpu.func @copy_even(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy", guards = [divisible(extent(0, 0), 2)]>,
        carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !vector
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %tile = memref.alloc() {alignment = 128 : i64} : memref<256xf32, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %tile : !vector, memref<256xf32, #ws>
      carousel.store %tile to %y[%i] : memref<256xf32, #ws>, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
