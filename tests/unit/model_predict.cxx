/*
   Predictions from the figures of a machine, by hand; crossings; what is said of them.
*/
#include "metrics/json_line.hpp"
#include "tools/advise/advice.hpp"
#include "tools/advise/model_tuning.hpp"

namespace
{

/* 10 GB/s on the host, copies 10 us and 20 GB/s, 1 us and 1000 GB/s on the device */
Machine machine()
{
  Machine m;

  m.cpu       = "host";
  m.gpu       = "device";
  m.host_pass = Curve({
    {1e4, 1  },
    {1e9, 1e5}
  });
  for (Curve *copy : {&m.up_pageable, &m.up_pinned, &m.down_pageable, &m.down_pinned})
    *copy = Curve({
      {2e4, 11      },
      {2e8, 10 + 1e4}
    });
  m.device_pass = Curve({
    {1e6, 2      },
    {1e9, 1 + 1e3}
  });
  m.launch_us   = 2;
  m.wait_us     = 10;
  m.barrier_us  = 1;
  m.latency_us  = 0.5;
  m.kept_bytes  = 1e6;
  return m;
}

SolveWork work(double rows)
{
  SolveWork w;

  w.rows             = rows;
  w.iterations       = 100;
  w.host_bytes       = 150 * rows;
  w.device_bytes     = 140 * rows;
  w.passes           = 3;
  w.launches         = 4;
  w.reductions       = 2;
  w.working_set      = 100 * rows;
  w.matrix_up        = 56 * rows;
  w.vectors_up       = 8 * rows;
  w.vectors_down     = 8 * rows;
  w.vectors_up_count = w.vectors_down_count = 1;
  return w;
}

TEST(ModelPredict, ByHand)
{
  const Machine    m = machine();
  const SolveWork  w = work(1e5);
  const Prediction h = predict_host(m, w), d = predict_device(m, w);

  EXPECT_NEAR(h.iteration, 3 * ModelTuning::host_pass_us + 1.5e7 / 1e4, 1e-6);
  EXPECT_NEAR(h.Total(100), 101 * h.iteration, 1e-6) << "the start is as much as an iteration, and nothing is copied";
  EXPECT_NEAR(d.iteration, 4 * 1 + 1.4e7 / 1e6, 1e-6);
  EXPECT_NEAR(d.matrix, 10 + 5.6e6 / 2e4, 1e-6);
  EXPECT_NEAR(d.vectors, 2 * (10 + 8e5 / 2e4), 1e-6);
  EXPECT_NEAR(d.start, ModelTuning::solve_launches * 2 + ModelTuning::solve_waits * 10 + 14, 1e-6);
}

TEST(ModelPredict, ProductThatWasTimed)
{
  const Machine m = machine();
  SolveWork     w = work(1e5);

  w.product_us    = 700;
  w.product_bytes = 8e6;
  EXPECT_NEAR(predict_host(m, w).iteration, 700 + 3 * ModelTuning::host_pass_us + (1.5e7 - 8e6) / 1e4, 1e-6);
  w.products = 2;
  EXPECT_NEAR(predict_host(m, w).iteration, 1400 + 3 * ModelTuning::host_pass_us, 1e-6) << "nothing is left for the passes over vectors";
  EXPECT_NEAR(predict_host(m, scaled_to(w, 2e5)).iteration, 2800 + 3 * ModelTuning::host_pass_us, 1e-6) << "a product takes as long per row";
  EXPECT_EQ(predict_device(m, w).iteration, predict_device(m, work(1e5)).iteration);
}

TEST(ModelPredict, OneKernelForAllIterations)
{
  const Machine m = machine();
  SolveWork     w = work(1e3);

  w.persistent = true;
  EXPECT_NEAR(predict_device(m, w).iteration, 2 * 1.5, 1e-9) << "registers and shared memory hold all of it";
  w            = work(1e5);
  w.persistent = true;
  EXPECT_NEAR(predict_device(m, w).iteration, 2 * 1.5 + (1.4e7 - 1e6) / 1e6, 1e-6);
}

TEST(ModelPredict, CrossingIsWhereTimesAreEqual)
{
  const Machine m    = machine();
  const double  rows = crossing_rows(m, work(1e5));
  const auto    at   = [&](double n) {
    const SolveWork w = scaled_to(work(1e5), n);

    return predict_device(m, w).Total(w.iterations) / predict_host(m, w).Total(w.iterations);
  };

  EXPECT_NEAR(at(rows), 1, 0.01);
  EXPECT_GT(at(rows / 1.2), 1);
  EXPECT_LT(at(rows * 1.2), 1);
  EXPECT_LT(crossing_rows(m,
                          [&] {
                            SolveWork w  = work(1e5);
                            w.matrix_up  = 0;
                            w.vectors_up = w.vectors_down = 0;
                            w.vectors_up_count = w.vectors_down_count = 0;
                            return w;
                          }()),
            rows)
    << "without copies it pays earlier";
  const double its = crossing_iterations(m, work(1e5));

  EXPECT_GT(predict_device(m, work(1e5)).Total(its - 1), predict_host(m, work(1e5)).Total(its - 1));
  EXPECT_LE(predict_device(m, work(1e5)).Total(its), predict_host(m, work(1e5)).Total(its));
}

TEST(ModelPredict, WithoutGpuNothingIsSaidOfOne)
{
  Machine m = machine();

  m.device_pass = Curve();
  EXPECT_TRUE(std::isnan(predict_device(m, work(1e5)).Total(1)));
  EXPECT_TRUE(std::isinf(crossing_rows(m, work(1e5))));
  SolveAdvice a;

  a.first = a.last = work(1e5);
  EXPECT_STREQ(figures_of(m, a).choice, "host");
  EXPECT_EQ(advice_table(m, a).find("one GPU"), std::string::npos);
  EXPECT_NE(advice_json(m, a).find("\"device_predicted_us\": null"), std::string::npos);
}

TEST(ModelAdvice, MeasuredTimesWin)
{
  const Machine m = machine();
  SolveAdvice   a;

  a.solver = "fusedcg";
  a.matrix = "seqaijbdiagh";
  a.pc     = "jacobi";
  a.first = a.last = work(1643032);
  EXPECT_STREQ(figures_of(m, a).choice, "device");
  a.host   = {10, 20, 30};
  a.device = {1e6};
  EXPECT_STREQ(figures_of(m, a).choice, "host");
  const std::string table = advice_table(m, a), json = advice_json(m, a);
  JsonMembers       members;
  std::string       why;

  EXPECT_NE(table.find("the GPU is faster from"), std::string::npos) << table;
  EXPECT_NE(table.find("choose: -heptane_device host"), std::string::npos);
  ASSERT_TRUE(parse_json_line(json.substr(0, json.find('\n')), &members, &why)) << why;
  EXPECT_EQ(members["rows"], "1643032") << "all digits: lines are compared by their rows";
  EXPECT_EQ(members["host_measured_us"], "20");
  EXPECT_EQ(members["solves_host"], "3");
  EXPECT_EQ(members["choose"], "host");
}

} // namespace
