//===- Subject.h - what a command line runs ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel or a program of a package.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_SUBJECT_H
#define CAROUSEL_TOOLS_RUN_SUBJECT_H

#include "RunOptions.h"

#include "carousel/Runtime/Program.h"

#include <variant>

namespace carousel::run {

/// One of the two.
struct Choice {
  const runtime::KernelInfo *kernel = nullptr;
  const runtime::ProgramInfo *program = nullptr;

  const runtime::SignatureInfo &getSignature() const {
    if (kernel)
      return *kernel;
    return *program;
  }
};

/// What the options name: if they name nothing, the only program, or else the
/// only kernel.
Result<Choice> chooseSubject(const runtime::Manifest &manifest,
                             const Options &options);

/// A launch of a kernel or of a program, which has its arguments.
class PreparedRun {
public:
  explicit PreparedRun(runtime::Launch launch) : run_(std::move(launch)) {}
  explicit PreparedRun(runtime::PreparedProgram program)
      : run_(std::move(program)) {}

  Status run() const;
  /// Of a program: does once what follows from parameters.
  Status loadParameters() const;
  /// Null for that of the other.
  const runtime::Launch *getLaunch() const {
    return std::get_if<runtime::Launch>(&run_);
  }
  const runtime::PreparedProgram *getProgram() const {
    return std::get_if<runtime::PreparedProgram>(&run_);
  }
  /// Whether it starts no block: there is nothing to time.
  bool isEmpty() const;

private:
  std::variant<runtime::Launch, runtime::PreparedProgram> run_;
};

class Subject {
public:
  static Result<Subject> get(const runtime::Context &context,
                             const runtime::Package &package,
                             const Choice &choice,
                             const runtime::LoadOptions &options);

  /// `variant`: of a kernel; empty: the first whose guards hold.
  Result<PreparedRun> prepare(const std::vector<runtime::Argument> &arguments,
                              const std::string &variant) const;
  std::vector<runtime::CompileMessage> getCompileMessages() const;

private:
  using Code = std::variant<runtime::Kernel, runtime::Program>;
  explicit Subject(Code code) : code(std::move(code)) {}

  Code code;
};

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_SUBJECT_H
