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

#include "AlignedCopies.h"
#include "Bind/Bind.h"
#include "PlanKey.h"
#include "ProgramPlan.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

namespace carousel::runtime {

struct Program::Impl {
  Impl(const Context &context, const Package &package, const ProgramInfo &info)
      : context(context), package(package), info(&info),
        keys(package.getManifest(), info), workspaces(info),
        copies(AlignedCopies::getSignature()) {}

  Context context;
  Package package; ///< keeps `info` alive
  const ProgramInfo *info;
  std::vector<Kernel> used;
  std::vector<std::shared_ptr<Kernel::Impl>> kernels; ///< by their numbers
  std::optional<Buffer> constants;
  PlanKeyMaker keys;
  mutable WorkspaceTable workspaces;
  mutable WorkspaceTable copies; ///< of arguments

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
  /// Only then streams keep something.
  bool hasLoadSteps() const {
    return std::any_of(info->steps.begin(), info->steps.end(),
                       [](const StepInfo &step) { return step.isAtLoad; });
  }
  Result<std::vector<BoundArgument>> bind(const Argument *arguments,
                                          size_t count) const;
  BaseAddresses getAddresses(const std::vector<BoundArgument> &bound) const;
  Result<Plan> getPlan(const std::vector<BoundArgument> &bound,
                       std::optional<Stream> stream) const;
  /// The plan for arguments with copies, which has checked the callers' memory.
  /// Makes `bound` that of the copies.
  Result<Plan> getPlan(const AlignedCopies &moved,
                       std::vector<BoundArgument> &bound,
                       std::optional<Stream> stream) const;

  /// Addresses, extents and strides of the callers' parameters.
  using Parameters = std::vector<uint64_t>;
  Parameters getParameters(const std::vector<BoundArgument> &bound) const;
  /// What the memory of streams was loaded with.
  mutable std::map<uint64_t, Parameters> loaded;
  Result<StepChoice> chooseSteps(const Parameters &parameters,
                                 uint64_t streamId) const;

  Status start(const Argument *arguments, size_t count, Stream stream,
               bool loads) const;
};

/// Steps of a capture haven't run.
static Status refuseCapture(Context::Impl &context, Stream stream,
                            const std::string &name) {
  CAROUSEL_TRY_ASSIGN(bool capturing, context.isCapturing(stream));
  if (capturing)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected parameters to be loaded before their stream is "
                "captured",
                name);
  return {};
}

struct PreparedProgram::Impl {
  Context context;
  std::shared_ptr<const Program::Impl> program; ///< keeps constants
  std::shared_ptr<const ProgramPlan> plan;
  std::vector<BoundArgument> bound;
  BaseAddresses addresses;
  AlignedCopies moved;
  std::vector<Buffer> workspaces;
  std::vector<Launch> launches;
  FirstStream stream;
  /// Shared, since a flag of threads doesn't move.
  std::shared_ptr<std::atomic<bool>> isLoaded =
      std::make_shared<std::atomic<bool>>(false);

  Status run(StepChoice choice, Stream stream) const;
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

Result<Program::Impl::Plan>
Program::Impl::getPlan(const AlignedCopies &moved,
                       std::vector<BoundArgument> &bound,
                       std::optional<Stream> stream) const {
  if (moved.empty())
    return getPlan(bound, stream);
  std::vector<BoundArgument> given = bound;
  moved.move(bound);
  CAROUSEL_TRY_ASSIGN(Plan plan, getPlan(bound, stream));
  CAROUSEL_TRY(plan->checkAddresses({given.data(), getAddresses(given)}));
  return plan;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Program::Impl::Parameters
Program::Impl::getParameters(const std::vector<BoundArgument> &bound) const {
  Parameters parameters;
  for (size_t i = 0; i < info->countPassed(); ++i) {
    if (!info->arguments[i].isParameter)
      continue;
    parameters.push_back(bound[i].data);
    for (size_t dim = 0; dim < info->arguments[i].extents.size(); ++dim)
      for (int64_t number : {bound[i].extents[dim], bound[i].strides[dim]})
        parameters.push_back(static_cast<uint64_t>(number));
  }
  return parameters;
}

Result<StepChoice> Program::Impl::chooseSteps(const Parameters &parameters,
                                              uint64_t streamId) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = loaded.find(streamId);
  if (found == loaded.end())
    return StepChoice::All;
  if (found->second == parameters)
    return StepChoice::AtLaunch;
  return fail(
      ErrorCode::InvalidArgument,
      "{}: expected the parameters that were loaded in this stream, got "
      "other memory; load these, or launch in another stream",
      info->name);
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

Status Program::Impl::start(const Argument *arguments, size_t count,
                            Stream stream, bool loads) const {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(std::vector<BoundArgument> bound, bind(arguments, count));
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  Parameters parameters = getParameters(bound);
  AlignedCopies moved(*info, bound);
  uint64_t streamId = 0;
  if (hasMemory() || !moved.empty()) {
    CAROUSEL_TRY_ASSIGN(streamId, getStreamId(impl, stream));
  }
  if (!moved.empty() && !copies.lookup(streamId, &moved.getMemory()))
    CAROUSEL_TRY(copies.provide(context, stream, streamId, &moved.getMemory()));
  CAROUSEL_TRY_ASSIGN(Plan plan, getPlan(moved, bound, stream));
  if (loads)
    CAROUSEL_TRY(refuseCapture(impl, stream, info->name));
  StepChoice choice = StepChoice::AtLoad;
  if (loads) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.erase(streamId);
  } else {
    CAROUSEL_TRY_ASSIGN(choice, chooseSteps(parameters, streamId));
  }
  if (!workspaces.lookup(streamId, bound.data()))
    CAROUSEL_TRY(workspaces.provide(context, stream, streamId, bound.data()));
  BaseAddresses addresses = getAddresses(bound);
  CAROUSEL_TRY(moved.start(impl, stream));
  CAROUSEL_TRY(
      plan->run(impl, {bound.data(), addresses}, choice, streamId, stream));
  CAROUSEL_TRY(moved.finish(impl, stream));
  if (loads && hasLoadSteps()) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded[streamId] = std::move(parameters);
  }
  return {};
}

Status Program::launch(const Argument *arguments, size_t count,
                       Stream stream) const noexcept {
  return impl->start(arguments, count, stream, /*loads=*/false);
}

Status Program::loadParameters(const Argument *arguments, size_t count,
                               Stream stream) const noexcept {
  return impl->start(arguments, count, stream, /*loads=*/true);
}

Result<PreparedProgram> Program::prepare(const Argument *arguments,
                                         size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(std::vector<BoundArgument> bound,
                      impl->bind(arguments, count));
  CurrentContext current(impl->context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  AlignedCopies moved(*impl->info, bound);
  std::vector<Buffer> copies;
  if (!moved.empty()) {
    CAROUSEL_TRY_ASSIGN(
        copies, allocateWorkspaces(impl->context, AlignedCopies::getSignature(),
                                   &moved.getMemory()));
  }
  CAROUSEL_TRY_ASSIGN(Impl::Plan plan,
                      impl->getPlan(moved, bound, std::nullopt));
  CAROUSEL_TRY_ASSIGN(
      std::vector<Buffer> workspaces,
      allocateWorkspaces(impl->context, *impl->info, bound.data()));
  std::move(copies.begin(), copies.end(), std::back_inserter(workspaces));
  auto prepared = std::make_shared<PreparedProgram::Impl>(
      PreparedProgram::Impl{impl->context});
  prepared->program = impl;
  prepared->plan = std::move(plan);
  prepared->addresses = impl->getAddresses(bound);
  prepared->bound = std::move(bound);
  prepared->moved = std::move(moved);
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

Status PreparedProgram::Impl::run(StepChoice choice, Stream stream) const {
  CAROUSEL_TRY(checkProcess());
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  if (choice == StepChoice::AtLoad)
    CAROUSEL_TRY(refuseCapture(impl, stream, program->info->name));
  if (!workspaces.empty())
    CAROUSEL_TRY(this->stream.check(impl, stream, program->info->name));
  CAROUSEL_TRY(moved.start(impl, stream));
  CAROUSEL_TRY(
      plan->run(impl, {bound.data(), addresses}, choice, launches, stream));
  return moved.finish(impl, stream);
}

Status PreparedProgram::run(Stream stream) const noexcept {
  return impl->run(*impl->isLoaded ? StepChoice::AtLaunch : StepChoice::All,
                   stream);
}

Status PreparedProgram::loadParameters(Stream stream) const noexcept {
  *impl->isLoaded = false;
  CAROUSEL_TRY(impl->run(StepChoice::AtLoad, stream));
  *impl->isLoaded = true;
  return {};
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
