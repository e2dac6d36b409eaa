// Launch attributes: every form, printed and parsed again.
// RUN: carousel-opt %s | FileCheck %s
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// CHECK-LABEL: func.func private @operands
// CHECK-SAME: constants = [#carousel.expr<42>, #carousel.expr<-9223372036854775808>, #carousel.expr<9223372036854775807>]
// CHECK-SAME: names = [#carousel.expr<extent(0, 1)>, #carousel.expr<stride(2, 3)>, #carousel.expr<scalar(4)>, #carousel.expr<sms>, #carousel.expr<resident>]
func.func private @operands() attributes {
  constants = [#carousel.expr<42>, #carousel.expr<-9223372036854775808>, #carousel.expr<9223372036854775807>],
  names = [#carousel.expr<extent(0, 1)>, #carousel.expr<stride(2, 3)>, #carousel.expr<scalar(4)>, #carousel.expr<sms>, #carousel.expr<resident>]}

// The printer writes only the parentheses that matter.
// CHECK-LABEL: func.func private @operators
// CHECK-SAME: a_left = #carousel.expr<1 - 2 - 3 + 4>
// CHECK-SAME: b_right = #carousel.expr<1 - (2 - (3 + 4))>
// CHECK-SAME: c_tight = #carousel.expr<1 * 2 + 3 * 4>
// CHECK-SAME: d_loose = #carousel.expr<(1 + 2) * (3 - 4)>
// CHECK-SAME: e_product = #carousel.expr<1 * 2 * (3 * 4)>
// CHECK-SAME: f_negative = #carousel.expr<-1 - -2 * -3>
// CHECK-SAME: g_close = #carousel.expr<sms - 1>
func.func private @operators() attributes {
  a_left = #carousel.expr<((1 - 2) - 3) + 4>,
  b_right = #carousel.expr<1 - (2 - (3 + 4))>,
  c_tight = #carousel.expr<(1 * 2) + (3 * 4)>,
  d_loose = #carousel.expr<(1 + 2) * (3 - 4)>,
  e_product = #carousel.expr<1 * 2 * (3 * 4)>,
  f_negative = #carousel.expr<-1 - -2 * -3>,
  g_close = #carousel.expr<sms-1>}

// CHECK-LABEL: func.func private @op_functions
// CHECK-SAME: a = [#carousel.expr<floordiv(sms, 2)>, #carousel.expr<ceildiv(sms, 2)>, #carousel.expr<mod(sms, 2)>]
// CHECK-SAME: b = [#carousel.expr<min(sms, 2)>, #carousel.expr<max(sms, 2)>]
// CHECK-SAME: c = #carousel.expr<min(1 + 2, max(sms * 3, 4)) - 1>
func.func private @op_functions() attributes {
  a = [#carousel.expr<floordiv(sms, 2)>, #carousel.expr<ceildiv(sms, 2)>, #carousel.expr<mod(sms, 2)>],
  b = [#carousel.expr<min(sms, 2)>, #carousel.expr<max(sms, 2)>],
  c = #carousel.expr<(min((1 + 2), (max((sms * 3), 4)))) - 1>}

// CHECK-LABEL: func.func private @guards
// CHECK-SAME: a = [#carousel.guard<capability(90)>, #carousel.guard<capability(90, 100)>]
// CHECK-SAME: b = [#carousel.guard<aligned(0, 16)>, #carousel.guard<divisible(stride(1, 0) * 4, 16)>]
// CHECK-SAME: c = [#carousel.guard<range(extent(0, 0), -1, 4096)>, #carousel.guard<equal(extent(0, 0), extent(1, 0))>]
func.func private @guards() attributes {
  a = [#carousel.guard<capability(90)>, #carousel.guard<capability(90, 100)>],
  b = [#carousel.guard<aligned(0, 16)>, #carousel.guard<divisible(stride(1, 0) * 4, 16)>],
  c = [#carousel.guard<range(extent(0, 0), -1, 4096)>, #carousel.guard<equal(extent(0, 0), extent(1, 0))>]}

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  // What is given in another order, or is as unless given.
  // CHECK-LABEL: gpu.func @least
  // CHECK-SAME: carousel.argument = #carousel.argument<"x">
  // CHECK-SAME: carousel.launch = #carousel.launch<grid = [4], block = [64]>
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "scale", cost = sms * 2 + 1>
  gpu.func @least(%x: !matrix {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {
        carousel.launch = #carousel.launch<shared = 0, block = [64], cluster = [], grid = [4]>,
        carousel.variant = #carousel.variant<guards = [], cost = sms * 2 + 1, kernel = "scale">} {
    gpu.return
  }

  // CHECK-LABEL: gpu.func @aliases
  // CHECK-SAME: #carousel.argument<"y", out, may_alias = 0>
  // CHECK-SAME: #carousel.argument<"z", may_alias = 0>
  gpu.func @aliases(%x: !matrix, %dst: !map {carousel.encode = #carousel.encode<argument = 1>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out, may_alias = 0>},
      %z: !matrix {carousel.argument = #carousel.argument<"z", inout, may_alias = 0>}) kernel {
    gpu.return
  }

  // CHECK-LABEL: gpu.func @most
  // CHECK-SAME: %{{[^ ]+}}: memref<{{.+}}> {carousel.argument = #carousel.argument<"x", in>}
  // CHECK-SAME: %{{[^ ]+}}: !carousel.tensor_map<{{.+}}> {carousel.encode = #carousel.encode<argument = 1>}
  // CHECK-SAME: %{{[^ ]+}}: memref<{{.+}}> {carousel.argument = #carousel.argument<"y", out>}
  // CHECK-SAME: %{{[^ ]+}}: !carousel.tensor_map<{{.+}}> {carousel.encode = #carousel.encode<argument = 0, extents = [extent(0, 0) * 2, 64], strides = [stride(0, 0) * 4], offset = stride(0, 0) * scalar(2)>}
  // CHECK-SAME: carousel.launch = #carousel.launch<grid = [min(ceildiv(extent(0, 0), 64), sms * 3) * 2, extent(1, 1), scalar(2)], block = [64, 2, 1], cluster = [2, 1, 1], shared = 65536>
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "copy_2d", guards = [capability(90), aligned(0, 16), equal(extent(0, 0), extent(1, 0))]>
  gpu.func @most(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %dst: !map {carousel.encode = #carousel.encode<argument = 1>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %src: !map {carousel.encode = #carousel.encode<
        offset = stride(0, 0) * scalar(2), strides = [stride(0, 0) * 4],
        extents = [extent(0, 0) * 2, 64], argument = 0>},
      %n: index {carousel.argument = #carousel.argument<"n">}) kernel
      attributes {
        known_block_size = array<i32: 64, 2, 1>,
        known_cluster_size = array<i32: 2, 1, 1>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 64), sms * 3) * 2, extent(1, 1), scalar(2)],
          block = [64, 2, 1], cluster = [2, 1, 1], shared = 65536>,
        carousel.variant = #carousel.variant<kernel = "copy_2d", guards = [
          capability(90), aligned(0, 16), equal(extent(0, 0), extent(1, 0))]>} {
    gpu.return
  }

  // An encoding that takes only its strides, or only its extents, from the argument.
  // CHECK-LABEL: gpu.func @halves
  // CHECK-SAME: #carousel.encode<argument = 0, extents = [8, 16]>
  // CHECK-SAME: #carousel.encode<argument = 0, strides = [64]>
  // CHECK-SAME: #carousel.encode<argument = 1, extents = [scalar(2)]>
  gpu.func @halves(
      %x: !matrix, %bytes: memref<?xi8, #gl>, %n: i32,
      %0: !map {carousel.encode = #carousel.encode<argument = 0, extents = [8, 16]>},
      %1: !map {carousel.encode = #carousel.encode<argument = 0, strides = [64]>},
      %2: !carousel.tensor_map<32xb4x16> {carousel.encode = #carousel.encode<argument = 1, extents = [scalar(2)]>}) kernel {
    gpu.return
  }

  // Memory that the runtime allocates: of rank 0, with a row-major layout that says its strides or
  // leaves them open, and with a tensor map. Numbers count it behind what callers pass.
  // CHECK-LABEL: gpu.func @workspaces
  // CHECK-SAME: carousel.workspace = #carousel.workspace<[]>
  // CHECK-SAME: carousel.argument = #carousel.argument<"sums">, carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128) * sms]>
  // CHECK-SAME: #carousel.workspace<[scalar(1), extent(0, 1)]>
  // CHECK-SAME: #carousel.encode<argument = 4>
  // CHECK-SAME: carousel.coresident
  // CHECK-SAME: aligned(4, 256)
  gpu.func @workspaces(
      %x: !matrix, %n: index,
      %0: memref<i32, #gl> {carousel.workspace = #carousel.workspace<[]>},
      %1: memref<?x4x8xf32, strided<[32, 8, 1]>, #gl> {
        carousel.argument = #carousel.argument<"sums", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128) * sms]>},
      %2: !matrix {carousel.workspace = #carousel.workspace<[scalar(1), extent(0, 1)]>},
      %map: !map {carousel.encode = #carousel.encode<argument = 4>}) kernel
      attributes {
        carousel.coresident,
        carousel.launch = #carousel.launch<grid = [extent(3, 0)], block = [64]>,
        carousel.variant = #carousel.variant<kernel = "workspaces", guards = [aligned(4, 256)]>} {
    gpu.return
  }
}
