//===- DescribeLayouts.cpp - what of a block program is slow --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DescribeLayouts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/DescribeLayouts.h"

#include "VectorAccesses.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Support/HardwareLimits.h"

using namespace mlir;
using namespace carousel;

/// The narrow type that a factor is widened from, where it is read, or null.
static Type findNarrowType(Value factor) {
  while (Operation *op = factor.getDefiningOp()) {
    if (auto widening = dyn_cast<arith::ExtFOp>(op))
      return getElementTypeOrSelf(widening.getIn());
    if (!isa<vector::TransposeOp, vector::BroadcastOp, vector::ShapeCastOp>(op))
      break;
    factor = op->getOperand(0);
  }
  return {};
}

/// Whether threads multiply what matrix instructions could: factors of 16 bits
/// or less, also where one of them is widened for the other one's sake.
static Obstacle findNarrowFactors(vector::ContractionOp op) {
  if (hasMatrixFactors(op))
    return findMatrixObstacle(op);
  std::string text;
  llvm::raw_string_ostream os(text);
  Type lhs = op.getLhsType().getElementType();
  Type rhs = op.getRhsType().getElementType();
  if (lhs != rhs) {
    os << "factors are '" << lhs << "' and '" << rhs << "'";
    return {Miss::ProductTypes, text};
  }
  Type narrow = findNarrowType(op.getLhs());
  if (!narrow)
    narrow = findNarrowType(op.getRhs());
  if (!narrow || !lhs.isF32() || narrow.getIntOrFloatBitWidth() > 16)
    return {};
  os << "one factor is '" << lhs << "', and the other one is widened from '"
     << narrow << "'";
  return {Miss::ProductWidened, text};
}

static void describeProduct(vector::ContractionOp op,
                            const ContractionPlan &plan, ThreadBits threads,
                            KernelDecisions &decisions) {
  if (plan.matrices)
    return;
  Obstacle obstacle = findNarrowFactors(op);
  if (obstacle.empty() && !hasMatrixFactors(op))
    return;
  if (obstacle.empty())
    obstacle = {Miss::ProductBlock, threads.ctas != 0
                                        ? "CTAs of a cluster share the sums"
                                        : "a warp isn't full"};
  decisions.misses.push_back({obstacle.miss,
                              op->getLoc(),
                              "product",
                              "threads multiply and add: " + obstacle.text,
                              {}});
}

/// The name of the argument that a memref is, or of which it is a view.
static std::string findName(gpu::GPUFuncOp kernel, Value memref) {
  Value root = memref;
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (kernel.getArgument(argument.position) == root)
      return argument.name;
  return "?";
}

/// The most elements of an access: those of 16 bytes, as far as the vector has
/// as many beside each other.
static int64_t getMostElements(const VectorAccess &access) {
  int64_t extent = access.getType().getDimSize(access.getContiguousDim());
  int64_t most =
      std::max<int64_t>(rules::kBulkGranule / access.getElementBytes(), 1);
  return std::min(most, extent & -extent);
}

static void describeAccess(gpu::GPUFuncOp kernel, const VectorAccess &access,
                           const AccessAlignment &alignment,
                           KernelDecisions &decisions) {
  int64_t most = getMostElements(access);
  Obstacle obstacle =
      alignment.findObstacle(access.getMemRef(), access.getIndices(), most);
  if (obstacle.empty())
    return;
  bool isRead = isa<vector::TransferReadOp>(access.getOp());
  decisions.misses.push_back({obstacle.miss,
                              access.getOp()->getLoc(),
                              (isRead ? "read of " : "write of ") +
                                  findName(kernel, access.getMemRef()),
                              "accesses of single elements, and not of " +
                                  std::to_string(most) + ": " + obstacle.text,
                              {}});
}

void carousel::describeSlowOps(gpu::GPUFuncOp kernel, const LayoutPlan &plan,
                               KernelDecisions &decisions) {
  AccessAlignment alignment(kernel);
  kernel.walk([&](Operation *op) {
    if (auto product = dyn_cast<vector::ContractionOp>(op))
      describeProduct(product, plan.getContraction(product), plan.getThreads(),
                      decisions);
    if (Obstacle obstacle = explainNoRing(op); !obstacle.empty())
      decisions.misses.push_back(
          {obstacle.miss,
           op->getLoc(),
           "read of " + findName(kernel, op->getOperand(0)),
           "threads read it in each iteration: " + obstacle.text,
           {}});
    std::optional<VectorAccess> access = VectorAccess::of(op);
    // Tiles in shared memory are aligned.
    if (access && isGlobalMemRef(access->getMemRef().getType()) &&
        !access->isTransfer() && !plan.getAccess(op).isShifted)
      describeAccess(kernel, *access, alignment, decisions);
  });
}
