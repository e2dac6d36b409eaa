// Scans whose operands or bodies don't fit.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C363: one shape
func.func @shapes(%x: vector<8x16xf32>, %y: vector<16x8xf32>, %a: vector<8xf32>, %b: vector<16xf32>) {
  // expected-error @below {{expected vectors of one shape, got 'vector<8x16xf32>' and 'vector<16x8xf32>'}}
  carousel.scan %x, %y init(%a, %b) dim(1) : vector<8x16xf32>, vector<16x8xf32> {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    gpu.yield %a1, %b1 : f32, f32
  }
  return
}

// -----

// C363: a dimension
func.func @dim(%x: vector<8xf32>, %a: f32) {
  // expected-error @below {{expected vectors with a dimension 1, got 'vector<8xf32>'}}
  carousel.scan %x init(%a) dim(1) : vector<8xf32> {
  ^bb0(%before: f32, %next: f32):
    gpu.yield %next : f32
  }
  return
}

// -----

// C364
func.func @init(%x: vector<8x16xf32>, %a: vector<16xf32>) {
  // expected-error @below {{expected an initial value of 'vector<8xf32>', got 'vector<16xf32>'}}
  "carousel.scan"(%x, %a) <{dim = 1 : i64}> ({
  ^bb0(%before: f32, %next: f32):
    gpu.yield %next : f32
  }) : (vector<8x16xf32>, vector<16xf32>) -> (vector<8x16xf32>, vector<16xf32>)
  return
}

// -----

// C365: arguments
func.func @arguments(%x: vector<8xf32>, %a: f32) {
  // expected-error @below {{expected a body of arguments of type 'f32', 'f32', got 'f32', 'i32'}}
  carousel.scan %x init(%a) dim(0) : vector<8xf32> {
  ^bb0(%before: f32, %next: i32):
    gpu.yield %before : f32
  }
  return
}

// -----

// C365: values
func.func @values(%x: vector<8xf32>, %a: f32) {
  carousel.scan %x init(%a) dim(0) : vector<8xf32> {
  ^bb0(%before: f32, %next: f32):
    // expected-error @below {{expected values of 'f32' of a scan's body, got 'f32', 'f32'}}
    gpu.yield %before, %next : f32, f32
  }
  return
}

// -----

// C365: effects
func.func @effects(%x: vector<8xf32>, %a: f32, %m: memref<f32>) {
  carousel.scan %x init(%a) dim(0) : vector<8xf32> {
  ^bb0(%before: f32, %next: f32):
    // expected-error @below {{expected ops of numbers without effects and regions in a scan's body, got 'memref.store'}}
    memref.store %next, %m[] : memref<f32>
    gpu.yield %next : f32
  }
  return
}
