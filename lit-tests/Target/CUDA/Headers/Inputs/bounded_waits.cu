// Waits with a bound, by hand and of each kind.
#include <carousel/device/bounded_wait.h>

extern "C" __global__ void waits(const int *turns, int turn, unsigned parity) {
  __shared__ carousel::mbarrier full[4];
  carousel::mbarrier_wait(&full[2], parity, carousel::wait_bound{2000000000, 3, 2});
  carousel::mbarrier_state state = carousel::mbarrier_arrive(&full[1]);
  carousel::mbarrier_wait(&full[1], state, 100, carousel::wait_bound{2000000000, 4, 1});
  carousel::grid_serial_wait(turns, turn, carousel::wait_bound{2000000000, 5, 0});
}
