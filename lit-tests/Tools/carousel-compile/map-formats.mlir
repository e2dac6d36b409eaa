// Every format of a tensor map goes from its type to the manifest, and the runtime reads it.
// RUN: rm -rf %t.pkg
// RUN: carousel-compile %s -o %t.pkg --chip sm_100a --no-cubin --quiet
// RUN: FileCheck %s --input-file=%t.pkg/manifest.json
// RUN: carousel-run %t.pkg | FileCheck %s --check-prefix=READ
// READ: formats

//      CHECK: "box": [2,3,4]
// CHECK-NEXT: "element_strides": [1,2,1]
//      CHECK: "interleave": "b16"
//      CHECK: "fill": "nan"
//      CHECK: "box": [1,1,8]
//      CHECK: "swizzle": "b32"
// CHECK-NEXT: "interleave": "b32"
//      CHECK: "element": "u8"
//      CHECK: "swizzle": "b128_atom_32b"
//      CHECK: "promotion": "b64"
//      CHECK: "element": "b4x16"
//      CHECK: "element": "b6x16_p32"
//      CHECK: "swizzle": "b128"
//      CHECK: "mode": "im2col"
// CHECK-NEXT: "box": [8,4]
// CHECK-NEXT: "element_strides": [1,1,1,1]
// CHECK-NEXT: "lower": [-128,0]
// CHECK-NEXT: "upper": [127,0]
//      CHECK: "mode": "im2col_w"
//      CHECK: "lower": [-1]
// CHECK-NEXT: "upper": [1]
// CHECK-NEXT: "swizzle": "b64"
//      CHECK: "mode": "im2col_w_128"
// CHECK-NEXT: "box": [128,4]

#gl = #gpu.address_space<global>
!f32x3 = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>, #gl>
!f32x4 = memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #gl>
!f32x5 = memref<?x?x?x?x?xf32, strided<[?, ?, ?, ?, 1], offset: ?>, #gl>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>

gpu.module @formats {
  gpu.func @formats(%a: !f32x3, %b: !bytes, %c: !f32x4, %d: !f32x5,
      %m0: !carousel.tensor_map<2x3x4xf32, interleave = b16, fill = nan, strides = [1, 2, 1]> {carousel.encode = #carousel.encode<argument = 0>},
      %m1: !carousel.tensor_map<1x1x8xf32, swizzle = b32, interleave = b32> {carousel.encode = #carousel.encode<argument = 0>},
      %m2: !carousel.tensor_map<8x128xu8, swizzle = b128_atom_32b, promotion = b64> {carousel.encode = #carousel.encode<argument = 1>},
      %m3: !carousel.tensor_map<128xb4x16> {carousel.encode = #carousel.encode<argument = 1, extents = [extent(1, 1) * 2]>},
      %m4: !carousel.tensor_map<128xb6x16_p32, swizzle = b128> {carousel.encode = #carousel.encode<argument = 1, extents = [128]>},
      %m5: !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [-128, 0], upper = [127, 0]> {carousel.encode = #carousel.encode<argument = 2>},
      %m6: !carousel.tensor_map<8x4xf32, mode = im2col_w, rank = 4, swizzle = b64, lower = [-1], upper = [1]> {carousel.encode = #carousel.encode<argument = 2>},
      %m7: !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 5, swizzle = b64, lower = [-1], upper = [1]> {carousel.encode = #carousel.encode<argument = 3>}) kernel
    attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}
