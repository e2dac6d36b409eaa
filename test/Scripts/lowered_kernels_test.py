# ===- lowered_kernels_test.py - tests of scripts/modules/lowered_kernels.py -------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What scripts read in the text of lowered modules, and which guards hold for the values of a command line."""

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts/modules"))
from lowered_kernels import Failure, find_call, find_serving  # noqa: E402
from random_kernels.guards import find_kernels, find_refusal  # noqa: E402

SOURCE = """
gpu.module @m {
  gpu.func @copy(%x: memref<?x4xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"kernel", in>}, \
%n: index, %w: memref<2x?xi32> {carousel.argument = #carousel.argument<"w", inout>, \
carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 64)]>}) \
workgroup(%t : memref<4xf32, #gpu.address_space<workgroup>>) kernel attributes {ATTRIBUTES} {
    gpu.return
  }
  gpu.func @copy_it(%x: memref<f64>) kernel {
    gpu.return
  }
  gpu.func @helper(%x: index) {
    gpu.return
  }
}
"""
VARIANT = '#carousel.variant<kernel = "KERNEL"GUARDS>'


def make_source(kernel=None):
    variant = f"carousel.variant = {VARIANT.replace('KERNEL', kernel).replace('GUARDS', '')}" if kernel else "a"
    return SOURCE.replace("ATTRIBUTES", variant)


def make_lowered(guards="", parameters="", name="copy_tma", kernel="copy"):
    guards = f", guards = [{guards}]" if guards else ""
    variant = VARIANT.replace("KERNEL", kernel).replace("GUARDS", guards)
    return (f"gpu.module @m {{\n  gpu.func @{name}(%x: memref<?x4xf32>{parameters}) kernel attributes "
            f"{{a = affine_map<(d0) -> (d0)>, carousel.variant = {variant}, b}} {{\n    gpu.return\n  }}\n}}\n")


WORDS = ["--kernel", "@copy", "--arg", "kernel=random:130x4@16x1:5", "--arg=arg1=0x10", "--multiprocessors=2"]


class LoweredKernels(unittest.TestCase):
    def refuse(self, guards="", parameters="", words=tuple(WORDS), chip="sm_80"):
        _, call = find_call(make_source(), list(words))
        variant = find_kernels(make_lowered(guards, parameters))[0]
        return find_refusal(variant, call, chip, call.multiprocessors)

    def test_kernels_of_a_text(self):
        kernels = find_kernels(make_source())
        self.assertEqual([kernel.name for kernel in kernels], ["copy", "copy_it"])
        self.assertEqual([parameter.type for parameter in kernels[0].parameters],
                         ["memref<?x4xf32, #gpu.address_space<global>>", "index", "memref<2x?xi32>"])

    def test_arguments(self):
        name, call = find_call(make_source(), WORDS)
        x, n, w = call.arguments
        self.assertEqual((name, call.multiprocessors), ("@copy", 2))
        self.assertEqual((x.name, x.element, x.extents, x.strides), ("kernel", "f32", [130, 4], [16, 1]))
        self.assertEqual((n.name, n.number), ("arg1", 16))
        self.assertEqual((w.extents, w.strides), ([2, 3], [3, 1]))

    def test_arrays_of_files(self):
        for backwards, strides in (("False", [4, 1]), ("True", [1, 3])):
            header = f"{{'descr': '<f4', 'fortran_order': {backwards}, 'shape': (3, 4), }}\n".encode()
            with tempfile.NamedTemporaryFile(suffix=".npy") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
                file.flush()
                words = ["--kernel", "copy", "--arg", f"kernel={file.name}", "--arg", "arg1=1"]
                x = find_call(make_source(), words)[1].arguments[0]
            self.assertEqual((x.extents, x.strides), ([3, 4], strides))

    def test_wrong_command_lines(self):
        for words in (WORDS[2:], [*WORDS, "--kernel=@copy"], ["--kernel", "@none"], WORDS[:4],
                      [*WORDS[:3], "kernel=random"], [*WORDS[:3], "kernel=like:kernel"],
                      [*WORDS[:3], "kernel=random:3y4"], [*WORDS[:3], __file__ + ".npy"]):
            with self.assertRaises(Failure, msg=words):
                find_call(make_source(), words)

    def test_guards(self):
        for guard, found in (("divisible(extent(0, 0), 4)", "130"), ("range(scalar(1), 0, 15)", "16"),
                             ("equal(stride(0, 0), extent(0, 1))", "16 and 4"), ("capability(90)", "80"),
                             ("divisible(sms + floordiv(extent(0, 0), 4), 4)", "34")):
            self.assertEqual(self.refuse(f"aligned(0, 16), {guard}"), f"expected {guard}, got {found}")
        self.assertIsNone(self.refuse("capability(80, 86), divisible(extent(0, 0), 2), range(scalar(1), 16, 16), "
                                      "equal(mod(extent(0, 0), 64), 2), aligned(0, 256)"))
        with self.assertRaises(ValueError):
            self.refuse("unheard_of(1)")

    def test_tensor_maps(self):
        encode = ", %map: !carousel.tensor_map<8x4xf32> {carousel.encode = #carousel.encode<argument = 0MORE>}"
        self.assertIsNone(self.refuse(parameters=encode.replace("MORE", "")))
        odd = [*WORDS[:3], "kernel=random:130x4@5x1", *WORDS[4:]]
        self.assertIn("got 20", self.refuse(parameters=encode.replace("MORE", ""), words=odd))
        one = [*WORDS[:3], "kernel=random:1x4@5x1", *WORDS[4:]]
        self.assertIsNone(self.refuse(parameters=encode.replace("MORE", ""), words=one))
        given = encode.replace("MORE", ", extents = [extent(0, 0) - 130, 4], strides = [64]")
        self.assertIn("got 0x4", self.refuse(parameters=given))

    def test_kernels_that_serve(self):
        names = ("copy_tma", "copy_it_tma", "copy", "copier")
        for kernel in ("copy", "public"):
            source = make_source(None if kernel == "copy" else kernel)
            lowered = "".join(make_lowered(name=name, kernel="copy_it" if name == "copy_it_tma" else kernel)
                              for name in names)
            for name in {kernel, "copy"}:
                self.assertEqual([variant.name for variant in find_serving(source, lowered, name)],
                                 ["copy_tma", "copy"])


if __name__ == "__main__":
    unittest.main()
