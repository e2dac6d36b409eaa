//===- TargetMachines.cpp - a cache of LLVM's back ends -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TargetMachines.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/TargetMachines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace carousel;

TargetMachines::TargetMachines() = default;
TargetMachines::~TargetMachines() = default;

std::unique_ptr<TargetMachine>
TargetMachines::take(StringRef triple, StringRef chip, StringRef features) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = find_if(idle, [&](const auto &machine) {
      return machine->getTargetTriple().str() == triple &&
             machine->getTargetCPU() == chip &&
             machine->getTargetFeatureString() == features;
    });
    if (known != idle.end()) {
      std::unique_ptr<TargetMachine> machine = std::move(*known);
      idle.erase(known);
      return machine;
    }
  }
  std::string error;
  Triple parsed(triple);
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      parsed, chip, features, TargetOptions(), std::nullopt));
}

void TargetMachines::giveBack(std::unique_ptr<TargetMachine> machine) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(machine));
}
