# ===- ptx_sync_test.py - tests of scripts/modules/ptx_sync.py ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Two instructions under conditions: which pairs follow one another on paths that threads can take. And calls, which one
compiler inlines and the other one keeps."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts/modules"))
from ptx_sync import Automaton, TakenPaths, entries, find_excess, find_missing_pair  # noqa: E402

# A commit under one condition, a fence behind it under another one.
BODY = """
  mov.u32 %r1, %tid.x;
  {first}
  @%p1 bra $A;
  cp.async.bulk.commit_group;
$A:
  {second}
  @%p2 bra $B;
  cp.async.bulk.wait_group.read 0;
$B:
  fence.proxy.async.global;
  ret;
"""
# What a thread does that commits waits, too.
WAITS = """
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra $A;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
$A:
  fence.proxy.async.global;
  ret;
"""
PAIR = ("cp.async.bulk.commit_group", "fence.proxy.async.global")


class TakenPathsTest(unittest.TestCase):
    def missing(self, first, second, paths=TakenPaths):
        return find_missing_pair(paths(BODY.format(first=first, second=second)), Automaton(WAITS))

    def test_same_condition(self):
        for second in ("setp.ne.s32 %p2, %r1, 0;",
                       "setp.eq.s32 %p3, %r1, 0; not.pred %p2, %p3;",
                       "setp.eq.s32 %p3, %r1, 0; setp.eq.s32 %p4, %r1, 0; and.pred %p5, %p3, %p4; not.pred %p2, %p5;",
                       "mov.pred %p2, %p1;"):
            self.assertIsNone(self.missing("setp.ne.s32 %p1, %r1, 0;", second), second)
            self.assertEqual(self.missing("setp.ne.s32 %p1, %r1, 0;", second, Automaton), PAIR, second)

    def test_other_conditions(self):
        for second in ("setp.ne.s32 %p2, %r1, 1;",
                       "setp.ne.s32 %p3, %r1, 1; or.pred %p2, %p1, %p3;",
                       "setp.eq.s32 %p2, %r1, 0;",
                       "add.s32 %r1, %r1, 1; setp.ne.s32 %p2, %r1, 0;"):
            self.assertEqual(self.missing("setp.ne.s32 %p1, %r1, 0;", second), PAIR, second)

    def test_loops_test_again(self):
        # Each turn has a number of its own, so the condition may change.
        body = """
          mov.b32 %r2, 0;
        $L:
          ld.shared.b32 %r3, [%r9];
          setp.ne.s32 %p1, %r3, 0;
          @%p1 bra $A;
          cp.async.bulk.commit_group;
        $A:
          bar.sync 0;
          add.s32 %r2, %r2, 1;
          setp.lt.s32 %p2, %r2, 9;
          @%p2 bra $L;
          ret;
        """
        self.assertIsNone(find_missing_pair(Automaton(body), TakenPaths(body)))


# A kernel that calls a function under a condition, twice, and one that has it in place of the calls.
CALLS = """
.func record(.param .b64 record_param_0);
.visible .entry kernel(.param .u64 kernel_param_0)
{{
  bar.sync 0;
  @%p1 bra $A;
  {{ // callseq 1, 0
  call.uni record, (param0);
  }} // callseq 1
$A:
  bar.sync 1;
  call.uni (retval0), record, (param0);
  ret;
}}
.visible .func (.param .b32 func_retval0) record(.param .b64 record_param_0)
{{
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra $L__BB1_1;
  {fence}
$L__BB1_1:
  ret;
}}
"""
INLINED = """
.visible .entry kernel(.param .u64 kernel_param_0)
{
  bar.sync 0;
  @%p1 bra $A;
  @%p2 bra $A;
  fence.release.sys;
$A:
  bar.sync 1;
  @%p2 bra $B;
  fence.release.sys;
$B:
  ret;
}
"""
RECURSIVE = """
.entry kernel()
{
  call.uni record, (param0);
  ret;
}
.func record()
{
  bar.sync 0;
  call.uni record, (param0);
  call.uni _Z5otherv, ();
  ret;
}
"""


class CallsTest(unittest.TestCase):
    def compare(self, fence):
        kernel = entries(CALLS.format(fence=fence))["kernel"]
        inlined = Automaton(entries(INLINED)["kernel"])
        return (find_excess(Automaton(kernel), inlined), find_excess(inlined, Automaton(kernel)),
                find_missing_pair(TakenPaths(kernel), inlined))

    def test_function_in_place_of_its_calls(self):
        self.assertEqual(self.compare("fence.release.sys;"), (None, None, None))

    def test_another_function(self):
        excess, missing, _ = self.compare("fence.release.gpu;")
        self.assertEqual(excess, (("bar.sync 0",), "fence.release.gpu"))
        self.assertEqual(missing, (("bar.sync 0",), "fence.release.sys"))

    def test_calls_that_stay(self):
        kernel = Automaton(entries(RECURSIVE)["kernel"])
        letters = {symbol for edges in kernel.edges.values() for symbol, _ in edges if symbol}
        self.assertEqual(letters, {"bar.sync 0", "call record", "call _Z5otherv"})


if __name__ == "__main__":
    unittest.main()
