//===- GridTickets.cpp - tickets that number the CTAs of a grid -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The draw of a CTA, and what its threads have to agree on.
//
//===----------------------------------------------------------------------===//

#include "GridTickets.h"

#include "ThreadOrder.h"

namespace carousel::sim {

using llvm::Twine;

namespace {
struct Draw {
  int32_t *counter;
  int64_t total;
  Who who;
  int64_t number = 0;
};
} // namespace

static Draw &getDraw(uint64_t value) {
  return *reinterpret_cast<Draw *>(value);
}

void GridTickets::checkDraws(llvm::ArrayRef<uint64_t> draws) {
  const Draw &first = getDraw(draws.front());
  auto found = [&](const Twine &message, const Draw &other) {
    std::optional<Actor> theirs;
    if (&other != &first)
      theirs = other.who.actor("grid.ticket");
    context.report(FindingKind::InvalidOperand, first.who.actor("grid.ticket"),
                   message, first.counter, sizeof(int32_t), theirs);
  };
  if (first.total < 1 || first.total > INT32_MAX)
    found("expected 1 to 2^31 - 1 tickets, got " + Twine(first.total), first);
  for (uint64_t value : draws) {
    const Draw &draw = getDraw(value);
    if (draw.total == first.total && draw.counter == first.counter)
      continue;
    return found("expected the threads of a CTA to draw from one counter with "
                 "one number of tickets in all, found " +
                     Twine(first.total) + " in thread " +
                     Twine(first.who.thread) + " and " + Twine(draw.total) +
                     " in thread " + Twine(draw.who.thread),
                 draw);
  }
}

int64_t GridTickets::draw(int32_t *counter, int64_t total, bool ordersMemory) {
  Draw draw{counter, total, context.here()};
  auto threads = uint32_t(context.grid.getShape().block.count());
  context.grid.gather(
      "grid.ticket", 0, threads, reinterpret_cast<uint64_t>(&draw),
      [&](llvm::ArrayRef<uint64_t> draws) {
        checkDraws(draws);
        const Draw &first = getDraw(draws.front());
        if (!context.accessWord("counter", first.counter,
                                AtomicForm::ReadModifyWrite))
          return;
        int32_t number = *first.counter;
        if (number < 0 || number >= first.total)
          context.report(FindingKind::InvalidOperand,
                         first.who.actor("grid.ticket"),
                         "expected a counter from 0 to below the number of "
                         "tickets, " +
                             Twine(first.total) + ", found " + Twine(number),
                         first.counter, sizeof(int32_t));
        *first.counter = number + 1 == first.total ? 0 : number + 1;
        // The thread that draws releases and acquires for all.
        Thread &drawer = context.grid.current();
        auto forOthers = [&](llvm::function_ref<void(Thread &)> act) {
          for (uint32_t index = 0; ordersMemory && index < threads; ++index)
            if (index != drawer.index)
              act(*context.grid.lookup(drawer.cta, index));
        };
        forOthers([&](Thread &other) { acquire(drawer, release(other)); });
        atomics.read(first.counter, ordersMemory);
        atomics.write(first.counter, ordersMemory,
                      /*isReadModifyWrite=*/true);
        forOthers([&](Thread &other) { acquire(other, drawer.view); });
        for (uint64_t value : draws)
          getDraw(value).number = number;
      });
  if (context.log.isFull())
    context.grid.abort();
  return draw.number;
}

} // namespace carousel::sim
