//===- EscapedErrors.cpp - escapes the errors of MLIR's drivers -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EscapedErrors.h.
//
//===----------------------------------------------------------------------===//

#include "EscapedErrors.h"
#include "Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/SourceMgr.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;

/// A location, whose file MLIR shows lines of.
static bool namesFiles(llvm::StringRef text) {
  for (size_t at = text.find("loc"); at != llvm::StringRef::npos;
       at = text.find("loc", at + 1)) {
    bool starts =
        at == 0 || !(llvm::isAlnum(text[at - 1]) ||
                     llvm::StringRef("_$.%@#!").contains(text[at - 1]));
    llvm::StringRef rest = text.substr(at + 3).ltrim(" \t\r\n");
    if (starts && (rest.starts_with("(") || rest.starts_with("/")))
      return true;
  }
  return false;
}

/// Whether messages about a text may show characters that a terminal obeys:
/// its own, those that its strings may spell, or those of files that it names
/// as locations.
static bool mayShowControls(llvm::StringRef text) {
  return escapeControls(text, "\n\t") != text || text.contains('\\') ||
         namesFiles(text);
}

[[noreturn]] static void passOn(int from) {
  // The tool decides when it ends.
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(number, SIG_IGN);
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  {
    EscapedStream stream(llvm::errs());
    char text[4096];
    ssize_t size;
    auto readSome = [&] { return ::read(from, text, sizeof(text)); };
    while ((size = llvm::sys::RetryAfterSignal(-1, readSome)) > 0)
      stream.write(text, size);
  }
  ::_exit(0);
}

EscapedErrors::EscapedErrors(const llvm::SourceMgr &sources,
                             llvm::raw_ostream &to)
    : to(to) {
  if (!mayShowControls(
          sources.getMemoryBuffer(sources.getMainFileID())->getBuffer()))
    return;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 ||
      (terminal = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) < 0 ||
      (process = ::fork()) < 0) {
    llvm::report_fatal_error(llvm::Twine("cannot escape control characters: ") +
                                 llvm::sys::StrError(),
                             /*gen_crash_diag=*/false);
  }
  if (process == 0) {
    ::close(ends[1]);
    passOn(ends[0]);
  }
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
}

EscapedErrors::~EscapedErrors() {
  if (!isActive())
    return;
  ::dup2(terminal, STDERR_FILENO);
  ::close(terminal);
  llvm::sys::RetryAfterSignal(-1, ::waitpid, process, nullptr, 0);
  to << text;
}
