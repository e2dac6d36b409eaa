// Every message of the launch attributes' parsers and verifiers.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C108: no expression.
// expected-error @below {{expected an integer, a name of a launch expression, or '('}}
func.func private @f() attributes {a = #carousel.expr<+>}

// -----

// C108: a name that means nothing.
// expected-error @below {{expected sms, extent, stride, scalar, floordiv, ceildiv, mod, min or max, got 'warps'}}
func.func private @f() attributes {a = #carousel.expr<warps>}

// -----

// C108: an operator by its name.
// expected-error @below {{expected sms, extent, stride, scalar, floordiv, ceildiv, mod, min or max, got 'add'}}
func.func private @f() attributes {a = #carousel.expr<add(1, 2)>}

// -----

// C108: one operand.
// expected-error @below {{expected ','}}
func.func private @f() attributes {a = #carousel.expr<min(1)>}

// -----

// C108: two operands without an operator.
// expected-error @below {{expected ')'}}
func.func private @f() attributes {a = #carousel.expr<(1 2)>}

// -----

// C108: a trailing operator.
// expected-error @below {{expected an integer, a name of a launch expression, or '('}}
func.func private @f() attributes {a = #carousel.expr<1 *>}

// -----

// C108: a constant of more than 64 bits.
// expected-error @below {{integer value too large}}
func.func private @f() attributes {a = #carousel.expr<9223372036854775808>}

// -----

// C108: an argument that is no number.
// expected-error @below {{expected the number of an argument in extent, got -1}}
func.func private @f() attributes {a = #carousel.expr<extent(-1, 0)>}

// -----

// C108: a dimension that is no number.
// expected-error @below {{expected the number of a dimension in stride, got -2}}
func.func private @f() attributes {a = #carousel.expr<stride(0, -2)>}

// -----

// C108: too many parts, 129 constants and 128 operators.
// expected-error @below {{expected an expression of at most 256 operators and operands, got 257}}
func.func private @f() attributes {a = #carousel.expr<1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1>}

// -----

// C108: too many parentheses, even if they mean nothing.
// expected-error @below {{expected an expression nested at most 64 deep, got more}}
func.func private @f() attributes {a = #carousel.expr<(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>}

// -----

// C108: too many functions.
// expected-error @below {{expected an expression nested at most 64 deep, got more}}
func.func private @f() attributes {a = #carousel.expr<min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, 1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>}

// -----

// C109: no guard.
// expected-error @below {{expected a guard}}
func.func private @f() attributes {a = #carousel.guard<1>}

// -----

// C109: a name that means nothing.
// expected-error @below {{expected capability, aligned, divisible, range or equal, got 'even'}}
func.func private @f() attributes {a = #carousel.guard<even(scalar(0))>}

// -----

// C109: no compute capability.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 0}}
func.func private @f() attributes {a = #carousel.guard<capability(0)>}

// -----

// C109: more than a package's reader takes.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 2147483648}}
func.func private @f() attributes {a = #carousel.guard<capability(90, 2147483648)>}

// -----

// C109: no upper bound, but a lower one that is too high.
// expected-error @below {{expected a compute capability of 1 to 2147483647, got 9223372036854775807}}
func.func private @f() attributes {a = #carousel.guard<capability(9223372036854775807)>}

// -----

// C109: compute capabilities from the higher to the lower.
// expected-error @below {{expected an upper bound of 100 or more in capability, got 90}}
func.func private @f() attributes {a = #carousel.guard<capability(100, 90)>}

// -----

// C109: an argument that is no number.
// expected-error @below {{expected the number of an argument in aligned, got -1}}
func.func private @f() attributes {a = #carousel.guard<aligned(-1, 16)>}

// -----

// C109: an alignment of 24.
// expected-error @below {{expected an alignment that is a power of two, got 24}}
func.func private @f() attributes {a = #carousel.guard<aligned(0, 24)>}

// -----

// C109: a negative alignment, the lowest number.
// expected-error @below {{expected an alignment that is a power of two, got -9223372036854775808}}
func.func private @f() attributes {a = #carousel.guard<aligned(0, -9223372036854775808)>}

// -----

// C109: a multiple of nothing.
// expected-error @below {{expected a divisor above 0, got 0}}
func.func private @f() attributes {a = #carousel.guard<divisible(scalar(0), 0)>}

// -----

// C109: an empty range.
// expected-error @below {{expected an upper bound of 4 or more in range, got 3}}
func.func private @f() attributes {a = #carousel.guard<range(scalar(0), 4, 3)>}

// -----

// C110: no grid.
// expected-error @below {{expected one to three grid dimensions, got 0}}
func.func private @f() attributes {a = #carousel.launch<grid = [], block = [32]>}

// -----

// C110: a grid of rank 4.
// expected-error @below {{expected one to three grid dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1, 1, 1, 1], block = [32]>}

// -----

// C110: a negative grid.
// expected-error @below {{expected grid dimension 0 of 0 to 2147483647, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [-1], block = [32]>}

// -----

// C110: a grid that is too high.
// expected-error @below {{expected grid dimension 1 of 0 to 65535, got 65536}}
func.func private @f() attributes {a = #carousel.launch<grid = [1, 65536], block = [32]>}

// -----

// C110: a grid that clusters do not tile.
// expected-error @below {{expected grid dimension 0 to be a multiple of the cluster's 2, got 5}}
func.func private @f() attributes {a = #carousel.launch<grid = [5], block = [32], cluster = [2]>}

// -----

// C110: clusters in a dimension that the grid has not.
// expected-error @below {{expected grid dimension 1 to be a multiple of the cluster's 2, got 1}}
func.func private @f() attributes {a = #carousel.launch<grid = [sms], block = [32], cluster = [1, 2]>}

// -----

// C111: no block.
// expected-error @below {{expected one to three block dimensions, got 0}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = []>}

// -----

// C111: a block of rank 4.
// expected-error @below {{expected one to three block dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [1, 1, 1, 1]>}

// -----

// C111: an empty block.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 32 * 0}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32, 0]>}

// -----

// C111: too many threads.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 512 * 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [512, 4]>}

// -----

// C111: extents whose product overflows.
// expected-error @below {{expected 1 to 1024 threads of a block in all, got 4294967296 * 4294967296}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [4294967296, 4294967296]>}

// -----

// C111: a block that is too deep.
// expected-error @below {{expected block dimension 2 of 1 to 64, got 128}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [1, 1, 128]>}

// -----

// C112: a cluster of rank 4.
// expected-error @below {{expected one to three cluster dimensions, got 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], cluster = [1, 1, 1, 1]>}

// -----

// C112: a cluster that is too large.
// expected-error @below {{expected 1 to 8 CTAs of a cluster in all, got 4 * 4}}
func.func private @f() attributes {a = #carousel.launch<grid = [sms, sms], block = [32], cluster = [4, 4]>}

// -----

// C112: a negative cluster.
// expected-error @below {{expected 1 to 8 CTAs of a cluster in all, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], cluster = [-1]>}

// -----

// C113: less than no shared memory.
// expected-error @below {{expected 0 to 2147483647 bytes of dynamic shared memory, got -1}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], block = [32], shared = -1>}

// -----

// C114: a kernel without a name.
// expected-error @below {{expected a kernel's name of letters, digits and _, got ''}}
func.func private @f() attributes {a = #carousel.variant<kernel = "">}

// -----

// C114: a name that is a path.
// expected-error @below {{expected a kernel's name of letters, digits and _, got '../copy'}}
func.func private @f() attributes {a = #carousel.variant<kernel = "../copy">}

// -----

// C114: an argument without a name.
// expected-error @below {{expected an argument's name of letters, digits and _ that begins with no digit, got ''}}
func.func private @f() attributes {a = #carousel.argument<"">}

// -----

// C114: a name that is a number.
// expected-error @below {{expected an argument's name of letters, digits and _ that begins with no digit, got '0'}}
func.func private @f() attributes {a = #carousel.argument<"0">}

// -----

// C114: a name that means something else.
// expected-error @below {{expected an argument's name other than sms, the number of multiprocessors}}
func.func private @f() attributes {a = #carousel.argument<"sms">}

// -----

// C115: no argument.
// expected-error @below {{expected the number of an argument to encode, got -1}}
func.func private @f() attributes {a = #carousel.encode<argument = -1>}

// -----

// C115: an empty tensor.
// expected-error @below {{expected extents of 1 to 4294967296 of a tensor map, got 0}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, extents = [0]>}

// -----

// C115: a stride that the hardware lacks.
// expected-error @below {{expected strides of a tensor map in multiples of 16 bytes up to 1099511627775, got 8}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, strides = [8]>}

// -----

// C115: a byte before the argument.
// expected-error @below {{expected a tensor map's offset of 0 or more bytes, got -16}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, offset = -16>}

// -----

// C116: a field that a launch has not.
// expected-error @below {{expected one of grid, block, cluster, shared in a launch, got 'grids'}}
func.func private @f() attributes {a = #carousel.launch<grids = [1]>}

// -----

// C116: a field twice.
// expected-error @below {{expected each field of a launch once, got 'grid' again}}
func.func private @f() attributes {a = #carousel.launch<grid = [1], grid = [2], block = [32]>}

// -----

// C116: a launch without a block.
// expected-error @below {{expected block in a launch, got none}}
func.func private @f() attributes {a = #carousel.launch<grid = [1]>}

// -----

// C116: a variant without a kernel.
// expected-error @below {{expected kernel in a variant, got none}}
func.func private @f() attributes {a = #carousel.variant<guards = []>}

// -----

// C116: an encoding of nothing.
// expected-error @below {{expected argument in an encoding, got none}}
func.func private @f() attributes {a = #carousel.encode<offset = 0>}

// -----

// C116: an access that is none.
// expected-error @below {{expected in, out or inout, got 'read'}}
func.func private @f() attributes {a = #carousel.argument<"x", read>}

// -----

// C116: a launch of a host function.
// expected-error @below {{expected carousel.launch on a gpu.func that is a kernel, got it on func.func}}
func.func private @f() attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>}

// -----

// C116: a launch of a device function.
gpu.module @kernels {
  // expected-error @below {{expected carousel.launch on a gpu.func that is a kernel, got it on a device function}}
  gpu.func @k()
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}

// -----

// C116: a launch of a whole module.
// expected-error @below {{expected carousel.variant on a gpu.func that is a kernel, got it on gpu.module}}
gpu.module @kernels attributes {carousel.variant = #carousel.variant<kernel = "copy">} {}

// -----

// C116: an attribute that is spelled wrongly.
gpu.module @kernels {
  // expected-error @below {{expected an attribute that the dialect has, got 'carousel.lauch'}}
  gpu.func @k() kernel
      attributes {carousel.lauch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}

// -----

// C116: positions of tensor maps that the kernel doesn't have.
gpu.module @kernels {
  // expected-error @below {{expected carousel.tensor_map_parameters to give positions of a function's pointers, got array<i32: 1>}}
  gpu.func @k(%map: !llvm.ptr) kernel attributes {carousel.tensor_map_parameters = array<i32: 1>} {
    gpu.return
  }
}

// -----

// C116: the same of a function of LLVM's.
// expected-error @below {{expected carousel.tensor_map_parameters to give positions of a function's pointers, got array<i32: 0, -1>}}
llvm.func @k(%map: !llvm.ptr) attributes {carousel.tensor_map_parameters = array<i32: 0, -1>} {
  llvm.return
}

// -----

// C116: a tensor map parameter that is a number.
gpu.module @kernels {
  // expected-error @below {{expected carousel.tensor_map_parameters to give positions of a function's pointers, got array<i32: 0>}}
  gpu.func @k(%n: i32) kernel attributes {carousel.tensor_map_parameters = array<i32: 0>} {
    gpu.return
  }
}

// -----

// C116: tensor map parameters of a module, by name.
// expected-error @below {{expected carousel.tensor_map_parameters to give positions of a function's pointers, got "x"}}
gpu.module @kernels attributes {carousel.tensor_map_parameters = "x"} {}

// -----

// C116: a launch that is something else.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.launch<...> as carousel.launch, got 64 : i64}}
  gpu.func @k() kernel attributes {carousel.launch = 64} {
    gpu.return
  }
}

// -----

// C116: a variant that is something else.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.variant<...> as carousel.variant, got "copy"}}
  gpu.func @k() kernel attributes {carousel.variant = "copy"} {
    gpu.return
  }
}

// -----

// C116: an argument that is something else.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.argument<...> as carousel.argument, got "x"}}
  gpu.func @k(%n: index {carousel.argument = "x"}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C116: an encoding that is something else.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.encode<...> as carousel.encode, got 0 : i64}}
  gpu.func @k(%x: !matrix, %map: !map {carousel.encode = 0}) kernel {
    gpu.return
  }
}

// -----

// C116: the kernel's attribute on an argument.
gpu.module @kernels {
  // expected-error @below {{expected carousel.launch on a gpu.func that is a kernel, got it on an argument that isn't a tensor map}}
  gpu.func @k(%n: index {carousel.launch = #carousel.launch<grid = [1], block = [32]>}) kernel {
    gpu.return
  }
}

// -----

// C116: an argument's attribute on the kernel.
gpu.module @kernels {
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, got it on gpu.func}}
  gpu.func @k() kernel attributes {carousel.argument = #carousel.argument<"x">} {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C116: a tensor map as an argument.
gpu.module @kernels {
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, got it on a tensor map argument}}
  gpu.func @k(%map: !map {carousel.argument = #carousel.argument<"x">}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C116: the encoding of an argument.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode on a tensor map argument of a kernel, got it on an argument that isn't a tensor map}}
  gpu.func @k(%x: !matrix {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

// C116: an argument of a device function.
gpu.module @kernels {
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, got it on an argument of a device function}}
  gpu.func @k(%n: index {carousel.argument = #carousel.argument<"n">}) {
    gpu.return
  }
}

// -----

// C116: an argument of a host function.
// expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, got it on an argument of func.func}}
func.func private @f(index {carousel.argument = #carousel.argument<"n">})

// -----

// C116: a result.
// expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, got it on a result}}
func.func private @f() -> (index {carousel.argument = #carousel.argument<"n">})

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an argument that the kernel has not, since tensor maps do not count.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.launch to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%map: !map, %x: !matrix) kernel
      attributes {carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the extent of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.launch to name a memref argument, got argument 0 of type 'index'}}
  gpu.func @k(%n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1, 2 * extent(0, 0)], block = [32]>} {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: a dimension that the argument has not.
gpu.module @kernels {
  // expected-error @below {{expected stride in carousel.launch to name one of the 2 dimensions of argument 0, got 2}}
  gpu.func @k(%x: !matrix) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(stride(0, 2), 4)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the value of a memref.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.launch to name an index or integer argument, got argument 0 of type 'memref<4xf32>'}}
  gpu.func @k(%x: memref<4xf32>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(0)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the value of a floating-point number.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.variant to name an index or integer argument, got argument 0 of type 'f32'}}
  gpu.func @k(%x: f32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [divisible(scalar(0), 4)]>} {
    gpu.return
  }
}

// -----

// C117: a guard on the pointer of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected aligned in carousel.variant to name a memref argument, got argument 0 of type 'i32'}}
  gpu.func @k(%n: i32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [capability(90), aligned(0, 16)]>} {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: a guard whose second value is wrong.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.variant to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%x: !matrix) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [equal(extent(0, 0), extent(1, 0))]>} {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an encoding of an argument that the kernel has not.
gpu.module @kernels {
  // expected-error @below {{expected argument in carousel.encode of kernel argument 1 to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%x: !matrix, %map: !map {carousel.encode = #carousel.encode<argument = 1>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C117: an encoding of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected argument in carousel.encode of kernel argument 1 to name a memref argument, got argument 0 of type 'index'}}
  gpu.func @k(%n: index, %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an encoded extent that the kernel has not.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.encode of kernel argument 1 to name one of the kernel's 1 arguments, got 5}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64, scalar(5)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an offset that is no number.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.encode of kernel argument 1 to name an index or integer argument, got argument 0 of type}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, offset = scalar(0)>}) kernel {
    gpu.return
  }
}

// -----

// C118: another block than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected block dimension 1 of carousel.launch to be 2 as in known_block_size, got 1}}
  gpu.func @k() kernel
      attributes {known_block_size = array<i32: 64, 2, 1>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    gpu.return
  }
}

// -----

// C118: another cluster than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected cluster dimension 0 of carousel.launch to be 2 as in known_cluster_size, got 1}}
  gpu.func @k() kernel
      attributes {known_cluster_size = array<i32: 2, 1, 1>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}

// -----

// C118: another grid than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected grid dimension 1 of carousel.launch to be 8 as in known_grid_size, got 4}}
  gpu.func @k() kernel
      attributes {known_grid_size = array<i32: 16, 8, 1>, carousel.launch = #carousel.launch<grid = [sms, 4], block = [32]>} {
    gpu.return
  }
}

// -----

// C119: one name twice.
gpu.module @kernels {
  // expected-error @below {{expected the kernel's arguments to have different names, got 'x' twice}}
  gpu.func @k(%x: index {carousel.argument = #carousel.argument<"x">},
      %y: index {carousel.argument = #carousel.argument<"x">}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C119: the name that another argument has without saying so.
gpu.module @kernels {
  // expected-error @below {{expected the kernel's arguments to have different names, got 'arg0' twice}}
  gpu.func @k(%x: index, %map: !map, %y: index {carousel.argument = #carousel.argument<"arg0">}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C119: a scalar that is written.
gpu.module @kernels {
  // expected-error @below {{expected a memref for an argument that is written, got out for kernel argument 1 of type 'f32'}}
  gpu.func @k(%map: !map, %x: f32 {carousel.argument = #carousel.argument<"x", out>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: too few extents.
gpu.module @kernels {
  // expected-error @below {{expected 2 extents in carousel.encode of kernel argument 1, got 1}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: a stride of the innermost dimension.
gpu.module @kernels {
  // expected-error @below {{expected 1 strides in carousel.encode of kernel argument 1, got 2}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, strides = [256, 16]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: fewer extents than the rank of an im2col map.
gpu.module @kernels {
  // expected-error @below {{expected 4 extents in carousel.encode of kernel argument 1, got 2}}
  gpu.func @k(%x: !matrix,
      %map: !carousel.tensor_map<8x64xbf16, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]> {carousel.encode = #carousel.encode<argument = 0, extents = [1, 1]>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: a memref of another rank.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents and strides, or a memref of rank 2, got 'memref<?xf32>'}}
  gpu.func @k(%x: memref<?xf32>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64, 64]>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: elements of another width.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents, or a memref with elements of f32's width, got 'memref<?x?xf16>'}}
  gpu.func @k(%x: memref<?x?xf16>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

// C120: packed elements, which memrefs have not.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents, or a memref with elements of b4x16_p64's width, got 'memref<?xi8>'}}
  gpu.func @k(%x: memref<?xi8>,
      %map: !carousel.tensor_map<128xb4x16_p64> {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: columns that are not contiguous.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents and strides, or a memref with a contiguous innermost dimension, got 'memref<?x?xf32, strided<[1, ?]>>'}}
  gpu.func @k(%x: memref<?x?xf32, strided<[1, ?]>>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C116: a workspace that is no memref.
gpu.module @kernels {
  // expected-error @below {{expected carousel.workspace on a memref argument of a kernel, got it on an argument that isn't a memref}}
  gpu.func @k(%n: index {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C116: a workspace that says nothing.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.workspace<...> as carousel.workspace, got unit}}
  gpu.func @k(%x: memref<4xi32, #gl> {carousel.workspace}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C116: a kernel that says twice that it is coresident.
gpu.module @kernels {
  // expected-error @below {{expected carousel.coresident without a value, got true}}
  gpu.func @k() kernel attributes {carousel.coresident = true} {
    gpu.return
  }
}

// -----

// C116: a device function has no launch.
gpu.module @kernels {
  // expected-error @below {{expected carousel.coresident on a gpu.func that is a kernel, got it on a device function}}
  gpu.func @k() attributes {carousel.coresident} {
    gpu.return
  }
}

// -----

// C186: an extent below zero.
// expected-error @below {{expected extents of a workspace of 0 or more, got -1}}
func.func private @f() attributes {a = #carousel.workspace<[-1]>}

// -----

#gl = #gpu.address_space<global>

// C186: an extent too few.
gpu.module @kernels {
  // expected-error @below {{expected 2 extents in carousel.workspace of kernel argument 1, one for each dynamic one of 'memref<?x?x4xi32, #gpu.address_space<global>>', got 1}}
  gpu.func @k(%x: memref<?xf32, #gl>, %w: memref<?x?x4xi32, #gl> {carousel.workspace = #carousel.workspace<[4]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C117: an extent of an argument that isn't there.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.workspace of kernel argument 1 to name one of the kernel's 2 arguments, got 2}}
  gpu.func @k(%x: memref<?xf32, #gl>, %w: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[extent(2, 0)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C186: an extent that is a workspace's.
gpu.module @kernels {
  // expected-error @below {{expected carousel.workspace of kernel argument 2 to name arguments that callers pass, got argument 1, a workspace}}
  gpu.func @k(%x: memref<?xf32, #gl>, %v: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[4]>}, %w: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[extent(0, 0) + extent(1, 0)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: an argument behind a workspace.
gpu.module @kernels {
  // expected-error @below {{expected workspaces after all arguments that callers pass, got kernel argument 2 after the workspace 0}}
  gpu.func @k(%w: memref<4xi32, #gl> {carousel.workspace = #carousel.workspace<[]>}, %map: !carousel.tensor_map<64xf32>, %n: index) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: columns first.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type 'memref<4x8xi32, strided<[1, 4]>, #gpu.address_space<global>>'}}
  gpu.func @k(%w: memref<4x8xi32, strided<[1, 4]>, #gl> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a stride that an extent may contradict.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4x?xi32, strided<[8, 1]>, #gl> {carousel.workspace = #carousel.workspace<[8]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a place behind the first element.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4xi32, strided<[1], offset: 4>, #gl> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: shared memory.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4xi32, #gpu.address_space<workgroup>> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a workspace that nobody writes.
gpu.module @kernels {
  // expected-error @below {{expected a workspace that is read and written, got in for kernel argument 0}}
  gpu.func @k(%w: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"w", in>, carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}
