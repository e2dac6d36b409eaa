// A tile that each iteration loads in one of several branches, or in no branch: all variants give what the tile phase gives.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{concat} = --kernel @concatenate --policy all --arg a=random:512:1 --arg b=random:300:2 --arg c=random:700:3 --arg y=zeros:1408
// RUN: carousel-sim %s %{concat} --reference @concatenate_reference
// RUN: %{lowered} %{concat} --reference @concatenate_reference --schedules 3
// RUN: sed 's/stages = 3/stages = 3, mode = specialized/' %s > %t.mlir
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_90a -- %{concat} --reference @concatenate_reference --schedules 3
// RUN: sed 's/stages = 3/stages = 3, scope = warp/; s/to %in : /to %in scope(warp) : /; s/block = \[64\]/block = [32]/' %s > %t.mlir
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_90a -- %{concat} --reference @concatenate_reference --schedules 3
// DEFINE: %{guarded} = --kernel @guarded --reference @guarded_reference --policy all --arg x=random:1400:1 --arg y=random:1400:2
// RUN: carousel-sim %s %{guarded}
// RUN: %{lowered} %{guarded} --schedules 3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<128xf32, #ws>

gpu.module @kernels {
  // y = a, b and c one after the other, each filled with zeros to whole tiles: 4, 3 and 6 of them, and one more.
  gpu.func @concatenate(
      %a: !v {carousel.argument = #carousel.argument<"a", in>},
      %b: !v {carousel.argument = #carousel.argument<"b", in>},
      %c: !v {carousel.argument = #carousel.argument<"c", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %c896 = arith.constant 896 : index
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %y, %c0 : !v
    %first = arith.muli %block, %c128 : index
    %step = arith.muli %blocks, %c128 : index
    %in = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %first to %n step %step {
      %is_a = arith.cmpi ult, %i, %c512 : index
      scf.if %is_a {
        carousel.load %a[%i] to %in : !v, !t
      } else {
        %is_b = arith.cmpi ult, %i, %c896 : index
        scf.if %is_b {
          %at = arith.subi %i, %c512 : index
          carousel.load %b[%at] to %in : !v, !t
        } else {
          %at = arith.subi %i, %c896 : index
          carousel.load %c[%at] to %in : !v, !t
        }
      }
      scf.for %j = %thread to %c128 step %threads {
        %v = memref.load %in[%j] : !t
        %at = arith.addi %i, %j : index
        memref.store %v, %y[%at] : !v
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Every third tile stays as it is: y = x there is neither loaded, nor read, nor stored.
  gpu.func @guarded(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !v
    %first = arith.muli %block, %c128 : index
    %step = arith.muli %blocks, %c128 : index
    %in = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %first to %n step %step {
      %number = arith.divui %i, %c128 : index
      %rest = arith.remui %number, %c3 : index
      %moves = arith.cmpi ne, %rest, %c0 : index
      scf.if %moves {
        carousel.load %x[%i] to %in : !v, !t
      }
      scf.if %moves {
        scf.for %j = %thread to %c128 step %threads {
          %v = memref.load %in[%j] : !t
          %w = arith.addf %v, %v : f32
          memref.store %w, %in[%j] : !t
        }
        carousel.store %in to %y[%i] : !t, !v
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}

func.func @concatenate_reference(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c896 = arith.constant 896 : index
  %na = memref.dim %a, %c0 : memref<?xf32>
  %nb = memref.dim %b, %c0 : memref<?xf32>
  %nc = memref.dim %c, %c0 : memref<?xf32>
  scf.for %i = %c0 to %na step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %nb step %c1 {
    %v = memref.load %b[%i] : memref<?xf32>
    %at = arith.addi %i, %c512 : index
    memref.store %v, %y[%at] : memref<?xf32>
  }
  scf.for %i = %c0 to %nc step %c1 {
    %end = memref.dim %y, %c0 : memref<?xf32>
    %at = arith.addi %i, %c896 : index
    %fits = arith.cmpi ult, %at, %end : index
    scf.if %fits {
      %v = memref.load %c[%i] : memref<?xf32>
      memref.store %v, %y[%at] : memref<?xf32>
    }
  }
  return
}

func.func @guarded_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %number = arith.divui %i, %c128 : index
    %rest = arith.remui %number, %c3 : index
    %moves = arith.cmpi ne, %rest, %c0 : index
    scf.if %moves {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
  }
  return
}
