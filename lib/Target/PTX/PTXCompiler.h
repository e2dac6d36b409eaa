//===- PTXCompiler.h - nvPTXCompiler ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of PTXCompiler.cpp, the only file that includes the library's
// header. Not every build has the library.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H
#define CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace carousel {

/// The library's name and version, or an error if this build doesn't have it.
llvm::Expected<std::string> findPTXCompiler();

/// Compiles `ptx` to a cubin, with ptxas's options. The error is the library's
/// log. Otherwise `report` gets that.
llvm::Expected<std::string> runPTXCompiler(llvm::StringRef ptx,
                                           llvm::ArrayRef<const char *> options,
                                           std::string &report);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_PTXCOMPILER_H
