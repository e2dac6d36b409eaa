//===- Subject.cpp - what a command line runs -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Subject.h.
//
//===----------------------------------------------------------------------===//

#include "Subject.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

using namespace carousel;
using namespace carousel::run;
using runtime::ErrorCode;
using runtime::fail;
using runtime::SignatureInfo;

template <typename Info>
static std::string listNames(const std::vector<Info> &infos) {
  std::string list = runtime::join(
      infos, ", ", [](const SignatureInfo &info) { return info.name; });
  return list.empty() ? "none" : list;
}

Result<Choice> run::chooseSubject(const runtime::Manifest &manifest,
                                  const Options &options) {
  bool namesNone = options.kernel.empty() && options.program.empty();
  if (namesNone && manifest.programs.size() == 1)
    return Choice{nullptr, &manifest.programs.front()};
  if (namesNone && manifest.programs.size() > 1)
    return fail(ErrorCode::InvalidArgument,
                "expected --program with one of {}, or --kernel, got none",
                listNames(manifest.programs));
  if (namesNone && manifest.kernels.size() == 1)
    return Choice{&manifest.kernels.front(), nullptr};
  if (namesNone)
    return fail(ErrorCode::InvalidArgument,
                "expected --kernel with one of {}, got none",
                listNames(manifest.kernels));
  if (!options.program.empty()) {
    if (const auto *program = manifest.findProgram(options.program))
      return Choice{nullptr, program};
    return fail(ErrorCode::NotFound,
                "expected --program with one of {}, got '{}'",
                listNames(manifest.programs), options.program);
  }
  if (const auto *kernel = manifest.find(options.kernel))
    return Choice{kernel, nullptr};
  return fail(ErrorCode::NotFound, "expected --kernel with one of {}, got '{}'",
              listNames(manifest.kernels), options.kernel);
}

Status PreparedRun::run() const {
  return std::visit([](const auto &prepared) { return prepared.run(); }, run_);
}

Status PreparedRun::loadParameters() const {
  const runtime::PreparedProgram *program = getProgram();
  return program ? program->loadParameters() : Status();
}

bool PreparedRun::isEmpty() const {
  if (const runtime::PreparedProgram *program = getProgram())
    return program->getLaunches().empty();
  std::array<uint32_t, 3> grid = getLaunch()->getGrid();
  return std::find(grid.begin(), grid.end(), 0u) != grid.end();
}

Result<Subject> Subject::get(const runtime::Context &context,
                             const runtime::Package &package,
                             const Choice &choice,
                             const runtime::LoadOptions &options) {
  auto wrap = [](auto &&found) { return Subject(std::move(found)); };
  if (choice.kernel)
    return runtime::Kernel::get(context, package, choice.kernel->name, options)
        .map(wrap);
  return runtime::Program::get(context, package, choice.program->name, options)
      .map(wrap);
}

Result<PreparedRun>
Subject::prepare(const std::vector<runtime::Argument> &arguments,
                 const std::string &variant) const {
  auto wrap = [](auto &&prepared) { return PreparedRun(std::move(prepared)); };
  const runtime::Argument *data = arguments.data();
  if (const auto *program = std::get_if<runtime::Program>(&code))
    return program->prepare(data, arguments.size()).map(wrap);
  const auto &kernel = std::get<runtime::Kernel>(code);
  if (variant.empty())
    return kernel.prepare(data, arguments.size()).map(wrap);
  return kernel.prepareVariant(variant, data, arguments.size()).map(wrap);
}

std::vector<runtime::CompileMessage> Subject::getCompileMessages() const {
  return std::visit(
      [](const auto &compiled) { return compiled.getCompileMessages(); }, code);
}
