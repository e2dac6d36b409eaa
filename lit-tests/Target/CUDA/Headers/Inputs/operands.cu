#include <carousel/device/device.h>
using namespace carousel;
__shared__ alignas(128) int tile[64];
__shared__ mbarrier bar;
#define KERNEL(NAME) extern "C" __global__ void NAME(const __grid_constant__ tensor_map map, int *x)

KERNEL(load_tile) { tensor_load(&map, {10, 20, 30}, tile, &bar, multicast{7}, 99); }
KERNEL(load_gather4) { tensor_load<load_mode::gather4>(&map, {10, 20, 30, 40, 50}, tile, &bar); }
KERNEL(load_im2col) { tensor_load<load_mode::im2col>(&map, {10, 20, 30, 40}, {1, 2}, tile, &bar); }
KERNEL(load_im2col_w) { tensor_load<load_mode::im2col_w>(&map, {10, 20, 30}, {1, 2}, tile, &bar, 99); }
KERNEL(prefetch_im2col) { tensor_prefetch<load_mode::im2col>(&map, {10, 20, 30, 40, 50}, {1, 2, 3}); }
KERNEL(store_tile) { tensor_store(tile, &map, {10, 20}, 99); }
KERNEL(store_scatter4) { tensor_store<store_mode::scatter4>(tile, &map, {10, 20, 30, 40, 50}); }
KERNEL(reduce_tile) { tensor_reduce<reduce::max>(tile, &map, {10, 20, 30, 40, 50}); }
KERNEL(bulk_load_hint) { bulk_load(x, tile, 256, &bar, multicast{7}, 99); }
KERNEL(bulk_store_mask) { bulk_store(tile, x, 256, byte_mask{7}, 99); }
KERNEL(copy_valid) { cp_async_copy<cp_async_cache::ca, 8>(x, tile, valid{5}, 99); }
KERNEL(copy_ignore) { cp_async_copy<cp_async_cache::cg, 16>(x, tile, ignore{*x != 0}); }
KERNEL(wait_suspend) { *x = mbarrier_try_wait(&bar, 1, 500); }
KERNEL(policy_range) { *x = static_cast<int>(cache_policy_range<evict::evict_last>(x, 100, 200)); }
KERNEL(replace_dim) {
  tensor_map_replace<tensor_map_field::global_dim, 2, space::global>(reinterpret_cast<tensor_map *>(x), 77);
}
KERNEL(release) { grid_serial_wait(x, 3); grid_serial_release(x, 4); }
