//===- CompilerHandle.cpp - compilers and errors of the C interface -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes compilers, which register everything that carousel-compile does, and
// keeps the message of each thread's last failure.
//
//===----------------------------------------------------------------------===//

#include "Result.h"

#include "../support/MLIR/Register.h"

#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Support/Printable.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"

#include <unistd.h>

using namespace carousel;
using namespace carousel::capi;

static std::string &getLastError() {
  thread_local std::string message;
  return message;
}

carousel_compiler_status capi::fail(carousel_compiler_status status,
                                    const llvm::Twine &message) {
  getLastError() = escapeControls(message.str());
  return status;
}

carousel_compiler_status capi::failCancelled(int process) {
  if (process != ::getpid())
    return fail(CAROUSEL_COMPILER_OTHER_PROCESS,
                "expected a callback to return in process " +
                    llvm::Twine(process) +
                    ", which called, got the return of a child that it forked");
  return fail(CAROUSEL_COMPILER_STOPPED, "stopped by is_cancelled");
}

carousel_compiler_status capi::require(llvm::ArrayRef<Required> pointers) {
  for (const Required &required : pointers)
    if (!required.pointer)
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                  required.name + ": expected a pointer, got null");
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status capi::checkSize(size_t size, size_t least,
                                         llvm::StringRef name) {
  constexpr size_t kMost = 4096; // else a size that wasn't set
  if (size >= least && size <= kMost)
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              name + ": expected a size of " + llvm::Twine(least) + " to " +
                  llvm::Twine(kMost) + " bytes, got " + llvm::Twine(size));
}

carousel_compiler::carousel_compiler(const mlir::DialectRegistry &registry)
    : process(::getpid()), context(registry), packages(&context) {
  context.printOpOnDiagnostic(false);
  // A dialect that a later module loads lets all passes prepare anew.
  context.loadAllAvailableDialects();
}

carousel_compiler_status carousel_compiler::checkProcess() const {
  if (process == ::getpid())
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_OTHER_PROCESS,
              "compiler: expected one that this process made, got one of "
              "process " +
                  llvm::Twine(process) + " from before a fork");
}

carousel_compiler_status carousel_compiler::checkCallback() const {
  if (owner != std::this_thread::get_id())
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              "compiler: expected one that isn't in a call of this thread, got "
              "that of the call which runs this callback");
}

carousel_compiler_status carousel_compiler::checkLeft() const {
  if (!isLeft)
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              "compiler: expected one whose calls have ended, got one of which "
              "a call that was stopped goes on; make another one");
}

bool carousel_compiler::isLost() const {
  return isLeft || process != ::getpid();
}

static void registerPassesOnce() {
  static bool registered = [] {
    mlir::registerTransformsPasses();
    mlir::registerReconcileUnrealizedCastsPass();
    registerCarouselPasses();
    registerPipelines();
    return true;
  }();
  (void)registered;
}

uint32_t carousel_compiler_version(void) noexcept {
  return CAROUSEL_COMPILER_VERSION;
}

const char *carousel_compiler_release(void) noexcept {
  return CAROUSEL_VERSION;
}

const char *carousel_compiler_llvm_release(void) noexcept {
  return LLVM_VERSION_STRING;
}

const char *carousel_compiler_last_error(void) noexcept {
  return getLastError().c_str();
}

carousel_compiler_status
carousel_compiler_create(carousel_compiler **compiler) noexcept {
  if (carousel_compiler_status status = require({{compiler, "compiler"}}))
    return status;
  registerPassesOnce();
  mlir::DialectRegistry registry;
  registerToolDialects(registry);
  *compiler = new carousel_compiler(registry);
  return CAROUSEL_COMPILER_OK;
}

void carousel_compiler_destroy(carousel_compiler *compiler) noexcept {
  // In a forked child the context's threads are gone, and its end would wait
  // for them. What was left goes on.
  if (compiler && !compiler->isLost())
    delete compiler;
}

int32_t
carousel_compiler_is_usable(const carousel_compiler *compiler) noexcept {
  return compiler && !compiler->isLost();
}
