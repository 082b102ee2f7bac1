/*
   Files of measured launches, which the programs write and do not read: a table from one, and what the model as it is
   now would choose in its place.
*/
#pragma once

#include "tools/tune/tuning_table.hpp"
#include "tune/launch_table.hpp"
#include <climits>

namespace heptane
{

inline bool read_device(const JsonMembers &members, LaunchDevice *d, std::string *why)
{
  const auto    name = members.find("gpu");
  DeviceLimits &l    = d->limits;

  if (name == members.end()) {
    *why = "has no gpu";
    return false;
  }
  l.name = name->second;
  return whole_of(members, "major", 1000, &l.major, why) && whole_of(members, "minor", 1000, &l.minor, why) &&
         whole_of(members, "multiprocessors", 1e6, &l.multiprocessors, why) && whole_of(members, "spread", 1e6, &d->spread, why) &&
         whole_of(members, "warps", 1e4, &l.warps, why) && whole_of(members, "blocks", 1e4, &l.blocks, why) &&
         whole_of(members, "registers", 1e8, &l.registers, why) && whole_of(members, "block_registers", 1e8, &l.block_registers, why) &&
         whole_of(members, "shared", 1e9, &l.shared, why) && whole_of(members, "shared_reserved", 1e9, &l.shared_reserved, why) &&
         number_of(members, "bytes_per_us", &d->bytes_per_us, why) && number_of(members, "latency_us", &d->latency_us, why) &&
         number_of(members, "cache_bytes", &d->cache_bytes, why) && number_of(members, "cache_bytes_per_us", &d->cache_bytes_per_us, why) &&
         number_of(members, "cache_latency_us", &d->cache_latency_us, why) && number_of(members, "scalar_bytes", &d->scalar_bytes, why);
}

/* What the launcher asked */
inline bool read_question(const JsonMembers &members, LaunchQuestion *q, std::string *why)
{
  static const char mark = 0; /* of a kernel */
  int               narrow;

  if (!launch_family_of(members.at("family"), &q->family, why) || !whole_of(members, "size", 1e6, &q->size, why) ||
      !whole_of(members, "items", 1e15, &q->items, why) || !whole_of(members, "width", 64, &q->width, why) ||
      !whole_of(members, "lanes", 1024, &q->lanes, why) || !whole_of(members, "compiled", 1024, &q->threads, why) ||
      !whole_of(members, "unit", 1024, &q->unit, why) || !whole_of(members, "item_shared", 1e6, &q->shared, why) ||
      !whole_of(members, "grid", UINT_MAX, &q->grid, why) || !whole_of(members, "room", UINT_MAX, &q->room, why) ||
      !whole_of(members, "has_narrow", 1, &narrow, why))
    return false;
  q->kernel = &mark;
  q->narrow = narrow ? &mark : nullptr;
  if (q->size && q->width && q->lanes && q->threads) return true;
  *why = "size, width, lanes and compiled must be positive";
  return false;
}

inline bool read_launch(const JsonMembers &members, TunedLaunch *t, std::string *why)
{
  int        narrow, best, model;
  const auto name = members.find("name");

  if (!read_question(members, &t->question, why)) return false;
  if (name != members.end()) t->name = name->second;
  if (!whole_of(members, "threads", 1024, &t->launch.threads, why) || !whole_of(members, "blocks", 1024, &t->launch.blocks, why) ||
      !whole_of(members, "narrow", 1, &narrow, why) || !whole_of(members, "registers", 1024, &t->needs.registers, why) ||
      !whole_of(members, "static_shared", 1e6, &t->needs.shared, why) || !number_of(members, "us", &t->us, why) ||
      !number_of(members, "model_us", &t->model_us, why) || !whole_of(members, "best", 1, &best, why) || !whole_of(members, "model", 1, &model, why))
    return false;
  t->launch.narrow = narrow;
  t->best          = best;
  t->model         = model;
  return true;
}

/* *why: what is wrong, and in which line */
inline bool parse_tuning(const std::string &text, TuningTable *table, std::string *why)
{
  TuningTable t;
  const auto  line = [&](const JsonMembers &members, bool head, std::string *wrong) {
    if (head) return read_device(members, &t.device, wrong);
    t.launches.emplace_back();
    return read_launch(members, &t.launches.back(), wrong);
  };

  if (!read_table_lines(text, line, why)) return false;
  *table = t;
  return true;
}

/* Candidates of one kernel and size lie next to each other */
inline bool same_kernel(const TunedLaunch &a, const TunedLaunch &b)
{
  return a.name == b.name && a.question.size == b.question.size && a.question.items == b.question.items;
}

/* What the model predicts and chooses, as it is now, in the place of what the table has; launches that differ in
   nothing but the candidate lie next to each other */
inline void choose_again(TuningTable *table)
{
  std::vector<TunedLaunch> &all = table->launches;

  for (std::size_t first = 0, last; first < all.size(); first = last) {
    const LaunchQuestion &q = all[first].question;
    LaunchKernels         kernels;

    for (last = first; last < all.size() && same_kernel(all[last], all[first]); last++)
      (all[last].launch.narrow ? kernels.narrow : kernels.wide) = all[last].needs;
    const LaunchCandidate chosen = choose_candidate(table->device, q, kernels);

    for (std::size_t k = first; k < last; k++) {
      all[k].model    = all[k].launch == chosen;
      all[k].model_us = launch_us(table->device, q, kernels, all[k].launch);
    }
  }
}

} // namespace heptane
