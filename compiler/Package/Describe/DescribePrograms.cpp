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
#include "DescribeNames.h"
#include "ProgramViews.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/ConstantBytes.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Package/DescribeProgram.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Alignment.h"

using namespace mlir;
using namespace carousel;

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

/// What a launch says if the condition does not hold. A reader refuses a check
/// without a message.
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
