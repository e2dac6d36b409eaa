# ===- products.py - which products a lit test needs ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Leaves out the tests of products that a build lacks (docs/FourProducts.md).

A test needs a product if it lies in a folder of it, or if its text names a tool or a form of it. So no test has to
say so, and a new one can't forget it.
"""

import re

import lit.formats
from lit.Test import Result, UNSUPPORTED

# Scripts run tools of their own.
SIMULATES = (r"\bcarousel-(sim|mutate|ptx|ptx-values)\b|scripts/(random-|simulate-|block-examples|block-matrix|"
             r"pipeline-matrix|mutation-|op-matrix)")
LAUNCHES = (r"\bcarousel-(run|tune|p2p|comm-device|make-test-package|link-test-package)\b|fake_driver_dir|"
            r"PYTHONPATH|libCarouselCompiler|libcarousel_runtime|share/carousel")
# carousel-sim reads packages as the runtime does; the pages run all tools.
NEEDS = {
    "graph": (r"Docs/|Passes/Graph/|Simulator/graph-|Tools/(carousel-import|device-models|zoo)/",
              r"tensor<|carousel-graph-to-block|carousel-import|scripts/(zoo|graphs/)|carousel\.program|examples/graph"),
    "simulator": (r"Docs/|Simulator/|Tools/(carousel-(sim|mutate|ptx|ptx-values)|simulate-lowered|timeline)/", SIMULATES),
    "runtime": (r"Docs/|Tools/(carousel-(run|tune|p2p|sim)|python|device-.*)/",
                f"{LAUNCHES}|{SIMULATES}"),
}


class ProductTest(lit.formats.ShTest):
    """Shell tests of the products that are built; `missing` has the others."""

    def __init__(self, missing):
        super().__init__(execute_external=False)
        self.missing = missing

    def execute(self, test, lit_config):
        if self.missing:
            with open(test.getSourcePath(), encoding="utf-8", errors="replace") as file:
                text = file.read()
            for product in self.missing:
                folders, words = NEEDS[product]
                if re.match(folders, "/".join(test.path_in_suite)) or re.search(words, text):
                    return Result(UNSUPPORTED, f"this build is without the {product} product")
        return super().execute(test, lit_config)
