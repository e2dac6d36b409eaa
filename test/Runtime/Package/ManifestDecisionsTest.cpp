//===- ManifestDecisionsTest.cpp - the record of decisions ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

Result<Manifest> read(const std::string &decisions) {
  return parseManifest(setMember(makeCopyManifest(),
                                 "/kernels/0/variants/0/decisions", decisions));
}

TEST(ManifestDecisions, Read) {
  Result<Manifest> manifest = read(R"({
    "occupancies": [{"chip": "sm_90a", "threads": 256, "shared": 98304,
      "registers": 40, "ctas_per_sm": 2, "limit": "shared memory",
      "bytes_in_flight": 131072}],
    "rings": [{"loop": "k.mlir:14:5", "is_load": true, "memrefs": ["x", "r"],
      "engines": ["tensor"], "stages": 5, "slot_bytes": 16384, "prefetch": 4,
      "scope": "cta", "mode": "unified", "release": "cta_barrier",
      "notes": [{"key": "predicted", "value": "41 us"}]}],
    "transfers": [{"location": "k.mlir:15:7", "is_load": false, "memref": "y",
      "bytes": 8192, "engine": "bulk", "instructions": 1, "cost": 17,
      "rejections": [{"key": "tensor", "value": "stride 0"}]}],
    "misses": [{"id": "not-ringed:scope", "location": "k.mlir:16:7",
      "subject": "load of b", "reason": "not ringed: other scope"}],
    "notes": [{"key": "time", "value": "41 us"}]})");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const auto &decisions = manifest->kernels[0].variants[0].decisions;
  ASSERT_TRUE(decisions);
  ASSERT_EQ(decisions->occupancies.size(), 1u);
  EXPECT_EQ(toString(decisions->occupancies[0]),
            "2 CTAs per SM by shared memory, 131072 bytes in flight per SM, 40 "
            "registers a thread (sm_90a)");
  ASSERT_EQ(decisions->rings.size(), 1u);
  EXPECT_EQ(toString(decisions->rings[0]),
            "load x, r at k.mlir:14:5: 5 stages of 16384 bytes by tensor, 4 "
            "ahead");
  EXPECT_EQ(decisions->rings[0].notes[0].second, "41 us");
  EXPECT_EQ(decisions->transfers[0].rejections[0].first, "tensor");
  EXPECT_EQ(decisions->transfers[0].cost, 17);
  EXPECT_EQ(toString(decisions->misses[0]),
            "load of b at k.mlir:16:7: not ringed: other scope "
            "[not-ringed:scope]");
  EXPECT_EQ(decisions->notes[0].first, "time");
}

TEST(ManifestDecisions, AbsentInOlderPackages) {
  Result<Manifest> manifest = parseManifest(makeCopyManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_FALSE(manifest->kernels[0].variants[0].decisions);
}

// Other compilers may say less, or more.
TEST(ManifestDecisions, LessAndMore) {
  Result<Manifest> manifest = read(R"({"rings": [{"stages": 3, "colour": 1}],
    "occupancies": [{"registers": null}], "plans": 4,
    "misses": [{"id": "not-ringed:new-reason"}]})");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const auto &decisions = manifest->kernels[0].variants[0].decisions;
  EXPECT_EQ(decisions->rings[0].stages, 3);
  EXPECT_TRUE(decisions->rings[0].isLoad);
  EXPECT_FALSE(decisions->occupancies[0].registers);
  EXPECT_EQ(decisions->misses[0].id, "not-ringed:new-reason");
  EXPECT_TRUE(decisions->transfers.empty());
}

TEST(ManifestDecisions, Errors) {
  auto expectError = [](const char *decisions, const std::string &message) {
    Result<Manifest> manifest = read(decisions);
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().code, ErrorCode::InvalidPackage);
    EXPECT_EQ(manifest.error().message,
              "kernels[0].variants[0].decisions" + message);
  };
  expectError("3", ": expected an object, got 3");
  expectError(R"({"rings": 3})", ".rings: expected a list, got 3");
  expectError(R"({"rings": [3]})", ".rings[0]: expected an object, got 3");
  expectError(R"({"rings": [{"memrefs": [7]}]})",
              ".rings[0].memrefs[0]: expected a string, got 7");
  expectError(R"({"notes": [{"key": 7}]})",
              ".notes[0].key: expected a string, got 7");
}

} // namespace
