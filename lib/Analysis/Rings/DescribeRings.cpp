//===- DescribeRings.cpp - the record of a ring plan ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a plan of rings to the record of a kernel's decisions, with the names
// that the kernel's author knows: arguments and places.
//
//===----------------------------------------------------------------------===//

#include "RingDepth.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace carousel;

namespace {

class Describer {
public:
  explicit Describer(gpu::GPUFuncOp kernel) {
    for (const KernelArgument &argument : getKernelArguments(kernel))
      names[kernel.getArgument(argument.position)] = argument.name;
  }

  std::string getName(TransferOpInterface op) const {
    auto found = names.find(getRootBuffer(op.getGlobal()));
    return found == names.end() ? "the global memref" : found->second;
  }

  /// The name in messages: "load of x".
  std::string getSubject(Operation *op) const {
    auto transfer = dyn_cast<TransferOpInterface>(op);
    if (!transfer)
      return isa<scf::ForOp>(op) ? "loop" : op->getName().getStringRef().str();
    return (transfer.isLoad() ? "load of " : "store to ") + getName(transfer);
  }

private:
  llvm::DenseMap<Value, std::string> names;
};

} // namespace

static void addEngine(RingDecision &ring, TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  std::string name =
      engine ? stringifyEngineKind(engine.getKind()).str() : "none";
  if (!llvm::is_contained(ring.engines, name))
    ring.engines.push_back(name);
}

/// Describes the operations of a loop that take longer than its bytes.
static std::string describeOperations(const LoopPlan &loop) {
  bool areSpecial = loop.prediction.limit == LoopLimit::SpecialFunctions;
  int64_t bytes = loop.work.loadBytes + loop.work.storeBytes;
  if ((loop.prediction.limit != LoopLimit::Issue && !areSpecial) || bytes == 0)
    return "";
  double count =
      areSpecial ? loop.work.specialInstructions : loop.work.instructions;
  return llvm::formatv("{0:f0} {1} of warps for an iteration's {2} bytes, and "
                       "{3:f0} G/s of them: they bound the loop, its bytes "
                       "don't",
                       count, areSpecial ? "special functions" : "instructions",
                       bytes, loop.prediction.throughput * count / bytes);
}

/// The numbers of the model, with the loop's rings.
static DecisionNotes describeModel(const LoopPlan &loop) {
  std::string work, prediction;
  llvm::raw_string_ostream workStream(work), predictionStream(prediction);
  loop.work.print(workStream);
  loop.prediction.print(predictionStream);
  DecisionNotes notes = {
      {"iteration", work},
      {"predicted", prediction},
      {"launch",
       llvm::formatv("{0:f0} ns + bytes / {1:f0} GB/s", loop.prediction.fixedNs,
                     loop.prediction.throughput)
           .str()},
      {kLimitNote.str(), stringifyLoopLimit(loop.prediction.limit).str()}};
  if (std::string operations = describeOperations(loop); !operations.empty())
    notes.push_back({"operations", operations});
  return notes;
}

static RingDecision describeLoop(const LoopPlan &loop) {
  RingDecision ring;
  scf::ForOp op = loop.loop;
  ring.loop = op.getLoc();
  ring.scope = loop.request.getScope();
  ring.mode = loop.mode;
  return ring;
}

void carousel::describeRings(gpu::GPUFuncOp kernel, const RingPlan &plan,
                             KernelDecisions &decisions) {
  Describer describer(kernel);
  for (const LoopPlan &loop : plan.loops) {
    for (const LoadRingPlan &planned : loop.rings) {
      RingDecision ring = describeLoop(loop);
      for (LoadOp load : planned.loads) {
        ring.memrefs.push_back(describer.getName(load));
        addEngine(ring, load);
      }
      ring.stages = planned.stages;
      ring.slotBytes = getSlotBytes(planned);
      ring.prefetch = planned.prefetch;
      ring.release = planned.release;
      ring.notes = describeModel(loop);
      for (StoreOp store : planned.inPlaceStores)
        ring.notes.push_back({"stored in place", describer.getName(store)});
      decisions.rings.push_back(std::move(ring));
    }
    for (const StoreRingPlan &planned : loop.stores) {
      RingDecision ring = describeLoop(loop);
      SmallVector<StoreOp> stores = {planned.store};
      stores.append(planned.others);
      ring.isLoad = false;
      for (StoreOp store : stores) {
        ring.memrefs.push_back(describer.getName(store));
        addEngine(ring, store);
      }
      ring.stages = planned.stages;
      ring.slotBytes = getBytes(planned.buffer);
      decisions.rings.push_back(std::move(ring));
    }
  }
  for (const RingMiss &missed : plan.misses) {
    MissedRequest request = {missed.miss,
                             missed.op->getLoc(),
                             describer.getSubject(missed.op),
                             missed.reason,
                             {}};
    // A plan that is made again repeats what it misses.
    if (llvm::none_of(decisions.misses, [&](const MissedRequest &other) {
          return other.miss == request.miss &&
                 other.location == request.location &&
                 other.subject == request.subject &&
                 other.reason == request.reason;
        }))
      decisions.misses.push_back(std::move(request));
  }
}
