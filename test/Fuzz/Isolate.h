//===- Isolate.h - runs work in a child process -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child inherits the dialects that its parent has loaded, so that a case
// costs a fork. It has limits of time and memory. How it ends is its outcome.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_ISOLATE_H
#define CAROUSEL_TEST_FUZZ_ISOLATE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace carousel::fuzz {

/// How far a case got.
enum class Stage : int { Mutate, Parse, Compile, Simulate, Done };

/// The verdict in the exit status of a child that didn't fail.
enum class Verdict : int {
  Compiled = 0,
  Refused = 60,  ///< with a diagnostic
  Unparsed = 61, ///< with a diagnostic of the parser or a verifier
  Silent = 62    ///< a failure without a diagnostic
};

struct Outcome {
  bool isFault = false;
  bool isOverLimit = false; ///< of time or memory
  bool isOfParser = false;  ///< in MLIR, which parses and verifies before us
  Verdict verdict = Verdict::Compiled; ///< of a case without a fault
  Stage stage = Stage::Mutate;
  std::string end;    ///< of a fault: how it ended
  std::string frames; ///< of a fault: where, so that equal faults are known
  std::string text;   ///< the module
};

struct Limits {
  unsigned seconds = 10; ///< of CPU time
  unsigned megabytes = 3072;
};

/// The report of a child to its parent.
class Report {
public:
  void enter(Stage stage);
  void setText(llvm::StringRef text);

private:
  friend class Isolation;
  struct Shared;
  Shared *shared = nullptr;
};

class Isolation {
public:
  explicit Isolation(Limits limits);
  ~Isolation();
  Isolation(const Isolation &) = delete;
  Isolation &operator=(const Isolation &) = delete;

  Outcome run(llvm::function_ref<Verdict(Report &)> work);

private:
  Outcome describe(int status);

  Limits limits;
  Report report;
  int errors; ///< a file without a name: what children print
};

llvm::StringRef toString(Stage stage);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_ISOLATE_H
