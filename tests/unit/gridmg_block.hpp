/*
   A thread block on the host, for tests of device code that talks by shared memory and barriers: it includes what a block of the structured multigrid does.
*/
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

/* Threads of a block: all arrive before any goes on */
class BlockOfThreads {
public:
  explicit BlockOfThreads(int n) : threads(n) {}
  void Wait()
  {
    std::unique_lock<std::mutex> lock(mutex);
    const int                    turn = turns;

    if (++arrived == threads) {
      arrived = 0;
      turns++;
      all.notify_all();
    } else all.wait(lock, [&] { return turns != turn; });
  }

private:
  std::mutex              mutex;
  std::condition_variable all;
  const int               threads;
  int                     arrived = 0, turns = 0;
};

inline thread_local BlockOfThreads *block_of_threads, *warp_of_threads; /* those of this thread; only whole warps meet */
struct Index {
  int x;
};
inline thread_local Index threadIdx;

#define __device__
#define __forceinline__ inline
#define __syncthreads() block_of_threads->Wait()
#define __syncwarp()    warp_of_threads->Wait()
#include "pc/gridmg/device/block_lines.cuh"
#include "pc/gridmg/device/dense.cuh"
#include "pc/gridmg/device/lines.cuh"
#include "pc/gridmg/device/load.cuh"
#include "pc/gridmg/device/pivots.cuh"
#include "pc/gridmg/device/tail.cuh"
#undef __device__
#undef __forceinline__
#undef __syncthreads
#undef __syncwarp

/* f(block) in each of the threads of so many blocks */
template <class F>
void run_blocks(int blocks, int threads, F f)
{
  const int                  warps = (threads + 31) / 32;
  std::deque<BlockOfThreads> together, warp;
  std::vector<std::thread>   all;

  for (int b = 0; b < blocks; b++) together.emplace_back(threads);
  for (int w = 0; w < blocks * warps; w++) warp.emplace_back(32);
  for (int b = 0; b < blocks; b++)
    for (int t = 0; t < threads; t++)
      all.emplace_back([&, b, t] {
        block_of_threads = &together[b];
        warp_of_threads  = &warp[b * warps + t / 32];
        threadIdx.x      = t;
        f(b);
      });
  for (auto &t : all) t.join();
}

/* ... of one block */
template <class F>
void run_block(int threads, F f)
{
  run_blocks(1, threads, [&](int) { f(); });
}
