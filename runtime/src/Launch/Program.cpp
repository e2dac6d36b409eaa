//===- Program.cpp - programs of packages ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Program.h. Plans are kept by what they depend on, the latest ones first.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Program.h"

#include "Bind/Bind.h"
#include "PlanKey.h"
#include "ProgramPlan.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <set>

namespace carousel::runtime {

struct Program::Impl {
  Impl(const Context &context, const Package &package, const ProgramInfo &info)
      : context(context), package(package), info(&info),
        keys(package.getManifest(), info), workspaces(info) {}

  Context context;
  Package package; ///< keeps `info` alive
  const ProgramInfo *info;
  std::vector<Kernel> used;
  std::vector<std::shared_ptr<Kernel::Impl>> kernels; ///< by their numbers
  std::optional<Buffer> constants;
  PlanKeyMaker keys;
  mutable WorkspaceTable workspaces;

  using Plan = std::shared_ptr<const ProgramPlan>;
  static constexpr size_t kMostPlans = 64;
  mutable std::mutex mutex;
  mutable std::vector<std::pair<PlanKey, Plan>> plans; ///< latest first

  Status getKernels(const LoadOptions &options);
  /// Loads the libraries that steps call, so that launches don't.
  Status getLibraries();
  Status uploadConstants();

  /// Whether launches in one stream share memory.
  bool hasMemory() const {
    return !workspaces.empty() ||
           std::any_of(used.begin(), used.end(), [](const Kernel &kernel) {
             return !kernel.share()->workspaces.empty();
           });
  }
  Result<std::vector<BoundArgument>> bind(const Argument *arguments,
                                          size_t count) const;
  BaseAddresses getAddresses(const std::vector<BoundArgument> &bound) const;
  Result<Plan> getPlan(const std::vector<BoundArgument> &bound,
                       std::optional<Stream> stream) const;
};

struct PreparedProgram::Impl {
  Context context;
  std::shared_ptr<const Program::Impl> program; ///< keeps constants
  std::shared_ptr<const ProgramPlan> plan;
  std::vector<BoundArgument> bound;
  BaseAddresses addresses;
  std::vector<Buffer> workspaces;
  std::vector<Launch> launches;
  FirstStream stream;
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Status Program::Impl::getKernels(const LoadOptions &options) {
  const Manifest &manifest = package.getManifest();
  kernels.resize(manifest.kernels.size());
  for (const StepInfo &step : info->steps) {
    if (step.kind != StepInfo::Kind::Launch || kernels[step.kernel])
      continue;
    CAROUSEL_TRY_ASSIGN(Kernel kernel,
                        Kernel::get(context, package,
                                    manifest.kernels[step.kernel].name,
                                    options));
    kernels[step.kernel] = kernel.share();
    used.push_back(std::move(kernel));
  }
  return {};
}

Status Program::Impl::getLibraries() {
  if (std::none_of(info->steps.begin(), info->steps.end(),
                   [](const StepInfo &step) {
                     return step.kind == StepInfo::Kind::Matmul;
                   }))
    return {};
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  Result<const CublasLt *> library = context.getImpl().getCublasLt();
  if (library)
    return {};
  return fail(library.error().code,
              "{}: {}; without it, compile with --no-libraries", info->name,
              library.error().message);
}

Status Program::Impl::uploadConstants() {
  if (info->constants.empty())
    return {};
  // All of them have their place on the device before a byte of them is read.
  uint64_t bytes = package.getManifest().constants->bytes;
  CAROUSEL_TRY_ASSIGN(
      constants,
      prefixError(Buffer::allocate(context, std::max<uint64_t>(bytes, 1)),
                  "{}: constants", info->name));
  return package.readConstants([&](uint64_t offset, std::string_view part) {
    Status status = constants->upload(part.data(), part.size(), offset);
    return status ? context.synchronize() : status;
  });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Result<std::vector<BoundArgument>>
Program::Impl::bind(const Argument *arguments, size_t count) const {
  std::vector<BoundArgument> bound(info->arguments.size());
  CAROUSEL_TRY(bindArguments(*info, arguments, count, bound.data()));
  CAROUSEL_TRY(
      bindWorkspaces(*info, context.getDevice().multiprocessors, bound.data()));
  return bound;
}

BaseAddresses
Program::Impl::getAddresses(const std::vector<BoundArgument> &bound) const {
  BaseAddresses addresses;
  for (const BoundArgument &argument : bound)
    addresses.push_back(argument.data);
  for (const ConstantInfo &constant : info->constants)
    addresses.push_back(constants->getAddress() + constant.offset);
  return addresses;
}

Result<Program::Impl::Plan>
Program::Impl::getPlan(const std::vector<BoundArgument> &bound,
                       std::optional<Stream> stream) const {
  PlanKey key = keys.make(bound);
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found =
        std::find_if(plans.begin(), plans.end(),
                     [&](const auto &entry) { return entry.first == key; });
    if (found != plans.end()) {
      std::rotate(plans.begin(), found, found + 1);
      return plans.front().second;
    }
  }
  BaseAddresses addresses = getAddresses(bound);
  CAROUSEL_TRY_ASSIGN(Plan plan, ProgramPlan::make({context, *info, kernels,
                                                    bound.data(), addresses},
                                                   stream));
  std::lock_guard<std::mutex> lock(mutex);
  plans.insert(plans.begin(), {std::move(key), plan});
  if (plans.size() > kMostPlans)
    plans.pop_back();
  return plan;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

Program::Program(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

Result<Program> Program::get(const Context &context, const Package &package,
                             std::string_view name,
                             const LoadOptions &options) noexcept {
  CAROUSEL_TRY(checkProcess());
  const ProgramInfo *info = package.findProgram(name);
  if (!info)
    return fail(ErrorCode::NotFound, "expected a program of {} ({}), got '{}'",
                package.getDirectory(),
                join(package.getManifest().programs, ", ",
                     [](const ProgramInfo &program) { return program.name; }),
                name);
  auto impl = std::make_shared<Impl>(context, package, *info);
  CAROUSEL_TRY(impl->getKernels(options));
  CAROUSEL_TRY(impl->getLibraries());
  CAROUSEL_TRY(impl->uploadConstants());
  return Program(std::move(impl));
}

const ProgramInfo &Program::getInfo() const noexcept { return *impl->info; }

Status Program::launch(const Argument *arguments, size_t count,
                       Stream stream) const noexcept {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(std::vector<BoundArgument> bound,
                      impl->bind(arguments, count));
  CAROUSEL_TRY_ASSIGN(Impl::Plan plan, impl->getPlan(bound, stream));
  Context::Impl &context = impl->context.getImpl();
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  uint64_t streamId = 0;
  if (impl->hasMemory()) {
    CAROUSEL_TRY_ASSIGN(streamId, getStreamId(context, stream));
  }
  if (!impl->workspaces.lookup(streamId, bound.data()))
    CAROUSEL_TRY(impl->workspaces.provide(impl->context, stream, streamId,
                                          bound.data()));
  BaseAddresses addresses = impl->getAddresses(bound);
  return plan->run(context, {bound.data(), addresses}, streamId, stream);
}

Result<PreparedProgram> Program::prepare(const Argument *arguments,
                                         size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(std::vector<BoundArgument> bound,
                      impl->bind(arguments, count));
  CAROUSEL_TRY_ASSIGN(Impl::Plan plan, impl->getPlan(bound, std::nullopt));
  CurrentContext current(impl->context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(
      std::vector<Buffer> workspaces,
      allocateWorkspaces(impl->context, *impl->info, bound.data()));
  auto prepared = std::make_shared<PreparedProgram::Impl>(
      PreparedProgram::Impl{impl->context});
  prepared->program = impl;
  prepared->plan = std::move(plan);
  prepared->addresses = impl->getAddresses(bound);
  prepared->bound = std::move(bound);
  prepared->workspaces = std::move(workspaces);
  CAROUSEL_TRY_ASSIGN(
      prepared->launches,
      prepared->plan->prepare({prepared->bound.data(), prepared->addresses}));
  return PreparedProgram(std::move(prepared));
}

Status Program::loadAll() const noexcept {
  for (const Kernel &kernel : impl->used)
    CAROUSEL_TRY(kernel.loadAll());
  return {};
}

std::vector<CompileMessage> Program::getCompileMessages() const noexcept {
  std::vector<CompileMessage> messages;
  std::set<const LoadedModule *> seen; // which kernels share
  for (const Kernel &kernel : impl->used) {
    bool isNew = false;
    for (const auto &variant : kernel.share()->variants)
      isNew |= seen.insert(&variant->getModule()).second;
    if (!isNew)
      continue;
    for (CompileMessage &message : kernel.getCompileMessages())
      messages.push_back(std::move(message));
  }
  return messages;
}

PreparedProgram::PreparedProgram(std::shared_ptr<const Impl> impl)
    : impl(std::move(impl)) {}

Status PreparedProgram::run(Stream stream) const noexcept {
  CAROUSEL_TRY(checkProcess());
  Context::Impl &context = impl->context.getImpl();
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  if (!impl->workspaces.empty())
    CAROUSEL_TRY(
        impl->stream.check(context, stream, impl->program->info->name));
  return impl->plan->run(context, {impl->bound.data(), impl->addresses},
                         impl->launches, stream);
}

uint64_t PreparedProgram::getWorkspaceBytes() const noexcept {
  uint64_t bytes = 0;
  for (const Buffer &buffer : impl->workspaces)
    bytes += buffer.getBytes();
  return bytes;
}

const std::vector<Launch> &PreparedProgram::getLaunches() const noexcept {
  return impl->launches;
}

} // namespace carousel::runtime
