//===- ByteMover.cpp - the bytes of an operation --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of tensors, swizzled tiles in shared memory, and linear ranges.
//
//===----------------------------------------------------------------------===//

#include "ByteMover.h"

#include "../Tensors/RoundElements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace carousel::sim {

/// A swizzle permutes within lines of this size.
static constexpr uint64_t kLine = 128;

AccessResult ByteMover::access(AsyncOperation &operation, const void *address,
                               uint64_t size, bool isWrite) {
  Access access;
  bool isGeneric = operation.proxy == Proxy::Generic;
  if (isWrite && operation.isReduction) {
    access.kind = isGeneric ? AccessKind::Atomic : AccessKind::Reduce;
    access.form = AtomicForm::Reduce;
    access.elementBytes = uint8_t(getElementBytes(operation.reduceType));
  } else if (isWrite && operation.isRelease) {
    access.kind = AccessKind::Atomic;
    access.form = AtomicForm::Store;
    access.elementBytes = uint8_t(operation.bytes);
  } else if (isWrite) {
    access.kind = AccessKind::Write;
  }
  access.mayBeUnwritten = operation.isRelease && !operation.isReduction;
  access.proxy = operation.proxy;
  access.epoch = isWrite ? operation.writeEpoch : operation.readEpoch;
  access.view = &operation.view;
  access.thread = operation.issuer.thread;
  access.operation = operation.nameIndex;
  access.site = operation.issuer.site;
  access.operationId = operation.id;
  return memory.access(address, size, access);
}

void ByteMover::readRange(AsyncOperation &operation, const char *address,
                          uint64_t size, char *to) {
  AccessResult result = access(operation, address, size, /*isWrite=*/false);
  if (result.inBounds)
    std::memcpy(to, address, size);
  if (!result.inBounds ||
      (result.stale && schedule.pick(Decision::Bytes, 2) == 1))
    poison(to, size);
}

void ByteMover::writeRange(AsyncOperation &operation, char *address,
                           uint64_t size, const char *from) {
  if (!access(operation, address, size, /*isWrite=*/true).inBounds)
    return;
  if (operation.isReduction)
    reduce(operation.reduceKind, operation.reduceType, address, from, size);
  else
    std::memcpy(address, from, size);
}

//===----------------------------------------------------------------------===//
// Rows of a tensor
//===----------------------------------------------------------------------===//

/// For bytes [begin, end) of the tile, calls `inside(address, size, offset)`
/// for the parts in the tensor, in ranges that are contiguous on both sides,
/// and `outside(size, offset)` for the others.
template <typename Inside, typename Outside>
static void forEachRow(const TensorBox &box, uint64_t begin, uint64_t end,
                       Inside inside, Outside outside) {
  uint64_t address = 0, size = 0, offset = 0;
  auto add = [&](uint64_t from, uint64_t bytes, uint64_t at) {
    if (size != 0 && address + size == from && offset + size == at) {
      size += bytes;
      return;
    }
    if (size != 0)
      inside(reinterpret_cast<char *>(address), size, offset);
    address = from;
    size = bytes;
    offset = at;
  };
  uint64_t row = begin / box.rowBytes, inRow = begin % box.rowBytes;
  for (uint64_t at = begin; at < end; ++row, inRow = 0) {
    uint64_t rowStart = at - inRow;
    uint64_t last = std::min<uint64_t>(box.rowBytes, end - rowStart);
    const BoxRow &it = box.rows[row];
    uint64_t first = std::clamp<uint64_t>(it.begin, inRow, last);
    uint64_t stop = std::clamp<uint64_t>(it.end, first, last);
    if (first > inRow)
      outside(first - inRow, rowStart + inRow);
    if (stop > first)
      add(it.address + first, stop - first, rowStart + first);
    if (last > stop)
      outside(last - stop, rowStart + stop);
    at = rowStart + last;
  }
  if (size != 0)
    inside(reinterpret_cast<char *>(address), size, offset);
}

//===----------------------------------------------------------------------===//
// Tiles in shared memory
//===----------------------------------------------------------------------===//

/// Calls `range(address, size, offset)` for the accesses to bytes [begin, end)
/// of a tile, and `move(address, size, offset)` for each contiguous part.
template <typename Range, typename Move>
static void forEachChunk(const AsyncOperation &operation, char *tile,
                         uint64_t begin, uint64_t end, Range range, Move move) {
  Swizzle swizzle = operation.isTensor ? operation.map.swizzle : Swizzle::None;
  if (swizzle == Swizzle::None) {
    if (range(tile + begin, end - begin))
      move(tile + begin, end - begin, begin);
    return;
  }
  char *base = tile - operation.tileOffset;
  uint64_t step = swizzle == Swizzle::B128Atom32Flip8 ? 8 : 16;
  bool isWhole = begin % kLine == 0 && end % kLine == 0 &&
                 operation.tileOffset % kLine == 0;
  if (isWhole && !range(tile + begin, end - begin))
    return;
  for (uint64_t at = begin; at < end; at += step) {
    char *address = base + swizzleAddress(swizzle, operation.tileOffset + at);
    if (isWhole || range(address, step))
      move(address, step, at);
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void ByteMover::read(AsyncOperation &operation, const Pieces &pieces) {
  if (operation.kind == OperationKind::Immediate)
    return;
  char *staging = operation.staging.get();
  pieces.forEachRun([&](uint64_t first, uint64_t last) {
    uint64_t begin = first * 16, end = std::min(last * 16, operation.bytes);
    if (operation.isTensor && operation.kind == OperationKind::GlobalToShared) {
      forEachRow(
          operation.box, begin, end,
          [&](char *address, uint64_t size, uint64_t offset) {
            readRange(operation, address, size, staging + offset);
          },
          [&](uint64_t size, uint64_t offset) {
            fillOutOfBounds(operation.map, staging + offset, size);
          });
      if (operation.map.element == TensorElement::F32FTZ)
        flushSubnormals(staging + begin, end - begin);
      // Also with FTZ, hardware keeps subnormal numbers of tf32.
      if (operation.map.element == TensorElement::TF32 ||
          operation.map.element == TensorElement::TF32FTZ)
        roundToTF32(staging + begin, end - begin);
      return;
    }
    if (operation.isTensor) {
      auto *tile = const_cast<char *>(operation.source);
      bool isPoisoned = false;
      forEachChunk(
          operation, tile, begin, end,
          [&](char *address, uint64_t size) {
            AccessResult result =
                access(operation, address, size, /*isWrite=*/false);
            if (!result.inBounds)
              poison(staging + begin, end - begin);
            isPoisoned |=
                result.stale && schedule.pick(Decision::Bytes, 2) == 1;
            return result.inBounds;
          },
          [&](char *address, uint64_t size, uint64_t offset) {
            std::memcpy(staging + offset, address, size);
          });
      if (isPoisoned)
        poison(staging + begin, end - begin);
      return;
    }
    uint64_t valid = std::clamp(operation.validBytes, begin, end);
    if (valid > begin)
      readRange(operation, operation.source + begin, valid - begin,
                staging + begin);
    std::memset(staging + valid, 0, end - valid);
  });
}

void ByteMover::write(AsyncOperation &operation, const Pieces &pieces) {
  const char *staging = operation.staging.get();
  pieces.forEachRun([&](uint64_t first, uint64_t last) {
    uint64_t begin = first * 16, end = std::min(last * 16, operation.bytes);
    if (operation.isTensor && operation.kind == OperationKind::SharedToGlobal) {
      forEachRow(
          operation.box, begin, end,
          [&](char *address, uint64_t size, uint64_t offset) {
            writeRange(operation, address, size, staging + offset);
          },
          [](uint64_t, uint64_t) {});
      return;
    }
    if (operation.isTensor) {
      forEachChunk(
          operation, operation.destination, begin, end,
          [&](char *address, uint64_t size) {
            return access(operation, address, size, /*isWrite=*/true).inBounds;
          },
          [&](char *address, uint64_t size, uint64_t offset) {
            std::memcpy(address, staging + offset, size);
          });
      return;
    }
    if (operation.byteMask == 0xffff) {
      writeRange(operation, operation.destination + begin, end - begin,
                 staging + begin);
      return;
    }
    for (uint64_t at = begin; at < end; ++at) {
      uint64_t from = at;
      while (at < end && (operation.byteMask >> (at % 16) & 1) != 0)
        ++at;
      if (at != from)
        writeRange(operation, operation.destination + from, at - from,
                   staging + from);
    }
  });
}

} // namespace carousel::sim
