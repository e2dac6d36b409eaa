// CTAs of a cluster gather values in each iteration: the inboxes are used again and again. All phases give the same bytes.
// DEFINE: %{n} =
// DEFINE: %{args} = --kernel @sums --arg x=random:%{n}x4 --arg y=zeros:%{n} --reference @sums_reference
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a,sm_100a -- %{args}
// REDEFINE: %{n} = 0
// RUN: carousel-sim %s %{args} --quiet
// RUN: %{lowered}
// REDEFINE: %{n} = 1
// RUN: carousel-sim %s %{args} --quiet
// RUN: %{lowered}
// REDEFINE: %{n} = 32
// RUN: %{lowered} --schedules 5
// REDEFINE: %{n} = 33
// RUN: carousel-sim %s %{args} --policy all --quiet
// RUN: %{lowered} --policy all
// REDEFINE: %{n} = 131
// RUN: carousel-sim %s %{args} --schedules 4 --quiet
// RUN: %{lowered} --schedules 4
// Programs of CTAs at the block phase, with one thread each.
// RUN: sed 's/kernel attributes {/kernel attributes {carousel.block_program = #carousel.block_program<>,/; s/gpu.thread_id x/arith.constant 0 : index/' %s > %t.mlir
// RUN: carousel-sim %t.mlir %{args} --schedules 4 --quiet

#gl = #gpu.address_space<global>
!matrix = memref<?x4xf32, #gl>

gpu.module @m {
  // y[i] = s + max(s, x[i]) with s = (x[i, 0] + x[i, 2]) + (x[i, 1] - x[i, 3]): two gathers in an iteration.
  gpu.func @sums(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [64], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !matrix
    %rank = gpu.block_id x
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %own = memref.load %x[%i, %rank] : !matrix
      %all = carousel.cluster.gather %own : f32 -> vector<4xf32>
      %v0 = vector.extract %all[0] : f32 from vector<4xf32>
      %v1 = vector.extract %all[1] : f32 from vector<4xf32>
      %v2 = vector.extract %all[2] : f32 from vector<4xf32>
      %v3 = vector.extract %all[3] : f32 from vector<4xf32>
      %even = arith.addf %v0, %v2 : f32
      %odd = arith.subf %v1, %v3 : f32
      %sum = arith.addf %even, %odd : f32
      %larger = arith.maxnumf %own, %sum : f32
      %most = carousel.cluster.gather %larger : f32 -> vector<4xf32>
      %m0 = vector.extract %most[0] : f32 from vector<4xf32>
      %m1 = vector.extract %most[1] : f32 from vector<4xf32>
      %m2 = vector.extract %most[2] : f32 from vector<4xf32>
      %m3 = vector.extract %most[3] : f32 from vector<4xf32>
      %a = arith.maxnumf %m0, %m1 : f32
      %b = arith.maxnumf %m2, %m3 : f32
      %c = arith.maxnumf %a, %b : f32
      %r = arith.addf %sum, %c : f32
      %is_first_cta = arith.cmpi eq, %rank, %c0 : index
      %is_first_thread = arith.cmpi eq, %thread, %c0 : index
      %writes = arith.andi %is_first_cta, %is_first_thread : i1
      scf.if %writes {
        memref.store %r, %y[%i] : memref<?xf32, #gl>
      }
    }
    gpu.return
  }
}

func.func @sums_reference(%x: memref<?x4xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v0 = memref.load %x[%i, %c0] : memref<?x4xf32>
    %v1 = memref.load %x[%i, %c1] : memref<?x4xf32>
    %v2 = memref.load %x[%i, %c2] : memref<?x4xf32>
    %v3 = memref.load %x[%i, %c3] : memref<?x4xf32>
    %even = arith.addf %v0, %v2 : f32
    %odd = arith.subf %v1, %v3 : f32
    %sum = arith.addf %even, %odd : f32
    %a = arith.maxnumf %v0, %v1 : f32
    %b = arith.maxnumf %v2, %v3 : f32
    %c = arith.maxnumf %a, %b : f32
    %most = arith.maxnumf %c, %sum : f32
    %r = arith.addf %sum, %most : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
