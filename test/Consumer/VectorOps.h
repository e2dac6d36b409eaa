//===- VectorOps.h - vector ops of an embedder ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_CONSUMER_VECTOROPS_H
#define CAROUSEL_TEST_CONSUMER_VECTOROPS_H

#include "carousel/Dialect/IR/DistributionOpInterface.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "VectorOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "VectorOps.h.inc"

#endif // CAROUSEL_TEST_CONSUMER_VECTOROPS_H
