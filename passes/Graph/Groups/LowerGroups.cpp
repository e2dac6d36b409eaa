//===- LowerGroups.cpp - kernels and launches for groups ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-groups. GroupKernel.h writes the kernels as the groups'
// schedules say; this adds their variants and their launches, and notes how
// long these are predicted to take.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Kernels/GroupProduct.h"
#include "../OnlineReductions/OnlineMasks.h"
#include "../Reading/ExtentFactors.h"
#include "Donations.h"
#include "GroupParts.h"

#include "carousel/Analysis/Distribution/ProductTiles.h"
#include "carousel/Analysis/Graph/GroupTimes.h"
#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "carousel/Analysis/Graph/OrderOfSums.h"
#include "carousel/Analysis/Programs/LoadPlan.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>

namespace carousel {
#define GEN_PASS_DEF_LOWERGROUPS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Whether dimensions of a tensor are one of the kernel's memref.
static bool isCollapsed(const KernelOperand &operand) {
  return llvm::any_of(operand.dims, [](const ReassociationIndices &dims) {
    return dims.size() != 1;
  });
}

static bool isSlice(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp, bufferization::MaterializeInDestinationOp>(
            op))
      return true;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return false;
    tensor = op->getOperand(0);
  }
  return false;
}

/// Elements at indices that are computed are found by their indices in memory.
static bool isGathered(const GroupProgram &program, Value tensor) {
  unsigned number = program.graph.tensorIndices.lookup(tensor);
  for (const GraphOp &op : program.graph.problem.ops)
    for (const GraphAccess &read : op.reads)
      if (read.tensor == number && !read.isRegular())
        return true;
  return false;
}

/// Whether what is one dimension of the kernel's memref is one of the slices.
static bool hasGaps(const GroupProgram &program, Value tensor) {
  auto number = program.graph.tensorIndices.find(tensor);
  return number != program.graph.tensorIndices.end() &&
         !program.graph.problem.tensors[number->second].gaps.empty();
}

/// Whether a result is put between elements of others, alone: the kernel can
/// write it there.
static bool isPutBetween(Value result) {
  if (!result.hasOneUse())
    return false;
  auto insert = dyn_cast<tensor::InsertSliceOp>(*result.getUsers().begin());
  if (!insert || insert.getSource() != result ||
      insert.getSourceType().getRank() != insert.getType().getRank())
    return false;
  bool isBehindOthers = false;
  for (auto [dim, size, step] :
       llvm::enumerate(insert.getMixedSizes(), insert.getMixedStrides())) {
    bool isOne = isOneInteger(size);
    if ((!isOne && !isOneInteger(step)) ||
        (isBehindOthers &&
         !(factorizeExtent(size) == factorizeExtent(insert.getDest(), dim))))
      return true;
    isBehindOthers |= !isOne;
  }
  return false;
}

/// Marks the operands that are slices of tensors, or are put in one: their
/// memrefs have strides.
static void findSlices(GroupProgram &program,
                       MutableArrayRef<KernelOperand> operands) {
  unsigned results = 0;
  for (KernelOperand &operand : operands) {
    if (operand.isResult) {
      Value result = program.op.getResult(results++);
      operand.isSlice = findResultMemory(result) ||
                        (!isCollapsed(operand) && isPutBetween(result));
    }
    auto argument = dyn_cast<BlockArgument>(operand.value);
    if (operand.isResult || !argument || isGathered(program, argument) ||
        (isCollapsed(operand) && !hasGaps(program, argument)))
      continue;
    operand.isSlice = isSlice(program.op.getOperand(argument.getArgNumber()));
  }
}

/// A number that the group computes, or is passed, outside of it.
static Value getNumber(OpBuilder &builder, GroupOp group, Value number) {
  IRMapping mapping;
  auto isComputed = [](Value value) { return !isa<BlockArgument>(value); };
  walkOperands(number, isComputed, [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      mapping.map(value, group.getOperand(argument.getArgNumber()));
    else if (!mapping.contains(value))
      builder.clone(*value.getDefiningOp(), mapping);
    return WalkResult::advance();
  });
  return mapping.lookup(number);
}

/// The extents of a result of the group, in terms of its operands.
static SmallVector<OpFoldResult> getResultSizes(OpBuilder &builder,
                                                GroupOp group, Value result) {
  // The tensor that the result is written to.
  while (auto op = result.getDefiningOp<linalg::LinalgOp>())
    result = op.getTiedOpOperand(cast<OpResult>(result))->get();
  Location loc = group.getLoc();
  if (auto argument = dyn_cast<BlockArgument>(result))
    return tensor::getMixedSizes(builder, loc,
                                 group.getOperand(argument.getArgNumber()));
  auto empty = result.getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  for (OpFoldResult &size : sizes)
    if (auto value = dyn_cast<Value>(size))
      size = getNumber(builder, group, value);
  return sizes;
}

/// The extents of the kernel's memref.
static SmallVector<OpFoldResult> collapseSizes(OpBuilder &builder, Location loc,
                                               ArrayRef<OpFoldResult> sizes,
                                               const KernelOperand &operand) {
  SmallVector<OpFoldResult> collapsed;
  for (const ReassociationIndices &dims : operand.dims) {
    AffineExpr product = builder.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    for (int64_t dim : dims) {
      product = product * builder.getAffineSymbolExpr(factors.size());
      factors.push_back(sizes[dim]);
    }
    collapsed.push_back(
        affine::makeComposedFoldedAffineApply(builder, loc, product, factors));
  }
  return collapsed;
}

/// The elements of each remainder of an index by a window's stride.
static Value expandStrides(OpBuilder &builder, Location loc, Value tensor,
                           const KernelOperand &operand) {
  ViewShapes shapes = getViewShapes(operand);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, extents] : llvm::enumerate(shapes.expansions))
    for (int64_t extent : extents) {
      int64_t size = shapes.expanded[extent];
      sizes.push_back(ShapedType::isDynamic(size)
                          ? tensor::getMixedSize(builder, loc, tensor, dim)
                          : OpFoldResult(builder.getIndexAttr(size)));
    }
  auto type = cast<RankedTensorType>(tensor.getType());
  Value expanded =
      tensor::ExpandShapeOp::create(builder, loc, type.clone(shapes.expanded),
                                    tensor, shapes.expansions, sizes);
  if (shapes.collapses.size() == shapes.expanded.size())
    return expanded;
  return tensor::CollapseShapeOp::create(builder, loc, expanded,
                                         shapes.collapses);
}

/// The elements of a collapsed slice of a tensor as a slice of the collapsed
/// tensor, or nothing. Types of buffers don't say that rows of unknown strides
/// follow each other, so that the slice would be copied to be collapsed.
static Value sliceCollapsed(OpBuilder &builder, Location loc,
                            tensor::ExtractSliceOp slice,
                            ArrayRef<ReassociationIndices> dims) {
  if (slice.getSourceType().hasStaticShape() ||
      slice.getSourceType().getRank() != slice.getType().getRank())
    return {};
  SmallVector<OpFoldResult> offsets, sizes,
      steps(dims.size(), builder.getIndexAttr(1));
  for (const ReassociationIndices &group : dims) {
    int64_t outer = group.front();
    for (int64_t dim : ArrayRef(group).drop_front())
      if (!isWholeDim(slice, slice.getSource(), dim))
        return {};
    if (group.size() != 1 && !isOneInteger(slice.getMixedStrides()[outer]))
      return {};
    if (group.size() == 1)
      steps[offsets.size()] = slice.getMixedStrides()[outer];
    auto multiply = [&](OpFoldResult first) {
      SmallVector<OpFoldResult> factors = {first};
      AffineExpr product = builder.getAffineSymbolExpr(0);
      for (int64_t dim : ArrayRef(group).drop_front()) {
        product = product * builder.getAffineSymbolExpr(factors.size());
        factors.push_back(slice.getMixedSizes()[dim]);
      }
      return affine::makeComposedFoldedAffineApply(builder, loc, product,
                                                   factors);
    };
    offsets.push_back(multiply(slice.getMixedOffsets()[outer]));
    sizes.push_back(multiply(slice.getMixedSizes()[outer]));
  }
  Value whole =
      tensor::CollapseShapeOp::create(builder, loc, slice.getSource(), dims);
  return tensor::ExtractSliceOp::create(builder, loc, whole, offsets, sizes,
                                        steps);
}

/// Loops of a kernel end at the extent of one tensor, and the others have to
/// have as many elements.
static void checkExtents(OpBuilder &builder, const GroupProgram &program) {
  GroupOp group = program.op;
  ExtentChecks checks(builder, group.getLoc(),
                      "in @" + group.getKernel().str());
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  for (auto [op, node] : llvm::enumerate(program.graph.problem.ops))
    for (const GraphAccess &read : node.reads) {
      auto argument =
          dyn_cast<BlockArgument>(program.graph.tensors[read.tensor]);
      if (!argument)
        continue;
      Value passed = group.getOperand(argument.getArgNumber());
      for (auto [dim, loop] : llvm::enumerate(read.loops))
        if (loop && seen.insert({passed, dim}).second)
          checks.add(program.shape.loops[op][*loop], passed, dim);
    }
}

/// Where the ops came from that are one kernel now: a package says so of each
/// launch.
static Location getSources(OpBuilder &builder, const GroupProgram &program) {
  SmallVector<Location> sources;
  for (Operation *op : program.graph.ops)
    sources.push_back(op->getLoc());
  return builder.getFusedLoc(sources);
}

/// Takes the uses of the group's results, which are reshaped, as operands are,
/// to what the kernel has.
static LaunchKernelOp launchGroup(GroupProgram &program,
                                  ArrayRef<KernelOperand> operands,
                                  gpu::GPUFuncOp kernel) {
  GroupOp group = program.op;
  OpBuilder builder(group);
  Location loc = group.getLoc();
  auto collapse = [&](Value tensor, const KernelOperand &operand) -> Value {
    if (!operand.strides.empty())
      return expandStrides(builder, loc, tensor, operand);
    if (!isCollapsed(operand))
      return tensor;
    if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
      if (Value found = sliceCollapsed(builder, loc, slice, operand.dims))
        return found;
    return tensor::CollapseShapeOp::create(builder, loc, tensor, operand.dims);
  };
  checkExtents(builder, program);
  SmallVector<Value> inputs, outputs;
  SmallVector<SmallVector<OpFoldResult>> sizes;
  for (const KernelOperand &operand : operands) {
    if (!operand.isResult) {
      Value passed = getNumber(builder, group, operand.value);
      inputs.push_back(collapse(passed, operand));
      continue;
    }
    sizes.push_back(getResultSizes(builder, group, operand.value));
    Value memory = findResultMemory(group.getResult(outputs.size()));
    outputs.push_back(
        memory ? collapse(memory, operand)
               : tensor::EmptyOp::create(
                     builder, loc,
                     collapseSizes(builder, loc, sizes.back(), operand),
                     getElementTypeOrSelf(operand.value)));
    // A copy that does nothing where callers pass the same memory for both.
    if (operand.updated) {
      Value before =
          collapse(group.getOperand(operand.updated.getArgNumber()), operand);
      outputs.back() =
          linalg::CopyOp::create(builder, loc, before, outputs.back())
              .getResult(0);
    }
  }
  auto symbol = SymbolRefAttr::get(
      kernel->getParentOfType<gpu::GPUModuleOp>().getSymNameAttr(),
      {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  auto launch = LaunchKernelOp::create(builder, getSources(builder, program),
                                       TypeRange(ValueRange(outputs)), symbol,
                                       inputs, outputs);
  launch->setAttr(kFamilyAttr, builder.getStringAttr(
                                   stringifyEnum(program.schedule.family)));
  unsigned next = 0;
  for (const KernelOperand &operand : operands) {
    if (!operand.isResult)
      continue;
    Value result = launch->getResult(next);
    if (isCollapsed(operand))
      result =
          tensor::ExpandShapeOp::create(builder, loc, operand.value.getType(),
                                        result, operand.dims, sizes[next]);
    // Extents of the caller may be constants.
    Value returned = group.getResult(next++);
    if (result.getType() != returned.getType())
      result = tensor::CastOp::create(builder, loc, returned.getType(), result);
    returned.replaceAllUsesWith(result);
  }
  return launch;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static int64_t getAssumedExtent(ShapedType type, unsigned dim) {
  return type.isDynamicDim(dim) ? kAssumedExtent : type.getDimSize(dim);
}

static int64_t countBytes(ShapedType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    bytes *= getAssumedExtent(type, dim);
  return bytes;
}

static GroupTime estimateCall(LibraryMatmulOp op, const ChipModel &chip) {
  GroupTime time;
  time.operations = 2;
  SmallVector<int64_t> extents(op.getIndexingMap(0).getNumDims(), 1);
  int64_t rows = 16;
  for (unsigned operand = 0; operand < 3; ++operand) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    for (auto [dim, expr] :
         llvm::enumerate(op.getIndexingMap(operand).getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] =
          getAssumedExtent(type, dim);
    rows = std::gcd(rows, getAssumedExtent(type, type.getRank() - 1) *
                              type.getElementTypeBitWidth() / 8);
  }
  for (unsigned operand = 0; operand < op.countTensors(); ++operand)
    time.bytes +=
        countBytes(cast<ShapedType>(op->getOperand(operand).getType()));
  for (int64_t extent : extents)
    time.operations *= double(extent);
  bool isWide = getElementTypeOrSelf(op.getLhs()).isF32();
  FactorKind kind = !isWide        ? FactorKind::Half
                    : op.getTf32() ? FactorKind::TF32
                                   : FactorKind::F32;
  double memory = double(time.bytes) / chip.bytesPerNs / 1e3;
  double launch = double(chip.nextLaunch) / 1e3;
  auto estimate = [&](double rate) {
    return std::max(memory, time.operations / rate * 1e-6) + launch;
  };
  time.bound = estimate(getLibraryRate(chip, kind));
  time.predicted = estimate(getLibraryRate(chip, kind, rows));
  time.limit = kind == FactorKind::F32
                   ? "multiply-adds of threads"
                   : "rows that are multiples of " + std::to_string(rows) +
                         " bytes, not of 16";
  return time;
}

static std::string formatNumber(double number) {
  return llvm::formatv(number < 99.95 ? "{0:f1}" : "{0:f0}", number).str();
}

/// Indices that a program computes, if all extents that it doesn't know are
/// assumed.
static llvm::DenseMap<Value, double> assumeScalars(func::FuncOp program) {
  llvm::DenseMap<Value, double> numbers;
  program.walk([&](Operation *op) {
    auto get = [&](unsigned operand) {
      auto known = numbers.find(op->getOperand(operand));
      return known == numbers.end() ? double(kAssumedExtent) : known->second;
    };
    auto number =
        llvm::TypeSwitch<Operation *, std::optional<double>>(op)
            .Case([](arith::ConstantIndexOp own) { return own.value(); })
            .Case([&](arith::AddIOp) { return get(0) + get(1); })
            .Case([&](arith::SubIOp) { return get(0) - get(1); })
            .Case([&](arith::MulIOp) { return get(0) * get(1); })
            .Case([&](arith::DivUIOp) { return get(0) / std::max(get(1), 1.); })
            .Case([&](arith::CeilDivUIOp) {
              return std::ceil(get(0) / std::max(get(1), 1.));
            })
            .Default(std::nullopt);
    if (number)
      numbers[op->getResult(0)] = *number;
  });
  return numbers;
}

/// A kernel's time was estimated for kAssumedExtent of each unknown extent. The
/// program may compute another number of its result's from its arguments'.
static GroupTime scaleTime(GroupTime time, LaunchKernelOp launch,
                           const llvm::DenseMap<Value, double> &numbers,
                           const ChipModel &chip) {
  auto result = launch.getOutputs().empty()
                    ? tensor::EmptyOp()
                    : launch.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  double scale = 1, start = double(chip.nextLaunch) / 1e3;
  for (Value size : result ? result.getDynamicSizes() : ValueRange())
    if (auto known = numbers.find(size); known != numbers.end())
      scale *= std::max(known->second, 1.0) / double(kAssumedExtent);
  time.bytes = int64_t(double(time.bytes) * scale);
  time.operations *= scale;
  for (double *own : {&time.bound, &time.predicted})
    *own = start + (*own - start) * scale;
  return time;
}

/// Notes each kernel and each call of a library that a program launches, with
/// its bytes, its operations, the least time by the chip's roofline and the
/// predicted time (GroupTimes.h), and the sums. Steps that are predicted to
/// take more than three times the least one, and more than 2 % of the program,
/// are warnings with the cause. `times` are those of launches in the program.
static void logProgramTimes(func::FuncOp program,
                            const llvm::DenseMap<Operation *, GroupTime> &times,
                            DecisionLog &log) {
  if (!log.isWanted())
    return;
  ChipModel chip = findChipModel(program).value_or(ChipModel::getDefault());
  SmallVector<std::pair<Operation *, GroupTime>> steps;
  GroupTime sum, loads; // of launches, and of what is done once for all
  int64_t numLoads = 0;
  llvm::DenseMap<Value, double> numbers = assumeScalars(program);
  program.walk([&](Operation *op) {
    auto call = dyn_cast<LibraryMatmulOp>(op);
    auto found = times.find(op);
    if (!call && found == times.end())
      return;
    GroupTime time = call ? estimateCall(call, chip) : found->second;
    if (auto launch = dyn_cast<LaunchKernelOp>(op))
      time = scaleTime(std::move(time), launch, numbers, chip);
    bool isAtLoad = op->hasAttr(kAtLoadAttr);
    GroupTime &part = isAtLoad ? loads : sum;
    numLoads += isAtLoad;
    part.bytes += time.bytes;
    part.operations += time.operations;
    part.bound += time.bound;
    part.predicted += time.predicted;
    steps.emplace_back(op, std::move(time));
  });
  if (steps.empty())
    return;
  auto note = [&](Operation *op, StringRef name, const GroupTime &time) {
    std::string ratio = formatNumber(time.predicted / time.bound);
    DecisionNotes facts = {
        {"Step", name.str()},
        {"Megabytes", formatNumber(double(time.bytes) * 1e-6)},
        {"Gigaoperations", formatNumber(time.operations * 1e-9)},
        {"Bound", formatNumber(time.bound)},
        {"Predicted", formatNumber(time.predicted)},
        {"Ratio", ratio}};
    log.analysed(op, "Time",
                 llvm::formatv("{0}: {1} MB, {2} GFLOP, at least {3} us, "
                               "predicted {4} us, {5} times as long",
                               name, facts[1].value, facts[2].value,
                               facts[3].value, facts[4].value, ratio),
                 facts);
  };
  // The least that is worth a word, in parts of the program and of the bound.
  constexpr double kLeastPart = 0.02, kMostRatio = 3;
  for (const auto &[op, time] : steps) {
    auto launch = dyn_cast<LaunchKernelOp>(op);
    StringRef name = launch ? launch.getKernel().getLeafReference().getValue()
                            : StringRef("cuBLASLt");
    if (op->hasAttr(kAtLoadAttr)) {
      note(op, (name + " at load").str(), time);
      continue;
    }
    note(op, name, time);
    if (time.predicted > kMostRatio * time.bound &&
        time.predicted > kLeastPart * sum.predicted)
      log.warned(
          op, "Slow",
          llvm::formatv("{0} is predicted to take {1} us, {2} times what "
                        "its bytes and products need, and {3} % of the "
                        "program: it is limited by {4}",
                        name, formatNumber(time.predicted),
                        formatNumber(time.predicted / time.bound),
                        formatNumber(100 * time.predicted / sum.predicted),
                        time.limit));
  }
  if (numLoads != 0)
    note(program, std::to_string(numLoads) + " steps at load", loads);
  if (int64_t numLaunched = steps.size() - numLoads)
    note(program, std::to_string(numLaunched) + " steps", sum);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// A group that has a kernel, which other groups may have in common with it.
struct LoweredGroup {
  GroupProgram program;
  SmallVector<KernelOperand> operands;
  gpu::GPUFuncOp kernel;
};

struct LowerGroups : public carousel::impl::LowerGroupsBase<LowerGroups> {
  using LowerGroupsBase::LowerGroupsBase;

  void runOnOperation() override {
    DecisionLog decisions(getOperation(), "carousel-lower-groups");
    log = &decisions;
    // A run that failed may have left some.
    lowered.clear();
    names.clear();
    times.clear();
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) { groups.push_back(group); });
    if (groups.empty())
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto module =
        gpu::GPUModuleOp::create(builder, getOperation().getLoc(), "kernels");
    SymbolTable(getOperation()).insert(module);
    builder.setInsertionPointToEnd(module.getBody());
    for (GroupOp group : groups)
      if (failed(lower(group, builder)))
        return signalPassFailure();
    for (GroupOp group : llvm::reverse(groups))
      group.erase();
    // Launches write to what results were put in.
    getOperation().walk([](bufferization::MaterializeInDestinationOp put) {
      put.replaceAllUsesWith(ValueRange(put.getSource()));
      put.erase();
    });
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.getBody().hasOneBlock()) {
        for (Operation *step : findLoadSteps(func))
          step->setAttr(kAtLoadAttr, builder.getUnitAttr());
        logProgramTimes(func, times, decisions);
      }
  }

  LogicalResult lower(GroupOp group, OpBuilder &builder) {
    FailureOr<GroupProgram> program =
        readGroup(group, products == ProductFactors::TF32);
    if (failed(program))
      return failure();
    FailureOr<std::vector<GroupSchedule>> variants = readSchedules(*program);
    if (failed(variants))
      return failure();
    program->isDivided = llvm::any_of(*variants, [](const auto &variant) {
      return variant.division && !variant.fewRows;
    });
    program->schedule = variants->back();
    SmallVector<KernelOperand> operands = findOperands(*program);
    findSlices(*program, operands);
    findDonations(*program, operands);
    const LoweredGroup *other = findOther(*program, operands);
    gpu::GPUFuncOp kernel = other ? other->kernel : gpu::GPUFuncOp();
    if (other) {
      StringRef name = GroupOp(other->program.op).getKernel();
      log->passed(group, "Shared",
                  "launches the kernel of " + name +
                      ", which computes the same",
                  {{"Kernel", name.str()}});
    } else {
      if (!names.insert(group.getKernel()).second)
        return group.emitOpError("expected a kernel's name once, as the group "
                                 "computes something else, got '")
               << group.getKernel() << "' again";
      FailureOr<gpu::GPUFuncOp> written =
          emit(*program, *variants, operands, builder);
      if (failed(written))
        return failure();
      kernel = *written;
      ++kernels;
    }
    GroupTime time =
        estimateGroupTime(program->graph.problem, program->group,
                          program->shape, program->schedule,
                          program->schedule.family == ScheduleFamily::Stream
                              ? findNeededPart(*program)
                              : 1);
    times[launchGroup(*program, operands, kernel)] = time;
    if (!other)
      lowered[group->getResultTypes().size()].push_back(
          std::make_shared<LoweredGroup>(
              LoweredGroup{std::move(*program), std::move(operands), kernel}));
    return success();
  }

  /// Layers of a model compute the same of other tensors: one kernel is
  /// compiled for all of them. Groups that are passed slices, or memory that
  /// may be written, have a kernel for these.
  const LoweredGroup *findOther(const GroupProgram &program,
                                ArrayRef<KernelOperand> operands) {
    auto takesSame = [](const KernelOperand &own, const KernelOperand &known) {
      return own.isSlice == known.isSlice && own.mayAlias == known.mayAlias;
    };
    for (const auto &other : lowered[program.op->getResultTypes().size()])
      if (GroupOp(program.op).getSchedules() ==
              GroupOp(other->program.op).getSchedules() &&
          areEqual(program, other->program) &&
          llvm::equal(operands, other->operands, takesSame))
        return other.get();
    return nullptr;
  }

  /// The time of a divided product, with which that of a whole one is
  /// compared where its programs have other tiles. Null if it isn't a product
  /// of two matrices in 16 bits, alone.
  ExprAttr getDividedCost(const GroupProgram &program,
                          ArrayRef<KernelOperand> operands) {
    const GroupSchedule &schedule = program.schedule;
    ProductWork work;
    SmallVector<int64_t, 2> tiles;
    for (const ScheduledDim &dim : schedule.dims)
      if (dim.walk == DimWalk::Grid && dim.tile != 1)
        tiles.push_back(dim.tile);
    unsigned loop = schedule.division->position;
    if (schedule.family != ScheduleFamily::Contraction || tiles.size() != 2 ||
        schedule.hasOneLoop || findFactorBits(program) != work.factorBits ||
        findProducts(program).size() != 1)
      return {};
    work.rows = tiles[0];
    work.columns = tiles[1];
    work.depth = schedule.dims[loop].tile;
    ExprAttr parts = getParts(program, operands);
    auto combine = [&](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
      return ExprAttr::get(&getContext(), kind, /*value=*/0, /*argument=*/0,
                           lhs, rhs);
    };
    auto depth = ExprAttr::get(&getContext(), ExprKind::Constant, work.depth,
                               /*argument=*/0, {}, {});
    ExprAttr iterations =
        combine(ExprKind::CeilDiv, getExtent(program, operands, loop),
                combine(ExprKind::Mul, parts, depth));
    ExprAttr cost = makeDividedCost(
        work, combine(ExprKind::Mul, getPrograms(program, operands), parts),
        iterations, program.graph.problem.chip);
    return isSmallEnough(cost) ? cost : ExprAttr();
  }

  /// The condition on launches under which they take a variant, and what a
  /// divided one costs.
  VariantAttr getVariant(const GroupProgram &program,
                         ArrayRef<KernelOperand> operands) {
    const GroupSchedule &schedule = program.schedule;
    StringRef name = GroupOp(program.op).getKernel();
    auto guard = [&](ExprAttr number, int64_t least, int64_t most) {
      return GuardAttr::get(&getContext(), GuardKind::Range, /*argument=*/0,
                            number, /*other=*/{}, least, most);
    };
    if (schedule.fewRows)
      return VariantAttr::get(
          &getContext(), name,
          guard(getExtent(program, operands, *schedule.fewRows), /*least=*/0,
                sums::kFewRows));
    if (!schedule.division)
      return VariantAttr::get(&getContext(), name, {});
    return VariantAttr::get(&getContext(), name,
                            guard(getParts(program, operands), /*least=*/2,
                                  std::numeric_limits<int64_t>::max()),
                            getDividedCost(program, operands));
  }

  /// The kernel, in a variant for each schedule. All have the same arguments.
  /// Leaves the schedule of the last one.
  FailureOr<gpu::GPUFuncOp> emit(GroupProgram &program,
                                 ArrayRef<GroupSchedule> variants,
                                 ArrayRef<KernelOperand> operands,
                                 OpBuilder &builder) {
    SmallVector<GroupWorkspace> workspaces;
    for (const GroupSchedule &variant : variants)
      if (variant.division && !variant.division->isCluster) {
        program.schedule = variant;
        workspaces = findWorkspaces(program, operands);
      }
    StringRef name = program.op.getKernel();
    gpu::GPUFuncOp last;
    for (const GroupSchedule &variant : variants) {
      bool isLast = &variant == &variants.back();
      program.schedule = variant;
      StringRef suffix = isLast ? "" : variant.fewRows ? "_few" : "_parts";
      FailureOr<gpu::GPUFuncOp> kernel = emitGroupKernel(
          program, operands, workspaces, builder, (name + suffix).str());
      if (failed(kernel))
        return failure();
      if (variants.size() > 1)
        (*kernel)->setAttr(CarouselDialect::kVariant,
                           getVariant(program, operands));
      last = *kernel;
    }
    return last;
  }

  DecisionLog *log = nullptr;                   ///< of a run
  llvm::StringSet<> names;                      ///< of kernels
  llvm::DenseMap<Operation *, GroupTime> times; ///< of launches
  /// By the number of results.
  llvm::DenseMap<unsigned, std::vector<std::shared_ptr<LoweredGroup>>> lowered;
};

} // namespace
