//===- RunModule.h - what tools do with a text ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a text and compiles it to a package as carousel-compile does, up to
// the PTX and the CUDA C++. Then runs it as carousel-sim does, with zeros.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_RUNMODULE_H
#define CAROUSEL_TEST_FUZZ_RUNMODULE_H

#include "Draw.h"
#include "Isolate.h"

#include "mlir/IR/BuiltinOps.h"

namespace carousel::fuzz {

class ModuleRunner {
public:
  explicit ModuleRunner(mlir::MLIRContext &context) : context(context) {}

  Verdict run(const std::string &text, Draw draw, Report &report);

private:
  bool compile(mlir::ModuleOp module, Draw &draw);
  void simulate(mlir::ModuleOp module, const std::string &text, Draw &draw);

  mlir::MLIRContext &context;
};

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_RUNMODULE_H
