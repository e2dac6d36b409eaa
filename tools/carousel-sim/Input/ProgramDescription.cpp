//===- ProgramDescription.cpp - a program of a manifest as MLIR -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions become arith ops on the extents of arguments, and views become
// memref.reinterpret_cast of whole arguments. The parser and the plan of the
// simulated machine check them.
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "ArgumentText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::Expression;
using runtime::Guard;
using runtime::KernelInfo;
using runtime::Manifest;
using runtime::OperandInfo;
using runtime::ProgramInfo;
using runtime::StepInfo;
using runtime::VariantInfo;

static constexpr const char *kGlobal = "#gpu.address_space<global>";

std::string simtool::getConstantName(const ProgramInfo &program,
                                     size_t number) {
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
struct Value {
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
  Value addSource(const OperandInfo &operand);
  Value addTensor(const OperandInfo &operand);
  Value addOperand(const OperandInfo &operand);
  void addLaunch(const StepInfo &step, llvm::ArrayRef<Value> operands,
                 const std::string &location);
  void addMatmul(const StepInfo &step, llvm::ArrayRef<Value> operands,
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

/// What an operand is a view of, with the operand's elements.
Value ProgramText::addSource(const OperandInfo &operand) {
  std::string element = toString(operand.element);
  if (operand.kind == OperandInfo::Kind::Constant) {
    std::string type = getConstantType(program.constants[operand.number]);
    std::string name = quote(getConstantName(program, operand.number));
    return {add(fmt::format("memref.get_global @{} : {}", name, type)), type};
  }
  Value source = {fmt::format("%a{}", operand.number),
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

Value ProgramText::addTensor(const OperandInfo &operand) {
  Value source = addSource(operand);
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

Value ProgramText::addOperand(const OperandInfo &operand) {
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
                                llvm::ArrayRef<Value> operands) {
  if (operands.empty())
    return "";
  auto name = [](const Value &value) { return value.name; };
  auto type = [](const Value &value) { return value.type; };
  return fmt::format(" {}({} : {})", word, joinText(operands, name),
                     joinText(operands, type));
}

void ProgramText::addLaunch(const StepInfo &step,
                            llvm::ArrayRef<Value> operands,
                            const std::string &location) {
  const KernelInfo &kernel = manifest.kernels[step.kernel];
  const VariantInfo *variant = findVariant(kernel, chip);
  std::vector<Value> inputs, outputs;
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
                            llvm::ArrayRef<Value> operands,
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
  std::vector<Value> operands;
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

std::string simtool::describeProgram(const Manifest &manifest,
                                     const ProgramInfo &program,
                                     std::string_view chip,
                                     uint32_t multiprocessors) {
  for (const StepInfo &step : program.steps)
    if (step.kind == StepInfo::Kind::Launch &&
        !findVariant(manifest.kernels[step.kernel], chip))
      return "";
  return ProgramText(manifest, program, chip, multiprocessors).describe();
}
