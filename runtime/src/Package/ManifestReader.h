//===- ManifestReader.h - reads manifests from JSON -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each object of docs/Package.md, in the order of that page.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_MANIFESTREADER_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_MANIFESTREADER_H

#include "JSONReader.h"

#include "carousel/Runtime/Manifest.h"

#include <map>
#include <set>
#include <string_view>

namespace carousel::runtime {

/// The arguments that a number may name: all of a kernel, or its first ones.
class ArgumentList {
public:
  ArgumentList(const SignatureInfo &signature, size_t count)
      : arguments(signature.arguments.data()), count(count) {}
  /// All that were read so far.
  ArgumentList(const SignatureInfo &signature)
      : ArgumentList(signature, signature.arguments.size()) {}

  size_t size() const { return count; }
  const ArgumentInfo &operator[](size_t number) const {
    return arguments[number];
  }

private:
  const ArgumentInfo *arguments;
  size_t count;
};

class ManifestReader : public FieldReader {
public:
  Manifest readManifest(const Field &root);

private:
  /// Ordered, as names could be made whose hashes are equal.
  using Names = std::set<std::string>;

  void readVersion(const Field &root);
  ModuleInfo readModule(const Field &field);
  Image readImage(const Field &field);
  ExternInfo readExtern(const Field &field);
  WaitInfo readWait(const Field &field);
  std::string readChip(const Field &field);
  std::string readFileName(const Field &field);

  KernelInfo readKernel(const Field &field);
  /// At most `most` of them, with names of their own.
  void readArguments(const Field &field, size_t most, SignatureInfo &signature);
  /// `kernel` has the arguments before it.
  ArgumentInfo readArgument(const Field &field, const SignatureInfo &signature);
  void readTensor(const Field &field, ArgumentInfo &argument);
  void readMayAlias(const Field &field, const SignatureInfo &signature,
                    ArgumentInfo &argument);
  void readParameter(const Field &field, ArgumentInfo &argument);
  void readWorkspace(const Field &field, const SignatureInfo &signature,
                     ArgumentInfo &argument);

  ProgramInfo readProgram(const Field &field, const Manifest &manifest);
  ConstantFile readConstantFile(const Field &field);
  ConstantInfo readConstant(const Field &field, uint64_t fileBytes);
  StepInfo readStep(const Field &field, const ProgramInfo &program,
                    const Manifest &manifest);
  StepInfo readMatmul(const Field &field, bool isFused,
                      const ProgramInfo &program);
  void readAdded(const Field &field, const ProgramInfo &program,
                 StepInfo &step);
  void readScratch(const Field &field, const ProgramInfo &program,
                   StepInfo &step);
  void readOrigin(const Field &field, StepInfo &step);
  /// The steps that launches may skip depend on no others.
  void checkLoad(const Field &steps, const ProgramInfo &program,
                 const Manifest &manifest);
  StepInfo readLaunch(const Field &field, const ProgramInfo &program,
                      const Manifest &manifest);
  OperandInfo readOperand(const Field &field, const ProgramInfo &program);
  void readView(const Field &field, const ProgramInfo &program,
                OperandInfo &operand);
  void checkOperand(const Field &field, const OperandInfo &operand,
                    const ArgumentInfo &argument, const ProgramInfo &program);
  /// The rules of StepRules.h, as far as the manifest says the numbers.
  void checkView(const Field &field, const OperandInfo &operand,
                 const ProgramInfo &program);
  void checkWritten(const Field &field, const OperandInfo &operand,
                    const ProgramInfo &program);
  /// Checks the target of a fill, copy or product.
  void checkTarget(const Field &field, const OperandInfo &operand,
                   const ProgramInfo &program);
  /// Checks another operand, and whether it may be the target.
  void checkApart(const Field &field, const OperandInfo &target,
                  const OperandInfo &other, const ProgramInfo &program,
                  bool permitsSame = false);

  VariantInfo readVariant(const Field &field, const KernelInfo &kernel);
  DecisionInfo readDecisions(const Field &field);
  /// `kernel` has all else.
  void readTunedList(const Field &field, KernelInfo &kernel);
  Guard readGuard(const Field &field, const SignatureInfo &signature);
  Parameter readParameter(const Field &field, const KernelInfo &kernel,
                          const VariantInfo &variant);
  void checkParameterBytes(const Field &field, const KernelInfo &kernel,
                           const VariantInfo &variant);
  void readCounts(const Field &field, std::array<uint32_t, 3> &counts,
                  std::array<int64_t, 3> limits, int64_t limit,
                  std::string_view what);
  TensorMapInfo readTensorMap(const Field &field, const KernelInfo &kernel);
  std::vector<int64_t> readIntegers(const Field &field, size_t length,
                                    int64_t least, int64_t most);

  /// An index is one of scalars only. F32 after a failure.
  ElementType readElement(const Field &field, std::string_view what);
  std::string readHash(const Field &field);
  /// An argument's number; 0 after a failure, and there may be none then.
  uint16_t readArgumentNumber(const Field &field, const ArgumentList &arguments,
                              ArgumentInfo::Kind kind);
  /// Reads the number of a tensor or a workspace.
  uint16_t readTensorArgument(const Field &field,
                              const ArgumentList &arguments);
  uint16_t readIntegerArgument(const Field &field,
                               const ArgumentList &arguments);
  uint16_t readNumber(const Field &field, size_t count, std::string_view what);
  uint8_t readDimension(const Field &field, const ArgumentList &arguments,
                        uint16_t argument);
  Expression readExpression(const Field &field, const ArgumentList &arguments);
  /// As readExpression, but it may name the blocks on the device at once.
  Expression readGrid(const Field &field, const ArgumentList &arguments);
  /// False after a failure, and where the expression has too many nodes.
  bool readNodes(const Field &field, const ArgumentList &arguments,
                 Expression &expression);

  /// Fails where a list has more than `most` of what it is a list of.
  void checkCount(const Field &list, size_t most, std::string_view what);
  static bool isEmptyList(const Field &list);
  static uint64_t countWork(const KernelInfo &kernel);
  /// Fails above kMaxLaunchWork.
  void checkWork(const Field &field, uint64_t work, std::string_view what);
  /// Where a name is in its list already, fails with what it is a name of.
  void checkUnique(const Field &field, Names &names, const std::string &name,
                   std::string_view what);

  std::map<std::string, uint32_t> modules, kernels;
  std::map<uint32_t, Names> functions; ///< of each module
  std::vector<uint64_t> kernelWork;    ///< of each kernel that was read
  uint64_t imageBytes = 0;
  size_t decisionEntries = 0; ///< of all variants
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_MANIFESTREADER_H
