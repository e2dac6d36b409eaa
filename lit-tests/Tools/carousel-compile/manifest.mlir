// The manifest of a kernel with two variants: arguments, parameters, tensor maps, guards, expressions.
// RUN: rm -rf %t.pkg
// RUN: carousel-compile %s -o %t.pkg --chip sm_90a --no-cubin --quiet | count 0
// RUN: FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.pkg/manifest.json
// RUN: carousel-compile %s -o %t-32.pkg --chip sm_90a --no-cubin --quiet --index-bitwidth=32
// RUN: grep -c '"index_bits": 32' %t-32.pkg/manifest.json | FileCheck %s --check-prefix=NARROW
// NARROW: 2

// The same input gives the same bytes.
// RUN: carousel-compile %s -o %t-again.pkg --chip sm_90a --no-cubin --quiet
// RUN: diff -r %t.pkg %t-again.pkg

#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile = !carousel.tensor_map<64x32xf32, swizzle = b128, promotion = b256, fill = nan>
!halves = !carousel.tensor_map<2x64xu16>
!pixels = !carousel.tensor_map<64x16xbf16, mode = im2col, rank = 4, swizzle = b32, lower = [-1, -2], upper = [1, 2], strides = [1, 2, 2, 1]>

gpu.module @scale {
  gpu.func @scale_tiled(
      %src: !tile {carousel.encode = #carousel.encode<argument = 0>},
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %n: i32 {carousel.argument = #carousel.argument<"n">},
      %y: memref<4x?xi1, #gl>,
      %halves: !halves {carousel.encode = #carousel.encode<argument = 0,
          extents = [extent(0, 0) - 1, extent(0, 1) * 2], strides = [stride(0, 0) * 4],
          offset = stride(0, 0) * 4>},
      %z: memref<?x8x8x16xbf16, #gl> {carousel.argument = #carousel.argument<"z", out>},
      %pixels: !pixels {carousel.encode = #carousel.encode<argument = 3>}) kernel
    attributes {
      carousel.variant = #carousel.variant<kernel = "scale", guards = [
        capability(90), capability(80, 120), aligned(0, 16), divisible(stride(0, 0), 4),
        range(scalar(1), -5, 4096), equal(floordiv(extent(0, 1), 2), mod(extent(2, 1), 7))]>,
      carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 64) * extent(0, 1), sms * 3), max(scalar(1), 1)],
        block = [64, 2], cluster = [2], shared = 65536>} {
    gpu.return
  }
  gpu.func @scale_plain(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %n: i32 {carousel.argument = #carousel.argument<"n">},
      %y: memref<4x?xi1, #gl>,
      %z: memref<?x8x8x16xbf16, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel
    attributes {
      carousel.variant = #carousel.variant<kernel = "scale">,
      carousel.launch = #carousel.launch<grid = [7], block = [32]>} {
    gpu.return
  }
}

//      CHECK:{
// CHECK-NEXT:  "format": "carousel-package",
// CHECK-NEXT:  "version": 3,
// CHECK-NEXT:  "producer": "carousel {{[0-9.]+}}",
// CHECK-NEXT:  "modules": [
// CHECK-NEXT:    {
// CHECK-NEXT:      "name": "scale",
// CHECK-NEXT:      "images": [
// CHECK-NEXT:        {"chip":"sm_90a","kind":"ptx","file":"scale.sm_90a.ptx","bytes":{{[0-9]+}},"hash":"{{[0-9a-f]+}}"}
// CHECK-NEXT:      ]
// CHECK-NEXT:    }
// CHECK-NEXT:  ],
// CHECK-NEXT:  "kernels": [
// CHECK-NEXT:    {
// CHECK-NEXT:      "name": "scale",
// CHECK-NEXT:      "arguments": [
// CHECK-NEXT:        {"name":"x","kind":"tensor","access":"in","element":"f32","extents":[null,null],"strides":[null,1]},
// CHECK-NEXT:        {"name":"n","kind":"scalar","access":"in","element":"i32"},
// CHECK-NEXT:        {"name":"arg2","kind":"tensor","access":"inout","element":"i1","extents":[4,null],"strides":"contiguous"},
// CHECK-NEXT:        {"name":"z","kind":"tensor","access":"out","element":"bf16","extents":[null,8,8,16],"strides":"contiguous"}
// CHECK-NEXT:      ],
// CHECK-NEXT:      "variants": [
// CHECK-NEXT:        {
// CHECK-NEXT:          "function": "scale_tiled",
// CHECK-NEXT:          "module": "scale",
// CHECK-NEXT:          "chips": ["sm_90a"],
// CHECK-NEXT:          "guards": [
// CHECK-NEXT:            {"kind":"capability","min":90,"max":null},
// CHECK-NEXT:            {"kind":"capability","min":80,"max":120},
// CHECK-NEXT:            {"kind":"aligned","argument":0,"bytes":16},
// CHECK-NEXT:            {"kind":"divisible","value":["stride",0,0],"by":4},
// CHECK-NEXT:            {"kind":"range","value":["scalar",1],"min":-5,"max":4096},
// CHECK-NEXT:            {"kind":"equal","left":["floordiv",["extent",0,1],2],"right":["mod",["extent",2,1],7]}
// CHECK-NEXT:          ],
// CHECK-NEXT:          "index_bits": 64,
// CHECK-NEXT:          "parameters": [
// CHECK-NEXT:            {"kind":"tensor_map","map":0},
// CHECK-NEXT:            {"kind":"pointer","argument":0},
// CHECK-NEXT:            {"kind":"extent","argument":0,"dim":0},
// CHECK-NEXT:            {"kind":"extent","argument":0,"dim":1},
// CHECK-NEXT:            {"kind":"stride","argument":0,"dim":0},
// CHECK-NEXT:            {"kind":"scalar","argument":1},
// CHECK-NEXT:            {"kind":"pointer","argument":2},
// CHECK-NEXT:            {"kind":"extent","argument":2,"dim":1},
// CHECK-NEXT:            {"kind":"tensor_map","map":1},
// CHECK-NEXT:            {"kind":"pointer","argument":3},
// CHECK-NEXT:            {"kind":"extent","argument":3,"dim":0},
// CHECK-NEXT:            {"kind":"tensor_map","map":2}
// CHECK-NEXT:          ],
// CHECK-NEXT:          "tensor_maps": [
// CHECK-NEXT:            {
// CHECK-NEXT:              "argument": 0,
// CHECK-NEXT:              "element": "f32",
// CHECK-NEXT:              "mode": "tile",
// CHECK-NEXT:              "box": [64,32],
// CHECK-NEXT:              "element_strides": [1,1],
// CHECK-NEXT:              "lower": [],
// CHECK-NEXT:              "upper": [],
// CHECK-NEXT:              "swizzle": "b128",
// CHECK-NEXT:              "interleave": "none",
// CHECK-NEXT:              "promotion": "b256",
// CHECK-NEXT:              "fill": "nan",
// CHECK-NEXT:              "extents": {{\[}}["extent",0,0],["extent",0,1]],
// CHECK-NEXT:              "strides": {{\[}}["mul",["stride",0,0],4]],
// CHECK-NEXT:              "offset": 0
// CHECK-NEXT:            },
// CHECK-NEXT:            {
// CHECK-NEXT:              "argument": 0,
// CHECK-NEXT:              "element": "u16",
// CHECK-NEXT:              "mode": "tile",
// CHECK-NEXT:              "box": [2,64],
// CHECK-NEXT:              "element_strides": [1,1],
// CHECK-NEXT:              "lower": [],
// CHECK-NEXT:              "upper": [],
// CHECK-NEXT:              "swizzle": "none",
// CHECK-NEXT:              "interleave": "none",
// CHECK-NEXT:              "promotion": "none",
// CHECK-NEXT:              "fill": "zero",
// CHECK-NEXT:              "extents": {{\[}}["sub",["extent",0,0],1],["mul",["extent",0,1],2]],
// CHECK-NEXT:              "strides": {{\[}}["mul",["stride",0,0],4]],
// CHECK-NEXT:              "offset": ["mul",["stride",0,0],4]
// CHECK-NEXT:            },
// CHECK-NEXT:            {
// CHECK-NEXT:              "argument": 3,
// CHECK-NEXT:              "element": "bf16",
// CHECK-NEXT:              "mode": "im2col",
// CHECK-NEXT:              "box": [64,16],
// CHECK-NEXT:              "element_strides": [1,2,2,1],
// CHECK-NEXT:              "lower": [-1,-2],
// CHECK-NEXT:              "upper": [1,2],
// CHECK-NEXT:              "swizzle": "b32",
// CHECK-NEXT:              "interleave": "none",
// CHECK-NEXT:              "promotion": "none",
// CHECK-NEXT:              "fill": "zero",
// CHECK-NEXT:              "extents": {{\[}}["extent",3,0],["extent",3,1],["extent",3,2],["extent",3,3]],
// CHECK-NEXT:              "strides": {{\[}}["mul",["stride",3,0],2],["mul",["stride",3,1],2],["mul",["stride",3,2],2]],
// CHECK-NEXT:              "offset": 0
// CHECK-NEXT:            }
// CHECK-NEXT:          ],
// CHECK-NEXT:          "grid": {{\[}}["min",["mul",["ceildiv",["extent",0,0],64],["extent",0,1]],["mul","sms",3]],["max",["scalar",1],1],1],
// CHECK-NEXT:          "block": [64,2,1],
// CHECK-NEXT:          "cluster": [2,1,1],
// CHECK-NEXT:          "dynamic_shared": 65536
// CHECK-NEXT:        },
// CHECK-NEXT:        {
// CHECK-NEXT:          "function": "scale_plain",
// CHECK-NEXT:          "module": "scale",
// CHECK-NEXT:          "chips": ["sm_90a"],
// CHECK-NEXT:          "guards": [],
// CHECK-NEXT:          "index_bits": 64,
// CHECK-NEXT:          "parameters": [
// CHECK-NEXT:            {"kind":"pointer","argument":0},
// CHECK-NEXT:            {"kind":"extent","argument":0,"dim":0},
// CHECK-NEXT:            {"kind":"extent","argument":0,"dim":1},
// CHECK-NEXT:            {"kind":"stride","argument":0,"dim":0},
// CHECK-NEXT:            {"kind":"scalar","argument":1},
// CHECK-NEXT:            {"kind":"pointer","argument":2},
// CHECK-NEXT:            {"kind":"extent","argument":2,"dim":1},
// CHECK-NEXT:            {"kind":"pointer","argument":3},
// CHECK-NEXT:            {"kind":"extent","argument":3,"dim":0}
// CHECK-NEXT:          ],
// CHECK-NEXT:          "tensor_maps": [],
// CHECK-NEXT:          "grid": [7,1,1],
// CHECK-NEXT:          "block": [32,1,1],
// CHECK-NEXT:          "cluster": [1,1,1],
// CHECK-NEXT:          "dynamic_shared": 0
// CHECK-NEXT:        }
// CHECK-NEXT:      ]
// CHECK-NEXT:    }
// CHECK-NEXT:  ]
// CHECK-NEXT:}
