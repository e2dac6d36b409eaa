// Launches that don't fit their kernels, and programs that aren't ones.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C220: one world
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32> {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}
func.func @mixed(%x: tensor<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{expected tensors only or memrefs only, got 'tensor<?xf32>' and 'memref<?xf32>'}}
  carousel.launch_kernel @kernels::@copy ins(%x : tensor<?xf32>) outs(%y : memref<?xf32>)
  return
}

// -----

// C220: memory that kernels reach
func.func @shared(%x: memref<?xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{expected memrefs in global memory, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  carousel.launch_kernel @kernels::@copy ins(%x : memref<?xf32, #gpu.address_space<workgroup>>)
  return
}

// -----

// C221: a module
func.func @no_module(%x: memref<?xf32>) {
  // expected-error @below {{expected a kernel of a gpu.module, as in @kernels::@name, got @kernels::@copy}}
  carousel.launch_kernel @kernels::@copy ins(%x : memref<?xf32>)
  return
}

// -----

// C221: no name in it
gpu.module @kernels {
}
func.func @no_name(%x: memref<?xf32>) {
  // expected-error @below {{expected a kernel of a gpu.module, as in @kernels::@name, got @kernels}}
  carousel.launch_kernel @kernels ins(%x : memref<?xf32>)
  return
}

// -----

// C221: a device function
gpu.module @kernels {
  gpu.func @helper(%x: memref<?xf32>) {
    gpu.return
  }
}
func.func @device_function(%x: memref<?xf32>) {
  // expected-error @below {{expected the name of a kernel of @kernels, got @helper}}
  carousel.launch_kernel @kernels::@helper outs(%x : memref<?xf32>)
  return
}
// -----

// C221: the name of a variant, which callers don't use
gpu.module @kernels {
  gpu.func @copy_aligned(%x: memref<?xf32>) kernel attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
}
func.func @variant(%x: memref<?xf32>) {
  // expected-error @below {{expected the name of a kernel of @kernels, got @copy_aligned}}
  carousel.launch_kernel @kernels::@copy_aligned outs(%x : memref<?xf32>)
  return
}

// -----

// C222: numbers of operands; an argument without an access is written
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @copy(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @few(%x: memref<?xf32>) {
  // expected-error @below {{expected 1 ins, the arguments that @copy only reads, got 0}}
  carousel.launch_kernel @kernels::@copy outs(%x : memref<?xf32>)
  return
}
// -----

// C222: numbers of operands
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @copy(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @all_read(%x: memref<?xf32>) {
  // expected-error @below {{expected 1 outs, the arguments that @copy writes, got 0}}
  carousel.launch_kernel @kernels::@copy ins(%x : memref<?xf32>)
  return
}

// -----

// C222: elements, rank, extents, strides and numbers
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @elements(%x: tensor<?x64xf16>, %n: i32, %y: tensor<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'x' of type 'memref<?x64xf32, strided<[64, 1]>>', got 'tensor<?x64xf16>'}}
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %n : tensor<?x64xf16>, i32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return
}
// -----

// C222: rank
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @rank(%x: tensor<?x64xf32>, %n: i32, %y: tensor<f32>) {
  // expected-error @below {{expected outs that fit the kernel's argument 'arg2' of type 'memref<?xf32>', got 'tensor<f32>'}}
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %n : tensor<?x64xf32>, i32) outs(%y : tensor<f32>) -> tensor<f32>
  return
}
// -----

// C222: extents
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @extent(%x: tensor<?x32xf32>, %n: i32, %y: tensor<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'x' of type 'memref<?x64xf32, strided<[64, 1]>>', got 'tensor<?x32xf32>'}}
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %n : tensor<?x32xf32>, i32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return
}
// -----

// C222: extents that the operand leaves open
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @unknown_extent(%x: tensor<?x?xf32>, %n: i32, %y: tensor<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'x' of type 'memref<?x64xf32, strided<[64, 1]>>', got 'tensor<?x?xf32>'}}
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %n : tensor<?x?xf32>, i32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return
}
// -----

// C222: strides
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @strides(%x: memref<?x64xf32, strided<[128, 1]>>, %n: i32, %y: memref<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'x' of type 'memref<?x64xf32, strided<[64, 1]>>', got 'memref<?x64xf32, strided<[128, 1]>>'}}
  carousel.launch_kernel @kernels::@scale ins(%x, %n : memref<?x64xf32, strided<[128, 1]>>, i32) outs(%y : memref<?xf32>)
  return
}
// -----

// C222: numbers
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @number(%x: memref<?x64xf32>, %n: index, %y: memref<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'arg1' of type 'i32', got 'index'}}
  carousel.launch_kernel @kernels::@scale ins(%x, %n : memref<?x64xf32>, index) outs(%y : memref<?xf32>)
  return
}
// -----

// C222: numbers aren't memory
gpu.module @kernels {
  // expected-note @below {{the kernel}}
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
func.func @memory_for_number(%x: memref<?x64xf32>, %n: memref<i32>, %y: memref<?xf32>) {
  // expected-error @below {{expected ins that fit the kernel's argument 'arg1' of type 'i32', got 'memref<i32>'}}
  carousel.launch_kernel @kernels::@scale ins(%x, %n : memref<?x64xf32>, memref<i32>) outs(%y : memref<?xf32>)
  return
}
// -----

// Accepted
gpu.module @kernels {
  gpu.func @scale(%x: memref<?x64xf32, strided<[64, 1]>> {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32, %y: memref<?xf32>) kernel {
    gpu.return
  }
}
// Strides that neither type states are compared by the launch.
func.func @unknown_stride(%x: memref<?x64xf32, strided<[?, 1]>>, %n: i32, %y: memref<?xf32>) {
  carousel.launch_kernel @kernels::@scale ins(%x, %n : memref<?x64xf32, strided<[?, 1]>>, i32) outs(%y : memref<?xf32>)
  return
}

// -----

// C223: results are arguments
// expected-error @below {{expected a program without results, got '(memref<?xf32>) -> memref<?xf32>'}}
func.func @results(%x: memref<?xf32>) -> memref<?xf32> attributes {carousel.program} {
  return %x : memref<?xf32>
}

// -----

// C223: buffers
// expected-error @below {{expected arguments of a program that are memrefs in global memory or numbers, got 'tensor<?xf32>'}}
func.func @tensors(%x: tensor<?xf32>) attributes {carousel.program} {
  return
}

// -----

// C223: a unit
// expected-error @below {{expected carousel.program without a value, got 1 : i64}}
func.func @value() attributes {carousel.program = 1} {
  return
}

// -----

// C116: another place
gpu.module @kernels {
  // expected-error @below {{expected carousel.program on a func.func, got it on gpu.func}}
  gpu.func @kernel() kernel attributes {carousel.program} {
    gpu.return
  }
}

// -----

// C119: arguments on the host
// expected-error @below {{expected a memref or tensor for an argument that is written, got out for argument 0 of type 'i32'}}
func.func @number(%n: i32 {carousel.argument = #carousel.argument<"n", out>}) {
  return
}

// -----

// C119: names
// expected-error @below {{expected the function's arguments to have different names, got 'x' twice}}
func.func @names(%x: memref<4xf32> {carousel.argument = #carousel.argument<"x">},
                 %y: memref<4xf32> {carousel.argument = #carousel.argument<"x">}) {
  return
}

// -----

// C204: aliases are a promise to kernels and programs
// expected-error @below {{expected may_alias on an argument of a kernel or program, or on a result of tensors, got it on argument 1 of a func.func}}
func.func @alias(%x: memref<4xf32> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<4xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) {
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// C220: products have tensors or memrefs, too
func.func @mixed_product(%x: tensor<4x8xf32>, %w: memref<8x2xf32>, %y: tensor<4x2xf32>) {
  // expected-error @+1 {{expected tensors only or memrefs only, got 'tensor<4x8xf32>' and 'memref<8x2xf32>'}}
  carousel.library_matmul ins(%x, %w : tensor<4x8xf32>, memref<8x2xf32>) outs(%y : tensor<4x2xf32>)
      {indexing_maps = [#mk, #kn, #mn]} -> tensor<4x2xf32>
  return
}

// C227: elements of factors
func.func @product_of_integers(%x: memref<4x8xi8>, %w: memref<8x2xi8>, %y: memref<4x2xi8>) {
  // expected-error @+1 {{expected factors of f32, f16 or bf16, both of the same, got 'i8' and 'i8'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xi8>, memref<8x2xi8>) outs(%y : memref<4x2xi8>)
      {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C227: of both
func.func @product_of_two_types(%x: memref<4x8xf16>, %w: memref<8x2xbf16>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected factors of f32, f16 or bf16, both of the same, got 'f16' and 'bf16'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xbf16>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C227: elements of the result
func.func @rounded_product(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %y: memref<4x2xbf16>) {
  // expected-error @+1 {{expected a result of f32 or of the factors' 'f32', got 'bf16'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%y : memref<4x2xbf16>)
      {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C227: tf32
func.func @product_in_tf32(%x: memref<4x8xf16>, %w: memref<8x2xf16>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected tf32 for factors of f32, got 'f16'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xf16>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [#mk, #kn, #mn], tf32}
  return
}

// C227: scratch
func.func @product_with_scratch(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected scratch of one dimension of i8, got 'memref<4x8xf32>'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%y : memref<4x2xf32>)
      scratch(%x : memref<4x8xf32>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C228: three maps
func.func @two_maps(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected three projected permutations of loops (batches, m, n, k), to (m, k), (k, n) and (m, n) with the batches, got [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [#mk, #kn]}
  return
}

// C228: loops in their order
func.func @other_loops(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected three projected permutations of loops (batches, m, n, k)}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [affine_map<(k, m, n) -> (m, k)>, affine_map<(k, m, n) -> (k, n)>,
                        affine_map<(k, m, n) -> (m, n)>]}
  return
}

// C228: the operands' ranks
func.func @ranks(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected three projected permutations of loops (batches, m, n, k)}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (k)>, #kn, #mn]}
  return
}

// C228: batches of the result
func.func @sum_of_batches(%x: memref<3x4x8xf32>, %w: memref<3x8x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected three projected permutations of loops (batches, m, n, k)}}
  carousel.library_matmul ins(%x, %w : memref<3x4x8xf32>, memref<3x8x2xf32>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                        affine_map<(b, m, n, k) -> (m, n)>]}
  return
}

// C297: a bias of the result's elements
func.func @bias_of_another_type(%x: memref<4x8xf16>, %w: memref<8x2xf16>, %b: memref<2xf32>, %y: memref<4x2xf16>) {
  // expected-error @+1 {{expected a bias of one dimension, as long as n and with elements of 'f16', got 'memref<2xf32>'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xf16>) bias(%b : memref<2xf32>)
      outs(%y : memref<4x2xf16>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C297: along n
func.func @bias_along_rows(%x: memref<4x8xf16>, %w: memref<8x2xf16>, %b: memref<4xf16>, %y: memref<4x2xf16>) {
  // expected-error @+1 {{expected a bias of one dimension, as long as n and with elements of 'f16', got 'memref<4xf16>'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xf16>) bias(%b : memref<4xf16>)
      outs(%y : memref<4x2xf16>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C297: one dimension
func.func @bias_of_two_dimensions(%x: memref<4x8xf16>, %w: memref<8x2xf16>, %b: memref<1x2xf16>, %y: memref<4x2xf16>) {
  // expected-error @+1 {{expected a bias of one dimension, as long as n and with elements of 'f16', got 'memref<1x2xf16>'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xf16>) bias(%b : memref<1x2xf16>)
      outs(%y : memref<4x2xf16>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C297: a residual of the result's extents
func.func @residual_of_other_extents(%x: memref<?x8xf16>, %w: memref<8x2xf16>, %r: memref<?x3xf16>, %y: memref<?x2xf16>) {
  // expected-error @+1 {{expected a residual of the result's extents and elements, got 'memref<?x3xf16>' and 'memref<?x2xf16>'}}
  carousel.library_matmul ins(%x, %w : memref<?x8xf16>, memref<8x2xf16>) residual(%r : memref<?x3xf16>)
      outs(%y : memref<?x2xf16>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C297: and of its elements
func.func @residual_of_another_type(%x: memref<4x8xf16>, %w: memref<8x2xf16>, %r: memref<4x2xf32>, %y: memref<4x2xf16>) {
  // expected-error @+1 {{expected a residual of the result's extents and elements, got 'memref<4x2xf32>' and 'memref<4x2xf16>'}}
  carousel.library_matmul ins(%x, %w : memref<4x8xf16>, memref<8x2xf16>) residual(%r : memref<4x2xf32>)
      outs(%y : memref<4x2xf16>) {indexing_maps = [#mk, #kn, #mn]}
  return
}

// C228: extents
func.func @depths(%x: memref<?x8xf32>, %w: memref<9x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{expected extents that agree along loop 2, got 8 and 9}}
  carousel.library_matmul ins(%x, %w : memref<?x8xf32>, memref<9x2xf32>) outs(%y : memref<4x2xf32>)
      {indexing_maps = [#mk, #kn, #mn]}
  return
}

// -----

// C204: of a program, too
// expected-error @below {{expected may_alias of program argument 0 to name an earlier argument, got 1 for argument 0}}
func.func @program_order(%x: memref<4xf32> {carousel.argument = #carousel.argument<"x", in, may_alias = 1>},
                         %y: memref<4xf32>) attributes {carousel.program} {
  return
}

// -----

// C204: types
// expected-error @below {{expected arguments that may alias to be memrefs of one type, got 'memref<4xf32>' and 'memref<8xf32>'}}
func.func @program_types(%x: memref<4xf32>,
                         %y: memref<8xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>})
    attributes {carousel.program} {
  return
}

// -----

// C119: results are written
// expected-error @below {{expected out for a result that is a tensor or memref, got #carousel.argument<"y", in> on result 0 of type 'tensor<4xf32>'}}
func.func @read_result(%x: tensor<4xf32>) -> (tensor<4xf32> {carousel.argument = #carousel.argument<"y", in>}) {
  return %x : tensor<4xf32>
}

// -----

// C119: results are tensors
// expected-error @below {{expected out for a result that is a tensor or memref, got #carousel.argument<"y", out> on result 0 of type 'f32'}}
func.func @number_result(%x: f32) -> (f32 {carousel.argument = #carousel.argument<"y", out>}) {
  return %x : f32
}

// -----

// C119: names of results
// expected-error @below {{expected the function's arguments to have different names, got 'x' twice}}
func.func @result_name(%x: tensor<4xf32> {carousel.argument = #carousel.argument<"x", in>})
    -> (tensor<4xf32> {carousel.argument = #carousel.argument<"x", out>}) {
  return %x : tensor<4xf32>
}

// -----

// C116: nothing else on results
// expected-error @below {{expected carousel.workspace on a memref argument of a kernel, got it on a result}}
func.func @workspace_result(%x: tensor<4xf32>) -> (tensor<4xf32> {carousel.workspace = #carousel.workspace<[]>}) {
  return %x : tensor<4xf32>
}

// -----

// C311: a name
gpu.module @kernels {
  gpu.func @fill(%y: memref<?xf32> {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}
func.func @family(%y: memref<?xf32>) {
  // expected-error @below {{expected carousel.family with a name of printable characters, got ""}}
  carousel.launch_kernel @kernels::@fill outs(%y : memref<?xf32>) {carousel.family = ""}
  return
}

// -----

// C311: of a launch
// expected-error @below {{expected carousel.family on a carousel.launch_kernel, got it on func.func}}
func.func @family_of_function() attributes {carousel.family = "row"} {
  return
}

// -----

// C358: of a step
// expected-error @below {{expected carousel.at_load on a launch, a library's product, a fill or a copy, got it on func.func}}
func.func @load_of_function() attributes {carousel.at_load} {
  return
}

// -----

// C358: without a value
func.func @load_with_value(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{expected carousel.at_load without a value, got true}}
  memref.copy %x, %y {carousel.at_load = true} : memref<?xf32> to memref<?xf32>
  return
}

// -----

// C359: of elements
// expected-error @below {{expected carousel.parameter without a value, on a tensor or memref argument, got unit on argument 0 of type 'f32'}}
func.func @parameter_of_number(%a: f32 {carousel.parameter}) {
  return
}

// -----

// C359: of a program
gpu.module @kernels {
  // expected-error @below {{expected carousel.parameter on a tensor or memref argument of a func.func, got it on an argument that isn't a tensor map}}
  gpu.func @k(%x: memref<?xf32> {carousel.parameter}) kernel {
    gpu.return
  }
}

// -----

// C359: of memory that no result has
// expected-error @below {{expected a parameter that no launch writes, got argument 0, whose memory a result may have}}
func.func @parameter_given_away(%x: tensor<4xf32> {carousel.parameter})
    -> (tensor<4xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) {
  return %x : tensor<4xf32>
}

// -----

// C359: as JAX says it
// expected-error @below {{expected a parameter that no launch writes, got argument 0, whose memory a result may have}}
func.func @parameter_donated(%x: tensor<4xf32> {carousel.parameter, tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// C360
// expected-error @+1 {{expected tiles of 1 to 1048576 elements, got 0}}
#s = #carousel.group_schedule<row, [<[0], grid, 0>]>

// -----

// C360
// expected-error @+1 {{expected each dimension of the group once, got 0 twice}}
#s = #carousel.group_schedule<row, [<[0, 0], grid, 1>]>

// -----

// C360
// expected-error @+1 {{expected each dimension of the group once, got -1}}
#s = #carousel.group_schedule<row, [<[-1], grid, 1>]>

// -----

// C360
// expected-error @+1 {{expected a position below the number of dims, 1, got 1}}
#s = #carousel.group_schedule<row, [<[0], grid, 1>] covered = 1>

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected the region's arguments to have the types of the op's, got}}
  %0 = carousel.group "g"(%a) {
  ^bb0(%x: tensor<4xf32>, %y: index):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected the region's results to have the types of the op's, got}}
  %0 = carousel.group "g"(%a) {
  ^bb0(%x: tensor<4xf32>):
    carousel.yield
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a region that ends with carousel.yield, got llvm.unreachable}}
  %0 = carousel.group "g"(%a) {
  ^bb0(%x: tensor<4xf32>):
    llvm.unreachable
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected one schedule or more, got none}}
  %0 = carousel.group "g"(%a) attributes {schedules = []} {
  ^bb0(%x: tensor<4xf32>):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected the last of several schedules to be for all launches, got}}
  %0 = carousel.group "g"(%a) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>]>, #carousel.group_schedule<row, [<[0], grid, 1>] few_rows = 0>]} {
  ^bb0(%x: tensor<4xf32>):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C360
// expected-error @+1 {{expected a division by numbers above 0, got}}
#s = #carousel.group_schedule<column, [<[0], loop, 1>] division = <position = 0, least_length = 0, most_parts = 2, wanted_programs = 2>>

// -----

// C361
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a kernel with a name, got an empty one}}
  %0 = carousel.group ""(%a) {
  ^bb0(%x: tensor<4xf32>):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
