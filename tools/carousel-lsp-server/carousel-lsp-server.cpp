//===- carousel-lsp-server.cpp - editor support ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server with Carousel's dialect.
//
//===----------------------------------------------------------------------===//

#include "../support/MLIR/Register.h"
#include "../support/MLIR/Version.h"
#include "../support/Process/FileSizeLimit.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  carousel::blockFileSizeSignal();
  mlir::DialectRegistry registry;
  carousel::registerToolDialects(registry);
  carousel::printVersionOf("carousel-lsp-server");
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
