/*
   A thread block on the host, for tests of device code that talks by shared memory and barriers: it includes what a block of the structured multigrid does.
*/
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

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

inline BlockOfThreads *block_of_threads; /* one for all sources: the code below is the same function in all of them */
struct Index {
  int x;
};
inline thread_local Index threadIdx;

#define __device__
#define __forceinline__ inline
#define __syncthreads() block_of_threads->Wait()
#include "pc/gridmg/gridmg_block_lines.cuh"
#include "pc/gridmg/gridmg_tail.cuh"
#undef __device__
#undef __forceinline__
#undef __syncthreads

/* f in each of the threads of a block */
template <class F>
void run_block(int threads, F f)
{
  BlockOfThreads           together(threads);
  std::vector<std::thread> all;

  block_of_threads = &together;
  for (int t = 0; t < threads; t++)
    all.emplace_back([&, t] {
      threadIdx.x = t;
      f();
    });
  for (auto &t : all) t.join();
}
