//===- EmitPTX.cpp - PTX from the target phase ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's serialisation of NVVM modules (translation, libdevice), followed by
// LLVM's NVPTX back end.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitPTX.h"

#include "LLVMPasses.h"

#include "carousel/Target/InspectPTX.h"
#include "carousel/Target/MathLibrary.h"
#include "carousel/Target/MergePTX.h"
#include "carousel/Target/SplitKernels.h"
#include "carousel/Target/TargetInfo.h"
#include "carousel/Target/TargetMachines.h"
#include "carousel/Target/VerifyPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

static bool isMathFunction(StringRef name) { return name.starts_with("__nv_"); }

/// The first libdevice function that the module calls, or an empty name.
static StringRef findMathFunction(gpu::GPUModuleOp module) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func.isExternal() && isMathFunction(func.getName()))
      return func.getName();
  return {};
}

namespace {

class SerializePTX : public NVVM::SerializeGPUModuleBase {
public:
  /// If `math` is given, it provides the functions of the file `libdevice`. If
  /// `defined`, poison is some value before LLVM optimises.
  SerializePTX(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target,
               const gpu::TargetOptions &options, bool needsLibraries,
               MathLibrary *math, StringRef libdevice, TargetMachines &machines,
               bool defined, const std::function<bool()> &isCancelled)
      : SerializeGPUModuleBase(*module, target, options),
        needsLibraries(needsLibraries), defined(defined), math(math),
        libdevice(libdevice), machines(machines), isCancelled(isCancelled),
        machine(machines.take(this->triple, this->chip, this->features)) {}

  ~SerializePTX() override {
    if (machine && !hasCalls)
      machines.giveBack(std::move(machine));
  }

  /// Accesses get their alignment when they are translated. LLVM's default
  /// layout aligns i64 to 4 bytes only, so that each access would become two.
  std::optional<SmallVector<char, 0>> run() override {
    StringRef name = LLVM::LLVMDialect::getDataLayoutAttrName();
    Operation &module = getOperation();
    Attribute before = module.getAttr(name);
    if (machine && !before)
      module.setAttr(
          name, StringAttr::get(
                    module.getContext(),
                    machine->createDataLayout().getStringRepresentation()));
    std::optional<SmallVector<char, 0>> text = SerializeGPUModuleBase::run();
    if (!before)
      module.removeAttr(name);
    return text;
  }

private:
  /// MLIR reads libdevice if the environment names a toolkit, and links nothing
  /// of it to a module without calls.
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    if (!needsLibraries)
      return libraries;
    if (!math)
      return SerializeGPUModuleBase::loadBitcodeFiles(module);
    SmallVector<std::string> names;
    for (const llvm::Function &function : module)
      if (function.isDeclaration() && isMathFunction(function.getName()))
        names.push_back(function.getName().str());
    llvm::Expected<std::unique_ptr<llvm::Module>> functions =
        math->load(libdevice, names, module.getContext());
    if (!functions) {
      getOperation().emitError(llvm::toString(functions.takeError()));
      return std::nullopt;
    }
    libraries.push_back(std::move(*functions));
    return libraries;
  }

  void setDataLayoutAndTriple(llvm::Module &module) override {
    if (!machine)
      return;
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple(machine->getTargetTriple());
  }

  FailureOr<llvm::TargetMachine *> getMachine() {
    if (!machine)
      return getOperation().emitError(
          "expected LLVM with the NVPTX target, got it without");
    // At the highest level the back end would number values two more times.
    auto level = static_cast<llvm::CodeGenOptLevel>(optLevel);
    machine->setOptLevel(std::min(level, llvm::CodeGenOptLevel::Default));
    return machine.get();
  }

  /// libdevice queries the required precision. LLVM answers no to unknown
  /// queries, which would make square roots approximate. NVRTC answers yes.
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

  /// C240: a call has the type of its callee.
  LogicalResult verifyCalls(const llvm::Module &module) {
    std::optional<BadCall> bad = findBadCall(module);
    if (!bad)
      return success();
    return emitError(getLocation(bad->caller))
           << "expected a call of '" << bad->callee << "' of its type, "
           << bad->wanted << ", got " << bad->found;
  }

  LogicalResult optimizeModule(llvm::Module &module, int level) override {
    FailureOr<llvm::TargetMachine *> machine = getMachine();
    if (failed(machine) || failed(verifyCalls(module)))
      return failure();
    stackUsers = findStackUsers(module);
    if (defined)
      defineWrites(module);
    for (int round = 0; round < (defined ? 2 : 1); ++round) {
      markConvergentCalls(module);
      if (llvm::Error error =
              optimizeKernels(module, **machine, level, isCancelled))
        return getOperation().emitError(llvm::toString(std::move(error)));
      if (isCancelled && isCancelled())
        return failure();
      if (std::optional<DivergentCopies> found = findDivergentCopies(module))
        return emitError(getLocation(found->function))
               << "internal error: expected all threads of '" << found->function
               << "' to execute one copy of an instruction for warps, got two "
                  "of '"
               << found->instruction << "' in different branches";
      if (defined)
        showConditions(module);
    }
    return success();
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> machine = getMachine();
    if (failed(machine))
      return failure();
    hasCalls = true; // assumed in case it fails
    lowerStreamingLoads(module);
    size_t aligned = countAlignedForms(module);
    llvm::Expected<SmallVector<char, 0>> text =
        generatePTX(module, **machine, optLevel);
    if (!text)
      return getOperation().emitError(llvm::toString(text.takeError()));
    StringRef ptx(text->data(), text->size());
    if (size_t found = countAlignedForms(ptx); found > aligned)
      return getOperation().emitError("internal error: expected at most ")
             << aligned << " forms with .sync or .aligned in the PTX, got "
             << found;
    hasCalls = ptx.contains("callseq");
    if (!defined && ptx.contains(".local"))
      warnOfStack(ptx);
    return std::move(*text);
  }

  /// C242: a stack of the back end's making is as slow as spills.
  void warnOfStack(StringRef ptx) {
    std::vector<PTXFunction> functions = inspectPTX(ptx);
    for (const PTXFunction &function : functions)
      if (function.isKernel && function.stackBytes > 0 &&
          !stackUsers.contains(function.name))
        emitWarning(getLocation(function.name))
            << "expected no stack in the PTX of kernel '" << function.name
            << "', which asks for none, got " << function.stackBytes
            << " bytes";
  }

  Location getLocation(StringRef function) {
    Operation *op = SymbolTable::lookupSymbolIn(&getOperation(), function);
    return (op ? op : &getOperation())->getLoc();
  }

  bool needsLibraries, defined;
  MathLibrary *math;
  std::string libdevice;
  llvm::StringSet<> stackUsers;
  TargetMachines &machines;
  const std::function<bool()> &isCancelled;
  std::unique_ptr<llvm::TargetMachine> machine; ///< null if LLVM has none
  /// A machine numbers the calls in its output, and would continue counting.
  /// The text must not depend on earlier compilations.
  bool hasCalls = false;
};

} // namespace

static std::string getLibdevice(StringRef cudaRoot) {
  SmallString<128> path(cudaRoot);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return path.str().str();
}

/// `options.cudaRoot` is the directory of libdevice, if there is one.
static FailureOr<std::string> translate(gpu::GPUModuleOp module,
                                        const EmitPTXOptions &options,
                                        bool defined = false) {
  auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
  // Only kernels that need it pay for reading it, or fail without it.
  bool needsMath = !findMathFunction(module).empty();
  bool needsLibraries = needsMath || target.getLink();
  gpu::TargetOptions targetOptions(
      needsMath ? StringRef(options.cudaRoot) : StringRef(), {}, "", "",
      gpu::CompilationTarget::Assembly);
  // Libraries of the target's own may call more functions of libdevice than the
  // module.
  bool keepsMath = needsMath && !target.getLink() && !options.cudaRoot.empty();
  SerializePTX::init();
  TargetMachines none;
  SerializePTX serializer(module, target, targetOptions, needsLibraries,
                          keepsMath ? options.math : nullptr,
                          getLibdevice(options.cudaRoot),
                          options.machines ? *options.machines : none, defined,
                          options.isCancelled);
  std::optional<SmallVector<char, 0>> text = serializer.run();
  if (!text)
    return failure();
  return std::string(text->begin(), text->end());
}

/// Translates kernels in parallel, each in its own LLVM context. The text
/// doesn't depend on the number of threads, because the module is always split.
static FailureOr<std::string> translateKernels(gpu::GPUModuleOp module,
                                               const EmitPTXOptions &options) {
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts = splitKernels(module);
  if (parts.empty())
    return translate(module, options);
  std::vector<std::string> texts(parts.size());
  auto translatePart = [&](size_t index) -> LogicalResult {
    FailureOr<std::string> text = translate(*parts[index], options);
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
  return translate(module, options);
}

/// Whether a function of libdevice is left for a linker. Other functions may
/// be.
static bool callsMathLibrary(StringRef ptx) {
  for (StringRef line : llvm::split(ptx, '\n'))
    if (line.starts_with(".extern .func") && line.contains(" __nv_"))
      return true;
  return false;
}

/// Whether the writes of the kernels are in the text, but for those that LLVM
/// removes for other reasons than undefined behaviour.
static LogicalResult verifyWrites(gpu::GPUModuleOp module, StringRef ptx,
                                  const EmitPTXOptions &options) {
  auto isInText = [](FunctionOpInterface) { return true; };
  SmallVector<MissingWrite> missing = findMissingWrites(module, ptx, isInText);
  if (missing.empty())
    return success();
  FailureOr<std::string> defined = translate(module, options, true);
  if (failed(defined))
    return failure();
  SmallVector<MissingWrite> never =
      findMissingWrites(module, *defined, isInText);
  for (MissingWrite &write : missing) {
    if (llvm::any_of(never, [&](const MissingWrite &other) {
          return other.kernel == write.kernel && other.kind == write.kind;
        }))
      write.canHappen = false;
    if (!write.canHappen && options.noteIdle)
      options.noteIdle(write.kernel.getName());
  }
  return reportMissingWrites(
      missing, "LLVM removed it, because what it writes, its address or a "
               "condition is undefined (poison); carousel-sim says where");
}

FailureOr<std::string> carousel::emitPTX(gpu::GPUModuleOp module,
                                         const EmitPTXOptions &options) {
  if (failed(getTargetSpec(module)))
    return failure();
  StringRef math = findMathFunction(module);
  std::string libdevice = getLibdevice(options.cudaRoot);
  bool found = llvm::sys::fs::exists(libdevice);
  if (!math.empty() && !options.cudaRoot.empty() && !found) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no '" << libdevice << "'";
    return failure();
  }
  EmitPTXOptions available = options;
  if (!found)
    available.cudaRoot.clear();
  FailureOr<std::string> ptx = translateKernels(module, available);
  if (failed(ptx)) {
    emitError(module.getLoc()) << "translation to PTX failed";
    return failure();
  }
  if (failed(verifyPTXCalls(module, *ptx)) ||
      failed(verifyWrites(module, *ptx, available)))
    return failure();
  if (!math.empty() && callsMathLibrary(*ptx)) {
    emitError(module.getLoc()) << "expected libdevice for the math function '"
                               << math << "', found no CUDA toolkit";
    return failure();
  }
  return ptx;
}
