// Workspaces and cooperative variants in a manifest: workspaces come after the arguments that callers pass.
// RUN: rm -rf %t && mkdir %t && carousel-compile %s -o %t/ordered.pkg --chip sm_90a --no-cubin --quiet
// RUN: %python -m json.tool --compact < %t/ordered.pkg/manifest.json | FileCheck %s
// RUN: carousel-run %t/ordered.pkg --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: carousel-run %t/ordered.pkg --explain --json | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
// RUN: carousel-run %t/ordered.pkg | FileCheck %s --check-prefix=LIST

// CHECK: "version":3
// CHECK-SAME: {"name":"x","kind":"tensor"
// CHECK-SAME: {"name":"semaphores","kind":"workspace","element":"i32","extents":{{\[\[}}"ceildiv",["extent",0,0],64]]}
// CHECK-SAME: {"name":"sums","kind":"workspace","element":"f32","extents":{{\[\[}}"mul",["extent",0,0],2],64]}
// The box of the tensor map is a workspace, too; its alignment is no guard.
// CHECK-SAME: "function":"k"
// CHECK-SAME: "guards":[]
// CHECK-SAME: {"kind":"pointer","argument":2},{"kind":"extent","argument":2,"dim":0},{"kind":"stride","argument":2,"dim":0},{"kind":"tensor_map","map":0}
// CHECK-SAME: "tensor_maps":[{"argument":2,
// CHECK-SAME: "extents":{{\[\[}}"extent",2,0],["extent",2,1]],"strides":{{\[\[}}"mul",["stride",2,0],4]]
// CHECK-SAME: "dynamic_shared":0,"cooperative":true}

// EXPLAIN:      k
// EXPLAIN-NEXT:   arguments   tensor<?x?xf32, strides [?, 1]> x (in)
// EXPLAIN-NEXT:               workspace<[ceildiv(x.extent(0), 64)] x i32> semaphores
// EXPLAIN-NEXT:               workspace<[x.extent(0) * 2, 64] x f32> sums
// EXPLAIN:        guards    none
// EXPLAIN:        launch    cooperative: all blocks at once

// JSON: {"name":"semaphores","kind":"workspace","element":"i32","extents":["ceildiv(x.extent(0), 64)"]}
// JSON-SAME: "cooperative":true

// LIST: workspace<[ceildiv(x.extent(0), 64)] x i32> semaphores

#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!sums = memref<?x64xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  gpu.func @k(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %semaphores: memref<?xi32, #gl> {
        carousel.argument = #carousel.argument<"semaphores">,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 64)]>},
      %sums: !sums {
        carousel.argument = #carousel.argument<"sums">,
        carousel.workspace = #carousel.workspace<[extent(0, 0) * 2]>},
      %map: !carousel.tensor_map<16x64xf32> {carousel.encode = #carousel.encode<argument = 2>}) kernel
      attributes {
        carousel.coresident,
        carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    gpu.return
  }
}
