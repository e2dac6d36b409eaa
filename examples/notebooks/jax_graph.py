# %% [markdown]
# # A graph from JAX
#
# A function of JAX becomes few kernels. What shares a kernel, and why, and whether it computes what JAX computes. No GPU is
# needed, but JAX is.

# %%
import jax
import jax.numpy as jnp
import numpy

import carousel


def layer(x, w, b):
    return jax.nn.softmax(jnp.maximum(x @ w + b, 0.0), axis=-1)


graph = carousel.compile(layer, shapes="f32[n,64],f32[64,128],f32[128]", chips="sm_90a", emit="ptx", libraries=False,
                         first_variant=True, warn=False)
print(graph)

# %% [markdown]
# The product, the bias, the maximum and the softmax are ops of the graph, and groups of them are kernels:

# %%
for decision in graph.explain().of_kind("group"):
    print(decision.data["Kernel"], "=", decision.text)

# %%
graph.explain()

# %% [markdown]
# The simulated machine runs the whole graph on arrays of the host, here the kernels as they were lowered:

# %%
rng = numpy.random.default_rng(0)
x, w, b = (rng.standard_normal(shape).astype(numpy.float32) for shape in ((16, 64), (64, 128), (128,)))
result = numpy.zeros((16, 128), numpy.float32)
carousel.simulate(layer, {"arg0": x, "arg1": w, "arg2": b, "result0": result}, inputs=(x, w, b), lower=True).check()
error = float(numpy.abs(result - layer(x, w, b)).max())
print(f"largest difference from JAX: {error:.1e}")
assert error < 1e-5
