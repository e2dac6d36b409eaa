// Launch attributes in the wrong place, or of another type than their name says.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

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
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, or of a func.func, got it on gpu.func}}
  gpu.func @k() kernel attributes {carousel.argument = #carousel.argument<"x">} {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C116: a tensor map as an argument.
gpu.module @kernels {
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, or of a func.func, got it on a tensor map argument}}
  gpu.func @k(%map: !map {carousel.argument = #carousel.argument<"x">}) kernel {
    gpu.return
  }
}

// -----

// C116: an argument of a device function.
gpu.module @kernels {
  // expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, or of a func.func, got it on an argument of a device function}}
  gpu.func @k(%n: index {carousel.argument = #carousel.argument<"n">}) {
    gpu.return
  }
}

// -----

// C116: an argument of a host function.
// expected-error @below {{expected carousel.argument on an argument of a kernel that isn't a tensor map, or of a func.func, got it on an argument of llvm.func}}
llvm.func @f(i64 {carousel.argument = #carousel.argument<"n">})

// -----

// C119: a result that is no memory.
// expected-error @below {{expected out for a result that is a tensor or memref, got #carousel.argument<"n"> on result 0 of type 'index'}}
func.func private @f() -> (index {carousel.argument = #carousel.argument<"n">})

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

// C116: a device function isn't launched.
gpu.module @kernels {
  // expected-error @below {{expected carousel.for_programs on a gpu.func that is a kernel, got it on a device function}}
  gpu.func @k() attributes {carousel.for_programs} {
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
