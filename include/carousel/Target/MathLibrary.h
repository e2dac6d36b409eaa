//===- MathLibrary.h - a cache of libdevice functions -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libdevice has hundreds of functions, of which a kernel calls one or two.
// Reading the file takes 5 % of a compilation, so repeated compilations keep
// the functions that they use.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_MATHLIBRARY_H
#define CAROUSEL_TARGET_MATHLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace carousel {

/// The functions of libdevice that were requested. The file is read when a new
/// set of functions is requested, and its result is kept. Several threads may
/// use one object.
class MathLibrary {
public:
  /// A module with `functions` and all functions that they call, from the
  /// bitcode file `path`. Functions that the file doesn't define are left out.
  /// Returns an error if the file can't be read.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  load(llvm::StringRef path, llvm::ArrayRef<std::string> functions,
       llvm::LLVMContext &context);

private:
  std::mutex mutex;
  /// Bitcode by path and names.
  llvm::StringMap<std::shared_ptr<const std::string>> known;
};

} // namespace carousel

#endif // CAROUSEL_TARGET_MATHLIBRARY_H
