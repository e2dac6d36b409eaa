//===- LowerMachineOps.cpp - gpu and carousel ops to calls ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the ops of the machine by calls, and then each memory space, barrier
// and tensor map type by its type on the host. The result has upstream dialects
// on plain memory only.
//
//===----------------------------------------------------------------------===//

#include "MachineLowering.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

std::string sim::describeLocation(Location location) {
  // Innermost first: the location of the op, and not that of a call.
  while (true) {
    if (auto file = dyn_cast<FileLineColLoc>(location))
      return file.getFilename().str() + ":" + std::to_string(file.getLine()) +
             ":" + std::to_string(file.getColumn());
    if (auto name = dyn_cast<NameLoc>(location)) {
      location = name.getChildLoc();
    } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
      location = call.getCallee();
    } else if (auto fused = dyn_cast<FusedLoc>(location)) {
      for (Location part : fused.getLocations())
        if (std::string text = describeLocation(part); !text.empty())
          return text;
      return "";
    } else {
      return "";
    }
  }
}

Site SiteTable::get(Location location) {
  if (isOfCaller(location))
    return kSiteOfCaller;
  auto [it, isNew] = sites.try_emplace(location, Site(texts.size()));
  if (!isNew)
    return it->second;
  std::string text = describeLocation(location);
  if (text.empty())
    return it->second = 0;
  texts.push_back(std::move(text));
  return it->second;
}

Site SiteTable::add(std::string text) {
  texts.push_back(std::move(text));
  return Site(texts.size() - 1);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value MachineCall::i32(int64_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value MachineCall::i64(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI64IntegerAttr(value));
}

Value MachineCall::i32(Value value, std::optional<uint32_t> literal) {
  return value ? value : i32(literal.value_or(0));
}

Value MachineCall::pointerOrNull(Value value) {
  if (value)
    return value;
  return LLVM::ZeroOp::create(builder, loc,
                              LLVM::LLVMPointerType::get(builder.getContext()));
}

Value MachineCall::emit(StringRef name, ValueRange arguments, Type result) {
  Type i32Type = builder.getI32Type();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  auto add = [&](Value value) {
    operands.push_back(value);
    types.push_back(value.getType());
  };
  for (Value argument : arguments) {
    auto integer = dyn_cast<IntegerType>(argument.getType());
    if (integer && integer.getWidth() < 32)
      argument = LLVM::ZExtOp::create(builder, loc, i32Type, argument);
    add(argument);
  }
  add(i32(site));
  bool isFlag = result && result.isInteger(1);
  Type returned = isFlag ? i32Type : result;
  if (!returned)
    returned = LLVM::LLVMVoidType::get(builder.getContext());
  auto module = where->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    // Where the next look-up, which goes through the module, finds it early.
    OpBuilder atBegin = OpBuilder::atBlockBegin(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        atBegin, loc, name, LLVM::LLVMFunctionType::get(returned, types));
  }
  auto call = LLVM::CallOp::create(builder, loc, function, operands);
  if (!result)
    return Value();
  if (isFlag)
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                call.getResult(), i32(0));
  return call.getResult();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Type getElementStorage(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<MbarrierType>(type))
    return IntegerType::get(context, 8 * rules::kMbarrierBytes);
  if (isa<TensorMapType>(type))
    return VectorType::get(rules::kTensorMapBytes,
                           IntegerType::get(context, 8));
  return type;
}

MemRefType sim::getStorageType(MemRefType type) {
  return MemRefType::Builder(type)
      .setElementType(getElementStorage(type.getElementType()))
      .setMemorySpace({});
}

static UnrankedMemRefType getStorageType(UnrankedMemRefType type) {
  return UnrankedMemRefType::get(getElementStorage(type.getElementType()),
                                 /*memorySpace=*/Attribute());
}

static void populateTypeConversions(LLVMTypeConverter &converter) {
  MLIRContext *context = &converter.getContext();
  converter.addConversion(
      [=](MbarrierStateType) -> Type { return IntegerType::get(context, 64); });
  converter.addConversion([=](MatrixDescriptorType) -> Type {
    return IntegerType::get(context, 64);
  });
  converter.addConversion([=](WgmmaRegistersType) -> Type {
    return IntegerType::get(context, 64);
  });
  converter.addConversion([=](TensorMapType) -> Type {
    return LLVM::LLVMPointerType::get(context);
  });
  converter.addConversion(
      [=](MbarrierType type) -> Type { return getElementStorage(type); });
  converter.addConversion([&converter](MemRefType type) -> std::optional<Type> {
    MemRefType storage = getStorageType(type);
    if (storage == type)
      return std::nullopt;
    return converter.convertType(storage);
  });
  converter.addConversion(
      [&converter](UnrankedMemRefType type) -> std::optional<Type> {
        UnrankedMemRefType storage = getStorageType(type);
        if (storage == type)
          return std::nullopt;
        return converter.convertType(storage);
      });
  converter.addTypeAttributeConversion(
      [](BaseMemRefType,
         Attribute) -> TypeConverter::AttributeConversionResult {
        return Attribute();
      });
}

static AttrTypeReplacer getTypeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](MemRefType type) -> std::optional<std::pair<Type, WalkResult>> {
        return std::make_pair(Type(getStorageType(type)), WalkResult::skip());
      });
  replacer.addReplacement([](UnrankedMemRefType type)
                              -> std::optional<std::pair<Type, WalkResult>> {
    return std::make_pair(Type(getStorageType(type)), WalkResult::skip());
  });
  replacer.addReplacement([](MbarrierStateType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  replacer.addReplacement([](MatrixDescriptorType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  replacer.addReplacement([](WgmmaRegistersType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  replacer.addReplacement([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  return replacer;
}

/// Whether an op is lowered to calls of the machine.
static bool isOfMachine(Operation *op) {
  bool isOfDialects =
      isa_and_nonnull<CarouselDialect, gpu::GPUDialect>(op->getDialect());
  return (isOfDialects && !isa<RoundTF32Op>(op)) ||
         isa<memref::GetGlobalOp, cf::AssertOp>(op);
}

static LogicalResult verifyLowered(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isOfMachine(op))
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitError(
        "expected operands and results that the simulated machine has for '");
    error << op->getName() << "', got ";
    llvm::interleaveComma(op->getOperandTypes(), error);
    error << " and ";
    llvm::interleaveComma(op->getResultTypes(), error);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult sim::lowerMachineOps(KernelModule &kernel, SiteTable &sites,
                                   Assertions &assertions) {
  MLIRContext *context = kernel.module->getContext();
  LLVMTypeConverter converter(context);
  populateTypeConversions(converter);

  LoweringContext lowering{kernel, sites, assertions, converter};
  RewritePatternSet patterns(context);
  populateThreadOps(lowering, patterns);
  populateMbarrierOps(lowering, patterns);
  populateCopyOps(lowering, patterns);
  populateTensorOps(lowering, patterns);
  populateSyncOps(lowering, patterns);
  populateTileOps(lowering, patterns);
  populateProductOps(lowering, patterns);

  ConversionTarget target(*context);
  // An op without a pattern stays, and is reported by its name.
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return isOfMachine(op) ? std::nullopt : std::optional(true);
  });
  if (failed(applyPartialConversion(*kernel.module, target,
                                    std::move(patterns))) ||
      failed(verifyLowered(*kernel.module)))
    return failure();
  for (auto global :
       llvm::make_early_inc_range(kernel.module->getOps<memref::GlobalOp>()))
    global.erase();
  getTypeReplacer().recursivelyReplaceElementsIn(
      *kernel.module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
      /*replaceTypes=*/true);
  return success();
}
