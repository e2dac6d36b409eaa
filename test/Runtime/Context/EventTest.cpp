//===- EventTest.cpp - points in a stream ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include "carousel/Runtime/Event.h"

#include <gtest/gtest.h>

#include <optional>

using namespace carousel;
using namespace carousel::runtime;

namespace {

class EventTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    ContextOptions options;
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheBytes = 0;
    Result<Context> created = Context::create(options);
    ASSERT_TRUE(created) << created.error().message;
    context.emplace(std::move(*created));
  }

  Event create() {
    Result<Event> event = Event::create(*context);
    EXPECT_TRUE(event) << event.error().message;
    return std::move(*event);
  }

  std::optional<Context> context;
};

TEST_F(EventTest, TimeBetweenTwo) {
  Event first = create(), last = create();
  EXPECT_FALSE(last.getMicrosecondsSince(first)); // not recorded
  ASSERT_TRUE(first.record());
  ASSERT_TRUE(last.record());
  Result<double> time = last.getMicrosecondsSince(first);
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(*time, 0);
}

TEST_F(EventTest, Moves) {
  Event first = create();
  Event second = std::move(first);
  ASSERT_TRUE(second.record());
  second = create();
  EXPECT_TRUE(second.record());
}

TEST_F(EventTest, Errors) {
  fake::failNext("cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY);
  Result<Event> event = Event::create(*context);
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(event.error().message,
            "cuEventCreate failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
}

} // namespace
