//===- Program.cpp - programs of several steps ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans are kept by what they depend on, the latest ones first. A plan may be
// used again for arguments of the same key. So the key has all that is checked
// or computed when a plan is made: extents and strides, the scalars that
// expressions and rules name, and addresses as far as guards ask for their
// alignment. How the addresses of several arguments lie to each other is not in
// it; plans check that at each launch.
//
// A check of a program may ask for the alignment of an argument. A launch works
// on a copy of an argument that lies off it: it copies the elements before the
// first step, of an out argument too, since steps may leave elements as they
// are, and those that steps may write back after the last one.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Program.h"

#include "Bind/Bind.h"
#include "Bind/Evaluate.h"
#include "ProgramPlan.h"
#include "Support/Process.h"
#include "Workspaces.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

namespace carousel::runtime {

static Status copyBytes(Context::Impl &context, uint64_t to, uint64_t from,
                        uint64_t bytes, Stream stream) {
  if (bytes == 0)
    return {};
  return context.check(
      context.driver->cuMemcpyDtoDAsync(to, from, bytes, stream),
      "cuMemcpyDtoDAsync");
}

namespace {

/// The arguments of a launch that have copies, in memory for all of them.
class AlignedCopies {
public:
  AlignedCopies() = default;

  /// Copies of contiguous arguments for which a check doesn't hold.
  AlignedCopies(const ProgramInfo &program,
                const std::vector<BoundArgument> &bound) {
    constexpr uint64_t kGranule = rules::kWorkspaceAlignment;
    std::vector<bool> isKnown(program.arguments.size());
    for (const CheckInfo &check : program.checks) {
      if (check.guard.kind != Guard::Kind::Aligned)
        continue;
      size_t number = check.guard.argument;
      const ArgumentInfo &info = program.arguments[number];
      auto alignment = static_cast<uint64_t>(check.guard.least);
      if (isKnown[number] || info.kind != ArgumentInfo::Kind::Tensor ||
          !info.contiguous || alignment > kGranule ||
          bound[number].data % alignment == 0)
        continue;
      isKnown[number] = true;
      uint64_t bytes = getBytes(info.element);
      for (size_t dim = 0; dim < info.extents.size(); ++dim)
        bytes *= static_cast<uint64_t>(bound[number].extents[dim]);
      copies.push_back({number, bound[number].data, memory.bytes, bytes,
                        info.access != ArgumentInfo::Access::In});
      memory.bytes += (bytes + kGranule - 1) / kGranule * kGranule;
    }
  }

  bool empty() const { return copies.empty(); }
  /// The memory is the only workspace of this signature.
  static const SignatureInfo &getSignature() {
    static const SignatureInfo signature = [] {
      ArgumentInfo memory;
      memory.name = "copies of arguments";
      memory.kind = ArgumentInfo::Kind::Workspace;
      return SignatureInfo{memory.name, {memory}};
    }();
    return signature;
  }

  BoundArgument &getMemory() { return memory; }

  /// Makes arguments those of the copies, once these have memory.
  void move(std::vector<BoundArgument> &bound) const {
    for (const Copy &copy : copies)
      bound[copy.argument].data = memory.data + copy.offset;
  }

  /// Starts the copies before the steps, and those after them.
  Status start(Context::Impl &context, Stream stream) const {
    for (const Copy &copy : copies)
      CAROUSEL_TRY(copyBytes(context, memory.data + copy.offset, copy.address,
                             copy.bytes, stream));
    return {};
  }

  Status finish(Context::Impl &context, Stream stream) const {
    for (const Copy &copy : copies)
      if (copy.isWritten)
        CAROUSEL_TRY(copyBytes(context, copy.address, memory.data + copy.offset,
                               copy.bytes, stream));
    return {};
  }

private:
  struct Copy {
    size_t argument;
    uint64_t address; ///< the caller's
    uint64_t offset, bytes;
    bool isWritten;
  };
  std::vector<Copy> copies;
  BoundArgument memory;
};

} // namespace

using PlanKey = std::vector<int64_t>;

static void readScalars(const Expression &expression,
                        std::vector<bool> &scalars) {
  for (const Expression::Node &node : expression.nodes)
    if (node.op == Expression::Op::Scalar)
      scalars[node.argument] = true;
}

static void readScalars(const std::vector<Expression> &list,
                        std::vector<bool> &scalars) {
  for (const Expression &expression : list)
    readScalars(expression, scalars);
}

namespace {

class PlanKeyMaker {
public:
  /// Takes time in proportion to the size of the program and its kernels.
  PlanKeyMaker(const Manifest &manifest, const ProgramInfo &program)
      : program(&program), isRead(program.arguments.size()),
        // The driver's rules and the library's algorithms ask for no more.
        alignment(rules::kWorkspaceAlignment) {
    for (const CheckInfo &check : program.checks)
      readGuard(check.guard, isRead);
    for (const ArgumentInfo &argument : program.arguments)
      readScalars(argument.workspaceExtents, isRead);
    std::map<uint32_t, std::vector<bool>> kernels;
    for (const StepInfo &step : program.steps) {
      const std::vector<bool> *ofKernel = nullptr;
      if (step.kind == StepInfo::Kind::Launch) {
        auto [found, isNew] = kernels.try_emplace(step.kernel);
        if (isNew)
          found->second = findScalars(manifest.kernels[step.kernel]);
        ofKernel = &found->second;
      }
      for (size_t i = 0; i < step.operands.size(); ++i) {
        const OperandInfo &operand = step.operands[i];
        readScalars(operand.offset, isRead);
        readScalars(operand.extents, isRead);
        readScalars(operand.strides, isRead);
        readScalars(operand.value, isRead);
        if (operand.kind == OperandInfo::Kind::Scalar && ofKernel &&
            (*ofKernel)[i])
          isRead[operand.number] = true;
      }
    }
  }

  PlanKey make(const std::vector<BoundArgument> &bound) const {
    PlanKey key;
    for (size_t i = 0; i < bound.size(); ++i) {
      const ArgumentInfo &argument = program->arguments[i];
      if (argument.kind == ArgumentInfo::Kind::Scalar) {
        if (isRead[i])
          key.push_back(bound[i].scalar);
        continue;
      }
      key.push_back(static_cast<int64_t>(bound[i].data % alignment));
      size_t rank = argument.extents.size();
      key.insert(key.end(), bound[i].extents, bound[i].extents + rank);
      key.insert(key.end(), bound[i].strides, bound[i].strides + rank);
    }
    return key;
  }

private:
  /// Powers of two, so that one alignment serves all guards.
  void readGuard(const Guard &guard, std::vector<bool> &scalars) {
    if (guard.kind == Guard::Kind::Aligned)
      alignment = std::max(alignment, static_cast<uint64_t>(guard.least));
    readScalars(guard.value, scalars);
    readScalars(guard.other, scalars);
  }

  /// Those on which more depends than what the kernel gets.
  std::vector<bool> findScalars(const KernelInfo &kernel) {
    std::vector<bool> scalars(kernel.arguments.size());
    for (const ArgumentInfo &argument : kernel.arguments)
      readScalars(argument.workspaceExtents, scalars);
    bool isNarrow = false;
    for (const VariantInfo &variant : kernel.variants) {
      isNarrow |= variant.indexBits == 32;
      for (const Guard &guard : variant.guards)
        readGuard(guard, scalars);
      for (const Expression &blocks : variant.grid)
        readScalars(blocks, scalars);
      if (variant.cost)
        readScalars(*variant.cost, scalars);
      for (const TensorMapInfo &map : variant.tensorMaps) {
        readScalars(map.extents, scalars);
        readScalars(map.strides, scalars);
        readScalars(map.offset, scalars);
      }
    }
    if (!kernel.tuned.empty())
      for (const TunedValue &value : kernel.getTunedValues())
        scalars[value.argument] = true;
    // A variant with narrow indices takes only those that fit.
    for (size_t i = 0; isNarrow && i < scalars.size(); ++i)
      if (kernel.arguments[i].element == ElementType::Index)
        scalars[i] = true;
    return scalars;
  }

  const ProgramInfo *program;
  std::vector<bool> isRead; ///< scalars of the program that plans depend on
  uint64_t alignment;       ///< no check asks for more of an address
};

} // namespace

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
  /// The parameters that the memory of streams was loaded with.
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
