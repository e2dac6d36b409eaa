# %% [markdown]
# # A softmax and its ring over time
#
# A kernel in Python whose loads run ahead: what the compiler decides about them, and what the simulated machine shows of it.
# No GPU is needed.

# %%
import array
import math

import carousel

N = 1024


@carousel.kernel(grid="m", block=128)
def softmax(x: "f32[m, n]", y: "out f32[m, n]"):
    row, columns = carousel.program_id(), x.shape[1]
    x = x.pad(-math.inf)
    largest = carousel.full((), -math.inf, "f32")
    total = carousel.full((), 0.0, "f32")
    for j in carousel.range(0, columns, N):
        v = x[row, j:j + N]
        new = carousel.maximum(largest, v.max())
        total = total * carousel.exp(largest - new, approximate=True) + carousel.exp(v - new, approximate=True).sum()
        largest = new + 0.0
    for j in carousel.range(0, columns, N):
        y[row, j:j + N] = carousel.exp(x[row, j:j + N] - largest, approximate=True) / total


# %% [markdown]
# Both loops read the row in chunks. The first one finds the largest element and the sum, and the second one writes. Calls of
# `carousel.range` become loops of MLIR, whose loads the compiler turns into rings: circular buffers in shared memory.

# %%
package = carousel.compile(softmax, chips="sm_90a", emit="ptx", first_variant=True)
package.explain()

# %% [markdown]
# A ring has stages. While threads use one, the next ones are in flight. These are the warps of the first CTA and its transfers
# over the cycles of the simulated machine:

# %%
x = array.array("f", [math.sin(i) for i in range(2 * 8192)])
y = array.array("f", bytes(4 * len(x)))
shaped = {name: memoryview(data).cast("B").cast("f", (2, 8192)) for name, data in (("x", x), ("y", y))}
simulation = carousel.simulate(softmax, shaped, lower=True, trace=True).check()
simulation.timeline(cta=0)

# %% [markdown]
# With one stage, each load waits until the threads have used the chunk before it:

# %%
one_stage = softmax.mlir.replace("#carousel.pipeline<>", "#carousel.pipeline<stages = 1>")
slower = carousel.simulate(one_stage, shaped, lower=True, trace=True).check()
slower.timeline(cta=0)

# %%
faster, slow = (each.figures["cycles"] for each in (simulation, slower))
print(f"{faster} cycles with rings, {slow} with one stage")
assert faster < slow
total = math.fsum(map(math.exp, x[:8192]))
assert all(abs(y[i] * total / math.exp(x[i]) - 1) < 1e-4 for i in range(8192))
