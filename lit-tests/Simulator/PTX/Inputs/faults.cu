// Each kernel has a fault that has been seen in a compiler or a library, if
// `wrong` says so. A comment before the line has what faults.test finds there.
#include <cstdint>

// Macros, so that a line is that of the kernel.
#define AT(p) (unsigned)__cvta_generic_to_shared(&(p))
#define INIT(b, n)                                                             \
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(AT(b)), "r"(n))
#define INIT_FENCE() asm volatile("fence.mbarrier_init.release.cluster;")
#define EXPECT(b, bytes)                                                       \
  asm volatile(                                                                \
      "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(AT(b)),        \
      "r"(bytes)                                                               \
      : "memory")
#define ARRIVE(b)                                                              \
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(AT(b)) : "memory")
#define WAIT(b, parity)                                                        \
  asm volatile("{ .reg .pred p; again:\n"                                      \
               "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"            \
               "@!p bra again; }" ::"r"(AT(b)),                                \
               "r"(parity)                                                     \
               : "memory")
#define LOAD(to, from, bytes, b)                                               \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"  \
               "bytes [%0], [%1], %2, [%3];" ::"r"(AT(to)),                    \
               "l"(from), "r"(bytes), "r"(AT(b))                               \
               : "memory")
#define STORE(to, from, bytes)                                                 \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"   \
               "cp.async.bulk.commit_group;" ::"l"(to),                        \
               "r"(AT(from)), "r"(bytes)                                       \
               : "memory")
#define ADD(to, from, bytes)                                                   \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "   \
               "[%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to),        \
               "r"(AT(from)), "r"(bytes)                                       \
               : "memory")
#define STORES_READ()                                                          \
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define STORES_DONE() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

constexpr int kTile = 128, kBytes = 512;

// A ring of two slots, which thread 0 fills; `consumers` hand a slot back.
#define RING(consumers)                                                        \
  __shared__ alignas(128) float tile[2][kTile];                                \
  __shared__ uint64_t full[2], empty[2];                                       \
  int i = threadIdx.x;                                                         \
  if (i == 0) {                                                                \
    INIT(full[0], 1);                                                          \
    INIT(full[1], 1);                                                          \
    INIT(empty[0], consumers);                                                 \
    INIT(empty[1], consumers);                                                 \
    INIT_FENCE();                                                              \
  }                                                                            \
  __syncthreads()
#define FILL(k)                                                                \
  EXPECT(full[(k) & 1], kBytes);                                               \
  LOAD(tile[(k) & 1][0], x + (k) * kTile, kBytes, full[(k) & 1])

#define KERNEL(name)                                                           \
  extern "C" __global__ void name(const float *x, float *y, int n, int wrong)

// tilelang #2566: a loop that is peeled for two steps has one.
KERNEL(lone_step) {
  RING(kTile);
  if (i == 0)
    for (int k = 0; k < min(n, 2); ++k) {
      FILL(k);
    }
  for (int k = 0; k < (wrong ? 2 : n); ++k) {
    // LONE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [deadlock]
    WAIT(full[k & 1], 0);
    y[k * kTile + i] = tile[k & 1][i];
  }
}

// tilelang #2674: the phase begins anew in each round of a persistent loop.
KERNEL(reset_phase) {
  RING(kTile);
  for (int round = 0, use = 0; round < 2; ++round)
    for (int k = 0; k < n; ++k, ++use) {
      if (i == 0) {
        if (use > 1)
          WAIT(empty[use & 1], (use / 2 - 1) & 1);
        FILL(use);
      }
      // RESET: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [missed-phase]
      WAIT(full[use & 1], (wrong ? k / 2 : use / 2) & 1);
      y[use * kTile + i] = tile[use & 1][i];
      ARRIVE(empty[use & 1]);
    }
}

// mirage #705: the last copy is shorter than the bytes that are expected.
KERNEL(clamped_box) {
  RING(kTile);
  int elements = min(n, kTile);
  if (i == 0) {
    EXPECT(full[0], wrong ? kBytes : elements * 4);
    LOAD(tile[0][0], x, elements * 4, full[0]);
  }
  // CLAMPED: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [deadlock]
  WAIT(full[0], 0);
  if (i < elements)
    y[i] = tile[0][i];
}

// cutlass #2404: fewer consumers arrive than the barrier of a slot expects.
KERNEL(arrival_count) {
  RING(wrong ? kTile : kTile / 32);
  if (i == 0)
    for (int k = 0; k < min(n, 2); ++k) {
      FILL(k);
    }
  for (int k = 0; k < n; ++k) {
    WAIT(full[k & 1], k / 2 & 1);
    y[k * kTile + i] = tile[k & 1][i];
    __syncwarp();
    if (i % 32 == 0)
      ARRIVE(empty[k & 1]);
    if (i == 0 && k + 2 < n) {
      // COUNT: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [deadlock]
      WAIT(empty[k & 1], k / 2 & 1);
      FILL(k + 2);
    }
  }
}

// vllm #26026: threads without work return early; they have started a copy and
// never wait for it.
KERNEL(early_return) {
  RING(kTile);
  if (i == 0) {
    // EARLY: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [in-flight]
    FILL(0);
  }
  if (wrong && n < 2)
    return;
  WAIT(full[0], 0);
  y[i] = tile[0][i];
}

// Fuser #4351: a load has a predicate that its wait hasn't.
KERNEL(predicated_load) {
  RING(kTile);
  for (int k = 0; k < 2; ++k) {
    if (i == 0 && k < n) {
      FILL(k);
    }
    if (k < n || wrong)
      // PREDICATE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [deadlock]
      WAIT(full[k], 0);
    if (k < n)
      y[k * kTile + i] = tile[k][i];
  }
}

// Fuser #5862: some consumers don't wait for each phase, and the producer
// doesn't wait for them.
KERNEL(skipped_phase) {
  RING(wrong ? 96 : kTile);
  for (int k = 0; k < n; ++k) {
    if (i == 0) {
      if (k > 0)
        WAIT(empty[0], (k - 1) & 1);
      EXPECT(full[0], kBytes);
      // SKIPPED: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] war
      LOAD(tile[0][0], x + k * kTile, kBytes, full[0]);
    }
    if (i < 96 || !wrong || k % 2 == 0) {
      WAIT(full[0], k & 1);
      y[k * kTile + i] = tile[0][i];
      if (i < 96 || !wrong)
        ARRIVE(empty[0]);
    }
  }
}

// Fuser #3992: warpgroups ask for more registers than the SM has.
extern "C" __global__ void __launch_bounds__(384, 1)
    register_split(const float *x, float *y, int n, int wrong) {
  if (threadIdx.x < 128)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  else if (wrong)
    // REGISTERS: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [invalid-operand]
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  if (threadIdx.x < kTile)
    y[threadIdx.x] = x[threadIdx.x];
}

// triton #7141: a CTA announces a store of which only the source has been read.
extern "C" __global__ void announced_store(float *y, float *z, int *flag,
                                           int wrong) {
  __shared__ alignas(128) float tile[kTile];
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    tile[i] = float(i);
    FENCE();
    __syncthreads();
    if (i == 0) {
      STORE(y, tile[0], kBytes);
      if (wrong)
        STORES_READ();
      else
        STORES_DONE();
      asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
      STORES_DONE();
    }
    return;
  }
  int seen = 0;
  while (seen == 0)
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(seen)
                 : "l"(flag)
                 : "memory");
  // ANNOUNCED: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] raw
  z[i] = y[i];
}

// sglang #39124: no proxy fence between the threads' stores and a bulk store.
KERNEL(missing_fence) {
  __shared__ alignas(128) float tile[kTile];
  int i = threadIdx.x;
  tile[i] = x[i];
  if (!wrong)
    FENCE();
  __syncthreads();
  if (i == 0) {
    // FENCE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [missing-proxy-fence]
    STORE(y, tile[0], kBytes);
    STORES_READ();
  }
}

// tilelang #2668: where the ring wraps, a slot is filled that is still read.
KERNEL(ring_wrap) {
  RING(kTile);
  for (int k = 0; k < n; ++k) {
    if (i == 0) {
      if (k > 1 && !wrong)
        WAIT(empty[k & 1], (k / 2 - 1) & 1);
      // WRAP: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] war
      FILL(k);
    }
    WAIT(full[k & 1], k / 2 & 1);
    y[k * kTile + i] = tile[k & 1][i];
    ARRIVE(empty[k & 1]);
  }
}

// A CTA barrier releases a tile before its store has read it.
KERNEL(late_store_wait) {
  __shared__ alignas(128) float tile[kTile];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    // LATE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] war
    tile[i] = x[k * kTile + i];
    FENCE();
    __syncthreads();
    if (i == 0) {
      STORE(y + k * kTile, tile[0], kBytes);
      if (!wrong)
        STORES_READ();
    }
    __syncthreads();
    if (i == 0)
      STORES_READ();
  }
}

// quack #63: a value is relayed to another CTA of the cluster by an arrival
// that doesn't release it.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_relay(const float *x, float *y, int n, int wrong) {
  __shared__ float inbox[kTile];
  __shared__ uint64_t arrived;
  int i = threadIdx.x;
  if (i == 0) {
    INIT(arrived, kTile);
    INIT_FENCE();
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  unsigned rank, theirs, barrier;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(theirs)
      : "r"(AT(inbox[i])), "r"(rank ^ 1));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(barrier)
      : "r"(AT(arrived)), "r"(rank ^ 1));
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(theirs),
               "f"(x[rank * kTile + i])
               : "memory");
  if (wrong)
    asm volatile(
        "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(
            barrier)
        : "memory");
  else
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
            barrier)
        : "memory");
  asm volatile("{ .reg .pred p; again:\n"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
               "[%0], 0;\n@!p bra again; }" ::"r"(AT(arrived))
               : "memory");
  // RELAY: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [data-race] raw
  y[(rank ^ 1) * kTile + i] = inbox[kTile - 1 - i];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
}

// Fuser #4187: a barrier of the whole CTA inside of one role.
KERNEL(role_barrier) {
  __shared__ float tile[kTile];
  int i = threadIdx.x;
  if (i < 64) {
    tile[i] = x[i];
    if (wrong)
      // ROLE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [barrier-divergence]
      __syncthreads();
    else
      asm volatile("bar.sync 1, 64;" ::: "memory");
    y[i] = tile[63 - i];
  }
}

// A reduction that each lane issues.
KERNEL(duplicate_add) {
  __shared__ alignas(128) float tile[kTile];
  int i = threadIdx.x;
  tile[i] = x[i];
  FENCE();
  __syncthreads();
  if (i < (wrong ? 32 : 1)) {
    // DUPLICATE: faults.cu:[[#@LINE+1]]:{{.*}} [duplicate-reduction]
    ADD(y, tile[0], kBytes);
    STORES_READ();
  }
}

// Fuser #1552: no fence after the initialisation of a barrier.
KERNEL(missing_init_fence) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ uint64_t full;
  int i = threadIdx.x;
  if (i == 0) {
    INIT(full, 1);
    if (!wrong)
      INIT_FENCE();
  }
  __syncthreads();
  if (i == 0) {
    EXPECT(full, kBytes);
    // INIT: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [init-not-visible]
    LOAD(tile[0], x, kBytes, full);
  }
  WAIT(full, 0);
  y[i] = tile[i];
}

// flash-attention #2481, marin #9183: a dependent launch reads before it waits
// for the launch that writes.
extern "C" __global__ void written(const float *x, float *y, int wrong) {
  int i = threadIdx.x;
  y[i] = x[i];
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
extern "C" __global__ void dependent_read(const float *y, float *z, int wrong) {
  int i = threadIdx.x;
  if (!wrong)
    asm volatile("griddepcontrol.wait;" ::: "memory");
  // DEPENDENT: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [data-race] raw
  z[i] = y[i];
}

// TensorRT-LLM #14668: the warp that issues a dependent launch's loads doesn't
// wait, where others do.
extern "C" __global__ void dependent_load(const float *y, float *z, int wrong) {
  RING(kTile);
  if (i != 0 || !wrong)
    asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i == 0) {
    EXPECT(full[0], kBytes);
    // PROLOGUE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] raw
    LOAD(tile[0][0], y, kBytes, full[0]);
  }
  WAIT(full[0], 0);
  z[i] = tile[0][i];
}

// vllm #49203: the last CTA at a barrier of the grid resets its counter, which
// a late one still polls.
extern "C" __global__ void resetting_barrier(unsigned *count, unsigned *y,
                                             int wrong) {
  unsigned before, seen;
  for (unsigned round = 1; round <= 3; ++round) {
    if (threadIdx.x == 0) {
      y[blockIdx.x] += round;
      asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;"
                   : "=r"(before)
                   : "l"(count)
                   : "memory");
      if (wrong && before == gridDim.x - 1) {
        asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(count)
                     : "memory");
      } else {
        unsigned goal = wrong ? gridDim.x : round * gridDim.x;
        do
          asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                       : "=r"(seen)
                       : "l"(count)
                       : "memory");
        // RESETS: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [deadlock]
        while (wrong ? seen != 0 && seen != goal : seen < goal);
      }
    }
    __syncthreads();
  }
}

// Fuser #2391: a CTA announces a partial sum without a fence.
extern "C" __global__ void partial_sum(const float *x, float *y, float *z,
                                       int *flag, int wrong) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    y[i] = x[i];
    __syncthreads();
    if (i == 0) {
      if (!wrong)
        __threadfence();
      atomicExch(flag, 1);
    }
    return;
  }
  int seen = 0;
  while (seen == 0)
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(seen)
                 : "l"(flag)
                 : "memory");
  // PARTIAL: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [data-race] raw
  z[i] = y[i] + x[kTile + i];
}

// Fuser #2000: a copy that no iteration needs any more lands in memory that is
// in use again.
KERNEL(leftover_copy) {
  __shared__ float tile[kTile];
  int i = threadIdx.x;
  for (int k = 0; k <= n; ++k)
    if (k < n || wrong)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                   "cp.async.commit_group;" ::"r"(AT(tile[i])),
                   "l"(x + k * kTile + i)
                   : "memory");
    else
      asm volatile("cp.async.wait_group 0;" ::: "memory");
  // LEFTOVER: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [engine-race] waw
  tile[i] = 2 * float(i);
  __syncthreads();
  y[i] = tile[kTile - 1 - i];
}

// cutlass #3652: the lanes of a producer poll for the same phase, one fills
// the slot, and a lane that polls late misses the phase.
KERNEL(late_lane) {
  RING(32);
  int lane = i % 32;
  for (int k = 0; k < n; ++k)
    if (i < 32) {
      if (k > 0)
        // LANE: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [missed-phase]
        WAIT(empty[0], (k - 1) & 1);
      if (!wrong)
        __syncwarp();
      if (lane == 0) {
        EXPECT(full[0], kBytes);
        LOAD(tile[0][0], x + k * kTile, kBytes, full[0]);
      }
    } else if (i < 64) {
      WAIT(full[0], k & 1);
      for (int j = lane; j < kTile; j += 32)
        y[k * kTile + j] = tile[0][j];
      ARRIVE(empty[0]);
    }
}

// triton #9433: a factor of a product in flight is in registers, and they are
// written before the wait.
extern "C" __global__ void late_factor(float *y, int wrong) {
  __shared__ alignas(128) unsigned tile[64];
  int i = threadIdx.x;
  if (i < 64)
    tile[i] = 0x3c003c00;
  FENCE();
  __syncthreads();
  // 16 x 8 elements of f16, without a swizzle.
  uint64_t factor = (AT(tile[0]) >> 4 & 0x3fff) | 0x0000000800080000;
  unsigned a = 0x3c003c00;
  float sum[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
               "{%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 1, 1, 1, 0;\n"
               "wgmma.commit_group.sync.aligned;"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+r"(a)
               : "l"(factor)
               : "memory");
  if (wrong)
    // FACTOR: faults.cu:[[#@LINE+1]]:{{[0-9]+}}): finding: [registers-in-flight]
    asm volatile("mov.b32 %0, 0;" : "+r"(a));
  asm volatile("wgmma.wait_group.sync.aligned 0;"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               :
               : "memory");
  y[i] = sum[0] + sum[1] + sum[2] + sum[3];
}
