/*
   Numbers left by one thread for another: every round anew in the same words, whichever comes first, and the word is as it was behind each; the one NaN that means nothing is left as another one.
*/
#include "device/handoff_word.hpp"
#include <thread>

namespace
{

TEST(OnceWord, EveryNumberOnce)
{
  const int                  words = 5, rounds = 2000;
  std::vector<std::uint64_t> word(words, handoff_empty);
  int                        wrong = 0;
  std::uint64_t              turn  = 0; /* rounds are apart, as kernels are */

  std::thread giver([&] {
    for (int r = 0; r < rounds; r++) {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != static_cast<std::uint64_t>(r)) std::this_thread::yield();
      for (int w = 0; w < words; w++) handoff_put(&word[w], r * 10.0 + w);
    }
  });
  for (int r = 0; r < rounds; r++) {
    for (int w = words - 1; w >= 0; w--) {
      wrong += handoff_take(&word[w]) != r * 10.0 + w;
      wrong += handoff_load(&word[w]) != handoff_empty;
    }
    __atomic_store_n(&turn, static_cast<std::uint64_t>(r + 1), __ATOMIC_RELEASE);
  }
  giver.join();
  EXPECT_EQ(wrong, 0);
}

TEST(OnceWord, NoNumberIsTakenForNone)
{
  std::uint64_t word = handoff_empty;
  double        none;

  std::memcpy(&none, &handoff_empty, sizeof(none));
  for (double value : {0.0, -0.0, 1.0, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(), none}) {
    handoff_put(&word, value);
    ASSERT_NE(handoff_load(&word), handoff_empty);
    const double taken = handoff_take(&word);

    EXPECT_TRUE(std::isnan(value) ? std::isnan(taken) : std::memcmp(&taken, &value, sizeof(value)) == 0) << value;
  }
}

} // namespace
