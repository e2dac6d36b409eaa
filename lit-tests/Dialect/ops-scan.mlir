// Round trip of scans, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

// CHECK-LABEL: func @sums
// DOC-EXAMPLE: carousel.scan
func.func @sums(%x: vector<8x256xf32>, %start: vector<8xf32>, %line: vector<64xi32>, %number: i32) {
  // CHECK: %{{.*}}:2 = carousel.scan %{{.*}} init(%{{.*}}) dim(1) : vector<8x256xf32> {
  // CHECK-NEXT: ^bb0(%[[BEFORE:.*]]: f32, %[[NEXT:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[NEXT]] : f32
  // CHECK-NEXT: gpu.yield %[[SUM]] : f32
  %y, %total = carousel.scan %x init(%start) dim(1) : vector<8x256xf32> {
  ^bb0(%before: f32, %next: f32):
    %sum = arith.addf %before, %next : f32
    gpu.yield %sum : f32
  }
  // CHECK: carousel.scan %{{.*}} init(%{{.*}}) dim(0) exclusive reverse : vector<64xi32> {
  %z, %last = carousel.scan %line init(%number) dim(0) exclusive reverse : vector<64xi32> {
  ^bb0(%before: i32, %next: i32):
    %most = arith.maxsi %before, %next : i32
    gpu.yield %most : i32
  }
  return
}

// CHECK-LABEL: func @recurrence
func.func @recurrence(%decay: vector<16x128xf32>, %x: vector<16x128xf32>, %one: vector<16xf32>, %start: vector<16xf32>)
    -> (vector<16x128xf32>, vector<16xf32>) {
  // CHECK: %{{.*}}:4 = carousel.scan %{{.*}}, %{{.*}} init(%{{.*}}, %{{.*}}) dim(1) : vector<16x128xf32>, vector<16x128xf32> {
  %as, %hs, %a, %h = carousel.scan %decay, %x init(%one, %start) dim(1) : vector<16x128xf32>, vector<16x128xf32> {
  ^bb0(%a0: f32, %h0: f32, %a1: f32, %h1: f32):
    %product = arith.mulf %a0, %a1 : f32
    %sum = math.fma %a1, %h0, %h1 : f32
    gpu.yield %product, %sum : f32, f32
  }
  return %hs, %h : vector<16x128xf32>, vector<16xf32>
}
