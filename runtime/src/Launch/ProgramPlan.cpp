//===- ProgramPlan.cpp - what a program does with some arguments ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramPlan.h; PlanProgram.cpp makes plans. No step starts before the
// addresses of all of them are checked.
//
//===----------------------------------------------------------------------===//

#include "ProgramPlan.h"

#include "Bind/Bind.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

void ProgramPlan::fillFrame(const PlannedLaunch &launch, const Memory &memory,
                            const LaunchFrame &frame) const {
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
  if (const auto *copy = std::get_if<PlannedCopy>(&step))
    return copy->step.copy(
        context, move(copy->target, copy->targetBase, memory),
        move(copy->source, copy->sourceBase, memory), stream);
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

Status ProgramPlan::run(Context::Impl &context, const Memory &memory,
                        StepChoice choice, uint64_t streamId,
                        Stream stream) const {
  CAROUSEL_TRY(checkAddresses(memory));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!isChosen(i, choice))
      continue;
    const auto *launch = std::get_if<PlannedLaunch>(&steps[i]);
    CAROUSEL_TRY(launch ? start(*launch, memory, streamId, stream)
                        : start(context, steps[i], memory, stream));
  }
  return {};
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
  auto next = launches.begin();
  for (size_t i = 0; i < steps.size(); ++i) {
    const Launch *launch =
        std::holds_alternative<PlannedLaunch>(steps[i]) ? &*next++ : nullptr;
    if (!isChosen(i, choice))
      continue;
    CAROUSEL_TRY(launch ? launch->run(stream)
                        : start(context, steps[i], memory, stream));
  }
  return {};
}

} // namespace carousel::runtime
