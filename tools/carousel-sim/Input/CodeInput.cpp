//===- CodeInput.cpp - packages and texts of PTX --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Input that has code and no MLIR: what describes the kernels is
// written as a module first.
//
//===----------------------------------------------------------------------===//

#include "../../support/MLIR/Diagnostics.h"
#include "../../support/Process/Messages.h"
#include "../SimOptions.h"
#include "ArgumentText.h"
#include "Input.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/PTX/Parser.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Manifest.h"
#include "carousel/Runtime/Package.h"
#include "carousel/Simulator/PTXDescription.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::ErrorCode;
using runtime::Expression;
using runtime::fail;
using runtime::Guard;
using runtime::KernelInfo;
using runtime::Manifest;
using runtime::OperandInfo;
using runtime::ProgramInfo;
using runtime::Result;
using runtime::StepInfo;
using runtime::TensorMapFormat;
using runtime::TensorMapInfo;
using runtime::VariantInfo;

//===----------------------------------------------------------------------===//
// A program of a manifest as MLIR
//
// Writes a manifest's program as a func.func with carousel.program: its
// arguments, checks and steps, on views of them. Expressions become arith ops
// on the extents of arguments, and views become memref.reinterpret_cast of
// whole arguments. The parser and the plan of the simulated machine check them.
//===----------------------------------------------------------------------===//

static constexpr const char *kGlobal = "#gpu.address_space<global>";

/// The name of the memref.global with a constant of a program.
static std::string getConstantName(const ProgramInfo &program, size_t number) {
  return fmt::format("{}.constant{}", program.name, number);
}

/// The number that an expression is.
static std::optional<int64_t> getNumber(const Expression &expression) {
  if (expression.nodes.size() == 1 &&
      expression.nodes[0].op == Expression::Op::Constant)
    return expression.nodes[0].value;
  return std::nullopt;
}

/// Null if no variant is compiled for the chip.
static const VariantInfo *findVariant(const KernelInfo &kernel,
                                      std::string_view chip) {
  for (const VariantInfo &variant : kernel.variants)
    if (llvm::is_contained(variant.chips, std::string(chip)))
      return &variant;
  return nullptr;
}

namespace {

/// An SSA value.
struct NamedValue {
  std::string name, type;
};

class ProgramText {
public:
  ProgramText(const Manifest &manifest, const ProgramInfo &program,
              std::string_view chip, uint32_t multiprocessors)
      : manifest(manifest), program(program), chip(chip),
        multiprocessors(multiprocessors) {}

  std::string describe();

private:
  std::string getParameters();
  std::string getGlobals() const;

  /// Adds an op with a result, and returns the name of that.
  std::string add(const std::string &op, const std::string &location = "");
  std::string addExpression(const Expression &expression);
  void addCheck(const runtime::CheckInfo &check);
  NamedValue addSource(const OperandInfo &operand);
  NamedValue addTensor(const OperandInfo &operand);
  NamedValue addOperand(const OperandInfo &operand);
  void addLaunch(const StepInfo &step, llvm::ArrayRef<NamedValue> operands,
                 const std::string &location);
  void addMatmul(const StepInfo &step, llvm::ArrayRef<NamedValue> operands,
                 const std::string &location);
  void addStep(const StepInfo &step);

  const Manifest &manifest;
  const ProgramInfo &program;
  std::string_view chip;
  uint32_t multiprocessors;
  std::vector<std::string> argumentTypes;
  std::string body;
  unsigned count = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments and constants
//===----------------------------------------------------------------------===//

std::string ProgramText::getParameters() {
  std::string text;
  for (const auto &[number, argument] : llvm::enumerate(program.arguments)) {
    // The type of a program's workspace states no extent.
    std::vector<bool> isOpen(argument.workspaceExtents.size(), true);
    argumentTypes.push_back(getArgumentType(argument, isOpen));
    text += fmt::format("{}\n    %a{}: {} {{{}}}", number ? "," : "", number,
                        argumentTypes.back(),
                        getArgumentAttributes(argument, isOpen));
  }
  return text;
}

static std::string getConstantType(const runtime::ConstantInfo &constant) {
  std::string extents;
  for (int64_t extent : constant.extents)
    extents += std::to_string(extent) + "x";
  return fmt::format("memref<{}{}, {}>", extents, toString(constant.element),
                     kGlobal);
}

std::string ProgramText::getGlobals() const {
  std::string text;
  for (const auto &[number, constant] : llvm::enumerate(program.constants))
    text += fmt::format(
        "memref.global \"private\" constant @{} : {} = uninitialized\n",
        quote(getConstantName(program, number)), getConstantType(constant));
  return text;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string ProgramText::add(const std::string &op,
                             const std::string &location) {
  std::string name = fmt::format("%{}", count++);
  body += fmt::format("  {} = {}{}\n", name, op, location);
  return name;
}

std::string ProgramText::addExpression(const Expression &expression) {
  using Op = Expression::Op;
  std::vector<std::string> stack;
  auto getArgument = [](const Expression::Node &node) {
    return fmt::format("%a{}", node.argument);
  };
  for (const Expression::Node &node : expression.nodes) {
    auto binary = [&](const char *op) {
      std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() =
          add(fmt::format("arith.{} {}, {} : index", op, stack.back(), right));
    };
    switch (node.op) {
    case Op::Constant:
      stack.push_back(
          add(fmt::format("arith.constant {} : index", node.value)));
      break;
    case Op::Extent: {
      std::string dim = add(fmt::format("arith.constant {} : index", node.dim));
      stack.push_back(
          add(fmt::format("memref.dim {}, {} : {}", getArgument(node), dim,
                          argumentTypes[node.argument])));
      break;
    }
    case Op::Stride: {
      const ArgumentInfo &argument = program.arguments[node.argument];
      size_t rank = argument.extents.size();
      std::string name = fmt::format("%l{}", count++), types;
      for (size_t i = 0; i < 2 * rank + 1; ++i)
        types += ", index";
      body += fmt::format("  {0}b, {0}o, {0}e:{1}, {0}s:{1} = "
                          "memref.extract_strided_metadata {2} : {3} -> "
                          "memref<{4}, {5}>{6}\n",
                          name, rank, getArgument(node),
                          argumentTypes[node.argument],
                          toString(argument.element), kGlobal, types);
      stack.push_back(fmt::format("{}s#{}", name, node.dim));
      break;
    }
    case Op::Scalar: {
      const std::string &type = argumentTypes[node.argument];
      stack.push_back(type == "index"
                          ? getArgument(node)
                          : add(fmt::format("arith.index_cast {} : {} to index",
                                            getArgument(node), type)));
      break;
    }
    case Op::Add:
      binary("addi");
      break;
    case Op::Sub:
      binary("subi");
      break;
    case Op::Mul:
      binary("muli");
      break;
    case Op::FloorDiv:
      binary("floordivsi");
      break;
    case Op::CeilDiv:
      binary("ceildivsi");
      break;
    case Op::Mod: { // as the runtime, which rounds quotients down
      std::string divisor = std::move(stack.back());
      stack.pop_back();
      std::string value = std::move(stack.back());
      std::string quotient =
          add(fmt::format("arith.floordivsi {}, {} : index", value, divisor));
      std::string whole =
          add(fmt::format("arith.muli {}, {} : index", quotient, divisor));
      stack.back() =
          add(fmt::format("arith.subi {}, {} : index", value, whole));
      break;
    }
    case Op::Min:
      binary("minsi");
      break;
    case Op::Max:
      binary("maxsi");
      break;
    case Op::SMs:
      stack.push_back(
          add(fmt::format("arith.constant {} : index", multiprocessors)));
      break;
    case Op::Resident:
      llvm_unreachable("the reader takes it in grids only");
    }
  }
  return stack.empty() ? add("arith.constant 0 : index") : stack.back();
}

void ProgramText::addCheck(const runtime::CheckInfo &check) {
  const Guard &guard = check.guard;
  auto constant = [this](int64_t value) {
    return add(fmt::format("arith.constant {} : index", value));
  };
  auto require = [&](const char *predicate, const std::string &left,
                     const std::string &right) {
    std::string holds = add(
        fmt::format("arith.cmpi {}, {}, {} : index", predicate, left, right));
    body += fmt::format("  cf.assert {}, {}\n", holds, quote(check.message));
  };
  switch (guard.kind) {
  case Guard::Kind::Divisible: {
    std::string rest =
        add(fmt::format("arith.remsi {}, {} : index",
                        addExpression(guard.value), constant(guard.least)));
    return require("eq", rest, constant(0));
  }
  case Guard::Kind::Range: {
    std::string value = addExpression(guard.value);
    require("sge", value, constant(guard.least));
    return require("sle", value, constant(guard.most));
  }
  case Guard::Kind::Equal:
    return require("eq", addExpression(guard.value),
                   addExpression(guard.other));
  // The tool's memory has all alignments, and the kernels are of the chip.
  case Guard::Kind::Aligned:
  case Guard::Kind::Capability:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Adds the source of an operand's view, with the operand's elements.
NamedValue ProgramText::addSource(const OperandInfo &operand) {
  std::string element = toString(operand.element);
  if (operand.kind == OperandInfo::Kind::Constant) {
    std::string type = getConstantType(program.constants[operand.number]);
    std::string name = quote(getConstantName(program, operand.number));
    return {add(fmt::format("memref.get_global @{} : {}", name, type)), type};
  }
  NamedValue source = {fmt::format("%a{}", operand.number),
                       argumentTypes[operand.number]};
  const ArgumentInfo &argument = program.arguments[operand.number];
  if (argument.element == operand.element)
    return source;
  // A workspace is bytes.
  std::string zero = add("arith.constant 0 : index");
  std::string bytes = add(
      fmt::format("memref.dim {}, {} : {}", source.name, zero, source.type));
  std::string size =
      add(fmt::format("arith.constant {} : index", getBytes(operand.element)));
  std::string elements =
      add(fmt::format("arith.divsi {}, {} : index", bytes, size));
  std::string type = fmt::format("memref<?x{}, {}>", element, kGlobal);
  return {add(fmt::format("memref.view {}[{}][{}] : {} to {}", source.name,
                          zero, elements, source.type, type),
              fmt::format(" loc({})", quote(argument.name))),
          type};
}

NamedValue ProgramText::addTensor(const OperandInfo &operand) {
  NamedValue source = addSource(operand);
  std::string size =
      add(fmt::format("arith.constant {} : index", getBytes(operand.element)));
  std::string begin = addExpression(operand.offset);
  std::string rest =
      add(fmt::format("arith.remsi {}, {} : index", begin, size));
  std::string none = add("arith.constant 0 : index");
  std::string isWhole =
      add(fmt::format("arith.cmpi eq, {}, {} : index", rest, none));
  body +=
      fmt::format("  cf.assert {}, {}\n", isWhole,
                  quote("expected an offset of whole elements, of " +
                        std::to_string(getBytes(operand.element)) + " bytes"));
  std::string offset =
      add(fmt::format("arith.divsi {}, {} : index", begin, size));
  // Known numbers are in the type, others are operands.
  std::string shape, strides, sizes, steps;
  for (const auto &[extent, stride] :
       llvm::zip_equal(operand.extents, operand.strides)) {
    std::optional<int64_t> length = getNumber(extent), step = getNumber(stride);
    const char *comma = sizes.empty() ? "" : ", ";
    if (step == 0) // which no type states
      step = std::nullopt;
    shape += (length ? std::to_string(*length) : "?") + "x";
    sizes += comma + (length ? std::to_string(*length) : addExpression(extent));
    strides += comma + (step ? std::to_string(*step) : "?");
    steps += comma + (step ? std::to_string(*step) : addExpression(stride));
  }
  std::string type =
      fmt::format("memref<{}{}, strided<[{}], offset: ?>, {}>", shape,
                  toString(operand.element), strides, kGlobal);
  return {
      add(fmt::format("memref.reinterpret_cast {} to offset: [{}], sizes: "
                      "[{}], strides: [{}] : {} to {}",
                      source.name, offset, sizes, steps, source.type, type)),
      type};
}

NamedValue ProgramText::addOperand(const OperandInfo &operand) {
  std::string type = toString(operand.element);
  switch (operand.kind) {
  case OperandInfo::Kind::Tensor:
  case OperandInfo::Kind::Constant:
    return addTensor(operand);
  case OperandInfo::Kind::Scalar:
    return {fmt::format("%a{}", operand.number), argumentTypes[operand.number]};
  case OperandInfo::Kind::Number: {
    std::string number = addExpression(operand.value);
    if (type != "index")
      number =
          add(fmt::format("arith.index_cast {} : index to {}", number, type));
    return {number, type};
  }
  case OperandInfo::Kind::Bits: {
    // Floats are hexadecimal bits; other bits are numbers with a sign.
    bool isFloat = type.find('f') != std::string::npos;
    unsigned bits = isFloat ? 0 : 8 * getBytes(operand.element);
    std::string number =
        isFloat        ? fmt::format("0x{:0{}X}", operand.bits,
                                     2 * getBytes(operand.element))
        : type == "i1" ? (operand.bits & 1 ? "true" : "false")
                       : std::to_string(llvm::SignExtend64(operand.bits, bits));
    return {add(fmt::format("arith.constant {}{}", number,
                            type == "i1" ? "" : " : " + type)),
            type};
  }
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// "file.mlir:9" as a location, if it is one.
static std::string getLocation(const StepInfo &step) {
  if (step.sources.empty())
    return "";
  auto [file, line] = llvm::StringRef(step.sources.front()).rsplit(':');
  unsigned number = 0;
  if (file.empty() || line.getAsInteger(10, number))
    return "";
  return fmt::format(" loc({}:{}:1)", quote(file.str()), number);
}

static const char *getAttributes(const StepInfo &step) {
  return step.isAtLoad ? " {carousel.at_load}" : "";
}

static std::string joinOperands(const char *word,
                                llvm::ArrayRef<NamedValue> operands) {
  if (operands.empty())
    return "";
  auto name = [](const NamedValue &value) { return value.name; };
  auto type = [](const NamedValue &value) { return value.type; };
  return fmt::format(" {}({} : {})", word, joinText(operands, name),
                     joinText(operands, type));
}

void ProgramText::addLaunch(const StepInfo &step,
                            llvm::ArrayRef<NamedValue> operands,
                            const std::string &location) {
  const KernelInfo &kernel = manifest.kernels[step.kernel];
  const VariantInfo *variant = findVariant(kernel, chip);
  std::vector<NamedValue> inputs, outputs;
  for (const auto &[number, operand] : llvm::enumerate(operands))
    (kernel.arguments[number].access == ArgumentInfo::Access::In ? inputs
                                                                 : outputs)
        .push_back(operand);
  body +=
      fmt::format("  carousel.launch_kernel @{}::@{}{}{}{}{}\n",
                  quote(manifest.modules[variant->module].name),
                  quote(kernel.name), joinOperands("ins", inputs),
                  joinOperands("outs", outputs), getAttributes(step), location);
}

/// The loops of an operand: all batches, and two of m, n and k.
static std::string getMap(size_t batches, const char *inner) {
  std::string outer;
  for (size_t batch = 0; batch < batches; ++batch)
    outer += fmt::format("b{}, ", batch);
  return fmt::format("affine_map<({0}m, n, k) -> ({0}{1})>", outer, inner);
}

void ProgramText::addMatmul(const StepInfo &step,
                            llvm::ArrayRef<NamedValue> operands,
                            const std::string &location) {
  static constexpr const char *kFunctions[] = {"identity", "relu", "gelu"};
  auto name = [&](const char *word, std::optional<uint32_t> number) {
    return number ? joinOperands(word, operands[*number]) : std::string();
  };
  size_t batches = step.operands[0].extents.size() - 2;
  body += fmt::format(
      "  carousel.library_matmul{}{}{}{}{}{} {{indexing_maps = [{}, {}, "
      "{}]{}{}}}{}\n",
      joinOperands("ins", operands.take_front(2)), name("bias", step.bias),
      name("residual", step.residual),
      step.function == StepInfo::Function::Identity
          ? ""
          : fmt::format(" function({})", kFunctions[size_t(step.function)]),
      joinOperands("outs", operands[2]), name("scratch", step.scratch),
      getMap(batches, "m, k"), getMap(batches, "k, n"), getMap(batches, "m, n"),
      step.tf32 ? ", tf32" : "", step.isAtLoad ? ", carousel.at_load" : "",
      location);
}

void ProgramText::addStep(const StepInfo &step) {
  std::vector<NamedValue> operands;
  for (const OperandInfo &operand : step.operands)
    operands.push_back(addOperand(operand));
  std::string location = getLocation(step);
  switch (step.kind) {
  case StepInfo::Kind::Launch:
    return addLaunch(step, operands, location);
  case StepInfo::Kind::Matmul:
    return addMatmul(step, operands, location);
  case StepInfo::Kind::Fill:
    body += fmt::format("  linalg.fill{}{}{}{}\n", getAttributes(step),
                        joinOperands("ins", operands[0]),
                        joinOperands("outs", operands[1]), location);
    return;
  case StepInfo::Kind::Copy:
    body += fmt::format("  memref.copy {}, {}{} : {} to {}{}\n",
                        operands[0].name, operands[1].name, getAttributes(step),
                        operands[0].type, operands[1].type, location);
    return;
  }
}

std::string ProgramText::describe() {
  std::string parameters = getParameters();
  for (const runtime::CheckInfo &check : program.checks)
    addCheck(check);
  for (const StepInfo &step : program.steps)
    addStep(step);
  return fmt::format("{}func.func @{}({}) attributes {{carousel.program}} "
                     "{{\n{}  return\n}}\n",
                     getGlobals(), quote(program.name), parameters, body);
}

/// The function and the globals, which have no elements, as text; empty if a
/// kernel isn't compiled for the chip. Expressions may count multiprocessors.
static std::string describeProgram(const Manifest &manifest,
                                   const ProgramInfo &program,
                                   std::string_view chip,
                                   uint32_t multiprocessors) {
  for (const StepInfo &step : program.steps)
    if (step.kind == StepInfo::Kind::Launch &&
        !findVariant(manifest.kernels[step.kernel], chip))
      return "";
  return ProgramText(manifest, program, chip, multiprocessors).describe();
}

//===----------------------------------------------------------------------===//
// A manifest as MLIR
//
// Writes a manifest's kernels as gpu.func ops without code: arguments,
// launches, guards and tensor maps, as the compiler was given them. The
// attributes are those of docs/Package.md, and the parser of the dialect checks
// them.
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static std::string joinNumbers(const std::vector<int64_t> &numbers) {
  return joinText(numbers, [](int64_t n) { return std::to_string(n); });
}

static std::string toText(const Guard &guard) {
  switch (guard.kind) {
  case Guard::Kind::Capability:
    return guard.most == INT64_MAX
               ? fmt::format("capability({})", guard.least)
               : fmt::format("capability({}, {})", guard.least, guard.most);
  case Guard::Kind::Aligned:
    return fmt::format("aligned({}, {})", guard.argument, guard.least);
  case Guard::Kind::Divisible:
    return fmt::format("divisible({}, {})", toText(guard.value), guard.least);
  case Guard::Kind::Range:
    return fmt::format("range({}, {}, {})", toText(guard.value), guard.least,
                       guard.most);
  case Guard::Kind::Equal:
    return fmt::format("equal({}, {})", toText(guard.value),
                       toText(guard.other));
  }
  return "";
}

/// The extents of a workspace that the kernel takes as parameters; those of a
/// tensor are in its description.
static std::vector<bool> findPassed(const VariantInfo &variant,
                                    const ArgumentInfo &argument,
                                    size_t number) {
  std::vector<bool> passed(argument.workspaceExtents.size());
  for (const runtime::Parameter &parameter : variant.parameters)
    if (parameter.kind == runtime::Parameter::Kind::Extent &&
        parameter.argument == number && parameter.dim < passed.size())
      passed[parameter.dim] = true;
  return passed;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static const char *toText(TensorMapFormat::Element element) {
  static constexpr const char *kNames[] = {
      "u8",       "u16",   "u32",       "s32",      "u64",     "s64",
      "f16",      "f32",   "f64",       "bf16",     "f32_ftz", "tf32",
      "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  return kNames[size_t(element)];
}

static std::string getType(const TensorMapFormat &format) {
  std::string text = "!carousel.tensor_map<";
  for (int64_t extent : format.box)
    text += std::to_string(extent) + "x";
  text += toText(format.element);
  auto option = [&](const char *name, size_t value,
                    llvm::ArrayRef<const char *> names) {
    if (value != 0)
      text += fmt::format(", {} = {}", name, names[value - 1]);
  };
  option("swizzle", size_t(format.swizzle),
         {"b32", "b64", "b128", "b128_atom_32b", "b128_atom_32b_flip_8b",
          "b128_atom_64b"});
  option("interleave", size_t(format.interleave), {"b16", "b32"});
  option("promotion", size_t(format.promotion), {"b64", "b128", "b256"});
  option("fill", size_t(format.fill), {"nan"});
  if (llvm::any_of(format.elementStrides, [](int64_t s) { return s != 1; }))
    text += fmt::format(", strides = [{}]", joinNumbers(format.elementStrides));
  option("mode", size_t(format.mode), {"im2col", "im2col_w", "im2col_w_128"});
  if (format.mode != TensorMapFormat::Mode::Tile)
    text += fmt::format(", rank = {}, lower = [{}], upper = [{}]", format.rank,
                        joinNumbers(format.lower), joinNumbers(format.upper));
  return text + ">";
}

static std::string getEncoding(const TensorMapInfo &map) {
  auto print = [](const Expression &expression) { return toText(expression); };
  return fmt::format(
      "carousel.encode = #carousel.encode<argument = {}, extents "
      "= [{}]{}, offset = {}>",
      map.argument, joinText(map.extents, print),
      map.strides.empty()
          ? ""
          : fmt::format(", strides = [{}]", joinText(map.strides, print)),
      toText(map.offset));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Arguments and tensor maps, in the order of the parameters.
static std::string getParameters(const KernelInfo &kernel,
                                 const VariantInfo &variant) {
  using Kind = runtime::Parameter::Kind;
  std::string text;
  auto add = [&](const std::string &type, const std::string &attributes) {
    text += fmt::format("{}\n    %{}: {} {{{}}}", text.empty() ? "" : ",",
                        std::count(text.begin(), text.end(), '\n'), type,
                        attributes);
  };
  for (const runtime::Parameter &parameter : variant.parameters) {
    if (parameter.kind == Kind::TensorMap) {
      const TensorMapInfo &map = variant.tensorMaps[parameter.argument];
      add(getType(map.format), getEncoding(map));
    } else if (parameter.kind == Kind::Pointer ||
               parameter.kind == Kind::Scalar) {
      const ArgumentInfo &argument = kernel.arguments[parameter.argument];
      std::vector<bool> passed =
          findPassed(variant, argument, parameter.argument);
      add(getArgumentType(argument, passed),
          getArgumentAttributes(argument, passed));
    }
  }
  return text;
}

static std::string describeVariant(const KernelInfo &kernel,
                                   const VariantInfo &variant) {
  auto list = [](const std::array<uint32_t, 3> &extents) {
    return joinText(extents, [](uint32_t n) { return std::to_string(n); });
  };
  auto print = [](const auto &value) { return toText(value); };
  std::string attributes = fmt::format(
      "carousel.launch = #carousel.launch<grid = [{}], block = [{}], cluster = "
      "[{}], shared = {}>,\n      carousel.variant = #carousel.variant<kernel "
      "= {}, guards = [{}]{}>{}",
      joinText(variant.grid, print), list(variant.block), list(variant.cluster),
      variant.dynamicShared, quote(kernel.name),
      joinText(variant.guards, print),
      variant.cost ? ", cost = " + toText(*variant.cost) : "",
      variant.cooperative ? ", carousel.coresident" : "");
  return fmt::format("  gpu.func @{}({}) kernel\n    attributes {{{}}} {{\n"
                     "    gpu.return\n  }}\n",
                     quote(variant.function), getParameters(kernel, variant),
                     attributes);
}

/// A module of MLIR, as text, with one gpu.func for each variant that is
/// compiled for the chip, and one func.func for each program whose kernels are.
static std::string describePackage(const runtime::Manifest &manifest,
                                   std::string_view chip,
                                   uint32_t multiprocessors) {
  std::string text;
  for (const runtime::ModuleInfo &module : manifest.modules) {
    std::string kernels;
    unsigned indexBits = 64;
    for (const KernelInfo &kernel : manifest.kernels)
      for (const VariantInfo &variant : kernel.variants) {
        bool isForChip = llvm::is_contained(variant.chips, std::string(chip));
        if (&manifest.modules[variant.module] != &module || !isForChip)
          continue;
        kernels += describeVariant(kernel, variant);
        indexBits = variant.indexBits;
      }
    if (!kernels.empty())
      text += fmt::format("gpu.module @{} attributes {{dlti.dl_spec = "
                          "#dlti.dl_spec<index = {} : i32>}} {{\n{}}}\n",
                          quote(module.name), indexBits, kernels);
  }
  for (const runtime::ProgramInfo &program : manifest.programs)
    text += describeProgram(manifest, program, chip, multiprocessors);
  return text;
}

//===----------------------------------------------------------------------===//
// Packages and texts of PTX
//===----------------------------------------------------------------------===//

/// Null if there is none.
static const ptx::Function *findEntry(const ptx::Module &module,
                                      StringRef name) {
  for (const ptx::Function *kernel : module.getKernels())
    if (kernel->name == name)
      return kernel;
  return nullptr;
}

bool Input::addText(StringRef text, std::string file, std::string home) {
  ptx::Diagnostic error;
  std::optional<ptx::Module> parsed = ptx::parse(text, error);
  if (!parsed) {
    emitError(FileLineColLoc::get(&context, file, error.location.line,
                                  error.location.column))
        << error.message;
    return false;
  }
  texts.push_back(std::make_unique<CodeText>(
      CodeText{std::move(file), std::move(*parsed), std::move(home)}));
  return true;
}

bool Input::addFile(const std::string &file) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> text = openInputFile(file, &error);
  if (!text) {
    tools::printError(error);
    return false;
  }
  return addText(text->getBuffer(), file, "");
}

/// The elements of a constant, whose bytes the package has.
static ElementsAttr makeElements(MemRefType type, StringRef name,
                                 ArrayRef<char> bytes) {
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  if (!type.getElementType().isInteger(1))
    return DenseResourceElementsAttr::get(
        tensor, name, HeapAsmResourceBlob::allocateAndCopyInferAlign(bytes));
  SmallVector<bool> bits(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(tensor, bits);
}

/// Gives the globals of programs their elements.
bool Input::loadConstants(const runtime::Package &package) {
  std::string bytes;
  runtime::Status read = package.readConstants(
      [&bytes](uint64_t, std::string_view part) -> runtime::Status {
        bytes += part;
        return {};
      });
  if (!read) {
    tools::printError(read.error().message);
    return false;
  }
  for (const runtime::ProgramInfo &program : package.getManifest().programs)
    for (const auto &[number, constant] : llvm::enumerate(program.constants)) {
      std::string name = getConstantName(program, number);
      auto global = module->lookupSymbol<memref::GlobalOp>(name);
      if (!global) // the program isn't for this chip
        break;
      global.setInitialValueAttr(makeElements(
          global.getType(), name,
          ArrayRef(bytes.data() + constant.offset, constant.bytes)));
    }
  return true;
}

bool Input::loadPackage(const Options &options) {
  auto package = runtime::Package::open(options.input);
  if (!package) {
    tools::printError(package.error().message);
    return false;
  }
  const runtime::Manifest &manifest = package->getManifest();
  std::string text =
      describePackage(manifest, options.chip, options.multiprocessors);
  if (text.empty()) {
    tools::printError("expected a package with kernels for " + options.chip +
                      ", got none; see --chip");
    return false;
  }
  if (!parseModule(llvm::MemoryBuffer::getMemBufferCopy(
          text, options.input + "/manifest.json")))
    return false;
  if (!loadConstants(*package))
    return false;
  for (const auto &[number, source] : llvm::enumerate(manifest.modules))
    for (const auto &[index, image] : llvm::enumerate(source.images))
      if (image.kind == runtime::Image::Kind::PTX && image.chip == options.chip)
        if (!addText(package->getContents(uint32_t(number), index),
                     options.input + "/" + image.file, source.name))
          return false;
  return true;
}

/// The kernels of a text without a description have the parameters that the
/// command line gives.
bool Input::loadPTX(const Options &options) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> text =
      openInputFile(options.input, &error);
  if (!text) {
    tools::printError(error);
    return false;
  }
  ptx::Diagnostic wrong;
  std::optional<ptx::Module> parsed = ptx::parse(text->getBuffer(), wrong);
  std::string kernel = options.kernel;
  llvm::erase(kernel, '@');
  if (parsed && kernel.empty() && parsed->getKernels().size() == 1)
    kernel = parsed->getKernels().front()->name;
  if (parsed && kernel.empty()) {
    tools::printError("expected --kernel with a kernel of the PTX, which has " +
                      std::to_string(parsed->getKernels().size()));
    return false;
  }
  const ptx::Function *found = parsed ? findEntry(*parsed, kernel) : nullptr;
  if (found && options.parameters.empty() && !found->parameters.empty()) {
    tools::printError("expected --parameters with the " +
                      std::to_string(found->parameters.size()) +
                      " parameters of " + kernel + ", got none");
    return false;
  }
  llvm::SmallVector<llvm::StringRef> attributes;
  if (options.startsInOrder)
    attributes.push_back(CarouselDialect::kStartsInOrder);
  if (options.isCoresident)
    attributes.push_back(CarouselDialect::kCoresident);
  auto described =
      sim::describePTX(kernel, options.parameters, attributes, error);
  if (!described) {
    tools::printError("--parameters: " + error);
    return false;
  }
  if (!parseModule(llvm::MemoryBuffer::getMemBufferCopy(
          described->text, "parameters of " + options.input)) ||
      !addText(text->getBuffer(), options.input, ""))
    return false;
  texts.back()->parameters = std::move(described->members);
  return true;
}

Result<const CodeText *> Input::findCode(gpu::GPUFuncOp kernel) const {
  StringRef home = kernel->getParentOfType<gpu::GPUModuleOp>().getName();
  // Texts of the command line come last, and are taken first.
  for (const auto &text : llvm::reverse(texts))
    if ((text->home.empty() || text->home == home) &&
        findEntry(text->module, kernel.getName()))
      return text.get();
  return fail(ErrorCode::NotFound,
              "expected PTX with the kernel @{}, found none that has it",
              kernel.getName().str());
}
