//===- Input.cpp - the module that carousel-sim reads ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles the names of kernels and the types of arguments; the dialect verifies
// everything else.
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "../../support/MLIR/Diagnostics.h"
#include "../../support/MLIR/FrontEndText.h"
#include "../../support/MLIR/Register.h"
#include "../../support/MLIR/SourceNesting.h"
#include "../../support/Process/Messages.h"
#include "../SimOptions.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::SignatureInfo;
using RuntimeArgument = runtime::ArgumentInfo;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerToolDialects(registry);
  return registry;
}

Input::Input() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {}
Input::~Input() = default;

bool Input::parseModule(std::unique_ptr<llvm::MemoryBuffer> text) {
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  if (!checkNesting(sources))
    return false;
  context.printOpOnDiagnostic(false);
  diagnostics = std::make_unique<ToolDiagnostics>(sources, &context);
  module = sim::parseNamedModule(sources, &context);
  if (!module) {
    StringRef why = explainRefusal(sources.getMemoryBuffer(1)->getBuffer());
    if (!why.empty())
      tools::printError(why.str());
    return false;
  }
  // A module that isn't written out has no line to point at.
  if (auto loc = dyn_cast<FileLineColLoc>(module->getLoc());
      loc && loc.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(loc.getFilename(), 1, 1));
  return true;
}

bool Input::load(const Options &options) {
  llvm::sys::fs::file_status status;
  isPackage = !llvm::sys::fs::status(options.input, status) &&
              llvm::sys::fs::is_directory(status);
  bool isPTX = StringRef(options.input).ends_with(".ptx");
  if (isPackage ? !loadPackage(options) : isPTX && !loadPTX(options))
    return false;
  if (!isPackage && !isPTX) {
    std::string error;
    std::unique_ptr<llvm::MemoryBuffer> text =
        openInputFile(options.input, &error);
    if (!text) {
      tools::printError(error);
      return false;
    }
    if (!parseModule(std::move(text)))
      return false;
  }
  return llvm::all_of(options.code,
                      [&](const std::string &file) { return addFile(file); });
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string simtool::getQualifiedName(gpu::GPUFuncOp kernel) {
  auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
  return (parent.getName() + "::" + kernel.getName()).str();
}

std::vector<gpu::GPUFuncOp> Input::getKernels() const {
  std::vector<gpu::GPUFuncOp> kernels;
  getModule().walk<WalkOrder::PreOrder>([&](gpu::GPUFuncOp func) {
    if (func.isKernel())
      kernels.push_back(func);
    return WalkResult::skip();
  });
  return kernels;
}

static std::string dropSigils(std::string name) {
  llvm::erase(name, '@');
  return name;
}

Result<gpu::GPUFuncOp> Input::findKernel(std::string name,
                                         std::string_view option) const {
  name = dropSigils(std::move(name));
  std::vector<gpu::GPUFuncOp> kernels = getKernels(), found;
  std::string list;
  for (gpu::GPUFuncOp kernel : kernels) {
    std::string qualified = getQualifiedName(kernel);
    if (name.empty() || name == kernel.getName() || name == qualified)
      found.push_back(kernel);
    size_t leaf = qualified.size() - kernel.getName().size();
    list += (list.empty() ? "@" : ", @") + qualified.insert(leaf, "@");
  }
  if (kernels.empty())
    return fail(ErrorCode::NotFound,
                "expected a file with a gpu.func that is a kernel, got none");
  if (found.size() == 1)
    return found.front();
  return fail(ErrorCode::NotFound, "expected {} with one of {}, got {}", option,
              list, name.empty() ? "none" : "'" + name + "'");
}

Result<func::FuncOp> Input::findFunction(std::string name) const {
  name = dropSigils(std::move(name));
  auto function = getModule().lookupSymbol<func::FuncOp>(name);
  if (function && !function.isDeclaration())
    return function;
  return fail(ErrorCode::NotFound,
              "expected --reference with a func.func of the file that has a "
              "body, got '{}'",
              name);
}

Result<func::FuncOp> Input::findProgram(std::string name) const {
  name = dropSigils(std::move(name));
  auto program = getModule().lookupSymbol<func::FuncOp>(name);
  if (program && program->hasAttr(CarouselDialect::kProgram) &&
      !program.isExternal())
    return program;
  if (isPackage) {
    auto programs = llvm::make_filter_range(
        getModule().getOps<func::FuncOp>(), [](func::FuncOp function) {
          return function->hasAttr(CarouselDialect::kProgram);
        });
    std::string names;
    for (func::FuncOp known : programs)
      names += (names.empty() ? "@" : ", @") + known.getName().str();
    return fail(ErrorCode::NotFound,
                "expected --program with a program of the package: {}, got "
                "'{}'",
                names.empty() ? "none" : names, name);
  }
  return fail(ErrorCode::NotFound,
              "expected --program with a func.func of the file that has "
              "carousel.program and a body, got '{}'",
              name);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string spellType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::vector<int64_t> convertSizes(ArrayRef<int64_t> sizes) {
  std::vector<int64_t> list;
  for (int64_t size : sizes)
    list.push_back(ShapedType::isDynamic(size) ? RuntimeArgument::kDynamic
                                               : size);
  return list;
}

static Result<RuntimeArgument> describeArgument(std::string name, Type type) {
  RuntimeArgument argument;
  argument.name = std::move(name);
  auto memref = dyn_cast<MemRefType>(type);
  Type element = memref ? memref.getElementType() : type;
  auto known = runtime::parseElementType(spellType(element));
  if (!known || (memref && isa<IndexType>(element)))
    return fail(ErrorCode::InvalidArgument,
                "expected a memref of numbers, a number or an index, got {}",
                spellType(type));
  argument.element = *known;
  if (!memref) {
    argument.kind = RuntimeArgument::Kind::Scalar;
    argument.access = RuntimeArgument::Access::In;
    return argument;
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return fail(ErrorCode::InvalidArgument, "expected a strided memref, got {}",
                spellType(type));
  if (memref.getRank() > int64_t(runtime::kMaxRank))
    return fail(ErrorCode::InvalidArgument,
                "expected a rank of at most {}, got {}", +runtime::kMaxRank,
                memref.getRank());
  argument.extents = convertSizes(memref.getShape());
  argument.contiguous = memref.getLayout().isIdentity();
  if (!argument.contiguous)
    argument.strides = convertSizes(strides);
  return argument;
}

/// Operands first.
static void addNodes(ExprAttr expr, runtime::Expression &to) {
  using Op = runtime::Expression::Op;
  if (expr.getLhs()) {
    addNodes(expr.getLhs(), to);
    addNodes(expr.getRhs(), to);
  }
  runtime::Expression::Node node{Op::Constant};
  switch (expr.getKind()) {
  case ExprKind::Constant:
    node.value = expr.getValue();
    break;
  case ExprKind::Extent:
  case ExprKind::Stride:
    node.op = expr.getKind() == ExprKind::Extent ? Op::Extent : Op::Stride;
    node.dim = static_cast<uint8_t>(expr.getValue());
    node.argument = static_cast<uint16_t>(expr.getArgument());
    break;
  case ExprKind::Scalar:
    node.op = Op::Scalar;
    node.argument = static_cast<uint16_t>(expr.getArgument());
    break;
  case ExprKind::SMs:
    node.op = Op::SMs;
    break;
  case ExprKind::Resident:
    node.op = Op::Resident;
    break;
  case ExprKind::Add:
    node.op = Op::Add;
    break;
  case ExprKind::Sub:
    node.op = Op::Sub;
    break;
  case ExprKind::Mul:
    node.op = Op::Mul;
    break;
  case ExprKind::FloorDiv:
    node.op = Op::FloorDiv;
    break;
  case ExprKind::CeilDiv:
    node.op = Op::CeilDiv;
    break;
  case ExprKind::Mod:
    node.op = Op::Mod;
    break;
  case ExprKind::Min:
    node.op = Op::Min;
    break;
  case ExprKind::Max:
    node.op = Op::Max;
    break;
  }
  to.nodes.push_back(node);
}

/// A tensor's description becomes that of a workspace.
static void makeWorkspace(WorkspaceAttr workspace, RuntimeArgument &argument) {
  argument.kind = RuntimeArgument::Kind::Workspace;
  argument.contiguous = true;
  argument.strides.clear();
  ArrayRef<ExprAttr> given = workspace.getExtents();
  for (int64_t extent : argument.extents) {
    runtime::Expression &expression = argument.workspaceExtents.emplace_back();
    if (extent != RuntimeArgument::kDynamic) {
      expression.nodes.push_back(
          {runtime::Expression::Op::Constant, 0, 0, extent});
      continue;
    }
    addNodes(given.front(), expression);
    given = given.drop_front();
  }
}

static RuntimeArgument::Access toAccess(ArgumentAccess access) {
  using Access = RuntimeArgument::Access;
  return access == ArgumentAccess::In    ? Access::In
         : access == ArgumentAccess::Out ? Access::Out
                                         : Access::InOut;
}

Result<SignatureInfo> simtool::describe(gpu::GPUFuncOp kernel) {
  SignatureInfo info;
  info.name = kernel.getName().str();
  for (const KernelArgument &source : getKernelArguments(kernel)) {
    CAROUSEL_TRY_ASSIGN(auto argument,
                        prefixError(describeArgument(source.name, source.type),
                                    "argument {} of {}", source.name,
                                    info.name));
    argument.access = toAccess(source.access);
    if (source.workspace)
      makeWorkspace(source.workspace, argument);
    info.arguments.push_back(std::move(argument));
  }
  return info;
}

Result<SignatureInfo> simtool::describe(func::FuncOp program) {
  SignatureInfo info;
  info.name = program.getName().str();
  for (auto [position, type] : llvm::enumerate(program.getArgumentTypes())) {
    auto named = program.getArgAttrOfType<ArgumentAttr>(
        position, CarouselDialect::kArgument);
    std::string name =
        named ? named.getName().str() : "arg" + std::to_string(position);
    CAROUSEL_TRY_ASSIGN(auto argument,
                        prefixError(describeArgument(name, type),
                                    "argument {} of {}", name, info.name));
    if (argument.kind == RuntimeArgument::Kind::Tensor)
      argument.access =
          toAccess(named ? named.getAccess() : ArgumentAccess::InOut);
    if (auto workspace = program.getArgAttrOfType<WorkspaceAttr>(
            position, CarouselDialect::kWorkspace))
      makeWorkspace(workspace, argument);
    info.arguments.push_back(std::move(argument));
  }
  return info;
}

Result<SignatureInfo> simtool::describe(func::FuncOp function,
                                        const SignatureInfo &kernel) {
  SignatureInfo info;
  info.name = function.getName().str();
  ArrayRef<Type> types = function.getFunctionType().getInputs();
  auto passed = ArrayRef(kernel.arguments).take_front(kernel.countPassed());
  if (types.size() != passed.size() ||
      function.getFunctionType().getNumResults() != 0)
    return fail(
        ErrorCode::InvalidArgument,
        "expected --reference @{} to take the {} arguments of {} and to "
        "return nothing, got {}",
        info.name, passed.size(), kernel.name,
        spellType(function.getFunctionType()));
  for (auto [type, like] : llvm::zip_equal(types, passed)) {
    CAROUSEL_TRY_ASSIGN(auto argument,
                        prefixError(describeArgument(like.name, type),
                                    "--reference @{}: {}", info.name,
                                    like.name));
    if (argument.kind != like.kind || argument.element != like.element ||
        argument.extents.size() != like.extents.size())
      return fail(ErrorCode::InvalidArgument,
                  "--reference @{}: expected an argument like {}, got {}",
                  info.name, toString(like), spellType(type));
    argument.access = like.access;
    info.arguments.push_back(std::move(argument));
  }
  return info;
}
