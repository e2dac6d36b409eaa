//===- CompileCUDA.h - CUDA C++ compiled at run time ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles CUDA C++ with NVRTC to a cubin, PTX or LTO-IR. Errors name the file,
// line and function. Carousel's device headers (<carousel/device/...>) are in
// this library and need no include path. Results stay in the disk cache.
// Compilation needs no driver and no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_COMPILECUDA_H
#define CAROUSEL_RUNTIME_COMPILECUDA_H

#include "carousel/Runtime/Context.h"

#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

/// A file of CUDA C++, in memory.
struct CUDASource {
  std::string name; ///< in messages and in `#include`: "saxpy.cu"
  std::string text;
};

/// How to compile CUDA C++: as C++17, unless `more` says otherwise.
struct CUDAOptions {
  /// Emit line numbers for debuggers and profilers: those of the text, or of
  /// its
  /// `#line` directives.
  bool lineInfo = false;
  /// Allow contraction to fused multiply-add, flushing of denormals, and
  /// approximate division and square root. Without it, each operation rounds as
  /// IEEE 754 requires.
  bool fastMath = false;
  /// Files for `#include`, before Carousel's own and those of the toolkit.
  std::vector<CUDASource> headers;
  /// More options for NVRTC, one in each string, after those that the other
  /// members imply.
  std::vector<std::string> more;
};

/// The numbers are part of the C ABI.
enum class CodeKind : int32_t {
  Cubin = 1, ///< for one chip
  PTX = 2,   ///< text
  LTOIR = 3, ///< for nvJitLink, which optimises across files
};

struct CompileOptions : CUDAOptions {
  CodeKind kind = CodeKind::Cubin;
  /// "sm_90a". Empty: the chip of the context's device, with the features of
  /// that chip alone.
  std::string chip;
};

/// A diagnostic of a compiler or linker.
struct CompileMessage {
  /// The numbers are part of the C ABI.
  enum class Severity : int32_t { Error = 1, Warning = 2, Note = 3 };
  Severity severity = Severity::Error;
  /// The name given by `#line`, if any. Empty if the message names no file.
  std::string file;
  uint32_t line = 0; ///< from 1; 0 if the message names none
  /// The kernel or function that the message names, or whose definition has the
  /// line. Empty outside of functions.
  std::string function;
  std::string text;   ///< one line
  std::string source; ///< the line of code, if the compiler prints it
};

/// "saxpy.cu:14: error: identifier "y" is undefined (in 'saxpy')"
std::string toString(const CompileMessage &message) noexcept;

struct CompiledCode {
  CodeKind kind = CodeKind::Cubin;
  std::string chip;
  std::string bytes; ///< PTX: without a terminating null
};

/// Compiles for `options.chip`, which must be set. `context` gives the places
/// of the libraries and the cache; no device is opened. `messages`, unless
/// null, receives warnings and errors, whether the call fails or not. The Error
/// itself has one line with the first few.
Result<CompiledCode>
compileCUDA(const CUDASource &source, const CompileOptions &options,
            std::vector<CompileMessage> *messages = nullptr,
            const ContextOptions &context = {}) noexcept;

/// The same, by default for the device of the context.
Result<CompiledCode>
compileCUDA(const Context &context, const CUDASource &source,
            const CompileOptions &options = {},
            std::vector<CompileMessage> *messages = nullptr) noexcept;

/// A header that every compilation can include. Both texts are static.
struct DeviceHeader {
  std::string_view name; ///< "carousel/device/mbarrier.h"
  std::string_view text;
};

/// Carousel's device headers, sorted by name, for callers that use NVRTC
/// directly.
std::vector<DeviceHeader> getDeviceHeaders() noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_COMPILECUDA_H
