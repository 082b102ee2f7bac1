/*
   The figures of a machine as lines of JSON.
*/
#include "machine.hpp"
#include "../../metrics/json_line.hpp"
#include <map>
#include <sstream>
#include <vector>

namespace heptane
{

namespace
{

constexpr char kind[] = "heptane_machine";

/* The names under which a file has them. M: Machine, constant or not */
template <class M, class F>
void for_each_curve(M &m, F &&f)
{
  f("host_pass", m.host_pass);
  f("up_pageable", m.up_pageable);
  f("up_pinned", m.up_pinned);
  f("down_pageable", m.down_pageable);
  f("down_pinned", m.down_pinned);
  f("device_pass", m.device_pass);
}

template <class M, class F>
void for_each_number(M &m, F &&f)
{
  f("launch_us", m.launch_us);
  f("wait_us", m.wait_us);
  f("barrier_us", m.barrier_us);
  f("latency_us", m.latency_us);
  f("kept_bytes", m.kept_bytes);
}

bool text_of(const JsonMembers &members, const char *key, std::string *value, std::string *why)
{
  const auto found = members.find(key);

  if (found != members.end()) *value = found->second;
  else *why = std::string("has no ") + key;
  return found != members.end();
}

using Samples = std::map<std::string, std::vector<Curve::Point>>;

bool read_head(const JsonMembers &members, Machine *m, std::string *why)
{
  bool good = text_of(members, "cpu", &m->cpu, why) && text_of(members, "gpu", &m->gpu, why);

  for_each_number(*m, [&](const char *key, double &value) { good = good && number_of(members, key, &value, why); });
  return good;
}

bool read_point(const JsonMembers &members, const std::string &name, Samples *samples, std::string *why)
{
  Curve::Point point;
  Machine      all;
  bool         known = false;

  for_each_curve(all, [&](const char *key, Curve &) { known = known || name == key; });
  if (!known) *why = "the curve " + name + " is unknown";
  if (!known || !number_of(members, "bytes", &point.bytes, why) || !number_of(members, "us", &point.us, why)) return false;
  (*samples)[name].push_back(point);
  return true;
}

/* Whether it is a line of such a file */
bool read_line(const std::string &line, Machine *m, bool *head, Samples *samples, std::string *why)
{
  JsonMembers members;

  if (!parse_json_line(line, &members, why) || !is_of_kind(members, kind, Machine::schema, "file of machine figures", "program", why)) return false;
  const auto curve = members.find("curve");

  if (curve != members.end()) return read_point(members, curve->second, samples, why);
  *head = true;
  return read_head(members, m, why);
}

} // namespace

std::string machine_json(const Machine &m)
{
  std::string text;
  JsonLine    head;

  head.Add("what", kind).Add("schema", Machine::schema).Add("cpu", m.cpu).Add("gpu", m.gpu);
  for_each_number(m, [&](const char *key, double value) { head.Add(key, value); });
  text = head.Text() + "\n";
  for_each_curve(m, [&](const char *key, const Curve &curve) {
    for (const Curve::Point &p : curve.Points()) {
      JsonLine line;

      line.Add("what", kind).Add("schema", Machine::schema).Add("curve", key).Add("bytes", p.bytes).Add("us", p.us);
      text += line.Text() + "\n";
    }
  });
  return text;
}

bool parse_machine(const std::string &text, Machine *machine, std::string *why)
{
  std::istringstream lines(text);
  std::string        line;
  Samples            samples;
  Machine            m;
  bool               head   = false;
  int                number = 0;

  while (std::getline(lines, line)) {
    number++;
    if (read_line(line, &m, &head, &samples, why)) continue;
    *why = "line " + std::to_string(number) + ": " + *why;
    return false;
  }
  for_each_curve(m, [&](const char *key, Curve &curve) { curve = Curve(samples[key]); });
  if (!head) *why = "there is no line with the machine's numbers";
  else if (!m.host_pass.Any()) *why = "there is no curve host_pass";
  else {
    *machine = m;
    return true;
  }
  return false;
}

} // namespace heptane
