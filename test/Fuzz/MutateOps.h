//===- MutateOps.h - other operands, attributes and ops ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of a parsed module. The types of operands stay as ops expect them, so
// that most mutants get past the verifier.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_MUTATEOPS_H
#define CAROUSEL_TEST_FUZZ_MUTATEOPS_H

#include "Draw.h"

#include "mlir/IR/BuiltinOps.h"

namespace carousel::fuzz {

/// Makes one change, where one is found; the module may be invalid afterwards.
void mutateOps(mlir::ModuleOp module, Draw &draw);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_MUTATEOPS_H
