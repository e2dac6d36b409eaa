// Small kernels for the tests of carousel-sim: right ones, and some with one thing wrong.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>

gpu.module @kernels {
  // y = factor * x, an element for each thread.
  gpu.func @scale(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %factor: f32 {carousel.argument = #carousel.argument<"factor", in>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 64)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !vector
    %i = gpu.global_id x
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %value = memref.load %x[%i] : !vector
      %scaled = arith.mulf %value, %factor : f32
      memref.store %scaled, %y[%i] : !vector
    }
    gpu.return
  }

  // As many threads as --block says write their numbers, and `first` on top.
  gpu.func @number(%y: memref<8xi32, #gl>, %first: index) kernel {
    %thread = gpu.thread_id x
    %sum = arith.addi %thread, %first : index
    %value = arith.index_cast %sum : index to i32
    memref.store %value, %y[%thread] : memref<8xi32, #gl>
    gpu.return
  }

  // All threads write one element.
  gpu.func @race(%y: memref<8xi32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %value = arith.index_cast %thread : index to i32
    memref.store %value, %y[%c0] : memref<8xi32, #gl>
    gpu.return
  }

  // CTA 1 reads what nobody wrote, if it draws the first ticket.
  gpu.func @sometimes(%y: memref<8xi32, #gl>, %tickets: memref<1xi32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ticket = memref.atomic_rmw addi %one, %tickets[%c0] : (i32, memref<1xi32, #gl>) -> i32
    %is_first = arith.cmpi eq, %ticket, %zero : i32
    %block = gpu.block_id x
    %is_last_block = arith.cmpi eq, %block, %c1 : index
    %reads = arith.andi %is_first, %is_last_block : i1
    scf.if %reads {
      %value = memref.load %y[%c0] : memref<8xi32, #gl>
      memref.store %value, %y[%c1] : memref<8xi32, #gl>
    }
    gpu.return
  }

  // The barrier waits for an arrival that nobody makes.
  gpu.func @stuck(%y: memref<8xi32, #gl>)
      workgroup(%barrier: memref<1x!carousel.mbarrier, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %one = arith.constant 1 : i32
    memref.store %one, %y[%c0] : memref<8xi32, #gl>
    carousel.mbarrier.init %barrier[%c0], 2 : memref<1x!carousel.mbarrier, #ws>
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive %barrier[%c0] : memref<1x!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %barrier[%c0] parity %false : memref<1x!carousel.mbarrier, #ws>
    gpu.return
  }

  // Adds forever.
  gpu.func @runaway(%y: memref<8xi32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    scf.while (%value = %zero) : (i32) -> i32 {
      %goes_on = arith.cmpi ne, %value, %one : i32
      scf.condition(%goes_on) %value : i32
    } do {
    ^bb0(%value: i32):
      memref.store %value, %y[%c0] : memref<8xi32, #gl>
      %read = memref.load %y[%c0] : memref<8xi32, #gl>
      scf.yield %read : i32
    }
    gpu.return
  }
}

func.func @scale_reference(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %x[%i] : memref<?xf32>
    %scaled = arith.mulf %value, %factor : f32
    memref.store %scaled, %y[%i] : memref<?xf32>
  }
  return
}

// Forgets the last element.
func.func @short_reference(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %last step %c1 {
    %value = memref.load %x[%i] : memref<?xf32>
    %scaled = arith.mulf %value, %factor : f32
    memref.store %scaled, %y[%i] : memref<?xf32>
  }
  return
}

// As two threads of @number.
func.func @number_reference(%y: memref<8xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %second = arith.addi %first, %c1 : index
  %value0 = arith.index_cast %first : index to i32
  %value1 = arith.index_cast %second : index to i32
  memref.store %value0, %y[%c0] : memref<8xi32>
  memref.store %value1, %y[%c1] : memref<8xi32>
  return
}

func.func @narrow_reference(%x: memref<?xf16>, %y: memref<?xf32>, %factor: f32) { return }
func.func @few_reference(%x: memref<?xf32>) { return }
func.func private @no_reference(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32)
