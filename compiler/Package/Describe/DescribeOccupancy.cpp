//===- DescribeOccupancy.cpp - what an SM holds of a variant --------------===//
//===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The occupancy of a variant, and the JSON of the member "decisions".
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/DescribePackage.h"
#include "llvm/Support/JSON.h"

using namespace carousel;
namespace json = llvm::json;

OccupancyDescription
carousel::describeOccupancy(const VariantDescription &variant,
                            const TargetInfo &chip,
                            std::optional<int64_t> registers) {
  OccupancyDescription description;
  description.chip = chip.chip.str();
  const auto &block = variant.block;
  int64_t threads = block[0] * block[1] * block[2];
  int64_t shared = variant.staticShared + variant.dynamicShared;
  description.threads = threads;
  description.sharedBytes = shared;
  description.registers = registers;
  // A CTA of one thread, one register and no shared memory is limited by
  // nothing but the number of blocks.
  OccupancyLimit limit;
  description.byShared = computeCTAsPerSM(chip, 1, 1, shared, limit);
  description.byThreads = computeCTAsPerSM(chip, threads, 1, 0, limit);
  if (registers)
    description.byRegisters =
        computeCTAsPerSM(chip, threads, *registers, 0, limit);
  description.ctasPerSM = computeCTAsPerSM(chip, threads, registers.value_or(1),
                                           shared, description.limit);
  int64_t bytes = variant.decisions ? variant.decisions->getBytesInFlight() : 0;
  description.bytesInFlight = description.ctasPerSM * bytes;
  return description;
}

static json::Value toJSON(std::optional<int64_t> number) {
  return number ? json::Value(*number) : json::Value(nullptr);
}

static json::Value toJSON(const OccupancyDescription &description) {
  return json::Object{{"chip", description.chip},
                      {"threads", description.threads},
                      {"shared", description.sharedBytes},
                      {"registers", toJSON(description.registers)},
                      {"ctas_per_sm", description.ctasPerSM},
                      {"limit", stringifyOccupancyLimit(description.limit)},
                      {"by_shared", description.byShared},
                      {"by_threads", description.byThreads},
                      {"by_registers", toJSON(description.byRegisters)},
                      {"bytes_in_flight", description.bytesInFlight}};
}

json::Value carousel::toJSON(const VariantDescription &variant) {
  json::Value record = toJSON(*variant.decisions);
  json::Array occupancies;
  for (const OccupancyDescription &occupancy : variant.occupancies)
    occupancies.push_back(::toJSON(occupancy));
  if (!occupancies.empty())
    (*record.getAsObject())["occupancies"] = std::move(occupancies);
  return record;
}
