// A pipeline runs on functions that hold one of the ops, or an op of one of the dialects, and on no others.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine pipeline=lower-affine,cse}))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine.apply,math.sqrt pipeline=cse}))' | FileCheck %s --check-prefix=OPS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine.apply pipeline=lower-affine}))' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine pipeline=lower-afine}))' 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine}))' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: expected a pipeline to run, got ''
// TEXT: carousel-run-where-present{ops={affine.apply} pipeline=lower-affine}
// FAULT: expected a pipeline to run, got 'lower-afine': {{.*}}'lower-afine' does not refer to a registered pass

// CHECK-LABEL: func.func @with
// CHECK-NOT: affine
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK-NOT: arith.addi
// OPS-LABEL: func.func @with
// OPS: affine.apply
// OPS: arith.addi
// OPS-NOT: arith.addi
// DOC-EXAMPLE: --pass-pipeline='builtin.module(any(carousel-run-where-present{ops=affine.apply pipeline=lower-affine}))'
func.func @with(%i: index) -> (index, index) {
  %a = affine.apply affine_map<(i) -> (i * 4)>(%i)
  %b = arith.addi %i, %a : index
  %c = arith.addi %i, %a : index
  return %b, %c : index, index
}

// CHECK-LABEL: func.func @without
// CHECK-COUNT-2: arith.addi
// OPS-LABEL: func.func @without
// OPS-COUNT-2: arith.addi
func.func @without(%i: index) -> (index, index) {
  %zero = arith.constant 0 : index
  %b = arith.addi %i, %zero : index
  %c = arith.addi %i, %zero : index
  return %b, %c : index, index
}
