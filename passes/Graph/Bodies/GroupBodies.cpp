//===- GroupBodies.cpp - bodies of structured ops on vectors --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupBodies.h.
//
//===----------------------------------------------------------------------===//

#include "GroupBodies.h"

#include "../Reading/RowReads.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

LogicalResult BodyWriter::write(linalg::LinalgOp op, ArrayRef<Value> results,
                                BodyValues &values) {
  Block *body = op.getBlock();
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  auto isKnown = [&](Value value) { return values.contains(value); };
  options.filter = [&](Operation *source) {
    return source->getBlock() == body &&
           !(source->getNumResults() != 0 &&
             llvm::all_of(source->getResults(), isKnown));
  };
  for (Value result : results)
    if (Operation *source = result.getDefiningOp();
        source && source->getBlock() == body)
      if (failed(getBackwardSlice(source, &needed, options)))
        return failure();
  for (Operation &inner : body->without_terminator())
    if (needed.contains(&inner) && failed(write(&inner, values)))
      return failure();
  for (Value result : results)
    if (failed(find(result, values)))
      return failure();
  return success();
}

FailureOr<GroupValue> BodyWriter::find(Value value, BodyValues &values) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  TypedAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return emitError(value.getLoc(),
                     "expected constants, arguments and results "
                     "of ops in the body of a kernel's op");
  GroupValue result;
  result.value =
      arith::ConstantOp::create(vectors.builder, vectors.loc, constant);
  result.padding = constant;
  values[value] = result;
  return result;
}

/// Tensors in a body have no memory, but for those of the whole group.
static LogicalResult refuse(Operation *op) {
  return op->emitError("expected elementwise ops, linalg.index, scf.if, "
                       "scf.for and tensor.extract in the body of a kernel's "
                       "op, got '")
         << op->getName() << "'";
}

/// A quotient of a loop's numbers that is the same for all of them: programs
/// have elements of tiles that the divisor is a multiple of.
static std::optional<GroupValue>
divideLoopIndices(GroupVectors &vectors, Operation *op,
                  ArrayRef<GroupValue> operands) {
  APInt divisor;
  if (!isa<arith::DivUIOp, arith::DivSIOp>(op) || !operands[0].first ||
      !op->getOperand(0).getDefiningOp<linalg::IndexOp>() ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive())
    return std::nullopt;
  const ScheduledDim &dim = vectors.schedule.dims[operands[0].dims.front()];
  bool isInTiles = dim.walk == DimWalk::Grid ||
                   vectors.schedule.family == ScheduleFamily::Stream;
  if (!isInTiles || divisor.getSExtValue() % dim.tile != 0)
    return std::nullopt;
  GroupValue quotient;
  quotient.value = arith::DivUIOp::create(vectors.builder, vectors.loc,
                                          operands[0].first, operands[1].value);
  return quotient;
}

LogicalResult BodyWriter::write(Operation *op, BodyValues &values) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    values[index] = vectors.createIndices(loops[index.getDim()]);
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch, values);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeFor(loop, values);
  // Elements extracted from it are some constant.
  if (isa<tensor::EmptyOp>(op))
    return success();
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  SmallVector<GroupValue> operands;
  for (Value operand :
       extract ? ValueRange(extract.getIndices()) : op->getOperands()) {
    if (isa<TensorType>(operand.getType()))
      return refuse(op);
    FailureOr<GroupValue> found = find(operand, values);
    if (failed(found))
      return failure();
    operands.push_back(*found);
  }
  if (extract) {
    values[extract] = extractElement(extract.getTensor(), operands, condition);
    return success();
  }
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    if (std::optional<GroupValue> pairs = interleave(choice, operands)) {
      values[choice] = *pairs;
      return success();
    }
  if (std::optional<GroupValue> quotient =
          divideLoopIndices(vectors, op, operands)) {
    values[op->getResult(0)] = *quotient;
    return success();
  }
  bool isScalar = llvm::all_of(
      operands, [](const GroupValue &operand) { return operand.dims.empty(); });
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getResultTypes(), isTensor) ||
      (!OpTrait::hasElementwiseMappableTraits(op) &&
       !(isScalar && isMemoryEffectFree(op) && op->getNumRegions() == 0)))
    return refuse(op);
  writeElementwise(op, operands, values);
  return success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

GroupValue BodyWriter::select(const GroupValue &which, const GroupValue &ifTrue,
                              const GroupValue &ifFalse) {
  GroupValue result;
  for (const GroupValue *value : {&which, &ifTrue, &ifFalse})
    llvm::append_range(result.dims, value->dims);
  result.dims = vectors.findVectorDims(result.dims);
  result.value = arith::SelectOp::create(vectors.builder, vectors.loc,
                                         vectors.expand(which, result.dims),
                                         vectors.expand(ifTrue, result.dims),
                                         vectors.expand(ifFalse, result.dims));
  return result;
}

LogicalResult BodyWriter::writeBranch(Block *block, const GroupValue &which,
                                      BodyValues &values) {
  OpBuilder &builder = vectors.builder;
  GroupValue around = condition;
  condition = which;
  if (around.value) {
    auto never = builder.getBoolAttr(false);
    condition = select(around, which, {vectors.createSplat(never, {}), {}, {}});
  }
  LogicalResult written = success();
  for (Operation &inner : block->without_terminator())
    if (failed(written = write(&inner, values)))
      break;
  condition = around;
  if (failed(written))
    return failure();
  for (Value result : block->getTerminator()->getOperands())
    if (failed(find(result, values)))
      return failure();
  return success();
}

/// Whether what a condition asks a row for says no more than a transfer, which
/// has zeros where there is none.
static bool isReadAsRows(Value value) {
  auto read = value.getDefiningOp<vector::TransferReadOp>();
  return read && (read.getBase().getDefiningOp<RowsOp>() ||
                  !cast<BoolAttr>(read.getInBounds()[0]).getValue());
}

/// Both branches are computed; what they read depends on the condition.
LogicalResult BodyWriter::writeIf(scf::IfOp op, BodyValues &values) {
  if (op->getNumResults() == 0)
    return op.emitError("expected scf.if in the body of a kernel's op to have "
                        "results, got none");
  FailureOr<GroupValue> which = find(op.getCondition(), values);
  if (failed(which))
    return failure();
  which->isOfRow = bool(findGuardedRow(op));
  OpBuilder &builder = vectors.builder;
  auto always = builder.getBoolAttr(true);
  GroupValue otherwise = *which;
  otherwise.value =
      arith::XOrIOp::create(builder, vectors.loc, which->value,
                            vectors.createSplat(always, which->dims));
  otherwise.padding = {};
  if (failed(writeBranch(op.thenBlock(), *which, values)) ||
      failed(writeBranch(op.elseBlock(), otherwise, values)))
    return failure();
  if (which->isOfRow &&
      isReadAsRows(values[op.thenYield().getOperand(0)].value)) {
    values[op.getResult(0)] = values[op.thenYield().getOperand(0)];
    return success();
  }
  for (auto [result, ifTrue, ifFalse] :
       llvm::zip_equal(op.getResults(), op.thenYield().getOperands(),
                       op.elseYield().getOperands()))
    values[result] = select(*which, widenIfWide(values[ifTrue]),
                            widenIfWide(values[ifFalse]));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The largest of the numbers of elements that exist; \p least if there is
/// none.
Value BodyWriter::findLargest(const GroupValue &numbers,
                              const GroupValue &least) {
  if (numbers.dims.empty())
    return numbers.value;
  OpBuilder &builder = vectors.builder;
  GroupValue exists = {vectors.createMask(numbers.dims), numbers.dims, {}};
  return vector::MultiDimReductionOp::create(
      builder, vectors.loc, select(exists, numbers, least).value, least.value,
      SmallVector<bool>(numbers.dims.size(), true),
      vector::CombiningKind::MAXSI);
}

/// The loop goes on as long as an element needs it. Elements whose own loop has
/// ended read nothing, and keep what they have.
LogicalResult BodyWriter::writeFor(scf::ForOp op, BodyValues &values) {
  FailureOr<GroupValue> lower = find(op.getLowerBound(), values);
  FailureOr<GroupValue> upper = find(op.getUpperBound(), values);
  FailureOr<GroupValue> step = find(op.getStep(), values);
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (!lower->dims.empty() || !step->dims.empty() || op.getUnsignedCmp())
    return op.emitError("expected scf.for in the body of a kernel's op to have "
                        "signed numbers, and one lower bound and step for all "
                        "elements");
  OpBuilder &builder = vectors.builder;
  SmallVector<unsigned> dims = vectors.findVectorDims(loops);
  SmallVector<Value> inits;
  for (Value init : op.getInitArgs()) {
    FailureOr<GroupValue> value = find(init, values);
    if (failed(value))
      return failure();
    inits.push_back(vectors.expand(widenIfWide(*value), dims));
  }
  Value end = findLargest(*upper, *lower);
  auto loop = scf::ForOp::create(builder, vectors.loc, lower->value, end,
                                 step->value, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  // Facts about values in the loop don't hold after it.
  BodyValues inside = values;
  inside[op.getInductionVar()] = {loop.getInductionVar(), {}, {}};
  for (auto [own, argument] :
       llvm::zip_equal(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    inside[own] = {argument, dims, {}};
  GroupValue around = condition, isInside;
  if (!upper->dims.empty()) {
    isInside.dims = upper->dims;
    Value number = vectors.expand(inside[op.getInductionVar()], upper->dims);
    isInside.value = arith::CmpIOp::create(
        builder, vectors.loc, arith::CmpIPredicate::slt, number, upper->value);
    condition = isInside;
    if (around.value)
      condition =
          select(around, isInside,
                 {vectors.createSplat(builder.getBoolAttr(false), {}), {}, {}});
  }
  LogicalResult written = success();
  for (Operation &inner : op.getBody()->without_terminator())
    if (failed(written = write(&inner, inside)))
      break;
  condition = around;
  if (failed(written))
    return failure();
  SmallVector<Value> results;
  for (auto [result, argument] :
       llvm::zip_equal(op.getBody()->getTerminator()->getOperands(),
                       loop.getRegionIterArgs())) {
    FailureOr<GroupValue> value = find(result, inside);
    if (failed(value))
      return failure();
    GroupValue kept = widenIfWide(*value);
    if (isInside.value)
      kept = select(isInside, kept, {argument, dims, {}});
    results.push_back(vectors.expand(kept, dims));
  }
  scf::YieldOp::create(builder, vectors.loc, results);
  for (auto [own, result] : llvm::zip_equal(op.getResults(), loop.getResults()))
    values[own] = {result, dims, {}};
  return success();
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// The loop of two iterations whose second one the condition chooses.
static std::optional<unsigned> findPair(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()))
    return std::nullopt;
  auto index = compare.getLhs().getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

std::optional<GroupValue>
BodyWriter::interleave(arith::SelectOp op, ArrayRef<GroupValue> operands) {
  std::optional<unsigned> loop = findPair(op.getCondition());
  if (!loop)
    return std::nullopt;
  unsigned pair = loops[*loop];
  const ScheduledDim &dim = vectors.schedule.dims[pair];
  const GroupValue &second = operands[1], &first = operands[2];
  SmallVector<unsigned> dims(first.dims);
  llvm::append_range(dims, second.dims);
  dims = vectors.findVectorDims(dims);
  if (dim.extent != 2 || dim.tile != 2 || dims.empty() || dims.back() >= pair)
    return std::nullopt;
  OpBuilder &builder = vectors.builder;
  Value both = vector::InterleaveOp::create(builder, vectors.loc,
                                            vectors.expand(first, dims),
                                            vectors.expand(second, dims));
  dims.push_back(pair);
  GroupValue result;
  result.value = vector::ShapeCastOp::create(
      builder, vectors.loc,
      cast<VectorType>(vectors.getType(op.getType(), dims)), both);
  result.dims = dims;
  return result;
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// The operands of a difference, also of one that the body rounds.
static std::optional<std::pair<GroupValue, GroupValue>>
findDifference(Value value, const BodyValues &values) {
  while (isa_and_present<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto difference = value.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return std::nullopt;
  auto lhs = values.find(difference.getLhs());
  auto rhs = values.find(difference.getRhs());
  if (lhs == values.end() || rhs == values.end())
    return std::nullopt;
  return std::pair(lhs->second, rhs->second);
}

/// The first of indices that an op computes by adding a number to each.
static Value findFirst(OpBuilder &builder, Location loc, Operation *op,
                       ArrayRef<GroupValue> operands) {
  bool isSum = isa<arith::AddIOp, arith::SubIOp>(op);
  if (!isSum && !isa<arith::IndexCastOp>(op))
    return {};
  SmallVector<Value> scalars;
  unsigned steps = 0;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    if (operand.first && (number == 0 || !isa<arith::SubIOp>(op)))
      ++steps;
    else if (!operand.dims.empty())
      return {};
    scalars.push_back(operand.first ? operand.first : operand.value);
  }
  if (steps != 1)
    return {};
  return builder
      .create(loc, op->getName().getIdentifier(), scalars,
              getElementTypeOrSelf(op->getResult(0)), op->getAttrs())
      ->getResult(0);
}

/// Division by zero is undefined, and elements behind the end may be zero.
static void protectDivisor(GroupVectors &vectors, Operation *op,
                           OperationState &state) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return;
  Value divisor = state.operands[1];
  auto type = dyn_cast<VectorType>(divisor.getType());
  Value source = divisor;
  if (auto broadcast = divisor.getDefiningOp<vector::BroadcastOp>())
    source = broadcast.getSource();
  if (!type || !isa<VectorType>(source.getType()) ||
      matchPattern(divisor, m_Constant()))
    return;
  OpBuilder &builder = vectors.builder;
  auto makeSplat = [&](int64_t number) -> Value {
    Attribute element = builder.getIntegerAttr(type.getElementType(), number);
    return arith::ConstantOp::create(builder, vectors.loc,
                                     DenseElementsAttr::get(type, element));
  };
  Value isZero = arith::CmpIOp::create(
      builder, vectors.loc, arith::CmpIPredicate::eq, divisor, makeSplat(0));
  state.operands[1] = arith::SelectOp::create(builder, vectors.loc, isZero,
                                              makeSplat(1), divisor);
}

static Type getWide(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32
             ? Float32Type::get(type.getContext())
             : type;
}

std::optional<GroupValue> BodyWriter::writeWide(Operation *op,
                                                ArrayRef<GroupValue> operands,
                                                BodyValues &values) {
  auto isRounding = [](Type type) { return type.getIntOrFloatBitWidth() < 32; };
  if (auto extension = dyn_cast<arith::ExtFOp>(op);
      extension && isRounding(extension.getIn().getType()) &&
      extension.getType().getIntOrFloatBitWidth() <= 32)
    return operands.front();
  if (auto rounding = dyn_cast<arith::TruncFOp>(op);
      rounding && isRounding(rounding.getType()) &&
      getElementTypeOrSelf(operands.front().value).isF32())
    return operands.front();
  if (!isa<math::ExpOp, math::Exp2Op>(op) ||
      !getElementTypeOrSelf(operands.front().value).isF32())
    return std::nullopt;
  auto difference = findDifference(op->getOperand(0), values);
  if (difference && difference->first.mayBeHuge)
    difference = std::nullopt;
  return writeExponential(vectors, op, operands.front(), difference);
}

/// Whether a quotient of f32 may be off by 2 ulp: in kernels that allow it, and
/// where all that reads it rounds it to fewer bits.
bool BodyWriter::mayBeApproximate(Operation *quotient) const {
  if (allowsReciprocals)
    return true;
  Value result = quotient->getResult(0);
  return !isWide && result.getType().isF32() && !result.use_empty() &&
         llvm::all_of(result.getUsers(), [](Operation *user) {
           auto rounding = dyn_cast<arith::TruncFOp>(user);
           return rounding && rounding.getType().getIntOrFloatBitWidth() < 32;
         });
}

std::optional<GroupValue>
BodyWriter::writeRowQuotient(Operation *op, ArrayRef<GroupValue> operands) {
  if (!allowsReciprocals || !isa<arith::DivFOp>(op))
    return std::nullopt;
  OpBuilder &builder = vectors.builder;
  const GroupValue &dividend = operands[0], &divisor = operands[1];
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(divisor.value));
  SmallVector<unsigned> dims = dividend.dims;
  llvm::append_range(dims, divisor.dims);
  dims = vectors.findVectorDims(dims);
  if (!type || !type.isF32() || dims.size() == divisor.dims.size())
    return std::nullopt;
  Value one = vectors.createSplat(builder.getF32FloatAttr(1.0), divisor.dims);
  GroupValue inverse = divisor;
  inverse.value = arith::DivFOp::create(
      builder, vectors.loc, one, divisor.value, arith::FastMathFlags::arcp);
  GroupValue quotient = {{}, dims, {}};
  quotient.value = arith::MulFOp::create(builder, vectors.loc,
                                         vectors.expand(dividend, dims),
                                         vectors.expand(inverse, dims));
  quotient.mayBeHuge = dividend.mayBeHuge || divisor.mayBeHuge;
  return quotient;
}

void BodyWriter::writeElementwise(Operation *op, ArrayRef<GroupValue> narrow,
                                  BodyValues &values) {
  SmallVector<GroupValue> operands(narrow);
  if (isWide) {
    bool keepsBits = isa<arith::BitcastOp>(op);
    for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands))
      value = keepsBits
                  ? convertFloat(vectors, value, getElementTypeOrSelf(operand))
                  : widen(vectors, value);
    if (std::optional<GroupValue> wide = writeWide(op, operands, values)) {
      values[op->getResult(0)] = *wide;
      return;
    }
  }
  if (std::optional<GroupValue> quotient = writeRowQuotient(op, operands)) {
    values[op->getResult(0)] = *quotient;
    return;
  }
  SmallVector<unsigned> dims;
  for (const GroupValue &operand : operands)
    llvm::append_range(dims, operand.dims);
  dims = vectors.findVectorDims(dims);
  OperationState state(vectors.loc, op->getName());
  for (const GroupValue &operand : operands)
    state.addOperands(vectors.expand(operand, dims));
  protectDivisor(vectors, op, state);
  for (Type type : op->getResultTypes())
    state.addTypes(vectors.getType(
        isWide && !isa<arith::BitcastOp>(op) ? getWide(type) : type, dims));
  state.addAttributes(op->getAttrs());
  Operation *clone = vectors.builder.create(state);
  if (auto quotient = dyn_cast<arith::DivFOp>(clone);
      quotient && mayBeApproximate(op))
    quotient.setFastmath(quotient.getFastmath() | arith::FastMathFlags::arcp);
  // The elements behind the end, if they are known of all operands.
  SmallVector<Attribute> constants;
  for (const GroupValue &operand : operands)
    constants.push_back(operand.padding);
  SmallVector<OpFoldResult> folded;
  bool isKnown = !llvm::is_contained(constants, Attribute()) &&
                 succeeded(op->fold(constants, folded)) &&
                 folded.size() == op->getNumResults();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    GroupValue value;
    value.value = clone->getResult(number);
    value.dims = dims;
    value.first = findFirst(vectors.builder, vectors.loc, op, operands);
    value.mayBeHuge = llvm::any_of(
        operands, [](const GroupValue &operand) { return operand.mayBeHuge; });
    if (isKnown)
      value.padding =
          dyn_cast_if_present<TypedAttr>(dyn_cast<Attribute>(folded[number]));
    values[result] = value;
  }
}
