//===- FormGroups.cpp - groups of ops as functions ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-form-groups. Analysis/Graph/GroupPlan.h chooses the groups; this
// moves the ops of each one to a function of its own.
//
//===----------------------------------------------------------------------===//

#include "CloneCheapOps.h"
#include "ReadGraph.h"

#include "carousel/Analysis/Graph/GroupPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace carousel {
#define GEN_PASS_DEF_FORMGROUPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Moves ops of a function to another function, and calls that.
class Outliner {
public:
  Outliner(func::FuncOp func, SymbolTable &symbols)
      : func(func), symbols(symbols), builder(func.getContext()) {}

  func::FuncOp outline(ArrayRef<Operation *> ops, unsigned number) {
    inputs.clear();
    llvm::SetVector<Operation *> moved(ops.begin(), ops.end());
    // What ops begin with is part of the function, too.
    for (size_t i = 0; i < moved.size(); ++i)
      moved[i]->walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (Operation *source = operand.getDefiningOp();
              source && isPart(source))
            moved.insert(source);
      });
    SmallVector<Operation *> ordered(moved.begin(), moved.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : ordered)
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (!isInside(operand, moved))
            inputs.insert(operand);
      });
    SmallVector<Value> outputs;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !moved.contains(
                  func.getBody().findAncestorOpInRegion(*user));
            }))
          outputs.push_back(result);
    return write(ordered, ops, outputs, number);
  }

private:
  bool isInside(Value value, const llvm::SetVector<Operation *> &moved) {
    Operation *parent = value.getDefiningOp();
    if (!parent) {
      parent = cast<BlockArgument>(value).getOwner()->getParentOp();
      if (parent == func)
        return false;
    }
    return moved.contains(func.getBody().findAncestorOpInRegion(*parent));
  }

  /// Numbers, and tensors to write to.
  bool isPart(Operation *op) {
    bool isNumber = op->hasTrait<OpTrait::ConstantLike>() &&
                    !isa<TensorType>(op->getResult(0).getType());
    return op->getBlock() == &func.getBody().front() &&
           (isNumber || isa<tensor::EmptyOp>(op) ||
            (isa<linalg::FillOp>(op) && findFill(op->getResult(0))));
  }

  func::FuncOp write(ArrayRef<Operation *> ordered, ArrayRef<Operation *> ops,
                     ArrayRef<Value> outputs, unsigned number) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(func);
    auto type = builder.getFunctionType(
        TypeRange(ValueRange(inputs.getArrayRef())), TypeRange(outputs));
    auto group = func::FuncOp::create(
        builder, ops.front()->getLoc(),
        (func.getName() + "_" + Twine(number)).str(), type);
    group.setPrivate();
    group->setAttr(CarouselDialect::kGroup, builder.getUnitAttr());
    symbols.insert(group);
    Block *body = group.addEntryBlock();
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body->getArguments());
    builder.setInsertionPointToStart(body);
    for (Operation *op : ordered)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Value output : outputs)
      results.push_back(mapping.lookup(output));
    func::ReturnOp::create(builder, group.getLoc(), results);

    builder.setInsertionPoint(func.getBody().front().getTerminator());
    auto call = func::CallOp::create(builder, group.getLoc(), group,
                                     inputs.getArrayRef());
    for (Value output : outputs)
      output.replaceAllUsesWith(
          call.getResult(llvm::find(outputs, output) - outputs.begin()));
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    return group;
  }

  func::FuncOp func;
  SymbolTable &symbols;
  OpBuilder builder;
  llvm::SetVector<Value> inputs;
};

struct FormGroups : public carousel::impl::FormGroupsBase<FormGroups> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> funcs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal() && isOnTensors(func))
        funcs.push_back(func);
    for (func::FuncOp func : funcs)
      if (failed(formGroups(func, symbols)))
        return signalPassFailure();
  }

  static bool isOnTensors(func::FuncOp func) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(func.getArgumentTypes(), isTensor) ||
           llvm::any_of(func.getResultTypes(), isTensor);
  }

  /// A body of one block, without ops that kernels and programs lack.
  static LogicalResult check(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return func.emitError("expected a graph to have one block, got ")
             << llvm::range_size(func.getBody());
    for (Operation &op : func.getBody().front()) {
      if (isa<linalg::LinalgOp, func::ReturnOp, cf::AssertOp, LibraryMatmulOp>(
              &op) ||
          isa_and_present<tensor::TensorDialect, arith::ArithDialect,
                          affine::AffineDialect>(op.getDialect()))
        continue;
      return op.emitError("expected ops of linalg, tensor and arith in a graph "
                          "(inline calls first), got '")
             << op.getName() << "'";
    }
    return success();
  }

  LogicalResult formGroups(func::FuncOp func, SymbolTable &symbols) {
    if (failed(check(func)))
      return failure();
    // Extents are those of arguments.
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    if (failed(applyPatternsGreedily(func, std::move(patterns))))
      return failure();
    clones += cloneCheapOps(func);
    Graph graph = readGraph(func);
    GroupPlan plan = planGroups(graph.problem);
    emitRemarks(func, graph, plan);

    // All ops of main keep their places until their group is written.
    Outliner outliner(func, symbols);
    unsigned number = 0;
    for (const PlannedGroup &planned : plan.groups) {
      SmallVector<Operation *> ops;
      for (unsigned op : planned.group.ops)
        ops.push_back(graph.ops[op]);
      if (graph.problem.ops[planned.group.ops.front()].kind ==
          GraphOpKind::Host)
        continue;
      func::FuncOp group = outliner.outline(ops, number++);
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(group);
      eliminateCommonSubExpressions(rewriter, dominance, group);
      ++groups;
    }
    sortTopologically(&func.getBody().front());
    // What groups begin with has moved with them.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
    return success();
  }

  void emitRemarks(func::FuncOp func, const Graph &graph,
                   const GroupPlan &plan) {
    if (!getContext().getRemarkEngine())
      return;
    auto options = [&](StringRef name) {
      return remark::RemarkOpts::name(name)
          .category("carousel-form-groups")
          .function(func.getName());
    };
    auto isHost = [&](unsigned op) {
      return graph.problem.ops[op].kind == GraphOpKind::Host;
    };
    for (const PlannedGroup &planned : plan.groups) {
      if (isHost(planned.group.ops.front()))
        continue;
      std::string names;
      llvm::raw_string_ostream os(names);
      llvm::interleaveComma(planned.group.ops, os, [&](unsigned op) {
        os << graph.problem.ops[op].name;
      });
      remark::passed(graph.ops[planned.group.ops.front()]->getLoc(),
                     options("Group"))
          << remark::add("{0} of {1}", stringify(planned.shape.family), names);
    }
    for (const GroupBoundary &boundary : plan.boundaries) {
      if (isHost(boundary.from) || isHost(boundary.to))
        continue;
      remark::missed(graph.ops[boundary.to]->getLoc(), options("Boundary"))
          << remark::add("{0} bytes from {1} to {2} pass through memory: {3}",
                         graph.problem.tensors[boundary.tensor].getBytes(),
                         graph.problem.ops[boundary.from].name,
                         graph.problem.ops[boundary.to].name, boundary.reason);
    }
  }
};

} // namespace
