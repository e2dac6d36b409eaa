// Errors of stores and reductions to multicast addresses, and of their arguments.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C29
func.func @indices(%all: memref<?x?xf32, #gl>, %i: index, %v: f32) {
  // expected-error @below {{expected one index per dimension of the destination, got 1 for rank 2}}
  carousel.multimem.store %v to %all[%i] : f32, memref<?x?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C234: the smallest store has 4 bytes.
func.func @too_narrow(%all: memref<?xf16, #gl>, %i: index, %v: f16) {
  // expected-error @below {{expected a number or a vector of 4, 8 or 16 bytes, got 'f16'}}
  carousel.multimem.store %v to %all[%i] : f16, memref<?xf16, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C234: the largest has 16.
func.func @too_wide(%all: memref<?xf32, #gl>, %i: index, %v: vector<8xf32>) {
  // expected-error @below {{expected a number or a vector of 4, 8 or 16 bytes, got 'vector<8xf32>'}}
  carousel.multimem.store %v to %all[%i] : vector<8xf32>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C234: a vector of two dimensions.
func.func @matrix(%all: memref<?xf32, #gl>, %i: index, %v: vector<2x2xf32>) {
  // expected-error @below {{expected a number or a vector of 4, 8 or 16 bytes, got 'vector<2x2xf32>'}}
  carousel.multimem.store %v to %all[%i] : vector<2x2xf32>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C234: other elements.
func.func @elements(%all: memref<?xi32, #gl>, %i: index, %v: f32) {
  // expected-error @below {{expected a destination with elements of 'f32', got 'memref<?xi32, #gpu.address_space<global>>'}}
  carousel.multimem.store %v to %all[%i] : f32, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C234: lanes that aren't next to each other.
func.func @strided(%all: memref<?xf32, strided<[2]>, #gl>, %i: index, %v: vector<4xf32>) {
  // expected-error @below {{expected a contiguous innermost dimension, got stride 2}}
  carousel.multimem.store %v to %all[%i] : vector<4xf32>, memref<?xf32, strided<[2]>, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C45: floats are only added.
func.func @kind(%all: memref<?xf32, #gl>, %i: index, %v: f32) {
  // expected-error @below {{expected one of the types u32, s32, u64, s64 for max, got f32}}
  carousel.multimem.reduce max f32 %v to %all[%i] : f32, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C45: a kind that only other reductions have.
func.func @increment(%all: memref<?xi32, #gl>, %i: index, %v: i32) {
  // expected-error @below {{expected a reduction that multimem.red has, got inc}}
  carousel.multimem.reduce inc u32 %v to %all[%i] : i32, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C46
func.func @type(%all: memref<?xf32, #gl>, %i: index, %v: f32) {
  // expected-error @below {{expected elements that hold u32, got 'f32'}}
  carousel.multimem.reduce add u32 %v to %all[%i] : f32, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C236: integers one by one.
func.func @lanes(%all: memref<?xi32, #gl>, %i: index, %v: vector<2xi32>) {
  // expected-error @below {{expected at most 4 bytes of s32 in a reduction, got 'vector<2xi32>'}}
  carousel.multimem.reduce add s32 %v to %all[%i] : vector<2xi32>, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C230: one of the three.
  // expected-error @below {{expected carousel.multicast without a value, on a memref in global memory that callers pass and without another such attribute, got carousel.peer on kernel argument 0}}
  gpu.func @both(%x: memref<8xf32, #gl> {carousel.multicast, carousel.peer}) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // C230
  // expected-error @below {{got kernel argument 0 of type 'i32'}}
  gpu.func @number(%n: i32 {carousel.multicast}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C237: a read.
  gpu.func @read(%x: memref<8xf32, #gl> {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected only carousel.store and carousel.multimem to access an argument with carousel.multicast}}
    %v = memref.load %x[%c0] : memref<8xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C237: an ordinary write, of a view.
  gpu.func @write(%x: memref<8xf32, #gl> {carousel.multicast}, %v: vector<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %part = memref.subview %x[0] [4] [1] : memref<8xf32, #gl> to memref<4xf32, strided<[1]>, #gl>
    // expected-error @below {{'vector.store' op expected only carousel.store and carousel.multimem to access an argument with carousel.multicast}}
    vector.store %v, %part[%c0] : memref<4xf32, strided<[1]>, #gl>, vector<4xf32>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  // C237: a load of the tile phase.
  gpu.func @load(%x: memref<64xf32, #gl> {carousel.multicast}) workgroup(%tile: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'carousel.load' op expected only carousel.store and carousel.multimem to access an argument with carousel.multicast}}
    carousel.load %x[%c0] to %tile : memref<64xf32, #gl>, memref<64xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C237: a counter. It would be in all parts at once.
  gpu.func @counter(%c: memref<8xi64, #gl> {carousel.multicast}, %v: i64) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'carousel.signal' op expected only carousel.store and carousel.multimem to access an argument with carousel.multicast}}
    carousel.signal %c[%c0] set %v : memref<8xi64, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  func.func private @callee(memref<8xf32, #gl>)
  // C237: a function that does anything with it.
  gpu.func @call(%x: memref<8xf32, #gl> {carousel.multicast}) kernel {
    // expected-error @below {{'func.call' op expected only carousel.store and carousel.multimem to access an argument with carousel.multicast}}
    func.call @callee(%x) : (memref<8xf32, #gl>) -> ()
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  // C45: a reduction that multimem doesn't have.
  gpu.func @reduce(%x: memref<64xf32, #gl> {carousel.multicast}, %y: memref<64xi32, #gl> {carousel.multicast})
      workgroup(%tile: memref<64xi32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'carousel.store' op expected a reduction that multimem.red has, got dec}}
    carousel.store %tile to %y[%c0] reduce<dec u32> : memref<64xi32, #ws>, memref<64xi32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C237: an engine would access it by the map.
  // expected-error @below {{expected no tensor map of an argument with carousel.multicast, got kernel argument 1}}
  gpu.func @map(%x: memref<64xf32, #gl> {carousel.multicast},
                %map: !carousel.tensor_map<64xf32> {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C237: a multicast address is no address of memory of one GPU.
  // expected-error @below {{expected an argument with carousel.multicast to alias no other, got may_alias of kernel argument 1}}
  gpu.func @alias(%x: memref<64xf32, #gl> {carousel.multicast},
                  %y: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"y", in, may_alias = 0>}) kernel {
    gpu.return
  }
}
