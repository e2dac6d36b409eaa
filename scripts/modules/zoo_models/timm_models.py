# ===- timm_models.py - image models of the package timm ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Families of timm, of few blocks and channels where they take such arguments."""

import timm

from . import model
from .vision import image


def make(name, size=32, **options):
    return image(timm.create_model(name, num_classes=10, **options), size)


@model("torch")
def timm_resnext():
    return make("resnext26ts")


@model("torch")
def timm_mobilenetv3():
    return make("mobilenetv3_small_050")


@model("torch")
def timm_efficientnet():
    return make("tinynet_e", 64)


@model("torch")
def timm_mobilevit():
    return make("mobilevit_xxs", 64)


@model("torch")
def timm_edgenext():
    return make("edgenext_xx_small", 64)


@model("torch")
def timm_ghostnet():
    return make("ghostnet_050", 64)


@model("torch")
def timm_regnet():
    return make("regnety_002")


@model("torch")
def timm_convnextv2():
    return make("convnextv2_atto", depths=(1, 1, 1, 1), dims=(16, 24, 32, 48))


@model("torch")
def timm_vit():
    return make("vit_tiny_patch16_224", img_size=32, depth=2)


@model("torch")
def timm_deit():
    return make("deit_tiny_distilled_patch16_224", img_size=32, depth=2)


@model("torch")
def timm_beit():
    return make("beitv2_base_patch16_224", img_size=32, depth=2, embed_dim=64, num_heads=4)


@model("torch")
def timm_eva():
    return make("eva02_tiny_patch14_224", 28, img_size=28, depth=2)


@model("torch")
def timm_cait():
    return make("cait_xxs24_224", img_size=32, depth=2)


@model("torch")
def timm_xcit():
    return make("xcit_nano_12_p16_224", depth=2, embed_dim=64)


@model("torch")
def timm_mixer():
    return image(timm.models.MlpMixer(num_classes=10, img_size=64, num_blocks=2, embed_dim=64), 64)


@model("torch")
def timm_poolformer():
    return image(timm.models.MetaFormer(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), num_classes=10))


@model("torch")
def timm_repvgg():
    return make("repvgg_a0")


@model("torch")
def timm_densenet():
    return make("densenet121", growth_rate=8, block_config=(2, 2, 2, 2))


@model("torch")
def timm_swinv2():
    return make("swinv2_tiny_window8_256", 64, img_size=64, window_size=4, embed_dim=32, depths=(2, 2), num_heads=(2, 4))


@model("torch")
def timm_twins():
    return make("twins_svt_small", img_size=32, depths=(1, 1, 1, 1), embed_dims=(16, 32, 32, 64))
