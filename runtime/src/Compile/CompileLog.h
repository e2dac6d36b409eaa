//===- CompileLog.h - what compilers report ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the logs of NVRTC, ptxas and nvJitLink, drops counts and repetitions,
// and joins several errors to one line. Compilers report the line of an error,
// not the kernel: definitions of functions are found by their braces, and lines
// by `#line` directives, without preprocessing. Functions that macros define
// are missed; a wrong result only affects one word of a message.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_COMPILELOG_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_COMPILELOG_H

#include "carousel/Runtime/CompileCUDA.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

class FunctionLines {
public:
  /// Reads a text that its compiler calls `name`.
  FunctionLines(std::string_view text, const std::string &name);
  FunctionLines(const FunctionLines &) = delete;
  FunctionLines &operator=(const FunctionLines &) = delete;

  /// The function in whose definition the line lies; empty if there is none.
  /// Where `#line` gives several lines one number, that of the first.
  std::string find(const std::string &file, uint32_t line) const;

private:
  friend class FunctionScanner;
  /// Names of files and functions, once each however many lines there are.
  std::set<std::string, std::less<>> names;
  std::map<std::pair<const std::string *, uint32_t>, const std::string *>
      functions;
};

using CompileMessages = std::vector<CompileMessage>;

/// The messages of a log, in its order. `files` are names that it may use, for
/// those that look like more than a name. Lines of ptxas keep their number in
/// the PTX; their file is kPTXText.
CompileMessages parseLog(std::string_view log,
                         const std::vector<std::string> &files = {});
inline constexpr const char *kPTXText = "PTX";

/// Names the functions that lines of `source` lie in.
void addFunctions(CompileMessages &messages, const CUDASource &source);

/// Gives messages about lines of PTX the place in CUDA C++ that the PTX says
/// they come from (.loc, .file), and their function's name. The PTX has
/// absolute paths; `directory` is what its compiler put before the others.
void traceToSource(CompileMessages &messages, std::string_view ptx,
                   std::string_view directory);

/// The errors as one line of at most 4 KiB: the first three that differ in more
/// than their place, and how many there are beside them. Without any error, the
/// log as condenseLog has it.
std::string summarizeErrors(const CompileMessages &messages,
                            std::string_view log);

/// The first lines of a compiler's log as one line, at most 4 KiB, with " | "
/// between what were lines.
std::string condenseLog(std::string_view log);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_COMPILELOG_H
