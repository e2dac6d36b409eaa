//===- AssemblePTX.h - cubins from PTX --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles by nvPTXCompiler in this process, or by a toolkit's ptxas in one of
// its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_ASSEMBLEPTX_H
#define CAROUSEL_TARGET_ASSEMBLEPTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace carousel {

/// Who makes cubins of PTX. The library and the program of one release make
/// the same code.
enum class Assembler {
  Auto,    ///< the library where this build has it, else the program
  Library, ///< nvPTXCompiler: no process and no files, 3 to 20 ms less
  Program  ///< ptxas
};

struct AssembleOptions {
  Assembler assembler = Assembler::Auto;
  /// The program is in its bin/; empty: on the PATH.
  std::string cudaRoot;
};

/// What assembles: the library with its version, or the program's path. The
/// error is one line and says where it was looked for.
llvm::Expected<std::string> findAssembler(const AssembleOptions &options);

/// The cubin of `ptx` for `chip`. The error holds the assembler's messages.
/// May be called from several threads at once.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx,
                                        llvm::StringRef chip,
                                        const AssembleOptions &options);

} // namespace carousel

#endif // CAROUSEL_TARGET_ASSEMBLEPTX_H
