//===- PTXTranslation.h - from PTX to host code -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a kernel of a PTX module, and the functions that it calls, to a
// module of the LLVM dialect that the JIT accepts: the code of one thread. What
// other threads and engines see of it are calls of the machine.
// docs/PTXMachine.md has the meaning.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_PTXTRANSLATION_H
#define CAROUSEL_LIB_SIMULATOR_PTX_PTXTRANSLATION_H

#include "../Compile/KernelModule.h"

#include "carousel/PTX/PTXModule.h"

namespace carousel::sim {

struct Signature;
using PTXParameters = std::vector<llvm::SmallVector<unsigned, 1>>;

/// A text of PTX, and where it is from.
struct PTXSource {
  const ptx::Module &module;
  /// The file that diagnostics and findings name.
  std::string file;
};

/// Translates the kernel of this name. The entry takes the words that
/// LaunchArguments packs for `signature`, and puts them into `parameters`, by
/// default as docs/KernelABI.md says. Emits an error at the line of an
/// instruction that the machine doesn't have.
mlir::FailureOr<KernelModule>
translatePTX(const PTXSource &source, llvm::StringRef kernel,
             const Signature &signature,
             const std::optional<PTXParameters> &parameters,
             mlir::MLIRContext &context, SiteTable &sites);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_PTXTRANSLATION_H
