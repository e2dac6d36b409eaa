//===- Manifest.cpp - reads manifests -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Manifest.h and ManifestReader.h. This file reads modules, kernels and
// their arguments; ManifestVariants.cpp reads variants and their
// times.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "ManifestReader.h"
#include "Support/Hash.h"

#include <algorithm>

namespace carousel::runtime {

size_t SignatureInfo::countPassed() const noexcept {
  auto first = std::partition_point(
      arguments.begin(), arguments.end(), [](const ArgumentInfo &argument) {
        return argument.kind != ArgumentInfo::Kind::Workspace;
      });
  return static_cast<size_t>(first - arguments.begin());
}

bool SignatureInfo::hasShared() const noexcept {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentInfo &argument) {
                       return argument.sharing != ArgumentInfo::Sharing::None;
                     });
}

std::vector<TunedValue> SignatureInfo::getTunedValues() const noexcept {
  std::vector<TunedValue> values;
  for (size_t i = 0, count = countPassed(); i < count; ++i) {
    const ArgumentInfo &argument = arguments[i];
    auto number = static_cast<uint16_t>(i);
    if (argument.kind == ArgumentInfo::Kind::Scalar) {
      if (isInteger(argument.element))
        values.push_back({number, std::nullopt});
      continue;
    }
    for (size_t dim = 0; dim < argument.extents.size(); ++dim)
      if (argument.extents[dim] == ArgumentInfo::kDynamic)
        values.push_back({number, static_cast<uint8_t>(dim)});
  }
  return values;
}

const KernelInfo *Manifest::find(std::string_view kernel) const noexcept {
  for (const KernelInfo &info : kernels)
    if (info.name == kernel)
      return &info;
  return nullptr;
}

const ProgramInfo *
Manifest::findProgram(std::string_view program) const noexcept {
  for (const ProgramInfo &info : programs)
    if (info.name == program)
      return &info;
  return nullptr;
}

Result<Manifest> parseManifest(std::string_view text) noexcept {
  if (text.size() > kMaxManifestBytes)
    return runtime::fail(ErrorCode::InvalidPackage,
                         "expected a manifest of at most {} bytes, got {}",
                         kMaxManifestBytes, text.size());
  CAROUSEL_TRY_ASSIGN(JSONDocument document, JSONDocument::parse(text));
  ManifestReader reader;
  Manifest manifest = reader.readManifest({document.getRoot()});
  if (reader.hasFailed())
    return tl::make_unexpected(reader.takeError());
  return manifest;
}

Manifest ManifestReader::readManifest(const Field &root) {
  Manifest manifest;
  readVersion(root);
  if (hasFailed()) // nothing is known of other versions
    return manifest;
  manifest.producer = readString(get(root, "producer"));
  Field moduleList = get(root, "modules"), kernelList = get(root, "kernels");
  checkCount(moduleList, kMaxEntries, "modules");
  checkCount(kernelList, kMaxEntries, "kernels");
  forEach(moduleList, [&](const Field &field) {
    ModuleInfo module = readModule(field);
    auto index = static_cast<uint32_t>(manifest.modules.size());
    if (!modules.emplace(module.name, index).second)
      fail(field, "expected a name that no other module has, got {}",
           quote(module.name));
    manifest.modules.push_back(std::move(module));
  });
  forEach(kernelList, [&](const Field &field) {
    KernelInfo kernel = readKernel(field);
    auto index = static_cast<uint32_t>(manifest.kernels.size());
    if (!kernels.emplace(kernel.name, index).second)
      fail(field, "expected a name that no other kernel has, got {}",
           quote(kernel.name));
    kernelWork.push_back(countWork(kernel));
    manifest.kernels.push_back(std::move(kernel));
  });
  // Packages of kernels alone have neither.
  if (std::optional<Field> constants = find(root, "constants"))
    manifest.constants = readConstantFile(*constants);
  if (std::optional<Field> programList = find(root, "programs")) {
    checkCount(*programList, kMaxEntries, "programs");
    Names names;
    forEach(*programList, [&](const Field &field) {
      ProgramInfo program = readProgram(field, manifest);
      checkUnique(field, names, program.name, "program");
      manifest.programs.push_back(std::move(program));
    });
  }
  return manifest;
}

void ManifestReader::readVersion(const Field &root) {
  constexpr std::string_view kFormat = "carousel-package";
  Field format = get(root, "format");
  if (readString(format) != kFormat)
    fail(format, "expected '{}', got {}", kFormat, format.value.describe());
  Field version = get(root, "version");
  int64_t number = readInteger(version, 1, INT64_MAX);
  if (!hasFailed() && number > kManifestVersion)
    setError(ErrorCode::UnsupportedVersion, version,
             fmt::format("expected a package of version {} or older, got {}; "
                         "update the runtime",
                         kManifestVersion, number));
}

static const char *getName(Image::Kind kind) {
  constexpr const char *kNames[] = {"cubin", "PTX", "CUDA C++"};
  return kNames[static_cast<int>(kind)];
}

static bool isIdentifier(std::string_view name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && isLetter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return isLetter(c) || (c >= '0' && c <= '9');
         });
}

ModuleInfo ManifestReader::readModule(const Field &field) {
  ModuleInfo module;
  module.name = readName(get(field, "name"));
  Names targets;
  Field images = get(field, "images");
  checkCount(images, kMaxEntries, "images");
  forEach(images, [&](const Field &element) {
    Image image = readImage(element);
    if (!hasFailed() &&
        !targets.insert(image.chip + getName(image.kind) + image.function)
             .second)
      fail(element,
           "expected one image of a kind for a chip, got a second {} for {}",
           getName(image.kind), image.chip);
    module.images.push_back(std::move(image));
  });
  // A module has these if it calls functions that it doesn't have.
  if (std::optional<Field> list = find(field, "externs")) {
    Names externs;
    forEach(*list, [&](const Field &element) {
      ExternInfo function = readExtern(element);
      checkUnique(element, externs, function.name, "function");
      module.externs.push_back(std::move(function));
    });
  }
  // A module has these if waits have bounds.
  if (std::optional<Field> list = find(field, "waits"))
    forEach(*list, [&](const Field &element) {
      module.waits.push_back(readWait(element));
    });
  return module;
}

ExternInfo ManifestReader::readExtern(const Field &field) {
  using Type = ExternInfo::Type;
  constexpr Spelling<Type> kTypes[] = {
      {Type::I1, "i1"},       {Type::I8, "i8"},      {Type::I16, "i16"},
      {Type::I32, "i32"},     {Type::I64, "i64"},    {Type::F16, "f16"},
      {Type::BF16, "bf16"},   {Type::F32, "f32"},    {Type::F64, "f64"},
      {Type::Pointer, "ptr"}, {Type::Other, "other"}};
  ExternInfo function;
  Field name = get(field, "name");
  function.name = readName(name);
  // It becomes a part of CUDA C++.
  if (!hasFailed() && !isIdentifier(function.name))
    fail(name, "expected an identifier, got {}", quote(function.name));
  Field result = get(field, "result");
  if (!hasFailed() && !result.value.isNull())
    function.result = readEnum(result, kTypes);
  forEach(get(field, "parameters"), [&](const Field &element) {
    function.parameters.push_back(readEnum(element, kTypes));
  });
  return function;
}

WaitInfo ManifestReader::readWait(const Field &field) {
  using Role = WaitInfo::Role;
  using Phase = WaitInfo::Phase;
  constexpr Spelling<Role> kRoles[] = {{Role::All, "all"},
                                       {Role::Producer, "producer"},
                                       {Role::Consumer, "consumer"}};
  constexpr Spelling<Phase> kPhases[] = {{Phase::Parity, "parity"},
                                         {Phase::State, "state"},
                                         {Phase::Turn, "turn"}};
  WaitInfo wait;
  wait.number =
      static_cast<uint32_t>(readInteger(get(field, "number"), 0, UINT32_MAX));
  wait.function = readName(get(field, "function"));
  wait.barrier = readName(get(field, "barrier"));
  wait.role = readEnum(get(field, "role"), kRoles);
  wait.phase = readEnum(get(field, "phase"), kPhases);
  Field location = get(field, "location");
  if (!readString(location).empty())
    wait.location = readName(location);
  return wait;
}

Image ManifestReader::readImage(const Field &field) {
  constexpr Spelling<Image::Kind> kKinds[] = {{Image::Kind::Cubin, "cubin"},
                                              {Image::Kind::PTX, "ptx"},
                                              {Image::Kind::CUDA, "cuda"}};
  Image image;
  image.chip = readChip(get(field, "chip"));
  image.kind = readEnum(get(field, "kind"), kKinds);
  if (std::optional<Field> function = find(field, "function"))
    image.function = readName(*function);
  image.file = readFileName(get(field, "file"));
  Field bytes = get(field, "bytes");
  image.bytes = static_cast<uint64_t>(
      readInteger(bytes, 0, static_cast<int64_t>(kMaxImageBytes)));
  imageBytes += image.bytes;
  if (imageBytes > kMaxImageBytes)
    fail(bytes, "expected images of at most {} bytes together, got {}",
         kMaxImageBytes, imageBytes);

  image.hash = readHash(get(field, "hash"));
  return image;
}

std::string ManifestReader::readChip(const Field &field) {
  constexpr std::string_view kPrefix = "sm_";
  std::string_view chip = readString(field);
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  std::string_view rest = chip.substr(std::min(kPrefix.size(), chip.size()));
  if (!rest.empty() && rest.back() >= 'a' && rest.back() <= 'z')
    rest.remove_suffix(1);
  if (chip.substr(0, kPrefix.size()) != kPrefix || rest.size() < 2 ||
      rest.size() > 4 || rest[0] == '0' ||
      !std::all_of(rest.begin(), rest.end(), isDigit))
    fail(field, "expected a chip such as 'sm_90a', got {}",
         field.value.describe());
  return std::string(chip);
}

std::string ManifestReader::readFileName(const Field &field) {
  constexpr size_t kMaxLength = 255; // of a directory's entry
  std::string name = readName(field);
  if (name == "." || name == ".." || name.size() > kMaxLength ||
      name.find_first_of("/\\") != std::string::npos)
    fail(field, "expected the name of a file in the package, got {}",
         field.value.describe());
  return name;
}

KernelInfo ManifestReader::readKernel(const Field &field) {
  KernelInfo kernel;
  kernel.name = readName(get(field, "name"));

  // Each is a byte of parameters at least, and those are bounded.
  readArguments(get(field, "arguments"), kMaxParameterBytes, kernel);

  Field variants = get(field, "variants");
  if (isEmptyList(variants))
    fail(variants, "expected at least one variant, got none");
  checkCount(variants, kMaxEntries, "variants");
  forEach(variants, [&](const Field &element) {
    kernel.variants.push_back(readVariant(element, kernel));
  });
  // Kernels that were tuned have these.
  if (std::optional<Field> tuned = find(field, "tuned"))
    readTunedList(*tuned, kernel);
  checkWork(field, countWork(kernel), "a launch");
  return kernel;
}

void ManifestReader::readArguments(const Field &field, size_t most,
                                   SignatureInfo &signature) {
  checkCount(field, most, "arguments");
  Names names;
  std::map<uint16_t, std::vector<uint16_t>> aliases; // of each argument
  forEach(field, [&](const Field &element) {
    ArgumentInfo argument = readArgument(element, signature);
    checkUnique(element, names, argument.name, "argument");
    if (argument.mayAlias && !hasFailed()) {
      std::vector<uint16_t> &others = aliases[*argument.mayAlias];
      if (others.size() == kMaxAliases)
        fail(element,
             "expected at most {} arguments that may alias {}, got "
             "more",
             kMaxAliases, signature.arguments[*argument.mayAlias].name);
      argument.previousAlias =
          others.empty() ? *argument.mayAlias : others.back();
      others.push_back(static_cast<uint16_t>(signature.arguments.size()));
    }
    signature.arguments.push_back(std::move(argument));
  });
}

ElementType ManifestReader::readElement(const Field &field,
                                        std::string_view what) {
  std::optional<ElementType> type = parseElementType(readString(field));
  if (!type || (what != "a scalar" && *type == ElementType::Index))
    fail(field, "expected an element type of {}, got {}", what,
         field.value.describe());
  return type.value_or(ElementType::F32);
}

ArgumentInfo ManifestReader::readArgument(const Field &field,
                                          const SignatureInfo &signature) {
  using Kind = ArgumentInfo::Kind;
  using Access = ArgumentInfo::Access;
  using Sharing = ArgumentInfo::Sharing;
  constexpr Spelling<Kind> kKinds[] = {{Kind::Tensor, "tensor"},
                                       {Kind::Scalar, "scalar"},
                                       {Kind::Workspace, "workspace"}};
  constexpr Spelling<Access> kTensorAccesses[] = {
      {Access::In, "in"}, {Access::Out, "out"}, {Access::InOut, "inout"}};
  constexpr Spelling<Access> kScalarAccesses[] = {{Access::In, "in"}};
  constexpr Spelling<Sharing> kSharings[] = {{Sharing::Symmetric, "symmetric"},
                                             {Sharing::Peer, "peer"},
                                             {Sharing::Multicast, "multicast"}};

  ArgumentInfo argument;
  Field name = get(field, "name");
  argument.name = readString(name);
  if (!isIdentifier(argument.name))
    fail(name, "expected an identifier, got {}", name.value.describe());
  checkLength(name, argument.name);

  Field kind = get(field, "kind");
  argument.kind = readEnum(kind, kKinds);
  if (argument.kind != Kind::Workspace &&
      signature.countPassed() != signature.arguments.size())
    fail(kind, "expected a workspace, since one comes before, got {}",
         kind.value.describe());
  if (argument.kind != Kind::Workspace) {
    Field access = get(field, "access");
    argument.access = argument.kind == Kind::Tensor
                          ? readEnum(access, kTensorAccesses)
                          : readEnum(access, kScalarAccesses);
  }
  constexpr const char *kWhats[] = {"a tensor", "a scalar", "a workspace"};
  argument.element = readElement(get(field, "element"),
                                 kWhats[static_cast<int>(argument.kind)]);
  if (argument.kind == Kind::Tensor) {
    readTensor(field, argument);
    if (std::optional<Field> number = find(field, "may_alias"))
      readMayAlias(*number, signature, argument);
    if (std::optional<Field> parameter = find(field, "parameter"))
      readParameter(*parameter, argument);
    if (std::optional<Field> sharing = find(field, "sharing"))
      argument.sharing = readEnum(*sharing, kSharings);
  } else if (argument.kind == Kind::Workspace)
    readWorkspace(field, signature, argument);
  return argument;
}

void ManifestReader::readWorkspace(const Field &field,
                                   const SignatureInfo &signature,
                                   ArgumentInfo &argument) {
  Field extents = get(field, "extents");
  checkCount(extents, kMaxRank, "dimensions");
  // Other workspaces have no extents yet when these are computed.
  ArgumentList passed(signature, signature.countPassed());
  forEach(extents, [&](const Field &element) {
    Expression extent = readExpression(element, passed);
    if (hasFailed())
      return;
    bool constant = extent.nodes.size() == 1 &&
                    extent.nodes[0].op == Expression::Op::Constant;
    if (constant && extent.nodes[0].value < 0)
      fail(element, "expected an extent that is not negative, got {}",
           extent.nodes[0].value);
    argument.extents.push_back(constant ? extent.nodes[0].value
                                        : ArgumentInfo::kDynamic);
    argument.workspaceExtents.push_back(std::move(extent));
  });
}

void ManifestReader::readTensor(const Field &field, ArgumentInfo &argument) {
  Field extents = get(field, "extents");
  checkCount(extents, kMaxRank, "dimensions");
  forEach(extents, [&](const Field &extent) {
    argument.extents.push_back(extent.value.isNull()
                                   ? ArgumentInfo::kDynamic
                                   : readInteger(extent, 0, INT64_MAX));
  });

  Field strides = get(field, "strides");
  argument.contiguous = strides.value.getString() == "contiguous";
  if (argument.contiguous)
    return;
  if (!strides.value.getArray())
    fail(strides, "expected 'contiguous' or a list, got {}",
         strides.value.describe());
  forEach(strides, argument.extents.size(), [&](const Field &stride) {
    argument.strides.push_back(stride.value.isNull()
                                   ? ArgumentInfo::kDynamic
                                   : readInteger(stride, 0, INT64_MAX));
  });
}

void ManifestReader::readParameter(const Field &field, ArgumentInfo &argument) {
  argument.isParameter = readBool(field);
  if (argument.isParameter && argument.access != ArgumentInfo::Access::In)
    fail(field, "expected a parameter that no launch writes, got {}",
         toString(argument));
}

/// An earlier tensor of the same type that isn't such an argument itself.
void ManifestReader::readMayAlias(const Field &field,
                                  const SignatureInfo &signature,
                                  ArgumentInfo &argument) {
  uint16_t number =
      readArgumentNumber(field, signature, ArgumentInfo::Kind::Tensor);
  if (hasFailed())
    return;
  const ArgumentInfo &other = signature.arguments[number];
  if (other.mayAlias)
    fail(field, "expected an argument without may_alias, got {}", other.name);
  if (other.isParameter)
    fail(field, "expected an argument that isn't a parameter, got {}",
         other.name);
  if (other.element != argument.element || other.extents != argument.extents ||
      other.contiguous != argument.contiguous ||
      other.strides != argument.strides)
    fail(field, "expected an argument of the same type, got {}",
         toString(other));
  argument.mayAlias = number;
}

void ManifestReader::checkCount(const Field &list, size_t most,
                                std::string_view what) {
  std::optional<JSONArray> elements = list.value.getArray();
  if (elements && elements->size() > most)
    fail(list, "expected at most {} {}, got {}", most, what, elements->size());
}

void ManifestReader::checkWork(const Field &field, uint64_t work,
                               std::string_view what) {
  if (work > kMaxLaunchWork)
    fail(field,
         "expected {} that looks at no more than {} guards, operators, "
         "operands, tensor maps and arguments, got {}",
         what, kMaxLaunchWork, work);
}

bool ManifestReader::isEmptyList(const Field &list) {
  std::optional<JSONArray> elements = list.value.getArray();
  return elements && elements->size() == 0;
}

void ManifestReader::checkUnique(const Field &field, Names &names,
                                 const std::string &name,
                                 std::string_view what) {
  if (!hasFailed() && !names.insert(name).second)
    fail(field, "expected a name that no other {} has, got {}", what,
         quote(name));
}

} // namespace carousel::runtime
