//===- DrawTiles.cpp - CTAs draw their tiles ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-draw-tiles. The plan is Analysis/Rings/TileAssignment.h's. A
// CTA draws one ticket more than it has tiles, which ends its loop, so a launch
// draws as many as there are tiles and CTAs.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/TileAssignment.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

namespace carousel {
#define GEN_PASS_DEF_DRAWTILES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// A counter that the runtime allocates. Its name is no other argument's.
static Value addCounter(gpu::GPUFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  llvm::StringSet<> names;
  for (const KernelArgument &argument : getKernelArguments(kernel))
    names.insert(argument.name);
  std::string name = "tickets";
  for (unsigned number = 1; names.contains(name); ++number)
    name = ("tickets" + Twine(number)).str();
  Builder builder(context);
  auto type = MemRefType::get(
      {ShapedType::kDynamic}, builder.getI32Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global));
  auto one = ExprAttr::get(context, ExprKind::Constant, 1, 0, {}, {});
  NamedAttribute attributes[] = {
      builder.getNamedAttr(CarouselDialect::kArgument,
                           ArgumentAttr::get(context, name,
                                             ArgumentAccess::InOut,
                                             /*mayAlias=*/std::nullopt)),
      builder.getNamedAttr(CarouselDialect::kWorkspace,
                           WorkspaceAttr::get(context, {one}))};
  unsigned count = kernel.getNumArguments();
  if (failed(kernel.insertArgument(
          count, type, builder.getDictionaryAttr(attributes), kernel.getLoc())))
    llvm_unreachable("a kernel takes arguments of any type");
  return kernel.getArgument(count);
}

static void drawTiles(gpu::GPUFuncOp kernel, scf::ForOp loop, int64_t step) {
  Value counter = addCounter(kernel);
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value size = arith::ConstantIndexOp::create(builder, loc, step);
  Value extent =
      arith::MaxSIOp::create(builder, loc, loop.getUpperBound(), zero);
  Value tiles = arith::CeilDivUIOp::create(builder, loc, extent, size);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value total = arith::AddIOp::create(builder, loc, tiles, blocks);
  auto draw = [&](OpBuilder &at) -> Value {
    return GridTicketOp::create(at, loc, at.getIndexType(), counter,
                                ValueRange(zero), total);
  };
  Value first = draw(builder);
  auto drawn = scf::WhileOp::create(
      builder, loc, TypeRange(builder.getIndexType()), ValueRange(first),
      [&](OpBuilder &nested, Location, ValueRange ticket) {
        Value exists = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::slt, ticket[0], tiles);
        scf::ConditionOp::create(nested, loc, exists, ticket);
      },
      [&](OpBuilder &nested, Location, ValueRange ticket) {
        Value at = arith::MulIOp::create(nested, loc, ticket[0], size);
        loop.getInductionVar().replaceAllUsesWith(at);
      });
  Block &body = drawn.getAfter().front();
  loop.getBody()->getTerminator()->erase();
  body.getOperations().splice(body.end(), loop.getBody()->getOperations());
  builder.setInsertionPointToEnd(&body);
  scf::YieldOp::create(builder, loc, draw(builder));
  drawn->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.erase();
}

namespace {

struct DrawTiles : public carousel::impl::DrawTilesBase<DrawTiles> {
  void runOnOperation() override {
    FailureOr<ChipModel> target = getChipModel(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && !kernel.isExternal())
        for (const TileAssignmentPlan &plan :
             planTileAssignments(kernel, *target))
          carryOut(kernel, plan);
  }

  void carryOut(gpu::GPUFuncOp kernel, const TileAssignmentPlan &plan) {
    report(kernel, plan);
    scf::ForOp loop = plan.loop;
    loop->setAttr(CarouselDialect::kPipeline,
                  loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline)
                      .withTiles(TileAssignment::Static));
    if (!plan.usesTickets) {
      // Another chip may draw, and all chips' code has one signature.
      if (plan.obstacle.empty())
        addCounter(kernel);
      return;
    }
    drawTiles(kernel, loop, plan.step);
    ++drawn;
  }

  void report(gpu::GPUFuncOp kernel, const TileAssignmentPlan &plan) {
    std::string text;
    llvm::raw_string_ostream os(text);
    plan.print(os);
    Location loc = scf::ForOp(plan.loop).getLoc();
    remark::RemarkOpts options = remark::RemarkOpts::name("TileAssignment")
                                     .category(getArgument())
                                     .function(kernel.getName());
    if (plan.usesTickets)
      remark::passed(loc, options) << text;
    else
      remark::missed(loc, options) << text;
    if (!recordsDecisions(kernel))
      return;
    KernelDecisions decisions = getDecisions(kernel);
    decisions.notes.push_back({"tiles", text});
    if (plan.request == TileAssignment::Tickets && !plan.usesTickets)
      decisions.misses.push_back({plan.obstacle.miss,
                                  loc,
                                  "loop",
                                  "not drawn: " + plan.obstacle.text,
                                  {}});
    setDecisions(kernel, decisions);
  }
};

} // namespace
