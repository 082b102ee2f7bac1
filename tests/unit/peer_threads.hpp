/*
   Ranks as threads, for the tests of what ranks write into each other's memory: started together, with random delays.
*/
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

constexpr std::uint64_t second = 1000000000;

inline void on_ranks(int ranks, const std::function<void(int)> &run)
{
  std::vector<std::thread> threads;

  for (int r = 0; r < ranks; r++) threads.emplace_back(run, r);
  for (auto &t : threads) t.join();
}

/* Most of the time nothing, sometimes a yield or a longer delay: a rank may be ahead of another by as much as the protocol lets it */
class Delay {
public:
  explicit Delay(int rank) : random(1234567u + rank) {}
  void operator()()
  {
    const unsigned dice = random() % 4096;

    if (dice < 40) std::this_thread::yield();
    else if (dice == 40) std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
  }

private:
  std::minstd_rand random;
};
