//===- EmitPTX.cpp - PTX from the target phase ---===//
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
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

void carousel::registerPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
}

FailureOr<std::string> carousel::emitPTX(gpu::GPUModuleOp module,
                                         const EmitPTXOptions &options) {
  if (failed(getTargetSpec(module)))
    return failure();
  auto target = dyn_cast<gpu::TargetAttrInterface>(module.getTargetsAttr()[0]);
  if (!target) {
    module.emitError(
        "expected the serialisation of #nvvm.target to be registered");
    return failure();
  }
  gpu::TargetOptions targetOptions(options.cudaRoot, {}, "", "",
                                   gpu::CompilationTarget::Assembly);
  std::optional<SmallVector<char, 0>> object =
      target.serializeToObject(module, targetOptions);
  if (!object) {
    module.emitError("translation to PTX failed");
    return failure();
  }
  std::string ptx(object->begin(), object->end());
  // The serialisation ends the text with a null byte for the driver's loader.
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  size_t unresolved = ptx.find("__nv_");
  if (unresolved != std::string::npos &&
      ptx.find(".extern .func") != std::string::npos) {
    StringRef name = StringRef(ptx).substr(unresolved).take_while([](char c) {
      return llvm::isAlnum(c) || c == '_';
    });
    module.emitError("expected libdevice for the math function '")
        << name << "', found none under '" << options.cudaRoot << "'";
    return failure();
  }
  return ptx;
}
