#!/usr/bin/env python3
# ===- torch_models.py - models by torch.compile ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs models by torch.compile(backend="carousel"), and times them in turns with PyTorch without a compiler and with Inductor.

  torch_models.py fill [MODEL...] [--chip sm_90a]     compiles the parts into the cache, without a GPU
  torch_models.py time [MODEL...] [--no-inductor]     checks results by float64, and prints times
  torch_models.py list

`fill` takes fake tensors, so that nothing is computed. It needs torch-mlir and the compiler's library; `time` needs neither with
a full cache, which $CAROUSEL_CACHE_DIR names (docs/Torch.md). Both have to run the same version of PyTorch. A name that ends with
_step is the forward and the backward pass of a model, with gradients of all parameters; _train is that and a step of AdamW, of
lists of tensors (foreach). Sizes are those of --size: "small" ones
are for tests. Models of torchvision and transformers have random weights, images of 224 by 224 pixels and 256 tokens; resnet50@64
and resnet50_step@64 take 64 of them. An error is the largest distance from the result in f64, or as --reference says, as a part of its largest magnitude; of a step, the largest
one of its gradients. Times are medians of 20 calls between two events, with the host's work where the device waits for it;
--graphs leaves that out. Seconds are those of the first call, which compiles or finds all in the cache. The ratio is that of the better one of PyTorch's times to ours: above 1, ours is faster."""

import argparse
import functools
import os
import statistics
import sys
import time as clock

import torch
from torch import nn
from torch.nn import functional

import carousel.torch

SIZES = {"full": dict(batch=8, length=1024, width=768, heads=12, words=50257), "small": dict(batch=2, length=32, width=64, heads=2, words=97)}


class Attention(nn.Module):
    def __init__(self, width, heads, groups=None):
        super().__init__()
        self.heads, self.groups, self.depth = heads, groups or heads, width // heads
        self.inputs = nn.Linear(width, (heads + 2 * self.groups) * self.depth)
        self.outputs = nn.Linear(width, width)

    def rotate(self, q, k):
        return q, k

    def forward(self, x):
        batch, length, width = x.shape
        own = self.heads * self.depth
        q, k, v = self.inputs(x).split([own, self.groups * self.depth, self.groups * self.depth], -1)
        q, k, v = (each.view(batch, length, -1, self.depth).transpose(1, 2) for each in (q, k, v))
        q, k = self.rotate(q, k)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.groups != self.heads)
        return self.outputs(y.transpose(1, 2).reshape(batch, length, width))


class WrittenAttention(Attention):
    """With a softmax, as models that are older than PyTorch's function write it."""

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (each.view(batch, length, -1, self.depth).transpose(1, 2) for each in self.inputs(x).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1)) * self.depth**-0.5
        mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = functional.softmax(scores.masked_fill(~mask, -torch.inf), -1)
        return self.outputs((weights @ v).transpose(1, 2).reshape(batch, length, width))


class RotaryAttention(Attention):
    def rotate(self, q, k):
        length, depth = q.shape[-2:]
        rates = 10000.0**-(torch.arange(0, depth, 2, device=q.device) / depth)
        angles = torch.outer(torch.arange(length, device=q.device), rates)
        angles = torch.cat((angles, angles), -1)
        cosines, sines = angles.cos().to(q.dtype), angles.sin().to(q.dtype)

        def turn(x):
            low, high = x.chunk(2, -1)
            return x * cosines + torch.cat((-high, low), -1) * sines

        return turn(q), turn(k)


class Block(nn.Module):
    """Of GPT-2."""

    def __init__(self, width, heads, attention=Attention):
        super().__init__()
        self.before, self.attention = nn.LayerNorm(width), attention(width, heads)
        self.after, self.wide, self.narrow = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.narrow(functional.gelu(self.wide(self.after(x)), approximate="tanh"))


class LlamaBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.before, self.attention = nn.RMSNorm(width), RotaryAttention(width, heads, max(heads // 4, 1))
        self.after = nn.RMSNorm(width)
        self.gate, self.wide, self.narrow = (nn.Linear(width, 3 * width, bias=False), nn.Linear(width, 3 * width, bias=False),
                                             nn.Linear(3 * width, width, bias=False))

    def forward(self, x):
        x = x + self.attention(self.before(x))
        y = self.after(x)
        return x + self.narrow(functional.silu(self.gate(y)) * self.wide(y))


class GPT(nn.Module):
    """With its loss: tokens are the arguments."""

    def __init__(self, width, heads, words, length, layers):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.head(self.norm(self.blocks(x)))
        return functional.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]).float(), tokens[:, 1:].reshape(-1))


class Classifier(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, 4 * width), nn.ReLU(),
                                    nn.Linear(4 * width, 128))

    def forward(self, x):
        return torch.log_softmax(self.layers(x), -1)


class Patches(nn.Module):
    """Convolutions and pooling of a small ResNet's block."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = torch.relu(self.norms[0](self.first(x)))
        return torch.relu(x + self.norms[1](self.second(y))).mean((2, 3))


VISION = ("resnet18", "resnet50", "mobilenet_v2", "convnext_tiny", "vit_b_16", "swin_t")
LANGUAGE = ("gpt2", "bert", "llama", "qwen2")
TOKENS = 256


class Hidden(nn.Module):
    """What a model of transformers computes, as a tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(tokens, **({"use_cache": False} if hasattr(self.model.config, "use_cache") else {}))[0]


def make_language_model(name):
    """Of the published sizes, but four layers of Llama and eight of Qwen2."""
    import transformers

    if name == "gpt2":
        return Hidden(transformers.GPT2LMHeadModel(transformers.GPT2Config()))
    if name == "bert":
        return Hidden(transformers.BertModel(transformers.BertConfig(), add_pooling_layer=False))
    if name == "llama":
        return Hidden(transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=32000, hidden_size=2048, intermediate_size=5632, num_hidden_layers=4, num_attention_heads=32, num_key_value_heads=8)))
    return Hidden(transformers.Qwen2ForCausalLM(transformers.Qwen2Config(
        vocab_size=32000, hidden_size=896, intermediate_size=4864, num_hidden_layers=8, num_attention_heads=14, num_key_value_heads=2)))


def make_model(name, size):
    """A module, and the shape of its argument, or how many tokens it takes."""
    if name in VISION:
        import torchvision

        return shake(getattr(torchvision.models, name)()), (size["batch"], 3, 224, 224)
    if name in LANGUAGE:
        model = shake(make_language_model(name))
        return model, model.model.config.vocab_size
    width, heads, rows = size["width"], size["heads"], (size["batch"], size["length"], size["width"])
    if name == "mlp":
        return Classifier(width), (size["batch"] * size["length"], width)
    if name == "layer_norm":
        return nn.Sequential(nn.LayerNorm(width), nn.GELU(), nn.LayerNorm(width)), rows
    if name == "attention":
        return Attention(width, heads), rows
    if name == "written_attention":
        return WrittenAttention(width, heads), rows
    if name == "gpt_block":
        return Block(width, heads), rows
    if name == "llama_block":
        return LlamaBlock(width, heads), rows
    if name == "encoder":
        return nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True), rows
    if name == "gpt":
        return GPT(width, heads, size["words"], size["length"], 2), size["words"]
    if name == "residual":
        return Patches(64), (size["batch"], 64, 28, 28)
    raise SystemExit(f"torch_models.py: error: expected {', '.join((*BASES, *VISION, *LANGUAGE))}, got '{name}'")


BASES = ("mlp", "layer_norm", "attention", "written_attention", "gpt_block", "llama_block", "encoder", "gpt", "residual")
MODELS = tuple(name for base in BASES for name in (base, f"{base}_step"))


def shake(model):
    """Gives weights that a fresh model has as 0 or 1, such as those of a head, numbers of their own."""
    with torch.no_grad():
        for value in model.parameters():
            value.add_(0.02 * torch.randn_like(value))
        for name, value in model.named_buffers():
            if name.endswith("running_mean"):
                value.normal_(0, 0.1)
            if name.endswith("running_var"):
                value.uniform_(0.5, 1.5)
    return model


def make_case(name, options, device, dtype):
    """The model, and its argument."""
    torch.manual_seed(0)
    name, _, batch = name.partition("@")
    size = {**SIZES[options.size], **({"batch": int(batch)} if batch else {})}
    is_step = name.endswith(("_step", "_train"))
    name = name.removesuffix("_step").removesuffix("_train")
    if name in LANGUAGE:
        size["length"] = TOKENS
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)  # fake parameters can't be converted
    with torch.device(device):
        model, shape = make_model(name, size)
    torch.set_default_dtype(before)
    model.train(is_step)
    generator = torch.Generator().manual_seed(1)
    if isinstance(shape, int):
        return model, torch.randint(0, shape, (size["batch"], size["length"]), generator=generator).to(device)
    return model, torch.randn(shape, generator=generator).to(device=device, dtype=dtype).requires_grad_(is_step and name not in VISION)


def make_call(name, model, x, compile_update=lambda update: update):
    """A function that runs the model, and returns its results."""
    name = name.partition("@")[0]
    if not name.endswith(("_step", "_train")):
        def infer():
            with torch.no_grad():
                return [model(x)]

        return infer
    weights = [*model.parameters(), *([x] if x.requires_grad else [])]
    # Parameters stay as they are, so that results can be compared.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-12, foreach=True, capturable=True)
    update = compile_update(optimizer.step) if name.endswith("_train") else lambda: None

    def step():
        for weight in weights:
            weight.grad = None
        result = model(x)
        # A loss that weighs elements differently: sums alone have gradients that are equal.
        loss = result if result.dim() == 0 else (result * torch.linspace(-1, 1, result.shape[-1], device=result.device, dtype=result.dtype)).sum()
        loss.backward()
        update()
        return [result.detach(), *(weight.grad for weight in weights)]

    return step


def compile_model(model, options, **given):
    return torch.compile(model, backend=carousel.torch.backend, dynamic=options.dynamic, options=given or None)


def find_error(results, wanted):
    """A gradient without any element that isn't tiny, such as of a bias before a softmax, is compared with the largest one."""
    largest = max(each.abs().max().item() for each in wanted)
    return max((got.double() - each).abs().max().item() / max(each.abs().max().item(), 1e-3 * largest, 1e-30)
               for got, each in zip(results, wanted))


def fill(names, options):
    from torch._subclasses.fake_tensor import FakeTensorMode

    for name in names:
        torch._dynamo.reset()
        carousel.torch.reset()
        with FakeTensorMode(allow_non_fake_inputs=True):
            # Autograd needs a GPU for tensors on one. Graphs of fake ones may differ from those on the GPU (docs/Torch.md).
            model, x = make_case(name, options, "cpu" if name.partition("@")[0].endswith(("_step", "_train")) else "cuda", options.dtype)
            compile = functools.partial(compile_model, options=options, chip=options.chip, cpu="compile", rest="eager")
            call = make_call(name, compile(model), x, compile)
            for _ in range(2 if name.endswith("_train") else 1):  # later steps have a state
                call()
        print(f"{name}\n{carousel.torch.report()}", flush=True)


def simulate(names, options):
    """Of small sizes, in f32 or as --dtype says."""
    for name in names:
        if name.endswith("_train"):
            raise SystemExit("torch_models.py: error: expected models and steps to simulate, as PyTorch updates parameters on GPUs alone with "
                             f"capturable, got '{name}'")
        torch._dynamo.reset()
        carousel.torch.reset()
        model, x = make_case(name, options, "cpu", options.dtype)
        results = make_call(name, compile_model(model, options, chip=options.chip, cpu="simulate"), x)()
        eager = make_call(name, model, x)()
        wide, y = make_case(name, options, "cpu", torch.float64)
        wide.load_state_dict({key: value.double() if value.is_floating_point() else value for key, value in model.state_dict().items()})
        wanted = make_call(name, wide, x.detach().double().requires_grad_(x.requires_grad) if x.is_floating_point() else x)()
        report = carousel.torch.report()
        taken, left = sum(each.taken_operators for each in report.graphs), sum(each.left_operators for each in report.graphs)
        print(f"{name:24} {taken:4} of {taken + left:4} operators; errors {find_error(results, wanted):.1e}, PyTorch's "
              f"{find_error(eager, wanted):.1e}", flush=True)
        if options.verbose:
            print(report)


def capture(call):
    """A CUDA graph of the call, which has run before."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):  # the one that has run the programs
        call()
    return graph.replay


def measure(call):
    for _ in range(3):
        call()
    times = []
    for _ in range(7):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for _ in range(20):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 20)
    return statistics.median(times)


def first(call):
    """The results, and how long the call took."""
    torch.cuda.synchronize()
    start = clock.perf_counter()
    results = call()
    torch.cuda.synchronize()
    return results, clock.perf_counter() - start


def time(names, options):
    compile = functools.partial(compile_model, options=options, **({"rest": options.rest} if options.rest else {}))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {options.dtype}, us")
    print(f"{'':24} {'eager':>9} {'inductor':>9} {'carousel':>9} {'ratio':>6}  errors of eager, carousel; seconds of inductor, carousel")
    for name in names:
        torch._dynamo.reset()
        carousel.torch.reset()
        model, x = make_case(name, options, "cuda", options.dtype)
        wide, _ = make_case(name, options, "cuda", options.reference)
        wide.load_state_dict({key: value.to(options.reference) if value.is_floating_point() else value for key, value in model.state_dict().items()})
        eager, ours = make_call(name, model, x), make_call(name, compile(model), x, compile)
        y = x.detach().to(options.reference).requires_grad_(x.requires_grad) if x.is_floating_point() else x
        torch.backends.cudnn.allow_tf32 = False
        wanted = [each.double() for each in make_call(name, wide, y)()]
        torch.backends.cudnn.allow_tf32 = True
        results, seconds = first(ours)
        errors = [find_error(eager(), wanted), find_error(results, wanted)]
        del wide, y, wanted, results
        calls, inductor_seconds = {"eager": eager, "carousel": ours}, float("nan")
        if options.inductor:
            torch._dynamo.reset()
            inductor = functools.partial(torch.compile, dynamic=options.dynamic, mode=options.inductor_mode)
            calls["inductor"] = make_call(name, inductor(model), x, inductor)
            inductor_seconds = first(calls["inductor"])[1]
            # Dynamo compiles again after a reset, from the cache.
            calls["carousel"] = make_call(name, compile(model), x, compile)
        times = {key: 1e3 * measure(capture(call) if options.graphs else call) for key, call in calls.items()}
        best = min(times["eager"], times.get("inductor", times["eager"]))
        report = carousel.torch.report()
        torch._dynamo.reset()
        print(f"{name:24} {times['eager']:9.1f} {times.get('inductor', float('nan')):9.1f} {times['carousel']:9.1f} "
              f"{best / times['carousel']:6.2f}  {errors[0]:.1e} {errors[1]:.1e}; {inductor_seconds:.1f} {seconds:.1f}", flush=True)
        if options.verbose or any(part.reason for part in report.parts) or any(part.origin != "cache" for part in report.parts):
            print(report if options.verbose else str(report)[:1200])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["fill", "simulate", "time", "list"])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--size", choices=SIZES, default=None)
    parser.add_argument("--dtype", default=None)
    parser.add_argument("--reference", default="float64", help="of time: the type that results are compared in (float32, exact products, for "
                        "gradients of convolutions, which take minutes in float64)")
    parser.add_argument("--dynamic", action="store_true", default=None)
    parser.add_argument("--graphs", action="store_true", help="time CUDA graphs of all three, without the host's work")
    parser.add_argument("--rest", choices=["auto", "inductor", "eager"], help="who gets what stays with PyTorch (docs/Torch.md)")
    parser.add_argument("--inductor-mode", help="of Inductor, such as max-autotune-no-cudagraphs")
    parser.add_argument("--no-inductor", dest="inductor", action="store_false")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    is_simulated = options.mode == "simulate"
    options.size = options.size or ("small" if is_simulated else "full")
    options.dtype = getattr(torch, options.dtype or ("float32" if is_simulated else "bfloat16"))
    options.reference = getattr(torch, options.reference)
    names = options.models or MODELS
    if options.mode == "list":
        print("\n".join(names))
        return 0
    {"fill": fill, "simulate": simulate, "time": time}[options.mode](names, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
