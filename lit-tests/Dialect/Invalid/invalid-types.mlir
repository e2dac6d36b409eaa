// Every message of the tensor map's verifier and parser.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C10: rank 0.
// expected-error @below {{expected a tensor map of rank 1 to 5, got 0}}
func.func private @f(!carousel.tensor_map<f32>)

// -----

// C10: rank 6.
// expected-error @below {{expected a tensor map of rank 1 to 5, got 6}}
func.func private @f(!carousel.tensor_map<1x1x1x1x1x4xf32>)

// -----

// C10: a rank that the box hasn't.
// expected-error @below {{expected 3 box extents in a tensor map of rank 3, got 2}}
func.func private @f(!carousel.tensor_map<4x4xf32, rank = 3>)

// -----

// C10: a rank that would need 16 GB of strides.
// expected-error @below {{expected a tensor map of rank 1 to 5, got 4000000000}}
func.func private @f(!carousel.tensor_map<4x4xf32, rank = 4000000000>)

// -----

// C10: a negative rank.
// expected-error @below {{expected a tensor map of rank 1 to 5, got -1}}
func.func private @f(!carousel.tensor_map<8x4xf32, rank = -1>)

// -----

// C11: an empty box.
// expected-error @below {{expected box extents of 1 to 256, got 0 in dimension 0}}
func.func private @f(!carousel.tensor_map<0x4xf32>)

// -----

// C11: a box that's too wide.
// expected-error @below {{expected box extents of 1 to 256, got 257 in dimension 0}}
func.func private @f(!carousel.tensor_map<257x4xf32>)

// -----

// C11: an extent of more than 32 bits.
// expected-error @below {{expected box extents of 1 to 256, got 5000000000 in dimension 0}}
func.func private @f(!carousel.tensor_map<5000000000x4xf32>)

// -----

// C11: too many pixels.
// expected-error @below {{expected 1 to 1024 pixels in an im2col box, got 1025}}
func.func private @f(!carousel.tensor_map<1025x4xf32, mode = im2col, rank = 3, lower = [0], upper = [0]>)

// -----

// C11: too many channels.
// expected-error @below {{expected 1 to 256 channels in an im2col box, got 257}}
func.func private @f(!carousel.tensor_map<8x257xf32, mode = im2col, rank = 3, lower = [0], upper = [0]>)

// -----

// C12: a stride that's too wide.
// expected-error @below {{expected element strides of 1 to 8, got 9 in dimension 0}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = [9, 1]>)

// -----

// C12: a stride of nothing.
// expected-error @below {{expected element strides of 1 to 8, got 0 in dimension 0}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = [0, 1]>)

// -----

// C12: a negative stride.
// expected-error @below {{expected element strides of 1 to 8, got -1 in dimension 0}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = [-1, 1]>)

// -----

// C12: the innermost elements are consecutive.
// expected-error @below {{expected an innermost element stride of 1 without interleave, got 2}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = [1, 2]>)

// -----

// C13: one stride for two dimensions.
// expected-error @below {{expected 2 element strides in a tensor map of rank 2, got 1}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = [1]>)

// -----

// C13: no strides at all.
// expected-error @below {{expected 2 element strides in a tensor map of rank 2, got 0}}
func.func private @f(!carousel.tensor_map<8x4xf32, strides = []>)

// -----

// C14: 12 bytes.
// expected-error @below {{expected the inner box extent in bytes to be a multiple of 16, got 12}}
func.func private @f(!carousel.tensor_map<8x3xf32>)

// -----

// C15: wider than the swizzle.
// expected-error @below {{expected the inner box extent to be at most the swizzle span of 64 bytes, got 128}}
func.func private @f(!carousel.tensor_map<8x32xf32, swizzle = b64>)

// -----

// C16: an interleaved matrix.
// expected-error @below {{expected an interleaved tensor of rank 3 or more, got 2}}
func.func private @f(!carousel.tensor_map<8x4xf32, interleave = b16>)

// -----

// C16: interleave b32 without its swizzle.
// expected-error @below {{expected swizzle b32 with interleave b32, got none}}
func.func private @f(!carousel.tensor_map<1x8x4xf32, interleave = b32>)

// -----

// C17: integers have no NaN.
// expected-error @below {{expected floating-point elements for NaN fill, got u32}}
func.func private @f(!carousel.tensor_map<8x4xu32, fill = nan>)

// -----

// C18: im2col of a matrix.
// expected-error @below {{expected an im2col tensor map of rank 3 to 5, got 2}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col>)

// -----

// C18: im2col of a huge rank.
// expected-error @below {{expected an im2col tensor map of rank 3 to 5, got 4000000000}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col, rank = 4000000000>)

// -----

// C18: an im2col box of three extents.
// expected-error @below {{expected 2 box extents in a tensor map of rank 3, got 3}}
func.func private @f(!carousel.tensor_map<8x4x4xf32, mode = im2col, lower = [0], upper = [0]>)

// -----

// C19: no corners.
// expected-error @below {{expected 2 lower corners in a tensor map of rank 4, got 0}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col, rank = 4>)

// -----

// C19: im2col_w has a corner in W alone.
// expected-error @below {{expected 1 lower corners in a tensor map of rank 4, got 2}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col_w, rank = 4, lower = [0, 0], upper = [0, 0]>)

// -----

// C19: a tile has no corners.
// expected-error @below {{expected 0 lower corners in a tensor map of rank 2, got 1}}
func.func private @f(!carousel.tensor_map<8x4xf32, lower = [0]>)

// -----

// C20: padded elements in an interleaved tensor.
// expected-error @below {{expected no interleave for b6x16_p32, got b16}}
func.func private @f(!carousel.tensor_map<1x1x128xb6x16_p32, interleave = b16>)

// -----

// C20: padded elements in half a row.
// expected-error @below {{expected an inner box extent of 128 for b4x16_p64, got 64}}
func.func private @f(!carousel.tensor_map<8x64xb4x16_p64>)

// -----

// C20: padded elements in a narrow swizzle.
// expected-error @below {{expected a swizzle that the hardware has for b6x16_p32, got b128_atom_32b_flip_8b}}
func.func private @f(!carousel.tensor_map<8x128xb6x16_p32, swizzle = b128_atom_32b_flip_8b>)

// -----

// C21: corners of rank 5 have 5 bits.
// expected-error @below {{expected im2col corners of -16 to 15 at rank 5, got -17}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col, rank = 5, lower = [-17, 0, 0], upper = [0, 0, 0]>)

// -----

// C21: corners of rank 3 have 16 bits.
// expected-error @below {{expected im2col corners of -32768 to 32767 at rank 3, got 32768}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col, rank = 3, lower = [0], upper = [32768]>)

// -----

// An unknown element type.
// expected-error @below {{expected a tensor map's element type, got 'i32'}}
func.func private @f(!carousel.tensor_map<8x4xi32>)

// -----

// An unknown option.
// expected-error @below {{expected an option of a tensor map, got 'color'}}
func.func private @f(!carousel.tensor_map<8x4xf32, color = red>)

// -----

// An option twice.
// expected-error @below {{expected each option of a tensor map once, got 'swizzle' again}}
func.func private @f(!carousel.tensor_map<8x4xf32, swizzle = b32, swizzle = b32>)

// -----

// An unknown swizzle.
// expected-error @below {{expected a tensor map's swizzle, got 'b256'}}
func.func private @f(!carousel.tensor_map<8x4xf32, swizzle = b256>)

// -----

// An unknown interleave.
// expected-error @below {{expected a tensor map's interleave, got 'b64'}}
func.func private @f(!carousel.tensor_map<8x4xf32, interleave = b64>)

// -----

// An unknown L2 promotion.
// expected-error @below {{expected a tensor map's L2 promotion, got 'b512'}}
func.func private @f(!carousel.tensor_map<8x4xf32, promotion = b512>)

// -----

// An unknown fill.
// expected-error @below {{expected a tensor map's out-of-bounds fill, got 'one'}}
func.func private @f(!carousel.tensor_map<8x4xf32, fill = one>)

// -----

// An unknown mode.
// expected-error @below {{expected a tensor map's mode, got 'col2im'}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = col2im>)

// -----

// An extent that only run time knows.
// expected-error @below {{expected static shape}}
func.func private @f(!carousel.tensor_map<?x4xf32>)

// -----

// A negative extent.
// expected-error @below {{expected valid keyword}}
func.func private @f(!carousel.tensor_map<-8x4xf32>)

// -----

// A rank of more than 64 bits.
// expected-error @below {{integer value too large}}
func.func private @f(!carousel.tensor_map<8x4xf32, rank = 99999999999999999999>)

// -----

// An extent of more than 64 bits.
// expected-error @below {{invalid dimension}}
func.func private @f(!carousel.tensor_map<99999999999999999999x4xf32>)

// -----

// An option without a value.
// expected-error @below {{expected '='}}
func.func private @f(!carousel.tensor_map<8x4xf32, swizzle>)

// -----

// No element type.
// expected-error @below {{expected 'x' in dimension list}}
func.func private @f(!carousel.tensor_map<8x4>)

// -----

// A state is no element of memory.
// expected-error @below {{invalid memref element type}}
func.func private @f(memref<!carousel.mbarrier_state>)

// -----

// C20: an atom of 64 bytes is for 6-bit elements only.
// expected-error @below {{expected a swizzle that the hardware has for b4x16_p64, got b128_atom_64b}}
func.func private @f(!carousel.tensor_map<8x128xb4x16_p64, swizzle = b128_atom_64b>)

// -----

// C22: a wide im2col map without a swizzle.
// expected-error @below {{expected swizzle b64, b128 or b128_atom_32b in mode im2col_w, got none}}
func.func private @f(!carousel.tensor_map<8x4xf32, mode = im2col_w, rank = 4, lower = [0], upper = [0]>)

// -----

// C23: im2col_w_128 has its pixels in its name.
// expected-error @below {{expected a box of 128 pixels in mode im2col_w_128, got 64}}
func.func private @f(!carousel.tensor_map<64x4xf32, mode = im2col_w_128, rank = 4, swizzle = b64, lower = [0], upper = [0]>)

// -----

// C315: a box that no shared memory holds.
// expected-error @below {{expected a box of at most 233472 bytes, got 262144}}
func.func private @f(!carousel.tensor_map<256x256xf32>)
