//===- ArgumentMemory.cpp - the memory of one run -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An empty tensor begins as unwritten; all others count as written.
//
//===----------------------------------------------------------------------===//

#include "ArgumentMemory.h"

#include "carousel/Runtime/Fail.h"

using namespace carousel;
using namespace carousel::simtool;
using runtime::SignatureInfo;
using tools::ArgumentValue;
using tools::HostBuffer;
using tools::Result;
using TensorKind = tools::TensorValue::Kind;

static bool isTensor(const runtime::ArgumentInfo &argument) {
  return argument.kind != runtime::ArgumentInfo::Kind::Scalar;
}

Result<Contents> Contents::make(const SignatureInfo &kernel,
                                const std::vector<ArgumentValue> &values,
                                tools::ProgressMode mode) {
  Contents contents;
  contents.buffers.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const runtime::ArgumentInfo &argument = kernel.arguments[i];
    if (!isTensor(argument) || values[i].sameAs)
      continue;
    const tools::TensorValue &tensor = values[i].tensor;
    bool file = tensor.kind == TensorKind::File;
    tools::Progress progress(
        mode, (file ? "loading " : "generating ") + argument.name,
        tensor.layout.elements * runtime::getBytes(argument.element),
        tools::ProgressUnit::Bytes);
    CAROUSEL_TRY_ASSIGN(
        contents.buffers[i],
        prefixError(makeContents(tensor, argument.element, progress), "{}",
                    argument.name));
  }
  return contents;
}

static Result<HostBuffer> copyBuffer(const HostBuffer &from) {
  auto buffer = HostBuffer::allocate(from.getBytes());
  if (buffer && from.getBytes() != 0)
    std::memcpy(buffer->getData(), from.getData(), from.getBytes());
  return buffer;
}

Result<ArgumentMemory>
ArgumentMemory::copy(const std::vector<ArgumentValue> &values,
                     const Contents &contents) {
  ArgumentMemory memory;
  for (size_t i = 0; i < values.size(); ++i) {
    CAROUSEL_TRY_ASSIGN(auto buffer, copyBuffer(contents.buffers[i]));
    memory.buffers.push_back(std::move(buffer));
    memory.owners.push_back(values[i].sameAs.value_or(i));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    size_t owner = memory.owners[i];
    const tools::Layout &layout = values[i].tensor.layout;
    sim::Argument &argument = memory.arguments.emplace_back();
    argument.data = memory.buffers[owner].getData();
    argument.extents.assign(layout.extents.begin(), layout.extents.end());
    argument.strides.assign(layout.strides.begin(), layout.strides.end());
    argument.isWritten = values[owner].tensor.kind != TensorKind::Empty;
    argument.bits = values[i].scalar;
  }
  return memory;
}

Result<HostBuffer> ArgumentMemory::copyContents(size_t argument) const {
  return copyBuffer(buffers[owners[argument]]);
}
