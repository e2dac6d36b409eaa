// Ops that the passes expand and the simulated machine has itself: the same bytes before and after the expansions.
// RUN: carousel-sim %s --kernel @numbers --arg x=random:64 --arg y=empty:10x64 --out y=%t.npy --quiet
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops,carousel-expand-arith))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --implicit-check-not='{{subgroup_reduce|powi|math.powf|clampf|isnormal|addui_extended .* : index|mulsi_extended .* : i1}}'
// RUN: carousel-sim %t.mlir --kernel @numbers --arg x=random:64 --arg y=empty:10x64 --expect y=%t.npy

#gl = #gpu.address_space<global>
!y = memref<10x64xf32, #gl>

gpu.module @m {
  // CHECK: gpu.func @numbers
  gpu.func @numbers(%x: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32, #gl>

    // Sums depend on their order.
    %sum = gpu.subgroup_reduce add %v : (f32) -> f32
    memref.store %sum, %y[%c0, %t] : !y
    %some = gpu.subgroup_reduce mul %v cluster(size = 4, stride = 2) : (f32) -> f32
    memref.store %some, %y[%c1, %t] : !y
    %h = arith.truncf %v : f32 to f16
    %pair = vector.from_elements %h, %h : vector<2xf16>
    %halves = gpu.subgroup_reduce add %pair : (vector<2xf16>) -> vector<2xf16>
    %half = vector.extract %halves[1] : f16 from vector<2xf16>
    %half_sum = arith.extf %half : f16 to f32
    memref.store %half_sum, %y[%c2, %t] : !y

    // From -29 to 34, and a constant.
    %c29 = arith.constant 29 : index
    %whole = arith.subi %t, %c29 : index
    %exponent = arith.index_cast %whole : index to i32
    %power = math.fpowi %v, %exponent : f32, i32
    %cube = arith.constant 3.0 : f32
    %cubed = math.powf %v, %cube : f32
    %powers = arith.addf %power, %cubed : f32
    memref.store %powers, %y[%c3, %t] : !y
    %three = arith.constant 3 : i32
    %one = arith.constant 1 : i32
    %odd = arith.ori %exponent, %one : i32
    %p = math.ipowi %odd, %exponent : i32
    %q = math.ipowi %exponent, %three : i32
    %pq = arith.xori %p, %q : i32
    %ints = arith.sitofp %pq : i32 to f32
    memref.store %ints, %y[%c4, %t] : !y

    %low = arith.constant -0.25 : f32
    %clamped = math.clampf %v to [%low, %sum] : f32
    memref.store %clamped, %y[%c5, %t] : !y
    %tiny = arith.constant 1.0e-4 : f16
    %scaled = arith.mulf %h, %tiny : f16
    %normal = math.isnormal %scaled : f16
    %is_normal = arith.uitofp %normal : i1 to f32
    memref.store %is_normal, %y[%c6, %t] : !y

    %s, %carry = arith.addui_extended %t, %whole : index, i1
    %s64 = arith.index_cast %s : index to i64
    %sf = arith.sitofp %s64 : i64 to f32
    %cf = arith.uitofp %carry : i1 to f32
    %added = arith.addf %sf, %cf : f32
    memref.store %added, %y[%c7, %t] : !y
    %bl, %bh = arith.mulsi_extended %carry, %normal : i1
    %lf = arith.uitofp %bl : i1 to f32
    %hf = arith.uitofp %bh : i1 to f32
    %two = arith.constant 2.0 : f32
    %h2 = arith.mulf %hf, %two : f32
    %bits = arith.addf %lf, %h2 : f32
    memref.store %bits, %y[%c8, %t] : !y
    %whole64 = arith.index_cast %whole : index to i64
    %single = vector.from_elements %whole64 : vector<1xi64>
    %twice, %carries = arith.addui_extended %single, %single : vector<1xi64>, vector<1xi1>
    %carried = vector.extract %carries[0] : i1 from vector<1xi1>
    %carried_float = arith.uitofp %carried : i1 to f32
    memref.store %carried_float, %y[%c9, %t] : !y
    gpu.return
  }
}
