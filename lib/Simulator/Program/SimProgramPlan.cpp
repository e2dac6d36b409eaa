//===- SimProgramPlan.cpp - what a program does with its arguments --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimProgramPlan.h"

#include "../Compile/KernelModule.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/ConstantBytes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace carousel::sim;
using llvm::formatv;

static std::string fail(Operation *op, const Twine &message) {
  std::string place = describeLocation(op->getLoc());
  return (place.empty() ? message : place + ": " + message).str();
}

static uint64_t getBytes(MemRefType type) {
  return getElementBytes(type.getElementType()).value_or(1);
}

/// The name in the file, if the parser kept it.
static std::string nameBuffer(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "buffer at " + describeLocation(op->getLoc());
}

/// Row-major strides; nothing if the elements don't fit 48 bits of address.
static std::optional<SmallVector<int64_t>>
computeStrides(ArrayRef<int64_t> extents, uint64_t elementBytes) {
  SmallVector<int64_t> strides(extents.size());
  int64_t elements = 1, bytes;
  for (size_t dim = extents.size(); dim-- > 0;) {
    strides[dim] = elements;
    if (extents[dim] < 0 ||
        __builtin_mul_overflow(elements, std::max<int64_t>(extents[dim], 1),
                               &elements) ||
        __builtin_mul_overflow(elements, int64_t(elementBytes), &bytes) ||
        bytes >> 48)
      return std::nullopt;
  }
  return strides;
}

static int64_t countElements(ArrayRef<int64_t> extents) {
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= extent;
  return elements;
}

static std::string printExtents(ArrayRef<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "no dimensions" : text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Attribute toAttribute(Type type, uint64_t bits) {
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floating.getFloatSemantics(),
                                        APInt(floating.getWidth(), bits)));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, APInt(width, bits, /*isSigned=*/false,
                                      /*implicitTrunc=*/true));
}

static uint64_t toBits(Attribute number) {
  if (auto floating = dyn_cast<FloatAttr>(number))
    return floating.getValue().bitcastToAPInt().getZExtValue();
  return llvm::cast<IntegerAttr>(number).getValue().getZExtValue();
}

const ProgramPlan::View *ProgramPlan::getView(Operation *user, Value value,
                                              std::string &error) const {
  auto known = views.find(value);
  if (known == views.end())
    error = fail(user, "expected memory that the program knows, got none");
  else if (isFreed[known->second.buffer])
    error =
        fail(user, "expected memory that is allocated, got " +
                       known->second.memory.name + " after its memref.dealloc");
  else
    return &known->second;
  return nullptr;
}

int64_t ProgramPlan::getIndex(OpFoldResult value) const {
  auto attribute = dyn_cast<Attribute>(value);
  if (!attribute)
    attribute = numbers.lookup(llvm::cast<Value>(value));
  return llvm::cast<IntegerAttr>(attribute).getValue().getSExtValue();
}

SmallVector<int64_t>
ProgramPlan::getIndices(ArrayRef<OpFoldResult> values) const {
  return llvm::map_to_vector(
      values, [this](OpFoldResult value) { return getIndex(value); });
}

std::string ProgramPlan::bind(Value argument, const Argument &value) {
  if (auto type = dyn_cast<MemRefType>(argument.getType())) {
    unsigned number = llvm::cast<BlockArgument>(argument).getArgNumber();
    if (int64_t(value.extents.size()) != type.getRank() ||
        int64_t(value.strides.size()) != type.getRank())
      return formatv("expected {0} extents and strides for argument {1}",
                     type.getRank(), number);
    for (auto [dim, extent] : llvm::enumerate(value.extents))
      if (!type.isDynamicDim(dim) && type.getDimSize(dim) != extent)
        return formatv("expected extent {0} in dimension {1} of argument {2}, "
                       "got {3}",
                       type.getDimSize(dim), dim, number, extent);
    views[argument] = {value, unsigned(isFreed.size())};
    isFreed.push_back(false);
  } else {
    numbers[argument] = toAttribute(argument.getType(), value.bits);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::string ProgramPlan::allocateBuffer(memref::AllocOp op, Allocate allocate) {
  MemRefType type = op.getType();
  View view;
  view.memory.extents = getIndices(op.getMixedSizes());
  auto strides = computeStrides(view.memory.extents, getBytes(type));
  if (!strides || !type.getLayout().isIdentity())
    return fail(op, "expected a contiguous buffer with extents that memory "
                    "can have, got " +
                        printExtents(view.memory.extents));
  view.memory.strides = *strides;
  view.memory.isWritten = false;
  view.memory.name = nameBuffer(op);
  view.memory.data =
      allocate(countElements(view.memory.extents) * getBytes(type));
  view.buffer = isFreed.size();
  isFreed.push_back(false);
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::getConstant(memref::GetGlobalOp op,
                                     Allocate allocate) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  std::optional<std::string> bytes;
  if (global)
    bytes = getConstantBytes(global);
  if (!bytes)
    return fail(op, "expected a constant whose elements are numbers, got @" +
                        op.getName());
  View view;
  llvm::append_range(view.memory.extents, op.getType().getShape());
  view.memory.strides =
      *computeStrides(view.memory.extents, getBytes(op.getType()));
  view.memory.name = op.getName().str();
  view.memory.data = allocate(bytes->size());
  std::memcpy(view.memory.data, bytes->data(), bytes->size());
  view.buffer = isFreed.size();
  isFreed.push_back(false);
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::free(memref::DeallocOp op) {
  std::string error;
  if (const View *view = getView(op, op.getMemref(), error))
    isFreed[view->buffer] = true;
  return error;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::string ProgramPlan::slice(memref::SubViewOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  SmallVector<int64_t> offsets = getIndices(op.getMixedOffsets());
  SmallVector<int64_t> sizes = getIndices(op.getMixedSizes());
  SmallVector<int64_t> steps = getIndices(op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  View view = *source;
  view.memory.extents.clear();
  view.memory.strides.clear();
  int64_t first = 0;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    int64_t extent = source->memory.extents[dim];
    int64_t reach;
    if (offsets[dim] < 0 || sizes[dim] < 0 || steps[dim] < 0 ||
        __builtin_mul_overflow(std::max<int64_t>(sizes[dim] - 1, 0), steps[dim],
                               &reach) ||
        __builtin_add_overflow(reach, offsets[dim], &reach) ||
        (sizes[dim] == 0 ? offsets[dim] > extent : reach >= extent))
      return fail(op,
                  formatv("expected a slice inside of extent {0} in "
                          "dimension {1}, got {2} elements from {3} on in "
                          "steps of {4}",
                          extent, dim, sizes[dim], offsets[dim], steps[dim]));
    first += offsets[dim] * source->memory.strides[dim];
    if (dropped.test(dim))
      continue;
    view.memory.extents.push_back(sizes[dim]);
    view.memory.strides.push_back(steps[dim] * source->memory.strides[dim]);
  }
  view.memory.data = static_cast<char *>(view.memory.data) +
                     first * int64_t(getBytes(op.getType()));
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::expand(memref::ExpandShapeOp op) {
  std::string error;
  const View *source = getView(op, op.getSrc(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents = getIndices(op.getMixedOutputShape());
  view.memory.strides.assign(view.memory.extents.size(), 1);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source->memory.strides[dim], elements = 1;
    for (int64_t inner : llvm::reverse(group)) {
      view.memory.strides[inner] = stride * elements;
      elements *= view.memory.extents[inner];
    }
    if (elements != source->memory.extents[dim])
      return fail(op, formatv("expected extents whose product is {0} for "
                              "dimension {1}, got {2}",
                              source->memory.extents[dim], dim, elements));
  }
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::collapse(memref::CollapseShapeOp op) {
  std::string error;
  const View *source = getView(op, op.getSrc(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents.clear();
  view.memory.strides.clear();
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    int64_t elements = 1;
    std::optional<int64_t> stride;
    for (int64_t inner : llvm::reverse(group)) {
      int64_t extent = source->memory.extents[inner];
      // A dimension of one element has no stride that matters.
      if (extent != 1 && !stride)
        stride = source->memory.strides[inner];
      else if (extent > 1 && elements != 0 &&
               source->memory.strides[inner] != *stride * elements)
        return fail(op, formatv("expected stride {0} in dimension {1}, so "
                                "that it can be collapsed, got {2}",
                                *stride * elements, inner,
                                source->memory.strides[inner]));
      elements *= extent;
    }
    view.memory.extents.push_back(elements);
    view.memory.strides.push_back(stride.value_or(1));
  }
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::cast(memref::CastOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!source)
    return error;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return fail(op, "expected a cast to a strided memref");
  for (unsigned dim = 0; dim < strides.size(); ++dim) {
    int64_t extent = source->memory.extents[dim];
    int64_t stride = source->memory.strides[dim];
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != extent)
      return fail(op, formatv("expected extent {0} in dimension {1} of the "
                              "memref that is cast, got {2}",
                              type.getDimSize(dim), dim, extent));
    if (!ShapedType::isDynamic(strides[dim]) && strides[dim] != stride &&
        extent > 1)
      return fail(op, formatv("expected stride {0} in dimension {1} of the "
                              "memref that is cast, got {2}",
                              strides[dim], dim, stride));
  }
  View view = *source;
  views[op.getResult()] = std::move(view);
  return "";
}

std::string ProgramPlan::viewBytes(memref::ViewOp op) {
  std::string error;
  const View *source = getView(op, op.getSource(), error);
  if (!source)
    return error;
  View view = *source;
  view.memory.extents.clear();
  auto sizes = op.getSizes().begin();
  for (int64_t extent : op.getType().getShape())
    view.memory.extents.push_back(
        ShapedType::isDynamic(extent) ? getIndex(*sizes++) : extent);
  auto strides = computeStrides(view.memory.extents, getBytes(op.getType()));
  int64_t shift = getIndex(op.getByteShift());
  int64_t bytes = source->memory.extents.front();
  if (!strides || shift < 0 || shift > bytes ||
      countElements(view.memory.extents) * int64_t(getBytes(op.getType())) >
          bytes - shift)
    return fail(op, formatv("expected a view inside of {0} bytes, got {1} "
                            "elements of {2} bytes from {3} on",
                            bytes, printExtents(view.memory.extents),
                            getBytes(op.getType()), shift));
  view.memory.strides = *strides;
  view.memory.data = static_cast<char *>(view.memory.data) + shift;
  view.memory.name = nameBuffer(op);
  views[op.getResult()] = std::move(view);
  return "";
}

//===----------------------------------------------------------------------===//
// Numbers and steps
//===----------------------------------------------------------------------===//

/// Folds an op whose operands are all known.
std::string ProgramPlan::compute(Operation &op) {
  Attribute constant;
  if (matchPattern(&op, m_Constant(&constant))) {
    numbers[op.getResult(0)] = constant;
    return "";
  }
  bool isNumeric = isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
                   op.getNumResults() != 0;
  for (Type type :
       llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    isNumeric &= type.isIntOrIndexOrFloat();
  if (!isNumeric)
    return fail(&op, "expected an op that a program on buffers has, got '" +
                         op.getName().getStringRef() + "'");
  // A fold may put operands in another order first.
  SmallVector<OpFoldResult> results;
  for (int attempt = 0; attempt < 3 && results.empty(); ++attempt) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(numbers.lookup(operand));
    if (failed(op.fold(operands, results)))
      break;
  }
  if (results.size() != op.getNumResults())
    return fail(&op, "expected '" + op.getName().getStringRef() +
                         "' to have a value for its operands");
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results)) {
    auto attribute = dyn_cast<Attribute>(value);
    numbers[result] =
        attribute ? attribute : numbers.lookup(llvm::cast<Value>(value));
  }
  return "";
}

std::string ProgramPlan::addStep(Operation &op) {
  ProgramStep step;
  step.op = &op;
  const Argument *first = nullptr;
  step.operands.reserve(op.getNumOperands());
  for (Value operand : op.getOperands()) {
    Argument &argument = step.operands.emplace_back();
    if (!isa<MemRefType>(operand.getType())) {
      argument.bits = toBits(numbers.lookup(operand));
      continue;
    }
    std::string error;
    const View *view = getView(&op, operand, error);
    if (!view)
      return error;
    argument = view->memory;
    if (!first)
      first = &argument;
    else if (!isa<LaunchKernelOp, LibraryMatmulOp>(op) &&
             first->extents != argument.extents)
      return fail(&op, "expected memrefs of equal extents in a copy, got " +
                           printExtents(first->extents) + " and " +
                           printExtents(argument.extents));
  }
  steps.push_back(std::move(step));
  return "";
}

/// The operands of the last step are equally long along each loop.
std::string ProgramPlan::checkExtents(LibraryMatmulOp op) {
  SmallVector<int64_t> extents(op.countBatches() + 3, -1);
  for (unsigned operand = 0; operand < 3; ++operand)
    for (auto [dim, expr] :
         llvm::enumerate(op.getIndexingMap(operand).getResults())) {
      unsigned loop = llvm::cast<AffineDimExpr>(expr).getPosition();
      int64_t extent = steps.back().operands[operand].extents[dim];
      if (extents[loop] >= 0 && extents[loop] != extent)
        return fail(op, formatv("expected extents that agree along loop {0}, "
                                "got {1} and {2}",
                                loop, extents[loop], extent));
      extents[loop] = extent;
    }
  // The bias is as long as n, and the residual as the result.
  const Argument *added = steps.back().operands.data() + 3;
  if (int64_t n = extents[op.countBatches() + 1];
      op.getBias() && (added++)->extents[0] != n)
    return fail(op, formatv("expected a bias of {0} elements, got {1}", n,
                            added[-1].extents[0]));
  const Argument &output = steps.back().operands[2];
  if (op.getResidual() && added->extents != output.extents)
    return fail(op, "expected a residual of the result's extents " +
                        printExtents(output.extents) + ", got " +
                        printExtents(added->extents));
  return "";
}

std::string ProgramPlan::interpret(Operation &op, Allocate allocate) {
  return llvm::TypeSwitch<Operation *, std::string>(&op)
      .Case([&](memref::AllocOp alloc) {
        return allocateBuffer(alloc, allocate);
      })
      .Case([&](memref::DeallocOp dealloc) { return free(dealloc); })
      .Case([&](memref::GetGlobalOp global) {
        return getConstant(global, allocate);
      })
      .Case([&](memref::SubViewOp view) { return slice(view); })
      .Case([&](memref::ExpandShapeOp view) { return expand(view); })
      .Case([&](memref::CollapseShapeOp view) { return collapse(view); })
      .Case([&](memref::CastOp view) { return cast(view); })
      .Case([&](memref::ViewOp view) { return viewBytes(view); })
      .Case([&](memref::DimOp dim) {
        std::string error;
        const View *view = getView(dim, dim.getSource(), error);
        if (!view)
          return error;
        int64_t index = getIndex(dim.getIndex());
        if (index < 0 || index >= int64_t(view->memory.extents.size()))
          return fail(dim, "expected a dimension of the memref, got " +
                               Twine(index));
        numbers[dim.getResult()] =
            IntegerAttr::get(dim.getType(), view->memory.extents[index]);
        return std::string();
      })
      .Case([&](cf::AssertOp check) {
        return getIndex(check.getArg()) ? std::string()
                                        : fail(check, check.getMsg());
      })
      .Case([&](LibraryMatmulOp matmul) {
        std::string error = addStep(*matmul);
        return error.empty() ? checkExtents(matmul) : error;
      })
      .Case<LaunchKernelOp, memref::CopyOp, linalg::FillOp, linalg::CopyOp>(
          [&](Operation *step) { return addStep(*step); })
      .Case([&](func::ReturnOp) { return std::string(); })
      .Default([&](Operation *other) { return compute(*other); });
}

std::string ProgramPlan::make(func::FuncOp program,
                              ArrayRef<Argument> arguments, Allocate allocate) {
  for (auto [argument, value] :
       llvm::zip_equal(program.getArguments(), arguments))
    if (std::string error = bind(argument, value); !error.empty())
      return error;
  for (Operation &op : program.getBody().front())
    if (std::string error = interpret(op, allocate); !error.empty())
      return error;
  return "";
}
