//===- EngineRecord.cpp - what a plan of engines says of itself -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions of EnginePlan.h for packages, and as text.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/EnginePlan.h"

#include "EngineCandidates.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

std::string carousel::describeEngine(EngineAttr engine) {
  std::string text = stringifyEngineKind(engine.getKind()).str();
  if (engine.getWidth() > 0)
    text += " of width " + std::to_string(engine.getWidth());
  return text;
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

void carousel::describeEngines(const EngineVariant &variant,
                               KernelDecisions &decisions) {
  for (const EngineAssignment &plan : variant.transfers) {
    TransferOpInterface op = plan.op;
    TransferDecision &transfer = decisions.transfers.emplace_back();
    transfer.location = op->getLoc();
    transfer.isLoad = op.isLoad();
    transfer.memref = plan.memref;
    transfer.bytes = op.getTileBytes();
    transfer.engine = describeEngine(plan.choice.engine);
    transfer.instructions = plan.choice.instructions;
    transfer.cost = plan.choice.cost;
    for (const EngineRejection &rejection : plan.rejections)
      transfer.rejections.push_back(
          {stringifyEngineKind(rejection.kind).str(), rejection.reason});
    if (plan.isGiven)
      transfer.notes.push_back({"given", "the transfer had this engine"});
    if (op.getByThreads())
      transfer.notes.push_back({"by threads", "as the transfer requests"});
    if (!plan.agreement.empty())
      transfer.notes.push_back(
          {"as all reductions into its memref", plan.agreement});
    if (!plan.swizzleRejection.empty())
      decisions.misses.push_back(
          {plan.swizzleRejection.miss,
           op->getLoc(),
           (op.isLoad() ? "load of " : "store to ") + plan.memref,
           "swizzle " + stringifySwizzle(op.getSwizzle()).str() +
               " not used: " + plan.swizzleRejection.text,
           {}});
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string carousel::toText(GuardAttr guard) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << guard;
  // The text without #carousel.guard<...>.
  StringRef bare = text;
  bare.consume_front("#carousel.guard<");
  bare.consume_back(">");
  return bare.str();
}

void EnginePlan::print(llvm::raw_ostream &os) const {
  for (const EngineFault &fault : faults)
    os << "refused: " << fault.message << '\n';
  for (const EngineVariant &variant : variants) {
    os << "variant '" << variant.suffix << "': ";
    llvm::interleaveComma(variant.guards, os,
                          [&](GuardAttr guard) { os << toText(guard); });
    os << '\n';
    for (const EngineAssignment &plan : variant.transfers) {
      TransferOpInterface op = plan.op;
      os << "  " << (op.isLoad() ? "load" : "store") << ": "
         << plan.choice.engine;
      if (plan.choice.map)
        os << ' ' << plan.choice.map;
      if (plan.choice.encode)
        os << ' ' << plan.choice.encode;
      os << ", " << plan.choice.instructions << " instructions, cost "
         << plan.choice.cost << '\n';
      for (const EngineRejection &rejection : plan.rejections)
        os << "    not " << stringifyEngineKind(rejection.kind) << ": "
           << rejection.reason << '\n';
      if (!plan.swizzleRejection.empty())
        os << "    not swizzled: " << plan.swizzleRejection.text << '\n';
      if (!plan.agreement.empty())
        os << "    as all reductions into its memref: " << plan.agreement
           << '\n';
    }
  }
}
