//===- FunctionsToEmitC.cpp - kernels and functions to EmitC --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has the parameters of docs/KernelABI.md: its arguments, converted to
// types of C++, in order. The start of the kernel declares its shared memory.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Three extents, or nothing: what the kernel says of its launch, or knows.
static SmallVector<int64_t> getExtents(DenseI32ArrayAttr known,
                                       ArrayRef<int64_t> launch) {
  SmallVector<int64_t> extents;
  if (known)
    llvm::append_range(extents, known.asArrayRef());
  else
    llvm::append_range(extents, launch);
  if (!extents.empty())
    extents.resize(3, 1);
  return extents;
}

static std::string spellExtents(ArrayRef<int64_t> extents) {
  return std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " +
         std::to_string(extents[2]);
}

static SmallVector<int64_t> getBlock(gpu::GPUFuncOp func) {
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  return getExtents(func.getKnownBlockSizeAttr(),
                    launch ? launch.getBlock() : ArrayRef<int64_t>());
}

static ArrayAttr getSpecifiers(gpu::GPUFuncOp func, OpBuilder &builder) {
  SmallVector<StringRef> specifiers;
  std::string bounds, cluster, registers;
  if (!func.isKernel())
    return builder.getStrArrayAttr({"static", "__device__"});
  specifiers = {"extern \"C\"", "__global__", "void"};
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  SmallVector<int64_t> block = getBlock(func);
  SmallVector<int64_t> ctas =
      getExtents(func.getKnownClusterSizeAttr(),
                 launch ? launch.getCluster() : ArrayRef<int64_t>());
  auto maxRegisters =
      func->getAttrOfType<IntegerAttr>(NVVM::NVVMDialect::getMaxnregAttrName());
  auto residentCTAs = func->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  if (!block.empty()) {
    bounds =
        "__launch_bounds__(" + std::to_string(block[0] * block[1] * block[2]);
    if (residentCTAs)
      bounds += ", " + std::to_string(residentCTAs.getInt());
    bounds += ")";
    // CUDA takes no bounds beside a number of registers.
    if (maxRegisters)
      bounds = "__maxnreg__(" + std::to_string(maxRegisters.getInt()) + ")";
    specifiers.push_back(bounds);
  } else if (maxRegisters) {
    registers = "__maxnreg__(" + std::to_string(maxRegisters.getInt()) + ")";
    specifiers.push_back(registers);
  }
  if (llvm::any_of(ctas, [](int64_t extent) { return extent != 1; })) {
    cluster = "__cluster_dims__(" + spellExtents(ctas) + ")";
    specifiers.push_back(cluster);
  }
  return builder.getStrArrayAttr(specifiers);
}

/// Names of the parameters, in the order of the ABI.
static ArrayAttr getParameterNames(gpu::GPUFuncOp func,
                                   ArrayRef<KernelParameter> parameters,
                                   OpBuilder &builder) {
  using Kind = KernelParameter::Kind;
  SmallVector<Attribute> names;
  for (const KernelParameter &parameter : parameters) {
    std::string name;
    if (auto said = func.getArgAttrOfType<ArgumentAttr>(
            parameter.position, CarouselDialect::kArgument))
      name = said.getName().str();
    else if (auto loc = dyn_cast<NameLoc>(
                 func.getArgument(parameter.position).getLoc()))
      name = loc.getName().str();
    if (name.empty())
      name = (parameter.kind == Kind::TensorMap ? "map" : "arg") +
             std::to_string(parameter.position);
    if (parameter.kind == Kind::Extent)
      name += "_extent_" + std::to_string(parameter.dim);
    if (parameter.kind == Kind::Stride)
      name += "_stride_" + std::to_string(parameter.dim);
    names.push_back(builder.getStringAttr(name));
  }
  return builder.getArrayAttr(names);
}

/// States the range of thread ids, if the kernel uses them. LLVM knows it from
/// the block, and derives trip counts of loops that start at a thread id.
static void assumeThreads(CBuilder &builder, gpu::GPUFuncOp func) {
  SmallVector<int64_t> block = getBlock(func);
  if (!func.isKernel() || block.empty())
    return;
  std::array<bool, 3> asked = {};
  func.walk([&](gpu::ThreadIdOp op) {
    asked[static_cast<unsigned>(op.getDimension())] = true;
  });
  for (auto [dim, extent] : llvm::enumerate(block)) {
    if (!asked[dim])
      continue;
    std::string text = "threadIdx." +
                       gpu::stringifyDimension(gpu::Dimension(dim)).str() +
                       " < " + std::to_string(extent);
    builder.call(Type(), "__builtin_assume",
                 builder.literal(text, builder.rewriter.getI1Type()));
  }
}

/// Declares a kernel's buffer, which is in shared memory or the thread's own.
static Value declareBuffer(ConversionPatternRewriter &rewriter,
                           const CTypes &types, gpu::GPUFuncOp kernel,
                           unsigned index) {
  StringRef align = LLVM::LLVMDialect::getAlignAttrName();
  unsigned shared = kernel.getNumWorkgroupAttributions();
  bool isShared = index < shared;
  BlockArgument buffer = isShared
                             ? kernel.getWorkgroupAttributions()[index]
                             : kernel.getPrivateAttributions()[index - shared];
  Attribute alignment =
      isShared ? kernel.getWorkgroupAttributionAttr(index, align)
               : kernel.getPrivateAttributionAttr(index - shared, align);
  CBuilder builder(rewriter, buffer.getLoc(), types);
  return builder.array(cast<MemRefType>(buffer.getType()), alignment, isShared);
}

namespace {

struct KernelToEmitC : public OpConversionPattern<gpu::GPUFuncOp> {
  KernelToEmitC(const CTypes &types, MLIRContext *context)
      : OpConversionPattern(types, context), types(types) {}

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBody().hasOneBlock() || !op.getResultTypes().empty())
      return rewriter.notifyMatchFailure(op, "branches have no form in EmitC");
    FailureOr<SmallVector<KernelParameter>> parameters =
        getKernelParameters(op);
    if (failed(parameters))
      return failure();
    Block *entry = &op.getBody().front();
    unsigned inputs = op.getFunctionType().getNumInputs();
    TypeConverter::SignatureConversion signature(entry->getNumArguments());
    SmallVector<Type> parameterTypes;
    for (unsigned i = 0; i < inputs; ++i) {
      SmallVector<Type> converted;
      if (failed(types.convertType(entry->getArgument(i).getType(), converted)))
        return failure();
      if (op.isKernel() && isa<TensorMapType>(entry->getArgument(i).getType()))
        converted = {emitc::OpaqueType::get(
            op.getContext(), "const __grid_constant__ carousel::tensor_map")};
      signature.addInputs(i, converted);
      parameterTypes.append(converted);
    }
    if (parameterTypes.size() != parameters->size())
      return op.emitError("expected as many parameters as the kernel ABI has, ")
             << parameters->size() << ", got " << parameterTypes.size();

    auto func =
        emitc::FuncOp::create(rewriter, op.getLoc(), op.getName(),
                              rewriter.getFunctionType(parameterTypes, {}));
    func.setSpecifiersAttr(getSpecifiers(op, rewriter));
    func->setDiscardableAttr(TextAttrs::kParameters,
                             getParameterNames(op, *parameters, rewriter));
    if (op.isKernel())
      func->setDiscardableAttr(TextAttrs::kKernel, rewriter.getUnitAttr());

    // Other values than parameters: maps are referred to, buffers declared.
    CBuilder builder(rewriter, op.getLoc(), types);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(entry);
    assumeThreads(builder, op);
    for (unsigned i = 0; i < entry->getNumArguments() - inputs; ++i) {
      Value pointer = declareBuffer(rewriter, types, op, i);
      if (!pointer) // excluded by C188
        return rewriter.notifyMatchFailure(op, "a buffer with a layout");
      signature.remapInput(inputs + i, pointer);
    }
    rewriter.inlineRegionBefore(op.getBody(), func.getBody(), func.end());
    Block *block = rewriter.applySignatureConversion(entry, signature, &types);
    (void)block;
    rewriter.eraseOp(op);
    return success();
  }

private:
  const CTypes &types;
};

} // namespace

static LogicalResult lowerReturn(gpu::ReturnOp op, AdaptorOf<gpu::ReturnOp>,
                                 CBuilder &builder) {
  if (op.getNumOperands() != 0)
    return failure();
  builder.rewriter.replaceOpWithNewOp<emitc::ReturnOp>(op, Value());
  return success();
}

/// Bytes of unknown extent, which memref.dim says to be none.
static LogicalResult lowerDynamicShared(gpu::DynamicSharedMemoryOp op,
                                        AdaptorOf<gpu::DynamicSharedMemoryOp>,
                                        CBuilder &builder) {
  SmallVector<Type> converted;
  if (failed(builder.types.convertType(op.getType(), converted)))
    return failure();
  Value bytes = builder.literal(TextAttrs::kDynamicShared, converted.front());
  builder.rewriter.replaceOpWithMultiple(
      op, ArrayRef<SmallVector<Value>>{{bytes, builder.index(0)}});
  return success();
}

//===----------------------------------------------------------------------===//
// Device functions
//===----------------------------------------------------------------------===//

/// Returns a function's types of results: none, one, or one that holds all.
static FailureOr<SmallVector<Type>> getReturned(const CTypes &types,
                                                TypeRange results) {
  SmallVector<Type> converted;
  if (failed(types.convertTypes(results, converted)))
    return failure();
  if (converted.size() <= 1)
    return converted;
  std::string text;
  for (Type type : converted) {
    std::string element = types.spell(type);
    if (element.empty())
      return failure();
    text += (text.empty() ? "carousel::results<" : ", ") + element;
  }
  return SmallVector<Type>{
      emitc::OpaqueType::get(types.getIndexType().getContext(), text + ">")};
}

namespace {

struct FunctionToEmitC : public OpConversionPattern<func::FuncOp> {
  FunctionToEmitC(const CTypes &types, MLIRContext *context)
      : OpConversionPattern(types, context), types(types) {}

  LogicalResult
  matchAndRewrite(func::FuncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    if (!op.isExternal() && !op.getBody().hasOneBlock())
      return rewriter.notifyMatchFailure(op, "branches");
    // LLVM lays several out as it likes.
    if (op.isExternal() && type.getNumResults() > 1)
      return op.emitError("expected at most one result of a function without a "
                          "body, got ")
             << type.getNumResults();
    // LLVM passes descriptors to functions that it doesn't see.
    if (op.isExternal() && llvm::any_of(type.getInputs(), [](Type input) {
          return isa<BaseMemRefType>(input);
        }))
      return op.emitError(
                 "expected no memref among the arguments of a function "
                 "without a body, got ")
             << type;
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    FailureOr<SmallVector<Type>> results =
        getReturned(types, type.getResults());
    if (failed(types.convertSignatureArgs(type.getInputs(), signature)) ||
        failed(results))
      return failure();
    auto func = emitc::FuncOp::create(
        rewriter, op.getLoc(), op.getName(),
        rewriter.getFunctionType(signature.getConvertedTypes(), *results));
    bool isInternal = op.isPrivate() && !op.isExternal();
    func.setSpecifiersAttr(
        isInternal ? rewriter.getStrArrayAttr({"static", "__device__"})
                   : rewriter.getStrArrayAttr({"extern \"C\"", "__device__"}));
    if (op.isExternal())
      func.setVisibility(SymbolTable::Visibility::Private);
    if (!op.isExternal()) {
      rewriter.inlineRegionBefore(op.getBody(), func.getBody(), func.end());
      rewriter.applySignatureConversion(&func.getBody().front(), signature,
                                        &types);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  const CTypes &types;
};

} // namespace

static LogicalResult lowerFunctionReturn(func::ReturnOp op,
                                         AdaptorOf<func::ReturnOp> adaptor,
                                         CBuilder &builder) {
  SmallVector<Value> values = flatten(adaptor.getOperands());
  FailureOr<SmallVector<Type>> returned =
      getReturned(builder.types, op.getOperandTypes());
  if (failed(returned))
    return failure();
  if (values.size() > 1)
    values = {builder.list(returned->front(), values)};
  builder.rewriter.replaceOpWithNewOp<emitc::ReturnOp>(
      op, values.empty() ? Value() : values.front());
  return success();
}

static LogicalResult lowerCall(func::CallOp op, AdaptorOf<func::CallOp> adaptor,
                               CBuilder &builder) {
  FailureOr<SmallVector<Type>> returned =
      getReturned(builder.types, op.getResultTypes());
  if (failed(returned))
    return failure();
  auto call =
      emitc::CallOp::create(builder.rewriter, builder.loc, op.getCalleeAttr(),
                            *returned, flatten(adaptor.getOperands()));
  // A memref is several values; one value is no list.
  SmallVector<Type> all;
  if (failed(builder.types.convertTypes(op.getResultTypes(), all)))
    return failure();
  auto get = [&](size_t number) -> Value {
    if (all.size() == 1)
      return call.getResult(0);
    return builder.pure(all[number], "carousel::result", call.getResult(0),
                        {std::to_string(number)});
  };
  size_t number = 0;
  SmallVector<SmallVector<Value>> results;
  for (Type type : op.getResultTypes()) {
    SmallVector<Type> parts;
    if (failed(builder.types.convertType(type, parts)))
      return failure();
    results.emplace_back();
    for (size_t i = 0; i < parts.size(); ++i)
      results.back().push_back(get(number++));
  }
  builder.rewriter.replaceOpWithMultiple(op, std::move(results));
  return success();
}

void carousel::populateFunctionsToEmitC(RewritePatternSet &patterns,
                                        const CTypes &types) {
  patterns.add<KernelToEmitC, FunctionToEmitC>(types, patterns.getContext());
  addPattern<gpu::ReturnOp>(patterns, types, lowerReturn);
  addPattern<gpu::DynamicSharedMemoryOp>(patterns, types, lowerDynamicShared);
  addPattern<func::ReturnOp>(patterns, types, lowerFunctionReturn);
  addPattern<func::CallOp>(patterns, types, lowerCall);
}
