# ===- warps.py - shuffles, votes, matches and reductions of a warp ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of instructions between the lanes of a warp. Each has full and partial masks: where a mask is partial, the other
lanes execute the instruction with the mask of the others."""

from functools import partial

from .case import Case, generator, load_words, pack_words, store_words

WARPS = 16
FULL = 0xffffffff


def masks_of(random, warp, lane):
    """Full masks in the first quarter of the warps, then aligned halves, then random bits."""
    if warp < WARPS // 4:
        return FULL
    mask = random.choice([0x0000ffff, 0x00ff00ff, 0x55555555]) if warp < WARPS // 2 else random.getrandbits(32) | 1
    return mask if mask >> lane & 1 else FULL & ~mask


def warp_masks(random, warp):
    state = random.getrandbits(64)
    return [masks_of(type(random)(state), warp, lane) for lane in range(32)]


def source_lane(mode, lane, b, c):
    """The lane that shfl reads, and whether it is in range (PTX ISA: shfl.sync)."""
    segment, clamp = c >> 8 & 31, c & 31
    last, first = (lane & segment) | (clamp & ~segment & 31), lane & segment
    b &= 31
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | (b & ~segment & 31)}[mode]
    return source, source >= last if mode == "up" else source <= last


def is_readable(mode, lane, b, c, mask):
    """What a lane outside of the mask gives is open."""
    source, in_range = source_lane(mode, lane, b, c)
    return not in_range or mask >> source & 1


def shuffle_rows(mode, random, b, c):
    rows = []
    for warp in range(WARPS):
        lanes = []
        for lane, mask in enumerate(warp_masks(random, warp)):
            pair = (0, 0x1f1f)  # the lane itself
            for _ in range(50):
                # All bits: the instruction reads five of each.
                tried = (random.getrandbits(32) if b is None else b, random.getrandbits(32) if c is None else c)
                if is_readable(mode, lane, *tried, mask):
                    pair = tried
                    break
            else:
                if b is not None and c is not None:
                    mask = FULL
            lanes.append([random.getrandbits(32), *pair, mask])
        if any(lane[3] == FULL for lane in lanes):
            lanes = [[*lane[:3], FULL] for lane in lanes]
        rows.append(lanes)
    return rows


def make_shuffles():
    cases = []
    for mode in ("up", "down", "bfly", "idx"):
        clamp = 0 if mode == "up" else 31
        operands = [(None, None)] + [(b, c) for b in (0, 1, 5, 16, 31) for c in (clamp, 0x1800 | clamp, 0x1000 | clamp, 0x070c)]
        for b, c in operands:
            for with_predicate in (False, True):
                random = generator(f"shfl {mode} {b} {c}")
                texts = ("%r11" if b is None else str(b), "%r12" if c is None else hex(c))
                result = "%r20|%p1" if with_predicate else "%r20"
                body = [load_words(4, 32), f"shfl.sync.{mode}.b32 {result}, %r10, {texts[0]}, {texts[1]}, %r13;"]
                registers = ["%r20"]
                if with_predicate:
                    body.append("selp.u32 %r21, 1, 0, %p1;")
                    registers.append("%r21")
                body.append(store_words(registers, 32))
                name = f"shfl.sync.{mode}.b32{' with predicate' if with_predicate else ''}, {texts[0]}, {texts[1]}"
                rows = shuffle_rows(mode, random, b, c)
                cases.append(Case(name, "\n".join(body), partial(pack_words, rows), 128 * len(registers) * WARPS, grid=WARPS))
    return cases


def masked_rows(name, value):
    """Rows of (words of the value..., mask)."""
    random = generator(name)
    rows = []
    for warp in range(WARPS):
        common = value(random, warp)
        rows.append([[*(common if warp % 4 == 1 else value(random, warp)), mask] for mask in warp_masks(random, warp)])
    return rows


def from_words(name, instruction, count, results, value):
    """A case whose operands are `count` words and a mask, in %r10...; `results` are the registers to store."""
    body = "\n".join([load_words(count + 1, 32), instruction, store_words(results, 32)])
    rows = masked_rows(name, value)
    return Case(name, body, partial(pack_words, rows), 128 * len(results) * WARPS, grid=WARPS)


def few(random, _):
    """Words of which several lanes have the same."""
    return [random.choice([0, 1, 0x80000000, FULL, 7])]


def bits(random, warp):
    """Predicates: mostly false, mostly true, or either."""
    return [random.random() < (0.03, 0.5, 0.97, 0.5)[warp % 4]]


def any_word(random, warp):
    return [random.getrandbits(32) >> (0, 0, 16, 28)[warp % 4]]


def make_votes():
    cases = []
    for negated in ("", "!"):
        for mode in ("all", "any", "uni"):
            name = f"vote.sync.{mode}.pred of {negated}p"
            text = f"setp.ne.u32 %p1, %r10, 0;\nvote.sync.{mode}.pred %p2, {negated}%p1, %r11;\nselp.u32 %r20, 1, 0, %p2;"
            cases.append(from_words(name, text, 1, ["%r20"], bits))
        text = f"setp.ne.u32 %p1, %r10, 0;\nvote.sync.ballot.b32 %r20, {negated}%p1, %r11;"
        cases.append(from_words(f"vote.sync.ballot.b32 of {negated}p", text, 1, ["%r20"], bits))
    return cases


def make_matches():
    cases = []
    for bits_of in (32, 64):
        operand = "%r10" if bits_of == 32 else "%d10"
        head = "" if bits_of == 32 else "mov.b64 %d10, {%r10, %r11};\n"
        count = bits_of // 32
        mask = f"%r{10 + count}"

        def value(random, warp, count=count):
            return [few(random, warp)[0] for _ in range(count)]

        cases.append(from_words(f"match.any.sync.b{bits_of}", f"{head}match.any.sync.b{bits_of} %r20, {operand}, {mask};",
                                count, ["%r20"], value))
        cases.append(from_words(f"match.all.sync.b{bits_of}", f"{head}match.all.sync.b{bits_of} %r20, {operand}, {mask};",
                                count, ["%r20"], value))
        cases.append(from_words(f"match.all.sync.b{bits_of} with predicate",
                                f"{head}match.all.sync.b{bits_of} %r20|%p1, {operand}, {mask};\nselp.u32 %r21, 1, 0, %p1;",
                                count, ["%r20", "%r21"], value))
    return cases


def make_reductions():
    cases = []
    kinds = [(op, kind) for op in ("add", "min", "max") for kind in ("u32", "s32")]
    kinds += [(op, "b32") for op in ("and", "or", "xor")]
    for op, kind in kinds:
        for source, value in (("words", any_word), ("few words", few)):
            cases.append(from_words(f"redux.sync.{op}.{kind} of {source}", f"redux.sync.{op}.{kind} %r20, %r10, %r11;", 1,
                                    ["%r20"], value))
    elect = from_words("elect.sync", "elect.sync %r20|%p1, %r11;\nselp.u32 %r21, 1, 0, %p1;", 1, ["%r20", "%r21"], few)
    elect.rule = "elect"  # the schedule of the simulated machine draws the lane
    cases.append(elect)
    return cases


def make_barriers():
    """bar.red and barriers with a predicate, over four warps."""
    cases = []
    for op, kind in (("popc", "u32"), ("and", "pred"), ("or", "pred")):
        for negated in ("", "!"):
            name = f"barrier.cta.red.{op}.{kind} of {negated}p"
            random = generator(name)
            result = "%r20" if op == "popc" else "%p2"
            body = [load_words(1, 128), "setp.ne.u32 %p1, %r10, 0;",
                    f"barrier.cta.red.{op}.aligned.{kind} {result}, 1, {negated}%p1;"]
            if op != "popc":
                body.append("selp.u32 %r20, 1, 0, %p2;")
            body.append(store_words(["%r20"], 128))
            rows = [[bits(random, cta) for _ in range(128)] for cta in range(WARPS)]
            cases.append(Case(name, "\n".join(body), partial(pack_words, rows), 512 * WARPS, threads=128, grid=WARPS))
    return cases


def make_cases():
    return make_shuffles() + make_votes() + make_matches() + make_reductions() + make_barriers()
