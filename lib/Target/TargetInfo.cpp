//===- TargetInfo.cpp - the table of limits per SM ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the table, and the parsing of targets from names and from gpu
// modules.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/TargetInfo.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

static constexpr int64_t KB = 1024;

// clang-format off
static constexpr TargetInfo kTargets[] = {
    // chip      sm   ptx  block     SM        reserved  registers  threads  blocks  cluster
    {"sm_80",    80,  70,  163 * KB, 164 * KB, 1 * KB,   65536,     2048,    32,     1},
    {"sm_86",    86,  71,   99 * KB, 100 * KB, 1 * KB,   65536,     1536,    16,     1},
    {"sm_89",    89,  78,   99 * KB, 100 * KB, 1 * KB,   65536,     1536,    24,     1},
    {"sm_90",    90,  78,  227 * KB, 228 * KB, 1 * KB,   65536,     2048,    32,     8},
    {"sm_90a",   90,  80,  227 * KB, 228 * KB, 1 * KB,   65536,     2048,    32,     8},
    {"sm_100a", 100,  86,  227 * KB, 228 * KB, 1 * KB,   65536,     2048,    32,     8},
    {"sm_120a", 120,  87,   99 * KB, 100 * KB, 1 * KB,   65536,     1536,    24,     8},
};
// clang-format on

ArrayRef<TargetInfo> TargetInfo::all() { return kTargets; }

const TargetInfo *TargetInfo::lookup(StringRef chip) {
  const auto *row = llvm::find_if(
      kTargets, [&](const TargetInfo &t) { return t.chip == chip; });
  return row == std::end(kTargets) ? nullptr : row;
}

std::string carousel::formatPTX(unsigned ptx) {
  return std::to_string(ptx / 10) + "." + std::to_string(ptx % 10);
}

std::string
TargetSpec::explainMissing(const TargetRequirement &requirement) const {
  bool chipHas = requirement.chips.empty()
                     ? info->sm >= requirement.sm
                     : llvm::is_contained(requirement.chips, info->chip);
  if (chipHas && ptx >= requirement.ptx)
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "needs ";
  if (requirement.chips.empty())
    os << "sm_" << requirement.sm;
  else
    llvm::interleave(requirement.chips, os, " or ");
  os << " and PTX " << formatPTX(requirement.ptx) << ", the target is "
     << info->chip << " with PTX " << formatPTX(ptx);
  return text;
}

FailureOr<TargetSpec> carousel::makeTargetSpec(StringRef chip,
                                               std::optional<unsigned> version,
                                               std::string &error) {
  llvm::raw_string_ostream os(error);
  const TargetInfo *info = TargetInfo::lookup(chip);
  if (!info) {
    os << "unknown chip '" << chip << "', expected one of ";
    llvm::interleaveComma(kTargets, os,
                          [&](const TargetInfo &t) { os << t.chip; });
    return failure();
  }
  unsigned ptx = version.value_or(kDefaultPTX);
  // There is no 7.9 and no 8.9.
  if (ptx % 10 == 9) {
    os << "expected a PTX version that exists, got " << formatPTX(ptx);
    return failure();
  }
  unsigned first = std::max(kFirstPTX, info->firstPTX);
  if (ptx < first || ptx > kLastPTX) {
    os << "expected a PTX version of " << formatPTX(first) << " to "
       << formatPTX(kLastPTX) << " for " << info->chip << ", got "
       << formatPTX(ptx);
    return failure();
  }
  return TargetSpec{info, ptx};
}

FailureOr<TargetSpec> carousel::getTargetSpec(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  if (!targets || targets.size() != 1) {
    module.emitError("expected one #nvvm.target on the gpu.module, got ")
        << (targets ? targets.size() : 0);
    return failure();
  }
  auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(targets[0]);
  if (!nvvm) {
    module.emitError("expected an #nvvm.target on the gpu.module, got ")
        << targets[0];
    return failure();
  }
  std::optional<unsigned> ptx;
  SmallVector<StringRef> features;
  nvvm.getFeatures().split(features, ',');
  for (StringRef feature : features)
    if (feature.consume_front("+ptx") &&
        feature.getAsInteger(10, ptx.emplace())) {
      module.emitError("expected a PTX version in the target's features, got '")
          << nvvm.getFeatures() << "'";
      return failure();
    }
  std::string error;
  FailureOr<TargetSpec> spec = makeTargetSpec(nvvm.getChip(), ptx, error);
  if (failed(spec))
    emitError(module.getLoc()) << error;
  return spec;
}

void carousel::attachTarget(gpu::GPUModuleOp module, const TargetSpec &target,
                            unsigned optLevel) {
  auto attr = NVVM::NVVMTargetAttr::get(
      module.getContext(), static_cast<int>(optLevel), "nvptx64-nvidia-cuda",
      target.info->chip, "+ptx" + std::to_string(target.ptx));
  module.setTargetsAttr(ArrayAttr::get(module.getContext(), {attr}));
}
