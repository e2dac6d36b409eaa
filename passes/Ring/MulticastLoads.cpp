//===- MulticastLoads.cpp - tiles that CTAs of a cluster share ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-multicast-loads. Rings whose loop asks for multicast are used
// alike by all CTAs of a cluster if what controls their uses is the same in
// them. Loads of a box that is the same are shared.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace carousel {
#define GEN_PASS_DEF_MULTICASTLOADS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Values equal in all CTAs
//===----------------------------------------------------------------------===//

/// The op around `op`, up to `top`, that CTAs may execute differently, or null.
static Operation *findDifference(Operation *op, Operation *top,
                                 const UniformValues &ofCluster) {
  auto isSame = [&](Value value) { return ofCluster.contains(value); };
  for (Operation *parent = op->getParentOp(); parent && parent != top;
       parent = parent->getParentOp()) {
    bool same = false;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      same = isSame(loop.getLowerBound()) && isSame(loop.getUpperBound()) &&
             isSame(loop.getStep());
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      same = isSame(loop.getConditionOp().getCondition());
    else if (auto branch = dyn_cast<scf::IfOp>(parent))
      same = isSame(branch.getCondition());
    else
      same = isa<RingRolesOp, RingProduceOp>(parent);
    if (!same)
      return parent;
  }
  return nullptr;
}

/// Why CTAs may use the ring differently, or can't release its slots to each
/// other, or an empty string.
static std::string explainUses(RingCreateOp ring, gpu::GPUFuncOp kernel,
                               const UniformValues &ofCluster) {
  bool isReleased = false;
  for (Operation *user : ring.getRing().getUsers()) {
    if (isa<RingTileOp>(user))
      continue;
    if (Operation *other = findDifference(user, kernel, ofCluster))
      return ("'" + other->getName().getStringRef() +
              "' around its uses may go on differently in each CTA")
          .str();
    // The second operand of produce, wait and release.
    if (!ofCluster.contains(user->getOperand(1)))
      return "the numbers of its uses may differ";
    isReleased |= isa<RingReleaseOp>(user);
  }
  if (!isReleased)
    return "its slots aren't released";
  // Roles are whole warps.
  std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
  if (!block || (*block)[0] * (*block)[1] * (*block)[2] % rules::kWarpSize != 0)
    return "the block isn't made of whole warps";
  return {};
}

/// Whether something other than loads may write to the memory of `memref`, or
/// of its views: CTAs would overwrite what others have in their proxy.
static bool isWritten(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isWritten(view->getResult(0));
    if (isa<RingLoadOp>(user))
      return false;
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects)
      return true;
    SmallVector<MemoryEffects::EffectInstance> onValue;
    effects.getEffectsOnValue(memref, onValue);
    return llvm::any_of(onValue, [](const auto &instance) {
      return isa<MemoryEffects::Write>(instance.getEffect());
    });
  });
}

/// Whether threads write to the slot's tile that the load fills.
static bool isTileWritten(RingLoadOp load) {
  auto tile = getRootBuffer(load.getTile()).getDefiningOp<RingTileOp>();
  return !tile || llvm::any_of(tile.getRing().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<RingTileOp>(user);
    return other && other.getIndex() == tile.getIndex() &&
           isWritten(other.getTile());
  });
}

/// Why the load isn't one for all, or an empty string.
static std::string explainLoad(RingLoadOp load,
                               const UniformValues &ofCluster) {
  if (load.getEngineAttr().getKind() != EngineKind::Tensor)
    return ("its engine is " +
            stringifyEngineKind(load.getEngineAttr().getKind()))
        .str();
  Operation *produce = load->getParentOfType<RingProduceOp>();
  if (findDifference(load, produce, ofCluster))
    return "its condition may differ";
  for (Value offset : load.getOffsets())
    if (!ofCluster.contains(offset))
      return "its offsets may differ";
  if (!ofCluster.contains(load.getMap()) ||
      !ofCluster.contains(getRootBuffer(load.getGlobal())) ||
      (getRows(load) && !ofCluster.contains(load.getGlobal())))
    return "its memref may differ";
  if (isTileWritten(load))
    return "threads write to its tile";
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Whether the expression is a multiple of `ctas` in a launch of clusters.
static bool isMultiple(ExprAttr expr, int64_t ctas) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue() % ctas == 0;
  case ExprKind::Resident:
    return true;
  case ExprKind::Mul:
    return isMultiple(expr.getLhs(), ctas) || isMultiple(expr.getRhs(), ctas);
  case ExprKind::Add:
  case ExprKind::Min:
  case ExprKind::Max:
    return isMultiple(expr.getLhs(), ctas) && isMultiple(expr.getRhs(), ctas);
  default:
    return false;
  }
}

/// Why `ctas` CTAs can't form clusters, or an empty string.
static std::string explainClusters(gpu::GPUFuncOp kernel, int64_t ctas) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return "the kernel has no carousel.launch";
  if (isProgramOfCTA(kernel) ||
      (countClusterCTAs(kernel) != 1 && (launch.getCluster().front() != ctas ||
                                         countClusterCTAs(kernel) != ctas)))
    return "the kernel has other clusters";
  if (!isMultiple(launch.getGrid().front(), ctas))
    return "the grid isn't known to be a multiple of " + std::to_string(ctas);
  return {};
}

static void formClusters(gpu::GPUFuncOp kernel, int64_t ctas) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  SmallVector<int64_t> cluster(launch.getGrid().size(), 1);
  cluster.front() = ctas;
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(kernel.getContext(), launch.getGrid(),
                                  launch.getBlock(), cluster,
                                  launch.getShared()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// The bytes of a use of a ring, and those that are copied once for all CTAs.
struct UseBytes {
  int64_t all = 0, shared = 0;
};

struct MulticastLoads
    : public carousel::impl::MulticastLoadsBase<MulticastLoads> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      SmallVector<RingCreateOp> rings;
      kernel.walk([&](RingCreateOp ring) {
        if (ring.getMulticast() != 1)
          rings.push_back(ring);
      });
      if (!rings.empty())
        share(kernel, rings);
    }
  }

  void share(gpu::GPUFuncOp kernel, MutableArrayRef<RingCreateOp> rings) {
    int64_t formed = 1;
    UseBytes bytes;
    for (RingCreateOp ring : rings) {
      int64_t ctas = ring.getMulticast();
      auto ofCluster = UniformValues::ofCluster(kernel, ctas);
      std::string reason = explainClusters(kernel, ctas);
      if (reason.empty() && formed != 1 && formed != ctas)
        reason =
            "another ring has a cluster of " + std::to_string(formed) + " CTAs";
      if (reason.empty())
        reason = explainUses(ring, kernel, ofCluster);
      if (reason.empty())
        reason = shareLoads(ring, ofCluster, bytes);
      if (reason.empty()) {
        formed = ctas;
        continue;
      }
      miss(kernel, ring, reason);
      ring.setMulticast(1);
      forEachLoad(ring, [](RingLoadOp load) { load.setMulticast(false); });
    }
    if (formed == 1)
      return;
    formClusters(kernel, formed);
    report(kernel, formed, bytes);
  }

  static void forEachLoad(RingCreateOp ring,
                          function_ref<void(RingLoadOp)> body) {
    for (Operation *user : ring.getRing().getUsers())
      if (auto produce = dyn_cast<RingProduceOp>(user))
        produce.walk([&](RingLoadOp load) { body(load); });
  }

  /// Shares what it can, or says why that is nothing.
  std::string shareLoads(RingCreateOp ring, const UniformValues &ofCluster,
                         UseBytes &bytes) {
    std::string refusal = "nothing is loaded";
    // The bytes of each tile: several produces fill the same ones.
    llvm::SmallDenseMap<uint64_t, int64_t> all, common;
    forEachLoad(ring, [&](RingLoadOp load) {
      std::string reason = explainLoad(load, ofCluster);
      auto tile = getRootBuffer(load.getTile()).getDefiningOp<RingTileOp>();
      uint64_t number = tile ? tile.getIndex() : 0;
      all[number] = load.getTileBytes();
      load.setMulticast(reason.empty());
      if (!reason.empty()) {
        refusal = "of each load, " + reason;
        return;
      }
      common[number] = load.getTileBytes();
      ++shared;
    });
    if (common.empty())
      return refusal;
    for (const auto &entry : all)
      bytes.all += entry.second;
    for (const auto &entry : common)
      bytes.shared += entry.second;
    return {};
  }

  void report(gpu::GPUFuncOp kernel, int64_t ctas, const UseBytes &bytes) {
    std::string text =
        llvm::formatv("{0} CTAs share {1} of {2} bytes of a use: each of them "
                      "reads {3} from global memory",
                      ctas, bytes.shared, bytes.all,
                      bytes.all - bytes.shared + bytes.shared / ctas)
            .str();
    if (recordsDecisions(kernel)) {
      KernelDecisions decisions = getDecisions(kernel);
      decisions.notes.push_back({"multicast", text});
      setDecisions(kernel, decisions);
    }
    remark::passed(kernel.getLoc(), getOptions(kernel)) << text;
  }

  void miss(gpu::GPUFuncOp kernel, RingCreateOp ring, StringRef reason) {
    remark::missed(ring.getLoc(), getOptions(kernel))
        << remark::add("no multicast: {0}", reason);
  }

  remark::RemarkOpts getOptions(gpu::GPUFuncOp kernel) {
    return remark::RemarkOpts::name("Multicast")
        .category(getArgument())
        .function(kernel.getName());
  }
};

} // namespace
