// Round trip of every type, and of every option of the tensor map.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

// CHECK-LABEL: func private @mbarrier
// CHECK-SAME: memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
// CHECK-SAME: !carousel.mbarrier_state
func.func private @mbarrier(memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>,
                            !carousel.mbarrier_state)

// CHECK-LABEL: func private @tensor_map
// CHECK-SAME: !carousel.tensor_map<64x64xbf16, swizzle = b128, promotion = b256>
!map = !carousel.tensor_map<64x64xbf16, swizzle = b128, promotion = b256>
func.func private @tensor_map(!map)

// CHECK-LABEL: func private @in_memory
// CHECK-SAME: memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
func.func private @in_memory(memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>)

// CHECK-LABEL: func private @ranks
// CHECK-SAME: !carousel.tensor_map<256xf32>
// CHECK-SAME: !carousel.tensor_map<1x4xf32>
// CHECK-SAME: !carousel.tensor_map<2x2x4xf32>
// CHECK-SAME: !carousel.tensor_map<1x1x1x4xf32>
// CHECK-SAME: !carousel.tensor_map<1x1x1x1x4xf32>
func.func private @ranks(!carousel.tensor_map<256xf32>, !carousel.tensor_map<1x4xf32>,
                         !carousel.tensor_map<2x2x4xf32>, !carousel.tensor_map<1x1x1x4xf32>,
                         !carousel.tensor_map<1x1x1x1x4xf32>)

// CHECK-LABEL: func private @elements
// CHECK-SAME: !carousel.tensor_map<16xu8>
// CHECK-SAME: !carousel.tensor_map<16xu16>
// CHECK-SAME: !carousel.tensor_map<16xu32>
// CHECK-SAME: !carousel.tensor_map<16xs32>
// CHECK-SAME: !carousel.tensor_map<16xu64>
// CHECK-SAME: !carousel.tensor_map<16xs64>
// CHECK-SAME: !carousel.tensor_map<16xf16>
// CHECK-SAME: !carousel.tensor_map<16xf32>
// CHECK-SAME: !carousel.tensor_map<16xf32_ftz>
// CHECK-SAME: !carousel.tensor_map<16xf64>
// CHECK-SAME: !carousel.tensor_map<16xbf16>
// CHECK-SAME: !carousel.tensor_map<16xtf32>
// CHECK-SAME: !carousel.tensor_map<16xtf32_ftz>
// CHECK-SAME: !carousel.tensor_map<128xb4x16>
// CHECK-SAME: !carousel.tensor_map<128xb4x16_p64>
// CHECK-SAME: !carousel.tensor_map<128xb6x16_p32>
func.func private @elements(
    !carousel.tensor_map<16xu8>, !carousel.tensor_map<16xu16>, !carousel.tensor_map<16xu32>,
    !carousel.tensor_map<16xs32>, !carousel.tensor_map<16xu64>, !carousel.tensor_map<16xs64>,
    !carousel.tensor_map<16xf16>, !carousel.tensor_map<16xf32>, !carousel.tensor_map<16xf32_ftz>,
    !carousel.tensor_map<16xf64>, !carousel.tensor_map<16xbf16>, !carousel.tensor_map<16xtf32>,
    !carousel.tensor_map<16xtf32_ftz>, !carousel.tensor_map<128xb4x16>,
    !carousel.tensor_map<128xb4x16_p64>, !carousel.tensor_map<128xb6x16_p32>)

// The default is not printed.
// CHECK-LABEL: func private @swizzles
// CHECK-SAME: !carousel.tensor_map<4xf32>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b32>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b64>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b128>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b128_atom_32b>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b128_atom_32b_flip_8b>
// CHECK-SAME: !carousel.tensor_map<4xf32, swizzle = b128_atom_64b>
func.func private @swizzles(
    !carousel.tensor_map<4xf32, swizzle = none>, !carousel.tensor_map<4xf32, swizzle = b32>,
    !carousel.tensor_map<4xf32, swizzle = b64>, !carousel.tensor_map<4xf32, swizzle = b128>,
    !carousel.tensor_map<4xf32, swizzle = b128_atom_32b>,
    !carousel.tensor_map<4xf32, swizzle = b128_atom_32b_flip_8b>,
    !carousel.tensor_map<4xf32, swizzle = b128_atom_64b>)

// CHECK-LABEL: func private @interleaves
// CHECK-SAME: !carousel.tensor_map<1x1x4xf32>
// CHECK-SAME: !carousel.tensor_map<1x1x4xf32, interleave = b16>
// CHECK-SAME: !carousel.tensor_map<1x1x4xf32, swizzle = b32, interleave = b32>
func.func private @interleaves(!carousel.tensor_map<1x1x4xf32, interleave = none>,
                               !carousel.tensor_map<1x1x4xf32, interleave = b16>,
                               !carousel.tensor_map<1x1x4xf32, interleave = b32, swizzle = b32>)

// CHECK-LABEL: func private @promotions
// CHECK-SAME: !carousel.tensor_map<4xf32>
// CHECK-SAME: !carousel.tensor_map<4xf32, promotion = b64>
// CHECK-SAME: !carousel.tensor_map<4xf32, promotion = b128>
// CHECK-SAME: !carousel.tensor_map<4xf32, promotion = b256>
func.func private @promotions(
    !carousel.tensor_map<4xf32, promotion = none>, !carousel.tensor_map<4xf32, promotion = b64>,
    !carousel.tensor_map<4xf32, promotion = b128>, !carousel.tensor_map<4xf32, promotion = b256>)

// CHECK-LABEL: func private @fills
// CHECK-SAME: !carousel.tensor_map<4xf32>
// CHECK-SAME: !carousel.tensor_map<4xf32, fill = nan>
func.func private @fills(!carousel.tensor_map<4xf32, fill = zero>,
                         !carousel.tensor_map<4xf32, fill = nan>)

// CHECK-LABEL: func private @strides
// CHECK-SAME: !carousel.tensor_map<8x4xf32, strides = [8, 1]>
// CHECK-SAME: !carousel.tensor_map<8x4xf32>
func.func private @strides(!carousel.tensor_map<8x4xf32, strides = [8, 1]>,
                           !carousel.tensor_map<8x4xf32, strides = [1, 1]>)

// CHECK-LABEL: func private @modes
// CHECK-SAME: !carousel.tensor_map<8x4xf32>
// CHECK-SAME: !carousel.tensor_map<1024x56xf32, mode = im2col, rank = 3, lower = [-32768], upper = [32767]>
// CHECK-SAME: !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [-128, 0], upper = [127, 0]>
// CHECK-SAME: !carousel.tensor_map<8x4xf32, mode = im2col, rank = 5, lower = [-16, 0, 0], upper = [15, 0, 0]>
// CHECK-SAME: !carousel.tensor_map<8x4xf32, mode = im2col_w, rank = 4, swizzle = b64, lower = [-1], upper = [1]>
// CHECK-SAME: !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 5, swizzle = b64, lower = [-1], upper = [1]>
func.func private @modes(
    !carousel.tensor_map<8x4xf32, mode = tiled, rank = 2>,
    !carousel.tensor_map<1024x56xf32, mode = im2col, rank = 3, lower = [-32768], upper = [32767]>,
    !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [-128, 0], upper = [127, 0]>,
    !carousel.tensor_map<8x4xf32, mode = im2col, rank = 5, lower = [-16, 0, 0], upper = [15, 0, 0]>,
    !carousel.tensor_map<8x4xf32, mode = im2col_w, rank = 4, swizzle = b64, lower = [-1], upper = [1]>,
    !carousel.tensor_map<128x4xf32, mode = im2col_w_128, rank = 5, swizzle = b64, lower = [-1], upper = [1]>)

// Options in any order are printed in one.
// CHECK-LABEL: func private @order
// CHECK-SAME: !carousel.tensor_map<8x4xf32, mode = im2col, rank = 3, swizzle = b64, promotion = b64, fill = nan, strides = [2, 2, 1], lower = [0], upper = [1]>
func.func private @order(!carousel.tensor_map<8x4xf32, upper = [1], fill = nan, lower = [0],
    strides = [2, 2, 1], promotion = b64, rank = 3, swizzle = b64, mode = im2col>)

// Memory spaces in each of their spellings.
// CHECK-LABEL: func @spaces
func.func @spaces(%a: memref<!carousel.mbarrier, 3>, %b: memref<!carousel.mbarrier, #nvvm.memory_space<shared>>,
                  %c: memref<!carousel.mbarrier, 7>, %x: memref<f32, 1>,
                  %y: memref<f32, #nvvm.memory_space<global>>) {
  // CHECK: carousel.mbarrier.inval %{{.+}}[] : memref<!carousel.mbarrier, 3>
  carousel.mbarrier.inval %a[] : memref<!carousel.mbarrier, 3>
  // CHECK: carousel.mbarrier.inval %{{.+}}[] : memref<!carousel.mbarrier, #nvvm.memory_space<shared>>
  carousel.mbarrier.inval %b[] : memref<!carousel.mbarrier, #nvvm.memory_space<shared>>
  // CHECK: carousel.mbarrier.arrive %{{.+}}[] : memref<!carousel.mbarrier, 7>
  carousel.mbarrier.arrive %c[] : memref<!carousel.mbarrier, 7>
  // CHECK: carousel.prefetch l2 %{{.+}}[] : memref<f32, 1>
  carousel.prefetch l2 %x[] : memref<f32, 1>
  // CHECK: carousel.prefetch l2 %{{.+}}[] : memref<f32, #nvvm.memory_space<global>>
  carousel.prefetch l2 %y[] : memref<f32, #nvvm.memory_space<global>>
  return
}
