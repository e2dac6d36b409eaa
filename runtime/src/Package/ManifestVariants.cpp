//===- ManifestVariants.cpp - variants and their times --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads variants, their guards, parameters, tensor maps and expressions, which
// refer to a kernel's arguments by number (the argument must exist and have the
// right kind), and what carousel-tune has measured of a kernel's variants.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "ParameterBytes.h"
#include "TensorMapSpelling.h"

namespace carousel::runtime {

/// Counts what a launch may look at before it has found a variant: numbers
/// below 2^32 of lists that are in memory.
uint64_t ManifestReader::countWork(const KernelInfo &kernel) {
  uint64_t work = 0;
  auto add = [&](const auto &expressions) {
    for (const Expression &expression : expressions)
      work += expression.nodes.size();
  };
  uint64_t attempts = 1; // at most, of each variant
  for (const VariantInfo &variant : kernel.variants) {
    if (variant.cost) {
      work += variant.cost->nodes.size();
      attempts = 2; // the chosen one is asked again
    }
    work += 1 + (variant.indexBits == 32 ? kernel.arguments.size() : 0);
    for (const Guard &guard : variant.guards)
      work += 1 + guard.value.nodes.size() + guard.other.nodes.size();
    add(variant.grid);
    for (const TensorMapInfo &map : variant.tensorMaps) {
      work += 1 + map.offset.nodes.size();
      add(map.extents);
      add(map.strides);
    }
  }
  if (!kernel.tuned.empty())
    ++attempts;
  work *= attempts;
  work += 1 + kernel.arguments.size();
  for (const ArgumentInfo &argument : kernel.arguments)
    add(argument.workspaceExtents);
  // A binary search compares all values with those of some entries.
  for (size_t left = kernel.tuned.size(); left != 0; left /= 2)
    work += 1 + kernel.tuned.front().values.size();
  return work;
}

VariantInfo ManifestReader::readVariant(const Field &field,
                                        const KernelInfo &kernel) {
  VariantInfo variant;
  Field function = get(field, "function");
  variant.function = readName(function);
  Field module = get(field, "module");
  std::string moduleName(readString(module));
  if (auto found = modules.find(moduleName); found != modules.end())
    variant.module = found->second;
  else
    fail(module, "expected the name of a module, got {}",
         module.value.describe());
  if (!hasFailed() &&
      !functions[variant.module].insert(variant.function).second)
    fail(function, "expected a function that no other variant in {} is, got {}",
         quote(moduleName), quote(variant.function));

  Names chips;
  Field chipList = get(field, "chips");
  if (isEmptyList(chipList))
    fail(chipList, "expected at least one chip, got none");
  forEach(chipList, [&](const Field &element) {
    std::string chip = readChip(element);
    checkUnique(element, chips, chip, "chip");
    variant.chips.push_back(std::move(chip));
  });
  forEach(get(field, "guards"), [&](const Field &element) {
    variant.guards.push_back(readGuard(element, kernel));
  });
  Field indexBits = get(field, "index_bits");
  std::optional<int64_t> bits = indexBits.value.getInteger();
  if (bits == 32 || bits == 64)
    variant.indexBits = static_cast<unsigned>(*bits);
  else
    fail(indexBits, "expected 32 or 64, got {}", indexBits.value.describe());

  Field maps = get(field, "tensor_maps");
  checkCount(maps, kMaxParameterBytes, "tensor maps");
  forEach(maps, [&](const Field &element) {
    variant.tensorMaps.push_back(readTensorMap(element, kernel));
  });
  Field parameters = get(field, "parameters");
  forEach(parameters, [&](const Field &element) {
    variant.parameters.push_back(readParameter(element, kernel, variant));
  });
  checkParameterBytes(parameters, kernel, variant);

  forEach(get(field, "grid"), 3, [&](const Field &element) {
    variant.grid[element.element] = readGrid(element, kernel);
  });
  readCounts(get(field, "block"), variant.block, {1024, 1024, 64}, 1024,
             "threads");
  readCounts(get(field, "cluster"), variant.cluster, {16, 16, 16}, 16,
             "blocks");
  variant.dynamicShared = static_cast<uint32_t>(
      readInteger(get(field, "dynamic_shared"), 0, INT32_MAX));
  if (std::optional<Field> cooperative = find(field, "cooperative"))
    variant.cooperative = readBool(*cooperative);
  if (std::optional<Field> cost = find(field, "cost"))
    variant.cost = readExpression(*cost, kernel);
  // A variant has these if the compiler recorded them.
  if (std::optional<Field> decisions = find(field, "decisions"))
    variant.decisions = readDecisions(*decisions);
  return variant;
}

Guard ManifestReader::readGuard(const Field &field,
                                const SignatureInfo &signature) {
  using Kind = Guard::Kind;
  constexpr Spelling<Kind> kKinds[] = {{Kind::Capability, "capability"},
                                       {Kind::Aligned, "aligned"},
                                       {Kind::Divisible, "divisible"},
                                       {Kind::Range, "range"},
                                       {Kind::Equal, "equal"}};
  Guard guard;
  guard.kind = readEnum(get(field, "kind"), kKinds);
  if (hasFailed())
    return guard;
  switch (guard.kind) {
  case Kind::Capability: {
    guard.least = readInteger(get(field, "min"), 0, INT32_MAX);
    Field most = get(field, "max");
    guard.most =
        most.value.isNull() ? INT64_MAX : readInteger(most, 0, INT32_MAX);
    break;
  }
  case Kind::Aligned:
    guard.argument = readTensorArgument(get(field, "argument"), signature);
    guard.least = readInteger(get(field, "bytes"), 1, INT64_MAX);
    if ((guard.least & (guard.least - 1)) != 0)
      fail(get(field, "bytes"), "expected a power of two, got {}", guard.least);
    break;
  case Kind::Divisible:
    guard.value = readExpression(get(field, "value"), signature);
    guard.least = readInteger(get(field, "by"), 1, INT64_MAX);
    break;
  case Kind::Range:
    guard.value = readExpression(get(field, "value"), signature);
    guard.least = readInteger(get(field, "min"), INT64_MIN, INT64_MAX);
    guard.most = readInteger(get(field, "max"), INT64_MIN, INT64_MAX);
    break;
  case Kind::Equal:
    guard.value = readExpression(get(field, "left"), signature);
    guard.other = readExpression(get(field, "right"), signature);
    break;
  }
  return guard;
}

Parameter ManifestReader::readParameter(const Field &field,
                                        const KernelInfo &kernel,
                                        const VariantInfo &variant) {
  using Kind = Parameter::Kind;
  constexpr Spelling<Kind> kKinds[] = {{Kind::Pointer, "pointer"},
                                       {Kind::Extent, "extent"},
                                       {Kind::Stride, "stride"},
                                       {Kind::Scalar, "scalar"},
                                       {Kind::TensorMap, "tensor_map"}};
  Parameter parameter;
  parameter.kind = readEnum(get(field, "kind"), kKinds);
  if (hasFailed())
    return parameter;
  switch (parameter.kind) {
  case Kind::Pointer:
    parameter.argument = readTensorArgument(get(field, "argument"), kernel);
    break;
  case Kind::Extent:
  case Kind::Stride:
    parameter.argument = readTensorArgument(get(field, "argument"), kernel);
    parameter.dim =
        readDimension(get(field, "dim"), kernel, parameter.argument);
    break;
  case Kind::Scalar:
    parameter.argument = readArgumentNumber(get(field, "argument"), kernel,
                                            ArgumentInfo::Kind::Scalar);
    break;
  case Kind::TensorMap:
    parameter.argument = readNumber(
        get(field, "map"), variant.tensorMaps.size(), "a tensor map's number");
    break;
  }
  return parameter;
}

void ManifestReader::checkParameterBytes(const Field &field,
                                         const KernelInfo &kernel,
                                         const VariantInfo &variant) {
  if (hasFailed())
    return;
  size_t total = 0;
  for (const Parameter &parameter : variant.parameters) {
    size_t bytes = getParameterBytes(kernel, variant, parameter);
    total = (total + bytes - 1) / bytes * bytes + bytes; // aligned to its size
  }
  if (total > kMaxParameterBytes)
    fail(field, "expected parameters of at most {} bytes, got {}",
         kMaxParameterBytes, total);
}

void ManifestReader::readCounts(const Field &field,
                                std::array<uint32_t, 3> &counts,
                                std::array<int64_t, 3> limits, int64_t limit,
                                std::string_view what) {
  int64_t product = 1;
  forEach(field, 3, [&](const Field &element) {
    int64_t count = readInteger(element, 1, limits[element.element]);
    counts[element.element] = static_cast<uint32_t>(count);
    product *= count;
  });
  if (product > limit)
    fail(field, "expected at most {} {}, got {}", limit, what, product);
}

TensorMapInfo ManifestReader::readTensorMap(const Field &field,
                                            const KernelInfo &kernel) {
  using Format = TensorMapFormat;

  TensorMapInfo map;
  Format &format = map.format;
  map.argument = readTensorArgument(get(field, "argument"), kernel);
  format.element = readEnum(get(field, "element"), kTensorMapElements);
  format.mode = readEnum(get(field, "mode"), kTensorMapModes);
  format.interleave = readEnum(get(field, "interleave"), kTensorMapInterleaves);
  format.swizzle = readEnum(get(field, "swizzle"), kTensorMapSwizzles);
  format.promotion = readEnum(get(field, "promotion"), kTensorMapPromotions);
  format.fill = readEnum(get(field, "fill"), kTensorMapFills);

  bool tile = format.mode == Format::Mode::Tile;
  size_t leastRank = tile ? 1 : kMinIm2ColRank;
  Field extents = get(field, "extents");
  std::optional<JSONArray> dimensions = extents.value.getArray();
  size_t rank = dimensions ? dimensions->size() : leastRank;
  if (rank < leastRank || rank > kMaxTensorMapRank)
    fail(extents, "expected {} to {} dimensions, got {}", leastRank,
         kMaxTensorMapRank, rank);
  if (hasFailed())
    return map;
  format.rank = static_cast<uint8_t>(rank);
  forEach(extents, [&](const Field &element) {
    map.extents.push_back(readExpression(element, kernel));
  });
  forEach(get(field, "strides"), rank - 1, [&](const Field &element) {
    map.strides.push_back(readExpression(element, kernel));
  });
  map.offset = readExpression(get(field, "offset"), kernel);

  format.box = readIntegers(get(field, "box"), tile ? rank : 2, 1, INT32_MAX);
  format.elementStrides =
      readIntegers(get(field, "element_strides"), rank, 1, INT32_MAX);
  size_t corners = tile                                  ? 0
                   : format.mode == Format::Mode::Im2Col ? rank - 2
                                                         : 1;
  format.lower =
      readIntegers(get(field, "lower"), corners, INT32_MIN, INT32_MAX);
  format.upper =
      readIntegers(get(field, "upper"), corners, INT32_MIN, INT32_MAX);
  return map;
}

std::vector<int64_t> ManifestReader::readIntegers(const Field &field,
                                                  size_t length, int64_t least,
                                                  int64_t most) {
  std::vector<int64_t> values;
  forEach(field, length, [&](const Field &element) {
    values.push_back(readInteger(element, least, most));
  });
  return values;
}

uint16_t ManifestReader::readNumber(const Field &field, size_t count,
                                    std::string_view what) {
  std::optional<int64_t> number = field.value.getInteger();
  if (number && *number >= 0 && static_cast<uint64_t>(*number) < count)
    return static_cast<uint16_t>(*number);
  fail(field, "expected {} below {}, got {}", what, count,
       field.value.describe());
  return 0;
}

uint16_t ManifestReader::readArgumentNumber(const Field &field,
                                            const ArgumentList &arguments,
                                            ArgumentInfo::Kind kind) {
  uint16_t number = readNumber(field, arguments.size(), "an argument's number");
  if (hasFailed())
    return 0;
  const ArgumentInfo &argument = arguments[number];
  constexpr const char *kNames[] = {"tensor", "scalar", "workspace"};
  // A workspace is a tensor that the runtime allocates.
  ArgumentInfo::Kind given = argument.kind == ArgumentInfo::Kind::Scalar
                                 ? ArgumentInfo::Kind::Scalar
                                 : ArgumentInfo::Kind::Tensor;
  if (given != kind)
    fail(field, "expected a {}, got {}, which is a {}",
         kNames[static_cast<int>(kind)], argument.name,
         kNames[static_cast<int>(argument.kind)]);
  return number;
}

uint16_t ManifestReader::readTensorArgument(const Field &field,
                                            const ArgumentList &arguments) {
  return readArgumentNumber(field, arguments, ArgumentInfo::Kind::Tensor);
}

uint8_t ManifestReader::readDimension(const Field &field,
                                      const ArgumentList &arguments,
                                      uint16_t argument) {
  if (hasFailed()) // the argument may not exist
    return 0;
  const ArgumentInfo &info = arguments[argument];
  return static_cast<uint8_t>(readNumber(
      field, info.extents.size(), fmt::format("a dimension of {}", info.name)));
}

Expression ManifestReader::readGrid(const Field &field,
                                    const ArgumentList &arguments) {
  Expression expression;
  if (!readNodes(field, arguments, expression))
    fail(field, "expected at most {} operators and operands, got more",
         kMaxExpressionNodes);
  return expression;
}

Expression ManifestReader::readExpression(const Field &field,
                                          const ArgumentList &arguments) {
  Expression expression = readGrid(field, arguments);
  if (expression.uses(Expression::Op::Resident))
    fail(field, "expected 'resident' in a grid only, got it here");
  return expression;
}

bool ManifestReader::readNodes(const Field &field,
                               const ArgumentList &arguments,
                               Expression &expression) {
  using Op = Expression::Op;
  constexpr Spelling<Op> kOps[] = {{Op::Extent, "extent"},
                                   {Op::Stride, "stride"},
                                   {Op::Scalar, "scalar"},
                                   {Op::Add, "add"},
                                   {Op::Sub, "sub"},
                                   {Op::Mul, "mul"},
                                   {Op::FloorDiv, "floordiv"},
                                   {Op::CeilDiv, "ceildiv"},
                                   {Op::Mod, "mod"},
                                   {Op::Min, "min"},
                                   {Op::Max, "max"}};
  if (hasFailed())
    return false;
  Expression::Node node{Op::Constant};
  const JSONValue &value = field.value;
  std::optional<JSONArray> parsed = value.getArray();
  if (std::optional<int64_t> number = value.getInteger()) {
    node.value = *number;
  } else if (value.getString() == "sms") {
    node.op = Op::SMs;
  } else if (value.getString() == "resident") {
    node.op = Op::Resident;
  } else if (parsed && parsed->size() > 0) {
    node.op = readEnum({*parsed->begin(), &field}, kOps);
    Field parts[3];
    forEach(field, node.op == Op::Scalar ? 2 : 3,
            [&](const Field &part) { parts[part.element] = part; });
    if (hasFailed())
      return false;
    switch (node.op) {
    case Op::Extent:
    case Op::Stride:
      node.argument = readTensorArgument(parts[1], arguments);
      node.dim = readDimension(parts[2], arguments, node.argument);
      break;
    case Op::Scalar:
      node.argument = readIntegerArgument(parts[1], arguments);
      break;
    default:
      if (!readNodes(parts[1], arguments, expression) ||
          !readNodes(parts[2], arguments, expression))
        return false;
      break;
    }
  } else {
    fail(field,
         "expected an integer, 'sms', 'resident' or a list of an operator "
         "and its operands, got {}",
         value.describe());
  }
  if (hasFailed() || expression.nodes.size() == kMaxExpressionNodes)
    return false;
  expression.nodes.push_back(node);
  return true;
}

uint16_t ManifestReader::readIntegerArgument(const Field &field,
                                             const ArgumentList &arguments) {
  uint16_t number =
      readArgumentNumber(field, arguments, ArgumentInfo::Kind::Scalar);
  if (hasFailed())
    return 0;
  const ArgumentInfo &argument = arguments[number];
  if (!isInteger(argument.element))
    fail(field, "expected an integer or index argument, got {}, an {}",
         argument.name, toString(argument.element));
  return number;
}

namespace {
class TunedReader {
public:
  TunedReader(FieldReader &reader, const KernelInfo &kernel)
      : reader(reader), wanted(kernel.getTunedValues()) {
    // If two have one name, the first one counts, as in prepareVariant().
    for (size_t i = 0; i < kernel.variants.size(); ++i)
      variants.emplace(kernel.variants[i].function, static_cast<uint32_t>(i));
  }

  TunedInfo read(const Field &field) {
    TunedInfo tuned;
    tuned.device = reader.readName(reader.get(field, "device"));
    reader.forEach(
        reader.get(field, "values"), wanted.size(), [&](const Field &element) {
          int64_t least = wanted[element.element].dim ? 0 : INT64_MIN;
          tuned.values.push_back(reader.readInteger(element, least, INT64_MAX));
        });
    Field times = reader.get(field, "times");
    std::set<uint32_t> seen;
    reader.forEach(times, [&](const Field &element) {
      TunedInfo::Time time = readTime(element);
      if (reader.hasFailed())
        return;
      if (!seen.insert(time.variant).second)
        reader.fail(element, "expected one time of a function, got a second");
      if (!tuned.times.empty() &&
          time.nanoseconds < tuned.times.back().nanoseconds)
        reader.fail(element, "expected ascending times, got {} after {}",
                    time.nanoseconds, tuned.times.back().nanoseconds);
      tuned.times.push_back(time);
    });
    if (tuned.times.empty())
      reader.fail(times, "expected at least one time, got none");
    return tuned;
  }

private:
  TunedInfo::Time readTime(const Field &field) {
    TunedInfo::Time time;
    Field function = reader.get(field, "function");
    if (auto found = variants.find(reader.readString(function));
        found != variants.end())
      time.variant = found->second;
    else
      reader.fail(function, "expected the function of a variant, got {}",
                  function.value.describe());
    time.nanoseconds =
        reader.readInteger(reader.get(field, "ns"), 0, INT64_MAX);
    return time;
  }

  FieldReader &reader;
  std::vector<TunedValue> wanted;
  std::map<std::string, uint32_t, std::less<>> variants;
};

} // namespace

void ManifestReader::readTunedList(const Field &field, KernelInfo &kernel) {
  checkCount(field, kMaxEntries, "tuned entries");
  if (hasFailed()) // variants may be missing
    return;
  TunedReader reader(*this, kernel);
  std::set<std::pair<std::string, std::vector<int64_t>>> seen;
  forEach(field, [&](const Field &element) {
    TunedInfo tuned = reader.read(element);
    if (!hasFailed() && !seen.emplace(tuned.device, tuned.values).second)
      fail(element,
           "expected one entry for a device and its values, got a second for "
           "{}",
           quote(tuned.device));
    kernel.tuned.push_back(std::move(tuned));
  });
}

} // namespace carousel::runtime
