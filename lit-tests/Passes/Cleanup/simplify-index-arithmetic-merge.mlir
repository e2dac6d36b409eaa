// carousel-simplify-index-arithmetic, merging: loop-carried values with equal start and step become one value. Others stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-simplify-index-arithmetic,canonicalize,cse)))' | FileCheck %s

#gl = #gpu.address_space<global>
!numbers = memref<?xindex, #gl>

gpu.module @counters {
  // Of five the last two are others: one begins elsewhere, one takes two at a time. Results are those of the first.
  // CHECK-LABEL: gpu.func @alike
  // CHECK-SAME: (%[[N:[^ ]*]]: index, %[[BY:[^ ]*]]: index, %[[OUT:[^ ]*]]: memref
  // CHECK: %[[R:.+]]:3 = scf.for {{.*}} iter_args(%[[A:.+]] = %c0, %[[D:.+]] = %c1, %[[E:.+]] = %c0)
  // CHECK: %[[SUM:.+]] = arith.addi %[[A]], %[[A]]
  // CHECK: %[[MORE:.+]] = arith.addi %[[SUM]], %[[A]]
  // CHECK: memref.store %[[MORE]]
  // CHECK: memref.store %[[D]]
  // CHECK: memref.store %[[E]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[A]], %c1
  // CHECK: scf.yield %[[NEXT]],
  // CHECK: memref.store %[[R]]#0
  // CHECK: memref.store %[[R]]#0
  gpu.func @alike(%n: index, %by: index, %out: !numbers) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %zero, %c = %c0, %d = %c1, %e = %c0)
        -> (index, index, index, index, index) {
      %sum = arith.addi %a, %b : index
      %more = arith.addi %sum, %c : index
      memref.store %more, %out[%i] : !numbers
      memref.store %d, %out[%i] : !numbers
      memref.store %e, %out[%i] : !numbers
      %next_a = arith.addi %a, %c1 : index
      %next_b = arith.addi %b, %one : index
      %next_c = arith.addi %c1, %c : index
      %next_d = arith.addi %d, %c1 : index
      %next_e = arith.addi %e, %c2 : index
      scf.yield %next_a, %next_b, %next_c, %next_d, %next_e : index, index, index, index, index
    }
    memref.store %r#1, %out[%c0] : !numbers
    memref.store %r#2, %out[%c1] : !numbers
    memref.store %r#3, %out[%c0] : !numbers
    memref.store %r#4, %out[%c1] : !numbers
    gpu.return
  }

  // By a value from outside; not by one that the loop computes, by the other, by a product, or in a branch alone.
  // CHECK-LABEL: gpu.func @others
  // CHECK: scf.for {{.*}} iter_args(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}})
  // CHECK: gpu.return
  gpu.func @others(%n: index, %by: index, %out: !numbers, %flag: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:7 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c1, %b = %c1, %c = %c1, %d = %c1, %e = %c1, %f = %c1, %g = %c1)
        -> (index, index, index, index, index, index, index) {
      %inside = memref.load %out[%i] : !numbers
      %next_a = arith.addi %a, %by : index
      %next_b = arith.addi %b, %by : index
      %next_c = arith.addi %c, %inside : index
      %next_d = arith.addi %d, %inside : index
      %next_e = arith.addi %a, %f : index
      %next_f = arith.muli %f, %by : index
      %next_g = scf.if %flag -> index {
        %more = arith.addi %g, %by : index
        scf.yield %more : index
      } else {
        scf.yield %g : index
      }
      memref.store %a, %out[%a] : !numbers
      memref.store %b, %out[%c] : !numbers
      memref.store %d, %out[%e] : !numbers
      memref.store %f, %out[%g] : !numbers
      scf.yield %next_a, %next_b, %next_c, %next_d, %next_e, %next_f, %next_g : index, index, index, index, index, index, index
    }
    gpu.return
  }
}
