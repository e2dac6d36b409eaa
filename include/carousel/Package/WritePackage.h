//===- WritePackage.h - packages on disk ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a package's files into a directory, all of them or none: whoever opens
// the directory finds the older package or the new one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_WRITEPACKAGE_H
#define CAROUSEL_PACKAGE_WRITEPACKAGE_H

#include "carousel/Package/CompilePackage.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace carousel {

/// Fails with one line where writePackage would refuse `directory`: its parent
/// must exist, and it must not exist itself, be empty, or hold a package and
/// nothing else. A symbolic link stands for what it points to.
llvm::Error checkPackageDirectory(llvm::StringRef directory);

/// Writes the files to a sibling `.NAME.tmp-PID-N` of `directory`, flushes them
/// to disk, and puts the sibling in place by one rename, which exchanges it
/// with an older package where there is one; that is removed afterwards. On
/// failure `directory` is as it was and the sibling is gone. Only a process
/// that is killed leaves a sibling behind; the next write to `directory`
/// removes it. Fails soon after `isInterrupted` says so, until the package is
/// in place.
llvm::Error writePackage(
    llvm::ArrayRef<PackageFile> files, llvm::StringRef directory,
    llvm::function_ref<bool()> isInterrupted = [] { return false; });

} // namespace carousel

#endif // CAROUSEL_PACKAGE_WRITEPACKAGE_H
