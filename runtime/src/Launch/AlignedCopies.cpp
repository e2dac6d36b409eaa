//===- AlignedCopies.cpp - copies of arguments that lie off ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AlignedCopies.h. An out argument is copied before the steps, too: they
// may leave elements as they are.
//
//===----------------------------------------------------------------------===//

#include "AlignedCopies.h"

namespace carousel::runtime {

AlignedCopies::AlignedCopies(const ProgramInfo &program,
                             const std::vector<BoundArgument> &bound) {
  constexpr uint64_t kGranule = rules::kWorkspaceAlignment;
  std::vector<bool> isKnown(program.arguments.size());
  for (const CheckInfo &check : program.checks) {
    if (check.guard.kind != Guard::Kind::Aligned)
      continue;
    size_t number = check.guard.argument;
    const ArgumentInfo &info = program.arguments[number];
    auto alignment = static_cast<uint64_t>(check.guard.least);
    if (isKnown[number] || info.kind != ArgumentInfo::Kind::Tensor ||
        !info.contiguous || alignment > kGranule ||
        bound[number].data % alignment == 0)
      continue;
    isKnown[number] = true;
    uint64_t bytes = getBytes(info.element);
    for (size_t dim = 0; dim < info.extents.size(); ++dim)
      bytes *= static_cast<uint64_t>(bound[number].extents[dim]);
    copies.push_back({number, bound[number].data, memory.bytes, bytes,
                      info.access != ArgumentInfo::Access::In});
    memory.bytes += (bytes + kGranule - 1) / kGranule * kGranule;
  }
}

const SignatureInfo &AlignedCopies::getSignature() {
  static const SignatureInfo signature = [] {
    ArgumentInfo memory;
    memory.name = "copies of arguments";
    memory.kind = ArgumentInfo::Kind::Workspace;
    return SignatureInfo{memory.name, {memory}};
  }();
  return signature;
}

void AlignedCopies::move(std::vector<BoundArgument> &bound) const {
  for (const Copy &copy : copies)
    bound[copy.argument].data = memory.data + copy.offset;
}

static Status copyBytes(Context::Impl &context, uint64_t to, uint64_t from,
                        uint64_t bytes, Stream stream) {
  if (bytes == 0)
    return {};
  return context.check(
      context.driver->cuMemcpyDtoDAsync(to, from, bytes, stream),
      "cuMemcpyDtoDAsync");
}

Status AlignedCopies::start(Context::Impl &context, Stream stream) const {
  for (const Copy &copy : copies)
    CAROUSEL_TRY(copyBytes(context, memory.data + copy.offset, copy.address,
                           copy.bytes, stream));
  return {};
}

Status AlignedCopies::finish(Context::Impl &context, Stream stream) const {
  for (const Copy &copy : copies)
    if (copy.isWritten)
      CAROUSEL_TRY(copyBytes(context, copy.address, memory.data + copy.offset,
                             copy.bytes, stream));
  return {};
}

} // namespace carousel::runtime
