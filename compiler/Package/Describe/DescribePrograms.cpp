//===- DescribePrograms.cpp - descriptions of programs in a manifest ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the host functions of programs into the structs of a manifest.
//
//===----------------------------------------------------------------------===//

#include "DescribeArguments.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/ConstantBytes.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Package/DescribePackage.h"
#include "carousel/Package/DescribeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Alignment.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Buffers of programs as views
//
// Follows the memrefs of a program: each is a view of an argument or a
// constant, whose numbers are expressions of the program's arguments.
//===----------------------------------------------------------------------===//

namespace {

class ProgramViews {
public:
  explicit ProgramViews(func::FuncOp program);

  /// Notes the results of an op of the program, in their order. Emits an error
  /// for memory that it can't follow; ops on numbers are none.
  LogicalResult visit(Operation &op);
  /// Says that the result of an op is the constant of this number.
  void addConstant(Value value, unsigned number);

  /// An operand of a step. Emits an error at `op`.
  FailureOr<OperandDescription> describe(Operation *op, Value value);
  /// Appends what makes the condition true. Emits an error at `op`.
  LogicalResult describe(Operation *op, Value condition, StringRef message,
                         std::vector<CheckDescription> &checks);

private:
  /// Appends what makes one of a condition's parts true.
  LogicalResult describePart(Operation *op, Value part, StringRef message,
                             std::vector<CheckDescription> &checks);
  /// Null, with an error, for memory that isn't known.
  const OperandDescription *getView(Operation *op, Value value);
  /// Null, with an error, where no expression gives the value.
  ExprAttr get(Operation *op, OpFoldResult value);
  /// The op because of which a number has no expression; null for an argument.
  Operation *findUnknown(Value value);
  /// The same of an integer of a condition, which may be an index whose bits it
  /// has; then a check says that it has all.
  ExprAttr getInteger(Operation *op, Value value,
                      std::vector<CheckDescription> &checks);
  ExprAttr constant(int64_t value);
  ExprAttr add(ExprAttr lhs, ExprAttr rhs);
  ExprAttr subtract(ExprAttr lhs, ExprAttr rhs);
  ExprAttr multiply(ExprAttr lhs, ExprAttr rhs);
  void setContiguous(OperandDescription &view);
  /// Notes a view unless one of its expressions has become too large.
  LogicalResult note(Operation *op, Value result, OperandDescription view);

  LogicalResult visitView(memref::ViewOp op);
  LogicalResult slice(memref::SubViewOp op);
  LogicalResult expand(memref::ExpandShapeOp op);
  LogicalResult collapse(memref::CollapseShapeOp op);
  LogicalResult cast(memref::CastOp op);

  MLIRContext *context;
  Block *entry;
  LaunchExpressions expressions;
  DenseMap<Value, OperandDescription> views;
};

} // namespace

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
      // The stride of a dimension of one element doesn't matter.
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

/// Relies on the type as the program does: the cast checked nothing.
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

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

uint64_t ConstantPool::add(StringRef bytes) {
  auto [known, isNew] = offsets.try_emplace(hashContents(bytes), 0);
  if (!isNew)
    return known->second;
  contents.resize(llvm::alignTo(contents.size(), kAlignment));
  known->second = contents.size();
  contents += bytes;
  return known->second;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The places of the ops that became a step.
static void describeSources(Location loc, StepDescription &step) {
  loc->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part)) {
      std::string text = formatLine(place);
      if (!llvm::is_contained(step.sources, text))
        step.sources.push_back(text);
    }
    return WalkResult::advance();
  });
}

/// Returns a launch's message if the condition does not hold. A reader refuses
/// a check without a message.
static std::string getMessage(cf::AssertOp check) {
  if (!check.getMsg().empty())
    return makeLine(check.getMsg());
  std::string message = "expected a condition of the program to hold";
  if (auto place = check.getLoc()->findInstanceOf<FileLineColLoc>())
    message += ": the one at " + formatLine(place);
  return makeLine(message);
}

namespace {

class ProgramReader {
public:
  ProgramReader(func::FuncOp program, SymbolTableCollection &symbols,
                ConstantPool &pool)
      : program(program), symbols(symbols), pool(pool), views(program) {}

  FailureOr<ProgramDescription> read();

private:
  LogicalResult readArguments();
  LogicalResult readOp(Operation &op);
  LogicalResult readStep(Operation &op);
  LogicalResult readConstant(memref::GetGlobalOp op);
  LogicalResult readLaunch(LaunchKernelOp launch);
  LogicalResult readMatmul(LibraryMatmulOp op);
  /// A fill or a copy.
  LogicalResult readMemoryStep(Operation *op, StepDescription::Kind kind,
                               Value source, Value target);

  func::FuncOp program;
  SymbolTableCollection &symbols;
  ConstantPool &pool;
  ProgramViews views;
  ProgramDescription description;
};

} // namespace

LogicalResult ProgramReader::readArguments() {
  for (BlockArgument argument : program.getArguments()) {
    unsigned number = argument.getArgNumber();
    KernelArgument source;
    source.type = argument.getType();
    source.name = "arg" + std::to_string(number);
    source.access = ArgumentAccess::InOut;
    if (auto attr = program.getArgAttrOfType<ArgumentAttr>(
            number, CarouselDialect::kArgument)) {
      source.name = attr.getName().str();
      source.access = attr.getAccess();
      source.mayAlias = attr.getMayAlias();
    }
    source.workspace = program.getArgAttrOfType<WorkspaceAttr>(
        number, CarouselDialect::kWorkspace);
    if (auto align = program.getArgAttrOfType<IntegerAttr>(
            number, LLVM::LLVMDialect::getAlignAttrName()))
      description.checks.push_back(
          {GuardAttr::get(program.getContext(), GuardKind::Aligned, number,
                          /*value=*/{}, /*other=*/{}, align.getInt(),
                          /*most=*/0),
           "expected an argument whose address is a multiple of " +
               std::to_string(align.getInt()) + " bytes"});
    FailureOr<ArgumentDescription> described =
        describeArgument(program, source);
    if (failed(described))
      return failure();
    described->isParameter =
        program.getArgAttr(number, kParameterAttr) != nullptr;
    description.arguments.push_back(std::move(*described));
  }
  return success();
}

LogicalResult ProgramReader::readConstant(memref::GetGlobalOp op) {
  auto global =
      symbols.lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  std::optional<std::string> bytes;
  if (global)
    bytes = getConstantBytes(global);
  if (!bytes || failed(verifyElement(op, op.getName(), op.getType())))
    return op.emitError("expected a constant whose elements are numbers that "
                        "a package can hold, got @")
           << op.getName();
  views.addConstant(op.getResult(), description.constants.size());
  ConstantDescription constant;
  llvm::raw_string_ostream(constant.element) << op.getType().getElementType();
  constant.extents = op.getType().getShape().vec();
  constant.offset = pool.add(*bytes);
  description.constants.push_back(std::move(constant));
  return success();
}

LogicalResult ProgramReader::readLaunch(LaunchKernelOp launch) {
  SmallVector<gpu::GPUFuncOp> variants = launch.getVariants(symbols);
  if (variants.empty())
    return launch.emitError("expected a launch of a gpu.func, got ")
           << launch.getKernel();
  StepDescription step;
  step.kernel = getKernelName(variants.front()).str();
  // Inputs come first in the op, in the order of the kernel's arguments.
  unsigned input = 0, output = launch.getInputs().size();
  for (const KernelArgument &argument : getKernelArguments(variants.front())) {
    if (argument.workspace)
      continue;
    unsigned number =
        argument.access == ArgumentAccess::In ? input++ : output++;
    FailureOr<OperandDescription> operand =
        views.describe(launch, launch->getOperand(number));
    if (failed(operand))
      return failure();
    step.operands.push_back(std::move(*operand));
  }
  if (auto family = launch->getAttrOfType<StringAttr>(kFamilyAttr)) {
    step.family = family.str();
    describeSources(launch.getLoc(), step);
  }
  description.steps.push_back(std::move(step));
  return success();
}

/// The view with a dimension for each of these loops. Along a loop that it
/// lacks it has the stride 0, and the extent of the one that has it.
static OperandDescription permute(const OperandDescription &view, AffineMap map,
                                  ArrayRef<unsigned> loops,
                                  ArrayRef<ExprAttr> extents, ExprAttr zero) {
  OperandDescription permuted = view;
  permuted.extents.clear();
  permuted.strides.clear();
  for (unsigned loop : loops) {
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    permuted.extents.push_back(dim ? view.extents[*dim] : extents[loop]);
    permuted.strides.push_back(dim ? view.strides[*dim] : zero);
  }
  return permuted;
}

LogicalResult ProgramReader::readMatmul(LibraryMatmulOp op) {
  StepDescription step;
  step.kind = StepDescription::Kind::Matmul;
  step.family = "library";
  step.tf32 = op.getTf32();
  step.function = op.getFunction();
  for (Value operand : {op.getLhs(), op.getRhs(), op.getOutput()}) {
    FailureOr<OperandDescription> described = views.describe(op, operand);
    if (failed(described))
      return failure();
    step.operands.push_back(std::move(*described));
  }
  for (auto [operand, member] :
       {std::pair(op.getBias(), &step.bias),
        std::pair(op.getResidual(), &step.residual),
        std::pair(Value(op.getScratch()), &step.scratch)}) {
    if (!operand)
      continue;
    FailureOr<OperandDescription> described = views.describe(op, operand);
    if (failed(described))
      return failure();
    *member = std::move(*described);
  }
  unsigned batches = op.countBatches();
  SmallVector<ExprAttr> extents(batches);
  for (auto [dim, loop] : llvm::enumerate(op.getIndexingMap(2).getResults()))
    if (unsigned number = cast<AffineDimExpr>(loop).getPosition();
        number < batches)
      extents[number] = step.operands[2].extents[dim];
  auto zero = ExprAttr::get(op.getContext(), ExprKind::Constant, /*value=*/0,
                            /*argument=*/0, ExprAttr(), ExprAttr());
  unsigned m = batches, n = m + 1, k = m + 2;
  const std::pair<unsigned, unsigned> matrices[] = {{m, k}, {k, n}, {m, n}};
  for (auto [number, matrix] : llvm::enumerate(matrices)) {
    auto loops = llvm::to_vector(llvm::seq<unsigned>(0, batches));
    llvm::append_values(loops, matrix.first, matrix.second);
    step.operands[number] = permute(
        step.operands[number], op.getIndexingMap(number), loops, extents, zero);
    if (number == 2 && step.residual)
      step.residual = permute(*step.residual, op.getIndexingMap(number), loops,
                              extents, zero);
  }
  describeSources(op.getLoc(), step);
  description.steps.push_back(std::move(step));
  return success();
}

LogicalResult ProgramReader::readMemoryStep(Operation *op,
                                            StepDescription::Kind kind,
                                            Value source, Value target) {
  FailureOr<OperandDescription> from = views.describe(op, source);
  FailureOr<OperandDescription> to = succeeded(from)
                                         ? views.describe(op, target)
                                         : FailureOr<OperandDescription>();
  if (failed(to))
    return failure();
  StepDescription step;
  step.kind = kind;
  step.operands = {std::move(*from), std::move(*to)};
  description.steps.push_back(std::move(step));
  return success();
}

LogicalResult ProgramReader::readOp(Operation &op) {
  size_t read = description.steps.size();
  if (failed(readStep(op)))
    return failure();
  if (description.steps.size() != read)
    description.steps.back().isAtLoad = op.hasAttr(kAtLoadAttr);
  return success();
}

LogicalResult ProgramReader::readStep(Operation &op) {
  if (auto launch = dyn_cast<LaunchKernelOp>(op))
    return readLaunch(launch);
  if (auto matmul = dyn_cast<LibraryMatmulOp>(op))
    return readMatmul(matmul);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return readConstant(global);
  if (auto check = dyn_cast<cf::AssertOp>(op))
    return views.describe(check, check.getArg(), getMessage(check),
                          description.checks);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return readMemoryStep(fill, StepDescription::Kind::Fill,
                          fill.getInputs()[0], fill.getOutputs()[0]);
  if (auto copy = dyn_cast<linalg::CopyOp>(op))
    return readMemoryStep(copy, StepDescription::Kind::Copy,
                          copy.getInputs()[0], copy.getOutputs()[0]);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return readMemoryStep(copy, StepDescription::Kind::Copy, copy.getSource(),
                          copy.getTarget());
  if (isa<memref::ViewOp, memref::SubViewOp, memref::ExpandShapeOp,
          memref::CollapseShapeOp, memref::CastOp, memref::DimOp>(op))
    return views.visit(op);
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (isa<func::ReturnOp>(op) ||
      (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
       llvm::all_of(op.getOperandTypes(), isNumber) &&
       llvm::all_of(op.getResultTypes(), isNumber)))
    return success(); // followed where its value is used
  return op.emitError("expected a step, a view or arithmetic on numbers in a "
                      "program of a package, got '")
         << op.getName() << "'";
}

FailureOr<ProgramDescription> ProgramReader::read() {
  description.name = program.getName().str();
  if (failed(verifyName(program, description.name, "a program's name")))
    return failure();
  if (failed(readArguments()))
    return failure();
  if (!program.getBody().hasOneBlock())
    return program.emitError("expected a program of one block, got ")
           << program.getBody().getBlocks().size();
  for (Operation &op : program.getBody().front())
    if (failed(readOp(op)))
      return failure();
  return std::move(description);
}

FailureOr<std::vector<ProgramDescription>>
carousel::describePrograms(ModuleOp module, ConstantPool &constants) {
  SymbolTableCollection symbols;
  std::vector<ProgramDescription> descriptions;
  SmallVector<Operation *> read;
  for (auto program : module.getOps<func::FuncOp>()) {
    if (!program->hasAttr(CarouselDialect::kProgram) || program.isExternal())
      continue;
    FailureOr<ProgramDescription> description =
        ProgramReader(program, symbols, constants).read();
    if (failed(description))
      return failure();
    descriptions.push_back(std::move(*description));
    read.push_back(program);
  }
  for (Operation *program : read)
    program->erase();
  if (!read.empty())
    for (auto global :
         llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      if (SymbolTable::symbolKnownUseEmpty(global, module))
        global.erase();
  return descriptions;
}
