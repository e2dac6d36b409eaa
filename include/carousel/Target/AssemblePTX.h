//===- AssemblePTX.h - cubins from PTX --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the toolkit's ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_ASSEMBLEPTX_H
#define CAROUSEL_TARGET_ASSEMBLEPTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace carousel {

/// The ptxas under `cudaRoot`/bin, or on the PATH if `cudaRoot` is empty. The
/// error is one line and says where it was looked for.
llvm::Expected<std::string> findPTXAS(llvm::StringRef cudaRoot);

/// The cubin of `ptx` for `chip`. The error holds the assembler's messages.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx,
                                        llvm::StringRef chip,
                                        llvm::StringRef cudaRoot);

} // namespace carousel

#endif // CAROUSEL_TARGET_ASSEMBLEPTX_H
