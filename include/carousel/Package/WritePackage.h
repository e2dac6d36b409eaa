//===- WritePackage.h - packages on disk ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a package's files to a directory, all of them or none. A reader that
// opens the directory finds the older package or the new one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_WRITEPACKAGE_H
#define CAROUSEL_PACKAGE_WRITEPACKAGE_H

#include "carousel/Package/CompilePackage.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace carousel {

/// Fails with a message of one line if writePackage would reject `directory`.
/// Its parent must exist. The directory must not exist, be empty, or hold a
/// package and nothing else. Symbolic links are followed.
llvm::Error checkPackageDirectory(llvm::StringRef directory);

/// Writes the files to a sibling `.NAME.tmp-PID-N` of `directory`, and flushes
/// them to disk. Then it renames the sibling to `directory`. If there is an
/// older package, the rename exchanges the two, and the older one is removed.
///
/// On failure `directory` is unchanged, and the sibling is removed. Only a
/// process that is killed leaves a sibling, which the next write to `directory`
/// removes. Until the rename, the function fails soon after `isInterrupted`
/// returns true.
llvm::Error writePackage(
    llvm::ArrayRef<PackageFile> files, llvm::StringRef directory,
    llvm::function_ref<bool()> isInterrupted = [] { return false; });

} // namespace carousel

#endif // CAROUSEL_PACKAGE_WRITEPACKAGE_H
