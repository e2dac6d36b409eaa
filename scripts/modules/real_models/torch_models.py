# ===- torch_models.py - models of real size in PyTorch ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Each of these makes a Model; `part`: of the fewest layers. Weights are random, none of them 0 or 1 as in fresh models."""

from dataclasses import dataclass

import torch
from torch import nn

NAMES = {torch.bfloat16: "bf16", torch.float32: "f32", torch.int64: "i64"}


@dataclass
class Model:
    """`call` picks the result. `channels_last`: the program's images and filters are of channels last, and PyTorch's own as it
    likes them."""
    module: nn.Module
    inputs: list
    call: object = lambda module, x: module(x)
    channels_last: bool = False

    def __post_init__(self):
        self.state = dict(self.module.named_parameters())
        self.state |= {name: value for name, value in self.module.named_buffers() if "running_" in name}

    def run(self, *inputs):
        return self.call(self.module, *inputs)

    def make_arguments(self):
        """Inputs, then weights, as the program takes them."""
        values = [*self.inputs, *(value.detach() for value in self.state.values())]
        return [(value.permute(0, 2, 3, 1) if self.channels_last and value.dim() == 4 else value).contiguous() for value in values]

    def get_shapes(self):
        kinds = len(self.inputs) * [""] + len(self.state) * ["parameter "]
        return ",".join(f"{kind}{NAMES[value.dtype]}[{','.join(map(str, value.shape))}]"
                        for kind, value in zip(kinds, self.make_arguments()))

    def get_function(self):
        """Of all arguments: what is to be imported."""
        count, held = len(self.inputs), [self]  # in a list: no module of PyTorch's has it as a part

        class Function(nn.Module):

            def forward(self, *arguments):
                own = held[0]
                if own.channels_last:
                    arguments = [value.permute(0, 3, 1, 2) if value.dim() == 4 else value for value in arguments]
                call = Call(own)
                state = {f"module.{name}": value for name, value in zip(own.state, arguments[count:])}
                return torch.func.functional_call(call, state, tuple(arguments[:count]))

        return Function()


class Call(nn.Module):

    def __init__(self, model):
        super().__init__()
        self.module, self.call = model.module, model.call

    def forward(self, *inputs):
        return self.call(self.module, *inputs)


def shake(module, dtype=torch.bfloat16):
    with torch.no_grad():
        for value in module.parameters():
            if value.dim() == 1:
                value.add_(0.02 * torch.randn_like(value))
        for name, value in module.named_buffers():
            if name.endswith("running_mean"):
                value.normal_(0, 0.1)
            if name.endswith("running_var"):
                value.uniform_(0.5, 1.5)
    return module.eval().to(dtype)


def gpt2(part=False):
    import transformers

    config = transformers.GPT2Config(use_cache=False, n_layer=2 if part else 12)
    return Model(shake(transformers.GPT2LMHeadModel(config)), [torch.randint(0, config.vocab_size, (8, 1024))],
                 lambda module, words: module(words, use_cache=False).logits)


def bert(part=False):
    import transformers

    config = transformers.BertConfig(num_hidden_layers=1 if part else 12)
    return Model(shake(transformers.BertModel(config, add_pooling_layer=False)), [torch.randint(0, config.vocab_size, (32, 128))],
                 lambda module, words: module(words).last_hidden_state)


def llama(part=False):
    import transformers

    config = transformers.LlamaConfig(use_cache=False, vocab_size=32000, hidden_size=2048, intermediate_size=5632,
                                      num_hidden_layers=2 if part else 4, num_attention_heads=16, num_key_value_heads=16,
                                      max_position_embeddings=2048)
    return Model(shake(transformers.LlamaForCausalLM(config)), [torch.randint(0, 32000, (2, 2048))],
                 lambda module, words: module(words, use_cache=False).logits)


def vit(part=False):
    from torchvision.models import VisionTransformer

    module = VisionTransformer(image_size=224, patch_size=16, num_layers=1 if part else 12, num_heads=12, hidden_dim=768, mlp_dim=3072)
    nn.init.normal_(module.heads.head.weight, std=0.02)
    return Model(shake(module), [torch.randn(64, 3, 224, 224, dtype=torch.bfloat16)])


def resnet50(part=False, channels_last=False):
    from torchvision.models.resnet import Bottleneck, ResNet

    module = ResNet(Bottleneck, [1, 1, 1, 1] if part else [3, 4, 6, 3])
    return Model(shake(module), [torch.randn(64, 3, 224, 224, dtype=torch.bfloat16)], channels_last=channels_last)


def resnet50_nhwc(part=False):
    model = resnet50(part, channels_last=True)
    # PyTorch gives the result of its own pool strides, which the importer takes as a gather.
    model.module.avgpool = Mean()
    return model


class Mean(nn.Module):

    def forward(self, x):
        return x.mean((2, 3), keepdim=True)


def resnet_block(part=False):
    """Exact products of f32, by multiply-adds: a residual block of a stage's first images."""
    from torchvision.models.resnet import BasicBlock, conv1x1

    down = nn.Sequential(conv1x1(64, 128, 2), nn.BatchNorm2d(128))
    return Model(shake(BasicBlock(64, 128, 2, down), torch.float32), [torch.randn(8 if part else 64, 64, 56, 56)])
