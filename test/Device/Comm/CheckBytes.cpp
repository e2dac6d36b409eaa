//===- CheckBytes.cpp - puts and gets of many sizes -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every size at offsets that are aligned, equally misaligned and differently
// misaligned; then more than 4 GiB.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <algorithm>
#include <cstring>

using namespace carousel::comm_device;

/// Puts in both directions at once, then gets, of every size and offset.
std::string carousel::comm_device::checkBytes(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  constexpr uint64_t kSlack = 64;
  auto buffer = SymmetricBuffer::allocate(*comm, mostBytes + kSlack);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, mostBytes + kSlack);
  GOOD(source);
  uint64_t step = 0, total = 0;
  int other = 1 - rank;
  for (TransportKind kind : {TransportKind::CopyEngine, TransportKind::TMA})
    for (uint64_t size :
         {uint64_t(1), uint64_t(15), uint64_t(16), uint64_t(17), uint64_t(4095),
          uint64_t(16384), uint64_t(65537), uint64_t(1) << 20,
          (uint64_t(1) << 24) + 5, mostBytes}) {
      if (size > mostBytes)
        continue;
      struct Place {
        uint64_t target, source;
      };
      for (Place place : {Place{0, 0}, Place{3, 3}, Place{16, 32}, Place{1, 8},
                          Place{13, 2}}) {
        if (size > (1 << 25) && place.target % 3 == 1)
          continue; // time: the large ones at fewer places
        TransferOptions options;
        options.transport = kind;
        uint64_t span = size + kSlack;
        auto words = makeWords(span, ++step + 1000 * rank);
        auto theirs = makeWords(span, step + 1000 * other);
        GOOD(source->upload(words.data(), span));
        std::vector<uint8_t> got(span, 0xa5);
        GOOD(comm->getContext().synchronize());
        auto pattern = Buffer::allocate(*context, span);
        GOOD(pattern);
        GOOD(pattern->fill(0xa5));
        GOOD(buffer->put(rank, 0, pattern->getAddress(), span));
        GOOD(comm->synchronize());
        GOOD(comm->barrier());
        GOOD(buffer->putSignal(other, place.target,
                               source->getAddress() + place.source, size, 0,
                               step, nullptr, options));
        GOOD(buffer->wait(other, 0, step));
        // Back, by a get of the local part.
        GOOD(buffer->get(rank, 0, pattern->getAddress(), span));
        GOOD(pattern->download(got.data(), span));
        GOOD(comm->synchronize());
        auto *bytes = reinterpret_cast<uint8_t *>(theirs.data());
        std::string problem =
            compare(got, place.target, bytes + place.source, size);
        if (!problem.empty())
          return std::string("put by ") + toString(kind) + " of " +
                 std::to_string(size) + " bytes, offsets " +
                 std::to_string(place.target) + " and " +
                 std::to_string(place.source) + ": " + problem;
        GOOD(comm->barrier());
        // A get of what the other rank has now: what this one put there.
        GOOD(pattern->fill(0xa5));
        GOOD(buffer->get(other, place.target,
                         pattern->getAddress() + place.source, size, nullptr,
                         options));
        GOOD(pattern->download(got.data(), span));
        GOOD(comm->synchronize());
        auto *own = reinterpret_cast<uint8_t *>(words.data());
        problem = compare(got, place.source, own + place.source, size);
        if (!problem.empty())
          return std::string("get by ") + toString(kind) + " of " +
                 std::to_string(size) + " bytes: " + problem;
        GOOD(comm->barrier());
        total += 2 * size;
      }
    }
  note = std::to_string(step) + " puts and gets, " +
         std::to_string(total >> 20) + " MiB";
  return "";
}

/// More than 4 GiB in both directions at once, compared in chunks. Source and
/// target begin at the same offset, so that their bytes have the same place.
std::string carousel::comm_device::checkLarge(int rank) {
  constexpr uint64_t kBytes = (uint64_t(4) << 30) + 16, kSlack = 64;
  constexpr uint64_t kChunk = uint64_t(64) << 20;
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, kBytes + kSlack);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, kBytes + kSlack);
  GOOD(source);
  int other = 1 - rank;
  auto forChunks = [&](auto body) -> std::string {
    for (uint64_t at = 0; at < kBytes + kSlack; at += kChunk)
      if (std::string problem =
              body(at, std::min(kChunk, kBytes + kSlack - at));
          !problem.empty())
        return problem;
    return "";
  };
  auto getWords = [](int of, uint64_t at, uint64_t bytes) {
    return makeWords(bytes, at / kChunk * 2 + uint64_t(of));
  };
  std::string problem =
      forChunks([&](uint64_t at, uint64_t bytes) -> std::string {
        auto words = getWords(rank, at, bytes);
        GOOD(source->upload(words.data(), bytes, at));
        GOOD(context->synchronize());
        return "";
      });
  if (!problem.empty())
    return problem;
  auto chunk = Buffer::allocate(*context, kChunk);
  GOOD(chunk);
  uint64_t step = 0;
  for (TransportKind kind : {TransportKind::CopyEngine, TransportKind::TMA})
    for (uint64_t place : {0, 3}) {
      TransferOptions options;
      options.transport = kind;
      GOOD(chunk->fill(0xa5));
      problem = forChunks([&](uint64_t at, uint64_t bytes) -> std::string {
        GOOD(buffer->put(rank, at, chunk->getAddress(), bytes));
        return "";
      });
      if (!problem.empty())
        return problem;
      GOOD(comm->synchronize());
      GOOD(comm->barrier());
      GOOD(buffer->putSignal(other, place, source->getAddress() + place, kBytes,
                             0, ++step, nullptr, options));
      GOOD(buffer->wait(other, 0, step));
      std::vector<uint8_t> got(kChunk);
      problem = forChunks([&](uint64_t at, uint64_t bytes) -> std::string {
        GOOD(buffer->get(rank, at, chunk->getAddress(), bytes));
        GOOD(chunk->download(got.data(), bytes));
        GOOD(comm->synchronize());
        auto words = getWords(other, at, bytes);
        auto *expected = reinterpret_cast<uint8_t *>(words.data());
        for (uint64_t i = 0; i < place && at == 0; ++i)
          expected[i] = 0xa5;
        for (uint64_t i = std::max(at, place + kBytes); i < at + bytes; ++i)
          expected[i - at] = 0xa5;
        if (std::memcmp(got.data(), expected, bytes) == 0)
          return "";
        uint64_t wrong = 0;
        while (got[wrong] == expected[wrong])
          ++wrong;
        return std::string("by ") + toString(kind) + ", offset " +
               std::to_string(place) + ": byte " + std::to_string(at + wrong);
      });
      if (!problem.empty())
        return problem;
      GOOD(comm->barrier());
    }
  note = std::to_string(step) + " puts of 4 GiB + 16 bytes each way";
  return "";
}
