/*
   What a GPU takes for the pieces that kernels on small dense blocks are made of, from micro-benchmarks that run here and now. Knows nothing of the kernels.
*/
#pragma once
#include "../common/bench.hpp"

namespace bench
{

// Of a thread block of 256 threads (8 warps), each thread doing one operation that needs the result of the one before; nanoseconds
struct Cost {
  double alone = 0; // one such block on a multiprocessor: the latency
  double full  = 0; // a block's share where eight of them keep a multiprocessor busy: the reciprocal of the throughput
};

struct Machine {
  int  processors = 0, registers = 0, shared_bytes = 0; // multiprocessors; of each: registers, shared memory
  Cost flop, integer, shuffle, shared, broadcast, sync,
    divide; // fused multiply-add; integer operation; exchange of a scalar in a warp; shared-memory load, of 4 bytes per lane, of the same 16 by all; barrier; 1 / x
  double global_ns = 0; // latency of device memory
  double bandwidth = 0; // GB/s, read plus written
  double call_us   = 0; // 48 bytes to the device, a launch, 48 bytes back, and the host's wait for them: around every set-up
};

// Of this rank's device; an error without one
PetscErrorCode machine_measure(const Bench &run, Machine *machine);

} // namespace bench
