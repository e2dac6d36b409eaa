//===- DescribeProgram.h - descriptions of programs -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest's part on programs (docs/Package.md). Expressions name arguments
// of the program.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_DESCRIBEPROGRAM_H
#define CAROUSEL_PACKAGE_DESCRIBEPROGRAM_H

#include "carousel/Package/DescribePackage.h"

namespace carousel {

/// The elements of all programs' constants, each of them once.
class ConstantPool {
public:
  static constexpr uint64_t kAlignment = 256;

  /// The offset of these bytes, which are added unless they are there.
  uint64_t add(llvm::StringRef bytes);
  const std::string &getContents() const { return contents; }

private:
  std::string contents;
  llvm::StringMap<uint64_t> offsets; ///< by hash
};

/// Describes the functions with carousel.program, and erases them and their
/// constants from the module. Emits an error at an op that a package can't
/// have.
mlir::FailureOr<std::vector<ProgramDescription>>
describePrograms(mlir::ModuleOp module, ConstantPool &constants);

} // namespace carousel

#endif // CAROUSEL_PACKAGE_DESCRIBEPROGRAM_H
