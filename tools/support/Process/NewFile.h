//===- NewFile.h - writes files atomically ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is written under a temporary name and renamed at the end. A failure or
// a signal leaves neither a part of it nor the temporary file.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_NEWFILE_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_NEWFILE_H

#include "Interrupt.h"

#include "carousel/Runtime/Error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace carousel::tools {

class NewFile {
public:
  explicit NewFile(std::string path);
  /// Unless it was finished, nothing is left of it.
  ~NewFile();

  /// Makes PATH.PID-N.tmp, and removes those of PATH that killed processes
  /// left. A device or a pipe can't be replaced; it is written to.
  runtime::Status create();
  runtime::Status write(const void *data, uint64_t count);
  /// Waits until the file is on the disk, so that no power failure loses both
  /// it and the one that it replaces.
  runtime::Status flush();
  runtime::Status finish();

private:
  InterruptGuard guard; ///< ends when the temporary file is gone
  std::string path, temporary;
  int descriptor = -1;
};

/// Makes a file of the text.
runtime::Status writeText(const std::string &path, std::string_view text);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_NEWFILE_H
