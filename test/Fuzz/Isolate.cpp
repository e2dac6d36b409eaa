//===- Isolate.cpp - runs work in a child process -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace carousel::fuzz;

static constexpr size_t kMaxText = 1 << 20;
static constexpr unsigned kFrames = 2;
/// The message of a child without memory before it aborts.
static constexpr StringLiteral kOutOfMemory = "more memory than the limit";

/// Ends a child without memory as other faults end it, so that its stack says
/// who asked for the memory.
[[noreturn]] static void abortOutOfMemory() {
  // The text of a stack needs some, too.
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
  std::set_new_handler(nullptr);
  llvm::errs() << kOutOfMemory << '\n';
  std::abort();
}

struct Report::Shared {
  Stage stage;
  size_t size;
  char text[kMaxText];
};

void Report::enter(Stage stage) { shared->stage = stage; }

void Report::setText(StringRef text) {
  shared->size = std::min(text.size(), kMaxText);
  std::memcpy(shared->text, text.data(), shared->size);
}

StringRef carousel::fuzz::toString(Stage stage) {
  constexpr StringLiteral kNames[] = {"mutate", "parse", "compile", "simulate",
                                      "done"};
  return kNames[static_cast<int>(stage)];
}

Isolation::Isolation(Limits limits) : limits(limits) {
  void *memory = mmap(nullptr, sizeof(Report::Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  errors = memfd_create("errors", MFD_CLOEXEC);
  if (memory == MAP_FAILED || errors < 0)
    llvm::report_fatal_error("expected memory to share with children");
  report.shared = static_cast<Report::Shared *>(memory);
  // A symbolizer takes seconds for a stack.
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/1);
}

Isolation::~Isolation() {
  munmap(report.shared, sizeof(Report::Shared));
  close(errors);
}

static void setLimit(int resource, rlim_t value, rlim_t hard) {
  struct rlimit limit = {value, hard};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

Outcome Isolation::run(llvm::function_ref<Verdict(Report &)> work) {
  report.shared->stage = Stage::Mutate;
  report.shared->size = 0;
  (void)!ftruncate(errors, 0);
  lseek(errors, 0, SEEK_SET);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(errors, STDERR_FILENO);
    dup2(errors, STDOUT_FILENO);
    setLimit(RLIMIT_CORE, 0, 0);
    setLimit(RLIMIT_CPU, limits.seconds, limits.seconds + 2);
#if !defined(__SANITIZE_ADDRESS__) && !CAROUSEL_SANITIZED
    rlim_t bytes = rlim_t(limits.megabytes) << 20;
    rlimit memory;
    getrlimit(RLIMIT_AS, &memory);
    setLimit(RLIMIT_AS, bytes, memory.rlim_max);
    llvm::sys::PrintStackTraceOnErrorSignal("");
#endif
    std::set_new_handler(abortOutOfMemory);
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { abortOutOfMemory(); });
    // A child that waits takes no CPU time.
    alarm(4 * limits.seconds);
    _exit(static_cast<int>(work(report)));
  }
  if (child < 0)
    llvm::report_fatal_error("expected a child process");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return describe(status);
}

namespace {
struct Frame {
  bool isOfLibrary; ///< MLIR's, LLVM's or the C library
  StringRef place;  ///< the function, or an address
};
} // namespace

/// "4  libMLIR.so.22.1 0x7f... name + 54" of LLVM, and "#4 0x7f... in name
/// (/usr/lib/libMLIR.so.22.1+0x54)" of a sanitizer, innermost first.
static SmallVector<Frame> readStack(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  SmallVector<Frame> frames;
  for (StringRef line : lines) {
    line = line.trim();
    line.consume_front("#");
    unsigned number;
    // "0." begins a line of LLVM that isn't a frame.
    if (line.consumeInteger(10, number) || !line.starts_with(" "))
      continue;
    size_t address = line.find("0x");
    if (address == StringRef::npos)
      continue;
    StringRef place = line.substr(address);
    if (size_t space = place.find(' '); space != StringRef::npos)
      place = place.substr(space + 1);
    place.consume_front("in ");
    frames.push_back({line.contains(".so"), place});
  }
  // Those of LLVM's and the C library's handlers of signals.
  auto handler = llvm::find_if(frames, [](const Frame &frame) {
    return frame.place.contains("llvm::sys::RunSignalHandlers");
  });
  size_t first = handler == frames.end() ? 0 : handler - frames.begin() + 3;
  frames.erase(frames.begin(), frames.begin() + std::min(first, frames.size()));
  return frames;
}

/// Leaves what asked for memory: our handler called abort.
static void dropHandler(SmallVector<Frame> &stack) {
  auto isOfLibrary = [](const Frame &frame) { return frame.isOfLibrary; };
  auto *handler = llvm::find_if_not(stack, isOfLibrary);
  stack.erase(stack.begin(), std::find_if(handler, stack.end(), isOfLibrary));
}

static std::string describe(ArrayRef<Frame> stack) {
  std::string text;
  for (const Frame &frame : stack.take_front(kFrames))
    text += (text.empty() ? "" : " < ") + frame.place.str();
  return text;
}

/// Whether MLIR's parser, or its verifier, got there without code of ours.
static bool isOfParser(ArrayRef<Frame> stack) {
  for (const Frame &frame : stack) {
    if (frame.place.contains("parseAsmSourceFile"))
      return true;
    if (!frame.isOfLibrary)
      return false;
  }
  return false;
}

/// The line of a sanitizer or a fatal error that says what happened.
static std::string readReason(StringRef text) {
  for (StringRef mark :
       {StringRef(kOutOfMemory), StringRef("runtime error: "),
        StringRef("ERROR: AddressSanitizer: "), StringRef("LLVM ERROR: ")})
    if (size_t at = text.find(mark); at != StringRef::npos)
      return text.substr(at).take_until([](char c) { return c == '\n'; }).str();
  return {};
}

Outcome Isolation::describe(int status) {
  Outcome outcome;
  outcome.stage = report.shared->stage;
  outcome.text.assign(report.shared->text, report.shared->size);
  std::string printed(1 << 16, '\0');
  ssize_t size = pread(errors, printed.data(), printed.size(), 0);
  printed.resize(std::max<ssize_t>(size, 0));
  std::string reason = readReason(printed);
  // A simulated kernel decides how much memory and time it takes.
  outcome.isOverLimit =
      reason == kOutOfMemory ||
      (WIFSIGNALED(status) &&
       llvm::is_contained({SIGXCPU, SIGALRM, SIGKILL}, WTERMSIG(status)));
  if (outcome.isOverLimit && outcome.stage == Stage::Simulate) {
    outcome.verdict = Verdict::Refused;
    return outcome;
  }
  if (WIFEXITED(status)) {
    int code = WEXITSTATUS(status);
    for (Verdict verdict :
         {Verdict::Compiled, Verdict::Refused, Verdict::Unparsed})
      if (code == static_cast<int>(verdict) && reason.empty()) {
        outcome.verdict = verdict;
        return outcome;
      }
    outcome.end = code == static_cast<int>(Verdict::Silent)
                      ? "a failure without a diagnostic"
                      : "exit status " + std::to_string(code);
  } else {
    int signal = WTERMSIG(status);
    outcome.end = reason == kOutOfMemory ? reason
                  : outcome.isOverLimit  ? "no end within the limit"
                                         : strsignal(signal);
  }
  if (!reason.empty() && reason != kOutOfMemory)
    outcome.end += ", " + reason;
  SmallVector<Frame> stack = readStack(printed);
  if (reason == kOutOfMemory)
    dropHandler(stack);
  outcome.frames = ::describe(stack);
  outcome.isOfParser = outcome.stage == Stage::Parse && isOfParser(stack);
  // A mutator that builds invalid attributes may crash; no text is at fault.
  outcome.isFault = outcome.stage != Stage::Mutate;
  return outcome;
}
