//===- ManifestPrograms.cpp - reads the programs of manifests -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ManifestReader.h.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "StepRules.h"
#include "Support/Hash.h"

#include <algorithm>

namespace carousel::runtime {

std::string ManifestReader::readHash(const Field &field) {
  std::string hash(readString(field));
  constexpr size_t kFormerDigits = 32;
  if (hash.size() != kHashDigits ||
      hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail(field, "expected {} lower-case hexadecimal digits, got {}{}",
         kHashDigits, field.value.describe(),
         hash.size() == kFormerDigits
             ? "; compile packages of before version 3 again"
             : "");
  return hash;
}

ConstantFile ManifestReader::readConstantFile(const Field &field) {
  ConstantFile constants;
  constants.file = readFileName(get(field, "file"));
  constants.bytes = static_cast<uint64_t>(readInteger(
      get(field, "bytes"), 0, static_cast<int64_t>(kMaxConstantBytes)));
  constants.hash = readHash(get(field, "hash"));
  return constants;
}

/// Its bytes are in the file: those of all its elements.
ConstantInfo ManifestReader::readConstant(const Field &field,
                                          uint64_t fileBytes) {
  ConstantInfo constant;
  constant.element = readElement(get(field, "element"), "a constant");
  Field extents = get(field, "extents");
  checkCount(extents, kMaxRank, "dimensions");
  uint64_t bytes = getBytes(constant.element);
  forEach(extents, [&](const Field &element) {
    constant.extents.push_back(
        readInteger(element, 0, static_cast<int64_t>(kMaxConstantBytes)));
    if (__builtin_mul_overflow(
            bytes, static_cast<uint64_t>(constant.extents.back()), &bytes))
      fail(element, "expected a constant of at most {} bytes, got more",
           kMaxConstantBytes);
  });
  Field offset = get(field, "offset");
  constant.offset = static_cast<uint64_t>(
      readInteger(offset, 0, static_cast<int64_t>(kMaxConstantBytes)));
  constant.bytes = bytes;
  if (!hasFailed() &&
      (bytes > fileBytes || constant.offset > fileBytes - bytes))
    fail(offset, "expected {} bytes in a file of {}, got the offset {}", bytes,
         fileBytes, constant.offset);
  return constant;
}

/// The base, of one of the program's tensors or constants, and the view of it.
void ManifestReader::readView(const Field &field, const ProgramInfo &program,
                              OperandInfo &operand) {
  operand.element = readElement(get(field, "element"), "a tensor");
  if (operand.kind == OperandInfo::Kind::Constant)
    operand.number =
        readNumber(get(field, "constant"), program.constants.size(),
                   "a constant's number");
  else
    operand.number = readTensorArgument(get(field, "argument"), program);
  operand.offset = readExpression(get(field, "offset"), program);
  Field extents = get(field, "extents");
  checkCount(extents, kMaxRank, "dimensions");
  forEach(extents, [&](const Field &element) {
    operand.extents.push_back(readExpression(element, program));
  });
  forEach(get(field, "strides"), operand.extents.size(),
          [&](const Field &element) {
            operand.strides.push_back(readExpression(element, program));
          });
  checkView(field, operand, program);
}

void ManifestReader::checkView(const Field &field, const OperandInfo &operand,
                               const ProgramInfo &program) {
  if (hasFailed())
    return;
  std::optional<StepView> view = getConstantView(operand);
  if (!view)
    return;
  if (std::optional<std::string> reason = explainView(
          *view, operand, program, getConstantReach(operand, program)))
    return fail(field, "{}", *reason);
  // Arguments of callers are aligned to their elements, what the runtime
  // allocates to more than any element.
  auto address = static_cast<uint64_t>(view->offset);
  uint64_t granule = rules::kWorkspaceAlignment;
  if (operand.kind == OperandInfo::Kind::Constant)
    address += program.constants[operand.number].offset;
  else if (const ArgumentInfo &argument = program.arguments[operand.number];
           argument.kind == ArgumentInfo::Kind::Tensor)
    granule = getBytes(argument.element);
  if (std::optional<std::string> reason =
          explainAlignment(*view, operand, program, address, granule))
    fail(field, "{}", *reason);
}

void ManifestReader::checkWritten(const Field &field,
                                  const OperandInfo &operand,
                                  const ProgramInfo &program) {
  if (hasFailed())
    return;
  if (operand.kind != OperandInfo::Kind::Tensor)
    return fail(field, "expected elements that can be written, got another "
                       "operand");
  const ArgumentInfo &argument = program.arguments[operand.number];
  if (argument.kind == ArgumentInfo::Kind::Tensor &&
      argument.access == ArgumentInfo::Access::In)
    fail(field, "expected elements that can be written, got those of {}",
         toString(argument));
}

void ManifestReader::checkTarget(const Field &field, const OperandInfo &operand,
                                 const ProgramInfo &program) {
  checkWritten(field, operand, program);
  if (hasFailed())
    return;
  std::optional<StepView> view = getConstantView(operand);
  if (view && !isNested(*view))
    fail(field, "{}", explainNotNested(*view));
}

void ManifestReader::checkApart(const Field &field, const OperandInfo &target,
                                const OperandInfo &other,
                                const ProgramInfo &program, bool permitsSame) {
  if (hasFailed() || other.kind != target.kind || other.number != target.number)
    return;
  std::optional<StepView> written = getConstantView(target);
  std::optional<StepView> used = getConstantView(other);
  if (!written || !used)
    return;
  auto to = static_cast<uint64_t>(written->offset);
  auto from = static_cast<uint64_t>(used->offset);
  if (mayShareElements(*written, to, *used, from) &&
      !(permitsSame && isSame(*written, to, *used, from)))
    fail(field, "{}", explainSharing(describeBase(other, program)));
}

OperandInfo ManifestReader::readOperand(const Field &field,
                                        const ProgramInfo &program) {
  using Kind = OperandInfo::Kind;
  constexpr Spelling<Kind> kKinds[] = {{Kind::Tensor, "tensor"},
                                       {Kind::Constant, "constant"},
                                       {Kind::Scalar, "scalar"},
                                       {Kind::Number, "number"},
                                       {Kind::Bits, "bits"}};
  OperandInfo operand;
  operand.kind = readEnum(get(field, "kind"), kKinds);
  if (hasFailed())
    return operand;
  switch (operand.kind) {
  case Kind::Tensor:
  case Kind::Constant:
    readView(field, program, operand);
    break;
  case Kind::Scalar:
    operand.number = readArgumentNumber(get(field, "argument"), program,
                                        ArgumentInfo::Kind::Scalar);
    if (!hasFailed())
      operand.element = program.arguments[operand.number].element;
    break;
  case Kind::Number:
    operand.element = readElement(get(field, "element"), "a scalar");
    operand.value = readExpression(get(field, "value"), program);
    break;
  case Kind::Bits:
    operand.element = readElement(get(field, "element"), "a scalar");
    operand.bits = static_cast<uint64_t>(
        readInteger(get(field, "bits"), INT64_MIN, INT64_MAX));
    break;
  }
  return operand;
}

/// An operand fits the argument of the kernel that it is for.
void ManifestReader::checkOperand(const Field &field,
                                  const OperandInfo &operand,
                                  const ArgumentInfo &argument,
                                  const ProgramInfo &program) {
  if (hasFailed())
    return;
  bool isTensor = operand.isTensor();
  if (isTensor != (argument.kind == ArgumentInfo::Kind::Tensor) ||
      operand.element != argument.element ||
      (isTensor && operand.extents.size() != argument.extents.size()))
    fail(field, "expected an operand for {}, got {} of {}", toString(argument),
         isTensor ? fmt::format("{} dimensions", operand.extents.size())
                  : "a scalar",
         toString(operand.element));
  if (isTensor && argument.access != ArgumentInfo::Access::In)
    checkWritten(field, operand, program);
}

StepInfo ManifestReader::readLaunch(const Field &field,
                                    const ProgramInfo &program,
                                    const Manifest &manifest) {
  StepInfo step;
  Field name = get(field, "kernel");
  auto found = kernels.find(std::string(readString(name)));
  if (found == kernels.end())
    fail(name, "expected a kernel of the package, got {}",
         name.value.describe());
  if (hasFailed())
    return step;
  step.kernel = found->second;
  const KernelInfo &kernel = manifest.kernels[step.kernel];
  forEach(get(field, "operands"), kernel.countPassed(),
          [&](const Field &element) {
            step.operands.push_back(readOperand(element, program));
            checkOperand(element, step.operands.back(),
                         kernel.arguments[element.element], program);
          });
  return step;
}

bool StepInfo::writes(size_t operand, const Manifest &manifest) const noexcept {
  if (kind == Kind::Launch)
    return manifest.kernels[kernel].arguments[operand].access !=
           ArgumentInfo::Access::In;
  return operand == (kind == Kind::Matmul ? 2 : 1) || scratch == operand;
}

void ManifestReader::checkLoad(const Field &steps, const ProgramInfo &program,
                               const Manifest &manifest) {
  if (hasFailed())
    return;
  // Whether steps at load write each argument, and others do.
  std::vector<bool> isLoaded(program.arguments.size()), isWritten = isLoaded;
  auto visit = [&](const StepInfo &step, auto function) {
    for (size_t i = 0; i < step.operands.size(); ++i)
      function(step.operands[i], step.writes(i, manifest));
  };
  for (const StepInfo &step : program.steps)
    visit(step, [&](const OperandInfo &operand, bool writes) {
      if (writes)
        (step.isAtLoad ? isLoaded : isWritten)[operand.number] = true;
    });
  forEach(steps, [&](const Field &element) {
    const StepInfo &step = program.steps[element.element];
    if (!step.isAtLoad)
      return;
    visit(step, [&](const OperandInfo &operand, bool writes) {
      using Kind = OperandInfo::Kind;
      bool isFixed = operand.isTensor() ? getConstantView(operand).has_value()
                                        : operand.kind == Kind::Bits;
      if (operand.kind == Kind::Number)
        isFixed = operand.value.nodes.size() == 1 &&
                  operand.value.nodes[0].op == Expression::Op::Constant;
      if (isFixed && operand.kind == Kind::Tensor) {
        const ArgumentInfo &argument = program.arguments[operand.number];
        // Memory that grows would be new.
        isFixed = argument.kind == ArgumentInfo::Kind::Workspace
                      ? isLoaded[operand.number] &&
                            !isWritten[operand.number] &&
                            std::count(argument.extents.begin(),
                                       argument.extents.end(),
                                       ArgumentInfo::kDynamic) == 0
                      : !writes && argument.isParameter;
      }
      if (!isFixed)
        fail(element, "expected a step at load to use parameters, constants, "
                      "and workspaces that only such steps write, got another "
                      "operand");
    });
  });
}

/// Reads the step's origin.
void ManifestReader::readOrigin(const Field &field, StepInfo &step) {
  if (std::optional<Field> load = find(field, "at_load"))
    step.isAtLoad = readBool(*load);
  if (std::optional<Field> family = find(field, "family"))
    step.family = readName(*family);
  if (std::optional<Field> sources = find(field, "sources"))
    forEach(*sources, [&](const Field &element) {
      step.sources.push_back(readName(element));
    });
}

/// Views of matrices, whose numbers are compared at the launch.
StepInfo ManifestReader::readMatmul(const Field &field, bool isFused,
                                    const ProgramInfo &program) {
  StepInfo step;
  step.kind = StepInfo::Kind::Matmul;
  step.tf32 = readBool(get(field, "tf32"));
  Field fields[] = {get(field, "lhs"), get(field, "rhs"), get(field, "target")};
  for (const Field &operand : fields)
    step.operands.push_back(readOperand(operand, program));
  if (hasFailed())
    return step;
  const OperandInfo &lhs = step.operands[0], &target = step.operands[2];
  for (size_t i = 0; i < 3; ++i) {
    const OperandInfo &operand = step.operands[i];
    if (!operand.isTensor())
      fail(fields[i], "expected elements of a tensor, got another operand");
    else if (operand.extents.size() < 2 ||
             operand.extents.size() != lhs.extents.size())
      fail(fields[i], "expected as many dimensions as lhs, at least 2, got {}",
           operand.extents.size());
  }
  bool isFactor = lhs.element == ElementType::F32 ||
                  lhs.element == ElementType::F16 ||
                  lhs.element == ElementType::BF16;
  if (!isFactor || step.operands[1].element != lhs.element)
    fail(fields[1], "expected factors of f32, f16 or bf16, got {} and {}",
         toString(lhs.element), toString(step.operands[1].element));
  if (target.element != ElementType::F32 && target.element != lhs.element)
    fail(fields[2], "expected elements of f32 or {}, got {}",
         toString(lhs.element), toString(target.element));
  if (step.tf32 && lhs.element != ElementType::F32)
    fail(get(field, "tf32"), "expected factors of f32, got {}",
         toString(lhs.element));
  checkTarget(fields[2], target, program);
  for (size_t i = 0; i < 2; ++i)
    checkApart(fields[i], target, step.operands[i], program);
  if (isFused && !hasFailed())
    readAdded(field, program, step);
  if (std::optional<Field> scratch = find(field, "scratch");
      scratch && !hasFailed())
    readScratch(*scratch, program, step);
  return step;
}

/// Reads what is done with a product's sums before they are rounded.
void ManifestReader::readAdded(const Field &field, const ProgramInfo &program,
                               StepInfo &step) {
  using Function = StepInfo::Function;
  constexpr Spelling<Function> kFunctions[] = {{Function::Identity, "identity"},
                                               {Function::Relu, "relu"},
                                               {Function::Gelu, "gelu"}};
  step.function = readEnum(get(field, "function"), kFunctions);
  const OperandInfo target = step.operands[2];
  for (auto [name, number, rank] :
       {std::tuple("bias", &step.bias, size_t(1)),
        std::tuple("residual", &step.residual, target.extents.size())}) {
    std::optional<Field> added = find(field, name);
    if (hasFailed() || !added)
      continue;
    *number = static_cast<uint32_t>(step.operands.size());
    step.operands.push_back(readOperand(*added, program));
    const OperandInfo &operand = step.operands.back();
    if (hasFailed())
      return;
    if (!operand.isTensor() || operand.element != target.element ||
        operand.extents.size() != rank)
      fail(*added, "expected {} dimensions of the target's {}, got {} of {}",
           rank, toString(target.element), operand.extents.size(),
           toString(operand.element));
    checkApart(*added, target, operand, program);
  }
}

/// Memory for the library.
void ManifestReader::readScratch(const Field &field, const ProgramInfo &program,
                                 StepInfo &step) {
  step.scratch = static_cast<uint32_t>(step.operands.size());
  step.operands.push_back(readOperand(field, program));
  const OperandInfo &bytes = step.operands.back();
  if (!hasFailed() &&
      (bytes.kind != OperandInfo::Kind::Tensor ||
       getBytes(bytes.element) != 1 || bytes.extents.size() != 1))
    fail(field, "expected bytes of one dimension that can be written, got "
                "another operand");
  checkWritten(field, bytes, program);
  if (hasFailed())
    return;
  if (std::optional<StepView> view = getConstantView(bytes))
    if (std::optional<std::string> reason = explainScratch(*view))
      fail(field, "{}", *reason);
  for (size_t i = 0; i < *step.scratch; ++i)
    checkApart(field, bytes, step.operands[i], program);
}

StepInfo ManifestReader::readStep(const Field &field,
                                  const ProgramInfo &program,
                                  const Manifest &manifest) {
  using Kind = StepInfo::Kind;
  // A fused product has members that no reader may ignore.
  constexpr Spelling<std::pair<Kind, bool>> kKinds[] = {
      {{Kind::Launch, false}, "launch"},
      {{Kind::Fill, false}, "fill"},
      {{Kind::Copy, false}, "copy"},
      {{Kind::Matmul, false}, "matmul"},
      {{Kind::Matmul, true}, "fused_matmul"}};
  auto [kind, isFused] = readEnum(get(field, "kind"), kKinds);
  if (hasFailed())
    return {};
  if (kind == Kind::Launch)
    return readLaunch(field, program, manifest);
  if (kind == Kind::Matmul)
    return readMatmul(field, isFused, program);
  StepInfo step;
  step.kind = kind;
  Field source = get(field, kind == Kind::Fill ? "value" : "source");
  Field target = get(field, "target");
  for (const Field &operand : {source, target})
    step.operands.push_back(readOperand(operand, program));
  if (hasFailed())
    return step;
  const OperandInfo &from = step.operands[0], &to = step.operands[1];
  checkTarget(target, to, program);
  if (from.element != to.element)
    fail(target, "expected elements of {}, got {}", toString(from.element),
         toString(to.element));
  if (kind == Kind::Fill
          ? from.isTensor()
          : !from.isTensor() || from.extents.size() != to.extents.size())
    fail(source, "expected {}, got another operand",
         kind == Kind::Fill ? "a scalar" : "a tensor of the target's rank");
  if (kind == Kind::Copy)
    checkApart(source, to, from, program, /*permitsSame=*/true);
  return step;
}

ProgramInfo ManifestReader::readProgram(const Field &field,
                                        const Manifest &manifest) {
  ProgramInfo program;
  program.name = readName(get(field, "name"));
  readArguments(get(field, "arguments"), kMaxEntries, program);
  uint64_t bytes = manifest.constants ? manifest.constants->bytes : 0;
  Field constants = get(field, "constants");
  checkCount(constants, kMaxEntries, "constants");
  forEach(constants, [&](const Field &element) {
    program.constants.push_back(readConstant(element, bytes));
  });
  Field checks = get(field, "checks");
  checkCount(checks, kMaxEntries, "checks");
  forEach(checks, [&](const Field &element) {
    Guard guard = readGuard(get(element, "guard"), program);
    std::string message = readName(get(element, "message"));
    program.checks.push_back({std::move(guard), std::move(message)});
  });
  Field steps = get(field, "steps");
  checkCount(steps, kMaxEntries, "steps");
  uint64_t work = 0;
  forEach(steps, [&](const Field &element) {
    program.steps.push_back(readStep(element, program, manifest));
    const StepInfo &step = program.steps.back();
    readOrigin(element, program.steps.back());
    if (!hasFailed() && step.kind == StepInfo::Kind::Launch)
      work += kernelWork[step.kernel];
  });
  checkWork(steps, work, "a program");
  checkLoad(steps, program, manifest);
  return program;
}

} // namespace carousel::runtime
