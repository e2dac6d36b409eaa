// examples/tile/gelu.mlir against a loop on the host: one element, one under and over a tile, more tiles than
// CTAs (room for two).
// RUN: cat %source_root/examples/tile/gelu.mlir %s > %t.mlir
// RUN: carousel-sim %t.mlir --kernel @gelu --reference @reference --rtol 0.01 --atol 1e-6 --arg x=random:1 --arg y=empty:1
// RUN: carousel-sim %t.mlir --kernel @gelu --reference @reference --rtol 0.01 --atol 1e-6 --arg x=random:4095 --arg y=empty:4095 --policy all
// RUN: carousel-sim %t.mlir --kernel @gelu --reference @reference --rtol 0.01 --atol 1e-6 --arg x=random:4097 --arg y=empty:4097 --policy all
// RUN: carousel-sim %t.mlir --kernel @gelu --reference @reference --rtol 0.01 --atol 1e-6 --arg x=random:20001 --arg y=empty:20001 --multiprocessors 1 --resident 2 --schedules 8

// One rounding to the 8 bits of bf16 on each side: a unit in the last place is 1/128, at most.
func.func @reference(%x: memref<?xbf16>, %y: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %n = memref.dim %x, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.load %x[%i] : memref<?xbf16>
    %v = arith.extf %b : bf16 to f32
    %s = arith.mulf %v, %rsqrt2 : f32
    %e = math.erf %s : f32
    %p = arith.addf %e, %one : f32
    %h = arith.mulf %v, %half : f32
    %g = arith.mulf %h, %p : f32
    %r = arith.truncf %g : f32 to bf16
    memref.store %r, %y[%i] : memref<?xbf16>
  }
  return
}
