//===- PTXCompiler.h - nvPTXCompiler ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing but PTXCompiler.cpp sees the library's header, which not every build
// has.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H
#define CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace carousel {

/// Its name and version; an error where this build hasn't got it.
llvm::Expected<std::string> findPTXCompiler();

/// The cubin of `ptx`, with ptxas's options. The error is the library's log.
llvm::Expected<std::string>
runPTXCompiler(llvm::StringRef ptx, llvm::ArrayRef<const char *> options);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H
