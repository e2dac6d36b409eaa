# ===- vision.py - models of images ------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Models of the packages transformers, torchvision and timm, and a U-Net, of small images."""

import timm
import torch
import torchvision
import transformers
from torch import nn

from . import Entry, model
from .language import WORDS, Logits, floats, ids

SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}


@model("torch")
def vit():
    config = transformers.ViTConfig(**SIZES, image_size=32, patch_size=8)
    return Entry(Logits(transformers.ViTForImageClassification(config)), "f32[2,3,32,32]", [floats(2, 3, 32, 32)])


@model("torch")
def swin():
    """Windows of tokens, and biases by an index that is a buffer."""
    config = transformers.SwinConfig(image_size=32, patch_size=4, embed_dim=32, depths=[2, 2], num_heads=[2, 4], window_size=4)
    return Entry(Logits(transformers.SwinModel(config)), "f32[2,3,32,32]", [floats(2, 3, 32, 32)])


class Clip(nn.Module):

    def __init__(self):
        super().__init__()
        self.inner = transformers.CLIPModel(transformers.CLIPConfig(
            text_config={**SIZES, "vocab_size": WORDS, "max_position_embeddings": 16, "eos_token_id": 2, "bos_token_id": 1},
            vision_config={**SIZES, "image_size": 32, "patch_size": 8}, projection_dim=32))

    def forward(self, words, images):
        return self.inner(input_ids=words, pixel_values=images).logits_per_image


@model("torch")
def clip():
    return Entry(Clip(), "i64[2,8],f32[2,3,32,32]", [ids(2, 8), floats(2, 3, 32, 32)])


def image(module, size=32, batch=2):
    """Statistics of batches that aren't those of a fresh model."""
    for inner in module.modules():
        if isinstance(inner, nn.BatchNorm2d):
            nn.init.normal_(inner.running_mean, 0, 0.1)
            nn.init.uniform_(inner.running_var, 0.5, 1.5)
    return Entry(module, f"f32[{batch},3,{size},{size}]", [floats(batch, 3, size, size)])


@model("torch")
def resnet18():
    return image(torchvision.models.resnet._resnet(torchvision.models.resnet.BasicBlock, [1, 1, 1, 1], None, False,
                                                   num_classes=10), size=32, batch=1)


@model("torch")
def mobilenet():
    return image(torchvision.models.MobileNetV2(num_classes=10, width_mult=0.25))


@model("torch")
def convnext():
    return image(timm.models.ConvNeXt(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), num_classes=10))


class UNet(nn.Module):

    def __init__(self):
        super().__init__()
        self.first, self.down = self.block(3, 16), self.block(16, 32)
        self.middle, self.up = self.block(32, 32), nn.ConvTranspose2d(32, 16, 2, 2)
        self.last, self.out = self.block(32, 16), nn.Conv2d(16, 2, 1)

    def block(self, before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.SiLU())

    def forward(self, x):
        high = self.first(x)
        low = self.middle(self.down(torch.nn.functional.max_pool2d(high, 2)))
        return self.out(self.last(torch.cat([high, self.up(low)], 1)))


@model("torch")
def unet():
    return Entry(UNet(), "f32[2,3,16,16]", [floats(2, 3, 16, 16)])
