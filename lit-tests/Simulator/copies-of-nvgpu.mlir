// A kernel that has nothing of the dialect: its copies become ops of the dialect all the same.
// RUN: carousel-sim %s --kernel @copy --grid 1 --block 32 --arg arg0=iota:32 --arg arg1=empty:32 --expect arg1=iota:32 --quiet

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m {
  gpu.func @copy(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %c = nvgpu.device_async_copy %x[%t], %tile[%t], 1 : memref<?xf32, #gl> to memref<32xf32, #ws>
    %group = nvgpu.device_async_create_group %c
    nvgpu.device_async_wait %group
    %v = memref.load %tile[%t] : memref<32xf32, #ws>
    memref.store %v, %y[%t] : memref<?xf32, #gl>
    gpu.return
  }
}
