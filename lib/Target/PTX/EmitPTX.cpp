//===- EmitPTX.cpp - PTX from the target phase ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands a gpu.module to the serialisation of its `#nvvm.target`, which
// translates it to LLVM IR, links libdevice, optimises and prints PTX.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitPTX.h"

#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

void carousel::registerPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
}

/// The first libdevice function that the module calls, or an empty name.
static StringRef findMathFunction(gpu::GPUModuleOp module) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func.isExternal() && func.getName().starts_with("__nv_"))
      return func.getName();
  return {};
}

FailureOr<std::string> carousel::emitPTX(gpu::GPUModuleOp module,
                                         const EmitPTXOptions &options) {
  if (failed(getTargetSpec(module)))
    return failure();
  auto target = dyn_cast<gpu::TargetAttrInterface>(module.getTargetsAttr()[0]);
  if (!target) {
    emitError(module.getLoc())
        << "expected the serialisation of #nvvm.target to be registered";
    return failure();
  }
  // Only kernels that need it pay for reading it, or hear that it is not there.
  StringRef math = findMathFunction(module);
  SmallString<128> libdevice(options.cudaRoot);
  llvm::sys::path::append(libdevice, "nvvm", "libdevice", "libdevice.10.bc");
  bool found = llvm::sys::fs::exists(libdevice);
  if (!math.empty() && !options.cudaRoot.empty() && !found) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no '" << libdevice << "'";
    return failure();
  }
  gpu::TargetOptions targetOptions(
      found && !math.empty() ? StringRef(options.cudaRoot) : StringRef(), {},
      "", "", gpu::CompilationTarget::Assembly);
  std::optional<SmallVector<char, 0>> object =
      target.serializeToObject(module, targetOptions);
  if (!object) {
    emitError(module.getLoc()) << "translation to PTX failed";
    return failure();
  }
  std::string ptx(object->begin(), object->end());
  // The serialisation ends the text with a null byte for the driver's loader.
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  if (!math.empty() && StringRef(ptx).contains(".extern .func")) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no CUDA toolkit";
    return failure();
  }
  return ptx;
}
