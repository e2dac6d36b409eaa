//===- SourceModule.h - parses a caller's source ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a source in memory, and collects the diagnostics of all that is done
// with the module as values.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_SOURCEMODULE_H
#define CAROUSEL_TOOLS_C_SOURCEMODULE_H

#include "Result.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace carousel::capi {

/// Owns what the thread of a Watch uses. In a child that a callback forks, that
/// thread is gone, with locks that it held and changes half made; and where
/// work was left, it goes on. So neither destroys it.
template <typename T> class Kept {
public:
  template <typename... Args>
  explicit Kept(const carousel_compiler &compiler, Args &&...args)
      : value(new T(std::forward<Args>(args)...)), compiler(compiler) {}
  ~Kept() {
    if (!compiler.isLost())
      delete value;
  }
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;

  T *operator->() const { return value; }
  T &operator*() const { return *value; }
  /// Gives it to the caller.
  T *release() { return std::exchange(value, nullptr); }

private:
  T *value;
  const carousel_compiler &compiler;
};

/// Callbacks run on the thread of the call, since Python handles signals on its
/// main thread only. A pass may take longer than a user waits, and MLIR's own
/// threads may be what works. So another thread works meanwhile, and this one
/// asks every few milliseconds.
class Watch {
public:
  /// `ask` returns true to end the work. It may be empty.
  Watch(carousel_compiler &compiler, std::function<bool()> ask)
      : compiler(compiler), ask(std::move(ask)) {}

  /// Runs the work. With a function to ask, it runs on another thread. In a
  /// child that a callback forks, it returns after the callback, and the work
  /// has stopped. Work that doesn't end soon after it has to is left: it uses
  /// nothing that isn't `Kept`, and goes on until the process ends.
  void run(std::function<void()> work);

  /// Returns whether the work must end. Any thread may call it.
  bool isStopped() const { return stopped; }

  /// Returns `isStopped` as a function, which is empty without one to ask.
  std::function<bool()> getIsStopped() const;

  /// Returns the status of work that has to end, and says why.
  carousel_compiler_status fail() const { return failCancelled(process); }

  carousel_compiler &getCompiler() const { return compiler; }

  /// Calls back on the thread of `run`. The work calls it; nobody is called if
  /// it was left.
  void callBack(llvm::function_ref<void()> function);

private:
  carousel_compiler &compiler;
  std::function<bool()> ask;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
  const llvm::function_ref<void()> *pending = nullptr; ///< under the mutex
  bool isDone = false;                                 ///< under the mutex
  const int process = ::getpid();
};

/// Checks a source and its pointers.
carousel_compiler_status checkSource(const carousel_compiler_source *source);

/// A module, for as long as diagnostics go to `result`.
class SourceModule {
public:
  /// The names of values that stay known.
  enum class Names { None, Values, Memrefs };

  SourceModule(const carousel_compiler_source &source,
               mlir::MLIRContext &context, carousel_compiler_result &result);

  /// False after errors.
  bool parse(Names names);
  /// Runs a pipeline as text; empty: none. False after errors. The watch may
  /// end it: then it has stopped.
  bool runPasses(llvm::StringRef pipeline, Watch &watch);
  mlir::ModuleOp getModule() const { return *module; }

  /// Adds an error that is at no place.
  void addError(const llvm::Twine &message);
  /// Says that all was done. Errors among the diagnostics count more.
  void finish(bool succeeded);

private:
  void collect(mlir::Diagnostic &diagnostic);
  void add(mlir::Location loc, carousel_compiler_severity severity,
           llvm::StringRef message);

  mlir::MLIRContext &context;
  carousel_compiler_result &result;
  llvm::SourceMgr sources;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_SOURCEMODULE_H
