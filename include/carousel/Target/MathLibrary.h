//===- MathLibrary.h - libdevice, read once ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libdevice has hundreds of functions, of which a kernel calls one or two;
// going through the file for them is a twentieth of a compilation. Who compiles
// again keeps them.
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

/// The functions of libdevice that were asked for. The file is read when a set
/// of functions is asked for that wasn't before; what it was then stays. May be
/// used by several threads.
class MathLibrary {
public:
  /// A module with `functions` and all that they call, out of the bitcode file
  /// `path`. Functions that the file doesn't define are left out. An error if
  /// it can't be read.
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
