//===- HostArrays.cpp - a caller's arrays as arguments --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy keeps the distance of its arrays to an aligned address, since guards
// ask for it.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

static carousel_compiler_status wrong(const Twine &message) {
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, message);
}

/// Copies start at multiples of this, as memory of a GPU does.
static constexpr uint64_t kAlignment = 1024;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Bytes of an element; an i1 has one.
static uint64_t getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return type.isIntOrFloat()
             ? std::max<uint64_t>(type.getIntOrFloatBitWidth() / 8, 1)
             : 0;
}

/// Bytes from the first to the last element, or nothing where the sizes are
/// wrong.
static std::optional<uint64_t> findSpan(const carousel_host_argument &array,
                                        uint64_t elementBytes,
                                        ArrayRef<int64_t> strides) {
  // Addresses have 47 bits.
  constexpr int64_t kMost = int64_t(1) << 47;
  int64_t last = 0;
  for (uint32_t dim = 0; dim < array.rank; ++dim) {
    int64_t extent = array.extents[dim], distance;
    if (extent < 0 || strides[dim] < 0)
      return std::nullopt;
    if (extent == 0)
      return 0;
    if (llvm::MulOverflow(extent - 1, strides[dim], distance) ||
        llvm::AddOverflow(last, distance, last) || last > kMost)
      return std::nullopt;
  }
  return (uint64_t(last) + 1) * elementBytes;
}

static SmallVector<int64_t> getStrides(const carousel_host_argument &array) {
  SmallVector<int64_t> strides(array.rank, 1);
  if (array.strides)
    llvm::copy(ArrayRef(array.strides, array.rank), strides.begin());
  else
    for (uint32_t dim = array.rank; dim-- > 1;)
      if (llvm::MulOverflow(strides[dim], array.extents[dim], strides[dim - 1]))
        strides[dim - 1] = -1; // findSpan refuses it
  return strides;
}

static std::string listNames(ArrayRef<sim::ArgumentInfo> infos) {
  std::string list;
  for (const sim::ArgumentInfo &info : infos)
    if (!info.isWorkspace)
      list += (list.empty() ? "" : ", ") + info.name;
  return list.empty() ? "none" : list;
}

/// The bits of a number in the argument's type.
static carousel_compiler_status
convertNumber(const carousel_host_argument &given, Type type, StringRef name,
              uint64_t &bits) {
  bool isDouble = given.kind == CAROUSEL_HOST_DOUBLE ||
                  given.kind == CAROUSEL_HOST_EXACT_DOUBLE;
  bool isSigned = given.kind != CAROUSEL_HOST_UNSIGNED &&
                  given.kind != CAROUSEL_HOST_EXACT_UNSIGNED;
  bool isExact = given.kind == CAROUSEL_HOST_EXACT_INTEGER ||
                 given.kind == CAROUSEL_HOST_EXACT_DOUBLE ||
                 given.kind == CAROUSEL_HOST_EXACT_UNSIGNED;
  llvm::APSInt integer(llvm::APInt(64, given.value), !isSigned);
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    llvm::APFloat value(llvm::bit_cast<double>(given.value));
    llvm::APFloat::opStatus status = llvm::APFloat::opOK;
    bool loses = false;
    if (isDouble) {
      status =
          value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    } else {
      value = llvm::APFloat(semantics);
      status = value.convertFromAPInt(integer, isSigned,
                                      llvm::APFloat::rmNearestTiesToEven);
      loses = status != llvm::APFloat::opOK;
    }
    auto refuse = [&](StringRef rule) {
      std::string found;
      llvm::raw_string_ostream out(found);
      if (isDouble)
        out << llvm::format("%.9g", llvm::bit_cast<double>(given.value));
      else
        out << integer;
      return wrong(name + ": expected a number that " + toText(type) + rule +
                   ", got " + found);
    };
    if (status & llvm::APFloat::opOverflow)
      return refuse(" can hold");
    if (isExact && loses && !value.isNaN())
      return refuse(" holds exactly");
    bits = value.bitcastToAPInt().getZExtValue();
    return CAROUSEL_COMPILER_OK;
  }
  if (isDouble)
    return wrong(name + ": expected an integer for " + toText(type) +
                 ", got a double");
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (integer.isNegative() ? !llvm::isIntN(width, integer.getSExtValue())
                           : !llvm::isUIntN(width, given.value))
    return wrong(name + ": expected a number that " + toText(type) +
                 " can hold, got " + llvm::toString(integer, 10));
  bits = given.value;
  return CAROUSEL_COMPILER_OK;
}

/// Checks what the kernel says about the argument.
static carousel_compiler_status checkKind(const carousel_host_argument &given,
                                          const sim::ArgumentInfo &info,
                                          bool isWritten) {
  auto memref = dyn_cast<MemRefType>(info.type);
  StringRef name = info.name;
  if (info.isMulticast)
    return wrong(name + ": expected an argument in the memory of one GPU, got "
                        "a multicast address");
  if (given.kind < CAROUSEL_HOST_ARRAY ||
      given.kind > CAROUSEL_HOST_EXACT_UNSIGNED)
    return wrong(name + ": kind: expected 0 to 7, got " + Twine(given.kind));
  if (given.contents < CAROUSEL_HOST_WRITTEN ||
      given.contents > CAROUSEL_HOST_AS_DECLARED)
    return wrong(name + ": contents: expected 0 to 2, got " +
                 Twine(given.contents));
  bool isArray = given.kind == CAROUSEL_HOST_ARRAY;
  if (isArray != bool(memref))
    return wrong(name + ": expected " + (memref ? "an array" : "a number") +
                 " for " + toText(info.type) + ", got " +
                 (memref ? "a number" : "an array"));
  Type element = memref ? memref.getElementType() : info.type;
  if (given.kind <= CAROUSEL_HOST_BITS &&
      (!given.element || toText(element) != given.element))
    return wrong(name + ": expected elements of " + toText(element) + ", got " +
                 (given.element ? given.element : "null"));
  if (memref && memref.getRank() != given.rank)
    return wrong(name + ": expected rank " + Twine(memref.getRank()) +
                 ", got " + Twine(given.rank));
  if (given.rank != 0 && !given.extents)
    return wrong(name + ": extents: expected a pointer, got null");
  if (isArray && given.is_read_only && isWritten)
    return wrong(name + ": expected memory that can be written, got read-only "
                        "memory");
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
HostArrays::bind(ArrayRef<sim::ArgumentInfo> infos,
                 ArrayRef<ArgumentAccess> accesses, StringRef kernel,
                 ArrayRef<carousel_host_argument> given) {
  arguments.resize(infos.size());
  std::vector<bool> found(infos.size());
  for (const carousel_host_argument &argument : given) {
    if (!argument.name)
      return wrong("arguments: expected a name, got null");
    auto info = llvm::find_if(infos, [&](const sim::ArgumentInfo &info) {
      return !info.isWorkspace && info.name == argument.name;
    });
    if (info == infos.end())
      return wrong("expected arguments of " + kernel + " (" + listNames(infos) +
                   "), got '" + argument.name + "'");
    size_t number = info - infos.begin();
    if (found[number])
      return wrong(Twine(argument.name) + ": expected it once, got it twice");
    found[number] = true;
    bool isWritten = accesses[number] != ArgumentAccess::In;
    if (carousel_compiler_status status = checkKind(argument, *info, isWritten))
      return status;
    sim::Argument &to = arguments[number];
    to.bits = argument.value;
    if (argument.kind > CAROUSEL_HOST_BITS)
      if (carousel_compiler_status status =
              convertNumber(argument, info->type, info->name, to.bits))
        return status;
    if (argument.kind != CAROUSEL_HOST_ARRAY)
      continue;
    to.strides = getStrides(argument);
    if (argument.rank != 0)
      to.extents.assign(argument.extents, argument.extents + argument.rank);
    to.isWritten = argument.contents == CAROUSEL_HOST_AS_DECLARED
                       ? accesses[number] != ArgumentAccess::Out
                       : argument.contents == CAROUSEL_HOST_WRITTEN;
    uint64_t elementBytes =
        getElementBytes(cast<MemRefType>(info->type).getElementType());
    std::optional<uint64_t> span = findSpan(argument, elementBytes, to.strides);
    if (!span)
      return wrong(info->name + ": expected extents and strides that aren't "
                                "negative and fit the address space");
    if (*span != 0 && !argument.data)
      return wrong(info->name + ": expected memory, got a null pointer");
    arrays.push_back(
        {number, static_cast<char *>(argument.data), *span, isWritten});
  }
  for (auto [info, isFound] : llvm::zip_equal(infos, found))
    if (!isFound && !info.isWorkspace)
      return wrong("expected a value of each argument of " + kernel + " (" +
                   listNames(infos) + "), got none of " + info.name);
  return mergeRegions();
}

bool HostArrays::Memory::allocate(uint64_t size, const char *like) {
  bytes = size;
  memory.reset(std::calloc(bytes + 2 * kAlignment, 1));
  if (!memory)
    return false;
  auto address = reinterpret_cast<uintptr_t>(memory.get());
  data =
      reinterpret_cast<char *>(llvm::alignTo(address, kAlignment) +
                               reinterpret_cast<uintptr_t>(like) % kAlignment);
  return true;
}

void HostArrays::Memory::clear() { std::memset(data, 0, bytes); }

static carousel_compiler_status reportNoMemory(uint64_t bytes) {
  return wrong("expected arrays that fit the host's memory, got no further " +
               Twine(bytes) + " bytes");
}

carousel_compiler_status HostArrays::mergeRegions() {
  std::vector<Array *> sorted;
  for (Array &array : arrays)
    sorted.push_back(&array);
  llvm::sort(sorted, [](const Array *left, const Array *right) {
    return std::less<>()(left->data, right->data);
  });
  // The regions that arrays belong to, and their memory once its size is known.
  std::vector<std::pair<Array *, size_t>> places;
  for (Array *array : sorted) {
    bool overlaps = !regions.empty() &&
                    array->data < regions.back().data + regions.back().bytes;
    if (!overlaps)
      regions.push_back({array->data, 0, false, {}});
    Region &region = regions.back();
    region.isWritten |= array->isWritten;
    region.bytes = std::max(region.bytes,
                            uint64_t(array->data - region.data) + array->bytes);
    places.emplace_back(array, regions.size() - 1);
  }
  for (Region &region : regions)
    if (!region.copy.allocate(region.bytes, region.data))
      return reportNoMemory(region.bytes);
  for (auto [array, number] : places) {
    Region &region = regions[number];
    arguments[array->argument].data =
        region.copy.getData() + (array->data - region.data);
  }
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
HostArrays::addWorkspaces(const sim::CompiledKernel &kernel,
                          const sim::RunOptions &options) {
  workspaces.clear();
  for (auto [number, info] : llvm::enumerate(kernel.getArguments())) {
    if (!info.isWorkspace)
      continue;
    auto extents = kernel.getWorkspaceExtents(number, arguments, options);
    int64_t elements = 1;
    for (int64_t extent : extents.value_or(SmallVector<int64_t>{-1}))
      if (extent < 0 || llvm::MulOverflow(elements, extent, elements))
        return wrong("expected arguments for which the workspace " + info.name +
                     " of " + kernel.getName() + " has a size, got others");
    uint64_t bytes = llvm::SaturatingMultiply(
        uint64_t(elements),
        getElementBytes(cast<MemRefType>(info.type).getElementType()));
    if (bytes > uint64_t(1) << 40)
      return wrong("expected a workspace " + info.name +
                   " of at most 2^40 bytes, got more");
    sim::Argument &to = arguments[number];
    to.extents = *extents;
    to.strides.assign(extents->size(), 1);
    for (size_t dim = extents->size(); dim-- > 1;)
      to.strides[dim - 1] = to.strides[dim] * to.extents[dim];
    Memory &memory = workspaces.emplace_back();
    if (!memory.allocate(bytes, nullptr))
      return reportNoMemory(bytes);
    to.data = memory.getData();
  }
  return CAROUSEL_COMPILER_OK;
}

ArrayRef<sim::Argument> HostArrays::reset() {
  for (Region &region : regions)
    if (region.bytes != 0)
      std::memcpy(region.copy.getData(), region.data, region.bytes);
  if (!isFirstRun)
    for (Memory &workspace : workspaces)
      workspace.clear();
  isFirstRun = false;
  return arguments;
}

void HostArrays::writeBack() {
  for (Region &region : regions)
    if (region.isWritten && region.bytes != 0)
      std::memcpy(region.data, region.copy.getData(), region.bytes);
}
