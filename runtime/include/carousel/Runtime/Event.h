//===- Event.h - points in a stream -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_EVENT_H
#define CAROUSEL_RUNTIME_EVENT_H

#include "carousel/Runtime/Context.h"

struct CUevent_st;

namespace carousel::runtime {

/// An event of the driver, which times the work between two points of a stream.
/// Movable, freed by its destructor.
class Event {
public:
  static Result<Event> create(const Context &context) noexcept;
  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  /// Marks the work that the stream has been given so far.
  Status record(Stream stream = nullptr) noexcept;
  /// Makes later work of the stream wait for the marked work.
  Status wait(Stream stream = nullptr) const noexcept;
  /// The time from the completion of `earlier` to the completion of this event.
  /// Fails if either isn't recorded or isn't complete.
  Result<double> getMicrosecondsSince(const Event &earlier) const noexcept;

private:
  Event(Context context, CUevent_st *event);
  Context context;
  CUevent_st *event = nullptr;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_EVENT_H
