
// Sums along k, one product after the other.
func.func @reference(%x: !matrix, %w: !matrix, %z: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %w, %c0 : !matrix
  %k = memref.dim %x, %c1 : !matrix
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %a = memref.load %x[%i, %l] : !matrix
        %b = memref.load %w[%j, %l] : !matrix
        %a_wide = arith.extf %a : bf16 to f32
        %b_wide = arith.extf %b : bf16 to f32
        %p = arith.mulf %a_wide, %b_wide : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      %narrow = arith.truncf %sum : f32 to bf16
      memref.store %narrow, %z[%i, %j] : !matrix
    }
  }
  return
}
