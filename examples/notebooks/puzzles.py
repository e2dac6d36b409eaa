# %% [markdown]
# # Find the missing fence: five puzzles
#
# Each puzzle is a kernel that doubles 1024 numbers, with one fault. On a GPU it would hang, or give wrong numbers now and then.
# Here the simulated machine runs it in 35 orders and reports what it finds. Read the kernel, guess, then look at the finding.
# Change the text of a kernel and run its cell again until it is right. No GPU is needed.
#
# All five have the same frame: 128 threads, two slots of shared memory, and for each slot two mbarriers. The bytes of a load
# complete `full`. All threads arrive at `empty` when they are done with the slot.

# %%
import array

import carousel

FRAME = """
#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<1024xf32, #gl>
!slots = memref<2x128xf32, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>
gpu.module @puzzle {
  gpu.func @double(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                   %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !slots, %full: !barriers, %empty: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
START
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %filled = arith.index_cast %round : index to i1
      %emptied = arith.xori %filled, %true : i1
      %i = arith.muli %k, %c128 : index
LOOP
    }
    scf.if %is_first {
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }
}
"""

START = """
    scf.if %is_first {
      scf.for %s = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 128 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier
"""


POLICIES = ("random", "late-landing", "early-landing", "eager-reuse", "starved-warp", "reverse-ctas", "one-cta")


def put_together(loop, start=START):
    return FRAME.replace("START", start.strip("\n")).replace("LOOP", loop.strip("\n"))


def play(loop, start=START):
    """Runs a kernel in 35 orders: five of each policy."""
    x, y = array.array("f", range(1024)), array.array("f", [0] * 1024)
    simulation = carousel.simulate(put_together(loop, start), {"x": x, "y": y}, name="puzzle.mlir", schedules=5,
                                   policies=POLICIES)
    for finding in simulation.findings[:1]:
        print(finding)
    if simulation.is_clean:
        assert list(y) == [2 * value for value in range(1024)]
        print("Right: no finding, and all numbers are doubled.")
    return {finding.kind for finding in simulation.findings}


# %% [markdown]
# ## 1. The old numbers
#
# Threads write the doubled numbers to the tile, and the engine stores the tile. On a GPU, `y` gets some numbers that aren't
# doubled.

# %%
OLD_NUMBERS = """
      scf.if %is_first {
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 512 : !barriers
        carousel.bulk.load %x[%i] to %tile[%slot, %c0], 512 signals %full[%slot] : !vector, !slots, !barriers
      }
      carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
      %v = memref.load %tile[%slot, %thread] : !slots
      %w = arith.addf %v, %v : f32
      memref.store %w, %tile[%slot, %thread] : !slots
      gpu.barrier
      scf.if %is_first {
        carousel.bulk.store %tile[%slot, %c0] to %y[%i], 512 : !slots, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group read 0
      }
      carousel.mbarrier.arrive %empty[%slot] : !barriers
"""
assert play(OLD_NUMBERS) == {"missing-proxy-fence"}

# %% [markdown]
# The engine reads through another *proxy* than threads write. Each thread makes its own writes visible to it, before the
# barrier:

# %%
RIGHT = OLD_NUMBERS.replace("      gpu.barrier\n", "      carousel.fence.proxy async_shared_cta\n      gpu.barrier\n")
assert not play(RIGHT)

# %% [markdown]
# ## 2. The first load
#
# It has the fence, and its loop is right. The fault is in what comes before the loop. On a GPU, the first load may complete a
# barrier that the engine sees as garbage.

# %%
FIRST_LOAD = """
    scf.if %is_first {
      scf.for %s = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 128 : !barriers
      }
    }
    gpu.barrier
"""
assert play(RIGHT, start=FIRST_LOAD) == {"init-not-visible"}

# %% [markdown]
# `gpu.barrier` shows the initialisation to threads. The engine needs `carousel.fence.mbarrier_init` after it, as `START` has:

# %%
assert not play(RIGHT, start=START)

# %% [markdown]
# ## 3. Too many bytes
#
# A tile has 128 numbers of four bytes.

# %%
MANY_BYTES = """
      scf.if %is_first {
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 128 : !barriers
        carousel.bulk.load %x[%i] to %tile[%slot, %c0], 512 signals %full[%slot] : !vector, !slots, !barriers
      }
      carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
      %v = memref.load %tile[%slot, %thread] : !slots
      %w = arith.addf %v, %v : f32
      memref.store %w, %tile[%slot, %thread] : !slots
      carousel.fence.proxy async_shared_cta
      gpu.barrier
      scf.if %is_first {
        carousel.bulk.store %tile[%slot, %c0] to %y[%i], 512 : !slots, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group read 0
      }
      carousel.mbarrier.arrive %empty[%slot] : !barriers
"""
assert "excess-bytes" in play(MANY_BYTES)

# %% [markdown]
# The mbarrier counts bytes, and must expect those that land:

# %%
assert not play(MANY_BYTES.replace("%full[%slot], 128", "%full[%slot], 512"))

# %% [markdown]
# ## 4. Overtaken
#
# Each slot is loaded again two iterations later. On a GPU this one nearly always works.

# %%
OVERTAKEN = """
      scf.if %is_first {
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 512 : !barriers
        carousel.bulk.load %x[%i] to %tile[%slot, %c0], 512 signals %full[%slot] : !vector, !slots, !barriers
      }
      carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
      %v = memref.load %tile[%slot, %thread] : !slots
      %w = arith.addf %v, %v : f32
      memref.store %w, %tile[%slot, %thread] : !slots
      carousel.fence.proxy async_shared_cta
      gpu.barrier
      scf.if %is_first {
        carousel.bulk.store %tile[%slot, %c0] to %y[%i], 512 : !slots, !vector
        carousel.bulk.commit_group
      }
      carousel.mbarrier.arrive %empty[%slot] : !barriers
"""
assert play(OVERTAKEN) == {"engine-race"}

# %% [markdown]
# The store may still read the slot when the next load writes it. The thread that issued the store must wait until it has read
# its source, before it arrives:

# %%
assert not play(OVERTAKEN.replace("commit_group\n", "commit_group\n        carousel.bulk.wait_group read 0\n"))

# %% [markdown]
# ## 5. The wrong side
#
# A wait by parity says which phase must have ended. Everything else is in its place.

# %%
WRONG_SIDE = """
      scf.if %is_first {
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 512 : !barriers
        carousel.bulk.load %x[%i] to %tile[%slot, %c0], 512 signals %full[%slot] : !vector, !slots, !barriers
      }
      carousel.mbarrier.wait %full[%slot] parity %emptied : !barriers
      %v = memref.load %tile[%slot, %thread] : !slots
      %w = arith.addf %v, %v : f32
      memref.store %w, %tile[%slot, %thread] : !slots
      carousel.fence.proxy async_shared_cta
      gpu.barrier
      scf.if %is_first {
        carousel.bulk.store %tile[%slot, %c0] to %y[%i], 512 : !slots, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group read 0
      }
      carousel.mbarrier.arrive %empty[%slot] : !barriers
"""
assert "engine-race" in play(WRONG_SIDE)

# %% [markdown]
# A new mbarrier is in its first phase, of parity false. A wait for the other parity returns at once: that is right for
# `empty`, whose slots are free at first, and wrong for `full`:

# %%
assert not play(WRONG_SIDE.replace("wait %full[%slot] parity %emptied", "wait %full[%slot] parity %filled"))

# %% [markdown]
# This is the right kernel over time, with its loads in the two slots:

# %%
x, y = array.array("f", range(1024)), array.array("f", [0] * 1024)
carousel.simulate(put_together(RIGHT), {"x": x, "y": y}, trace=True).timeline(cta=0)

# %% [markdown]
# [Findings](../../docs/Findings.md) has all kinds of findings, and
# [Faults of other projects](../../docs/ForeignFaults.md) has such faults that compilers and libraries had.
