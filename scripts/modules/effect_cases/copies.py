# ===- copies.py - asynchronous copies, and memory of other CTAs --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Cases of cp.async, of bulk copies and reductions, and of accesses to shared memory of another CTA of the cluster."""

from functools import partial

from . import tensors
from .case import WAIT, Case, dump_shared, fill_shared, generator, load_words, store_words, words
from .numbers import hostile, words_of

# A barrier that one thread arrives at, with the bytes of a copy.
BARRIER = """.shared .align 8 .b64 full;
mov.u32 %r50, full;
mov.u32 %r51, tile;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r50], 1;
@%p1 fence.mbarrier_init.release.cluster;
fence.proxy.async;
{sync}"""
SYNC = "bar.sync 0;"
CLUSTER_SYNC = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"


def expect(count):
    return f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r50], {count};"


def random_words(random, count):
    return words([random.getrandbits(32) for _ in range(count)])


# ===- cp.async --------------------------------------------------------------------===#


def make_thread_copies():
    """Each lane has a source of its own, and a slot of 16 bytes that has other bytes before the copy."""
    cases = []
    for caching, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        for prefetch in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
            for last in ("", "register", "predicate"):
                name = f"cp.async.{caching}.shared.global{prefetch} of {size} bytes{', ' if last else ''}{last}"
                random = generator(name)
                lanes = [[512 + size * random.randrange(1024 // size), random.randint(0, size)] for _ in range(32)]
                data = words([lane[i] for i in range(2) for lane in lanes])
                data += bytes(512 - len(data)) + random_words(random, 256)
                operand = {"": "", "register": ", %r11", "predicate": ", %p3"}[last]
                body = [load_words(2, 32), "mov.u32 %r4, tile;", "mad.lo.u32 %r4, %r1, 16, %r4;",
                        "st.shared.v4.b32 [%r4], {%r10, %r11, %r1, %r1};", "cvt.u64.u32 %d10, %r10;",
                        "add.u64 %d10, %d10, %d1;", "setp.gt.u32 %p3, %r11, 2;",
                        f"cp.async.{caching}.shared.global{prefetch} [%r4], [%d10], {size}{operand};", "cp.async.wait_all;",
                        SYNC, dump_shared(512, 32)]
                cases.append(Case(name, "\n".join(body), partial(bytes, data), 512, shared=512))
    return cases


# ===- Bulk copies ------------------------------------------------------------------===#


def make_bulk_loads():
    cases = []
    for space in ("shared::cluster", "shared::cta"):
        for size, source, target in ((16, 0, 0), (16, 48, 1008), (48, 16, 32), (256, 0, 256), (512, 496, 16), (1024, 0, 0)):
            name = f"cp.async.bulk.{space}.global of {size} bytes, {source} to {target}"
            random = generator(name)
            body = [fill_shared(1024, 32, offset=1024), BARRIER.format(sync=SYNC), expect(size),
                    f"add.u32 %r52, %r51, {target};", f"add.u64 %d10, %d1, {source};",
                    f"@%p1 cp.async.bulk.{space}.global.mbarrier::complete_tx::bytes [%r52], [%d10], {size}, [%r50];", WAIT,
                    dump_shared(1024, 32)]
            cases.append(Case(name, "\n".join(body), partial(random_words, random, 512), 1024, shared=1024))
    for size, source, target in ((16, 0, 0), (48, 1008 - 32, 32), (256, 16, 512), (1024, 0, 0)):
        name = f"cp.async.bulk.global.shared::cta of {size} bytes, {source} to {target}"
        body = [fill_shared(1024, 32), "fence.proxy.async;", SYNC, "mov.u32 %r51, tile;", "setp.eq.u32 %p1, %r1, 0;",
                f"add.u32 %r52, %r51, {source};", f"add.u64 %d10, %d2, {target};",
                f"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d10], [%r52], {size};",
                "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"]
        cases.append(Case(name, "\n".join(body), partial(random_words, generator(name), 256), 1024, shared=1024))
    return cases


REDUCTIONS = [(op, kind) for op in ("and", "or", "xor") for kind in ("b32", "b64")]
REDUCTIONS += [("add", kind) for kind in ("u32", "s32", "u64", "s64", "f32", "f64")] + [("inc", "u32"), ("dec", "u32")]
REDUCTIONS += [(op, kind) for op in ("min", "max") for kind in ("u32", "s32", "u64", "s64", "f16", "bf16")]
REDUCTIONS += [("add.noftz", kind) for kind in ("f16", "bf16")]


def make_bulk_reductions():
    """Of shared memory to global memory, which is the outputs; and to shared memory of another CTA."""
    cases = []
    for op, kind in REDUCTIONS:
        name = f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{kind}"
        data = words(words_of(hostile, generator(name), kind, 512))
        body = [fill_shared(1024, 32), "mad.wide.u32 %d5, %r1, 16, %d1;\nmad.wide.u32 %d6, %r1, 16, %d2;"]
        body += [f"ld.global.v4.b32 {{%r5, %r6, %r7, %r8}}, [%d5+{1024 + at}];\n"
                 f"st.global.v4.b32 [%d6+{at}], {{%r5, %r6, %r7, %r8}};" for at in (0, 512)]
        body += ["fence.proxy.async;", SYNC, "mov.u32 %r51, tile;", "setp.eq.u32 %p1, %r1, 0;",
                 f"@%p1 {name} [%d2], [%r51], 1024;", "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"]
        cases.append(Case(name, "\n".join(body), partial(bytes, data), 1024, shared=1024, kind=kind))
    remote = [(op, "b32") for op in ("and", "or", "xor")] + [(op, kind) for op in ("add", "min", "max") for kind in
                                                             ("u32", "s32")]
    for op, kind in [*remote, ("add", "u64"), ("inc", "u32"), ("dec", "u32"), ("", "")]:
        reduces = f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{kind}"
        name = reduces if op else "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        data = words(words_of(hostile, generator(name), kind or "b32", 1024))
        body = [f"mad.wide.u32 %d1, %r2, 2048, %d1;\n{fill_shared(2048, 32)}", BARRIER.format(sync=CLUSTER_SYNC), expect(1024),
                "xor.b32 %r53, %r2, 1;", "add.u32 %r54, %r51, 1024;", "mapa.shared::cluster.u32 %r55, %r51, %r53;",
                "mapa.shared::cluster.u32 %r56, %r50, %r53;", f"@%p1 {name} [%r55], [%r54], 1024, [%r56];", WAIT,
                CLUSTER_SYNC, dump_shared(1024, 32)]
        cases.append(Case(name, "\n".join(body), partial(bytes, data), 2048, grid=2, cluster=2, shared=2048, kind=kind or "b32"))
    return cases


# ===- Shared memory of another CTA -------------------------------------------------===#


def remote_case(name, lines, waits=False):
    """Four CTAs have 512 bytes each. %r53 is a CTA's partner, and %r55 an address in its memory for the lane."""
    body = [f"mad.wide.u32 %d1, %r2, 512, %d1;\n{fill_shared(512, 32)}", BARRIER.format(sync=CLUSTER_SYNC)]
    body += [expect(512)] * waits + ["mad.lo.u32 %r53, %r2, 3, 1;\nand.b32 %r53, %r53, 3;", "mad.lo.u32 %r54, %r1, 16, %r51;",
             "mapa.shared::cluster.u32 %r55, %r54, %r53;", "mapa.shared::cluster.u32 %r56, %r50, %r53;",
             "mad.wide.u32 %d5, %r1, 16, %d1;\nld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%d5];"]
    body += lines + [WAIT] * waits + [CLUSTER_SYNC, dump_shared(512, 32)]
    return Case(name, "\n".join(body), partial(random_words, generator(name), 512), 2048, grid=4, cluster=4, shared=512)


def make_remote_accesses():
    """CTA c has the partner (3c + 1) mod 4, so that each is a partner of one."""
    cases = [remote_case("ld.shared::cluster.v4.b32", [
        "ld.shared::cluster.v4.b32 {%r30, %r31, %r32, %r33}, [%r55];", CLUSTER_SYNC,
        "st.shared.v4.b32 [%r54], {%r30, %r31, %r32, %r33};"])]
    cases.append(remote_case("st.shared::cluster.v4.b32", ["st.shared::cluster.v4.b32 [%r55], {%r23, %r22, %r21, %r20};"]))
    cases.append(remote_case("ld.b32, generic, of mapa.u64", [
        "cvt.u64.u32 %d20, %r54;", "cvta.shared.u64 %d20, %d20;", "mapa.u64 %d21, %d20, %r53;", "ld.b32 %r30, [%d21+4];",
        "getctarank.u64 %r31, %d21;", "getctarank.shared::cluster.u32 %r32, %r55;", CLUSTER_SYNC,
        "st.shared.v4.b32 [%r54], {%r30, %r31, %r32, %r53};"]))
    for op in ("add.u32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "inc.u32", "dec.u32", "add.f32", "exch.b32"):
        if not op.startswith("exch"):
            cases.append(remote_case(f"red.relaxed.cluster.shared::cluster.{op}", [
                f"red.relaxed.cluster.shared::cluster.{op} [%r55], %r21;"]))
        cases.append(remote_case(f"atom.relaxed.cluster.shared::cluster.{op}, remote", [
            f"atom.relaxed.cluster.shared::cluster.{op} %r30, [%r55], %r21;", CLUSTER_SYNC,
            "st.shared.b32 [%r54+4], %r30;"]))
    cases.append(remote_case("st.async.v4.b32", [
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r55], {%r23, %r22, %r21, %r20}, [%r56];"], waits=True))
    for op in ("add.u32", "inc.u32", "dec.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.s32",
               "add.s32"):
        text = f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}"
        cases.append(remote_case(text, [f"{text} [%r55+{4 * i}], %r{20 + (i + 1) % 4}, [%r56];" for i in range(4)], waits=True))
    return cases


def make_packed_moves():
    """Vectors of loads and stores, with elements smaller than their registers."""
    cases = []
    for kind, register in (("u8", "r"), ("s8", "r"), ("b16", "h"), ("u16", "r"), ("s16", "r"), ("b32", "r"), ("b64", "d")):
        for count in (1, 2, 4):
            size = {"u8": 1, "s8": 1, "b64": 8, "b32": 4}.get(kind, 2) * count
            if size > 16:
                continue
            vector = f".v{count}" if count > 1 else ""
            names = [f"%{register}{10 + i}" for i in range(count)]
            operand = "{" + ", ".join(names) + "}" if count > 1 else names[0]
            name = f"ld.global{vector}.{kind}"
            body = [f"mad.wide.u32 %d5, %r1, {size}, %d1;", f"{name} {operand}, [%d5];"]
            results = []
            for i, register_name in enumerate(names):
                if register == "r":
                    results.append(register_name)
                elif register == "h":
                    body.append(f"cvt.u32.u16 %r{20 + i}, {register_name};")
                    results.append(f"%r{20 + i}")
                else:
                    body.append(f"mov.b64 {{%r{20 + 2 * i}, %r{21 + 2 * i}}}, {register_name};")
                    results += [f"%r{20 + 2 * i}", f"%r{21 + 2 * i}"]
            body.append(store_words(results, 32))
            cases.append(Case(name, "\n".join(body), partial(random_words, generator(name), 8 * size), 128 * len(results)))
    return cases


def make_cases():
    return make_thread_copies() + make_bulk_loads() + make_bulk_reductions() + make_remote_accesses() + make_packed_moves() + \
        tensors.make_cases()
