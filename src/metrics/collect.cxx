/*
   Names of kernels; rows of kernels and passes.
*/
#include "collect.hpp"
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <tuple>

namespace heptane
{

namespace
{

void remove_all(std::string *text, const std::string &part)
{
  for (std::size_t at; (at = text->find(part)) != std::string::npos;) text->erase(at, part.size());
}

/* Position of the argument list: the parenthesis that closes at the end */
std::size_t begin_of_arguments(const std::string &name)
{
  int depth = 0;

  if (name.empty() || name.back() != ')') return name.size();
  for (std::size_t k = name.size(); k-- > 0;) {
    if (name[k] == ')') depth++;
    if (name[k] == '(' && --depth == 0) return k;
  }
  return name.size();
}

/* Position after the return type, which instances of templates have: the first blank outside of brackets */
std::size_t behind_return_type(const std::string &name)
{
  int depth = 0;

  for (std::size_t k = 0; k < name.size(); k++) {
    if (name[k] == '<' || name[k] == '(') depth++;
    if (name[k] == '>' || name[k] == ')') depth--;
    if (name[k] == ' ' && !depth) return k + 1;
  }
  return 0;
}

} // namespace

bool is_library_kernel(const std::string &mangled)
{
  return mangled.rfind("_ZN7heptane", 0) == 0;
}

std::string short_kernel_name(const std::string &mangled)
{
  int                                     status = 0;
  std::unique_ptr<char, void (*)(void *)> demangled(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);

  if (status || !demangled) return mangled;
  std::string name = demangled.get();

  remove_all(&name, "(anonymous namespace)::");
  remove_all(&name, "heptane::");
  name.resize(begin_of_arguments(name));
  name.erase(0, behind_return_type(name));
  for (std::size_t at; (at = name.find("> >")) != std::string::npos;) name.erase(at + 1, 1);
  for (const char *cast : {"(int)", "(bool)", "(unsigned int)"}) remove_all(&name, cast);
  return name;
}

bool KernelShape::operator<(const KernelShape &s) const
{
  return std::tie(name, grid[0], grid[1], grid[2], block[0], block[1], block[2]) <
         std::tie(s.name, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2]);
}

void Times::Add(double us)
{
  if (samples.size() < kept) samples.push_back(static_cast<float>(us));
  least = std::fmin(least, us);
  most  = std::fmax(most, us);
  total += us;
}

double Times::Median() const
{
  std::vector<float> sorted = samples;
  const std::size_t  n      = sorted.size();

  if (!n) return NAN;
  std::sort(sorted.begin(), sorted.end());
  return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double Times::Typical() const
{
  const double median = Median();
  double       sum    = 0;
  long long    count  = 0;

  for (float us : samples)
    if (us > 0.25 * median && us < 4 * median) {
      sum += us;
      count++;
    }
  return count ? sum / static_cast<double>(count) : median;
}

void MetricsCollector::Begin(bool on_device, const DeclaredPass &pass, double seconds)
{
  const auto end = pass.text.find_last_not_of(" ,:"); /* "norm, " of a pass without further sums */

  open.push_back({
    {pass.text.substr(0, end + 1), pass.bytes},
    on_device, seconds, {          }
  });
}

void MetricsCollector::End(double seconds)
{
  const Open of = open.back();

  open.pop_back();
  PassRow &row = passes[{of.pass.text, std::isnan(of.pass.bytes) ? -1 : of.pass.bytes}];
  row.text     = of.pass.text;
  row.device   = of.device;
  row.bytes    = of.pass.bytes;
  row.calls++;
  if (!of.device) row.times.Add(1e6 * (seconds - of.begun));
  if (of.launched.empty()) return;
  const auto threads = [](const KernelShape &s) { return s.Blocks() * s.Threads(); };
  const auto largest =
    std::max_element(of.launched.begin(), of.launched.end(), [&](const KernelShape &a, const KernelShape &b) { return threads(a) < threads(b); });

  of_text[of.pass.text] = *largest;
  Declared &d           = declared[*largest];
  d.texts.insert(of.pass.text);
  if (std::isnan(of.pass.bytes)) return;
  d.bytes += of.pass.bytes;
  d.passes++;
}

void MetricsCollector::AddBytes(const std::string &text, double bytes)
{
  for (auto &p : passes) {
    if (p.second.text == text && p.second.calls) p.second.bytes = (std::isnan(p.second.bytes) ? 0 : p.second.bytes) + bytes / p.second.calls;
  }
  const auto shape = of_text.find(text);
  if (shape == of_text.end()) return;
  Declared &d = declared[shape->second];
  d.bytes += bytes;
  d.rounds = true;
}

void MetricsCollector::Launched(const KernelShape &shape, const void *function)
{
  functions[shape.name] = function;
  if (!open.empty()) open.back().launched.push_back(shape);
}

/* If a kernel begins while its predecessor in the queue runs, its time counts from the end of the predecessor */
double MetricsCollector::Microseconds(const KernelRun &run)
{
  std::uint64_t &before = last_end[run.queue];
  const auto     begin  = before > run.begin && before < run.end ? before : run.begin;

  before = std::max(before, run.end);
  return 1e-3 * static_cast<double>(run.end - begin);
}

void MetricsCollector::Ran(const KernelRun &run)
{
  std::lock_guard<std::mutex> lock(guard);
  const bool                  timed = run.begin && run.end > run.begin;
  const double                us    = timed ? Microseconds(run) : 0;

  if (!is_library_kernel(run.shape.name)) {
    others++;
    others_us += us;
    return;
  }
  KernelRow &row     = ran[run.shape];
  row.shape          = run.shape;
  row.registers      = run.registers;
  row.static_shared  = run.static_shared;
  row.dynamic_shared = std::max(row.dynamic_shared, run.dynamic_shared);
  row.local          = run.local;
  row.launches++;
  if (timed) row.times.Add(us);
}

/* Of this shape, else of all launches of the kernel with unknown shapes */
MetricsCollector::Declared MetricsCollector::Of(const KernelShape &shape) const
{
  const auto found = declared.find(shape);
  if (found != declared.end()) return found->second;
  KernelShape unknown;
  unknown.name     = shape.name;
  const auto other = declared.find(unknown);
  return other != declared.end() ? other->second : Declared();
}

std::vector<KernelRow> MetricsCollector::Kernels() const
{
  std::lock_guard<std::mutex> lock(guard);
  std::vector<KernelRow>      rows;

  for (const auto &r : ran) {
    const Declared d        = Of(r.first);
    KernelRow      row      = r.second;
    const auto     launched = functions.find(r.first.name);

    if (launched != functions.end()) row.function = launched->second;
    for (const std::string &text : d.texts) row.pass += (row.pass.empty() ? "" : " | ") + text;
    row.us = d.rounds ? row.times.Total() / static_cast<double>(row.launches) : row.times.Typical();
    if (d.rounds) row.bytes = d.bytes / static_cast<double>(row.launches);
    else if (d.passes) row.bytes = d.bytes / static_cast<double>(d.passes);
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const KernelRow &a, const KernelRow &b) { return a.times.Total() > b.times.Total(); });
  return rows;
}

std::vector<PassRow> MetricsCollector::Passes() const
{
  std::vector<PassRow> rows;

  for (const auto &p : passes) rows.push_back(p.second);
  return rows;
}

} // namespace heptane
