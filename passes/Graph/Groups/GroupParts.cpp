//===- GroupParts.cpp - partial results of divided kernels ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupParts.h.
//
//===----------------------------------------------------------------------===//

#include "GroupParts.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../../Block/Variants/DivideSums.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static ExprAttr makeConstant(MLIRContext *context, int64_t value) {
  return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
}

/// Folds constants: a launch's expressions are read by people, too.
static ExprAttr make(ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
  bool areConstant = lhs.getKind() == ExprKind::Constant &&
                     rhs.getKind() == ExprKind::Constant;
  if (areConstant) {
    int64_t a = lhs.getValue(), b = rhs.getValue();
    auto result = [&](int64_t value) {
      return makeConstant(lhs.getContext(), value);
    };
    switch (kind) {
    case ExprKind::Min:
      return result(std::min(a, b));
    case ExprKind::Max:
      return result(std::max(a, b));
    case ExprKind::Mul:
      return result(a * b);
    case ExprKind::Sub:
      return result(a - b);
    case ExprKind::FloorDiv:
      return result(a / b);
    case ExprKind::CeilDiv:
      return result(llvm::divideCeil(a, b));
    default:
      break;
    }
  }
  return ExprAttr::get(lhs.getContext(), kind, 0, 0, lhs, rhs);
}

ExprAttr carousel::getParts(const GroupProgram &program,
                            ArrayRef<KernelOperand> operands) {
  MLIRContext *context = program.getContext();
  const GroupDivision &division = *program.schedule.division;
  if (division.isCluster)
    return makeConstant(context, division.mostParts);
  ExprAttr one = makeConstant(context, 1);
  ExprAttr programs = getPrograms(program, operands);
  ExprAttr extent = getExtent(program, operands, division.position);
  ExprAttr wanted =
      make(ExprKind::FloorDiv, makeConstant(context, division.wantedPrograms),
           make(ExprKind::Max, programs, one));
  ExprAttr length = extent;
  if (division.stepElements != 1)
    length = make(ExprKind::CeilDiv, length,
                  makeConstant(context, division.stepElements));
  if (division.stepIterations != 1)
    length = make(ExprKind::Mul, length,
                  makeConstant(context, division.stepIterations));
  ExprAttr possible = make(ExprKind::CeilDiv, length,
                           makeConstant(context, division.leastLength));
  ExprAttr most = makeConstant(context, division.mostParts);
  if (division.wantedPrograms != sums::kAnyPrograms)
    most = make(ExprKind::Min, most, wanted);
  return make(ExprKind::Max, make(ExprKind::Min, most, possible), one);
}

/// The kept dimensions of which an op's partial results are vectors.
static SmallVector<unsigned> findKept(const GroupProgram &program,
                                      unsigned op) {
  SmallVector<unsigned> kept;
  for (unsigned position : getPositions(program, op))
    if (const ScheduledDim &dim = program.schedule.dims[position];
        !dim.isReduced && dim.tile != 1)
      kept.push_back(position);
  llvm::sort(kept);
  kept.erase(llvm::unique(kept), kept.end());
  return kept;
}

SmallVector<GroupWorkspace>
carousel::findWorkspaces(const GroupProgram &program,
                         ArrayRef<KernelOperand> operands) {
  if (program.schedule.division->isCluster)
    return {};
  MLIRContext *context = program.getContext();
  auto global = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  ExprAttr parts = getParts(program, operands);
  // One part needs no memory.
  ExprAttr one = makeConstant(context, 1);
  ExprAttr programs =
      make(ExprKind::Mul, getPrograms(program, operands),
           make(ExprKind::Min, make(ExprKind::Sub, parts, one), one));
  SmallVector<GroupWorkspace> workspaces;
  for (auto [at, op] : llvm::enumerate(program.group.ops)) {
    bool isOther = program.shape.stream &&
                   program.shape.stream->roles[at] != OnlineRole::Sum;
    if (!program.graph.problem.ops[op].reduces() || isOther ||
        !isInLoop(program.shape, program.schedule, at))
      continue;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
    SmallVector<int64_t> shape = {ShapedType::kDynamic, ShapedType::kDynamic};
    for (unsigned position : findKept(program, op))
      shape.push_back(program.schedule.dims[position].tile);
    Type element = getElementTypeOrSelf(structured.getDpsInitOperand(0)->get());
    if (program.shape.stream)
      element = getSumType(element);
    workspaces.push_back(
        {"partials" + std::to_string(workspaces.size()),
         MemRefType::get(shape, element, MemRefLayoutAttrInterface(), global),
         {programs, parts}});
  }
  workspaces.push_back(
      {"counters",
       MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 32),
                       MemRefLayoutAttrInterface(), global),
       {programs}});
  return workspaces;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The value of an expression in the kernel.
static Value compute(OpBuilder &builder, Location loc, ExprAttr expr,
                     gpu::GPUFuncOp kernel) {
  if (expr.getKind() == ExprKind::Constant)
    return arith::ConstantIndexOp::create(builder, loc, expr.getValue());
  if (expr.getKind() == ExprKind::Extent)
    return memref::DimOp::create(
        builder, loc, kernel.getArgument(expr.getArgument()), expr.getValue());
  if (expr.getKind() == ExprKind::Scalar)
    return kernel.getArgument(expr.getArgument());
  Value lhs = compute(builder, loc, expr.getLhs(), kernel);
  Value rhs = compute(builder, loc, expr.getRhs(), kernel);
  // Extents and what is made of them aren't negative.
  switch (expr.getKind()) {
  case ExprKind::Min:
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case ExprKind::Max:
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  case ExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case ExprKind::Sub:
    return arith::SubIOp::create(builder, loc, lhs, rhs);
  case ExprKind::FloorDiv:
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  case ExprKind::CeilDiv:
    return arith::CeilDivUIOp::create(builder, loc, lhs, rhs);
  default:
    llvm_unreachable("an operator that parts are not computed by");
  }
}

Value PartsWriter::place(gpu::GPUFuncOp func, ArrayRef<KernelOperand> operands,
                         Value block) {
  kernel = func;
  firstWorkspace = operands.size();
  OpBuilder &builder = vectors.builder;
  parts = compute(builder, vectors.loc, getParts(program, operands), kernel);
  part = arith::RemUIOp::create(builder, vectors.loc, block, parts);
  number = arith::DivUIOp::create(builder, vectors.loc, block, parts);
  return number;
}

/// Divides from the first one of some elements on.
std::pair<Value, Value> PartsWriter::divide(Value elements) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  unsigned position = program.schedule.division->position;
  Value tile = arith::ConstantIndexOp::create(
      builder, loc, program.schedule.dims[position].tile);
  Value length = arith::CeilDivUIOp::create(builder, loc, elements, parts);
  // Whole vectors, so that only the last part has a ragged one.
  length = arith::MulIOp::create(
      builder, loc, arith::CeilDivUIOp::create(builder, loc, length, tile),
      tile);
  Value from = arith::MulIOp::create(builder, loc, part, length);
  Value to = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, from, length),
      elements);
  return {from, to};
}

std::pair<Value, Value> PartsWriter::getRange() {
  return divide(vectors.getExtent(program.schedule.division->position));
}

std::pair<Value, Value> PartsWriter::getRange(Value from, Value to) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  // Masks may leave nothing: the end is then before the begin.
  Value elements = arith::MaxSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, to, from),
      arith::ConstantIndexOp::create(builder, loc, 0));
  auto [first, end] = divide(elements);
  return {arith::AddIOp::create(builder, loc, from, first),
          arith::AddIOp::create(builder, loc, from, end)};
}

std::pair<Value, Value> PartsWriter::getIterations(Value iterations) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  Value length = arith::CeilDivUIOp::create(builder, loc, iterations, parts);
  Value from = arith::MulIOp::create(builder, loc, part, length);
  Value to = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, from, length),
      iterations);
  return {from, to};
}

Value PartsWriter::getPartials(unsigned workspace) {
  return kernel.getArgument(firstWorkspace + workspace);
}

Value PartsWriter::getCounters() {
  return kernel.getArgument(kernel.getNumArguments() - 1);
}

void PartsWriter::leave(const GroupValue &partial) {
  OpBuilder &builder = vectors.builder;
  if (isCluster()) {
    // Few rows are columns of the instructions.
    tiles.push_back(leaveSums(builder, vectors.loc, partial.value,
                              /*areTransposed=*/true));
    return;
  }
  Value memref = getPartials(left++);
  SmallVector<Value> indices = {number, part};
  if (partial.dims.empty()) {
    memref::StoreOp::create(builder, vectors.loc, partial.value, memref,
                            indices);
    return;
  }
  Value zero = arith::ConstantIndexOp::create(builder, vectors.loc, 0);
  indices.append(partial.dims.size(), zero);
  vector::TransferWriteOp::create(builder, vectors.loc, partial.value, memref,
                                  indices,
                                  SmallVector<bool>(partial.dims.size(), true));
}

Value PartsWriter::read(unsigned op, Value ofPart, const GroupValue &own) {
  OpBuilder &builder = vectors.builder;
  Value memref = getPartials(op);
  SmallVector<Value> indices = {number, ofPart};
  auto type = dyn_cast<VectorType>(own.value.getType());
  if (!type)
    return memref::LoadOp::create(builder, vectors.loc, memref, indices);
  indices.append(type.getRank(),
                 arith::ConstantIndexOp::create(builder, vectors.loc, 0));
  Value padding = arith::ConstantOp::create(
      builder, vectors.loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(
      builder, vectors.loc, type, memref, indices, padding,
      AffineMap::getMinorIdentityMap(indices.size(), type.getRank(),
                                     builder.getContext()),
      SmallVector<bool>(type.getRank(), true));
}

void PartsWriter::finish() {
  // No CTA leaves while another one reads its tiles.
  if (isCluster())
    meetCluster(vectors.builder, vectors.loc);
}

scf::IfOp PartsWriter::startLast() {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  if (isCluster()) {
    meetCluster(builder, loc);
    Value first =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part,
                              arith::ConstantIndexOp::create(builder, loc, 0));
    auto branch = scf::IfOp::create(builder, loc, first);
    builder.setInsertionPointToStart(branch.thenBlock());
    return branch;
  }
  Value ticket = GridTicketOp::create(builder, loc, builder.getIndexType(),
                                      getCounters(), number, parts,
                                      /*acq_rel=*/true);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, parts, one);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       ticket, last);
  auto branch = scf::IfOp::create(builder, loc, isLast);
  builder.setInsertionPointToStart(branch.thenBlock());
  return branch;
}

/// In the order of the CTAs.
GroupValue PartsWriter::combineTiles(const GroupValue &own,
                                     vector::CombiningKind kind) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  auto type = cast<VectorType>(own.value.getType());
  SmallVector<Value> zeros(type.getRank(),
                           arith::ConstantIndexOp::create(builder, loc, 0));
  GroupValue result = own;
  result.value = combineSums(builder, loc, tiles[combined++], type, zeros,
                             program.schedule.division->mostParts, kind);
  return result;
}

GroupValue PartsWriter::combine(const GroupValue &own,
                                vector::CombiningKind kind) {
  if (isCluster())
    return combineTiles(own, kind);
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  Value memref = getPartials(combined++);
  Type element = getElementTypeOrSelf(own.value);
  SmallVector<int64_t> kept;
  if (auto type = dyn_cast<VectorType>(own.value.getType()))
    llvm::append_range(kept, type.getShape());
  int64_t size = ShapedType::getNumElements(kept);
  auto most = int64_t(llvm::PowerOf2Ceil(program.schedule.division->mostParts));
  // Vectors have at most four dimensions.
  constexpr size_t kMostDims = 4;
  int64_t rows =
      kept.size() == kMostDims
          ? 1
          : std::clamp<int64_t>(sums::kCombinedElements / size, 1, most);
  SmallVector<int64_t> shape = kept;
  if (rows != 1)
    shape.insert(shape.begin(), rows);
  auto type = VectorType::get(shape, element);
  TypedAttr neutral = getNeutralElement(builder, kind, element);
  Value padding = arith::ConstantOp::create(builder, loc, neutral);
  Value start = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(neutral)));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto read = [&](Value first) -> Value {
    SmallVector<Value> indices = {number, first};
    indices.append(kept.size(), zero);
    SmallVector<bool> inBounds(shape.size(), true);
    if (rows != 1)
      inBounds.front() = false;
    unsigned rank = indices.size();
    return vector::TransferReadOp::create(
        builder, loc, type, memref, indices, padding,
        AffineMap::getMinorIdentityMap(rank, shape.size(),
                                       builder.getContext()),
        inBounds);
  };
  GroupValue result;
  result.dims = own.dims;
  if (rows == most) {
    result.value = read(zero);
  } else {
    Value step = arith::ConstantIndexOp::create(builder, loc, rows);
    auto loop = scf::ForOp::create(builder, loc, zero, parts, step, start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value sum =
        vector::makeArithReduction(builder, loc, kind, loop.getRegionIterArg(0),
                                   read(loop.getInductionVar()));
    scf::YieldOp::create(builder, loc, sum);
    result.value = loop.getResult(0);
  }
  if (rows == 1)
    return result;
  SmallVector<bool> isReduced(shape.size(), false);
  isReduced.front() = true;
  Value none = vectors.createSplat(neutral, own.dims);
  result.value = vector::MultiDimReductionOp::create(builder, loc, result.value,
                                                     none, isReduced, kind);
  return result;
}
