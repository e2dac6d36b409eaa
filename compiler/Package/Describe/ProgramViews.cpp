//===- ProgramViews.cpp - buffers of programs as views --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramViews.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramViews.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ExprAttr ProgramViews::constant(int64_t value) {
  return ExprAttr::get(context, ExprKind::Constant, value, /*argument=*/0,
                       ExprAttr(), ExprAttr());
}

ExprAttr ProgramViews::add(ExprAttr lhs, ExprAttr rhs) {
  return LaunchSum::of(lhs).plus(LaunchSum::of(rhs)).get(context);
}

ExprAttr ProgramViews::subtract(ExprAttr lhs, ExprAttr rhs) {
  return LaunchSum::of(lhs).plus(LaunchSum::of(rhs).times(-1)).get(context);
}

ExprAttr ProgramViews::multiply(ExprAttr lhs, ExprAttr rhs) {
  if (!lhs || !rhs)
    return {};
  if (lhs.getKind() == ExprKind::Constant)
    std::swap(lhs, rhs);
  if (rhs.getKind() == ExprKind::Constant)
    return LaunchSum::of(lhs).times(rhs.getValue()).get(context);
  return ExprAttr::get(context, ExprKind::Mul, /*value=*/0, /*argument=*/0, lhs,
                       rhs);
}

ExprAttr ProgramViews::get(Operation *op, OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return constant(*known);
  if (ExprAttr expr = expressions.get(llvm::cast<Value>(value)))
    return expr;
  InFlightDiagnostic error =
      op->emitError("expected numbers that a launch can compute from the "
                    "program's arguments (by +, -, *, min, max, and divisions "
                    "by positive constants)");
  if (Operation *unknown = findUnknown(llvm::cast<Value>(value))) {
    error << ", got '" << unknown->getName() << "'";
    error.attachNote(unknown->getLoc()) << "the number follows from this op";
  }
  return {};
}

Operation *ProgramViews::findUnknown(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    value = {};
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex() && !operand.getType().isInteger(1) &&
          operand.getDefiningOp() && !expressions.get(operand))
        value = operand;
    if (!value)
      return op;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

ProgramViews::ProgramViews(func::FuncOp program)
    : context(program.getContext()), entry(&program.getBody().front()),
      expressions(program) {
  for (BlockArgument argument : program.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    OperandDescription view;
    view.element = toText(type.getElementType());
    view.number = argument.getArgNumber();
    view.offset = constant(0);
    auto getSize = [&](ExprKind kind, int64_t dim) {
      return ExprAttr::get(context, kind, dim, view.number, ExprAttr(),
                           ExprAttr());
    };
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      view.extents.push_back(ShapedType::isDynamic(extent)
                                 ? getSize(ExprKind::Extent, dim)
                                 : constant(extent));
    if (type.getLayout().isIdentity())
      setContiguous(view);
    else
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        view.strides.push_back(getSize(ExprKind::Stride, dim));
    views.try_emplace(argument, std::move(view));
  }
}

void ProgramViews::addConstant(Value value, unsigned number) {
  auto type = llvm::cast<MemRefType>(value.getType());
  OperandDescription view;
  view.kind = OperandDescription::Kind::Constant;
  view.element = toText(type.getElementType());
  view.number = number;
  view.offset = constant(0);
  for (int64_t extent : type.getShape())
    view.extents.push_back(constant(extent));
  setContiguous(view);
  views.insert_or_assign(value, std::move(view));
}

void ProgramViews::setContiguous(OperandDescription &view) {
  view.strides.assign(view.extents.size(), constant(1));
  for (size_t dim = view.extents.size(); dim-- > 1;)
    view.strides[dim - 1] = multiply(view.strides[dim], view.extents[dim]);
}

const OperandDescription *ProgramViews::getView(Operation *op, Value value) {
  auto found = views.find(value);
  if (found != views.end())
    return &found->second;
  op->emitError("expected memory of the program's arguments, workspace or "
                "constants, got another operand");
  return nullptr;
}

LogicalResult ProgramViews::note(Operation *op, Value result,
                                 OperandDescription view) {
  auto isGood = [](ExprAttr expr) { return expr && isSmallEnough(expr); };
  if (!isGood(view.offset) || !llvm::all_of(view.extents, isGood) ||
      !llvm::all_of(view.strides, isGood))
    return op->emitError("expected expressions of at most 256 operators for "
                         "the place and extents of a view");
  views.insert_or_assign(result, std::move(view));
  return success();
}

LogicalResult ProgramViews::visitView(memref::ViewOp op) {
  const OperandDescription *source = getView(op, op.getSource());
  ExprAttr shift = source ? get(op, op.getByteShift()) : ExprAttr();
  if (!shift)
    return failure();
  OperandDescription view = *source;
  view.element = toText(op.getType().getElementType());
  view.offset = add(source->offset, shift);
  view.extents.clear();
  SmallVector<OpFoldResult> sizes =
      getMixedValues(op.getType().getShape(), op.getSizes(), context);
  for (OpFoldResult size : sizes) {
    view.extents.push_back(get(op, size));
    if (!view.extents.back())
      return failure();
  }
  setContiguous(view);
  return note(op, op.getResult(), std::move(view));
}

LogicalResult ProgramViews::slice(memref::SubViewOp op) {
  const OperandDescription *source = getView(op, op.getSource());
  if (!source)
    return failure();
  OperandDescription view = *source;
  view.extents.clear();
  view.strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  ExprAttr first = constant(0);
  for (auto [dim, offset, size, step] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    ExprAttr from = get(op, offset), extent = get(op, size),
             every = get(op, step);
    if (!from || !extent || !every)
      return failure();
    first = add(first, multiply(from, source->strides[dim]));
    if (dropped.test(dim))
      continue;
    view.extents.push_back(extent);
    view.strides.push_back(multiply(every, source->strides[dim]));
  }
  int64_t bytes = getElementBytes(op.getType().getElementType());
  view.offset = add(source->offset, multiply(first, constant(bytes)));
  return note(op, op.getResult(), std::move(view));
}

LogicalResult ProgramViews::expand(memref::ExpandShapeOp op) {
  const OperandDescription *source = getView(op, op.getSrc());
  if (!source)
    return failure();
  OperandDescription view = *source;
  view.extents.clear();
  for (OpFoldResult size : op.getMixedOutputShape()) {
    view.extents.push_back(get(op, size));
    if (!view.extents.back())
      return failure();
  }
  view.strides.assign(view.extents.size(), constant(1));
  for (auto [from, dims] : llvm::enumerate(op.getReassociationIndices())) {
    ExprAttr stride = source->strides[from];
    for (int64_t dim : llvm::reverse(dims)) {
      view.strides[dim] = stride;
      stride = multiply(stride, view.extents[dim]);
    }
  }
  return note(op, op.getResult(), std::move(view));
}

LogicalResult ProgramViews::collapse(memref::CollapseShapeOp op) {
  const OperandDescription *source = getView(op, op.getSrc());
  if (!source)
    return failure();
  OperandDescription view = *source;
  view.extents.clear();
  view.strides.clear();
  for (ArrayRef<int64_t> dims : op.getReassociationIndices()) {
    ExprAttr extent = constant(1), stride;
    for (int64_t dim : dims) {
      extent = multiply(extent, source->extents[dim]);
      // Nothing depends on the stride of a dimension of one element.
      ExprAttr own = source->extents[dim];
      bool isUnit = own.getKind() == ExprKind::Constant && own.getValue() == 1;
      if (!stride || !isUnit)
        stride = source->strides[dim];
    }
    view.extents.push_back(extent);
    view.strides.push_back(stride ? stride : constant(1));
  }
  return note(op, op.getResult(), std::move(view));
}

/// What the type says, the program relies on: the cast checked nothing.
LogicalResult ProgramViews::cast(memref::CastOp op) {
  const OperandDescription *source = getView(op, op.getSource());
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!source || !type)
    return failure();
  return note(op, op.getResult(), OperandDescription(*source));
}

LogicalResult ProgramViews::visit(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](memref::ViewOp view) { return visitView(view); })
      .Case([&](memref::SubViewOp view) { return slice(view); })
      .Case([&](memref::ExpandShapeOp view) { return expand(view); })
      .Case([&](memref::CollapseShapeOp view) { return collapse(view); })
      .Case([&](memref::CastOp view) { return cast(view); })
      .Case([&](memref::DimOp dim) -> LogicalResult {
        std::optional<int64_t> index = dim.getConstantIndex();
        const OperandDescription *view = getView(dim, dim.getSource());
        if (!view)
          return failure();
        if (!index || *index < 0 || *index >= int64_t(view->extents.size()))
          return dim.emitError("expected a constant dimension of the memref");
        expressions.define(dim.getResult(), view->extents[*index]);
        return success();
      })
      .Default([](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Operands and checks
//===----------------------------------------------------------------------===//

/// The index that a number is, or is the low bits of; null if it is neither.
static Value getIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return cast ? cast.getIn() : Value();
}

FailureOr<OperandDescription> ProgramViews::describe(Operation *op,
                                                     Value value) {
  if (isa<MemRefType>(value.getType())) {
    const OperandDescription *view = getView(op, value);
    if (!view)
      return failure();
    return *view;
  }
  OperandDescription operand;
  operand.element = toText(value.getType());
  Attribute bits;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == entry) {
    operand.kind = OperandDescription::Kind::Scalar;
    operand.number = argument.getArgNumber();
  } else if (matchPattern(value, m_Constant(&bits))) {
    operand.kind = OperandDescription::Kind::Bits;
    operand.bits =
        isa<FloatAttr>(bits)
            ? llvm::cast<FloatAttr>(bits)
                  .getValue()
                  .bitcastToAPInt()
                  .getZExtValue()
            : llvm::cast<IntegerAttr>(bits).getValue().getSExtValue();
  } else if (Value index = getIndex(value)) {
    operand.kind = OperandDescription::Kind::Number;
    operand.value = get(op, index);
    if (!operand.value)
      return failure();
  } else {
    return op->emitError("expected scalars that are arguments of the program, "
                         "constants or indices, got another number of type ")
           << value.getType();
  }
  return operand;
}

ExprAttr ProgramViews::getInteger(Operation *op, Value value,
                                  std::vector<CheckDescription> &checks) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  if (!cast || !cast.getIn().getType().isIndex())
    return get(op, value);
  ExprAttr index = get(op, cast.getIn());
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (!index || width >= 64)
    return index;
  // The integer is the index if its bits suffice.
  int64_t most = llvm::maxIntN(width);
  checks.push_back(
      {GuardAttr::get(context, GuardKind::Range, /*argument=*/0, index,
                      /*other=*/{}, -most - 1, most),
       ("expected an extent that fits " + Twine(width) + " bits").str()});
  return index;
}

LogicalResult ProgramViews::describe(Operation *op, Value condition,
                                     StringRef message,
                                     std::vector<CheckDescription> &checks) {
  auto isBoth = [](Value value) {
    return isa_and_present<arith::AndIOp>(value.getDefiningOp());
  };
  return failure(walkOperands(condition, isBoth, [&](Value part) {
                   return isBoth(part) || succeeded(describePart(
                                              op, part, message, checks))
                              ? WalkResult::advance()
                              : WalkResult::interrupt();
                 }).wasInterrupted());
}

LogicalResult
ProgramViews::describePart(Operation *op, Value condition, StringRef message,
                           std::vector<CheckDescription> &checks) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known != 0)
      return success();
    return op->emitError("expected a program that can run, got a check that "
                         "never holds: ")
           << message;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return op->emitError("expected a comparison of integers, or several with "
                         "arith.andi, as the condition of a program");
  ExprAttr lhs = getInteger(op, compare.getLhs(), checks);
  ExprAttr rhs = lhs ? getInteger(op, compare.getRhs(), checks) : ExprAttr();
  if (!rhs)
    return failure();
  auto addCheck = [&](GuardKind kind, ExprAttr value, ExprAttr other,
                      int64_t least) {
    int64_t most = kind == GuardKind::Range ? INT64_MAX : 0;
    checks.push_back({GuardAttr::get(context, kind, /*argument=*/0, value,
                                     other, least, most),
                      message.str()});
    return success();
  };
  // Differences are those of extents: they fit.
  auto addRange = [&](ExprAttr larger, ExprAttr smaller, int64_t least) {
    return addCheck(GuardKind::Range, subtract(larger, smaller), ExprAttr(),
                    least);
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return addCheck(GuardKind::Equal, lhs, rhs, 0);
  case arith::CmpIPredicate::sge:
    return addRange(lhs, rhs, 0);
  case arith::CmpIPredicate::sgt:
    return addRange(lhs, rhs, 1);
  case arith::CmpIPredicate::sle:
    return addRange(rhs, lhs, 0);
  case arith::CmpIPredicate::slt:
    return addRange(rhs, lhs, 1);
  default:
    return op->emitError("expected a condition of a program that compares by "
                         "eq, sge, sgt, sle or slt, got ")
           << arith::stringifyCmpIPredicate(compare.getPredicate());
  }
}
