// carousel-expand-arith: clamps, powers, classes of floats, truncations with rounding modes, extended ops of odd
// types, divisions that round up or down, maxima and minima of f64 that keep NaN. Other maxima and minima stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-arith)))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @clamped
  // CHECK-SAME: (%[[V:.+]]: f32, %[[MIN:.+]]: f32, %[[MAX:.+]]: f32
  // CHECK: %[[ABOVE:.+]] = arith.maximumf %[[V]], %[[MIN]] : f32
  // CHECK: arith.minimumf %[[ABOVE]], %[[MAX]] : f32
  // CHECK: gpu.return
  // DOC-EXAMPLE: --carousel-expand-arith
  gpu.func @clamped(%v: f32, %min: f32, %max: f32, %out: memref<f32>) kernel {
    %c = math.clampf %v to [%min, %max] : f32
    memref.store %c, %out[] : memref<f32>
    gpu.return
  }

  // Only of f64 PTX has no instruction that keeps NaN.
  // CHECK-LABEL: gpu.func @extrema
  // CHECK-SAME: (%[[A:.+]]: f64, %[[B:.+]]: f64, %[[V:.+]]: vector<2xf64>, %[[W:.+]]: vector<2xf64>, %[[F:.+]]: f32, %[[G:.+]]: f32
  // CHECK-DAG: %[[NAN:.+]] = arith.constant 0x7FF8000000000000 : f64
  // CHECK-DAG: %[[NANS:.+]] = arith.constant dense<0x7FF8000000000000> : vector<2xf64>
  // CHECK-DAG: %[[MOST:.+]] = arith.maxnumf %[[A]], %[[B]] : f64
  // CHECK-DAG: %[[NONE:.+]] = arith.cmpf uno, %[[A]], %[[B]] : f64
  // CHECK-DAG: arith.select %[[NONE]], %[[NAN]], %[[MOST]] : f64
  // CHECK-DAG: %[[LEAST:.+]] = arith.minnumf %[[V]], %[[W]] : vector<2xf64>
  // CHECK-DAG: %[[NONES:.+]] = arith.cmpf uno, %[[V]], %[[W]] : vector<2xf64>
  // CHECK-DAG: arith.select %[[NONES]], %[[NANS]], %[[LEAST]] : vector<2xi1>, vector<2xf64>
  // CHECK: arith.minnumf %[[A]], %[[B]] : f64
  // CHECK: arith.maximumf %[[F]], %[[G]] : f32
  // CHECK-NOT: arith.select
  // CHECK: gpu.return
  gpu.func @extrema(%a: f64, %b: f64, %v: vector<2xf64>, %w: vector<2xf64>, %f: f32, %g: f32, %x: memref<2xf64>,
                    %y: memref<vector<2xf64>>, %z: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.maximumf %a, %b : f64
    memref.store %0, %x[%c0] : memref<2xf64>
    %1 = arith.minimumf %v, %w : vector<2xf64>
    memref.store %1, %y[] : memref<vector<2xf64>>
    %2 = arith.minnumf %a, %b : f64
    memref.store %2, %x[%c1] : memref<2xf64>
    %3 = arith.maximumf %f, %g : f32
    memref.store %3, %z[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @upstream
  // CHECK-NOT: arith.ceildivui
  // CHECK: arith.divui
  // CHECK: arith.minsi
  // CHECK: gpu.return
  gpu.func @upstream(%a: index, %b: index, %out: memref<2xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %up = arith.ceildivui %a, %b : index
    %least = arith.minsi %a, %b : index
    memref.store %up, %out[%c0] : memref<2xindex>
    memref.store %least, %out[%c1] : memref<2xindex>
    gpu.return
  }

  // The inverse of a negative exponent's base is taken where there is one; a loop squares.
  // CHECK-LABEL: gpu.func @powers
  // CHECK-SAME: (%[[B:.+]]: i32, %[[E:.+]]: i32
  // CHECK-NOT: math.ipowi
  // CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt, %[[E]]
  // CHECK: scf.if %[[NEGATIVE]]
  // CHECK: arith.divsi %{{.+}}, %[[B]]
  // CHECK: scf.while
  // CHECK-NOT: math.ipowi
  // CHECK: gpu.return
  gpu.func @powers(%b: i32, %e: i32, %out: memref<i32>) kernel {
    %p = math.ipowi %b, %e : i32
    memref.store %p, %out[] : memref<i32>
    gpu.return
  }

  // Exponents are counted in their own width, narrow ones in 32 bits.
  // CHECK-LABEL: gpu.func @float_powers
  // CHECK-SAME: (%[[B:.+]]: f32, %[[E:.+]]: i64, %[[S:.+]]: i16
  // CHECK-NOT: math.fpowi
  // CHECK: arith.cmpi slt, %[[E]], %{{.+}} : i64
  // CHECK: arith.divf %{{.+}}, %[[B]] : f32
  // CHECK: scf.while ({{.+}}) : (f32, i64, f32)
  // CHECK: %[[WORD:.+]] = arith.extsi %[[S]] : i16 to i32
  // CHECK: arith.cmpi slt, %[[WORD]], %{{.+}} : i32
  // CHECK-NOT: math.fpowi
  // CHECK: gpu.return
  gpu.func @float_powers(%b: f32, %e: i64, %s: i16, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = math.fpowi %b, %e : f32, i64
    %q = math.fpowi %b, %s : f32, i16
    memref.store %p, %out[%c0] : memref<2xf32>
    memref.store %q, %out[%c1] : memref<2xf32>
    gpu.return
  }

  // Constant exponents: products of whole vectors, in f32 for narrow elements. Other exponents of powf stay.
  // CHECK-LABEL: gpu.func @constant_powers
  // CHECK-SAME: (%[[V:.+]]: vector<4xf32>, %[[H:.+]]: vector<4xf16>
  // CHECK: %[[SQUARE:.+]] = arith.mulf %[[V]], %[[V]] : vector<4xf32>
  // CHECK: arith.mulf %[[V]], %[[SQUARE]] : vector<4xf32>
  // CHECK: %[[W:.+]] = arith.extf %[[H]] : vector<4xf16> to vector<4xf32>
  // CHECK: %[[INVERSE:.+]] = arith.divf %{{.+}}, %[[W]] : vector<4xf32>
  // CHECK: %[[P:.+]] = arith.mulf %[[INVERSE]], %[[INVERSE]] : vector<4xf32>
  // CHECK: arith.truncf %[[P]] : vector<4xf32> to vector<4xf16>
  // CHECK-COUNT-2: math.powf
  // CHECK-NOT: scf.
  // CHECK: gpu.return
  gpu.func @constant_powers(%v: vector<4xf32>, %h: vector<4xf16>, %out: memref<4x4xf32>, %narrow: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %three = arith.constant dense<3> : vector<4xi64>
    %minus_two = arith.constant dense<-2.0> : vector<4xf16>
    %five = arith.constant dense<5.0> : vector<4xf32>
    %half = arith.constant dense<0.5> : vector<4xf32>
    %0 = math.fpowi %v, %three : vector<4xf32>, vector<4xi64>
    %1 = math.powf %h, %minus_two : vector<4xf16>
    %2 = math.powf %v, %five : vector<4xf32>
    %3 = math.powf %v, %half : vector<4xf32>
    vector.store %0, %out[%c0, %c0] : memref<4x4xf32>, vector<4xf32>
    vector.store %1, %narrow[%c0] : memref<4xf16>, vector<4xf16>
    vector.store %2, %out[%c1, %c0] : memref<4x4xf32>, vector<4xf32>
    vector.store %3, %out[%c2, %c0] : memref<4x4xf32>, vector<4xf32>
    gpu.return
  }

  // The least normal number is that of the type.
  // CHECK-LABEL: gpu.func @classes
  // CHECK-NOT: math.isnormal
  // CHECK: %[[A:.+]] = math.absf %{{.+}} : vector<4xf8E5M2>
  // CHECK: arith.cmpf ole, %[[A]], %{{.+}} : vector<4xf8E5M2>
  // CHECK: arith.cmpf oge, %[[A]], %{{.+}} : vector<4xf8E5M2>
  // CHECK: gpu.return
  gpu.func @classes(%v: vector<4xf8E5M2>, %out: memref<4xi1>) kernel {
    %c0 = arith.constant 0 : index
    %n = math.isnormal %v : vector<4xf8E5M2>
    vector.store %n, %out[%c0] : memref<4xi1>, vector<4xi1>
    gpu.return
  }

  // Ties leave before the default truncation; the other modes correct what comes of it. The default mode goes without a word.
  // CHECK-LABEL: gpu.func @rounding
  // CHECK-SAME: (%[[A:.+]]: vector<4xf64>,
  // CHECK: arith.truncf %[[A]] : vector<4xf64> to vector<4xf32>
  // CHECK: arith.ori
  // CHECK: arith.truncf %{{.+}} : vector<4xf64> to vector<4xf32>
  // CHECK: arith.truncf %[[A]] : vector<4xf64> to vector<4xf32>
  // CHECK: arith.extf
  // CHECK: arith.cmpf ogt
  // CHECK: arith.addi %{{.+}} : vector<4xi32>
  // CHECK: arith.truncf %{{.+}} : f32 to f8E4M3FN
  // CHECK-NOT: upward
  // CHECK: gpu.return
  gpu.func @rounding(%a: vector<4xf64>, %b: f32, %out: memref<?xf32>, %other: memref<f8E4M3FN>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %even = arith.truncf %a to_nearest_even : vector<4xf64> to vector<4xf32>
    %away = arith.truncf %a to_nearest_away : vector<4xf64> to vector<4xf32>
    %down = arith.truncf %a downward : vector<4xf64> to vector<4xf32>
    %up = arith.truncf %b upward : f32 to f8E4M3FN
    vector.store %even, %out[%c0] : memref<?xf32>, vector<4xf32>
    vector.store %away, %out[%c4] : memref<?xf32>, vector<4xf32>
    vector.store %down, %out[%c8] : memref<?xf32>, vector<4xf32>
    memref.store %up, %other[] : memref<f8E4M3FN>
    gpu.return
  }

  // Of words the extended ops are instructions.
  // CHECK-LABEL: gpu.func @extended
  // CHECK-SAME: (%[[I:.+]]: vector<2xindex>, %[[J:.+]]: vector<2xindex>, %[[P:.+]]: i1, %[[Q:.+]]: i1,
  // CHECK: %[[SUM:.+]] = arith.addi %[[I]], %[[J]] : vector<2xindex>
  // CHECK: arith.cmpi ult, %[[SUM]], %[[I]] : vector<2xindex>
  // CHECK: arith.andi %[[P]], %[[Q]] : i1
  // CHECK: arith.constant false
  // CHECK: arith.mului_extended %{{.+}} : i16
  // CHECK-COUNT-2: arith.mulsi_extended %{{.+}} : vector<3xi32>
  gpu.func @extended(%i: vector<2xindex>, %j: vector<2xindex>, %p: i1, %q: i1, %a: i16, %out: memref<2xi1>,
                     %x: memref<?xi16>, %y: memref<2xindex>, %m: vector<2x3xi32>, %z: memref<2x3xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum, %wraps = arith.addui_extended %i, %j : vector<2xindex>, vector<2xi1>
    %low, %high = arith.mulsi_extended %p, %q : i1
    %l, %h = arith.mului_extended %a, %a : i16
    %lows, %highs = arith.mulsi_extended %m, %m : vector<2x3xi32>
    vector.store %highs, %z[%c0, %c0] : memref<2x3xi32>, vector<2x3xi32>
    %first = vector.extract %wraps[0] : i1 from vector<2xi1>
    %s = vector.extract %sum[0] : index from vector<2xindex>
    %either = arith.ori %first, %low : i1
    memref.store %s, %y[%c0] : memref<2xindex>
    memref.store %either, %out[%c0] : memref<2xi1>
    memref.store %high, %out[%c1] : memref<2xi1>
    memref.store %l, %x[%c0] : memref<?xi16>
    memref.store %h, %x[%c1] : memref<?xi16>
    gpu.return
  }
}
