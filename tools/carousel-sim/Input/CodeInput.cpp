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
#include "ProgramDescription.h"

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

#include <fmt/format.h>

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;

//===----------------------------------------------------------------------===//
// A manifest as MLIR
//
// What a manifest says of kernels, as gpu.func ops without code: arguments,
// launches, guards and tensor maps, as the compiler was given them. The
// attributes are those of docs/Package.md, and the parser of the dialect checks
// them.
//===----------------------------------------------------------------------===//

using runtime::ArgumentInfo;

using runtime::Expression;

using runtime::Guard;

using runtime::KernelInfo;

using runtime::TensorMapFormat;

using runtime::TensorMapInfo;

using runtime::VariantInfo;

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
