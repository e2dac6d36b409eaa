# ===- effect_cases - kernels of instructions that have effects --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of scripts/device/device-effects: kernels of instructions that touch memory or other threads, with inputs that are
random and results that the ISA defines."""


def make_cases():
    """All cases, by instruction."""
    from . import atomics, copies, matrices, warpgroups, warps

    cases = warps.make_cases() + atomics.make_cases() + matrices.make_cases() + warpgroups.make_cases() + copies.make_cases()
    names = [case.name for case in cases]
    twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    assert not twice, f"cases of the same name: {sorted(twice)[:3]}"
    return cases
