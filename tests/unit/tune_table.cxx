/*
   The table of launches and its file: what is written is read, what is something else is refused with its line, and what a question finds.
*/
#include "tuning_file.hpp"

namespace
{

TunedLaunch launch(LaunchFamily family, int size, double items, const LaunchCandidate &c, double us, bool best, bool model)
{
  TunedLaunch t;

  t.question.family  = family;
  t.question.size    = size;
  t.question.items   = static_cast<std::size_t>(items);
  t.question.threads = 256;
  t.question.grid    = c.blocks ? 120 : 0;
  t.question.room    = c.blocks ? 240 : 0;
  t.question.narrow  = c.blocks ? &t : nullptr;
  t.needs            = {40, 1000};
  t.launch           = c;
  t.us               = us;
  t.model_us         = us / 2;
  t.best             = best;
  t.model            = model;
  t.name             = std::string("a \"") + launch_family_name(family) + "\"";
  return t;
}

TuningTable table()
{
  TuningTable t;

  t.device.limits.name            = "a device";
  t.device.limits.major           = 8;
  t.device.limits.minor           = 6;
  t.device.limits.multiprocessors = 30;
  t.device.limits.warps           = 48;
  t.device.limits.blocks          = 16;
  t.device.limits.registers = t.device.limits.block_registers = 65536;
  t.device.limits.shared                                      = 102400;
  t.device.limits.shared_reserved                             = 1024;
  t.device.bytes_per_us                                       = 4.5e5;
  t.device.latency_us                                         = 0.5;
  t.device.cache_bytes                                        = 4e6;
  t.device.cache_bytes_per_us                                 = 9e5;
  t.device.cache_latency_us                                   = 0.2;
  t.launches.push_back(launch(LaunchFamily::pass, 3, 60000, {256, 4, false}, 10.5, false, true));
  t.launches.push_back(launch(LaunchFamily::pass, 3, 60000, {256, 2, true}, 10, true, false));
  t.launches.push_back(launch(LaunchFamily::pass, 3, 8000000, {256, 6, false}, 100, true, true));
  t.launches.push_back(launch(LaunchFamily::pass, 5, 8000000, {256, 3, false}, 200, true, true));
  t.launches.push_back(launch(LaunchFamily::dense_qr, 32, 10000, {64, 0, false}, 50, true, true));
  return t;
}

/* As the library reads it */
LaunchTable read_by_library()
{
  LaunchTable t;
  std::string why;

  EXPECT_TRUE(read_table(tuning_json(table()), &t, &why)) << why;
  return t;
}

TEST(TuningTable, WrittenAndRead)
{
  const std::string text = tuning_json(table());
  TuningTable       t;
  std::string       why;

  ASSERT_TRUE(parse_tuning(text, &t, &why)) << why;
  EXPECT_EQ(tuning_json(t), text);
  ASSERT_EQ(t.launches.size(), 5u);
  EXPECT_EQ(t.launches[1].launch, (LaunchCandidate{256, 2, true}));
  EXPECT_EQ(t.launches[4].question.family, LaunchFamily::dense_qr);
  EXPECT_EQ(t.device.limits.shared, 102400);
  EXPECT_DOUBLE_EQ(t.device.latency_us, 0.5);
}

TEST(TuningTable, OtherFilesAreRefused)
{
  const std::string good = tuning_json(table());
  const auto        with = [&](const std::string &from, const std::string &to) {
    std::string text = good;

    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto refused = [](const std::string &text, const std::string &with_why) {
    LaunchTable t;
    std::string why;

    EXPECT_FALSE(read_table(text, &t, &why)) << with_why;
    EXPECT_NE(why.find(with_why), std::string::npos) << why;
  };

  refused("", "no line with the GPU");
  refused(good.substr(good.find('\n') + 1), "no line with the GPU");
  refused(with("\"schema\": 1", "\"schema\": 7"), "line 1: has schema 7, and this library reads schema 1");
  refused(with("heptane_tuning", "heptane_machine"), "line 1: is not of a table of launches");
  refused(good + "{\"what\": 1", "line 7: ");
  refused(with("\"family\": \"pass\"", "\"family\": \"sweep\""), "line 2: the family sweep is unknown");
  refused(with("\"threads\": 256", "\"threads\": 250"), "line 2: threads is 250, and must be a multiple of 32");
  refused(with("\"threads\": 256", "\"threads\": 2048"), "line 2: threads is 2048, and must be a whole number");
  refused(with("\"blocks\": 4", "\"blocks\": -4"), "line 2: blocks is -4, and must be a number that is not negative");
  refused(with("\"multiprocessors\": 30", "\"multiprocessors\": \"many\""), "line 1: multiprocessors is many");
  refused(with("\"multiprocessors\": 30", "\"multiprocessors\": 1e30"), "line 1: multiprocessors is 1e30, and must be a whole number of at most 1000000");
  refused(with("\"shared\": 102400", "\"shared\": 1e30"), "line 1: shared is 1e30, and must be a whole number");
  refused(with("\"items\": 60000", "\"items\": 1e30"), "line 2: items is 1e30, and must be a whole number");
  refused(with("\"best\": 0", "\"worst\": 0"), "line 2: has no best");
}

TEST(LaunchTable, TheNearestIsFound)
{
  const LaunchTable t = read_by_library();

  ASSERT_EQ(t.launches.size(), 4u) << "the fastest of each kernel and size";
  EXPECT_EQ(t.device.shared, 102400);
  EXPECT_EQ(t.Find(LaunchFamily::bdiagh_product, 1, 1000), nullptr);
  EXPECT_EQ(t.Find(LaunchFamily::pass, 3, 100)->blocks, 2) << "the fastest of the smallest";
  EXPECT_EQ(t.Find(LaunchFamily::pass, 2, 5000000)->blocks, 6);
  EXPECT_EQ(t.Find(LaunchFamily::pass, 8, 100)->blocks, 3) << "the size counts first";
}

TEST(LaunchTable, OnlyWhatCanBeLaunchedIsAnswered)
{
  const LaunchTable t    = read_by_library();
  const auto        same = [](const LaunchChoice &c, int threads, unsigned grid, bool narrow) {
    return c.threads == threads && c.grid == grid && c.narrow == narrow && !c.unused;
  };
  LaunchQuestion q;

  q.size    = 3;
  q.items   = 50000;
  q.threads = 256;
  q.grid    = 120;
  q.room    = 240;
  EXPECT_TRUE(same(choice_of(t, 30, q), 256, 60, false)) << "there is no kernel with one row per thread";
  q.narrow = &q;
  EXPECT_TRUE(same(choice_of(t, 30, q), 256, 60, true));
  q.room = 50;
  EXPECT_EQ(choice_of(t, 30, q).grid, 50u) << "no more blocks than there is room for";
  q.family = LaunchFamily::bdiagh_product;
  EXPECT_TRUE(same(choice_of(t, 30, q), 256, 120, false)) << "as compiled";
  q.family = LaunchFamily::dense_qr;
  q.grid   = 0;
  EXPECT_EQ(choice_of(t, 30, q).threads, 256) << "no other number of threads is possible";
  q.unit = 32;
  EXPECT_TRUE(same(choice_of(t, 30, q), 64, 0, false));
  q.threads = 48;
  EXPECT_EQ(choice_of(t, 30, q).threads, 32);
}

TEST(LaunchTable, FusedProductsHaveNoMoreBlocksThanAreResident)
{
  LaunchTable    t;
  LaunchQuestion q;

  t.launches.push_back({LaunchFamily::fused_product, 1, 1000, 256, 4, false});
  q.family  = LaunchFamily::fused_product;
  q.threads = 256;
  q.grid    = 90;
  q.room    = 1000;
  EXPECT_EQ(choice_of(t, 30, q).grid, 90u);
  t.launches[0].blocks = 2;
  EXPECT_EQ(choice_of(t, 30, q).grid, 60u);
}

TEST(TuningTable, TheModelChoosesAgain)
{
  TuningTable t = table();

  for (TunedLaunch &l : t.launches) l.model = false;
  t.launches[0].model          = true;
  t.launches[4].launch.threads = 256;
  choose_again(&t);
  EXPECT_TRUE(t.launches[4].model) << "nothing but what is compiled can be launched";
  EXPECT_LE(t.launches[0].model + t.launches[1].model, 1) << "one of the candidates of a kernel and size";
  for (const TunedLaunch &l : t.launches) EXPECT_GT(l.model_us, 0);
  EXPECT_NE(tuning_json(t), tuning_json(table()));
}

TEST(LaunchTable, AnotherGpuIsTold)
{
  LaunchTable  t   = read_by_library();
  DeviceLimits now = t.device;

  EXPECT_EQ(table_differs(t, now), "");
  now.multiprocessors = 28;
  EXPECT_NE(table_differs(t, now).find("30 multiprocessors, 102400 bytes of shared memory each), and this is a device (compute capability 8.6, 28 multi"),
            std::string::npos)
    << table_differs(t, now);
  now      = t.device;
  now.name = "another";
  EXPECT_NE(table_differs(t, now), "");
  t.device.name = "any";
  EXPECT_EQ(table_differs(t, now), "");
}

TEST(TuningTable, TextComparesTheModelWithTheFastest)
{
  const std::string text = tuning_text(table());

  EXPECT_NE(text.find("256 x 4"), std::string::npos) << text;
  EXPECT_NE(text.find("256 x 2 narrow"), std::string::npos) << text;
  EXPECT_NE(text.find("1.050"), std::string::npos) << text;
  EXPECT_NE(text.find("4 pairs: the model's choices take 1.25 % more than the fastest on average, 5.00 % at most"), std::string::npos) << text;
}

} // namespace
