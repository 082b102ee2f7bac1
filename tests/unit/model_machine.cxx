/*
   The file of a machine's figures: what is written is read, what is something else is refused with its line.
*/
#include "tools/advise/machine.hpp"

namespace
{

Machine machine()
{
  Machine m;

  m.cpu        = "a \"host\"";
  m.gpu        = "a device";
  m.host_pass  = Curve({
     {1024,    0.25},
     {1048576, 100 }
  });
  m.barrier_us = 1.25;
  m.kept_bytes = 6.5e7;
  return m;
}

TEST(ModelMachine, WrittenAndRead)
{
  const std::string text = machine_json(machine());
  Machine           m;
  std::string       why;

  ASSERT_TRUE(parse_machine(text, &m, &why)) << why;
  EXPECT_EQ(machine_json(m), text);
  EXPECT_EQ(m.cpu, "a \"host\"");
  EXPECT_NEAR(m.host_pass.Microseconds(1048576), 100, 0.001);
  EXPECT_DOUBLE_EQ(m.barrier_us, 1.25);
  EXPECT_FALSE(m.HasDevice());
}

TEST(ModelMachine, OtherFilesAreRefused)
{
  const std::string good = machine_json(machine()), head = good.substr(0, good.find('\n') + 1);
  const auto        with = [&](const std::string &from, const std::string &to) {
    std::string text = good;

    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  const struct {
    std::string text, why;
  } cases[] = {
    {"",                                                    "no line with the machine's numbers"         },
    {head,                                                  "no curve host_pass"                         },
    {"{\"suite\": \"ksp\", \"what\": \"ksp_iteration\"}\n", "line 1: is not of a file of machine figures"},
    {with("\"schema\": 1",                                  "\"schema\": 2"),                              "line 1: has schema 2, and this program reads schema 1"},
    {with("\"barrier_us\": 1.25",                                                     "\"barrier_us\": -1.25"),                                                                        "must be a number that is not negative"},
    {with("\"barrier_us\": 1.25, ",              ""),"has no barrier_us"},
    {with("\"curve\": \"host_pass\"",                                     "\"curve\": \"unheard_of\""),                                                                            "line 2: the curve unheard_of is unknown"},
    {with("\"us\": 0.25",                       "\"us\": \"fast\""),    "line 2: us is fast"},
    {good + "and a remark\n",                                                     "one object in braces"                                                                               },
  };

  for (const auto &c : cases) {
    Machine     m;
    std::string why;

    EXPECT_FALSE(parse_machine(c.text, &m, &why)) << c.why;
    EXPECT_NE(why.find(c.why), std::string::npos) << why << ", not: " << c.why;
    EXPECT_FALSE(m.host_pass.Any()) << "nothing is taken from such a file";
  }
}

} // namespace
