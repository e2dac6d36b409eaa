// Extrema of extended elements are those of the elements, extended. Before and after, the simulated machine gives the same bytes.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block,carousel-narrow-extrema,carousel-verify-block))' --remarks-filter=carousel-narrow-extrema --remark-format=emitRemark --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// DEFINE: %{args} = --kernel @choices --arg x=random:3x64 --arg start=random:3 --arg m=empty:3 --arg n=empty:3
// RUN: carousel-sim %s %{args} --out m=%t.m.npy --out n=%t.n.npy --quiet
// RUN: carousel-sim %t.mlir %{args} --expect m=%t.m.npy --expect n=%t.n.npy --quiet
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --code llvm,nvrtc -- %{args} --expect m=%t.m.npy --expect n=%t.n.npy --quiet

#gl = #gpu.address_space<global>
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [extent(0, 0)]>
!matrix = memref<?x64xbf16, #gl>
!numbers = memref<?xf32, #gl>
!row = vector<64xf32>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @choices
  // CHECK: %[[V:.*]] = vector.transfer_read
  // CHECK: %[[MAX:.*]] = vector.multi_reduction <maxnumf>, %[[V]], %{{.*}} [0] : vector<64xbf16> to bf16
  // CHECK-NEXT: arith.extf %[[MAX]] : bf16 to f32
  // Choices between elements and a number that has 16 bits.
  // CHECK: %[[SOME:.*]] = arith.select %{{.*}}, %[[V]], %{{.*}} : vector<64xi1>, vector<64xbf16>
  // CHECK: %[[MIN:.*]] = vector.multi_reduction <minimumf>, %[[SOME]], %{{.*}} [0] : vector<64xbf16> to bf16
  // A start that only the run knows is compared in 32 bits.
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[MIN]] : bf16 to f32
  // CHECK-NEXT: arith.minimumf %[[WIDE]], %{{.*}} : f32
  // DOC-EXAMPLE: --carousel-narrow-extrema
  // expected-remark @below {{extrema of elements that aren't extended first: 2}}
  gpu.func @choices(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %start: !numbers {carousel.argument = #carousel.argument<"start", in>},
      %m: !numbers {carousel.argument = #carousel.argument<"m", out>}, %n: !numbers {carousel.argument = #carousel.argument<"n", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch,
                         carousel.variant = #carousel.variant<kernel = "choices", guards = [aligned(0, 16)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !row
    %low = arith.constant 0xFF800000 : f32
    %half = arith.constant dense<0.5> : !row
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !matrix, vector<64xbf16>
    %e = arith.extf %v : vector<64xbf16> to !row
    %max = vector.multi_reduction <maxnumf>, %e, %low [0] : !row to f32
    %positive = arith.cmpf ogt, %e, %zeros : !row
    %some = arith.select %positive, %e, %half : vector<64xi1>, !row
    %first = memref.load %start[%i] : !numbers
    %min = vector.multi_reduction <minimumf>, %some, %first [0] : !row to f32
    memref.store %max, %m[%i] : !numbers
    memref.store %min, %n[%i] : !numbers
    gpu.return
  }

  // Sums need 32 bits, and so does a choice of a number that 16 bits don't have.
  // CHECK-LABEL: gpu.func @wide
  // CHECK: vector.multi_reduction <add>, %{{.*}} : vector<64xf32> to f32
  // CHECK: vector.multi_reduction <maxnumf>, %{{.*}} : vector<64xf32> to f32
  // CHECK: vector.multi_reduction <maxnumf>, %{{.*}} : vector<64xf64> to f64
  gpu.func @wide(%x: !matrix, %m: !numbers, %n: memref<?xf64, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch, carousel.variant = #carousel.variant<kernel = "wide", guards = [aligned(0, 16)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %low = arith.constant 0.0 : f32
    %low64 = arith.constant 0.0 : f64
    %tenth = arith.constant dense<0.1> : !row
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !matrix, vector<64xbf16>
    %e = arith.extf %v : vector<64xbf16> to !row
    %sum = vector.multi_reduction <add>, %e, %low [0] : !row to f32
    %positive = arith.cmpf ogt, %e, %tenth : !row
    %some = arith.select %positive, %e, %tenth : vector<64xi1>, !row
    %max = vector.multi_reduction <maxnumf>, %some, %sum [0] : !row to f32
    %wide = arith.extf %some : !row to vector<64xf64>
    %most = vector.multi_reduction <maxnumf>, %wide, %low64 [0] : vector<64xf64> to f64
    memref.store %max, %m[%i] : !numbers
    memref.store %most, %n[%i] : memref<?xf64, #gl>
    gpu.return
  }

  // Elements of odd addresses are read one by one.
  // CHECK-LABEL: gpu.func @one_by_one
  // CHECK: vector.multi_reduction <maxnumf>, %{{.*}} : vector<64xf32> to f32
  gpu.func @one_by_one(%x: !matrix, %m: !numbers) kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !matrix, vector<64xbf16>
    %e = arith.extf %v : vector<64xbf16> to !row
    %max = vector.multi_reduction <maxnumf>, %e, %low [0] : !row to f32
    memref.store %max, %m[%i] : !numbers
    gpu.return
  }

  // Elements that are compared with their extremum are extended anyway.
  // CHECK-LABEL: gpu.func @index
  // CHECK: vector.multi_reduction <maximumf>, %{{.*}} : vector<64xf32> to f32
  gpu.func @index(%x: !matrix, %m: !numbers) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch, carousel.variant = #carousel.variant<kernel = "index", guards = [aligned(0, 16)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %low = arith.constant 0xFF800000 : f32
    %zeros = arith.constant dense<0.0> : !row
    %ones = arith.constant dense<1.0> : !row
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !matrix, vector<64xbf16>
    %e = arith.extf %v : vector<64xbf16> to !row
    %max = vector.multi_reduction <maximumf>, %e, %low [0] : !row to f32
    %maxes = vector.broadcast %max : f32 to !row
    %found = arith.cmpf oeq, %e, %maxes : !row
    %counts = arith.select %found, %ones, %zeros : vector<64xi1>, !row
    %count = vector.multi_reduction <add>, %counts, %low [0] : !row to f32
    memref.store %count, %m[%i] : !numbers
    gpu.return
  }
}
