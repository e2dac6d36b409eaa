#include <carousel/device/device.h>
using namespace carousel;
__shared__ mbarrier bar;
__shared__ alignas(128) int tile[64];
extern "C" __global__ void kernel(const __grid_constant__ tensor_map map, int *x, int i) {
#if CASE == 1
  mbarrier_arrive_expect_tx(&bar, 16);
#elif CASE == 2
  mbarrier_arrive(&bar, 2);
#elif CASE == 3
  mbarrier_wait<semantics::relaxed>(&bar, 0);
#elif CASE == 4
  bulk_load(x, tile, 256, &bar);
#elif CASE == 5
  tensor_load<load_mode::gather4>(&map, {i, i, i, i, i}, tile, &bar);
#elif CASE == 6
  tensor_load<load_mode::tile, space::shared, 2>(&map, {i}, tile, &bar);
#elif CASE == 7
  fence_proxy<proxy::async>();
#elif CASE == 8
  set_max_registers<register_change::dec, 40>();
#elif CASE == 9
  bulk_reduce<reduce::inc, reduce_type::f32>(tile, x, 256);
#elif CASE == 10
  cp_async_copy<cp_async_cache::cg, 8>(x, tile);
#elif CASE == 11
  tensor_load<load_mode::im2col>(&map, {i, i, i, i}, {1}, tile, &bar);
#elif CASE == 12
  *x = static_cast<float>(f8e4m3(1.0f)) > 0;
#elif CASE == 13
  store(broadcast<4>(true), reinterpret_cast<bool *>(x));
#elif CASE == 14
  mbarrier_arrive<semantics::acquire>(&bar);
#elif CASE == 15
  bulk_store(tile, x, 256, byte_mask{1});
#elif CASE == 16
  wgmma_wait<1>();
#elif CASE == 17
  wgmma_wait<8>();
#elif CASE == 18
  wgmma_fence(broadcast<2>(f16(0.0f)));
#elif CASE == 19
  *x = wgmma_descriptor<1>(tile);
#endif
}
