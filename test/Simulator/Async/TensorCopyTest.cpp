//===- TensorCopyTest.cpp - tensor copies and their descriptors -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that loads, stores and reductions of tensors move under every
// policy and swizzle, and descriptors that the device changes with and without
// their fences.
//
//===----------------------------------------------------------------------===//

#include "AsyncFixture.h"

using namespace carousel::sim;

namespace {

constexpr uint64_t kFull = 0, kData = 2048;
// A tensor of 20 x 44 elements of 16 bits, 96 bytes apart, and a box of 16
// x 32.
constexpr uint64_t kRows = 20, kColumns = 44, kPitch = 96, kBoxRows = 16,
                   kBoxColumns = 32;
constexpr uint64_t kBoxBytes = kBoxRows * kBoxColumns * 2;

TensorMap makeMap(char *base, Swizzle swizzle) {
  TensorMap map;
  map.globalAddress = reinterpret_cast<uint64_t>(base);
  map.rank = 2;
  map.element = TensorElement::F16;
  map.globalExtents[0] = kColumns;
  map.globalExtents[1] = kRows;
  map.globalStrides[0] = kPitch;
  map.box[0] = kBoxColumns;
  map.box[1] = kBoxRows;
  map.swizzle = swizzle;
  map.fill = OutOfBoundsFill::NaN;
  return map;
}

uint16_t elementAt(const char *bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, 2);
  return value;
}

/// Where element (row, column) of the box lies in a tile at kData.
uint64_t inTile(Swizzle swizzle, uint64_t row, uint64_t column) {
  return swizzleAddress(swizzle, kData + (row * kBoxColumns + column) * 2);
}

constexpr Swizzle kSwizzles[] = {Swizzle::None, Swizzle::B64, Swizzle::B128,
                                 Swizzle::B128Atom32Flip8};

TEST(TensorCopy, Loads) {
  for (Swizzle swizzle : kSwizzles)
    for (auto [row, column] :
         {std::pair(0, 0), std::pair(-3, 16), std::pair(10, -8)})
      expectClean(
          makeShape(1, 32), 3, [=, row = row, column = column](AsyncRun &run) {
            char *base = run.global(kRows * kPitch);
            return [=, &run, map = makeMap(base, swizzle)](Thread &thread) {
              run.initBarriers(thread, {{kFull, 1}});
              if (thread.index == 0) {
                ArriveOptions options;
                options.expectBytes = int64_t(kBoxBytes);
                run.machine.arrivals.arrive(run.shared(kFull), options);
                run.machine.tensorCopies.load(
                    &map, {row, column}, TensorLoadMode::Tile, {},
                    run.shared(kData), run.shared(kFull));
              }
              run.machine.waits.wait(run.shared(kFull),
                                     PhaseName::parity(false));
              run.load(run.shared(kData), kBoxBytes);
              if (thread.index != 0)
                return;
              for (int i = 0; i < int(kBoxRows); ++i)
                for (int j = 0; j < int(kBoxColumns); ++j) {
                  int r = row + i, c = column + j;
                  bool isInside =
                      r >= 0 && r < int(kRows) && c >= 0 && c < int(kColumns);
                  ASSERT_EQ(elementAt(run.shared(inTile(swizzle, i, j))),
                            isInside ? elementAt(base + r * int(kPitch) + c * 2)
                                     : 0x7ff7)
                      << "swizzle " << int(swizzle) << " at " << i << ", " << j;
                }
            };
          });
}

TEST(TensorCopy, GatherAndScatter) {
  expectClean(makeShape(1, 32), 3, [](AsyncRun &run) {
    char *base = run.global(kRows * kPitch),
         *target = run.global(kRows * kPitch, false, "%y");
    TensorMap from = makeMap(base, Swizzle::None),
              to = makeMap(target, Swizzle::None);
    from.box[1] = to.box[1] = 1;
    return [=, &run](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}});
      if (thread.index != 0)
        return;
      ArriveOptions options;
      options.expectBytes = 4 * kBoxColumns * 2;
      run.machine.arrivals.arrive(run.shared(kFull), options);
      run.machine.tensorCopies.load(&from, {3, 19, 0, 7, 0},
                                    TensorLoadMode::Gather4, {},
                                    run.shared(kData), run.shared(kFull));
      run.machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
      run.machine.tensorCopies.store(
          &to, {1, 2, 3, 4, 8}, TensorStoreMode::Scatter4, run.shared(kData));
      run.machine.bulkGroups.commit();
      run.machine.bulkGroups.wait(false, 0);
      unsigned rows[] = {3, 19, 0, 7};
      for (unsigned row = 0; row < 4; ++row)
        EXPECT_EQ(std::memcmp(target + (row + 1) * kPitch + 16,
                              base + rows[row] * kPitch, 64),
                  0);
    };
  });
}

/// Stores a tile of known elements, or adds it, at (12, 16): the box sticks out
/// on both sides.
auto storeTile(Swizzle swizzle, bool adds, bool fences) {
  return [=](AsyncRun &run) {
    char *target = run.global(kRows * kPitch, true, "%y");
    std::memset(target, 0, kRows * kPitch);
    return [=, &run, map = makeMap(target, swizzle)](Thread &thread) {
      for (uint64_t i = thread.index; i < kBoxRows * kBoxColumns; i += 32) {
        uint16_t value = 0x3c00 + uint16_t(i); // 1 and on
        uint64_t at = inTile(swizzle, i / kBoxColumns, i % kBoxColumns);
        run.store(run.shared(at), &value, 2);
      }
      if (fences)
        run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
      run.barrier();
      if (thread.index != 0)
        return;
      for (unsigned round = 0; round < 1 + unsigned(adds); ++round) {
        if (adds)
          run.machine.tensorCopies.reduce(ReduceKind::Add, &map, {12, 16},
                                          TensorStoreMode::Tile,
                                          run.shared(kData));
        else
          run.machine.tensorCopies.store(&map, {12, 16}, TensorStoreMode::Tile,
                                         run.shared(kData));
      }
      run.machine.bulkGroups.commit();
      run.machine.bulkGroups.wait(false, 0);
    };
  };
}

TEST(TensorCopy, StoresAndReductions) {
  for (Swizzle swizzle : kSwizzles)
    for (bool adds : {false, true})
      underSchedules(
          makeShape(1, 32), 3, storeTile(swizzle, adds, true),
          [=](AsyncRun &run, RunEnd) {
            EXPECT_TRUE(run.log.empty());
            const char *target = run.buffers[0].get();
            for (uint64_t row = 0; row < kRows; ++row)
              for (uint64_t column = 0; column < kPitch / 2; ++column) {
                uint16_t value = 0;
                // Whole pieces of 16 bytes: columns 44 to 47 are padding that
                // is overwritten.
                if (row >= 12 && column >= 16 && column < 48)
                  value =
                      uint16_t(0x3c00 + (row - 12) * kBoxColumns + column - 16);
                // Twice a half is one exponent more.
                if (adds && value != 0)
                  value += 0x400;
                ASSERT_EQ(elementAt(target + row * kPitch + column * 2), value)
                    << row << ", " << column;
              }
          });
  expectFinding(makeShape(1, 32), 2, FindingKind::MissingProxyFence,
                storeTile(Swizzle::B128, false, false));
}

TEST(TensorCopy, FlushesWhereTheFormatSays) {
  AsyncRun run(makeShape(1, 32));
  char *base = run.global(64);
  uint32_t values[] = {0x00000001, 0x80000001, 0x00800000, 0x3f800001};
  std::memcpy(base, values, 16);
  TensorMap map = makeMap(base, Swizzle::None);
  map.element = TensorElement::F32FTZ;
  map.rank = 1;
  map.globalExtents[0] = map.box[0] = 4;
  run.run([&](Thread &thread) {
    run.initBarriers(thread, {{kFull, 1}});
    if (thread.index != 0)
      return;
    ArriveOptions options;
    options.expectBytes = 16;
    run.machine.arrivals.arrive(run.shared(kFull), options);
    run.machine.tensorCopies.load(&map, {0}, TensorLoadMode::Tile, {},
                                  run.shared(kData), run.shared(kFull));
    run.machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
    std::memcpy(values, run.shared(kData), 16);
  });
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(values[1], 0x80000000u);
  EXPECT_EQ(values[2], 0x00800000u);
  EXPECT_EQ(values[3], 0x3f800001u);
}

TEST(TensorCopy, OperandsAreChecked) {
  auto trap = [](auto change, int32_t column, uint64_t tile) {
    AsyncRun run(makeShape(1, 32));
    TensorMap map = makeMap(run.global(kRows * kPitch), Swizzle::None);
    change(map);
    RunEnd end = run.run([&](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}});
      run.machine.tensorCopies.load(&map, {0, column}, TensorLoadMode::Tile, {},
                                    run.shared(tile), run.shared(kFull));
    });
    EXPECT_EQ(end, RunEnd::Aborted);
    EXPECT_TRUE(run.has(FindingKind::InvalidOperand)) << run.text();
  };
  auto keep = [](TensorMap &) {};
  trap(keep, 4, kData);
  trap(keep, 0, kData + 64);
  trap([](TensorMap &map) { map.globalStrides[0] = 100; }, 0, kData);
  trap([](TensorMap &map) { map.magic = 1; }, 0, kData);
  trap([](TensorMap &map) { map.mode = TensorMapMode::Im2Col; }, 0, kData);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

enum class Change {
  Fenced,
  NoCopyFence,
  NoAcquire,
  OtherAcquires,
  OtherTellsNobody
};

/// Warp 0 changes a descriptor in shared memory and copies it out; thread 32
/// loads with it.
auto changeMap(Change how) {
  return [=](AsyncRun &run) {
    char *base = run.global(kRows * kPitch),
         *maps = run.global(128, true, "%maps");
    TensorMap original = makeMap(base + 16, Swizzle::None);
    return [=, &run](Thread &thread) {
      AsyncMachine &machine = run.machine;
      run.initBarriers(thread, {{kFull, 1}});
      auto *local = reinterpret_cast<TensorMap *>(run.shared(512));
      auto *map = reinterpret_cast<TensorMap *>(maps);
      if (thread.warp() == 0) {
        if (thread.index == 0) {
          run.store(run.shared(512), &original, sizeof(original));
          machine.tensorMaps.replace(local, TensorMapField::GlobalAddress, 0,
                                     reinterpret_cast<uint64_t>(base));
          machine.tensorMaps.replace(local, TensorMapField::SwizzleMode, 0, 2);
        }
        if (how == Change::NoCopyFence) {
          if (thread.index == 0) {
            run.store(maps, local, sizeof(TensorMap));
            machine.tensorMaps.replace(map, TensorMapField::FillMode, 0, 1);
          }
        } else {
          machine.tensorMaps.copyFence(local, map, MemScope::GPU);
        }
      }
      run.barrier();
      bool isOther =
          how == Change::OtherAcquires || how == Change::OtherTellsNobody;
      if (thread.index == (isOther ? 40u : 32u) && how != Change::NoAcquire)
        machine.tensorMaps.fenceAcquire(map, MemScope::GPU);
      if (how == Change::OtherAcquires)
        run.barrier();
      if (thread.index == 32) {
        ArriveOptions options;
        options.expectBytes = int64_t(kBoxBytes);
        machine.arrivals.arrive(run.shared(kFull), options);
        machine.tensorCopies.load(map, {0, 0}, TensorLoadMode::Tile, {},
                                  run.shared(kData), run.shared(kFull));
      }
      machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
      if (how == Change::Fenced) {
        EXPECT_EQ(elementAt(run.shared(inTile(Swizzle::B64, 5, 9))),
                  elementAt(base + 5 * kPitch + 9 * 2));
      }
    };
  };
}

TEST(TensorCopy, ChangedDescriptors) {
  GridShape shape = makeShape(1, 64);
  expectClean(shape, 3, changeMap(Change::Fenced));
  expectClean(shape, 3, changeMap(Change::OtherAcquires));
  expectFinding(shape, 3, FindingKind::StaleTensorMap,
                changeMap(Change::NoCopyFence));
  expectFinding(shape, 3, FindingKind::StaleTensorMap,
                changeMap(Change::NoAcquire));
  expectFinding(shape, 3, FindingKind::StaleTensorMap,
                changeMap(Change::OtherTellsNobody));
}

TEST(TensorCopy, EveryFieldIsReplaced) {
  AsyncRun run(makeShape(1, 1));
  auto *map = reinterpret_cast<TensorMap *>(run.global(128));
  new (map) TensorMap(makeMap(nullptr, Swizzle::None));
  run.run([&](Thread &) {
    auto replace = [&](TensorMapField field, uint32_t dim, uint64_t value) {
      run.machine.tensorMaps.replace(map, field, dim, value);
    };
    replace(TensorMapField::GlobalAddress, 0, 4096);
    replace(TensorMapField::Rank, 0, 2);
    replace(TensorMapField::BoxDim, 2, 5);
    replace(TensorMapField::GlobalDim, 2, 77);
    replace(TensorMapField::GlobalStride, 1, 1 << 20);
    replace(TensorMapField::ElementStride, 2, 2);
    replace(TensorMapField::ElementType, 0, 10);
    replace(TensorMapField::SwizzleMode, 0, 3);
    replace(TensorMapField::SwizzleAtomicity, 0, 3);
    replace(TensorMapField::FillMode, 0, 0);
    replace(TensorMapField::InterleaveLayout, 0, 0);
  });
  EXPECT_EQ(map->globalAddress, 4096u);
  EXPECT_EQ(map->rank, 3);
  EXPECT_EQ(map->box[2], 5);
  EXPECT_EQ(map->globalExtents[2], 77u);
  EXPECT_EQ(map->globalStrides[1], 1u << 20);
  EXPECT_EQ(map->elementStrides[2], 2);
  EXPECT_EQ(map->element, TensorElement::BF16);
  EXPECT_EQ(map->swizzle, Swizzle::B128Atom64);
  EXPECT_EQ(map->fill, OutOfBoundsFill::Zero);
  EXPECT_EQ(map->verify(), "");
}

} // namespace
