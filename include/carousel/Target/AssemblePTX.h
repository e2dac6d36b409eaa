//===- AssemblePTX.h - cubins from PTX --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles PTX with nvPTXCompiler in this process, or with a toolkit's ptxas
// in a process of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_ASSEMBLEPTX_H
#define CAROUSEL_TARGET_ASSEMBLEPTX_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace carousel {

/// The assembler of PTX. The library and the program of one release make the
/// same code.
enum class Assembler {
  /// The library if this build has it, else the program. Several kernels with
  /// products of a warpgroup go to the program of the library's release, if
  /// there is one: it compiles them in parallel. If it fails, the library
  /// follows.
  Auto,
  Library, ///< nvPTXCompiler: no process and no files, 3 to 20 ms less
  Program  ///< ptxas
};

struct AssembleOptions {
  Assembler assembler = Assembler::Auto;
  /// The program is in its bin/. If empty, the program is on the PATH.
  std::string cudaRoot;
};

/// The assembler that is used: the library with its version, or the program's
/// path. The error is one line that says where it was searched.
llvm::Expected<std::string> findAssembler(const AssembleOptions &options);

/// Assembles `ptx` for `chip` and returns the cubin. The error holds the
/// assembler's messages, and `report`, if there is one, gets what it says of
/// each function. Several threads may call it at the same time.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx,
                                        llvm::StringRef chip,
                                        const AssembleOptions &options,
                                        std::string *report = nullptr);

/// The bytes of registers that a thread of each function stores to memory for
/// lack of registers, of an assembler's report. Functions without any are
/// absent.
llvm::StringMap<int64_t> readSpills(llvm::StringRef report);

} // namespace carousel

#endif // CAROUSEL_TARGET_ASSEMBLEPTX_H
