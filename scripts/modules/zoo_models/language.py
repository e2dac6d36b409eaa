# ===- language.py - transformers and other models of sequences -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Models of the package transformers, and modules of PyTorch: two layers, 64 channels, a vocabulary of 128."""

import numpy
import torch
import transformers
from torch import nn

from . import Entry, model

WORDS = 128
SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": WORDS,
         "max_position_embeddings": 64}
KEYS = {"num_key_value_heads": 2}


class Logits(nn.Module):
    """The first result of a model, which keeps no keys and values."""

    def __init__(self, inner, **fixed):
        super().__init__()
        self.inner, self.fixed = inner, fixed

    def forward(self, *arguments):
        return self.inner(*arguments, **self.fixed)[0]


def ids(*shape):
    return numpy.random.default_rng(0).integers(0, WORDS, shape)


def floats(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def causal(inner, shapes="i64[2,16]", type=torch.float32, length=16):
    # Each weight is random: a fresh model has some of zero and one.
    with torch.no_grad():
        for parameter in inner.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    return Entry(Logits(inner.to(type), use_cache=False), shapes, [ids(2, length)])


@model("torch")
def gpt2():
    return causal(transformers.GPT2LMHeadModel(transformers.GPT2Config(
        n_embd=64, n_layer=2, n_head=4, vocab_size=WORDS, n_positions=64)))


@model("torch")
def gpt2_dynamic():
    return Entry(gpt2().function, "i64[b,s]", [ids(2, 16)])


def make_llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES, **KEYS))


@model("torch")
def llama():
    return causal(make_llama())


@model("torch")
def llama_dynamic():
    return causal(make_llama(), "i64[b,s]")


@model("torch")
def llama_one():
    entry = causal(make_llama(), "i64[1,16]")
    return Entry(entry.function, entry.shapes, [ids(1, 16)])


@model("torch")
def llama_bf16():
    return causal(make_llama(), type=torch.bfloat16)


@model("torch")
def qwen2():
    return causal(transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**SIZES, **KEYS)))


@model("torch")
def gemma():
    return causal(transformers.GemmaForCausalLM(transformers.GemmaConfig(**SIZES, **KEYS, head_dim=16)))


@model("torch")
def gemma2():
    """Scores are capped, and every other layer has a window."""
    return causal(transformers.Gemma2ForCausalLM(transformers.Gemma2Config(
        **SIZES, **KEYS, head_dim=16, sliding_window=8, attn_implementation="eager")))


@model("torch")
def bloom():
    return causal(transformers.BloomForCausalLM(transformers.BloomConfig(
        hidden_size=64, n_layer=2, n_head=4, vocab_size=WORDS)))


@model("torch")
def bert():
    return Entry(Logits(transformers.BertModel(transformers.BertConfig(**SIZES))), "i64[2,16]", [ids(2, 16)])


@model("torch")
def bert_dynamic():
    # Its table of positions bounds the other extent.
    return Entry(bert().function, "i64[b,16]", [ids(2, 16)])


@model("torch")
def deberta():
    return Entry(Logits(transformers.DebertaV2Model(transformers.DebertaV2Config(
        **SIZES, relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"]))), "i64[2,16]", [ids(2, 16)])


@model("torch")
def modern_bert():
    return Entry(Logits(transformers.ModernBertModel(transformers.ModernBertConfig(
        **SIZES, pad_token_id=0, local_attention=8, global_attn_every_n_layers=2))), "i64[2,16]", [ids(2, 16)])


class T5(nn.Module):

    def __init__(self):
        super().__init__()
        self.inner = transformers.T5ForConditionalGeneration(transformers.T5Config(
            d_model=64, d_ff=96, d_kv=16, num_layers=2, num_heads=4, vocab_size=WORDS))

    def forward(self, words, others):
        return self.inner(input_ids=words, decoder_input_ids=others, use_cache=False)[0]


@model("torch")
def t5():
    return Entry(T5(), "i64[2,16],i64[2,8]", [ids(2, 16), ids(2, 8)])


@model("torch")
def mamba():
    return causal(transformers.MambaForCausalLM(transformers.MambaConfig(
        hidden_size=64, num_hidden_layers=2, vocab_size=WORDS, state_size=8, expand=2, conv_kernel=4)), "i64[2,8]", length=8)


@model("torch")
def mamba2():
    return causal(transformers.Mamba2ForCausalLM(transformers.Mamba2Config(
        hidden_size=64, num_hidden_layers=2, vocab_size=WORDS, state_size=8, expand=2, head_dim=16, num_heads=8, n_groups=2,
        chunk_size=8)), "i64[2,8]", length=8)


@model("torch")
def mixtral():
    return causal(transformers.MixtralForCausalLM(transformers.MixtralConfig(
        **SIZES, **KEYS, num_local_experts=4, num_experts_per_tok=2, experts_implementation="batched_mm")))


class Grouped(Logits):
    """With experts as grouped products, of rows that are sorted by expert."""

    def __init__(self, inner, **fixed):
        super().__init__(inner, **fixed)
        inner.set_experts_implementation("grouped_mm")

    def double(self):
        # PyTorch has no grouped products of doubles.
        self.inner.set_experts_implementation("eager")
        return super().double()


def route(inner, type=torch.float32):
    entry = causal(inner, type=type)
    return Entry(Grouped(inner, use_cache=False), entry.shapes, entry.inputs)


@model("torch")
def mixtral_grouped():
    return route(transformers.MixtralForCausalLM(transformers.MixtralConfig(
        **SIZES, **KEYS, num_local_experts=4, num_experts_per_tok=2)))


@model("torch")
def mixtral_grouped_bf16():
    return route(transformers.MixtralForCausalLM(transformers.MixtralConfig(
        **SIZES, **KEYS, num_local_experts=4, num_experts_per_tok=2)), torch.bfloat16)


@model("torch")
def qwen2_moe():
    return route(transformers.Qwen2MoeForCausalLM(transformers.Qwen2MoeConfig(
        **SIZES, **KEYS, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=48, shared_expert_intermediate_size=64)))


@model("torch")
def gpt_oss():
    return route(transformers.GptOssForCausalLM(transformers.GptOssConfig(
        **SIZES, **KEYS, head_dim=16, num_local_experts=4, num_experts_per_tok=2, sliding_window=8)))


@model("torch")
def olmoe():
    return route(transformers.OlmoeForCausalLM(transformers.OlmoeConfig(**SIZES, **KEYS, num_experts=4, num_experts_per_tok=2)))


class GroupedProducts(nn.Module):
    """Groups of rows, of columns and of the depth, which end where data says, and sizes that a histogram counts."""

    def __init__(self):
        super().__init__()
        self.matrices = nn.Parameter(torch.randn(4, 32, 48))

    def multiply(self, left, right, ends):
        if left.dtype != torch.float64:  # which PyTorch has none for
            return nn.functional.grouped_mm(left, right, offs=ends)
        if left.dim() == 3:
            return self.multiply(right.T, left.mT, ends).T
        begins = [0, *ends.tolist()[:-1]]
        products = [(left[:, begin:end] if right.dim() == 2 else left[begin:end]) @
                    (right[begin:end] if right.dim() == 2 else right[at]) for at, (begin, end) in enumerate(zip(begins, ends))]
        return torch.stack(products) if right.dim() == 2 else torch.cat(products)

    def forward(self, x, y, which):
        sizes = torch.histc(which.to(x.dtype), 4, 0, 3)
        ends = sizes.cumsum(0).to(torch.int32)
        return (self.multiply(x, self.matrices, ends), self.multiply(x.T, y, ends), self.multiply(self.matrices.mT, x.T, ends),
                torch.histc(x, 8, -1.5, 2), sizes)


@model("torch")
def grouped_products():
    which = numpy.random.default_rng(2).integers(0, 4, 40)
    return Entry(GroupedProducts(), "f32[40,32],f32[40,16],i64[40]", [floats(40, 32), floats(40, 16, seed=1), which])


@model("torch")
def wav2vec2():
    return Entry(Logits(transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, conv_dim=(32, 32), conv_stride=(5, 2),
        conv_kernel=(10, 3), num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
        vocab_size=32, mask_time_prob=0.0))), "f32[2,400]", [floats(2, 400)])


class Whisper(nn.Module):

    def __init__(self):
        super().__init__()
        self.inner = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(
            d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=96, decoder_ffn_dim=96, vocab_size=WORDS, num_mel_bins=16, max_source_positions=32,
            max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3,
            suppress_tokens=None, begin_suppress_tokens=None))

    def forward(self, sound, words):
        return self.inner(input_features=sound, decoder_input_ids=words, use_cache=False)[0]


@model("torch")
def whisper():
    return Entry(Whisper(), "f32[2,16,64],i64[2,8]", [floats(2, 16, 64), ids(2, 8)])


class Recurrent(nn.Module):

    def __init__(self, kind):
        super().__init__()
        self.inner = kind(32, 48, num_layers=2, batch_first=True)
        self.last = nn.Linear(48, 16)

    def forward(self, x):
        return self.last(self.inner(x)[0])


@model("torch")
def lstm():
    return Entry(Recurrent(nn.LSTM), "f32[4,6,32]", [floats(4, 6, 32)])


@model("torch")
def gru():
    return Entry(Recurrent(nn.GRU), "f32[4,6,32]", [floats(4, 6, 32)])


@model("torch")
def encoder_layer():
    layer = nn.TransformerEncoderLayer(64, 4, 96, activation="gelu", batch_first=True)
    return Entry(layer, "f32[b,16,64]", [floats(3, 16, 64)])


class Experts(nn.Module):
    """All experts are computed, and weighted by the best two."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(32, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(32, 48), nn.SiLU(), nn.Linear(48, 32)) for _ in range(4))

    def forward(self, x):
        weights, which = torch.topk(torch.softmax(self.gate(x), -1), 2)
        chosen = torch.zeros(x.shape[0], 4, dtype=x.dtype).scatter(1, which, weights)
        return sum(chosen[:, at:at + 1] * expert(x) for at, expert in enumerate(self.experts))


@model("torch")
def experts():
    return Entry(Experts(), "f32[24,32]", [floats(24, 32)])


class DynamicLinear(nn.Module):

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 16), nn.Linear(16, 8)

    def forward(self, x):
        return self.b(self.a(x).view(x.shape[0], x.shape[1], 16))


@model("torch")
def dynamic_linear():
    return Entry(DynamicLinear(), "f32[b,s,16]", [floats(3, 5, 16)])


class Views(nn.Module):

    def forward(self, x):
        batch, length, _ = x.shape
        heads = (x.reshape(batch, length, 4, -1) * 2).transpose(1, 2)
        return (x.view(-1, 16).sum(0), x.reshape(batch, -1).amax(1), heads.reshape(batch, 4, -1), x.reshape(-1) + 1,
                x.reshape(length, batch, 16) * 3, x.unsqueeze(1).reshape(batch * length, 2, 8).flatten(1),
                x.reshape(batch, length * 2, 8) - 1)


@model("torch")
def views():
    return Entry(Views(), "f32[b,s,16]", [floats(3, 5, 16)])
