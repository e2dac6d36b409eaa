//===- SourceModule.cpp - parses a caller's source ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A diagnostic stands at the first file and line in its location, as in MLIR's
// handler of source files. Callers of an inlined place follow as notes.
//
//===----------------------------------------------------------------------===//

#include "SourceModule.h"

#include "../support/MLIR/FrontEndText.h"
#include "../support/MLIR/SourceNames.h"
#include "../support/MLIR/SourceNesting.h"

#include "carousel/Package/PassCancellation.h"
#include "carousel/Support/Printable.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/thread.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

//===----------------------------------------------------------------------===//
// Work that the caller may end early
//===----------------------------------------------------------------------===//

/// Short for a user, and long beside what a question costs.
static constexpr std::chrono::milliseconds kInterval(10);

/// The time that work has to end in once it was stopped: passes end between
/// two patterns, but not in the middle of what takes long.
static constexpr std::chrono::milliseconds kPatience(500);

/// The number of threads that were left at work.
static std::atomic<int> leftThreads = 0;

/// Ends the process before destructors of what threads use that were left.
static void endBeforeDestructors(int status, void *) {
  if (leftThreads == 0)
    return;
  std::fflush(nullptr);
  ::_exit(status);
}

/// The stack of a main thread: modules may nest deeply.
static constexpr std::optional<unsigned> kStackBytes = 8 << 20;

std::function<bool()> Watch::getIsStopped() const {
  if (!ask)
    return nullptr;
  return [this] { return isStopped(); };
}

void Watch::run(std::function<void()> work) {
  if (!ask)
    return work();
  auto askAgain = [&] {
    stopped = stopped || ask() || process != ::getpid();
    return stopped.load();
  };
  if (askAgain())
    return;
  Kept<llvm::thread> worker(compiler, kStackBytes, [this, work] {
    work();
    std::scoped_lock lock(mutex);
    isDone = true;
    changed.notify_all();
    if (compiler.isLeft)
      --leftThreads;
  });
  std::unique_lock lock(mutex);
  std::optional<std::chrono::steady_clock::time_point> end;
  while (!isDone) {
    auto now = std::chrono::steady_clock::now();
    if (stopped && !end)
      end = now + kPatience;
    if (end && now >= *end) {
      if (leftThreads++ == 0)
        ::on_exit(endBeforeDestructors, nullptr);
      compiler.isLeft = true;
      pending = nullptr;
      changed.notify_all();
      worker->detach();
      return;
    }
    changed.wait_for(lock, kInterval, [&] { return isDone || pending; });
    if (isDone)
      break;
    const llvm::function_ref<void()> *callback = pending;
    lock.unlock();
    if (callback)
      (*callback)();
    askAgain();
    if (process != ::getpid()) // the mutex may be of a thread that is gone
      return;
    lock.lock();
    if (callback)
      pending = nullptr;
    changed.notify_all();
  }
  lock.unlock();
  worker->join();
}

void Watch::callBack(llvm::function_ref<void()> function) {
  if (!ask)
    return function();
  std::unique_lock lock(mutex);
  if (compiler.isLeft)
    return;
  pending = &function;
  changed.notify_all();
  changed.wait(lock, [&] { return !pending; });
}

//===----------------------------------------------------------------------===//
// Parses a caller's source
//===----------------------------------------------------------------------===//

carousel_compiler_status
capi::checkSource(const carousel_compiler_source *source) {
  if (carousel_compiler_status status = require({{source, "source"}}))
    return status;
  const Required members[] = {{source->name, "source: name"},
                              {source->data, "source: data"}};
  if (carousel_compiler_status status = require(members))
    return status;
  if (StringRef(source->name).empty())
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                "source: expected a name for locations, got an empty one");
  return CAROUSEL_COMPILER_OK;
}

/// The place that people see of a location, and the one that calls it.
static FileLineColLoc findPlace(Location loc, std::optional<Location> &caller) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto call = dyn_cast<CallSiteLoc>(inner)) {
      if (!caller)
        caller = call.getCaller();
      found = findPlace(call.getCallee(), caller);
      return found ? WalkResult::interrupt() : WalkResult::skip();
    }
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

SourceModule::SourceModule(const carousel_compiler_source &source,
                           MLIRContext &context,
                           carousel_compiler_result &result)
    : context(context), result(result),
      handler(&context, [this](Diagnostic &diagnostic) {
        collect(diagnostic);
        return success();
      }) {
  // The parser reads a null after the last character.
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(source.data, source.bytes),
                                           source.name),
      llvm::SMLoc());
}

static carousel_compiler_severity convert(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return CAROUSEL_COMPILER_ERROR;
  case DiagnosticSeverity::Warning:
    return CAROUSEL_COMPILER_WARNING;
  case DiagnosticSeverity::Note:
    return CAROUSEL_COMPILER_NOTE;
  case DiagnosticSeverity::Remark:
    return CAROUSEL_COMPILER_REMARK;
  }
  return CAROUSEL_COMPILER_ERROR;
}

void SourceModule::collect(Diagnostic &diagnostic) {
  add(diagnostic.getLocation(), convert(diagnostic.getSeverity()),
      diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    add(note.getLocation(), CAROUSEL_COMPILER_NOTE, note.str());
}

void SourceModule::add(Location loc, carousel_compiler_severity severity,
                       StringRef message) {
  constexpr int kMostCallers = 10;
  std::optional<Location> caller;
  FileLineColLoc place = findPlace(loc, caller);
  for (int i = 0;; ++i) {
    DiagnosticRecord &record = result.diagnostics.emplace_back();
    record.severity = i == 0 ? severity : CAROUSEL_COMPILER_NOTE;
    record.message = i == 0 ? escapeControls(message.str(), "\n\t")
                            : std::string("called from here");
    if (place) {
      record.file = escapeControls(place.getFilename().str());
      record.line = place.getLine();
      record.column = place.getColumn();
      const llvm::MemoryBuffer *buffer =
          sources.getMemoryBuffer(sources.getMainFileID());
      StringRef text = buffer->getBuffer();
      // Bytecode has no lines.
      if (record.line != 0 &&
          place.getFilename() == buffer->getBufferIdentifier() &&
          !isBytecode(*buffer)) {
        for (uint32_t line = 1; line < record.line && !text.empty(); ++line)
          text = text.split('\n').second;
        constexpr size_t kMostBytes = 4096;
        record.source = escapeControls(
            text.split('\n').first.take_front(kMostBytes).str(), "\t");
      }
    }
    if (!caller || i == kMostCallers)
      return;
    Location next = *caller;
    caller.reset();
    place = findPlace(next, caller);
    if (!place)
      return;
  }
}

void SourceModule::addError(const Twine &message) {
  DiagnosticRecord &record = result.diagnostics.emplace_back();
  record.message = escapeControls(message.str(), "\n\t");
}

bool SourceModule::parse(Names names) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (std::optional<DeepBracket> bracket = findDeepBracket(sources)) {
    emitError(FileLineColLoc::get(&context, buffer->getBufferIdentifier(),
                                  bracket->line, bracket->column))
        << describeDeepBracket();
    return false;
  }
  switch (names) {
  case Names::None:
    module = parseSourceFile<ModuleOp>(sources, &context);
    break;
  case Names::Values:
    module = parseWithNames(sources, &context);
    break;
  case Names::Memrefs:
    module = sim::parseNamedModule(sources, &context);
    break;
  }
  if (!module) {
    if (llvm::StringRef why = explainRefusal(buffer->getBuffer()); !why.empty())
      addError(why);
    return false;
  }
  // A module that isn't written out has no line to point at.
  if (auto loc = dyn_cast<FileLineColLoc>(module->getLoc());
      loc && loc.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(loc.getFilename(), 1, 1));
  return true;
}

bool SourceModule::runPasses(StringRef pipeline, Watch &watch) {
  if (pipeline.empty())
    return true;
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, stream);
  if (failed(parsed)) {
    addError("expected a pipeline of passes, got '" + pipeline +
             "': " + StringRef(errors).trim());
    return false;
  }
  if (parsed->getOpName() != ModuleOp::getOperationName()) {
    addError("expected a pipeline of builtin.module(...), got '" + pipeline +
             "'");
    return false;
  }
  const carousel_compiler &compiler = watch.getCompiler();
  Kept<PassManager> manager(compiler, &context);
  static_cast<OpPassManager &>(*manager) = std::move(*parsed);
  Kept<PassCancellation> cancellation(compiler, &context, watch.getIsStopped());
  Kept<LogicalResult> result(compiler, failure());
  watch.run([this, passes = &*manager, done = &*result] {
    *done = passes->run(*module);
  });
  return !watch.isStopped() && succeeded(*result);
}

void SourceModule::finish(bool succeeded) {
  bool hasErrors = llvm::any_of(result.diagnostics, [](const auto &record) {
    return record.severity == CAROUSEL_COMPILER_ERROR;
  });
  if (!succeeded && !hasErrors)
    addError("the compiler failed and gave no reason");
  result.succeeded = succeeded && !hasErrors;
}
