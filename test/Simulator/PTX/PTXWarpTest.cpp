//===- PTXWarpTest.cpp - threads of PTX together --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, barriers, shared memory, atomics, clusters and fragments.
//
//===----------------------------------------------------------------------===//

#include "PTXTesting.h"

using namespace carousel::sim;

namespace {

using Words = std::vector<uint32_t>;

/// Each thread leaves %r1 in its place.
std::string each(llvm::StringRef instructions) {
  return (instructions + R"(
    mad.wide.u32 %rd9, %r0, 4, %rd0; st.global.u32 [%rd9], %r1;)")
      .str();
}

class PTXWarpTest : public PTXTest {
protected:
  Words warp(llvm::StringRef instructions, uint32_t threads = 32,
             llvm::StringRef before = "") {
    PTXLaunch launch;
    launch.threads = threads;
    return get(each(instructions), threads, launch, before);
  }
};

TEST_F(PTXWarpTest, Shuffles) {
  Words out = warp("shfl.sync.bfly.b32 %r1, %r0, 5, 31, -1;");
  EXPECT_EQ(out[3], 6u);
  out = warp(
      "shfl.sync.down.b32 %r1|%p1, %r0, 4, 31, -1; @!%p1 mov.b32 %r1, 99;");
  EXPECT_EQ(out[27], 31u);
  EXPECT_EQ(out[28], 99u);
  out = warp("shfl.sync.up.b32 %r1|%p1, %r0, 4, 0, -1; @!%p1 mov.b32 %r1, 99;");
  EXPECT_EQ(out[3], 99u);
  EXPECT_EQ(out[4], 0u);
  // Segments of 8 lanes.
  out = warp("shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;");
  EXPECT_EQ(out[2], 3u);
  EXPECT_EQ(out[21], 19u);
}

TEST_F(PTXWarpTest, LanesMayBeApart) {
  // Both sides of a branch come together at one rendezvous.
  Words out = warp(R"(
    setp.lt.u32 %p1, %r0, 7; @%p1 bra low;
    shfl.sync.idx.b32 %r1, %r0, 31, 31, -1; bra end;
  low: shfl.sync.idx.b32 %r1, %r0, 30, 31, -1;
  end: bar.warp.sync -1;)");
  EXPECT_EQ(out[0], 30u);
  EXPECT_EQ(out[7], 31u);
  // Two halves that do different things at the same time.
  out = warp(R"(
    setp.lt.u32 %p1, %r0, 16; @%p1 bra low;
    vote.sync.ballot.b32 %r1, 1, 0xffff0000; bra end;
  low: redux.sync.add.s32 %r1, %r0, 0xffff;
  end: bar.warp.sync -1;)");
  EXPECT_EQ(out[15], 120u);
  EXPECT_EQ(out[16], 0xffff0000u);
}

TEST_F(PTXWarpTest, VotesAndMatches) {
  EXPECT_EQ(
      warp("setp.gt.u32 %p1, %r0, 29; vote.sync.ballot.b32 %r1, %p1, -1;")[4],
      0xc0000000u);
  EXPECT_EQ(warp("and.b32 %r2, %r0, 1; match.any.sync.b32 %r1, %r2, -1;")[3],
            0xaaaaaaaau);
  EXPECT_EQ(
      warp("match.all.sync.b32 %r1|%p1, 7, -1; selp.b32 %r1, 5, 6, %p1;")[9],
      5u);
  EXPECT_EQ(warp("redux.sync.max.s32 %r1, %r0, -1;")[9], 31u);
  // A warp of 8 lanes.
  EXPECT_EQ(
      warp("setp.ge.u32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, %p1, -1;", 8)[4],
      0xffu);
  Words out = warp("elect.sync %r2|%p1, -1; selp.b32 %r1, 100, %r2, %p1;");
  EXPECT_EQ(llvm::count(out, 100u), 1);
}

TEST_F(PTXWarpTest, ChecksMasks) {
  Words out(32);
  PTXLaunch launch;
  launch.threads = 32;
  RunResult result =
      run(each("shfl.sync.idx.b32 %r1, %r0, 3, 31, 0xfffffffe;"), out, launch);
  EXPECT_GE(count(result, FindingKind::BarrierDivergence), 1u)
      << describe(result);
}

TEST_F(PTXWarpTest, SharesMemory) {
  const char *shared = ".shared .align 4 .b32 tile[64];\n"
                       ".extern .shared .align 16 .b8 more[];";
  const char *body = R"(
    mov.u64 %rd1, tile; mad.wide.u32 %rd2, %r0, 4, %rd1;
    st.shared.u32 [%rd2], %r0; SYNC
    xor.b32 %r2, %r0, 63; mad.wide.u32 %rd2, %r2, 4, %rd1;
    ld.shared.u32 %r1, [%rd2];)";
  auto with = [&](const char *sync) {
    std::string text = body;
    return text.replace(text.find("SYNC"), 4, sync);
  };
  EXPECT_EQ(warp(with("bar.sync 0;"), 64, shared)[1], 62u);
  Words out(64);
  PTXLaunch launch;
  launch.threads = 64;
  RunResult result = run(each(with("")), out, launch, shared);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
  // Past the end of the variable.
  result = run("st.shared.u32 [tile+256], 1;", out, {}, shared);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 1u) << describe(result);
  // Dynamic memory, by a generic address.
  launch.dynamicSharedBytes = 256;
  EXPECT_EQ(get(each(R"(
    mov.u64 %rd1, more; cvta.shared.u64 %rd1, %rd1;
    mad.wide.u32 %rd2, %r0, 4, %rd1; st.u32 [%rd2], %r0;
    cvta.to.shared.u64 %rd3, %rd2; cvt.u32.u64 %r3, %rd3;
    ld.shared.u32 %r1, [%r3];)"),
                64, launch, shared)[63],
            63u);
}

TEST_F(PTXWarpTest, KnowsTheMachine) {
  PTXLaunch launch;
  launch.ctas = 5;
  launch.dynamicSharedBytes = 96;
  launch.options.multiprocessors = 3;
  EXPECT_EQ(get(R"(mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid;
    mad.wide.u32 %rd1, %r1, 4, %rd0; st.global.u32 [%rd1], %r2;
    setp.ne.u32 %p1, %r1, 4; @%p1 bra end;
    mov.u32 %r3, %nsmid; st.global.u32 [%rd0+20], %r3; mov.u64 %rd2, own;
    mov.u32 %r3, %total_smem_size; st.global.u32 [%rd0+24], %r3; end:)",
                7, launch, ".shared .b32 own[8];"),
            Words({0, 1, 2, 0, 1, 3, 128}));
}

TEST_F(PTXWarpTest, LanesStoreTheSame) {
  // Compilers let all lanes store what one of them has to.
  const char *shared = ".shared .b32 word;";
  EXPECT_EQ(warp("st.shared.u32 [word], 7; bar.warp.sync -1; "
                 "ld.shared.u32 %r1, [word];",
                 32, shared)[9],
            7u);
  auto races = [&](llvm::StringRef body, uint32_t threads) {
    Words out(threads);
    PTXLaunch launch;
    launch.threads = threads;
    RunResult result = run(body, out, launch, shared);
    return count(result, FindingKind::DataRace);
  };
  // Another value, another instruction, another warp.
  EXPECT_GE(races("st.shared.u32 [word], %r0;", 32), 1u);
  EXPECT_GE(races(R"(and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [word], 7; @!%p1 st.shared.u32 [word], 7;)",
                  32),
            1u);
  EXPECT_GE(races("st.shared.u32 [word], 7;", 64), 1u);
}

TEST_F(PTXWarpTest, LanesRaceWithOthers) {
  // Lanes 0 and 1 store the same. Between the two, an access by thread 32
  // follows that of lane 0, and nothing orders it before that of lane 1.
  auto races = [&](llvm::StringRef between) {
    Words out(4);
    PTXLaunch launch;
    launch.threads = 33;
    RunResult result = run((R"(
      setp.eq.u32 %p2, %r0, 32; @%p2 bra other;
      setp.gt.u32 %p1, %r0, 1; @%p1 bra end;
      setp.eq.u32 %p3, %r0, 0; @%p3 bra store;
      wait: ld.relaxed.gpu.global.u32 %r2, [%rd0+12];
      setp.eq.u32 %p4, %r2, 0; @%p4 bra wait;
      store: st.global.v2.u32 [%rd0], {5, 5};
      @%p3 st.release.gpu.global.u32 [%rd0+8], 1;
      bra end;
      other: ld.acquire.gpu.global.u32 %r2, [%rd0+8];
      setp.eq.u32 %p4, %r2, 0; @%p4 bra other;
      )" + between + R"(
      st.relaxed.gpu.global.u32 [%rd0+12], 1; end:)")
                               .str(),
                           out, launch);
    EXPECT_TRUE(result.error.empty()) << result.error;
    return count(result, FindingKind::DataRace);
  };
  EXPECT_EQ(races(""), 0u);
  EXPECT_GE(races("st.global.u32 [%rd0+4], 5;"), 1u);
  EXPECT_GE(races("ld.global.u32 %r3, [%rd0+4];"), 1u);
}

TEST_F(PTXWarpTest, CountsAtBarriers) {
  EXPECT_EQ(warp(R"(setp.lt.u32 %p1, %r0, 20;
    barrier.red.popc.aligned.u32 %r1, 0, %p1;
    barrier.red.and.aligned.pred %p2, 0, %p1; @%p2 mov.b32 %r1, 0;
    barrier.red.or.aligned.pred %p2, 0, %p1; @!%p2 mov.b32 %r1, 0;)",
                 64)[50],
            20u);
}

TEST_F(PTXWarpTest, Atomics) {
  PTXLaunch launch;
  launch.threads = 64;
  EXPECT_EQ(
      get("red.global.add.u32 [%rd0], %r0; atom.global.max.s32 %r1, [%rd0+4], "
          "%r0; red.global.or.b32 [%rd0+8], 3;",
          3, launch),
      Words({0xdead + 2016, 0xdead, 0xdead | 3}));
  // Sums of f32 flush subnormals in global memory, and not in shared memory.
  EXPECT_EQ(get(R"(.shared .b32 sum; st.shared.u32 [sum], 0x123;
    red.shared.add.f32 [sum], 0f00000001; ld.shared.u32 %r1, [sum];
    st.global.u32 [%rd0], 0x123; red.global.add.f32 [%rd0], 0f00000001;
    st.global.u32 [%rd0+4], %r1;)",
                2),
            Words({0, 0x124}));
  // A lock: what it protects is ordered.
  const char *lock = R"(
  again: atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.u32 %p1, %r1, 0; @%p1 bra again;
    ld.global.u32 %r2, [%rd0+4]; add.s32 %r2, %r2, 1; st.global.u32 [%rd0+4], %r2;
    st.RELEASE.gpu.global.u32 [%rd0], 0;)";
  auto with = [&](const char *release) {
    std::string text = lock;
    return text.replace(text.find("RELEASE"), 7, release);
  };
  Words out = {0, 0};
  RunResult result = run(with("release"), out, launch);
  EXPECT_TRUE(result.isClean()) << result.error << describe(result);
  EXPECT_EQ(out[1], 64u);
  out = {0, 0};
  result = run(with("relaxed"), out, launch);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
}

TEST_F(PTXWarpTest, GuessesOfExchanges) {
  // A maximum that a loop computes, as compilers expand atomics.
  const char *body = R"(
    ld.global.u32 %r1, [%rd0];
  again: max.u32 %r2, %r1, %r0; atom.global.cas.b32 %r3, [%rd0], GUESS, %r2;
    setp.ne.u32 %p1, %r3, %r1; mov.u32 %r1, %r3; @%p1 bra again;)";
  auto with = [&](const char *guess) {
    std::string text = body;
    return text.replace(text.find("GUESS"), 5, guess);
  };
  PTXLaunch launch;
  launch.threads = 64;
  Words out = {7};
  RunResult result = run(with("%r1"), out, launch);
  EXPECT_TRUE(result.isClean()) << result.error << describe(result);
  EXPECT_EQ(out[0], 63u);
  // Another register: the load is one of its own.
  result = run(with("%r4"), out, launch);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
}

TEST_F(PTXWarpTest, WordsAtTheEnd) {
  // A sum of 16 bits in the last two bytes of a buffer of six.
  std::string text = R"(.version 9.0
.target sm_90a
.address_size 64
.entry k(.param .u64 out) {
  .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out]; ld.global.u32 %r1, [%rd0+4];
again: add.u32 %r2, %r1, 1; atom.global.cas.b32 %r3, [%rd0+4], %r1, %r2;
  setp.ne.u32 %p1, %r3, %r1; mov.u32 %r1, %r3; @%p1 bra again;
  ret; })";
  auto kernel = compilePTX(text, "%out: memref<3xi16>");
  ASSERT_TRUE(kernel) << messages;
  std::vector<uint16_t> out = {1, 2, 3};
  RunOptions options;
  options.grid = {1, 1, 1};
  options.block = {64, 1, 1};
  RunResult result = kernel->run(makeMemRef(out), options);
  EXPECT_TRUE(result.isClean()) << result.error << describe(result);
  EXPECT_EQ(out, std::vector<uint16_t>({1, 2, 67}));
}

TEST_F(PTXWarpTest, ScopesMatter) {
  // One CTA tells another one.
  const char *body = R"(
    mov.u32 %r5, %ctaid.x; setp.ne.u32 %p1, %r5, 0; @%p1 bra reader;
    st.global.u32 [%rd0+4], 7; st.release.SCOPE.global.u32 [%rd0], 1; ret;
  reader: ld.acquire.SCOPE.global.u32 %r1, [%rd0];
    setp.eq.u32 %p1, %r1, 0; @%p1 bra reader;
    ld.global.u32 %r2, [%rd0+4]; st.global.u32 [%rd0+8], %r2;)";
  auto with = [&](const char *scope) {
    std::string text = body;
    for (size_t at; (at = text.find("SCOPE")) != std::string::npos;)
      text.replace(at, 5, scope);
    return text;
  };
  PTXLaunch launch;
  launch.ctas = 2;
  Words out = {0, 0, 0};
  RunResult result = run(with("gpu"), out, launch);
  EXPECT_TRUE(result.isClean()) << result.error << describe(result);
  EXPECT_EQ(out[2], 7u);
  out = {0, 0, 0};
  result = run(with("cta"), out, launch);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
}

TEST_F(PTXWarpTest, Clusters) {
  PTXLaunch launch;
  launch.ctas = launch.cluster = 4;
  EXPECT_EQ(get(R"(.shared .b32 own;
    mov.u32 %r5, %cluster_ctarank; add.s32 %r6, %r5, 1; and.b32 %r6, %r6, 3;
    mov.u32 %r7, own; mapa.shared::cluster.u32 %r8, %r7, %r6;
    st.shared::cluster.u32 [%r8], %r5;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    ld.shared.u32 %r1, [own]; getctarank.shared::cluster.u32 %r9, %r8;
    shl.b32 %r9, %r9, 8; or.b32 %r1, %r1, %r9;
    mad.wide.u32 %rd9, %r5, 4, %rd0; st.global.u32 [%rd9], %r1;)",
                4, launch),
            Words({0x103, 0x200, 0x301, 0x002}));
}

TEST_F(PTXWarpTest, LoadsAndMovesMatrices) {
  // Element (i, j) is 8 i + j.
  const char *fill = R"(.shared .align 16 .b8 tile[128];
    mov.u32 %r2, tile; mad.lo.u32 %r3, %r0, 4, %r2; shl.b32 %r4, %r0, 1;
    add.s32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;
    st.shared.u32 [%r3], %r4; bar.sync 0;
    and.b32 %r6, %r0, 7; mad.lo.u32 %r6, %r6, 16, %r2;)";
  Words out = warp(
      (fill +
       std::string("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];"))
          .c_str());
  EXPECT_EQ(out[6], 0x000d000cu);
  out =
      warp((fill +
            std::string(
                "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%r6];"))
               .c_str());
  EXPECT_EQ(out[6], 0x00290021u);
  Words moved =
      warp((fill +
            std::string("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];"
                        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;"))
               .c_str());
  EXPECT_EQ(moved, out);
}

TEST_F(PTXWarpTest, MultipliesMatrices) {
  // A is one in column 0 of k, B is the column's number in row 0.
  Words out = warp(R"(and.b32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 0;
    selp.b32 %r3, 0x3c00, 0, %p1; shr.u32 %r4, %r0, 2; cvt.rn.f16.u32 %rs1, %r4;
    cvt.u32.u16 %r4, %rs1; selp.b32 %r4, %r4, 0, %p1;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
      {%f1, %f2, %f3, %f4}, {%r3, %r3}, {%r4}, {0f3f800000, 0f3f800000, 0f3f800000, 0f3f800000};
    cvt.rzi.u32.f32 %r5, %f1; cvt.rzi.u32.f32 %r6, %f4;
    shl.b32 %r6, %r6, 8; or.b32 %r1, %r5, %r6;)");
  EXPECT_EQ(out[0], 0x201u);
  EXPECT_EQ(out[3], 0x807u);
}

} // namespace
