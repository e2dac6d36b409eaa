// A loop along k of multiply-adds goes in steps that have whole runs of both factors, which loads of 16 bytes read: 8
// elements of bf16, and 16 of i8. Blocks of so many sums would have shorter steps.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{machine} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --rtol 1e-5 --atol 1e-6 --quiet
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir
// RUN: carousel-opt %s --carousel-distribute --canonicalize --cse | FileCheck %s
// REDEFINE: %{kernel} = @halves
// REDEFINE: %{args} = --arg x=random:128x64:1 --arg w=random:128x64:2 --arg y=zeros:128x128
// RUN: %{lanes}
// RUN: %{machine}
// REDEFINE: %{kernel} = @bytes
// REDEFINE: %{args} = --arg x=random:128x128:1 --arg w=random:64x128:2 --arg y=zeros:128x64
// RUN: %{lanes}
// RUN: %{machine}

#gl = #gpu.address_space<global>
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
#kinds = ["parallel", "parallel", "reduction"]
#largest = {indexing_maps = #maps, iterator_types = #kinds, kind = #vector.kind<maximumf>}
#integers = {indexing_maps = #maps, iterator_types = #kinds, kind = #vector.kind<maxsi>}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [1], block = [128]>
!x = memref<128x64xbf16, #gl>
!w = memref<?x64xbf16, #gl>
!y = memref<128x128xf32, #gl>
!bytes = memref<128x128xi8, #gl>
!rows = memref<?x128xi8, #gl>
!sums = memref<128x64xi32, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @halves(
  // CHECK: scf.for %{{.+}} = %c0 to %c64 step %c8 iter_args(
  gpu.func @halves(%x: !x {carousel.argument = #x}, %w: !w {carousel.argument = #w}, %y: !y {carousel.argument = #y}) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : vector<128x128xf32>
    %q = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : !x, vector<128x64xbf16>
    %n = memref.dim %w, %c0 : !w
    %all = scf.for %j = %c0 to %n step %c128 iter_args(%most = %none) -> (vector<128x128xf32>) {
      %a = vector.transfer_read %w[%j, %c0], %zero : !w, vector<128x64xbf16>
      %s = vector.contract #largest %q, %a, %most : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %s : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, !y
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bytes(
  // CHECK: scf.for %{{.+}} = %c0 to %c128 step %c16 iter_args(
  gpu.func @bytes(%x: !bytes {carousel.argument = #x}, %w: !rows {carousel.argument = #w}, %y: !sums {carousel.argument = #y}) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i8
    %low = arith.constant dense<-100000> : vector<128x64xi32>
    %q = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : !bytes, vector<128x128xi8>
    %n = memref.dim %w, %c0 : !rows
    %all = scf.for %j = %c0 to %n step %c64 iter_args(%most = %low) -> (vector<128x64xi32>) {
      %a = vector.transfer_read %w[%j, %c0], %zero : !rows, vector<64x128xi8>
      %s = vector.contract #integers %q, %a, %most : vector<128x128xi8>, vector<64x128xi8> into vector<128x64xi32>
      scf.yield %s : vector<128x64xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %all, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xi32>, !sums
    gpu.return
  }
}
