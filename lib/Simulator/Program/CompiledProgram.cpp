//===- CompiledProgram.cpp - programs of several launches -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of a program makes a plan of its steps, gives each launch a variant and
// workspaces, and runs all of them as one stream. The first launch of a variant
// compiles it: most variants of a kernel serve other arguments. Fills, copies
// and products of a library between launches become kernels of one thread, so
// that the machine checks their accesses as those of other kernels.
//
//===----------------------------------------------------------------------===//

#include "../Compile/HostCode.h"
#include "../Launch/LaunchArguments.h"
#include "../Launch/Machine.h"
#include "../Launch/SimKernelImpl.h"
#include "SimProgramPlan.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <mutex>

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;
using carousel::ArgumentAttr;
using carousel::CarouselDialect;
using carousel::kAtLoadAttr;
using carousel::LaunchKernelOp;
using llvm::formatv;

/// The name of the kernel.
static StringRef getStepName(Operation *op) {
  if (isa<LibraryMatmulOp>(op))
    return "matmul";
  return isa<linalg::FillOp>(op) ? "fill" : "copy";
}

/// Whether the op is such a step.
static bool isHostStep(Operation *op) {
  return isa<memref::CopyOp, linalg::FillOp, linalg::CopyOp, LibraryMatmulOp>(
      op);
}

/// How many of the op's first operands its kernel has.
static unsigned countStepOperands(Operation *op) {
  auto matmul = dyn_cast<LibraryMatmulOp>(op);
  return matmul ? matmul.countTensors() : 2;
}

/// The type of memrefs of all layouts.
static Type getGeneralType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type;
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> dynamic(memref.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(context, ShapedType::kDynamic, dynamic);
  return MemRefType::get(
      dynamic, memref.getElementType(), layout,
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global));
}

namespace {

/// Writes the loops of a step.
class LoopWriter {
public:
  LoopWriter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
    zero = arith::ConstantIndexOp::create(builder, loc, 0);
    one = arith::ConstantIndexOp::create(builder, loc, 1);
  }

  /// A fill or a copy.
  void write(Value source, Value target) {
    int64_t rank = cast<MemRefType>(target.getType()).getRank();
    SmallVector<Value> ends;
    for (int64_t dim = 0; dim < rank; ++dim)
      ends.push_back(memref::DimOp::create(builder, loc, target, dim));
    nest(ends, [&](ValueRange index) {
      Value value = source;
      if (isa<MemRefType>(source.getType()))
        value = memref::LoadOp::create(builder, loc, source, index);
      memref::StoreOp::create(builder, loc, value, target, index);
    });
  }

  /// Sums in f32, and what comes after them, rounded once.
  void write(LibraryMatmulOp op, ValueRange arguments) {
    unsigned loops = op.countBatches() + 3;
    SmallVector<Value> ends(loops);
    for (unsigned operand = 0; operand < 3; ++operand)
      for (auto [dim, loop] : llvm::enumerate(getLoops(op, operand)))
        if (!ends[loop])
          ends[loop] =
              memref::DimOp::create(builder, loc, arguments[operand], dim);
    Type f32 = builder.getF32Type();
    nest(ArrayRef(ends).drop_back(), [&](ValueRange outer) {
      Value none =
          arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
      auto sum = scf::ForOp::create(builder, loc, zero, ends.back(), one, none);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(sum.getBody());
        SmallVector<Value> index(outer);
        index.push_back(sum.getInductionVar());
        Value factors[2];
        for (unsigned operand : {0, 1})
          factors[operand] = convert(
              memref::LoadOp::create(builder, loc, arguments[operand],
                                     select(index, getLoops(op, operand))),
              f32);
        Value product =
            arith::MulFOp::create(builder, loc, factors[0], factors[1]);
        Value next = arith::AddFOp::create(builder, loc,
                                           sum.getRegionIterArg(0), product);
        scf::YieldOp::create(builder, loc, next);
      }
      SmallVector<Value> place = select(outer, getLoops(op, 2));
      Value number = sum.getResult(0);
      unsigned operand = 3;
      auto add = [&](ValueRange index) {
        Value added =
            memref::LoadOp::create(builder, loc, arguments[operand++], index);
        number =
            arith::AddFOp::create(builder, loc, number, convert(added, f32));
      };
      if (op.getBias())
        add(outer.back());
      if (op.getResidual())
        add(place);
      Type element = getElementTypeOrSelf(arguments[2].getType());
      memref::StoreOp::create(builder, loc,
                              convert(apply(op.getFunction(), number), element),
                              arguments[2], place);
    });
  }

private:
  Value makeNumber(double value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }

  Value apply(LibraryFunction function, Value x) {
    switch (function) {
    case LibraryFunction::Identity:
      return x;
    case LibraryFunction::Relu:
      return arith::MaximumFOp::create(builder, loc, x, makeNumber(0));
    case LibraryFunction::Gelu:
      break;
    }
    auto multiply = [&](Value a, Value b) -> Value {
      return arith::MulFOp::create(builder, loc, a, b);
    };
    auto add = [&](Value a, Value b) -> Value {
      return arith::AddFOp::create(builder, loc, a, b);
    };
    Value cube = multiply(multiply(multiply(makeNumber(0.044715), x), x), x);
    Value inner = multiply(makeNumber(0.7978845608028654), add(x, cube));
    Value tanh = math::TanhOp::create(builder, loc, inner);
    return multiply(multiply(makeNumber(0.5), x), add(makeNumber(1), tanh));
  }

  static SmallVector<unsigned> getLoops(LibraryMatmulOp op, unsigned operand) {
    return llvm::map_to_vector(op.getIndexingMap(operand).getResults(),
                               [](AffineExpr loop) {
                                 return cast<AffineDimExpr>(loop).getPosition();
                               });
  }

  static SmallVector<Value> select(ValueRange index, ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(loops,
                               [&](unsigned loop) { return index[loop]; });
  }

  Value convert(Value number, Type type) {
    if (number.getType() == type)
      return number;
    if (type.isF32())
      return arith::ExtFOp::create(builder, loc, type, number);
    return arith::TruncFOp::create(builder, loc, type, number);
  }

  void nest(ArrayRef<Value> ends, function_ref<void(ValueRange)> write) {
    SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
    OpBuilder::InsertionGuard guard(builder);
    scf::buildLoopNest(builder, loc, begins, ends, steps,
                       [&](OpBuilder &inner, Location, ValueRange index) {
                         OpBuilder::InsertionGuard guard(builder);
                         builder.setInsertionPoint(inner.getInsertionBlock(),
                                                   inner.getInsertionPoint());
                         write(index);
                       });
  }

  OpBuilder &builder;
  Location loc;
  Value zero, one;
};

} // namespace

static LogicalResult verifyMemoryStep(Operation *op) {
  Type source = op->getOperand(0).getType();
  auto target = dyn_cast<MemRefType>(op->getOperand(1).getType());
  if (!target || op->getNumOperands() != 2 ||
      getElementTypeOrSelf(source) != target.getElementType())
    return op->emitError("expected a fill or copy of a memref whose elements "
                         "keep their type, got ")
           << source << " and " << op->getOperand(1).getType();
  return success();
}

/// A module with a kernel that does what a linalg.fill, linalg.copy,
/// memref.copy or carousel.library_matmul does, on the op's first operands in
/// their order. Emits an error for operands that it isn't for.
static FailureOr<OwningOpRef<ModuleOp>> makeStepKernel(Operation *op) {
  auto matmul = dyn_cast<LibraryMatmulOp>(op);
  if (!matmul && failed(verifyMemoryStep(op)))
    return failure();
  MLIRContext *context = op->getContext();
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, loc, "program");
  builder.setInsertionPointToStart(kernels.getBody());
  SmallVector<Type> types;
  for (Value operand : op->getOperands().take_front(countStepOperands(op)))
    types.push_back(getGeneralType(operand.getType()));
  auto kernel = gpu::GPUFuncOp::create(builder, loc, getStepName(op),
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  auto one = ExprAttr::get(context, ExprKind::Constant, /*value=*/1,
                           /*argument=*/0, ExprAttr(), ExprAttr());
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, one, /*block=*/{1}, /*cluster=*/{},
                                  /*shared=*/0));
  auto setName = [&](unsigned position, const std::string &name,
                     ArgumentAccess access) {
    kernel.setArgAttr(position, CarouselDialect::kArgument,
                      ArgumentAttr::get(context, name, access, std::nullopt));
  };
  unsigned target = matmul ? 2 : 1;
  for (unsigned position = 0; position < types.size(); ++position)
    if (position != target)
      setName(position, "source" + std::to_string(position),
              ArgumentAccess::In);
  setName(target, "target", ArgumentAccess::Out);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  LoopWriter loops(builder, loc);
  if (matmul)
    loops.write(matmul, kernel.getArguments());
  else
    loops.write(kernel.getArgument(0), kernel.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return module;
}

namespace {

/// A kernel, and its code once a launch has needed it.
struct LazyKernel {
  /// The symbol name, with its module.
  std::string name;
  /// Without code.
  std::unique_ptr<CompiledKernel> description;
  std::unique_ptr<CompiledKernel> code;

  /// Returns the code, or the description, which launches choose by.
  const CompiledKernel &get() const { return code ? *code : *description; }
};

/// The code of a step: the variants of a kernel, or one kernel of the machine.
struct StepCode {
  std::vector<LazyKernel *> variants;
  /// The kernel that callers name, whose launches share workspaces.
  std::string kernel;
  /// The operand of each argument of the variants; none for workspaces.
  std::vector<std::optional<unsigned>> operands;
};

} // namespace

struct CompiledProgram::Impl {
  OwningOpRef<ModuleOp> module;
  func::FuncOp program;
  KernelCompiler compileKernel;
  llvm::StringMap<std::unique_ptr<LazyKernel>> kernels;
  std::vector<std::unique_ptr<LazyKernel>> stepKernels;
  llvm::DenseMap<Operation *, StepCode> code;
  /// A plan makes attributes, which a context without threads must not make in
  /// two threads at once, and code.
  std::mutex planning;

  LogicalResult addLaunch(LaunchKernelOp launch,
                          SymbolTableCollection &symbols);
  LogicalResult addHostStep(Operation *op);
  bool hasDonations();
};

bool CompiledProgram::Impl::hasDonations() {
  return llvm::any_of(llvm::seq(program.getNumArguments()), [&](unsigned i) {
    auto argument =
        program.getArgAttrOfType<ArgumentAttr>(i, CarouselDialect::kArgument);
    return argument && argument.getMayAlias();
  });
}

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CompiledProgram::~CompiledProgram() = default;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

LogicalResult CompiledProgram::Impl::addLaunch(LaunchKernelOp launch,
                                               SymbolTableCollection &symbols) {
  SmallVector<gpu::GPUFuncOp> variants = launch.getVariants(symbols);
  if (variants.empty())
    return launch.emitError("expected a launch of a gpu.func, got ")
           << launch.getKernel();
  StepCode &served = code[launch];
  llvm::raw_string_ostream(served.kernel) << launch.getKernel();
  unsigned input = 0, output = launch.getInputs().size();
  for (const KernelArgument &argument : getKernelArguments(variants.front()))
    served.operands.push_back(argument.workspace ? std::nullopt
                              : argument.access == ArgumentAccess::In
                                  ? std::optional<unsigned>(input++)
                                  : std::optional<unsigned>(output++));
  for (gpu::GPUFuncOp variant : variants) {
    auto home = variant->getParentOfType<gpu::GPUModuleOp>();
    std::string name = (home.getName() + "::" + variant.getName()).str();
    std::unique_ptr<LazyKernel> &kernel = kernels[name];
    if (!kernel) {
      auto description = CompiledKernel::Impl::describe(variant);
      if (failed(description))
        return failure();
      kernel = std::make_unique<LazyKernel>();
      kernel->name = name;
      kernel->description.reset(new CompiledKernel(std::move(*description)));
    }
    served.variants.push_back(kernel.get());
  }
  return success();
}

LogicalResult CompiledProgram::Impl::addHostStep(Operation *op) {
  auto kernel = makeStepKernel(op);
  if (failed(kernel))
    return failure();
  auto compiled = CompiledKernel::compile(**kernel, getStepName(op));
  if (failed(compiled))
    return failure();
  stepKernels.push_back(std::make_unique<LazyKernel>());
  stepKernels.back()->code = std::move(*compiled);
  StepCode &served = code[op];
  served.variants = {stepKernels.back().get()};
  for (unsigned operand = 0; operand < countStepOperands(op); ++operand)
    served.operands.push_back(operand);
  return success();
}

FailureOr<std::unique_ptr<CompiledProgram>>
CompiledProgram::compile(ModuleOp module, StringRef name,
                         const KernelCompiler &given) {
  HostCode::loadDialects(*module.getContext());
  auto impl = std::make_unique<Impl>();
  impl->module = module.clone();
  impl->compileKernel =
      given ? given : [copy = *impl->module](StringRef kernel) {
        return CompiledKernel::compile(copy, kernel);
      };
  auto program = impl->module->lookupSymbol<func::FuncOp>(name);
  if (!program || !program->hasAttr(CarouselDialect::kProgram) ||
      program.isExternal())
    return module.emitError("expected a func.func named '")
           << name << "' with carousel.program in the module, found none";
  if (!program.getBody().hasOneBlock())
    return program.emitError("expected a program of one block, got ")
           << program.getBody().getBlocks().size();
  impl->program = program;
  SymbolTableCollection symbols;
  for (Operation &op : program.getBody().front()) {
    LogicalResult result = success();
    if (auto launch = dyn_cast<LaunchKernelOp>(op))
      result = impl->addLaunch(launch, symbols);
    else if (isHostStep(&op))
      result = impl->addHostStep(&op);
    if (failed(result))
      return failure();
  }
  return std::unique_ptr<CompiledProgram>(new CompiledProgram(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {

/// The memory of a run beside that of the program's arguments.
class DeviceMemory {
public:
  /// Poison, as unwritten memory is.
  void *allocate(uint64_t bytes) {
    blocks.push_back(std::make_unique<AlignedBlock>(bytes));
    void *data = blocks.back()->data();
    poisonElements({data, {int64_t(bytes)}, {1}}, 1);
    return data;
  }

  /// Zeros at first, and then what the last launch of the kernel left. Memory
  /// that a larger launch needs is new.
  Argument getWorkspace(const std::string &kernel, unsigned argument,
                        ArrayRef<int64_t> extents, uint64_t elementBytes) {
    uint64_t bytes = elementBytes;
    for (int64_t extent : extents)
      bytes *= extent;
    auto &[data, size] = workspaces[{kernel, argument}];
    if (!data || size < bytes) {
      data = allocate(bytes);
      size = bytes;
      std::memset(data, 0, bytes);
    }
    Argument workspace;
    workspace.data = data;
    workspace.extents.assign(extents.begin(), extents.end());
    workspace.strides.assign(extents.size(), 1);
    for (size_t dim = extents.size(); dim-- > 1;)
      workspace.strides[dim - 1] = workspace.strides[dim] * extents[dim];
    return workspace;
  }

private:
  std::vector<std::unique_ptr<AlignedBlock>> blocks;
  std::map<std::pair<std::string, unsigned>, std::pair<void *, uint64_t>>
      workspaces;
};

/// Copies of arguments that lie off the alignment that the program asks for, as
/// the runtime makes them.
class AlignedCopies {
public:
  /// Makes arguments those of the copies.
  AlignedCopies(func::FuncOp program, MutableArrayRef<Argument> arguments,
                DeviceMemory &memory);
  /// Copies results back.
  void finish() const {
    for (const Copy &copy : written)
      std::memcpy(copy.to, copy.from, copy.bytes);
  }

private:
  struct Copy {
    void *to;
    const void *from;
    uint64_t bytes;
  };
  std::vector<Copy> written;
};

/// The launches of a plan.
class LaunchList {
public:
  LaunchList(const RunOptions &options, DeviceMemory &memory,
             const CompiledProgram::KernelCompiler &compileKernel)
      : options(options), memory(memory), compileKernel(compileKernel) {}

  /// Returns an empty string, or an error.
  std::string add(const ProgramStep &step, const StepCode &code);
  ArrayRef<Launch> getLaunches() const { return launches; }

private:
  const RunOptions &options;
  DeviceMemory &memory;
  const CompiledProgram::KernelCompiler &compileKernel;
  std::vector<Launch> launches;
  std::deque<std::vector<Argument>> arguments; // which don't move
};

} // namespace

AlignedCopies::AlignedCopies(func::FuncOp program,
                             MutableArrayRef<Argument> arguments,
                             DeviceMemory &memory) {
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<MemRefType>(program.getArgument(number).getType());
    auto align = program.getArgAttrOfType<IntegerAttr>(
        number, LLVM::LLVMDialect::getAlignAttrName());
    if (!type || !align || !type.getLayout().isIdentity() ||
        reinterpret_cast<uintptr_t>(argument.data) % align.getInt() == 0)
      continue;
    uint64_t bytes =
        plan::getBytes(type) * plan::countElements(argument.extents);
    void *given = argument.data;
    argument.data = memory.allocate(bytes);
    std::memcpy(argument.data, given, bytes);
    auto attr = program.getArgAttrOfType<ArgumentAttr>(
        number, CarouselDialect::kArgument);
    if (!attr || attr.getAccess() != carousel::ArgumentAccess::In)
      written.push_back({given, argument.data, bytes});
  }
}

std::string LaunchList::add(const ProgramStep &step, const StepCode &code) {
  std::string place = describeLocation(step.op->getLoc());
  auto fail = [&](const Twine &message) {
    return (place.empty() ? message : place + ": " + message).str();
  };
  std::vector<Argument> &values = arguments.emplace_back();
  for (std::optional<unsigned> operand : code.operands)
    values.push_back(operand ? step.operands[*operand] : Argument());
  const CompiledKernel &first = code.variants.front()->get();
  // Guards and workspaces read the extents and strides of these.
  for (auto [value, info] : llvm::zip_equal(values, first.getArguments()))
    if (auto type = dyn_cast<MemRefType>(info.type);
        type && !info.isWorkspace &&
        int64_t(value.extents.size()) != type.getRank())
      return fail(formatv("expected a memref of rank {0} for argument {1} of "
                          "@{2}",
                          type.getRank(), info.name, first.getName()));
  for (auto [number, info] : llvm::enumerate(first.getArguments())) {
    if (!info.isWorkspace)
      continue;
    auto extents = first.getWorkspaceExtents(number, values, options);
    if (!extents)
      return fail(formatv("expected extents of workspace {0} that have a value",
                          info.name));
    values[number] = memory.getWorkspace(
        code.kernel, number, *extents,
        getElementBytes(cast<MemRefType>(info.type).getElementType())
            .value_or(1));
  }
  std::string refusals;
  LazyKernel *chosen = nullptr;
  int64_t least = 0;
  for (LazyKernel *kernel : code.variants) {
    const CompiledKernel &variant = kernel->get();
    std::string refusal = variant.findRefusal(values, options);
    if (!refusal.empty()) {
      refusals += (refusals.empty() ? "@" : ", @") + variant.getName().str() +
                  " without " + refusal;
      continue;
    }
    std::optional<int64_t> cost = variant.findCost(values, options);
    if (!chosen || (cost && *cost < least)) {
      chosen = kernel;
      least = cost.value_or(0);
    }
    if (!cost)
      break;
  }
  if (!chosen)
    return fail("expected a variant of " + code.kernel +
                " whose guards hold, got " + refusals);
  if (!chosen->code) {
    auto compiled = compileKernel(chosen->name);
    if (failed(compiled))
      return fail("expected a kernel that the simulated machine can compile, "
                  "got @" +
                  chosen->name);
    chosen->code = std::move(*compiled);
  }
  Launch &launch = launches.emplace_back();
  launch.kernel = chosen->code.get();
  launch.arguments = values;
  launch.place = place;
  return "";
}

RunResult CompiledProgram::run(ArrayRef<Argument> arguments,
                               const RunOptions &options) const {
  RunResult result;
  if (arguments.size() != impl->program.getNumArguments()) {
    result.error = formatv("expected {0} arguments, got {1}",
                           impl->program.getNumArguments(), arguments.size());
    return result;
  }
  std::vector<Argument> named(arguments.begin(), arguments.end());
  for (auto [position, argument] : llvm::enumerate(named)) {
    if (auto attr = impl->program.getArgAttrOfType<ArgumentAttr>(
            position, CarouselDialect::kArgument))
      argument.name = attr.getName();
    // Buffers in it begin unwritten, too.
    if (impl->program.getArgAttr(position, CarouselDialect::kWorkspace))
      argument.isWritten = false;
  }
  DeviceMemory memory;
  AlignedCopies copies(impl->program, named, memory);
  LaunchList launches(options, memory, impl->compileKernel);
  {
    std::lock_guard<std::mutex> lock(impl->planning);
    ProgramPlan plan;
    result.error = plan.make(impl->program, named, [&memory](uint64_t bytes) {
      return memory.allocate(bytes);
    });
    auto add = [&](std::optional<bool> isAtLoad) {
      for (const ProgramStep &step : plan.getSteps())
        if (result.error.empty() &&
            (!isAtLoad || step.op->hasAttr(kAtLoadAttr) == *isAtLoad))
          result.error = launches.add(step, impl->code.find(step.op)->second);
    };
    add(options.loadsParameters ? std::optional(true) : std::nullopt);
    if (options.loadsParameters)
      add(false);
    if (options.loadsParameters && !impl->hasDonations())
      add(false);
  }
  if (!result.error.empty())
    return result;
  // Results that no launch, or only launches of views, write.
  for (auto [argument, value] :
       llvm::zip_equal(impl->program.getArguments(), named))
    if (auto type = dyn_cast<MemRefType>(argument.getType());
        type && !value.isWritten)
      poisonElements(value, getElementBytes(type.getElementType()).value_or(1));
  result = sim::run(launches.getLaunches(), options);
  copies.finish();
  return result;
}
