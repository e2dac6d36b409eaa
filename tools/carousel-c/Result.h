//===- Result.h - handles of the compiler's C interface ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of the handles, and how functions report failures. A result owns
// all that it shows, so that it outlives its compiler.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_RESULT_H
#define CAROUSEL_TOOLS_C_RESULT_H

#include "carousel-c/Compiler.h"
#include "carousel/Package/CompilePackage.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/IR/MLIRContext.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace carousel::capi {

struct DiagnosticRecord {
  carousel_compiler_severity severity = CAROUSEL_COMPILER_ERROR;
  uint32_t line = 0, column = 0;
  std::string file, message, source;
};

/// A finding with the texts that the simulator's hasn't.
struct FindingRecord {
  sim::Finding finding;
  std::string notes, text;
};

struct RunRecord {
  sim::RunStatus status = sim::RunStatus::Finished;
  std::string kernel, policy;
  uint64_t seed = 0, schedulesRun = 0, expiredWaits = 0;
  sim::RunFigures figures;
};

/// Keeps the message for carousel_compiler_last_error.
carousel_compiler_status fail(carousel_compiler_status status,
                              const llvm::Twine &message);
/// Fails a call of this process that its is_cancelled ended, or of which a
/// child returns that a callback forked.
carousel_compiler_status failCancelled(int process);

/// The first of the pointers that is null is an error, by its name.
struct Required {
  const void *pointer;
  llvm::StringRef name;
};
carousel_compiler_status require(llvm::ArrayRef<Required> pointers);

/// Whether `size` can be that of a struct which has at least `least` bytes.
carousel_compiler_status checkSize(size_t size, size_t least,
                                   llvm::StringRef name);

/// Reads a struct of a caller whose header may be another one. Members that an
/// older one hasn't stay as they are in `to`. Those of a newer one, unknown
/// here, must be zero. `least` is the struct's size in the first version.
template <typename Struct>
carousel_compiler_status readStruct(const Struct *from, size_t least,
                                    llvm::StringRef name, Struct &to) {
  if (carousel_compiler_status status = checkSize(from->size, least, name))
    return status;
  const auto *bytes = reinterpret_cast<const char *>(from);
  for (size_t i = sizeof(Struct); i < from->size; ++i)
    if (bytes[i] != 0)
      return fail(CAROUSEL_COMPILER_UNSUPPORTED_VERSION,
                  name + ": expected members within the " +
                      llvm::Twine(sizeof(Struct)) +
                      " bytes of this version, got one at byte " +
                      llvm::Twine(i));
  std::memcpy(&to, bytes, std::min(from->size, sizeof(Struct)));
  return CAROUSEL_COMPILER_OK;
}

/// Writes the `size` bytes of a struct of such a caller.
template <typename Struct>
carousel_compiler_status writeStruct(Struct value, size_t least,
                                     llvm::StringRef name, Struct *to) {
  size_t size = to->size;
  if (carousel_compiler_status status = checkSize(size, least, name))
    return status;
  value.size = size;
  auto *bytes = reinterpret_cast<char *>(to);
  std::memcpy(bytes, &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(bytes + sizeof(Struct), 0, size - sizeof(Struct));
  return CAROUSEL_COMPILER_OK;
}

} // namespace carousel::capi

struct carousel_compiler {
  std::mutex mutex;
  /// Whose call holds the mutex.
  std::atomic<std::thread::id> owner{};
  /// The process that made it: the context's threads don't survive a fork.
  int process;
  /// Whether a call that was stopped still works with it, and does until the
  /// process ends.
  std::atomic<bool> isLeft = false;
  mlir::MLIRContext context;
  carousel::PackageCompiler packages;

  explicit carousel_compiler(const mlir::DialectRegistry &registry);
  /// Fails in a process that was forked from the compiler's.
  carousel_compiler_status checkProcess() const;
  /// Fails in a callback of a call with this compiler, which holds the mutex.
  carousel_compiler_status checkCallback() const;
  /// Fails if a call that was stopped still works with it.
  carousel_compiler_status checkLeft() const;
  /// Whether a thread uses it that this process can't wait for.
  bool isLost() const;
};

namespace carousel::capi {

/// A call that uses a compiler. Others wait for it.
class CompilerLock {
public:
  explicit CompilerLock(carousel_compiler &compiler)
      : compiler(compiler), lock(compiler.mutex) {
    compiler.owner = std::this_thread::get_id();
  }
  ~CompilerLock() { compiler.owner = std::thread::id(); }

private:
  carousel_compiler &compiler;
  std::lock_guard<std::mutex> lock;
};

} // namespace carousel::capi

struct carousel_compiler_result {
  bool succeeded = false;
  std::vector<carousel::capi::DiagnosticRecord> diagnostics;
  std::vector<carousel::PackageFile> files;
  std::map<carousel_compiler_text, std::string> texts;
  std::optional<carousel::capi::RunRecord> run;
  std::vector<carousel::capi::FindingRecord> findings;
};

#endif // CAROUSEL_TOOLS_C_RESULT_H
