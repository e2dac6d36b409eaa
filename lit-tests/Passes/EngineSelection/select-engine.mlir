// Engines, maps and variants as they stand in the IR.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-verify-tile))' | FileCheck %s
// Again, it changes nothing.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-select-engine))' | FileCheck %s --check-prefix=SM80 --implicit-check-not='engine<tensor' --implicit-check-not='engine<bulk'
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine{variants=false}))' | FileCheck %s --check-prefix=PLAIN --implicit-check-not='capability('

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, strided<[?, 1]>, #gl>
!tile = memref<64x64xf32, #ws>

// One map for both transfers, behind the arguments and in front of the attribution, whose
// alignment it raises. The store's variant asks for more of %x than the load's.
// CHECK: gpu.module @shared [#nvvm.target<{{.*}}chip = "sm_90a"
// CHECK-LABEL: gpu.func @in_place_tma(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x">}
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !carousel.tensor_map<64x64xf32> {carousel.encode = #carousel.encode<argument = 0>})
// CHECK-SAME: workgroup(%[[TILE:[a-z0-9]+]] : memref<64x64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
// CHECK-SAME: carousel.launch =
// CHECK-SAME: carousel.variant = #carousel.variant<kernel = "in_place", guards = [capability(90), aligned(0, 16), divisible(stride(0, 0), 4), divisible(extent(0, 1), 4), range(extent(0, 0), 1, 2147483647), range(extent(0, 1), 1, 2147483647)]>
// CHECK: carousel.load %[[X]][{{.*}}] to %[[TILE]] engine<tensor> map %[[MAP]] :
// CHECK: carousel.store %[[TILE]] to %[[X]][{{.*}}] engine<tensor> map %[[MAP]] :
// CHECK-LABEL: gpu.func @in_place_tma_ragged(
// CHECK-SAME: guards = [capability(90), aligned(0, 16), divisible(stride(0, 0), 4), range(extent(0, 0), 1, 2147483647), range(extent(0, 1), 1, 2147483647)]>
// CHECK: carousel.load {{.*}} engine<tensor> map
// CHECK: carousel.store {{.*}} engine<vector, width = 16> :
// CHECK-LABEL: gpu.func @in_place(
// CHECK-NOT: carousel.encode
// CHECK-SAME: carousel.variant = #carousel.variant<kernel = "in_place">
// CHECK: carousel.load {{.*}} engine<cp_async, width = 4> :
// CHECK: carousel.store {{.*}} engine<vector, width = 4> :
// SM80-LABEL: gpu.func @in_place_wide(
// SM80-SAME: guards = [aligned(0, 16), divisible(stride(0, 0), 4)]>
// SM80: carousel.load {{.*}} engine<cp_async, width = 16> :
// SM80: carousel.store {{.*}} engine<vector, width = 16> :
// SM80-LABEL: gpu.func @in_place(
// SM80: carousel.load {{.*}} engine<cp_async, width = 4> :
// PLAIN-LABEL: gpu.func @in_place(
// PLAIN-NOT: carousel.variant
// PLAIN: carousel.load {{.*}} engine<cp_async, width = 4> :
gpu.module @shared {
  gpu.func @in_place(%x: !matrix {carousel.argument = #carousel.argument<"x">}, %n: index)
      workgroup(%t: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [128]>} {
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %c64 : index
    carousel.load %x[%i, %i] to %t : !matrix, !tile
    carousel.store %t to %x[%i, %i] : !tile, !matrix
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// Kernels without guards stay one function under their name; those without transfers stay as they are.
// CHECK-LABEL: gpu.module @one_function
// CHECK: gpu.func @none(%{{.*}}: index) kernel {
// CHECK: gpu.func @static(%[[X:[a-z0-9]+]]: {{.*}} {llvm.align = 16 : i64}, %[[MAP:[a-z0-9]+]]: !carousel.tensor_map<64x64xf32> {carousel.encode = #carousel.encode<argument = 0>}) kernel {
// CHECK: carousel.load %[[X]]{{.*}} engine<tensor> map %[[MAP]] :
// CHECK: gpu.func @elements(
// CHECK-NOT: carousel.variant
// CHECK: carousel.load {{.*}} engine<vector, width = 1> :
// CHECK-NOT: gpu.func
gpu.module @one_function {
  gpu.func @none(%n: index) kernel {
    gpu.return
  }
  gpu.func @static(%x: memref<512x512xf32, #gl> {llvm.align = 16 : i64}) kernel {
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    carousel.load %x[%c64, %c64] to %t : memref<512x512xf32, #gl>, memref<64x64xf32, #ws>
    gpu.return
  }
  gpu.func @elements(%x: memref<?xi8, strided<[?]>, #gl>) kernel {
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : memref<4096xi8, #ws>
    carousel.load %x[%c64] to %t : memref<?xi8, strided<[?]>, #gl>, memref<4096xi8, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// A kernel that is a variant already keeps its guards, in front of the new ones, and its place.
// CHECK-LABEL: gpu.module @variants
// CHECK: gpu.func @even_tma(
// CHECK-SAME: #carousel.variant<kernel = "copy", guards = [divisible(extent(0, 0), 2), capability(90), aligned(0, 16)]>
// CHECK: carousel.load {{.*}} engine<bulk> :
// CHECK: gpu.func @even(
// CHECK-SAME: #carousel.variant<kernel = "copy", guards = [divisible(extent(0, 0), 2)]>
// CHECK: carousel.load {{.*}} engine<cp_async, width = 4> :
// What the kernel's guards say is known.
// CHECK: gpu.func @any(
// CHECK-SAME: #carousel.variant<kernel = "copy", guards = [aligned(0, 128)]>
// CHECK: carousel.load {{.*}} engine<bulk> :
// CHECK-NOT: gpu.func
gpu.module @variants {
  gpu.func @even(%x: memref<?xf32, #gl>) kernel attributes {carousel.variant =
      #carousel.variant<kernel = "copy", guards = [divisible(extent(0, 0), 2)]>} {
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : memref<4096xf32, #ws>
    carousel.load %x[%c64] to %t : memref<?xf32, #gl>, memref<4096xf32, #ws>
    gpu.return
  }
  gpu.func @any(%x: memref<?xf32, #gl>) kernel attributes {carousel.variant =
      #carousel.variant<kernel = "copy", guards = [aligned(0, 128)]>} {
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : memref<4096xf32, #ws>
    carousel.load %x[%c64] to %t : memref<?xf32, #gl>, memref<4096xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// Maps that differ in what they fill with are two; given engines stay.
// CHECK-LABEL: gpu.func @maps_tma(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref
// CHECK-SAME: %[[ZERO:[a-z0-9]+]]: !carousel.tensor_map<64x64xf32>
// CHECK-SAME: %[[NAN:[a-z0-9]+]]: !carousel.tensor_map<64x64xf32, fill = nan>
// CHECK: carousel.load %[[X]]{{.*}} engine<tensor> map %[[ZERO]] :
// CHECK: carousel.load %[[X]]{{.*}} fill(nan) engine<tensor> map %[[NAN]] :
// CHECK: carousel.load %[[X]]{{.*}} engine<vector, width = 4> :
// CHECK-LABEL: gpu.func @maps(
// CHECK: carousel.load {{.*}} engine<vector, width = 4> :
gpu.module @several_maps {
  gpu.func @maps(%x: memref<?x?xf32, strided<[?, 1]>, #gl>) kernel {
    %c64 = arith.constant 64 : index
    %s = memref.alloc() : memref<64x64xf32, #ws>
    %t = memref.alloc() : memref<64x64xf32, #ws>
    %u = memref.alloc() : memref<64x64xf32, #ws>
    carousel.load %x[%c64, %c64] to %s
        : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<64x64xf32, #ws>
    carousel.load %x[%c64, %c64] to %t fill(nan)
        : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<64x64xf32, #ws>
    carousel.load %x[%c64, %c64] to %u engine<vector, width = 4>
        : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<64x64xf32, #ws>
    gpu.return
  }
}
