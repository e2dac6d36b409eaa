//===- EmitPTX.cpp - PTX from the target phase ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's serialisation of NVVM modules (translation, libdevice), and LLVM's
// NVPTX back end behind it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitPTX.h"

#include "LLVMPasses.h"

#include "carousel/Target/MergePTX.h"
#include "carousel/Target/SplitKernels.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace carousel;

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

namespace {

class SerializePTX : public NVVM::SerializeGPUModuleBase {
public:
  SerializePTX(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target,
               const gpu::TargetOptions &options, bool needsLibraries)
      : SerializeGPUModuleBase(*module, target, options),
        needsLibraries(needsLibraries) {}

private:
  /// MLIR reads libdevice where the environment names a toolkit, and links none
  /// of it to a module that calls nothing.
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    if (!needsLibraries)
      return SmallVector<std::unique_ptr<llvm::Module>>();
    return SerializeGPUModuleBase::loadBitcodeFiles(module);
  }

  FailureOr<llvm::TargetMachine *> getMachine() {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError("expected LLVM to have NVPTX, it hasn't");
    // At the highest level the back end would number values twice more.
    auto level = static_cast<llvm::CodeGenOptLevel>(optLevel);
    (*machine)->setOptLevel(std::min(level, llvm::CodeGenOptLevel::Default));
    return machine;
  }

  /// libdevice asks how exact it has to be. LLVM takes what it doesn't know for
  /// no, by which square roots would be approximate; NVRTC says yes.
  void handleModulePostLink(llvm::Module &module) override {
    llvm::Function *reflect = module.getFunction("__nvvm_reflect");
    if (!reflect)
      return;
    for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
      auto *call = dyn_cast<llvm::CallInst>(user);
      if (!call || call->arg_size() != 1)
        continue;
      auto *asked = dyn_cast<llvm::GlobalVariable>(
          call->getArgOperand(0)->stripPointerCasts());
      auto *text =
          asked && asked->hasInitializer()
              ? dyn_cast<llvm::ConstantDataArray>(asked->getInitializer())
              : nullptr;
      if (!text || !text->isCString() ||
          !text->getAsCString().starts_with("__CUDA_PREC_"))
        continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 1));
      call->eraseFromParent();
    }
  }

  LogicalResult optimizeModule(llvm::Module &module, int level) override {
    FailureOr<llvm::TargetMachine *> machine = getMachine();
    if (failed(machine))
      return failure();
    if (llvm::Error error = optimizeKernels(module, **machine, level))
      return getOperation().emitError(llvm::toString(std::move(error)));
    return success();
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> machine = getMachine();
    if (failed(machine))
      return failure();
    llvm::Expected<SmallVector<char, 0>> text = generatePTX(module, **machine);
    if (!text)
      return getOperation().emitError(llvm::toString(text.takeError()));
    return std::move(*text);
  }

  bool needsLibraries;
};

} // namespace

/// `cudaRoot` is where libdevice is, if it is anywhere.
static FailureOr<std::string> translate(gpu::GPUModuleOp module,
                                        StringRef cudaRoot) {
  auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
  // Only kernels that need it pay for reading it, or hear that it is not there.
  bool needsMath = !findMathFunction(module).empty();
  bool needsLibraries = needsMath || target.getLink();
  gpu::TargetOptions targetOptions(needsMath ? cudaRoot : StringRef(), {}, "",
                                   "", gpu::CompilationTarget::Assembly);
  SerializePTX serializer(module, target, targetOptions, needsLibraries);
  serializer.init();
  std::optional<SmallVector<char, 0>> text = serializer.run();
  if (!text)
    return failure();
  return std::string(text->begin(), text->end());
}

/// Kernels at once, each in an LLVM context of its own. The text doesn't depend
/// on how many threads the context has: kernels are taken apart in any case.
static FailureOr<std::string> translateKernels(gpu::GPUModuleOp module,
                                               StringRef cudaRoot) {
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts = splitKernels(module);
  if (parts.empty())
    return translate(module, cudaRoot);
  std::vector<std::string> texts(parts.size());
  auto translatePart = [&](size_t index) -> LogicalResult {
    FailureOr<std::string> text = translate(*parts[index], cudaRoot);
    if (failed(text))
      return failure();
    texts[index] = std::move(*text);
    return success();
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, texts.size(),
                                      translatePart)))
    return failure();
  if (std::optional<std::string> merged = mergePTX(texts))
    return std::move(*merged);
  return translate(module, cudaRoot);
}

/// Whether a function of libdevice is left for a linker; others may be.
static bool callsMathLibrary(StringRef ptx) {
  for (StringRef line : llvm::split(ptx, '\n'))
    if (line.starts_with(".extern .func") && line.contains(" __nv_"))
      return true;
  return false;
}

FailureOr<std::string> carousel::emitPTX(gpu::GPUModuleOp module,
                                         const EmitPTXOptions &options) {
  if (failed(getTargetSpec(module)))
    return failure();
  StringRef math = findMathFunction(module);
  SmallString<128> libdevice(options.cudaRoot);
  llvm::sys::path::append(libdevice, "nvvm", "libdevice", "libdevice.10.bc");
  bool found = llvm::sys::fs::exists(libdevice);
  if (!math.empty() && !options.cudaRoot.empty() && !found) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no '" << libdevice << "'";
    return failure();
  }
  FailureOr<std::string> ptx = translateKernels(
      module, found ? StringRef(options.cudaRoot) : StringRef());
  if (failed(ptx)) {
    emitError(module.getLoc()) << "translation to PTX failed";
    return failure();
  }
  if (!math.empty() && callsMathLibrary(*ptx)) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no CUDA toolkit";
    return failure();
  }
  return ptx;
}
