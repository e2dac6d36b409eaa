//===- PassManagers.cpp - a cache of pass managers ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PassManagers.h. MLIR calls instrumentation after a pass that failed by
// itself and after one whose IR the verifier refused. The two are told apart by
// the diagnostics: only in the latter case the verifier's error is among them.
//
//===----------------------------------------------------------------------===//

#include "PassManagers.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Threading.h"

#include <mutex>
#include <optional>
#include <set>

using namespace mlir;
using namespace carousel;

namespace {

/// An error, for comparisons.
struct Error {
  Location location;
  std::string text;

  bool operator<(const Error &other) const {
    return std::make_pair(location.getAsOpaquePointer(), StringRef(text)) <
           std::make_pair(other.location.getAsOpaquePointer(),
                          StringRef(other.text));
  }
};

/// The errors of a context while the object lives. Other handlers show them.
class ErrorLog {
public:
  explicit ErrorLog(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) -> LogicalResult {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
            std::scoped_lock lock(mutex);
            errors.insert({diagnostic.getLocation(), diagnostic.str()});
          }
          return failure();
        }) {}

  bool contains(const Error &error) { return errors.count(error) != 0; }

private:
  std::mutex mutex;
  std::set<Error> errors;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// Finds the verifier's error for an op, without showing it. Handlers are the
/// context's, so what other threads say meanwhile is left to others.
static std::optional<Error> findInvalid(Operation *op) {
  std::optional<Error> found;
  ScopedDiagnosticHandler handler(
      op->getContext(),
      [&, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != thread)
          return failure();
        if (!found && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          found = Error{diagnostic.getLocation(), diagnostic.str()};
        return success();
      });
  if (succeeded(verify(op)))
    return std::nullopt;
  return found;
}

static void reportInvalid(Location loc, const Twine &maker) {
  emitError(loc) << "internal error: expected " << maker
                 << " to make valid IR, got the error above; the input isn't "
                    "at fault";
}

class carousel::PassFaults : public PassInstrumentation {
public:
  /// MLIR holds a lock of all threads here. The verifier uses threads itself,
  /// and would wait for them, so that it runs after the passes.
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // A pass that runs others has no name, and fails after them.
    if (!pass->getArgument().empty())
      failures.push_back({pass->getArgument().str(), op});
  }

  /// Reports the first pass that made the IR invalid, if one did. No pass
  /// follows one that failed, so its op is as it left it.
  void report(ErrorLog &log) {
    for (const Failed &each : failures) {
      std::optional<Error> error = findInvalid(each.op);
      if (!error || !log.contains(*error))
        continue;
      bool closes = StringRef(each.pass).starts_with("carousel-verify-");
      reportInvalid(error->location,
                    (closes ? "the passes before --" : "--") + each.pass);
      break;
    }
    clear();
  }
  /// Forgets ops, whose module the caller may free.
  void clear() { failures.clear(); }

private:
  struct Failed {
    std::string pass;
    Operation *op;
  };
  std::vector<Failed> failures; ///< under the instrumentation's lock
};

LogicalResult PassManagers::run(const NamedPipeline &pipeline, Operation *op) {
  if (isCancelled && isCancelled())
    return failure();
  bool afterEach = pipeline.verification == Verification::EachPass;
  Entry &entry = entries[pipeline.name];
  if (!entry.manager ||
      entry.loadedDialects != context->getLoadedDialects().size()) {
    entry.manager = std::make_unique<PassManager>(context);
    pipeline.build(*entry.manager);
    entry.manager->enableVerifier(afterEach);
    auto faults = std::make_unique<PassFaults>();
    entry.faults = faults.get();
    entry.manager->addInstrumentation(std::move(faults));
  }
  ErrorLog log(context);
  LogicalResult result = entry.manager->run(op);
  // The manager loads those that its passes need.
  entry.loadedDialects = context->getLoadedDialects().size();
  if (isCancelled && isCancelled()) { // passes may have been left out
    entry.faults->clear();
    return failure();
  }
  if (failed(result)) {
    entry.faults->report(log);
    return failure();
  }
  if (afterEach || succeeded(verify(op)))
    return success();
  reportInvalid(op->getLoc(), "the passes of '" + pipeline.name + "'");
  return failure();
}
