/*
   A table of launches that were measured, and its file. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "launch_model.hpp"

namespace heptane
{

/* A candidate of a kernel and a size that was measured */
struct TunedLaunch {
  std::string     name;     /* of what was measured */
  LaunchQuestion  question; /* what the launcher asked; of its kernels whether there are any */
  LaunchCandidate launch;
  KernelNeeds     needs; /* of the kernel of this launch */
  double          us       = 0;
  double          model_us = 0;
  bool            best     = false; /* the fastest: later runs take it */
  bool            model    = false; /* the model's choice */
};

struct TuningTable {
  static constexpr int     schema = 1;
  LaunchDevice             device; /* that was measured, as the program believed it to be */
  std::vector<TunedLaunch> launches;

  /* The fastest of this family with the nearest size, and of these with the nearest number of items; null: none of the family */
  const TunedLaunch *Find(LaunchFamily family, int size, double items) const;
};

/* The table's launch for a question, as far as the kernel can be launched so: what it is compiled for where not, and where the table has none */
LaunchCandidate candidate_of(const TuningTable &table, const DeviceLimits &limits, const LaunchQuestion &q);

/* What the model predicts and chooses, as it is now, in the place of what the table has; launches that differ in nothing but the candidate lie next to each other */
void choose_again(TuningTable *table);

/* Lines of JSON: one of the device, one for each launch */
std::string tuning_json(const TuningTable &table);
/* *why: what is wrong, and in which line */
bool parse_tuning(const std::string &text, TuningTable *table, std::string *why);
/* Empty: it is of this GPU; else what differs */
std::string tuning_differs(const TuningTable &table, const DeviceLimits &now);
/* For people: each kernel and size with the number of candidates, the model's choice and the fastest; and how far the model is off */
std::string tuning_text(const TuningTable &table);

} // namespace heptane
