//===- Event.cpp - points in a stream -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Event.h"

#include "ContextImpl.h"

#include <utility>

namespace carousel::runtime {

Event::Event(Context context, CUevent_st *event)
    : context(std::move(context)), event(event) {}

Event::Event(Event &&other) noexcept
    : context(std::move(other.context)),
      event(std::exchange(other.event, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  Event taken(std::move(other));
  std::swap(context, taken.context);
  std::swap(event, taken.event);
  return *this;
}

Event::~Event() {
  if (!event)
    return;
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  if (current.getStatus())
    impl.driver->cuEventDestroy(event);
}

Result<Event> Event::create(const Context &context) noexcept {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  CUevent event = nullptr;
  CAROUSEL_TRY(impl.check(impl.driver->cuEventCreate(&event, CU_EVENT_DEFAULT),
                          "cuEventCreate"));
  return Event(context, event);
}

Status Event::record(Stream stream) noexcept {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  return impl.check(impl.driver->cuEventRecord(event, stream), "cuEventRecord");
}

Status Event::wait(Stream stream) const noexcept {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  return impl.check(impl.driver->cuStreamWaitEvent(stream, event, 0),
                    "cuStreamWaitEvent");
}

Result<double>
Event::getMicrosecondsSince(const Event &earlier) const noexcept {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  float milliseconds = 0;
  CAROUSEL_TRY(impl.check(
      impl.driver->cuEventElapsedTime(&milliseconds, earlier.event, event),
      "cuEventElapsedTime"));
  return 1e3 * static_cast<double>(milliseconds);
}

} // namespace carousel::runtime
