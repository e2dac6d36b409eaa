//===- carousel-opt.cpp - the optimizer driver ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with Carousel's dialect, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "../Register.h"

#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  carousel::registerToolDialects(registry);
  mlir::registerAllPasses();
  carousel::registerCarouselPasses();
  carousel::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Carousel optimizer driver\n", registry));
}
