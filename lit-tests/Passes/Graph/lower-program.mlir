// Programs on tensors become programs on buffers.
// RUN: carousel-opt %s --carousel-lower-program | FileCheck %s
// RUN: carousel-opt %s --carousel-lower-program --carousel-lower-program | FileCheck %s
// Upstream's pass lowers launches, too.
// RUN: carousel-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map unknown-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=UPSTREAM

#gl = #gpu.address_space<global>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!vector = memref<?xf32, #gl>

gpu.module @kernels {
  gpu.func @scale(%x: !rows {carousel.argument = #carousel.argument<"x", in>}, %a: f32,
                  %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
  gpu.func @add(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                %sum: !vector {carousel.argument = #carousel.argument<"sum", inout>}) kernel {
    gpu.return
  }
  gpu.func @copy(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}

// The first value is in a buffer, the second one in the memory of the result.
// DOC-EXAMPLE: --carousel-lower-program
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>}, %[[A:.*]]: f32 {carousel.argument = #carousel.argument<"arg1", in>}, %[[OUT:.*]]: memref<?x64xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"result0", out>}) attributes {carousel.program} {
// CHECK: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[PASSED:.*]] = memref.dim %[[OUT]], %c0
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[M]], %[[PASSED]]
// CHECK: cf.assert %[[EQUAL]], "expected result0 to have the extent that the program computes in dimension 0"
// CHECK: %[[BUFFER:.*]] = memref.alloc(%[[M]]) {alignment = 256 : i64} : memref<?x64xf32, #gpu.address_space<global>>
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[X]], %[[A]] : {{.*}}) outs(%[[BUFFER]] : {{.*}})
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[BUFFER]], %[[A]] : {{.*}}) outs(%[[OUT]] : {{.*}})
// CHECK-NEXT: memref.dealloc %[[BUFFER]]
// CHECK-NEXT: return
// UPSTREAM-LABEL: func.func @chain
// UPSTREAM: carousel.launch_kernel @kernels::@scale ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, f32) outs(%[[FIRST:.*]] : memref<?x64xf32>)
// UPSTREAM-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[FIRST]], %{{.*}} : memref<?x64xf32>, f32) outs(%[[SECOND:.*]] : memref<?x64xf32>)
// UPSTREAM-NEXT: return %[[SECOND]]
func.func @chain(%x: tensor<?x64xf32> {carousel.argument = #carousel.argument<"x", in>}, %a: f32) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %a : tensor<?x64xf32>, f32)
      outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = carousel.launch_kernel @kernels::@scale ins(%0, %a : tensor<?x64xf32>, f32)
      outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// A result that is an argument is copied, and so is one that is returned twice. Nothing needs the
// launch whose result is unused. A name that is taken changes.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: (%[[X:.*]]: memref<4x64xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"result1", in>}, %[[A:.*]]: f32 {{.*}}, %[[R0:.*]]: memref<{{.*}}> {carousel.argument = #carousel.argument<"result0", out>}, %[[R1:.*]]: memref<{{.*}}> {carousel.argument = #carousel.argument<"result1_", out>}, %[[R2:.*]]: memref<{{.*}}> {carousel.argument = #carousel.argument<"result2", out>})
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[X]], %[[A]] : {{.*}}) outs(%[[R1]] : {{.*}})
// CHECK-NEXT: memref.copy %[[X]], %[[R0]]
// CHECK-NEXT: memref.copy %[[R1]], %[[R2]]
// CHECK-NEXT: return
func.func @returned(%x: tensor<4x64xf32> {carousel.argument = #carousel.argument<"result1", in>}, %a: f32)
    -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %a : tensor<4x64xf32>, f32)
      outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = carousel.launch_kernel @kernels::@scale ins(%0, %a : tensor<4x64xf32>, f32)
      outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %x, %0, %0 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// An argument isn't written: what the kernel adds to is a copy of it.
// CHECK-LABEL: func.func @argument_as_output
// CHECK-SAME: (%[[X:.*]]: memref<9xf32, {{.*}}, %[[Y:.*]]: memref<9xf32, {{.*}}, %[[R:.*]]: memref<9xf32,
// CHECK-NEXT: %[[SUM:.*]] = memref.alloc() {alignment = 256 : i64} : memref<9xf32, #gpu.address_space<global>>
// CHECK-NEXT: memref.copy %[[Y]], %[[SUM]]
// CHECK-NEXT: carousel.launch_kernel @kernels::@add ins(%[[X]] : {{.*}}) outs(%[[SUM]] : {{.*}})
// CHECK-NEXT: memref.copy %[[SUM]], %[[R]]
// CHECK-NEXT: memref.dealloc %[[SUM]]
func.func @argument_as_output(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %0 = carousel.launch_kernel @kernels::@add ins(%x : tensor<9xf32>) outs(%y : tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// What a kernel only writes isn't copied there.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME: (%[[X:.*]]: memref<4x64xf32, {{.*}}, %[[Y:.*]]: memref<4x64xf32, {{.*}}, %[[A:.*]]: f32 {{.*}}, %[[R:.*]]: memref<4x64xf32,
// CHECK-NEXT: %[[BUFFER:.*]] = memref.alloc()
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[X]], %[[A]] : {{.*}}) outs(%[[BUFFER]] : {{.*}})
// CHECK-NEXT: memref.copy %[[BUFFER]], %[[R]]
func.func @overwritten(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>, %a: f32) -> tensor<4x64xf32> {
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %a : tensor<4x64xf32>, f32)
      outs(%y : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// What a kernel both reads and writes is filled in place.
// CHECK-LABEL: func.func @filled
// CHECK-SAME: (%[[X:.*]]: memref<9xf32, {{.*}}, %[[R:.*]]: memref<9xf32,
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[R]] : {{.*}})
// CHECK-NEXT: carousel.launch_kernel @kernels::@add ins(%[[X]] : {{.*}}) outs(%[[R]] : {{.*}})
// CHECK-NEXT: return
func.func @filled(%x: tensor<9xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %1 = carousel.launch_kernel @kernels::@add ins(%x : tensor<9xf32>) outs(%0 : tensor<9xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// A kernel with strides takes slices as they are. One without them gets copies, and its results are
// copied to where they belong.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: (%[[X:.*]]: memref<8x64xf32, {{.*}}, %[[A:.*]]: f32 {{.*}}, %[[R:.*]]: memref<8x64xf32,
// CHECK: %[[LEFT:.*]] = memref.subview %[[X]][0, 0] [8, 32] [1, 1]
// CHECK: %[[TO_LEFT:.*]] = memref.subview %[[R]][0, 0] [8, 32] [1, 1]
// CHECK: carousel.launch_kernel @kernels::@scale ins(%[[LEFT]], %[[A]] : {{.*}}) outs(%[[TO_LEFT]] : {{.*}})
// CHECK: %[[TO_RIGHT:.*]] = memref.subview %[[R]][0, 32] [8, 32] [1, 1]
// CHECK: %[[FROM:.*]] = memref.alloc() {{.*}} : memref<8x32xf32, #gpu.address_space<global>>
// CHECK: memref.copy %[[LEFT]], %[[FROM]]
// CHECK: %[[TO:.*]] = memref.alloc() {{.*}} : memref<8x32xf32, #gpu.address_space<global>>
// CHECK: carousel.launch_kernel @kernels::@copy ins(%[[FROM]] : {{.*}}) outs(%[[TO]] : {{.*}})
// CHECK: memref.dealloc %[[FROM]]
// CHECK: memref.copy %[[TO]], %[[TO_RIGHT]]
// CHECK: memref.dealloc %[[TO]]
// CHECK-NEXT: return
func.func @slices(%x: tensor<8x64xf32>, %a: f32) -> tensor<8x64xf32> {
  %left = tensor.extract_slice %x[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %f = tensor.empty() : tensor<8x64xf32>
  %0 = carousel.launch_kernel @kernels::@scale ins(%left, %a : tensor<8x32xf32>, f32)
      outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = carousel.launch_kernel @kernels::@copy ins(%left : tensor<8x32xf32>)
      outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = tensor.insert_slice %0 into %f[0, 0] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
  %3 = tensor.insert_slice %1 into %2[0, 32] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}

// Rows of a contiguous matrix are contiguous, which the type of the slice shows.
// CHECK-LABEL: func.func @contiguous_slice
// CHECK-NEXT: %[[ROWS:.*]] = memref.subview
// CHECK-NEXT: carousel.launch_kernel @kernels::@copy ins(%[[ROWS]] : {{.*}}) outs(%{{.*}} : {{.*}})
// CHECK-NEXT: return
func.func @contiguous_slice(%x: tensor<8x64xf32>) -> tensor<4x64xf32> {
  %rows = tensor.extract_slice %x[2, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
  %e = tensor.empty() : tensor<4x64xf32>
  %0 = carousel.launch_kernel @kernels::@copy ins(%rows : tensor<4x64xf32>)
      outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// Reshapes are views, also of results.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: memref<?xf32, {{.*}}, %[[A:.*]]: f32 {{.*}}, %[[R:.*]]: memref<?xf32,
// CHECK: cf.assert
// CHECK: %[[TO:.*]] = memref.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 3]
// CHECK: %[[FROM:.*]] = memref.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 3]
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[FROM]], %[[A]] : {{.*}}) outs(%[[TO]] : {{.*}})
// CHECK-NEXT: return
func.func @reshapes(%x: tensor<?xf32>, %a: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divui %k, %c3 : index
  %rows = tensor.expand_shape %x [[0, 1]] output_shape [%m, 3] : tensor<?xf32> into tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %0 = carousel.launch_kernel @kernels::@scale ins(%rows, %a : tensor<?x3xf32>, f32)
      outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %flat = tensor.collapse_shape %0 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %flat : tensor<?xf32>
}

// Slices whose type doesn't show that they are inside are checked at the launch. Those of all of an extent need no check.
// CHECK-LABEL: func.func @inside
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32, {{.*}}, %[[N:.*]]: index {{.*}}, %{{.*}}: memref<?x32xf32,
// CHECK-DAG: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[POSITIVE:.*]] = arith.cmpi sge, %[[N]], %c0
// CHECK-DAG: cf.assert %[[POSITIVE]], "expected a slice inside of dimension 0 of x"
// CHECK-DAG: %[[LAST:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK-DAG: %[[MOST:.*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi sle, %[[LAST]], %[[MOST]]
// CHECK-DAG: cf.assert %[[INSIDE]], "expected a slice inside of dimension 0 of x"
// CHECK-NOT: cf.assert {{.*}} "expected a slice
// CHECK: memref.subview %[[X]][1, 32] [%[[N]], 32] [2, 1]
func.func @inside(%x: tensor<?x64xf32> {carousel.argument = #carousel.argument<"x", in>}, %n: index, %a: f32)
    -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %left = tensor.extract_slice %x[0, 0] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %part = tensor.extract_slice %x[1, 32] [%n, 32] [2, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %d = tensor.empty(%m) : tensor<?x32xf32>
  %0 = carousel.launch_kernel @kernels::@scale ins(%left, %a : tensor<?x32xf32>, f32)
      outs(%d : tensor<?x32xf32>) -> tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %1 = carousel.launch_kernel @kernels::@scale ins(%part, %a : tensor<?x32xf32>, f32)
      outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0, %1 : tensor<?x32xf32>, tensor<?x32xf32>
}

// The extents of buffers that copies of reshaped slices need follow from arguments, not from views of buffers.
// CHECK-LABEL: func.func @reshaped_slices
// CHECK-SAME: (%[[X:.*]]: memref<?x2x8xf32,
// CHECK: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[ALL:.*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK: memref.alloc(%[[ALL]]) {{.*}} : memref<?xf32, #gpu.address_space<global>>
// CHECK: memref.alloc(%[[ALL]]) {{.*}} : memref<?xf32, #gpu.address_space<global>>
// CHECK-NOT: memref.dim
// CHECK: return
func.func @reshaped_slices(%x: tensor<?x2x8xf32>, %sums: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x2x8xf32>
  %even = tensor.extract_slice %x[0, 0, 0] [%m, 2, 4] [1, 1, 2] : tensor<?x2x8xf32> to tensor<?x2x4xf32>
  %odd = tensor.extract_slice %x[0, 0, 1] [%m, 2, 4] [1, 1, 2] : tensor<?x2x8xf32> to tensor<?x2x4xf32>
  %0 = tensor.collapse_shape %even [[0, 1, 2]] : tensor<?x2x4xf32> into tensor<?xf32>
  %1 = tensor.collapse_shape %odd [[0, 1, 2]] : tensor<?x2x4xf32> into tensor<?xf32>
  %2 = carousel.launch_kernel @kernels::@add ins(%0 : tensor<?xf32>) outs(%sums : tensor<?xf32>) -> tensor<?xf32>
  %3 = carousel.launch_kernel @kernels::@add ins(%1 : tensor<?xf32>) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// Functions on memrefs stay, such as a reference.
// CHECK-LABEL: func.func @reference
// CHECK-SAME: (%{{.*}}: memref<?xf32>, %{{.*}}: i1) {
// CHECK: cf.cond_br
func.func @reference(%x: memref<?xf32>, %c: i1) {
  cf.cond_br %c, ^again, ^end
^again:
  func.call @reference(%x, %c) : (memref<?xf32>, i1) -> ()
  cf.br ^end
^end:
  return
}

// A library's product has scratch memory, which doesn't outlive it. What has no dimension of stride 1 is copied.
// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[X:.*]]: memref<8x4x2xf32, #gpu.address_space<global>> {{.*}}, %[[W:.*]]: memref<4x16xf32, #gpu.address_space<global>> {{.*}}, %[[OUT:.*]]: memref<8x16xf32, #gpu.address_space<global>> {{.*}})
// CHECK: %[[SLICE:.*]] = memref.subview %[[X]][0, 0, 1] [8, 4, 1] [1, 1, 1]
// CHECK: %[[PLAIN:.*]] = memref.alloc() {alignment = 256 : i64} : memref<8x4xf32, #gpu.address_space<global>>
// CHECK: memref.copy %[[SLICE]], %[[PLAIN]]
// CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<33554432xi8, #gpu.address_space<global>>
// CHECK-NEXT: carousel.library_matmul ins(%[[PLAIN]], %[[W]] : {{.*}}) outs(%[[OUT]] : {{.*}}) scratch(%[[SCRATCH]] : {{.*}})
// CHECK: memref.dealloc %[[SCRATCH]]
// CHECK-NOT: memref.copy
// CHECK: return
// UPSTREAM-LABEL: func.func @product
// UPSTREAM: carousel.library_matmul
func.func @product(%x: tensor<8x4x2xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %slice = tensor.extract_slice %x[0, 0, 1] [8, 4, 1] [1, 1, 1] : tensor<8x4x2xf32> to tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %y = carousel.library_matmul ins(%slice, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%e : tensor<8x16xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>]} -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// A bias with gaps is copied, and a residual or a result in which elements aren't neighbours along n. The first call's
// factors and result are as they are.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: (%[[X:.*]]: memref<8x4xf32, #gpu.address_space<global>> {{.*}}, %[[W:.*]]: memref<4x16xf32, #gpu.address_space<global>> {{.*}}, %[[B:.*]]: memref<16x2xf32, #gpu.address_space<global>> {{.*}}, %[[R:.*]]: memref<16x8x2xf32, #gpu.address_space<global>> {{.*}}, %[[OUT:[^ ]*]]: memref<8x16xf32, #gpu.address_space<global>> {{.*}}, %[[TURNED:.*]]: memref<16x8xf32, #gpu.address_space<global>> {{.*}})
// CHECK: %[[GAPS:.*]] = memref.subview %[[B]][0, 1] [16, 1] [1, 1]
// CHECK: %[[BIAS:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xf32, #gpu.address_space<global>>
// CHECK: memref.copy %[[GAPS]], %[[BIAS]]
// CHECK: carousel.library_matmul ins(%[[X]], %[[W]] : {{.*}}) bias(%[[BIAS]] : memref<16xf32, {{.*}}) function(relu) outs(%[[OUT]] : {{.*}}) scratch(
// CHECK: memref.copy %{{.*}}, %[[PLAIN:.*]] : memref<16x8xf32, strided<[16, 2], offset: 1>, #gpu.address_space<global>>
// CHECK: carousel.library_matmul ins(%[[X]], %[[W]] : {{.*}}) residual(%[[PLAIN]] : memref<16x8xf32, {{.*}}) outs(%[[RESULT:.*]] : {{.*}}) scratch(
// CHECK: memref.copy %[[RESULT]], %[[TURNED]]
// UPSTREAM-LABEL: func.func @epilogue
// UPSTREAM: carousel.library_matmul
func.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16x2xf32>, %r: tensor<16x8x2xf32>)
    -> (tensor<8x16xf32>, tensor<16x8xf32>) {
  %bias = tensor.extract_slice %b[0, 1] [16, 1] [1, 1] : tensor<16x2xf32> to tensor<16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %y = carousel.library_matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) bias(%bias : tensor<16xf32>)
      function(relu) outs(%e : tensor<8x16xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>]} -> tensor<8x16xf32>
  %residual = tensor.extract_slice %r[0, 0, 1] [16, 8, 1] [1, 1, 1] : tensor<16x8x2xf32> to tensor<16x8xf32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %z = carousel.library_matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) residual(%residual : tensor<16x8xf32>)
      outs(%e1 : tensor<16x8xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (n, m)>]} -> tensor<16x8xf32>
  return %y, %z : tensor<8x16xf32>, tensor<16x8xf32>
}

// An argument in its own memory needs a copy where callers pass other memory.
// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:.*]]: memref<?xf32, {{.*}}}, %[[Y:.*]]: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>})
// CHECK: "expected y to have the extent that the program computes in dimension 0"
// CHECK: memref.copy %[[X]], %[[Y]]
// CHECK-NEXT: return
func.func @same(%x: tensor<?xf32>)
    -> (tensor<?xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) {
  return %x : tensor<?xf32>
}

// The second launch reads what the first one writes in the memory of the argument.
// CHECK-LABEL: func.func @late
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32, {{.*}}, %[[A:.*]]: f32 {{.*}}, %[[B:.*]]: f32 {{.*}}, %[[Y:.*]]: memref<?x64xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"result0", out, may_alias = 0>}, %[[Z:.*]]: memref
// CHECK: %[[OWN:.*]] = memref.alloc
// CHECK: carousel.launch_kernel @kernels::@scale ins(%[[X]], %[[A]] : {{.*}}) outs(%[[OWN]] : {{.*}})
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%[[X]], %[[B]] : {{.*}}) outs(%[[Z]] : {{.*}})
// CHECK-NEXT: memref.copy %[[OWN]], %[[Y]]
// CHECK-NEXT: memref.dealloc %[[OWN]]
func.func @late(%x: tensor<?x64xf32> {tf.aliasing_output = 0 : i32}, %a: f32, %b: f32)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%d) : tensor<?x64xf32>
  %y = carousel.launch_kernel @kernels::@scale ins(%x, %a : tensor<?x64xf32>, f32)
      outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %f = tensor.empty(%d) : tensor<?x64xf32>
  %z = carousel.launch_kernel @kernels::@scale ins(%x, %b : tensor<?x64xf32>, f32)
      outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}
