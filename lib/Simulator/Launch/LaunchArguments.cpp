//===- LaunchArguments.cpp - checks and packing ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchArguments.h"

#include "../Compile/KernelModule.h"
#include "../Memory/Memory.h"

#include "carousel/Dialect/IR/EvaluateExpr.h"
#include "carousel/Support/TensorOverlap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace carousel::sim;
using carousel::ExprAttr;
using carousel::ExprKind;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool LaunchArguments::evaluate(ExprAttr expr, int64_t &value) const {
  std::optional<int64_t> found =
      carousel::evaluate(expr, [&](ExprAttr term) { return getTerm(term); });
  value = found.value_or(0);
  return found.has_value();
}

int64_t LaunchArguments::getTerm(ExprAttr term) const {
  switch (term.getKind()) {
  case ExprKind::SMs:
    return multiprocessors;
  case ExprKind::Resident:
    return resident;
  case ExprKind::Extent:
    return arguments[term.getArgument()].extents[term.getValue()];
  case ExprKind::Stride:
    return arguments[term.getArgument()].strides[term.getValue()];
  default: // a scalar
    auto value = static_cast<int64_t>(arguments[term.getArgument()].bits);
    // Narrow integers keep their sign.
    auto type =
        dyn_cast<IntegerType>(signature.arguments[term.getArgument()].type);
    bool isNarrow = type && type.getWidth() > 1 && type.getWidth() < 64;
    return isNarrow ? llvm::SignExtend64(value, type.getWidth()) : value;
  }
}

bool LaunchArguments::holds(carousel::GuardAttr guard,
                            int64_t capability) const {
  switch (guard.getKind()) {
  case carousel::GuardKind::Capability:
    return capability >= guard.getLeast() && capability <= guard.getMost();
  case carousel::GuardKind::Aligned:
    return reinterpret_cast<uintptr_t>(arguments[guard.getArgument()].data) %
               guard.getLeast() ==
           0;
  default:
    return carousel::evaluate(guard,
                              [&](ExprAttr term) { return getTerm(term); })
        .value_or(false);
  }
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

std::string LaunchArguments::checkMemRef(unsigned index, MemRefType type) {
  const Argument &argument = arguments[index];
  const std::string &name = signature.arguments[index].name;
  unsigned rank = type.getRank();
  if (argument.extents.size() != rank || argument.strides.size() != rank)
    return formatv("expected {0} extents and strides for argument {1}, got {2} "
                   "and {3}",
                   rank, name, argument.extents.size(),
                   argument.strides.size());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return formatv("expected a strided layout for argument {0}", name);
  bool isEmpty = false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t extent = argument.extents[dim];
    if (extent < 0)
      return formatv("expected extents of argument {0} that aren't negative, "
                     "got {1} in dimension {2}",
                     name, extent, dim);
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != extent)
      return formatv("expected extent {0} in dimension {1} of argument {2}, "
                     "got {3}",
                     type.getDimSize(dim), dim, name, extent);
    if (argument.strides[dim] < 0)
      return formatv("expected strides of argument {0} that aren't negative, "
                     "got {1} in dimension {2}",
                     name, argument.strides[dim], dim);
    isEmpty |= extent == 0;
  }
  // The stride of a dimension of extent 1 is never used.
  int64_t contiguous = 1;
  for (unsigned dim = rank; dim-- > 0;) {
    int64_t wanted = type.getLayout().isIdentity() ? contiguous : strides[dim];
    if (!ShapedType::isDynamic(wanted) && argument.strides[dim] != wanted &&
        argument.extents[dim] > 1 && !isEmpty)
      return formatv("expected stride {0} in dimension {1} of argument {2}, "
                     "got {3}",
                     wanted, dim, name, argument.strides[dim]);
    contiguous *= argument.extents[dim];
  }
  if (isEmpty)
    return "";
  std::optional<uint64_t> element = getElementBytes(type.getElementType());
  if (!element)
    return formatv("expected elements of a fixed size for argument {0}", name);
  if (!argument.data)
    return formatv("expected memory for argument {0}, got a null pointer",
                   name);
  if (reinterpret_cast<uintptr_t>(argument.data) %
      std::min<uint64_t>(*element, 16))
    return formatv("expected argument {0} to be aligned to {1} bytes", name,
                   std::min<uint64_t>(*element, 16));
  uint64_t last = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    uint64_t steps = argument.extents[dim] - 1, reach;
    if (__builtin_mul_overflow(steps, uint64_t(argument.strides[dim]),
                               &reach) ||
        __builtin_add_overflow(last, reach, &last) || last >> 48)
      return formatv("expected argument {0} to fit the address space", name);
  }
  memory.push_back(
      {static_cast<char *>(argument.data), (last + 1) * *element, index});
  return "";
}

/// A multicast address stands for memrefs of its own extents and strides.
std::string LaunchArguments::checkParts(unsigned index) {
  const Argument &argument = arguments[index];
  const ArgumentInfo &info = signature.arguments[index];
  if (argument.parts.empty() && info.isMulticast)
    return formatv("expected the parts of argument {0}, a multicast address, "
                   "got none",
                   info.name);
  for (auto [number, part] : llvm::enumerate(argument.parts))
    if (part.extents != argument.extents || part.strides != argument.strides ||
        (!part.data && argument.data))
      return formatv("expected parts with the extents and strides of argument "
                     "{0}, got others in part {1}",
                     info.name, number);
  return "";
}

/// Memrefs that may alias are the same, or have no element in common.
std::string LaunchArguments::checkAlias(unsigned index) {
  auto getMemory = [&](unsigned number) -> carousel::TensorMemory {
    const Argument &argument = arguments[number];
    auto type = cast<MemRefType>(signature.arguments[number].type);
    return {reinterpret_cast<uintptr_t>(argument.data), argument.extents.data(),
            argument.strides.data(), argument.extents.size(),
            int64_t(getElementBytes(type.getElementType()).value_or(1))};
  };
  const ArgumentInfo &info = signature.arguments[index];
  carousel::TensorMemory memory = getMemory(index);
  for (unsigned other = *info.mayAlias; other < index; ++other) {
    const ArgumentInfo &known = signature.arguments[other];
    if (other != *info.mayAlias && known.mayAlias != info.mayAlias)
      continue;
    carousel::TensorMemory others = getMemory(other);
    if (!isSameTensor(memory, others) && mayShareElements(memory, others))
      return formatv("expected argument {0} to have the address, extents and "
                     "strides of argument {1}, or no element in common with "
                     "it, got {2} bytes and {3} bytes that overlap",
                     info.name, known.name, memory.getBytes(),
                     others.getBytes());
  }
  return "";
}

void LaunchArguments::addMemRef(const Argument &argument) {
  addWord(reinterpret_cast<uintptr_t>(argument.data));
  addWord(reinterpret_cast<uintptr_t>(argument.data));
  addWord(0);
  for (int64_t extent : argument.extents)
    addWord(extent);
  for (int64_t stride : argument.strides)
    addWord(stride);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The machine's enumerations have the same values as the dialect's.
template <typename To, typename From> static To translate(From value) {
  return static_cast<To>(static_cast<uint32_t>(value));
}

std::string LaunchArguments::addTensorMap(unsigned position,
                                          const Parameter &parameter) {
  auto type = llvm::cast<carousel::TensorMapType>(parameter.type);
  carousel::EncodeAttr encode = parameter.encode;
  const Argument &argument = arguments[parameter.argument];
  auto source =
      llvm::cast<MemRefType>(signature.arguments[parameter.argument].type);
  const std::string &name = signature.arguments[parameter.argument].name;
  auto wrong = [&](const Twine &what) {
    return ("expected a tensor map (parameter " + Twine(position) +
            ") that argument " + name + " can be encoded as: " + what)
        .str();
  };

  TensorMap map;
  unsigned rank = type.getRank();
  map.rank = rank;
  map.element = translate<TensorElement>(type.getElement());
  map.mode = translate<TensorMapMode>(type.getMode());
  map.swizzle = translate<Swizzle>(type.getSwizzle());
  map.interleave = translate<Interleave>(type.getInterleave());
  map.fill = translate<OutOfBoundsFill>(type.getFill());
  // The type lists dimensions from the outermost, and the map from the
  // innermost.
  for (auto [i, extent] : llvm::enumerate(llvm::reverse(type.getBox())))
    map.box[i] = extent;
  for (auto [i, stride] :
       llvm::enumerate(llvm::reverse(type.getElementStrides())))
    map.elementStrides[i] = stride;
  for (auto [i, corner] : llvm::enumerate(llvm::reverse(type.getLowerCorner())))
    map.lowerCorner[i] = corner;
  for (auto [i, corner] : llvm::enumerate(llvm::reverse(type.getUpperCorner())))
    map.upperCorner[i] = corner;

  int64_t offset = 0;
  if (encode.getOffset() && !evaluate(encode.getOffset(), offset))
    return wrong("its offset has no value");
  map.globalAddress = reinterpret_cast<uintptr_t>(argument.data) + offset;
  uint64_t elementBytes = getElementBytes(source.getElementType()).value_or(1);
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t extent = 0;
    if (dim < encode.getExtents().size()) {
      if (!evaluate(encode.getExtents()[dim], extent))
        return wrong("an extent has no value");
    } else if (dim < argument.extents.size()) {
      extent = argument.extents[dim];
    }
    if (extent < 1)
      return wrong("expected extents of 1 and more, got " + Twine(extent));
    map.globalExtents[rank - 1 - dim] = extent;
    if (dim + 1 == rank)
      continue;
    int64_t stride = 0;
    if (dim < encode.getStrides().size()) {
      if (!evaluate(encode.getStrides()[dim], stride))
        return wrong("a stride has no value");
    } else if (dim < argument.strides.size()) {
      stride = argument.strides[dim] * elementBytes;
    }
    map.globalStrides[rank - 2 - dim] = stride;
  }
  if (std::string text = map.verify(); !text.empty())
    return wrong(text);
  maps.push_back(map);
  addWord(reinterpret_cast<uintptr_t>(&maps.back()));
  return "";
}

std::vector<const void *> LaunchArguments::getMaps() const {
  std::vector<const void *> addresses;
  for (const TensorMap &map : maps)
    addresses.push_back(&map);
  return addresses;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

uint64_t carousel::sim::countOperandBytes(const Launch &launch) {
  uint64_t bytes = 0;
  for (auto [argument, info] :
       llvm::zip(launch.arguments, launch.kernel->getArguments())) {
    auto type = dyn_cast<MemRefType>(info.type);
    if (!type || info.isWorkspace)
      continue;
    uint64_t ofArgument = getElementBytes(type.getElementType()).value_or(0);
    for (int64_t extent : argument.extents)
      ofArgument *= static_cast<uint64_t>(extent);
    bytes += ofArgument;
  }
  return bytes;
}

void carousel::sim::poisonElements(const Argument &argument,
                                   uint64_t elementBytes) {
  ArrayRef<int64_t> extents = argument.extents, strides = argument.strides;
  if (llvm::is_contained(extents, 0))
    return;
  // Trailing contiguous dimensions are one row.
  size_t outer = extents.size();
  int64_t row = 1;
  while (outer > 0 && (extents[outer - 1] == 1 || strides[outer - 1] == row))
    row *= extents[--outer];
  SmallVector<int64_t> index(outer, 0);
  while (true) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < outer; ++dim)
      offset += index[dim] * strides[dim];
    poison(static_cast<char *>(argument.data) + offset * int64_t(elementBytes),
           row * elementBytes);
    size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == extents[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

std::string LaunchArguments::bind() {
  if (arguments.size() != signature.arguments.size())
    return formatv("expected {0} arguments, got {1}",
                   signature.arguments.size(), arguments.size());
  for (auto [index, info] : llvm::enumerate(signature.arguments))
    if (auto type = dyn_cast<MemRefType>(info.type)) {
      if (std::string text = checkMemRef(index, type); !text.empty())
        return text;
      if (std::string text = checkParts(index); !text.empty())
        return text;
    } else if (!arguments[index].extents.empty() || arguments[index].data) {
      return formatv("expected a number for argument {0}, got memory",
                     info.name);
    }
  for (auto [index, info] : llvm::enumerate(signature.arguments))
    if (info.mayAlias)
      if (std::string text = checkAlias(index); !text.empty())
        return text;
  for (auto [position, parameter] : llvm::enumerate(signature.parameters)) {
    const Argument &argument = arguments[parameter.argument];
    if (parameter.encode) {
      if (std::string text = addTensorMap(position, parameter); !text.empty())
        return text;
    } else if (isa<MemRefType>(parameter.type)) {
      addMemRef(argument);
    } else {
      addWord(argument.bits);
    }
  }
  return "";
}
