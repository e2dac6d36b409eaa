//===- AssemblerOption.h - the option --assembler ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_ASSEMBLEROPTION_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_ASSEMBLEROPTION_H

#include "carousel/Target/AssemblePTX.h"

#include "llvm/Support/CommandLine.h"

namespace carousel {

/// `--assembler`, for tools that make cubins.
class AssemblerOption : public llvm::cl::opt<Assembler> {
public:
  template <typename... Modifiers>
  explicit AssemblerOption(const Modifiers &...modifiers)
      : llvm::cl::opt<Assembler>(
            "assembler", llvm::cl::init(Assembler::Auto),
            llvm::cl::desc("Assembler that compiles PTX to cubins:"),
            llvm::cl::values(
                clEnumValN(Assembler::Auto, "auto",
                           "the library if this build has it, otherwise "
                           "ptxas, which also takes several kernels with "
                           "wgmma (the default)"),
                clEnumValN(Assembler::Library, "library",
                           "NVIDIA's PTX compiler library, in this process"),
                clEnumValN(Assembler::Program, "ptxas",
                           "the program ptxas of --cuda-root")),
            modifiers...) {}
};

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_ASSEMBLEROPTION_H
