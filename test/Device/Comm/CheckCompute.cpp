//===- CheckCompute.cpp - copies beside a kernel -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both ranks copy to each other while a kernel computes on each of their GPUs:
// the copies' bytes and the kernel's numbers are right.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include "carousel/Runtime/Module.h"

#include <cstring>

using namespace carousel::comm_device;

namespace {

/// Each thread takes `n` steps of x = x * 1664525 + 1013904223, from its
/// number.
constexpr const char *kPTX = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry busy(.param .u64 out, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<7>;
  .reg .b64 %a<3>;
  ld.param.u64 %a0, [out];
  ld.param.u32 %r0, [n];
  cvta.to.global.u64 %a0, %a0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mov.u32 %r5, %r4;
  mov.u32 %r6, 0;
next:
  setp.ge.u32 %p, %r6, %r0;
  @%p bra done;
  mad.lo.u32 %r5, %r5, 1664525, 1013904223;
  add.u32 %r6, %r6, 1;
  bra next;
done:
  mul.wide.u32 %a1, %r4, 4;
  add.u64 %a2, %a0, %a1;
  st.global.u32 [%a2], %r5;
  ret;
}
)";
constexpr uint32_t kSteps = 3000000, kThreads = 256;

/// x = x * factor + summand, `kSteps` times, as one such step.
struct Steps {
  uint32_t factor = 1, summand = 0;
  Steps() {
    uint32_t power = 1664525, sum = 1013904223;
    for (uint32_t left = kSteps; left > 0; left /= 2) {
      if (left % 2)
        factor *= power, summand = summand * power + sum;
      sum = sum * power + sum, power *= power;
    }
  }
};

std::string run(const Context &context, const Comm &comm,
                const SymmetricBuffer &buffer, Stream stream) {
  constexpr uint64_t kBytes = (uint64_t(16) << 20) + 16;
  int rank = comm.getRank(), other = 1 - rank;
  auto module = Module::load(context, {CodeKind::PTX, "sm_80", kPTX});
  GOOD(module);
  auto compute = makeStream(context);
  GOOD(compute);
  // More blocks than fit at once, and fewer.
  auto sms = uint32_t(context.getDevice().multiprocessors);
  auto numbers = Buffer::allocate(context, uint64_t(16) * sms * kThreads * 4);
  GOOD(numbers);
  auto source = Buffer::allocate(context, kBytes);
  GOOD(source);
  // Before streams wait: the ranks may share the context.
  auto copy = Buffer::allocate(context, kBytes);
  GOOD(copy);
  // The first launch loads the kernel, which waits for the context, too.
  uint64_t first = numbers->getAddress();
  uint32_t none = 0;
  void *nothing[] = {&first, &none};
  LaunchShape one;
  one.block = {kThreads, 1, 1};
  GOOD(module->launch("busy", one, nothing, *compute));
  uint64_t round = 0;
  const Steps steps;
  for (TransportKind kind : {TransportKind::CopyEngine, TransportKind::TMA})
    for (uint32_t blocks : {sms / 2, 16 * sms}) {
      TransferOptions options;
      options.transport = kind;
      auto words = makeWords(kBytes, ++round * 10 + uint64_t(rank));
      auto theirs = makeWords(kBytes, round * 10 + uint64_t(other));
      GOOD(source->upload(words.data(), kBytes, 0, stream));
      GOOD(numbers->fill(0, *compute));
      GOOD(comm.synchronize(stream));
      GOOD(context.synchronize(*compute));
      GOOD(comm.barrier());
      uint64_t address = numbers->getAddress();
      uint32_t n = kSteps;
      void *parameters[] = {&address, &n};
      LaunchShape shape;
      shape.grid = {blocks, 1, 1}, shape.block = {kThreads, 1, 1};
      GOOD(module->launch("busy", shape, parameters, *compute));
      // Both directions at once, and gets after the puts.
      for (int i = 0; i < 8; ++i)
        GOOD(buffer.put(other, 0, source->getAddress(), kBytes, stream,
                        options));
      GOOD(buffer.signal(other, 0, round, stream));
      GOOD(buffer.wait(other, 0, round, stream));
      GOOD(buffer.get(other, 0, source->getAddress(), kBytes, stream, options));
      GOOD(buffer.get(rank, 0, copy->getAddress(), kBytes, stream, options));
      std::vector<uint8_t> got(kBytes), back(kBytes);
      GOOD(copy->download(got.data(), kBytes, 0, stream));
      GOOD(source->download(back.data(), kBytes, 0, stream));
      GOOD(comm.synchronize(stream));
      CHECK(std::memcmp(got.data(), theirs.data(), kBytes) == 0);
      CHECK(std::memcmp(back.data(), words.data(), kBytes) == 0);
      std::vector<uint32_t> values(uint64_t(blocks) * kThreads);
      GOOD(numbers->download(values.data(), values.size() * 4, 0, *compute));
      GOOD(context.synchronize(*compute));
      for (uint32_t i = 0; i < values.size(); ++i)
        if (values[i] != i * steps.factor + steps.summand)
          return "number " + std::to_string(i) + " of " +
                 std::to_string(values.size()) + ": got " +
                 std::to_string(values[i]);
      GOOD(comm.barrier());
    }
  setNote(std::to_string(round) + " kernels beside copies both ways");
  return "";
}

constexpr uint64_t kPart = (uint64_t(16) << 20) + 64;

} // namespace

std::string carousel::comm_device::checkCompute(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, kPart);
  GOOD(buffer);
  auto stream = makeStream(*context);
  GOOD(stream);
  return run(*context, *comm, *buffer, *stream);
}

std::string carousel::comm_device::checkLocalCompute(int) {
  LocalRanks ranks;
  if (std::string problem = ranks.open(2, kPart, milliseconds(20000));
      !problem.empty())
    return problem;
  return ranks.forRanks([&](int rank) {
    return run(ranks.contexts[rank], ranks.comms[rank], ranks.buffers[rank],
               ranks.streams[rank]);
  });
}
