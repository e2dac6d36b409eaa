//===- ProgramPlan.cpp - what the steps of a program do -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes what the steps of a program do with some arguments, and checks all
// that the arguments' types, extents and strides decide: the program's own
// checks, and the rules of StepRules.h. A package's numbers aren't trusted. No
// step starts before the addresses of all of them are checked.
//
//===----------------------------------------------------------------------===//

#include "ProgramPlan.h"

#include "Bind/Bind.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace carousel::runtime {

class ProgramPlanner {
public:
  ProgramPlanner(const PlanInput &input, std::optional<Stream> stream)
      : input(input), stream(stream) {
    const DeviceInfo &device = input.context.getDevice();
    environment = {input.arguments, device.multiprocessors,
                   device.computeCapability, /*resident=*/0};
  }

  Result<std::shared_ptr<const ProgramPlan>> plan();

private:
  using View = ProgramPlan::PlannedView;

  Status check() const;
  Status add(const StepInfo &step);
  Status addLaunch(const StepInfo &step);
  Status addFill(const StepInfo &step);
  Status addCopy(const StepInfo &step);
  Status addMatmul(const StepInfo &step);
  Result<int64_t> compute(const Expression &expression) const;
  Result<View> view(const OperandInfo &operand) const;
  /// Views the target of a fill, copy or product.
  Result<View> viewTarget(const OperandInfo &operand) const;
  /// Compares what a step writes with what it also uses: now if they are in the
  /// same memory, or else at each launch.
  Status keepApart(const View &written, const View &used,
                   const OperandInfo &operand, bool permitsSame,
                   ProgramPlan::Pairs &pairs) const;
  Status spend(uint64_t calls);
  tl::unexpected<Error> refuseSize() const {
    return fail(ErrorCode::InvalidArgument,
                "{}: expected offsets in bytes below 2^63, got more",
                input.program.name);
  }
  tl::unexpected<Error> refuse(const std::string &reason) const {
    return fail(ErrorCode::InvalidPackage, "{}: {}", input.program.name,
                reason);
  }
  /// The bytes from the first element of a base to behind its last one.
  int64_t getReach(const OperandInfo &operand) const;
  void addStep(ProgramPlan::Step step, ProgramPlan::PlannedAccesses accesses) {
    made.steps.push_back(std::move(step));
    made.accesses.push_back(std::move(accesses));
  }
  /// The bits of a scalar operand.
  Result<uint64_t> getScalar(const OperandInfo &operand) const;

  const PlanInput &input;
  std::optional<Stream> stream;
  Environment environment;
  size_t launches = 0;
  uint64_t calls = 0; ///< of the driver and of libraries, besides launches
  ProgramPlan made;
};

Result<int64_t> ProgramPlanner::compute(const Expression &expression) const {
  if (std::optional<int64_t> value = evaluate(expression, environment))
    return *value;
  return fail(ErrorCode::InvalidArgument, "{}: {}", input.program.name,
              explainNoValue(expression, input.program, environment));
}

Status ProgramPlanner::check() const {
  for (const CheckInfo &check : input.program.checks)
    if (!holds(check.guard, environment))
      return fail(ErrorCode::InvalidArgument, "{}: {}: {}", input.program.name,
                  check.message,
                  explainFailure(check.guard, input.program, environment));
  return {};
}

int64_t ProgramPlanner::getReach(const OperandInfo &operand) const {
  if (operand.kind == OperandInfo::Kind::Constant)
    return static_cast<int64_t>(input.program.constants[operand.number].bytes);
  const ArgumentInfo &info = input.program.arguments[operand.number];
  const BoundArgument &bound = input.arguments[operand.number];
  auto bytes = static_cast<int64_t>(getBytes(info.element));
  int64_t last = 0;
  for (size_t dim = 0; dim < info.extents.size(); ++dim) {
    if (bound.extents[dim] == 0)
      return 0;
    last += (bound.extents[dim] - 1) * bound.strides[dim];
  }
  return (last + 1) * bytes;
}

/// A package's numbers aren't trusted with memory.
Result<ProgramPlanner::View>
ProgramPlanner::view(const OperandInfo &operand) const {
  View found;
  StepView &view = found.view;
  for (auto [from, to] : {std::pair(&operand.extents, &view.extents),
                          std::pair(&operand.strides, &view.strides)})
    for (const Expression &expression : *from) {
      CAROUSEL_TRY_ASSIGN(int64_t value, compute(expression));
      to->push_back(value);
    }
  CAROUSEL_TRY_ASSIGN(int64_t offset, compute(operand.offset));
  view.offset = offset;
  view.elementBytes = static_cast<int64_t>(getBytes(operand.element));
  found.base = operand.number;
  if (operand.kind == OperandInfo::Kind::Constant)
    found.base += static_cast<int>(input.program.arguments.size());
  found.address = input.addresses[found.base] + static_cast<uint64_t>(offset);
  std::optional<std::string> reason =
      explainView(view, operand, input.program, getReach(operand));
  if (!reason)
    reason = explainAlignment(view, operand, input.program, found.address);
  if (reason)
    return refuse(*reason);
  return found;
}

Result<ProgramPlanner::View>
ProgramPlanner::viewTarget(const OperandInfo &operand) const {
  Result<View> target = view(operand);
  if (target && !isNested(target->view))
    return refuse(explainNotNested(target->view));
  return target;
}

Status ProgramPlanner::keepApart(const View &written, const View &used,
                                 const OperandInfo &operand, bool permitsSame,
                                 ProgramPlan::Pairs &pairs) const {
  std::string base = describeBase(operand, input.program);
  if (written.base != used.base) {
    pairs.push_back(
        {written, used, permitsSame,
         fmt::format("{}: {}", input.program.name, explainSharing(base))});
    return {};
  }
  if (mayShareElements(written.view, written.address, used.view,
                       used.address) &&
      !(permitsSame &&
        isSame(written.view, written.address, used.view, used.address)))
    return refuse(explainSharing(base));
  return {};
}

Status ProgramPlanner::spend(uint64_t more) {
  if (more <= kMaxStepCalls - calls) {
    calls += more;
    return {};
  }
  return fail(ErrorCode::InvalidArgument,
              "{}: expected at most {} calls for fills, copies and products, "
              "got {}{}",
              input.program.name, kMaxStepCalls, more,
              calls == 0 ? "" : fmt::format(" after {}", calls));
}

Result<uint64_t> ProgramPlanner::getScalar(const OperandInfo &operand) const {
  switch (operand.kind) {
  case OperandInfo::Kind::Scalar:
    return static_cast<uint64_t>(input.arguments[operand.number].scalar);
  case OperandInfo::Kind::Number: {
    CAROUSEL_TRY_ASSIGN(int64_t value, compute(operand.value));
    // The low bits, with their sign.
    size_t unused = 64 - 8 * std::min<size_t>(getBytes(operand.element), 8);
    return static_cast<uint64_t>(
        static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused);
  }
  default:
    return operand.bits;
  }
}

Status ProgramPlanner::addLaunch(const StepInfo &step) {
  ProgramPlan::PlannedLaunch launch;
  launch.kernel = input.kernels[step.kernel];
  size_t count = step.operands.size();
  std::vector<Argument> arguments;
  std::vector<View> views(count); // which the arguments point into
  for (size_t i = 0; i < count; ++i) {
    const OperandInfo &operand = step.operands[i];
    launch.bases.push_back(-1);
    launch.scalars.push_back(-1);
    if (operand.isTensor()) {
      CAROUSEL_TRY_ASSIGN(views[i], view(operand));
      launch.bases.back() = views[i].base;
      const StepView &view = views[i].view;
      arguments.push_back(
          Argument::tensor(operand.element, views[i].address,
                           static_cast<uint32_t>(view.extents.size()),
                           view.extents.data(), view.strides.data()));
      continue;
    }
    if (operand.kind == OperandInfo::Kind::Scalar)
      launch.scalars.back() = operand.number;
    CAROUSEL_TRY_ASSIGN(uint64_t bits, getScalar(operand));
    arguments.push_back(Argument::scalar(operand.element, bits));
  }
  Kernel::Impl &kernel = *launch.kernel;
  LaunchFrame frame = kernel.getFrame();
  CAROUSEL_TRY(prefixError(kernel.bind(arguments.data(), count, frame), "{}",
                           kernel.info->name));
  CAROUSEL_TRY_ASSIGN(VariantChoice choice, kernel.choose(frame, stream));
  if (!choice.variant)
    return tl::make_unexpected(kernel.explainNoVariant(frame));
  launch.grid = choice.answer.grid;
  if (launch.grid.isEmpty())
    return {};
  launch.variant = choice.variant;
  launch.bound.assign(frame.bound, frame.bound + kernel.info->arguments.size());
  launch.sources.assign(frame.sources,
                        frame.sources +
                            choice.variant->getInfo().tensorMaps.size());
  for (size_t i = 0; i < count; ++i)
    if (std::optional<uint16_t> other = kernel.info->arguments[i].previousAlias)
      launch.comparesAliases |= launch.bases[i] != launch.bases[*other];
  launch.number = launches++;
  ProgramPlan::PlannedAccesses accesses;
  for (size_t i = 0; i < count; ++i)
    if (launch.bases[i] >= 0)
      accesses.views.emplace_back(std::move(views[i]),
                                  kernel.info->arguments[i].access !=
                                      ArgumentInfo::Access::In);
  if (!kernel.workspaces.empty())
    accesses.shared = &kernel;
  // Kernels that wait for all of their blocks or for other devices, and linked
  // functions, which may write anything.
  accesses.isAlone = launch.variant->getInfo().cooperative ||
                     kernel.info->hasShared() || launch.variant->callsExterns();
  addStep(std::move(launch), std::move(accesses));
  return {};
}

/// Returns the role of a product's operand.
static MatmulRole getRole(const StepInfo &step, size_t operand) {
  using Role = MatmulRole;
  constexpr Role kRoles[] = {Role::Lhs, Role::Rhs, Role::Target};
  if (operand < 3)
    return kRoles[operand];
  if (step.bias == operand)
    return Role::Bias;
  return step.residual == operand ? Role::Residual : Role::Scratch;
}

Status ProgramPlanner::addMatmul(const StepInfo &step) {
  using Role = MatmulRole;
  ProgramPlan::PlannedMatmul matmul;
  MatmulProblem problem;
  problem.factors = step.operands[0].element;
  problem.result = step.operands[2].element;
  problem.tf32 = step.tf32;
  problem.function = step.function;
  std::vector<View> views;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const OperandInfo &operand = step.operands[i];
    CAROUSEL_TRY_ASSIGN(View found,
                        i == 2 ? viewTarget(operand) : view(operand));
    Role role = getRole(step, i);
    matmul.operands.push_back({role, found.address, found.base});
    const std::vector<int64_t> &extents = found.view.extents;
    const std::vector<int64_t> &strides = found.view.strides;
    switch (role) {
    case Role::Scratch:
      if (std::optional<std::string> reason = explainScratch(found.view))
        return refuse(*reason);
      problem.scratchBytes = static_cast<uint64_t>(extents[0]);
      break;
    case Role::Bias:
      problem.added.hasBias = true;
      if (int64_t n = problem.views[2].extents.back();
          extents[0] != n || (n > 1 && strides[0] != 1))
        return refuse(fmt::format("expected a bias of {} elements with the "
                                  "stride 1, got {} with the stride {}",
                                  n, extents[0], strides[0]));
      break;
    case Role::Residual:
      problem.added.residual = {extents, strides};
      break;
    default:
      problem.views[i] = {extents, strides};
    }
    views.push_back(std::move(found));
  }
  problem.addresses =
      matmul.getAddresses([](const auto &operand) { return operand.address; });
  // The target and the library's memory are written.
  auto keepWritten = [&](size_t written) {
    Status status;
    for (size_t used = 0; used < views.size() && status; ++used)
      if (used != written && !(written == 2 && used == step.scratch))
        status = keepApart(views[written], views[used], step.operands[used],
                           /*permitsSame=*/false, matmul.apart);
    return status;
  };
  CAROUSEL_TRY(keepWritten(2));
  if (step.scratch)
    CAROUSEL_TRY(keepWritten(*step.scratch));
  Context::Impl &context = input.context.getImpl();
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(matmul.step,
                      prefixError(MatmulStep::make(context, problem),
                                  "{}: a product", input.program.name));
  if (matmul.step.isEmpty())
    return {};
  CAROUSEL_TRY(spend(matmul.step.countCalls()));
  ProgramPlan::PlannedAccesses accesses;
  for (size_t i = 0; i < views.size(); ++i)
    accesses.views.emplace_back(std::move(views[i]),
                                i == 2 || i == step.scratch);
  // Two at a time delay each other: on an H200, f32's of 128 x 768 x 2304 and
  // 768 x 2304 x 128 take 49 us side by side, and 37 in turn.
  accesses.shared = &input.program;
  addStep(std::move(matmul), std::move(accesses));
  return {};
}

Status ProgramPlanner::addFill(const StepInfo &step) {
  const OperandInfo &from = step.operands[0];
  CAROUSEL_TRY_ASSIGN(View target, viewTarget(step.operands[1]));
  CAROUSEL_TRY_ASSIGN(uint64_t value, getScalar(from));
  ProgramPlan::PlannedFill fill;
  if (!fill.step.set(getBytes(from.element), target.view.extents,
                     target.view.strides, nullptr))
    return refuseSize();
  fill.target = target.address;
  fill.base = target.base;
  fill.value = value;
  std::optional<uint64_t> known = value;
  if (from.kind == OperandInfo::Kind::Scalar) {
    fill.scalar = from.number;
    known.reset();
  }
  CAROUSEL_TRY(spend(fill.step.countFillCalls(known)));
  if (!fill.step.isEmpty())
    addStep(std::move(fill), {{{std::move(target), true}}});
  return {};
}

Status ProgramPlanner::addCopy(const StepInfo &step) {
  const OperandInfo &from = step.operands[0];
  CAROUSEL_TRY_ASSIGN(View target, viewTarget(step.operands[1]));
  CAROUSEL_TRY_ASSIGN(View source, view(from));
  if (source.view.extents != target.view.extents)
    return refuse(fmt::format("expected a copy of {} elements, got {}",
                              fmt::join(target.view.extents, "x"),
                              fmt::join(source.view.extents, "x")));
  ProgramPlan::PlannedCopy copy;
  if (!copy.step.set(getBytes(from.element), target.view.extents,
                     target.view.strides, &source.view.strides))
    return refuseSize();
  copy.target = target.address;
  copy.targetBase = target.base;
  copy.source = source.address;
  copy.sourceBase = source.base;
  CAROUSEL_TRY(
      keepApart(target, source, from, /*permitsSame=*/true, copy.apart));
  CAROUSEL_TRY(spend(copy.step.countCopyCalls()));
  if (!copy.step.isEmpty())
    addStep(std::move(copy),
            {{{std::move(source), false}, {std::move(target), true}}});
  return {};
}

Status ProgramPlanner::add(const StepInfo &step) {
  switch (step.kind) {
  case StepInfo::Kind::Launch:
    return addLaunch(step);
  case StepInfo::Kind::Fill:
    return addFill(step);
  case StepInfo::Kind::Copy:
    return addCopy(step);
  case StepInfo::Kind::Matmul:
    return addMatmul(step);
  }
  return {};
}

Result<std::shared_ptr<const ProgramPlan>> ProgramPlanner::plan() {
  made.addresses = input.addresses;
  CAROUSEL_TRY(check());
  for (const StepInfo &step : input.program.steps) {
    CAROUSEL_TRY(add(step));
    made.areAtLoad.resize(made.steps.size(), step.isAtLoad);
  }
  return std::make_shared<const ProgramPlan>(std::move(made));
}

Result<std::shared_ptr<const ProgramPlan>>
ProgramPlan::make(const PlanInput &input, std::optional<Stream> stream) {
  return ProgramPlanner(input, stream).plan();
}

void ProgramPlan::fillFrame(const PlannedLaunch &launch, const Memory &memory,
                            LaunchFrame &frame) const {
  std::copy(launch.bound.begin(), launch.bound.end(), frame.bound);
  std::copy(launch.sources.begin(), launch.sources.end(), frame.sources);
  auto move = [&](uint64_t &address, size_t argument) {
    if (int base = launch.bases[argument]; base >= 0)
      address = this->move(address, base, memory);
  };
  for (size_t i = 0; i < launch.bases.size(); ++i) {
    move(frame.bound[i].data, i);
    if (launch.scalars[i] >= 0)
      frame.bound[i].scalar = memory.arguments[launch.scalars[i]].scalar;
  }
  const VariantInfo &info = launch.variant->getInfo();
  for (size_t i = 0; i < info.tensorMaps.size(); ++i)
    if (uint16_t argument = info.tensorMaps[i].argument;
        argument < launch.bases.size())
      move(frame.sources[i].address, argument);
}

uint64_t &ProgramPlan::PlannedMatmul::getAddress(MatmulAddresses &addresses,
                                                 MatmulRole role) {
  using Role = MatmulRole;
  switch (role) {
  case Role::Lhs:
    return addresses.matrices[0];
  case Role::Rhs:
    return addresses.matrices[1];
  case Role::Target:
    return addresses.matrices[2];
  case Role::Residual:
    return addresses.matrices[3];
  case Role::Bias:
    return addresses.bias;
  case Role::Scratch:
    break;
  }
  return addresses.scratch;
}

Status ProgramPlan::checkAddresses(const Memory &memory) const {
  for (const Step &step : steps) {
    if (const auto *copy = std::get_if<PlannedCopy>(&step)) {
      CAROUSEL_TRY(checkApart(copy->apart, memory));
    } else if (const auto *matmul = std::get_if<PlannedMatmul>(&step)) {
      CAROUSEL_TRY(checkApart(matmul->apart, memory));
    } else if (const auto *launch = std::get_if<PlannedLaunch>(&step);
               launch && launch->comparesAliases) {
      const KernelInfo &kernel = *launch->kernel->info;
      LaunchFrame frame = launch->kernel->getFrame();
      fillFrame(*launch, memory, frame);
      CAROUSEL_TRY(
          prefixError(checkAliases(kernel, frame.bound), "{}", kernel.name));
    }
  }
  return {};
}

Status ProgramPlan::checkApart(const Pairs &pairs, const Memory &memory) const {
  for (const PlannedPair &pair : pairs) {
    const auto &[written, used, permitsSame, reason] = pair;
    uint64_t to = move(written.address, written.base, memory);
    uint64_t from = move(used.address, used.base, memory);
    if (mayShareElements(written.view, to, used.view, from) &&
        !(permitsSame && isSame(written.view, to, used.view, from)))
      return fail(ErrorCode::InvalidArgument, "{}", reason);
  }
  return {};
}

Status ProgramPlan::start(const PlannedLaunch &launch, const Memory &memory,
                          uint64_t streamId, Stream stream) const {
  LaunchFrame frame = launch.kernel->getFrame();
  fillFrame(launch, memory, frame);
  bool complete = launch.kernel->workspaces.lookup(streamId, frame.bound);
  if (complete)
    launch.variant->moveSources(frame, kNoWorkspace);
  return launch.kernel->start(*launch.variant, frame, launch.grid, complete,
                              streamId, stream);
}

Status ProgramPlan::start(Context::Impl &context, const Step &step,
                          const Memory &memory, Stream stream) const {
  if (const auto *copy = std::get_if<PlannedCopy>(&step)) {
    uint64_t target = move(copy->target, copy->targetBase, memory);
    uint64_t source = move(copy->source, copy->sourceBase, memory);
    // A result that has the memory of an argument keeps its elements there:
    // what shares an element is the same (checkApart).
    if (target == source)
      return {};
    return copy->step.copy(context, target, source, stream);
  }
  if (const auto *matmul = std::get_if<PlannedMatmul>(&step))
    return matmul->step.run(
        context,
        matmul->getAddresses([&](const PlannedMatmul::Operand &operand) {
          return move(operand.address, operand.base, memory);
        }),
        stream);
  const auto &fill = std::get<PlannedFill>(step);
  uint64_t value =
      fill.scalar < 0
          ? fill.value
          : static_cast<uint64_t>(memory.arguments[fill.scalar].scalar);
  return fill.step.fill(context, move(fill.target, fill.base, memory), value,
                        stream);
}

std::vector<StepAccesses> ProgramPlan::getAccesses(StepChoice choice,
                                                   const Memory &memory) const {
  std::vector<StepAccesses> list;
  for (size_t step = 0; step < steps.size(); ++step) {
    if (!isChosen(step, choice))
      continue;
    const PlannedAccesses &planned = accesses[step];
    StepAccesses &added = list.emplace_back();
    added.shared = planned.shared;
    added.isAlone = planned.isAlone;
    for (const auto &[view, isWrite] : planned.views)
      added.list.push_back(
          {view.view, move(view.address, view.base, memory), isWrite});
  }
  return list;
}

template <typename Start>
Status ProgramPlan::startAll(Context::Impl &context, const Memory &memory,
                             StepChoice choice, Stream stream,
                             Start start) const {
  CAROUSEL_TRY_ASSIGN(std::optional<RecordedSteps> recorded,
                      RecordedSteps::make(context, stream));
  if (recorded)
    recorded->setOrder(orderSteps(getAccesses(choice, memory)));
  Status status;
  for (size_t step = 0; status && step < steps.size(); ++step) {
    if (!isChosen(step, choice))
      continue;
    if (recorded)
      status = recorded->begin();
    if (status)
      status = start(steps[step]);
    if (status && recorded)
      status = recorded->end();
  }
  // The caller may go on behind a step that was refused.
  Status joined = recorded ? recorded->finish() : Status();
  return status ? joined : status;
}

Status ProgramPlan::run(Context::Impl &context, const Memory &memory,
                        StepChoice choice, uint64_t streamId,
                        Stream stream) const {
  CAROUSEL_TRY(checkAddresses(memory));
  return startAll(context, memory, choice, stream, [&](const Step &step) {
    const auto *launch = std::get_if<PlannedLaunch>(&step);
    return launch ? start(*launch, memory, streamId, stream)
                  : start(context, step, memory, stream);
  });
}

Result<std::vector<Launch>> ProgramPlan::prepare(const Memory &memory) const {
  CAROUSEL_TRY(checkAddresses(memory));
  std::vector<Launch> launches;
  for (const Step &step : steps) {
    const auto *planned = std::get_if<PlannedLaunch>(&step);
    if (!planned)
      continue;
    LaunchFrame frame = planned->kernel->getFrame();
    fillFrame(*planned, memory, frame);
    CAROUSEL_TRY_ASSIGN(
        Launch launch,
        planned->kernel->prepare(*planned->variant, frame, planned->grid));
    launches.push_back(std::move(launch));
  }
  return launches;
}

Status ProgramPlan::run(Context::Impl &context, const Memory &memory,
                        StepChoice choice, const std::vector<Launch> &launches,
                        Stream stream) const {
  return startAll(context, memory, choice, stream, [&](const Step &step) {
    const auto *launch = std::get_if<PlannedLaunch>(&step);
    return launch ? launches[launch->number].run(stream)
                  : start(context, step, memory, stream);
  });
}

} // namespace carousel::runtime
