// Steps that follow from parameters and constants write a workspace of their own.
// RUN: carousel-opt %s --carousel-plan-workspace --canonicalize --cse | FileCheck %s
// RUN: carousel-opt %s --carousel-plan-workspace --carousel-plan-workspace --canonicalize --cse | FileCheck %s
// RUN: carousel-opt %s --carousel-plan-workspace --remarks-filter=carousel-plan-workspace -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-4: a step that follows from parameters runs at each launch, as other steps write its memory or that of its operands, arguments decide places in these, or it writes a result
// REMARK-NOT: a step that follows

#gl = #gpu.address_space<global>
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}
memref.global "private" constant @four : memref<64xf32, #gl> = dense<4.0>

// A chain from a parameter, a copy of a constant, and a fill. Their buffers share no bytes, though two of them end
// before the others begin; the buffer of each launch has its own workspace.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[W:arg1]]: memref<64xf32, #gpu.address_space<global>> {carousel.parameter}
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<?xi8, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"workspace">, carousel.workspace = #carousel.workspace<[256]>}
// CHECK-SAME: %[[LOADED:[a-z0-9]*]]: memref<?xi8, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"loaded">, carousel.workspace = #carousel.workspace<[1024]>}
// CHECK: %[[A:.*]] = memref.view %[[LOADED]][
// CHECK: carousel.launch_kernel @kernels::@copy ins(%[[W]] : {{.*}} outs(%[[A]] : {{.*}}) {carousel.at_load}
// CHECK: %[[B:.*]] = memref.view %[[LOADED]][
// CHECK: carousel.launch_kernel @kernels::@copy ins(%[[A]] : {{.*}} outs(%[[B]] : {{.*}}) {carousel.at_load}
// CHECK: %[[C:.*]] = memref.view %[[LOADED]][
// CHECK: memref.copy %{{.*}}, %[[C]] {carousel.at_load}
// CHECK: %[[D:.*]] = memref.view %[[LOADED]][
// CHECK: linalg.fill {carousel.at_load} ins({{.*}} outs(%[[D]] :
// CHECK: %[[E:.*]] = memref.view %[[ARENA]][
// CHECK: carousel.launch_kernel @kernels::@copy ins(%{{.*}} : {{.*}} outs(%[[E]] : memref<64xf32, #gpu.address_space<global>>){{$}}
func.func @chain(%x: memref<64xf32, #gl>, %w: memref<64xf32, #gl> {carousel.parameter},
                 %y: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%w : memref<64xf32, #gl>) outs(%a : memref<64xf32, #gl>) {carousel.at_load}
  %b = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%a : memref<64xf32, #gl>) outs(%b : memref<64xf32, #gl>) {carousel.at_load}
  memref.dealloc %a : memref<64xf32, #gl>
  %four = memref.get_global @four : memref<64xf32, #gl>
  %c = memref.alloc() : memref<64xf32, #gl>
  memref.copy %four, %c : memref<64xf32, #gl> to memref<64xf32, #gl>
  %d = memref.alloc() : memref<64xf32, #gl>
  linalg.fill ins(%zero : f32) outs(%d : memref<64xf32, #gl>)
  %e = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%x : memref<64xf32, #gl>) outs(%e : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%b : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%c : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%d : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%e : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  return
}

// What another step writes isn't kept, and nor is what follows from it. A fill that is a launch's first step isn't
// one, either.
// CHECK-LABEL: func.func @written
// CHECK-NOT: carousel.at_load
// CHECK-NOT: "loaded"
// CHECK: return
func.func @written(%x: memref<64xf32, #gl>, %w: memref<64xf32, #gl> {carousel.parameter},
                   %y: memref<64xf32, #gl>) attributes {carousel.program} {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%w : memref<64xf32, #gl>) outs(%a : memref<64xf32, #gl>) {carousel.at_load}
  %b = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%a : memref<64xf32, #gl>) outs(%b : memref<64xf32, #gl>) {carousel.at_load}
  %half = memref.subview %a[32] [32] [1] : memref<64xf32, #gl> to memref<32xf32, strided<[1], offset: 32>, #gl>
  %xs = memref.subview %x[0] [32] [1] : memref<64xf32, #gl> to memref<32xf32, strided<[1]>, #gl>
  memref.copy %xs, %half : memref<32xf32, strided<[1]>, #gl> to memref<32xf32, strided<[1], offset: 32>, #gl>
  %c = memref.alloc() : memref<64xf32, #gl>
  linalg.fill ins(%zero : f32) outs(%c : memref<64xf32, #gl>)
  memref.copy %x, %c : memref<64xf32, #gl> to memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%b : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%c : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  return
}

// A place that an argument decides.
// CHECK-LABEL: func.func @places
// CHECK-NOT: carousel.at_load
// CHECK: return
func.func @places(%w: memref<64xf32, #gl> {carousel.parameter}, %n: index, %y: memref<8xf32, #gl>) attributes {carousel.program} {
  %part = memref.subview %w[%n] [8] [1] : memref<64xf32, #gl> to memref<8xf32, strided<[1], offset: ?>, #gl>
  %a = memref.alloc() : memref<8xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%part : memref<8xf32, strided<[1], offset: ?>, #gl>) outs(%a : memref<8xf32, #gl>) {carousel.at_load}
  carousel.launch_kernel @kernels::@copy ins(%a : memref<8xf32, #gl>) outs(%y : memref<8xf32, #gl>)
  return
}

// Arguments that aren't parameters, and launches without the attribute.
// CHECK-LABEL: func.func @others
// CHECK-NOT: carousel.at_load
// CHECK: return
func.func @others(%x: memref<64xf32, #gl>, %w: memref<64xf32, #gl> {carousel.parameter}, %y: memref<64xf32, #gl>) attributes {carousel.program} {
  %a = memref.alloc() : memref<64xf32, #gl>
  memref.copy %x, %a : memref<64xf32, #gl> to memref<64xf32, #gl>
  %b = memref.alloc() : memref<64xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%w : memref<64xf32, #gl>) outs(%b : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%a : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%b : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>)
  return
}

// A result of a program without buffers.
// CHECK-LABEL: func.func @result
// CHECK-NOT: carousel.at_load
// CHECK: return
func.func @result(%w: memref<64xf32, #gl> {carousel.parameter}, %y: memref<64xf32, #gl>) attributes {carousel.program} {
  carousel.launch_kernel @kernels::@copy ins(%w : memref<64xf32, #gl>) outs(%y : memref<64xf32, #gl>) {carousel.at_load}
  return
}
