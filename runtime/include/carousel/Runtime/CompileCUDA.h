//===- CompileCUDA.h - CUDA C++ compiled at run time ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text goes through NVRTC and comes back as a cubin, PTX or LTO-IR, or with
// what was wrong: which file, line and function. Carousel's device headers
// (<carousel/device/...>) are in this library and need no include path. What
// was compiled stays in the disk cache. Needs no driver and no GPU.
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
  std::string name; ///< what messages and `#include` call it: "saxpy.cu"
  std::string text;
};

/// How CUDA C++ is compiled. C++17, unless `more` says otherwise.
struct CUDAOptions {
  /// Debuggers and profilers see the lines of the text, or those that its
  /// `#line` directives name.
  bool lineInfo = false;
  /// Contraction to fused multiply-add, flushing of denormals, approximate
  /// division and square root. Without it, each operation is rounded as IEEE
  /// 754 says.
  bool fastMath = false;
  /// Files for `#include`, before Carousel's own and those of the toolkit.
  std::vector<CUDASource> headers;
  /// Options of NVRTC, one each, after those that follow from the others.
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
  /// "sm_90a". Empty: that of the context's device, with its own features.
  std::string chip;
};

/// What a compiler or linker said, in parts.
struct CompileMessage {
  /// The numbers are part of the C ABI.
  enum class Severity : int32_t { Error = 1, Warning = 2, Note = 3 };
  Severity severity = Severity::Error;
  /// As `#line` has it, if it does. Empty where the message names none.
  std::string file;
  uint32_t line = 0; ///< from 1; 0 where the message names none
  /// The kernel or function that it is about, or in whose definition the line
  /// lies. Empty outside of any.
  std::string function;
  std::string text;   ///< one line
  std::string source; ///< the line of code, if the compiler shows it
};

/// "saxpy.cu:14: error: identifier "y" is undefined (in 'saxpy')"
std::string toString(const CompileMessage &message) noexcept;

struct CompiledCode {
  CodeKind kind = CodeKind::Cubin;
  std::string chip;
  std::string bytes; ///< PTX: without a terminating null
};

/// Compiles for `options.chip`, which must be given. `context` says where the
/// libraries and the cache are; no device is opened. `messages`, if it is
/// there, gets warnings and errors, whether the call fails or not; the error's
/// own message is one line with the first few.
Result<CompiledCode>
compileCUDA(const CUDASource &source, const CompileOptions &options,
            std::vector<CompileMessage> *messages = nullptr,
            const ContextOptions &context = {}) noexcept;

/// The same, by default for the device of the context.
Result<CompiledCode>
compileCUDA(const Context &context, const CUDASource &source,
            const CompileOptions &options = {},
            std::vector<CompileMessage> *messages = nullptr) noexcept;

/// A header that every compilation sees; both live forever.
struct DeviceHeader {
  std::string_view name; ///< "carousel/device/mbarrier.h"
  std::string_view text;
};

/// Carousel's device headers, sorted by name, for those who call NVRTC
/// themselves.
std::vector<DeviceHeader> getDeviceHeaders() noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_COMPILECUDA_H
