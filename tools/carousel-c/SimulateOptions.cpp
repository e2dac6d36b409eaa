//===- SimulateOptions.cpp - options of a simulation ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SimulateOptions.h.
//
//===----------------------------------------------------------------------===//

#include "SimulateOptions.h"
#include "SourceModule.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

/// Bytes of the struct in the first version of the header.
static constexpr size_t kOptionBytes = 184;
static_assert(kOptionBytes <= sizeof(carousel_simulate_source_options));

void carousel_simulate_source_options_init(
    carousel_simulate_source_options *options, size_t size) noexcept {
  if (!options || checkSize(size, kOptionBytes, "size"))
    return;
  sim::RunOptions defaults;
  carousel_simulate_source_options value = {};
  value.schedules = 1;
  value.multiprocessors = defaults.multiprocessors;
  value.resident = defaults.residentPerMultiprocessor;
  value.traced_ctas = defaults.tracedCTAs;
  value.chip = "sm_90a";
  value.step_limit = defaults.stepLimit;
  value.finding_limit = defaults.findingLimit;
  options->size = size;
  writeStruct(value, kOptionBytes, "options", options);
}

/// 0 everywhere: none is given.
static std::optional<std::array<uint32_t, 3>> readShape(const uint32_t *shape) {
  if (shape[0] == 0 && shape[1] == 0 && shape[2] == 0)
    return std::nullopt;
  return std::array<uint32_t, 3>{shape[0], shape[1], shape[2]};
}

/// The code of a kernel in PTX, and what goes together with it.
static carousel_compiler_status
readPTX(const carousel_simulate_source_options &given, Schedules &to) {
  auto wrong = [](const Twine &message) {
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "options: " + message);
  };
  for (auto [isGiven, name] :
       {std::pair(given.starts_in_order, "starts_in_order"),
        {given.coresident, "coresident"}})
    if (isGiven && !given.parameters)
      return wrong(Twine("expected ") + name + " with parameters");
  if (!given.ptx && !given.parameters)
    return CAROUSEL_COMPILER_OK;
  if (given.ptx && given.parameters)
    return wrong("expected ptx or parameters, got both");
  if (given.program || given.pipeline)
    return wrong("expected PTX without a program and without a pipeline");
  if (given.bank_conflicts != 0)
    return wrong("expected PTX without bank_conflicts, since its accesses "
                 "aren't counted");
  to.ptx = given.ptx;
  if (given.parameters)
    to.parameters = given.parameters;
  to.startsInOrder = given.starts_in_order != 0;
  to.isCoresident = given.coresident != 0;
  return given.ptx ? checkSource(given.ptx) : CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
capi::readOptions(const carousel_simulate_source_options *options,
                  Schedules &to) {
  carousel_simulate_source_options given;
  carousel_simulate_source_options_init(&given, sizeof(given));
  if (options)
    if (carousel_compiler_status status =
            readStruct(options, kOptionBytes, "options", given))
      return status;
  auto wrong = [](const Twine &message) {
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "options: " + message);
  };
  if (given.reserved != 0)
    return wrong("expected 0 in the member 'reserved', got " +
                 Twine(given.reserved));
  if (carousel_compiler_status status = readPTX(given, to))
    return status;
  constexpr uint64_t kMost = uint64_t(1) << 32;
  if (given.schedules == 0 || given.schedules > kMost)
    return wrong("schedules: expected 1 to 2^32, got " +
                 Twine(given.schedules));
  if (!given.chip)
    return wrong("chip: expected a pointer, got null");
  if (given.policies && given.policy_count == 0)
    return wrong("policies: expected at least one, got none");
  if (!given.policies)
    to.policies = {to.run.policy};
  for (size_t i = 0; given.policies && i < given.policy_count; ++i) {
    StringRef policy = given.policies[i] ? given.policies[i] : "null";
    if (!llvm::is_contained(sim::getPolicyNames(), policy))
      return wrong("policies: expected " +
                   llvm::join(sim::getPolicyNames(), ", ") + ", got '" +
                   policy + "'");
    to.policies.push_back(policy.str());
  }
  if (given.replay)
    to.run.replay.assign(given.replay, given.replay_bytes);
  if (given.replay && to.run.replay.empty())
    return wrong("replay: expected the record of a run, got an empty one");
  to.kernel = given.kernel ? given.kernel : "";
  to.program = given.program ? given.program : "";
  if (!to.kernel.empty() && !to.program.empty())
    return wrong("expected a kernel or a program, got both");
  to.pipeline = given.pipeline ? given.pipeline : "";
  // A child that a callback forks must not go on after it.
  if (given.is_cancelled || given.progress)
    to.run.isCancelled = [given, process = to.process] {
      return (given.is_cancelled &&
              given.is_cancelled(given.cancel_data) != 0) ||
             process != ::getpid();
    };
  to.progress = given.progress;
  to.progressData = given.progress_data;
  to.seed = given.seed;
  to.count = given.schedules;
  to.run.grid = readShape(given.grid);
  to.run.block = readShape(given.block);
  to.run.cluster = readShape(given.cluster);
  to.run.multiprocessors = given.multiprocessors;
  to.run.residentPerMultiprocessor = given.resident;
  to.run.tracedCTAs = given.traced_ctas;
  to.run.chip = given.chip;
  to.run.stepLimit = given.step_limit;
  to.run.findingLimit = given.finding_limit;
  to.run.strict = given.strict != 0;
  to.run.trace = given.trace != 0;
  to.run.record = given.record != 0;
  to.run.bankConflicts = given.bank_conflicts != 0;
  return CAROUSEL_COMPILER_OK;
}
