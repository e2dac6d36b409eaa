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
using namespace carousel::sim::plan;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Attribute toNumberAttr(Type type, uint64_t bits) {
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
    error = failAt(user, "expected memory that the program knows, got none");
  else if (isFreed[known->second.buffer])
    error = failAt(user, "expected memory that is allocated, got " +
                             known->second.memory.name +
                             " after its memref.dealloc");
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
    addBuffer(argument, value);
  } else {
    numbers[argument] = toNumberAttr(argument.getType(), value.bits);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void ProgramPlan::addBuffer(Value value, Argument memory) {
  View view = {std::move(memory), unsigned(isFreed.size())};
  view.setBase();
  views[value] = std::move(view);
  isFreed.push_back(false);
}

std::string ProgramPlan::allocateBuffer(memref::AllocOp op, Allocate allocate) {
  MemRefType type = op.getType();
  Argument memory;
  memory.extents = getIndices(op.getMixedSizes());
  auto strides = computeStrides(memory.extents, getBytes(type));
  if (!strides || !type.getLayout().isIdentity())
    return failAt(op, "expected a contiguous buffer with extents that memory "
                      "can have, got " +
                          printExtents(memory.extents));
  memory.strides = *strides;
  memory.isWritten = false;
  memory.name = nameBuffer(op);
  memory.data = allocate(countElements(memory.extents) * getBytes(type));
  addBuffer(op.getResult(), std::move(memory));
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
    return failAt(op, "expected a constant whose elements are numbers, got @" +
                          op.getName());
  Argument memory;
  llvm::append_range(memory.extents, op.getType().getShape());
  memory.strides = *computeStrides(memory.extents, getBytes(op.getType()));
  memory.name = op.getName().str();
  memory.data = allocate(bytes->size());
  std::memcpy(memory.data, bytes->data(), bytes->size());
  addBuffer(op.getResult(), std::move(memory));
  return "";
}

std::string ProgramPlan::free(memref::DeallocOp op) {
  std::string error;
  if (const View *view = getView(op, op.getMemref(), error))
    isFreed[view->buffer] = true;
  return error;
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
    return failAt(&op, "expected an op that a program on buffers has, got '" +
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
    return failAt(&op, "expected '" + op.getName().getStringRef() +
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
      return failAt(&op, "expected memrefs of equal extents in a copy, got " +
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
        return failAt(op, formatv("expected extents that agree along loop {0}, "
                                  "got {1} and {2}",
                                  loop, extents[loop], extent));
      extents[loop] = extent;
    }
  // The bias is as long as n, and the residual as the result.
  const Argument *added = steps.back().operands.data() + 3;
  if (int64_t n = extents[op.countBatches() + 1];
      op.getBias() && (added++)->extents[0] != n)
    return failAt(op, formatv("expected a bias of {0} elements, got {1}", n,
                              added[-1].extents[0]));
  const Argument &output = steps.back().operands[2];
  if (op.getResidual() && added->extents != output.extents)
    return failAt(op, "expected a residual of the result's extents " +
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
      .Case([&](memref::ReinterpretCastOp view) { return reinterpret(view); })
      .Case([&](memref::ExtractStridedMetadataOp layout) {
        return readLayout(layout);
      })
      .Case([&](memref::DimOp dim) {
        std::string error;
        const View *view = getView(dim, dim.getSource(), error);
        if (!view)
          return error;
        int64_t index = getIndex(dim.getIndex());
        if (index < 0 || index >= int64_t(view->memory.extents.size()))
          return failAt(dim, "expected a dimension of the memref, got " +
                                 Twine(index));
        numbers[dim.getResult()] =
            IntegerAttr::get(dim.getType(), view->memory.extents[index]);
        return std::string();
      })
      .Case([&](cf::AssertOp check) {
        return getIndex(check.getArg()) ? std::string()
                                        : failAt(check, check.getMsg());
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
