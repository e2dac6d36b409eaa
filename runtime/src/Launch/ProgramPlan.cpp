//===- ProgramPlan.cpp - what a program does with some arguments ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramPlan.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramPlan.h"

#include "Bind/Bind.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

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
  /// A tensor operand with its numbers.
  struct View {
    std::vector<int64_t> extents, strides;
    uint64_t address = 0;
    int base = 0;
  };

  Status check() const;
  Status add(const StepInfo &step);
  Status addLaunch(const StepInfo &step);
  Status addMatmul(const StepInfo &step);
  Result<int64_t> compute(const Expression &expression) const;
  Result<View> view(const OperandInfo &operand) const;
  Status checkInside(const OperandInfo &operand, const View &view,
                     int64_t offset) const;
  /// The bytes from the first element of a base to behind its last one.
  int64_t getReach(const OperandInfo &operand) const;
  /// The bits of a scalar operand.
  Result<uint64_t> getScalar(const OperandInfo &operand) const;

  const PlanInput &input;
  std::optional<Stream> stream;
  Environment environment;
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
Status ProgramPlanner::checkInside(const OperandInfo &operand, const View &view,
                                   int64_t offset) const {
  auto bytes = static_cast<int64_t>(getBytes(operand.element));
  int64_t end = 1;
  bool fits = offset >= 0;
  for (size_t dim = 0; dim < view.extents.size(); ++dim) {
    if (view.extents[dim] == 0)
      return {};
    int64_t length;
    fits &= view.extents[dim] > 0 && view.strides[dim] >= 0 &&
            !__builtin_mul_overflow(view.extents[dim] - 1, view.strides[dim],
                                    &length) &&
            !__builtin_add_overflow(end, length, &end);
  }
  fits &= !__builtin_mul_overflow(end, bytes, &end) &&
          !__builtin_add_overflow(end, offset, &end);
  if (fits && end <= getReach(operand))
    return {};
  return fail(ErrorCode::InvalidPackage,
              "{}: expected a step within {} bytes of {}, got {} bytes from "
              "{} on",
              input.program.name, getReach(operand),
              operand.kind == OperandInfo::Kind::Constant
                  ? fmt::format("constant {}", operand.number)
                  : input.program.arguments[operand.number].name,
              fits ? end - offset : INT64_MAX, offset);
}

Result<ProgramPlanner::View>
ProgramPlanner::view(const OperandInfo &operand) const {
  View view;
  for (auto [from, to] : {std::pair(&operand.extents, &view.extents),
                          std::pair(&operand.strides, &view.strides)})
    for (const Expression &expression : *from) {
      Result<int64_t> value = compute(expression);
      if (!value)
        return tl::make_unexpected(std::move(value.error()));
      to->push_back(*value);
    }
  Result<int64_t> offset = compute(operand.offset);
  if (!offset)
    return tl::make_unexpected(std::move(offset.error()));
  if (Status status = checkInside(operand, view, *offset); !status)
    return tl::make_unexpected(std::move(status.error()));
  view.base = operand.number;
  if (operand.kind == OperandInfo::Kind::Constant)
    view.base += static_cast<int>(input.program.arguments.size());
  view.address = input.addresses[view.base] + static_cast<uint64_t>(*offset);
  return view;
}

Result<uint64_t> ProgramPlanner::getScalar(const OperandInfo &operand) const {
  switch (operand.kind) {
  case OperandInfo::Kind::Scalar:
    return static_cast<uint64_t>(input.arguments[operand.number].scalar);
  case OperandInfo::Kind::Number: {
    Result<int64_t> value = compute(operand.value);
    if (!value)
      return tl::make_unexpected(std::move(value.error()));
    // The low bits, with their sign.
    size_t unused = 64 - 8 * std::min<size_t>(getBytes(operand.element), 8);
    return static_cast<uint64_t>(
        static_cast<int64_t>(static_cast<uint64_t>(*value) << unused) >>
        unused);
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
      Result<View> found = view(operand);
      if (!found)
        return tl::make_unexpected(std::move(found.error()));
      views[i] = std::move(*found);
      launch.bases.back() = views[i].base;
      arguments.push_back(
          Argument::tensor(operand.element, views[i].address,
                           static_cast<uint32_t>(views[i].extents.size()),
                           views[i].extents.data(), views[i].strides.data()));
      continue;
    }
    if (operand.kind == OperandInfo::Kind::Scalar)
      launch.scalars.back() = operand.number;
    Result<uint64_t> bits = getScalar(operand);
    if (!bits)
      return tl::make_unexpected(std::move(bits.error()));
    arguments.push_back(Argument::scalar(operand.element, *bits));
  }
  Kernel::Impl &kernel = *launch.kernel;
  LaunchFrame frame = kernel.getFrame();
  if (Status status = kernel.bind(arguments.data(), count, frame); !status)
    return fail(status.error().code, "{}: {}", kernel.info->name,
                status.error().message);
  Result<const DeviceVariant *> variant =
      kernel.choose(frame, launch.grid, stream);
  if (!variant)
    return tl::make_unexpected(std::move(variant.error()));
  if (!*variant)
    return tl::make_unexpected(kernel.explainNoVariant(frame));
  if (launch.grid.isEmpty())
    return {};
  launch.variant = *variant;
  launch.bound.assign(frame.bound, frame.bound + kernel.info->arguments.size());
  launch.sources.assign(
      frame.sources, frame.sources + (*variant)->getInfo().tensorMaps.size());
  made.steps.push_back(std::move(launch));
  return {};
}

Status ProgramPlanner::addMatmul(const StepInfo &step) {
  ProgramPlan::PlannedMatmul matmul;
  MatmulProblem problem;
  problem.factors = step.operands[0].element;
  problem.result = step.operands[2].element;
  problem.tf32 = step.tf32;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Result<View> found = view(step.operands[i]);
    if (!found)
      return tl::make_unexpected(std::move(found.error()));
    matmul.addresses[i] = found->address;
    matmul.bases[i] = found->base;
    if (i == 3) {
      problem.scratchBytes = static_cast<uint64_t>(found->extents[0]);
      continue;
    }
    problem.addresses[i] = found->address;
    problem.views[i] = {std::move(found->extents), std::move(found->strides)};
  }
  Context::Impl &context = input.context.getImpl();
  CurrentContext current(context);
  if (!current.getStatus())
    return current.getStatus();
  Result<MatmulStep> made = MatmulStep::make(context, problem);
  if (!made)
    return fail(made.error().code, "{}: a product: {}", input.program.name,
                made.error().message);
  matmul.step = std::move(*made);
  if (!matmul.step.isEmpty())
    this->made.steps.push_back(std::move(matmul));
  return {};
}

Status ProgramPlanner::add(const StepInfo &step) {
  if (step.kind == StepInfo::Kind::Launch)
    return addLaunch(step);
  if (step.kind == StepInfo::Kind::Matmul)
    return addMatmul(step);
  const OperandInfo &from = step.operands[0];
  Result<View> target = view(step.operands[1]);
  if (!target)
    return tl::make_unexpected(std::move(target.error()));
  uint64_t bytes = getBytes(from.element);
  auto tooLarge = [&] {
    return fail(ErrorCode::InvalidArgument,
                "{}: expected offsets in bytes below 2^63, got more",
                input.program.name);
  };
  if (step.kind == StepInfo::Kind::Fill) {
    ProgramPlan::PlannedFill fill;
    Result<uint64_t> value = getScalar(from);
    if (!value)
      return tl::make_unexpected(std::move(value.error()));
    if (!fill.step.set(bytes, target->extents, target->strides, nullptr))
      return tooLarge();
    fill.target = target->address;
    fill.base = target->base;
    fill.value = *value;
    if (from.kind == OperandInfo::Kind::Scalar)
      fill.scalar = from.number;
    if (!fill.step.isEmpty())
      made.steps.push_back(std::move(fill));
    return {};
  }
  Result<View> source = view(from);
  if (!source)
    return tl::make_unexpected(std::move(source.error()));
  if (source->extents != target->extents)
    return fail(ErrorCode::InvalidPackage,
                "{}: expected a copy of {} elements, got {}",
                input.program.name, fmt::join(target->extents, "x"),
                fmt::join(source->extents, "x"));
  ProgramPlan::PlannedCopy copy;
  if (!copy.step.set(bytes, target->extents, target->strides, &source->strides))
    return tooLarge();
  copy.target = target->address;
  copy.targetBase = target->base;
  copy.source = source->address;
  copy.sourceBase = source->base;
  if (!copy.step.isEmpty())
    made.steps.push_back(std::move(copy));
  return {};
}

Result<std::shared_ptr<const ProgramPlan>> ProgramPlanner::plan() {
  made.addresses = input.addresses;
  Status status = check();
  for (const StepInfo &step : input.program.steps)
    if (status)
      status = add(step);
  if (!status)
    return tl::make_unexpected(std::move(status.error()));
  return std::make_shared<const ProgramPlan>(std::move(made));
}

Result<std::shared_ptr<const ProgramPlan>>
ProgramPlan::make(const PlanInput &input, std::optional<Stream> stream) {
  return ProgramPlanner(input, stream).plan();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void ProgramPlan::fillFrame(const PlannedLaunch &launch, const Memory &memory,
                            const LaunchFrame &frame) const {
  std::copy(launch.bound.begin(), launch.bound.end(), frame.bound);
  std::copy(launch.sources.begin(), launch.sources.end(), frame.sources);
  auto getShift = [&](size_t argument) {
    int base = launch.bases[argument];
    return base < 0 ? 0 : memory.addresses[base] - addresses[base];
  };
  for (size_t i = 0; i < launch.bases.size(); ++i) {
    frame.bound[i].data += getShift(i);
    if (launch.scalars[i] >= 0)
      frame.bound[i].scalar = memory.arguments[launch.scalars[i]].scalar;
  }
  const VariantInfo &info = launch.variant->getInfo();
  for (size_t i = 0; i < info.tensorMaps.size(); ++i)
    if (uint16_t argument = info.tensorMaps[i].argument;
        argument < launch.bases.size())
      frame.sources[i].address += getShift(argument);
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
  auto move = [&](uint64_t address, int base) {
    return address + memory.addresses[base] - addresses[base];
  };
  if (const auto *copy = std::get_if<PlannedCopy>(&step))
    return copy->step.copy(context, move(copy->target, copy->targetBase),
                           move(copy->source, copy->sourceBase), stream);
  if (const auto *matmul = std::get_if<PlannedMatmul>(&step)) {
    std::array<uint64_t, 4> moved = matmul->addresses;
    for (size_t i = 0; i < moved.size(); ++i)
      if (matmul->bases[i] >= 0)
        moved[i] = move(moved[i], matmul->bases[i]);
    return matmul->step.run(context, {moved[0], moved[1], moved[2]}, moved[3],
                            stream);
  }
  const auto &fill = std::get<PlannedFill>(step);
  uint64_t value =
      fill.scalar < 0
          ? fill.value
          : static_cast<uint64_t>(memory.arguments[fill.scalar].scalar);
  return fill.step.fill(context, move(fill.target, fill.base), value, stream);
}

Status ProgramPlan::run(Context::Impl &context, const Memory &memory,
                        uint64_t streamId, Stream stream) const {
  for (const Step &step : steps) {
    const auto *launch = std::get_if<PlannedLaunch>(&step);
    Status status = launch ? start(*launch, memory, streamId, stream)
                           : start(context, step, memory, stream);
    if (!status)
      return status;
  }
  return {};
}

Result<std::vector<Launch>> ProgramPlan::prepare(const Memory &memory) const {
  std::vector<Launch> launches;
  for (const Step &step : steps) {
    const auto *planned = std::get_if<PlannedLaunch>(&step);
    if (!planned)
      continue;
    LaunchFrame frame = planned->kernel->getFrame();
    fillFrame(*planned, memory, frame);
    Result<Launch> launch =
        planned->kernel->prepare(*planned->variant, frame, planned->grid);
    if (!launch)
      return tl::make_unexpected(std::move(launch.error()));
    launches.push_back(std::move(*launch));
  }
  return launches;
}

Status ProgramPlan::run(Context::Impl &context, const Memory &memory,
                        const std::vector<Launch> &launches,
                        Stream stream) const {
  auto next = launches.begin();
  for (const Step &step : steps) {
    Status status = std::holds_alternative<PlannedLaunch>(step)
                        ? (next++)->run(stream)
                        : start(context, step, memory, stream);
    if (!status)
      return status;
  }
  return {};
}

} // namespace carousel::runtime
