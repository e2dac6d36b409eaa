# ===- lit.cfg.py - how lit runs Carousel's tests -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# Read after lit.site.cfg.py in the build tree, which knows the paths.
#
# Substitutions: %carousel_plugin (the plugin's shared object), %cuda_root, %ptxas,
# %source_root, %binary_root, %llvm_root, %python, %fake_driver_dir (a libcuda without a GPU), %nvrtc (the library), %nvcc.
# Features: asserts, in a build with assertions; ptxas, nvrtc and nvcc, where a CUDA toolkit has them; libdevice, where LLVM has clang, too. With --param require=ptxas,nvrtc a
# run without them is an error; otherwise the tests that need them are left out. long, with --param long=1: runs of many
# mutants, random programs and cases, which take minutes. products.py leaves out tests of products that aren't built.
#
# ===------------------------------------------------------------------------===#

import os
import shutil
import subprocess
import sys

from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "Carousel"
sys.path.insert(0, os.path.dirname(__file__))
from products import ProductTest  # noqa: E402

config.test_format = ProductTest([product for product, built in config.products.items() if built != "ON"])
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.carousel_binary_dir, "lit-tests")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "TMPDIR"])

tool_dirs = [config.carousel_tools_dir, config.llvm_tools_dir]
llvm_config.with_environment("PATH", tool_dirs, append_path=True)
llvm_config.add_tool_substitutions(
    [
        ToolSubst("carousel-opt", unresolved="fatal"),
        ToolSubst("carousel-translate", unresolved="fatal"),
        ToolSubst("carousel-compile", unresolved="fatal"),
        ToolSubst("carousel-run", unresolved="ignore"),
        ToolSubst("carousel-tune", unresolved="ignore"),
        ToolSubst("carousel-p2p", unresolved="ignore"),
        ToolSubst("carousel-sim", unresolved="ignore"),
        ToolSubst("carousel-mutate", unresolved="ignore"),
        ToolSubst("carousel-ptx", unresolved="ignore"),
        ToolSubst("carousel-check", unresolved="ignore"),
        ToolSubst("carousel-ptx-values", unresolved="ignore"),
        "mlir-opt",
        "mlir-translate",
        "FileCheck",
        "not",
        "split-file",
    ],
    tool_dirs,
)

# A build that names no toolkit takes the one on PATH, as the tools do.
cuda_root = config.cuda_root
if not cuda_root and shutil.which("ptxas"):
    cuda_root = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("ptxas"))))
ptxas = os.path.join(cuda_root, "bin", "ptxas")
# Found through a version manager's shim, Python would take three times as long to start.
python = subprocess.check_output([config.python_executable, "-c", "import sys; print(sys.executable)"], text=True).strip()
config.substitutions += [
    ("%carousel_plugin", config.carousel_plugin),
    ("%cuda_root", cuda_root),
    ("%ptxas", ptxas),
    ("%source_root", config.carousel_source_dir),
    ("%binary_root", config.carousel_binary_dir),
    ("%llvm_root", os.path.dirname(config.llvm_tools_dir)),
    ("%python", python),
    ("%fake_driver_dir", os.path.join(config.carousel_binary_dir, "fake-driver")),
]
if config.has_assertions:
    config.available_features.add("asserts")
if os.access(ptxas, os.X_OK):
    config.available_features.add("ptxas")
# Its functions can be compiled for the host.
if os.path.exists(os.path.join(cuda_root, "nvvm/libdevice/libdevice.10.bc")) and shutil.which("clang", path=config.llvm_tools_dir):
    config.available_features.add("libdevice")
sys.path.insert(0, os.path.join(config.carousel_source_dir, "scripts/modules"))
from nvrtc import find_library  # noqa: E402

nvrtc = find_library(cuda_root) if cuda_root else None
if nvrtc:
    config.available_features.add("nvrtc")
nvcc = os.path.join(cuda_root, "bin", "nvcc")
if os.access(nvcc, os.X_OK):
    config.available_features.add("nvcc")
config.substitutions += [("%nvrtc", str(nvrtc)), ("%nvcc", nvcc)]
if lit_config.params.get("long"):
    config.available_features.add("long")
# --param code=llvm,nvrtc: whatever simulate-lowered runs, it runs as PTX, too.
# Tests are of the code that this build makes.
config.environment["CAROUSEL_CACHE_DISABLE"] = "1"
config.environment["CAROUSEL_CODE"] = lit_config.params.get("code", "")
if nvrtc:
    config.environment["CAROUSEL_NVRTC"] = str(nvrtc)
for feature in filter(None, lit_config.params.get("require", "").split(",")):
    if feature not in config.available_features:
        lit_config.fatal(f"expected {feature} in the CUDA toolkit '{cuda_root}', as --param require says, got none")
