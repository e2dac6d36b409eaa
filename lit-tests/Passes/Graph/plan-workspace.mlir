// Buffers of a program become views of one workspace.
// RUN: carousel-opt %s --carousel-plan-workspace --canonicalize --cse | FileCheck %s
// RUN: carousel-opt %s --carousel-plan-workspace --carousel-plan-workspace --canonicalize --cse | FileCheck %s
// RUN: carousel-opt %s --carousel-plan-workspace --remarks-filter=carousel-plan-workspace -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: 3 buffers have 5376 bytes, of which at most 5376 are used at a time
// REMARK: 3 buffers have 768 bytes for each element of their dynamic extents, of which at most 768 are used at a time

#gl = #gpu.address_space<global>
gpu.module @kernels {
  gpu.func @copy(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}

// The first and the third buffer don't live at the same time, so they share bytes: 4 kB + 1 kB, and 4 kB.
// DOC-EXAMPLE: --carousel-plan-workspace
// CHECK-LABEL: func.func @static
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<?xi8, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"workspace">, carousel.workspace = #carousel.workspace<[5376]>}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : index
// CHECK: %[[FIRST:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<?xi8, #gpu.address_space<global>> to memref<16x64xf32, #gpu.address_space<global>>
// CHECK-NEXT: carousel.launch_kernel {{.*}} outs(%[[FIRST]] :
// CHECK-NEXT: %[[SECOND:.*]] = memref.view %[[ARENA]][%[[C4096]]][] : memref<?xi8, #gpu.address_space<global>> to memref<5x60xf32, #gpu.address_space<global>>
// CHECK-NEXT: carousel.launch_kernel {{.*}} ins(%[[FIRST]] : {{.*}} outs(%[[SECOND]] :
// CHECK-NEXT: carousel.launch_kernel {{.*}} ins(%[[SECOND]] : {{.*}} outs(%[[FIRST]] :
// CHECK-NEXT: carousel.launch_kernel {{.*}} ins(%[[FIRST]] :
// CHECK-NEXT: return
func.func @static(%x: memref<16x64xf32, #gl>, %y: memref<16x64xf32, #gl>) attributes {carousel.program} {
  %a = memref.alloc() : memref<16x64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%x : memref<16x64xf32, #gl>) outs(%a : memref<16x64xf32, #gl>)
  %b = memref.alloc() : memref<5x60xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%a : memref<16x64xf32, #gl>) outs(%b : memref<5x60xf32, #gl>)
  memref.dealloc %a : memref<16x64xf32, #gl>
  %c = memref.alloc() : memref<16x64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%b : memref<5x60xf32, #gl>) outs(%c : memref<16x64xf32, #gl>)
  memref.dealloc %b : memref<5x60xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%c : memref<16x64xf32, #gl>) outs(%y : memref<16x64xf32, #gl>)
  memref.dealloc %c : memref<16x64xf32, #gl>
  return
}

// Two groups: rows of 64 and 128 elements for each of m, in units of 256 bytes, and n x m elements. The third buffer
// of rows has the place of the first one.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<?x?xf32, #gpu.address_space<global>>, %[[ARENA:[a-z0-9]*]]: memref<?xi8, #gpu.address_space<global>> {{.*}}carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0) * 256, 256) * 768 + ceildiv(extent(0, 1) * extent(0, 0) * 4, 256) * 256]>
// CHECK: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[BYTES:.*]] = arith.muli %[[M]], %c256
// CHECK: %[[PIECES:.*]] = arith.ceildivsi %[[BYTES]], %c256
// CHECK: %[[GROUP:.*]] = arith.muli %[[PIECES]], %c768
// CHECK: %[[SECOND:.*]] = arith.muli %[[PIECES]], %c512
// CHECK: memref.view %[[ARENA]][%[[SECOND]]][%[[M]]] : {{.*}} to memref<?x64xf32
// CHECK: memref.view %[[ARENA]][%c0][%[[M]]] : {{.*}} to memref<?x128xf32
// CHECK: memref.view %[[ARENA]][%[[SECOND]]][%[[M]]] : {{.*}} to memref<64x?xf32
// CHECK: memref.view %[[ARENA]][%[[GROUP]]][%[[N]], %[[M]]] : {{.*}} to memref<?x?xf32
func.func @dynamic(%x: memref<?x?xf32, #gl>) attributes {carousel.program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32, #gl>
  %a = memref.alloc(%m) : memref<?x64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%x : memref<?x?xf32, #gl>) outs(%a : memref<?x64xf32, #gl>)
  %b = memref.alloc(%m) : memref<?x128xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%a : memref<?x64xf32, #gl>) outs(%b : memref<?x128xf32, #gl>)
  memref.dealloc %a : memref<?x64xf32, #gl>
  %c = memref.alloc(%m) : memref<64x?xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%b : memref<?x128xf32, #gl>) outs(%c : memref<64x?xf32, #gl>)
  memref.dealloc %b : memref<?x128xf32, #gl>
  %n = memref.dim %x, %c1 : memref<?x?xf32, #gl>
  // Nothing ends its life.
  %d = memref.alloc(%n, %m) : memref<?x?xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%c : memref<64x?xf32, #gl>) outs(%d : memref<?x?xf32, #gl>)
  memref.dealloc %c : memref<64x?xf32, #gl>
  return
}

// Other functions stay.
// CHECK-LABEL: func.func @no_program
// CHECK: memref.alloc
func.func @no_program(%v: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  return %a : memref<4xf32>
}
