//===- Bind.cpp - checks of the arguments of a launch ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every message begins with the name of the argument. A kernel that says which
// arguments may alias was compiled for two cases: they are the same tensor, or
// they share no element.
//
// An address of a peer's memory looks like any other, and an access beyond its
// mapping costs the process its context. So a launch compares these arguments
// with the parts of the symmetric buffers that its context maps.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Context/ContextImpl.h"
#include "Context/SymmetricRanges.h"

#include "carousel/Runtime/CheckArguments.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Support/TensorOverlap.h"

#include <algorithm>

namespace carousel::runtime {

namespace {
constexpr int64_t kDynamic = ArgumentInfo::kDynamic;

template <typename... Arguments>
tl::unexpected<Error> refuse(const ArgumentInfo &info,
                             fmt::format_string<Arguments...> format,
                             Arguments &&...arguments) {
  return fail(ErrorCode::InvalidArgument, "{}: {}", info.name,
              fmt::format(format, std::forward<Arguments>(arguments)...));
}

tl::unexpected<Error> refuseCount(const SignatureInfo &signature,
                                  size_t count) {
  size_t wanted = signature.countPassed();
  std::vector<ArgumentInfo> passed(signature.arguments.begin(),
                                   signature.arguments.begin() +
                                       static_cast<ptrdiff_t>(wanted));
  std::string names =
      wanted == 0 ? ""
                  : fmt::format(" ({})", join(passed, ", ",
                                              [](const ArgumentInfo &info) {
                                                return info.name;
                                              }));
  return fail(ErrorCode::InvalidArgument, "expected {} argument{}{}, got {}",
              wanted, wanted == 1 ? "" : "s", names, count);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Bits of an integer type narrower than 64 bits, or 0.
unsigned getNarrowBits(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return 8;
  case ElementType::I16:
    return 16;
  case ElementType::I32:
    return 32;
  default:
    return 0;
  }
}

Status bindScalar(const ArgumentInfo &info, const Argument &argument,
                  BoundArgument &bound) {
  int64_t value = static_cast<int64_t>(argument.value);
  if (info.element == ElementType::I1) {
    if (value != 0 && value != 1)
      return refuse(info, "expected 0 or 1, got {}", value);
  } else if (unsigned bits = getNarrowBits(info.element)) {
    int64_t least = -(int64_t(1) << (bits - 1));
    int64_t most = (int64_t(1) << bits) - 1;
    if (value < least || value > most)
      return refuse(info, "expected an {} ({} to {}), got {}",
                    toString(info.element), least, most, value);
    // Integers have no sign. Callers may mean either, expressions and the
    // kernel's casts to an index take them as signed.
    value = int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
  }
  bound.scalar = value;
  return {};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Status bindExtents(const ArgumentInfo &info, const Argument &argument,
                   BoundArgument &bound) {
  size_t rank = info.extents.size();
  if (argument.rank != rank)
    return refuse(info, "expected {} dimension{}, got {}", rank,
                  rank == 1 ? "" : "s", argument.rank);
  if (rank != 0 && !argument.extents)
    return refuse(info, "expected extents, got null");
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t extent = argument.extents[dim], wanted = info.extents[dim];
    if (extent < 0)
      return refuse(info,
                    "expected extents that are not negative, got {} in "
                    "dimension {}",
                    extent, dim);
    if (wanted != kDynamic && extent != wanted)
      return refuse(info, "expected the extent {} in dimension {}, got {}",
                    wanted, dim, extent);
    bound.extents[dim] = extent;
  }
  return {};
}

std::string listExtents(const BoundArgument &bound, size_t rank) {
  std::string text;
  for (size_t dim = 0; dim < rank; ++dim)
    text += (dim == 0 ? "" : "x") + std::to_string(bound.extents[dim]);
  return text;
}

/// The strides of a contiguous tensor. Overflow is an error even where another
/// extent is 0: expressions see the strides.
Status setContiguous(const ArgumentInfo &info, size_t rank,
                     BoundArgument &bound) {
  int64_t stride = 1;
  for (size_t dim = rank; dim-- > 0;) {
    bound.strides[dim] = stride;
    int64_t extent = std::max<int64_t>(bound.extents[dim], 1);
    if (__builtin_mul_overflow(stride, extent, &stride))
      return refuse(info, "expected a size in bytes below 2^63, got {} of {}",
                    listExtents(bound, rank), toString(info.element));
  }
  return {};
}

bool isEmpty(const BoundArgument &bound, size_t rank) {
  return std::find(bound.extents, bound.extents + rank, 0) !=
         bound.extents + rank;
}

/// The offset of the last element from the first one, in elements; false where
/// it overflows.
bool getLastOffset(const BoundArgument &bound, size_t rank, int64_t &offset) {
  offset = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t span;
    if (__builtin_mul_overflow(bound.extents[dim] - 1, bound.strides[dim],
                               &span) ||
        __builtin_add_overflow(offset, span, &offset))
      return false;
  }
  return true;
}

Status bindStrides(const ArgumentInfo &info, const Argument &argument,
                   BoundArgument &bound) {
  size_t rank = info.extents.size();
  // Given strides may be fine where those would overflow: a broadcast's are 0.
  if (info.contiguous || !argument.strides)
    CAROUSEL_TRY(setContiguous(info, rank, bound));
  bool empty = isEmpty(bound, rank);
  bound.loose = 0;
  static_assert(kMaxRank <= 8, "a bit for each dimension");
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t given =
        argument.strides ? argument.strides[dim] : bound.strides[dim];
    int64_t wanted = info.contiguous ? bound.strides[dim] : info.strides[dim];
    // No access depends on the stride of a dimension with one element.
    bool matters = !empty && bound.extents[dim] > 1;
    if (wanted != kDynamic && given != wanted && matters)
      return refuse(info, "expected {} {} in dimension {}, got {}",
                    info.contiguous ? "the stride of a contiguous tensor,"
                                    : "the stride",
                    wanted, dim, given);
    if (given < 0 && matters)
      return refuse(info,
                    "expected strides that are not negative, got {} in "
                    "dimension {}",
                    given, dim);
    bound.strides[dim] = wanted == kDynamic ? given : wanted;
    // A kernel that knows a stride doesn't take it from here.
    if (!matters && !info.contiguous && wanted == kDynamic && given != 0)
      bound.loose |= uint8_t(1u << dim);
  }
  return {};
}

Status bindTensor(const ArgumentInfo &info, const Argument &argument,
                  BoundArgument &bound) {
  CAROUSEL_TRY(bindExtents(info, argument, bound));
  CAROUSEL_TRY(bindStrides(info, argument, bound));
  size_t rank = info.extents.size();
  bound.data = argument.data;
  if (isEmpty(bound, rank))
    return {};
  int64_t bytes = static_cast<int64_t>(getBytes(info.element));
  int64_t last;
  if (!getLastOffset(bound, rank, last) || last > INT64_MAX / bytes - 1)
    return refuse(info, "expected a size in bytes below 2^63, got {} of {}",
                  listExtents(bound, rank), toString(info.element));
  if (argument.data == 0)
    return refuse(info, "expected a device address, got null");
  uint64_t size = (uint64_t(last) + 1) * uint64_t(bytes);
  if (size - 1 > UINT64_MAX - argument.data)
    return refuse(info,
                  "expected a tensor that ends below 2^64, got {} bytes at "
                  "{:#x}",
                  size, argument.data);
  if (argument.data % uint64_t(bytes) != 0)
    return refuse(info,
                  "expected an address at a multiple of {} bytes, the size of "
                  "{}, got {:#x}",
                  bytes, toString(info.element), argument.data);
  return {};
}

const char *toString(Argument::Kind kind) {
  return kind == Argument::Kind::Tensor   ? "a tensor"
         : kind == Argument::Kind::Scalar ? "a scalar"
                                          : "an unknown kind";
}

} // namespace

Status bindArguments(const SignatureInfo &signature, const Argument *arguments,
                     size_t count, BoundArgument *bound) {
  if (count != signature.countPassed())
    return refuseCount(signature, count);
  if (count != 0 && !arguments)
    return fail(ErrorCode::InvalidArgument, "expected arguments, got null");
  for (size_t i = 0; i < count; ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    const Argument &argument = arguments[i];
    Argument::Kind kind = info.kind == ArgumentInfo::Kind::Tensor
                              ? Argument::Kind::Tensor
                              : Argument::Kind::Scalar;
    if (argument.kind != kind)
      return refuse(info, "expected {}, got {}", toString(kind),
                    toString(argument.kind));
    if (argument.element != info.element)
      return refuse(info, "expected {}{}, got {}",
                    kind == Argument::Kind::Tensor ? "elements of type " : "",
                    toString(info.element), toString(argument.element));
    CAROUSEL_TRY(kind == Argument::Kind::Tensor
                     ? bindTensor(info, argument, bound[i])
                     : bindScalar(info, argument, bound[i]));
  }
  return checkAliases(signature, bound);
}

bool hasLooseStrides(const SignatureInfo &signature,
                     const BoundArgument *bound) {
  for (size_t i = 0; i < signature.arguments.size(); ++i)
    // Other arguments have no strides.
    if (signature.arguments[i].kind == ArgumentInfo::Kind::Tensor &&
        bound[i].loose)
      return true;
  return false;
}

void useLooseStrides(const SignatureInfo &signature, BoundArgument *bound) {
  for (size_t i = 0; i < signature.arguments.size(); ++i)
    if (signature.arguments[i].kind == ArgumentInfo::Kind::Tensor)
      for (unsigned dim = 0; dim < kMaxRank; ++dim)
        bound[i].strides[dim] = bound[i].getStride(dim, /*loosens=*/true);
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

static Status bindWorkspace(const ArgumentInfo &info,
                            const SignatureInfo &signature,
                            const Environment &environment,
                            BoundArgument &bound) {
  size_t rank = info.workspaceExtents.size();
  for (size_t dim = 0; dim < rank; ++dim) {
    const Expression &extent = info.workspaceExtents[dim];
    std::optional<int64_t> value = evaluate(extent, environment);
    if (!value)
      return fail(ErrorCode::InvalidArgument, "{}: {}", info.name,
                  explainNoValue(extent, signature, environment));
    if (*value < 0)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected extents that are not negative, got {} in "
                  "dimension {} from {}",
                  info.name, *value, dim, toString(extent, signature));
    bound.extents[dim] = *value;
  }
  int64_t bytes = static_cast<int64_t>(getBytes(info.element)), run = 1;
  bool fits = true;
  for (size_t dim = rank; dim-- > 0;) {
    bound.strides[dim] = run;
    fits &= !__builtin_mul_overflow(
        run, std::max<int64_t>(bound.extents[dim], 1), &run);
  }
  fits &= !__builtin_mul_overflow(run, bytes, &bytes);
  if (!fits)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected a size in bytes below 2^63, got more", info.name);
  bound.bytes = static_cast<uint64_t>(bytes);
  bound.data = kNoWorkspace;
  return {};
}

Status bindWorkspaces(const SignatureInfo &signature, int64_t multiprocessors,
                      BoundArgument *bound) {
  Environment environment;
  environment.arguments = bound;
  environment.multiprocessors = multiprocessors;
  for (size_t i = signature.countPassed(); i < signature.arguments.size(); ++i)
    CAROUSEL_TRY(bindWorkspace(signature.arguments[i], signature, environment,
                               bound[i]));
  return {};
}

//===----------------------------------------------------------------------===//
// 32-bit indices
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kLimit32 = int64_t(1) << 31;

bool fits(int64_t value) { return value >= -kLimit32 && value < kLimit32; }

/// Calls `refuse(argument, what, dimension, value)` for the first value that
/// doesn't fit; where the dimension is -1, the argument's name ends `what`.
template <typename Refuse>
bool forFirstBeyond32(const SignatureInfo &signature,
                      const BoundArgument *bound, bool loosens, Refuse refuse) {
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (info.kind == ArgumentInfo::Kind::Scalar) {
      if (info.element == ElementType::Index && !fits(bound[i].scalar)) {
        refuse(info, "", -1, bound[i].scalar);
        return true;
      }
      continue;
    }
    size_t rank = info.extents.size();
    for (size_t dim = 0; dim < rank; ++dim) {
      if (!fits(bound[i].extents[dim])) {
        refuse(info, "extent", int(dim), bound[i].extents[dim]);
        return true;
      }
      if (int64_t stride = bound[i].getStride(dim, loosens); !fits(stride)) {
        refuse(info, "stride", int(dim), stride);
        return true;
      }
    }
    int64_t last;
    if (isEmpty(bound[i], rank))
      continue;
    getLastOffset(bound[i], rank, last);
    if (!fits(last)) {
      refuse(info, "offsets of ", -1, last);
      return true;
    }
  }
  return false;
}

} // namespace

bool fitsIndex32(const SignatureInfo &signature, const BoundArgument *bound,
                 bool loosens) {
  return !forFirstBeyond32(signature, bound, loosens, [](auto &&...) {});
}

std::string explainIndex32(const SignatureInfo &signature,
                           const BoundArgument *bound) {
  std::string text;
  auto explain = [&](const ArgumentInfo &info, const char *what, int dim,
                     int64_t value) {
    std::string place = dim < 0
                            ? fmt::format("{}{}", what, info.name)
                            : fmt::format("{}.{}({})", info.name, what, dim);
    text =
        fmt::format("expected {} to fit 32-bit indices, got {}", place, value);
  };
  forFirstBeyond32(signature, bound, /*loosens=*/false, explain);
  return text;
}

static TensorMemory getMemory(const ArgumentInfo &info,
                              const BoundArgument &bound) {
  return {bound.data, bound.extents, bound.strides, info.extents.size(),
          static_cast<int64_t>(getBytes(info.element))};
}

Status checkAliases(const SignatureInfo &signature,
                    const BoundArgument *bound) {
  const size_t passed = signature.countPassed();
  for (size_t i = 0; i < passed; ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (!info.mayAlias)
      continue;
    TensorMemory memory = getMemory(info, bound[i]);
    // Others that name the same one, and then that itself: at most kMaxAliases.
    uint16_t j = static_cast<uint16_t>(i);
    do {
      j = *signature.arguments[j].previousAlias;
      const ArgumentInfo &other = signature.arguments[j];
      TensorMemory known = getMemory(other, bound[j]);
      if (!isSameTensor(memory, known) && mayShareElements(memory, known))
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected the same address, extents and strides as {}, "
                    "or no common element, got {} bytes at {:#x} and {} bytes "
                    "at {:#x}",
                    info.name, other.name, memory.getBytes(), memory.address,
                    known.getBytes(), known.address);
    } while (j != *info.mayAlias);
  }
  return {};
}

static Result<std::vector<BoundArgument>>
bind(const SignatureInfo &signature, const Argument *arguments, size_t count) {
  std::vector<BoundArgument> bound(signature.arguments.size());
  CAROUSEL_TRY(bindArguments(signature, arguments, count, bound.data()));
  return bound;
}

Status checkArguments(const SignatureInfo &signature, const Argument *arguments,
                      size_t count) noexcept {
  CAROUSEL_TRY(bind(signature, arguments, count));
  return {};
}

Result<std::vector<std::vector<int64_t>>>
computeWorkspaceExtents(const SignatureInfo &signature,
                        const Argument *arguments, size_t count,
                        int64_t multiprocessors) noexcept {
  CAROUSEL_TRY_ASSIGN(auto bound, bind(signature, arguments, count));
  CAROUSEL_TRY(bindWorkspaces(signature, multiprocessors, bound.data()));
  std::vector<std::vector<int64_t>> extents;
  for (size_t i = signature.countPassed(); i < signature.arguments.size();
       ++i) {
    const int64_t *first = bound[i].extents;
    extents.emplace_back(first, first + signature.arguments[i].extents.size());
  }
  return extents;
}

using Sharing = ArgumentInfo::Sharing;

static const SymmetricRange &select(const FoundRanges &found, Sharing sharing) {
  return sharing == Sharing::Peer        ? found.peer
         : sharing == Sharing::Multicast ? found.multicast
                                         : found.own;
}

/// "the part of its peer, rank 1".
static std::string describe(const FoundRanges &found) {
  if (found.own.end != 0)
    return fmt::format("the part of this rank, {}", found.own.rank);
  if (found.peer.end != 0)
    return fmt::format("the part of its peer, rank {}", found.peer.rank);
  if (found.multicast.end != 0)
    return "the multicast address of a buffer";
  return "none; SymmetricBuffer::adopt takes memory that something else shares";
}

static Status checkArgument(const ArgumentInfo &info,
                            const BoundArgument &bound,
                            const Context::Impl &context) {
  TensorMemory memory = {bound.data, bound.extents, bound.strides,
                         info.extents.size(),
                         static_cast<int64_t>(getBytes(info.element))};
  if (memory.isEmpty())
    return {};
  constexpr const char *kWanted[] = {
      "", "this rank's part of a symmetric buffer",
      "a peer's part of a symmetric buffer",
      "the multicast address of a symmetric buffer"};
  FoundRanges found =
      findSymmetricRanges(context.context, &context, memory.address);
  const SymmetricRange &best = select(found, info.sharing);
  if (best.end == 0)
    return fail(ErrorCode::InvalidArgument, "{}: expected {}, got 0x{:x} in {}",
                info.name, kWanted[static_cast<int>(info.sharing)],
                memory.address, describe(found));
  uint64_t room = best.end - memory.address;
  if (memory.getBytes() <= room)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected at most {} bytes at 0x{:x}, which is {} bytes into "
              "{}, got {}",
              info.name, room, memory.address, memory.address - best.begin,
              best.isMulticast ? "the multicast address of a buffer"
                               : fmt::format("the part of rank {}", best.rank),
              memory.getBytes());
}

Status checkSymmetric(const SignatureInfo &signature,
                      const BoundArgument *bound,
                      const Context::Impl &context) {
  const size_t passed = signature.countPassed();
  for (size_t i = 0; i < passed; ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (info.sharing == Sharing::None)
      continue;
    CAROUSEL_TRY(checkArgument(info, bound[i], context));
  }
  return {};
}

} // namespace carousel::runtime
