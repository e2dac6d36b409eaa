// What a thread of the device doesn't have, or the host can't run, is an error before anything runs;
// accesses beside a buffer are findings, even between two buffers of shared memory or on a thread's
// own stack.
// DEFINE: %{sim} = %python %S/../Tools/carousel-run/Inputs/status.py 2 carousel-sim %s --arg y=zeros:8 --kernel
// DEFINE: %{finds} = carousel-sim %s --arg y=zeros:8 --expect-finding

// RUN: %{sim} @recursive 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RECURSIVE: error: expected functions that don't call themselves, found a recursive one
// RUN: %{sim} @declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: error: expected a function with a body, got only its declaration
// RUN: %{sim} @unreachable 2>&1 | FileCheck %s --check-prefix=UNREACHABLE
// UNREACHABLE: error: the simulated machine doesn't know this operation: 'ub.unreachable'
// RUN: %{sim} @wide 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: the simulated machine doesn't have vectors of more than 4096 elements
// RUN: %{sim} @product 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: error: the simulated machine doesn't have products of more than 32768 multiplications in a thread
// RUN: %{sim} @power 2>&1 | FileCheck %s --check-prefix=POWER
// POWER: error: the simulated machine doesn't have powers and clamps of more than 64 bits
// Functions that are inlined don't reach the host's compiler, even if others may call them.
// RUN: carousel-sim %s --arg y=zeros:8 --kernel @calls_wide --expect y=zeros:8
// RUN: %{sim} @tf32 2>&1 | FileCheck %s --check-prefix=TF32
// TF32: error: the simulated machine doesn't have numbers of type tf32
// RUN: %{sim} @wraps 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: error: expected a buffer of at most 2^31 bytes in shared memory, got 'memref<1073741824xf32
// RUN: %{sim} @aligned 2>&1 | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: error: expected an alignment of shared memory that is a power of two up to 65536, got -16
// RUN: %{sim} @much 2>&1 | FileCheck %s --check-prefix=MUCH
// MUCH: error: expected at most 524288 bytes of a thread's own memory in all
// RUN: %{sim} @unknown_size 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: expected a thread's own memory to have a size that is known before the run
// RUN: %{sim} @freed 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: error: the simulated machine doesn't know this operation: 'memref.dealloc'
// RUN: %{sim} @space 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: error: expected kernel arguments in global memory, got 'memref<8xf32, #gpu.address_space<workgroup>>'
// RUN: %{sim} @beside --reference @itself 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: error: expected functions that don't call themselves, found a recursive one
// RUN: %{sim} @beside --reference @calls 2>&1 | FileCheck %s --check-prefix=DECLARED

// RUN: %{finds} out-of-bounds --kernel @beside 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: finding: [out-of-bounds] expected an access inside one live buffer, found 4 bytes at offset 32 of a, which has 32 bytes
// RUN: %{finds} out-of-bounds --kernel @own 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: finding: [out-of-bounds] expected an access inside a buffer of the thread's own, found 4 bytes that aren't
// RUN: %{finds} step-limit --kernel @divides --step-limit 1000 2>&1 | FileCheck %s --check-prefix=DIVIDES
// DIVIDES: finding: [step-limit] expected the run to end within 1000 steps
// RUN: carousel-sim %s --arg y=zeros:8 --kernel @in_loop --expect y=iota:8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#one = #carousel.launch<grid = [1], block = [1]>
!v = memref<?xf32, #gl>
!tile = memref<8xf32, #ws>

gpu.module @m {
  func.func private @nothing()
  func.func @again(%i: index) {
    func.call @other(%i) : (index) -> ()
    return
  }
  func.func @other(%i: index) {
    func.call @again(%i) : (index) -> ()
    return
  }
  gpu.func @power(%y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %x = memref.load %y[%c0] : !v
    %n = arith.fptosi %x : f32 to i128
    %z = math.fpowi %x, %n : f32, i128
    memref.store %z, %y[%c0] : !v
    gpu.return
  }
  gpu.func @product(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : vector<64x9xf32>
    %b = arith.constant dense<1.0> : vector<9x64xf32>
    %c = arith.constant dense<1.0> : vector<64x64xf32>
    %r = vector.contract {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<64x9xf32>, vector<9x64xf32> into vector<64x64xf32>
    %e = vector.extract %r[0, 0] : f32 from vector<64x64xf32>
    memref.store %e, %y[%c0] : !v
    gpu.return
  }
  func.func @squares(%v: vector<65535xf32>) -> vector<65535xf32> {
    %r = arith.mulf %v, %v : vector<65535xf32>
    return %r : vector<65535xf32>
  }
  gpu.func @calls_wide(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %y[%c0], %zero : !v, vector<65535xf32>
    %r = func.call @squares(%v) : (vector<65535xf32>) -> vector<65535xf32>
    vector.transfer_write %r, %y[%c0] : vector<65535xf32>, !v
    gpu.return
  }
  gpu.func @recursive(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    func.call @again(%c0) : (index) -> ()
    gpu.return
  }
  gpu.func @declared(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    func.call @nothing() : () -> ()
    gpu.return
  }
  gpu.func @unreachable(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    ub.unreachable
  ^next:
    gpu.return
  }
  gpu.func @wide(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %v = vector.load %y[%c0] : !v, vector<4097xf32>
    vector.store %v, %y[%c0] : !v, vector<4097xf32>
    gpu.return
  }
  gpu.func @tf32(%y: !v {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%a: memref<4xtf32, #ws>) kernel attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0] : memref<4xtf32, #ws>
    gpu.return
  }
  gpu.func @wraps(%y: !v {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%a: memref<1073741824xf32, #ws>) kernel attributes {carousel.launch = #one} {
    gpu.return
  }
  gpu.func @aligned(%y: !v {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%a: !tile {llvm.align = -16 : i64}) kernel attributes {carousel.launch = #one} {
    gpu.return
  }
  gpu.func @much(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %own = memref.alloca() : memref<131073xf32>
    %v = memref.load %own[%c0] : memref<131073xf32>
    memref.store %v, %y[%c0] : !v
    gpu.return
  }
  gpu.func @unknown_size(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %y, %c0 : !v
    %own = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %own[%c0] : memref<?xf32>
    memref.store %v, %y[%c0] : !v
    gpu.return
  }
  gpu.func @freed(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    memref.dealloc %y : !v
    gpu.return
  }
  gpu.func @space(%y: !tile {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    gpu.return
  }

  // Behind %a, where %b doesn't begin yet.
  gpu.func @beside(%y: !v {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%a: !tile, %b: !tile) kernel attributes {carousel.launch = #one} {
    %n = arith.constant 8 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %a[%n] : !tile
    memref.store %one, %b[%n] : !tile
    gpu.return
  }
  gpu.func @own(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %y, %c0 : !v
    %one = arith.constant 1.0 : f32
    %own = memref.alloca() : memref<8xf32>
    memref.store %one, %own[%n] : memref<8xf32>
    %v = memref.load %own[%c0] : memref<8xf32>
    memref.store %v, %y[%c0] : !v
    gpu.return
  }
  // A loop that calls the machine for nothing but its division.
  gpu.func @divides(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %y, %c0 : !v
    cf.br ^turn(%c1 : index)
  ^turn(%i: index):
    %quotient = arith.divui %i, %n : index
    %next = arith.addi %quotient, %c1 : index
    %goes_on = arith.cmpi ne, %next, %c0 : index
    cf.cond_br %goes_on, ^turn(%next : index), ^end
  ^end:
    gpu.return
  }
  // A buffer in a loop takes its place once.
  gpu.func @in_loop(%y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #one} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %turns = arith.constant 10000 : index
    scf.for %turn = %c0 to %turns step %c1 {
      %own = memref.alloca() : memref<8x16xf32>
      %i = arith.andi %turn, %c7 : index
      %word = arith.index_cast %i : index to i32
      %value = arith.sitofp %word : i32 to f32
      memref.store %value, %own[%i, %i] : memref<8x16xf32>
      %same = memref.load %own[%i, %i] : memref<8x16xf32>
      memref.store %same, %y[%i] : !v
    }
    gpu.return
  }
}

func.func private @absent()
func.func @calls(%y: memref<?xf32>) {
  func.call @absent() : () -> ()
  return
}
func.func @itself(%y: memref<?xf32>) {
  func.call @itself(%y) : (memref<?xf32>) -> ()
  return
}
