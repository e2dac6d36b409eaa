//===- GroupSignature.cpp - the signature of a group's kernel -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupSignature.h.
//
//===----------------------------------------------------------------------===//

#include "GroupSignature.h"

#include "GroupParts.h"

#include "../Kernels/GroupMemory.h"
#include "../OnlineReductions/OnlineMasks.h"
#include "../Reading/RowUpdates.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// Neighbours of a tensor's dimensions that the schedule takes as one.
static SmallVector<ReassociationIndices> findDims(const GroupProgram &program,
                                                  unsigned tensor) {
  SmallVector<ReassociationIndices> dims;
  for (auto [number, op] : llvm::enumerate(program.graph.problem.ops))
    for (ArrayRef<GraphAccess> accesses :
         {ArrayRef(op.reads), ArrayRef(op.writes)})
      for (const GraphAccess &access : accesses) {
        if (access.tensor != tensor)
          continue;
        SmallVector<unsigned> positions = getPositions(program, number);
        std::optional<unsigned> before;
        for (auto [dim, loop] : llvm::enumerate(access.loops)) {
          bool isJoined =
              loop && before &&
              program.schedule.findJoined({*before, positions[*loop]});
          if (loop && (before == positions[*loop] || isJoined))
            dims.back().push_back(dim);
          else
            dims.push_back({int64_t(dim)});
          before = loop ? std::optional(positions[*loop]) : std::nullopt;
        }
        return dims;
      }
  return dims;
}

static bool hasGroups(const GroupProgram &program, unsigned tensor) {
  for (const GraphOp &op : program.graph.problem.ops)
    for (const GraphAccess &read : op.reads)
      if (read.tensor == tensor && read.hasGroups)
        return true;
  return false;
}

/// The strides of the windows that read a tensor; none if all are 1, and no
/// groups of channels are one dimension with these.
static SmallVector<int64_t> findStrides(const GroupProgram &program,
                                        unsigned tensor) {
  SmallVector<int64_t> strides;
  for (const GraphOp &op : program.graph.problem.ops)
    for (const GraphAccess &read : op.reads) {
      if (read.tensor == tensor && read.hasGroups)
        strides.resize(read.loops.size(), 1);
      for (const GraphWindow &window : read.windows)
        if (read.tensor == tensor && window.stride != 1) {
          strides.resize(read.loops.size(), 1);
          strides[window.dim] = window.stride;
        }
    }
  return strides;
}

/// The number that is an extent of the schedule's dimension, of the sizes of
/// tensors that ops write, or have for their extents only; null if there is
/// none.
static Value findSize(const GroupProgram &program, unsigned position) {
  for (auto [number, node] : llvm::enumerate(program.graph.ops)) {
    auto op = dyn_cast<linalg::LinalgOp>(node);
    if (!op)
      continue;
    SmallVector<unsigned> positions = getPositions(program, number);
    // Results that nobody reads may be there for their extents only.
    for (OpOperand &operand : op->getOpOperands()) {
      Value start = operand.get();
      if (auto fill = start.getDefiningOp<linalg::FillOp>())
        start = fill.getDpsInitOperand(0)->get();
      auto empty = start.getDefiningOp<tensor::EmptyOp>();
      if (!empty)
        continue;
      for (auto [dim, result] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(result);
            loop && positions[loop.getPosition()] == position &&
            empty.getType().isDynamicDim(dim))
          return empty.getDynamicSize(dim);
    }
  }
  return {};
}

llvm::SetVector<Value> carousel::findScalars(const GroupProgram &program) {
  llvm::SetVector<Value> numbers;
  for (Operation &op : program.getBlock()) {
    if (op.getNumRegions() == 0)
      continue; // computes a number, or is there for an extent only
    auto isEntered = [&](Value value) {
      return value.getDefiningOp() == &op ||
             (!isa<TensorType>(value.getType()) && !numbers.contains(value) &&
              !value.getDefiningOp<tensor::DimOp>());
    };
    walkOperands(op.getResult(0), isEntered, [&](Value value) {
      if (!isa<TensorType>(value.getType()))
        numbers.insert(value);
      return WalkResult::advance();
    });
  }
  return numbers;
}

/// The argument that the op of a result updates in place, or null.
static BlockArgument findUpdatedArgument(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !findRowUpdate(op))
    return {};
  return dyn_cast<BlockArgument>(
      op.getTiedOpOperand(cast<OpResult>(value))->get());
}

SmallVector<KernelOperand> carousel::findOperands(GroupProgram &program) {
  SmallVector<KernelOperand> operands;
  auto add = [&](Value value, bool isResult) {
    KernelOperand operand;
    operand.value = value;
    operand.isResult = isResult;
    if (isResult)
      operand.updated = findUpdatedArgument(value);
    if (isa<RankedTensorType>(value.getType())) {
      unsigned tensor = program.graph.tensorIndices.lookup(value);
      operand.dims = findDims(program, tensor);
      operand.strides = findStrides(program, tensor);
      operand.hasGroups = hasGroups(program, tensor);
    }
    operands.push_back(std::move(operand));
  };
  for (BlockArgument argument : program.getBlock().getArguments()) {
    // Extents that only tensor.empty or a fill needs follow from the memrefs.
    // An argument that an op updates in place has the memory of a result.
    bool isUsed = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto fill = dyn_cast<linalg::FillOp>(user);
      bool isFilled = fill && fill.getDpsInits().front() == argument;
      auto op = dyn_cast<linalg::LinalgOp>(user);
      bool isUpdated = op && findRowUpdate(op) &&
                       llvm::is_contained(op.getDpsInits(), argument);
      return !isFilled && !isUpdated &&
             !isa<tensor::EmptyOp, tensor::DimOp>(user);
    });
    if (isUsed)
      add(argument, false);
  }
  // Dimensions of memrefs may be several of a tensor's.
  for (Value number : findScalars(program))
    if (number.getDefiningOp<tensor::DimOp>())
      add(number, false);
  size_t inputs = operands.size();
  for (Value result : program.getBlock().getTerminator()->getOperands())
    add(result, true);
  // Extents that no memref has.
  for (unsigned position = 0; position != program.schedule.dims.size();
       ++position) {
    if (getExtent(program, operands, position))
      continue;
    KernelOperand size;
    size.value = findSize(program, position);
    assert(size.value && "a dimension without an extent");
    operands.insert(operands.begin() + inputs++, size);
  }
  return operands;
}

ViewShapes carousel::getViewShapes(const KernelOperand &operand) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  ViewShapes shapes;
  size_t rank = operand.strides.size();
  for (auto [dim, stride] : llvm::enumerate(operand.strides)) {
    int64_t extent = type.getDimSize(dim);
    int64_t last = shapes.expanded.size();
    // The last remainder is part of the channels' dimension, and so are groups.
    bool isLast = dim + 1 == rank;
    bool isFirstOfChannels = dim + 1 + operand.hasGroups == rank;
    if ((isFirstOfChannels && operand.strides[dim - 1] != 1) ||
        (isLast && operand.hasGroups)) {
      shapes.collapses.back().push_back(last);
      shapes.collapsed.back() *= extent;
    } else {
      shapes.collapses.push_back({last});
      shapes.collapsed.push_back(stride == 1 ? extent : extent / stride);
    }
    shapes.expansions.push_back({last});
    shapes.expanded.push_back(stride == 1 ? extent : extent / stride);
    if (stride == 1)
      continue;
    shapes.expansions.back().push_back(last + 1);
    shapes.expanded.push_back(stride);
    shapes.collapses.push_back({last + 1});
    shapes.collapsed.push_back(stride);
  }
  return shapes;
}

static MemRefType getMemRefType(const KernelOperand &operand) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  SmallVector<int64_t> shape;
  if (!operand.strides.empty())
    shape = getViewShapes(operand).collapsed;
  for (const ReassociationIndices &dims :
       operand.strides.empty() ? ArrayRef(operand.dims)
                               : ArrayRef<ReassociationIndices>()) {
    int64_t extent = 1;
    for (int64_t dim : dims)
      extent = type.isDynamicDim(dim) || ShapedType::isDynamic(extent)
                   ? ShapedType::kDynamic
                   : extent * type.getDimSize(dim);
    shape.push_back(extent);
  }
  auto space =
      gpu::AddressSpaceAttr::get(type.getContext(), gpu::AddressSpace::Global);
  MemRefLayoutAttrInterface layout;
  if (operand.isSlice) {
    SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
    if (!strides.empty())
      strides.back() = 1;
    layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic,
                                    strides);
  }
  return MemRefType::get(shape, type.getElementType(), layout, space);
}

ExprAttr carousel::getExtent(const GroupProgram &program,
                             ArrayRef<KernelOperand> operands,
                             unsigned position) {
  MLIRContext *context = program.getContext();
  const GroupSchedule &schedule = program.schedule;
  if (int64_t extent = schedule.dims[position].extent; extent != kUnknownExtent)
    return ExprAttr::get(context, ExprKind::Constant, extent, 0, {}, {});
  for (auto [op, node] : llvm::enumerate(program.graph.problem.ops))
    for (ArrayRef<GraphAccess> accesses :
         {ArrayRef(node.reads), ArrayRef(node.writes)})
      for (const GraphAccess &access : accesses)
        for (auto [number, operand] : llvm::enumerate(operands)) {
          if (operand.value != program.graph.tensors[access.tensor])
            continue;
          // Dimensions before those of windows have the same numbers.
          ArrayRef<int64_t> strides = operand.strides;
          size_t count =
              strides.empty()
                  ? operand.dims.size()
                  : strides
                        .take_while([](int64_t stride) { return stride == 1; })
                        .size();
          if (operand.hasGroups)
            count = std::min(count, strides.size() - 2);
          for (auto [dim, dims] :
               llvm::enumerate(ArrayRef(operand.dims).take_front(count)))
            if (std::optional<unsigned> loop = access.loops[dims.front()];
                loop && getPositions(program, op)[*loop] == position)
              // The extent of a dimension that is joined with few elements is
              // known.
              return ExprAttr::get(context, ExprKind::Extent, dim, number, {},
                                   {});
        }
  Value size = findSize(program, position);
  for (auto [number, operand] : llvm::enumerate(operands))
    if (operand.value == size)
      return ExprAttr::get(context, ExprKind::Scalar, 0, number, {}, {});
  return {};
}

/// Counts the programs along the dimensions of the schedule for which
/// `isCounted` holds.
static ExprAttr countPrograms(const GroupProgram &program,
                              ArrayRef<KernelOperand> operands,
                              llvm::function_ref<bool(unsigned)> isCounted) {
  MLIRContext *context = program.getContext();
  ExprAttr grid;
  for (auto [position, dim] : llvm::enumerate(program.schedule.dims)) {
    if (dim.walk != DimWalk::Grid || !isCounted(position))
      continue;
    ExprAttr programs = getExtent(program, operands, position);
    if (dim.tile != 1)
      programs = ExprAttr::get(
          context, ExprKind::CeilDiv, 0, 0, programs,
          ExprAttr::get(context, ExprKind::Constant, dim.tile, 0, {}, {}));
    grid = grid ? ExprAttr::get(context, ExprKind::Mul, 0, 0, grid, programs)
                : programs;
  }
  if (!grid)
    grid = ExprAttr::get(context, ExprKind::Constant, 1, 0, {}, {});
  return grid;
}

ExprAttr carousel::getPrograms(const GroupProgram &program,
                               ArrayRef<KernelOperand> operands) {
  return countPrograms(program, operands, [](unsigned) { return true; });
}

/// Finds the dimensions that only the first factor of the first product has.
static llvm::SmallBitVector findRowsOfProduct(const GroupProgram &program) {
  const GroupSchedule &schedule = program.schedule;
  llvm::SmallBitVector rows(schedule.dims.size());
  for (unsigned op : program.group.ops) {
    const GraphOp &product = program.graph.problem.ops[op];
    if (!product.isProduct())
      continue;
    for (auto [loop, position] : llvm::enumerate(getPositions(program, op))) {
      auto isOf = [&, number = unsigned(loop)](unsigned factor) {
        return llvm::is_contained(product.reads[factor].loops,
                                  std::optional(number));
      };
      if (isOf(0) && !isOf(1))
        rows.set(position);
    }
    break;
  }
  return rows;
}

llvm::SmallBitVector carousel::findDimsOfRows(const GroupProgram &program) {
  const GroupSchedule &schedule = program.schedule;
  llvm::SmallBitVector rows(schedule.dims.size());
  if (schedule.division)
    return rows;
  if (schedule.family == ScheduleFamily::Contraction)
    rows = findRowsOfProduct(program);
  else if (schedule.family == ScheduleFamily::Stream &&
           haveLaterRowsMore(program))
    rows.set(findRowsPosition(program));
  // A launch has no more along its second dimension, unless CTAs loop over
  // programs.
  constexpr uint64_t kMostOfGrid = 65535;
  uint64_t programs = 1;
  bool haveMany[2] = {false, false};
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    if (!dim.hasManyPrograms())
      continue;
    haveMany[rows.test(position)] = true;
    if (rows.test(position) && dim.extent != kUnknownExtent)
      programs = llvm::SaturatingMultiply(
          programs, llvm::divideCeil(dim.extent, dim.tile));
  }
  if (!haveMany[0] || !haveMany[1] || programs > kMostOfGrid)
    rows.reset();
  return rows;
}

gpu::GPUFuncOp carousel::createKernel(GroupProgram &program,
                                      ArrayRef<KernelOperand> operands,
                                      ArrayRef<GroupWorkspace> workspaces,
                                      OpBuilder &builder, StringRef name) {
  MLIRContext *context = builder.getContext();
  const GroupSchedule &schedule = program.schedule;
  SmallVector<Type> types;
  for (const KernelOperand &operand : operands)
    types.push_back(isa<RankedTensorType>(operand.value.getType())
                        ? Type(getMemRefType(operand))
                        : operand.value.getType());
  for (const GroupWorkspace &workspace : workspaces)
    types.push_back(workspace.type);
  Location loc = program.op.getLoc();
  auto kernel = gpu::GPUFuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel->setAttr(kForProgramsAttr, builder.getUnitAttr());
  unsigned inputs = 0, results = 0;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    std::string argument = operand.isResult
                               ? "result" + std::to_string(results++)
                               : "arg" + std::to_string(inputs++);
    kernel.setArgAttr(number, CarouselDialect::kArgument,
                      ArgumentAttr::get(context, argument,
                                        operand.updated ? ArgumentAccess::InOut
                                        : operand.isResult ? ArgumentAccess::Out
                                                           : ArgumentAccess::In,
                                        operand.mayAlias));
  }
  for (auto [number, workspace] : llvm::enumerate(workspaces)) {
    unsigned position = operands.size() + number;
    kernel.setArgAttr(position, CarouselDialect::kArgument,
                      ArgumentAttr::get(context, workspace.name,
                                        ArgumentAccess::InOut, std::nullopt));
    kernel.setArgAttr(position, CarouselDialect::kWorkspace,
                      WorkspaceAttr::get(context, workspace.extents));
  }
  SmallVector<ExprAttr> grid = {getPrograms(program, operands)};
  if (schedule.division)
    grid = {ExprAttr::get(context, ExprKind::Mul, 0, 0, grid.front(),
                          getParts(program, operands))};
  if (llvm::SmallBitVector rows = findDimsOfRows(program); rows.any())
    grid = {countPrograms(program, operands,
                          [&](unsigned dim) { return !rows.test(dim); }),
            countPrograms(program, operands,
                          [&](unsigned dim) { return rows.test(dim); })};
  SmallVector<int64_t> cluster;
  if (schedule.division && schedule.division->isCluster)
    cluster.push_back(schedule.division->mostParts);
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, grid, {}, cluster, 0));
  ExprAttr covers = schedule.covered
                        ? getExtent(program, operands, *schedule.covered)
                        : ExprAttr();
  bool isCovered = covers && covers.getKind() != ExprKind::Constant;
  kernel->setAttr(CarouselDialect::kBlockProgram,
                  BlockProgramAttr::get(
                      context,
                      isCovered ? schedule.dims[*schedule.covered].tile : 0,
                      isCovered ? covers : ExprAttr(), std::nullopt,
                      /*keeps=*/0));
  return kernel;
}
