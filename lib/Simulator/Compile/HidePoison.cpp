//===- HidePoison.cpp - poison as the result of calls ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's folds take poison for any value that suits them, as they may: a
// selection between poison and a number becomes the number. The machine reports
// the selection if it takes the poison, so folds mustn't see it.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"
#include "PoisonSources.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace carousel::sim;

/// The name of the op that a ub.poison stands for.
static constexpr llvm::StringLiteral kMadeBy = "carousel.made_by";

//===----------------------------------------------------------------------===//
// Poison indices
//===----------------------------------------------------------------------===//

static Value createPoison(OpBuilder &builder, Operation *maker, Type type) {
  auto poison = ub::PoisonOp::create(builder, maker->getLoc(), type);
  poison->setDiscardableAttr(
      kMadeBy, builder.getStringAttr(maker->getName().getStringRef()));
  return poison;
}

static void expandShuffle(vector::ShuffleOp op) {
  constexpr int64_t kPoison = vector::ShuffleOp::kPoisonIndex;
  if (!llvm::is_contained(op.getMask(), kPoison))
    return;
  OpBuilder builder(op);
  VectorType type = op.getResultVectorType();
  SmallVector<int64_t> mask(op.getMask());
  llvm::replace(mask, kPoison, int64_t(0));
  Value result = vector::ShuffleOp::create(builder, op.getLoc(), op.getV1(),
                                           op.getV2(), mask);
  Type row = type.getElementType();
  if (type.getRank() > 1)
    row = VectorType::get(type.getShape().drop_front(), row);
  Value poison = createPoison(builder, op, row);
  for (auto [number, from] : llvm::enumerate(op.getMask()))
    if (from == kPoison)
      result = vector::InsertOp::create(builder, op.getLoc(), poison, result,
                                        int64_t(number));
  op.replaceAllUsesWith(result);
  op.erase();
}

/// An extraction or insertion at such a position.
template <typename Op> static void expandPosition(Op op) {
  if (!llvm::is_contained(op.getStaticPosition(), Op::kPoisonIndex))
    return;
  OpBuilder builder(op);
  op.replaceAllUsesWith(createPoison(builder, op, op.getType()));
  op.erase();
}

void carousel::sim::expandPoisonIndices(Operation *root) {
  root->walk([](vector::ShuffleOp op) { expandShuffle(op); });
  root->walk([](vector::ExtractOp op) { expandPosition(op); });
  root->walk([](vector::InsertOp op) { expandPosition(op); });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

class Hider {
public:
  Hider(Operation *root, std::vector<std::string> &sources)
      : root(root), sources(sources) {}

  void hide(ub::PoisonOp op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    Value &call = calls[{function, op.getLoc().getAsOpaquePointer(),
                         op.getType().getAsOpaquePointer()}];
    if (!call)
      call = createCall(function, op);
    op.replaceAllUsesWith(call);
    op.erase();
  }

private:
  /// At the function's start, since regions of some ops may have no calls.
  Value createCall(FunctionOpInterface function, ub::PoisonOp op) {
    OpBuilder atModule = OpBuilder::atBlockBegin(&root->getRegion(0).front());
    auto declaration = func::FuncOp::create(
        atModule, op.getLoc(), (kPoisonPrefix + Twine(sources.size())).str(),
        atModule.getFunctionType({}, op.getType()));
    declaration.setPrivate();
    auto maker = op->getAttrOfType<StringAttr>(kMadeBy);
    std::string place = describeLocation(op.getLoc());
    sources.push_back(
        ("'" + (maker ? maker.getValue() : op->getName().getStringRef()) + "'" +
         (place.empty() ? "" : " at " + place))
            .str());
    OpBuilder atStart =
        OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    return func::CallOp::create(atStart, op.getLoc(), declaration).getResult(0);
  }

  Operation *root;
  std::vector<std::string> &sources;
  std::map<std::tuple<Operation *, const void *, const void *>, Value> calls;
};

} // namespace

void carousel::sim::hidePoison(Operation *root,
                               std::vector<std::string> &sources) {
  SmallVector<ub::PoisonOp> ops;
  root->walk([&](ub::PoisonOp op) { ops.push_back(op); });
  Hider hider(root, sources);
  for (ub::PoisonOp op : ops) {
    if (op.use_empty())
      op.erase();
    else
      hider.hide(op);
  }
}
