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
#include "Input.h"
#include "PackageDescription.h"
#include "ProgramDescription.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/PTX/Parser.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Package.h"
#include "carousel/Simulator/PTXDescription.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;

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
