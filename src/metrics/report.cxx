/*
   Table and JSON lines.
*/
#include "report.hpp"
#include <algorithm>
#include <cstdio>

namespace heptane
{

namespace
{

std::string cell(const char *format, double value)
{
  char text[40];

  if (!std::isfinite(value)) return "-";
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string cell_us(double us)
{
  return cell(us < 100 ? "%.2f" : "%.1f", us);
}

/* 391, or 8 x 4 */
std::string extents(const unsigned of[3])
{
  std::string text = std::to_string(of[0]);

  for (int k = 1; k < 3; k++)
    if (of[1] > 1 || of[2] > 1) text += k == 1 || of[2] > 1 ? "x" + std::to_string(of[k]) : "";
  return text;
}

constexpr std::size_t line_width = 160;

/* Breaks the text into indented lines of at most line_width, except for longer words */
std::string wrapped(const std::string &text, std::size_t indentation)
{
  std::string lines, line;

  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end  = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);

    if (!line.empty() && indentation + line.size() + 1 + word.size() > line_width) {
      lines += std::string(indentation, ' ') + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines + std::string(indentation, ' ') + line;
}

/* Columns are right-aligned except for the last; a row of one cell is a line of its own */
std::string lines_of(const std::vector<std::vector<std::string>> &rows)
{
  std::vector<std::size_t> width;
  std::string              text;

  for (const auto &row : rows)
    for (std::size_t c = 0; row.size() > 1 && c < row.size(); c++) {
      if (width.size() <= c) width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  for (const auto &row : rows) {
    for (std::size_t c = 0; c < row.size(); c++) {
      if (row.size() > 1 && c + 1 < row.size()) text += std::string(width[c] - row[c].size(), ' ') + row[c] + "  ";
      else text += row[c];
    }
    text += '\n';
  }
  return text;
}

std::string kernels_table(const MetricsReport &report)
{
  std::vector<std::vector<std::string>> rows = {
    {"launches", "us", "total ms", "MB", "GB/s", "beta", "occupancy", "blocks/SM", "limit", "waves", "lost", "grid", "block", "regs", "shared", "local"}
  };

  for (const KernelRow &k : report.kernels) {
    const KernelFigures f = figures_of(report, k);

    rows.push_back({std::to_string(k.launches), cell_us(k.us), cell("%.3f", k.times.Any() ? 1e-3 * k.times.Total() : NAN), cell("%.3f", 1e-6 * k.bytes),
                    cell("%.0f", f.gbs), cell("%.2f", f.beta), cell("%.2f", f.occupancy.fraction), std::to_string(f.occupancy.blocks), f.occupancy.limit,
                    cell("%.2f", f.waves.waves), cell("%.2f", f.waves.lost), extents(k.shape.grid), extents(k.shape.block), std::to_string(k.registers),
                    std::to_string(k.static_shared + k.dynamic_shared), std::to_string(k.local)});
    rows.push_back({wrapped(short_kernel_name(k.shape.name), 4)});
    if (!k.pass.empty()) rows.push_back({wrapped(k.pass, 10)});
  }
  return lines_of(rows);
}

std::string passes_table(const MetricsReport &report, bool device)
{
  std::vector<std::vector<std::string>> rows = {
    {"calls", "us", "total ms", "MB", "GB/s", "beta", "pass"}
  };

  for (const PassRow &p : report.passes) {
    const double us = p.times.Typical(), gbs = 1e-3 * p.bytes / us;

    if (p.device == device)
      rows.push_back({std::to_string(p.calls), cell_us(us), cell("%.3f", p.times.Any() ? 1e-3 * p.times.Total() : NAN), cell("%.3f", 1e-6 * p.bytes),
                      cell("%.1f", gbs), cell("%.2f", gbs / report.host_copy_gbs), p.text});
  }
  return lines_of(rows);
}

bool any_pass(const MetricsReport &report, bool device)
{
  return std::any_of(report.passes.begin(), report.passes.end(), [&](const PassRow &p) { return p.device == device; });
}

JsonLine kernel_line(const MetricsReport &report, const KernelRow &k)
{
  const KernelFigures f = figures_of(report, k);
  const Occupancy    &o = f.occupancy;
  JsonLine            line;

  line.Add("suite", "metrics")
    .Add("what", "kernel")
    .Add("kernel", short_kernel_name(k.shape.name))
    .Add("symbol", k.shape.name)
    .Add("pass", k.pass)
    .Add("launches", k.launches);
  line.Add("grid", static_cast<long long>(k.shape.Blocks())).Add("grid_shape", extents(k.shape.grid)).Add("block", k.shape.Threads());
  line.Add("block_shape", extents(k.shape.block)).Add("registers", k.registers).Add("static_shared", static_cast<long long>(k.static_shared));
  line.Add("dynamic_shared", static_cast<long long>(k.dynamic_shared)).Add("local", static_cast<long long>(k.local));
  line.Add("resident_blocks", o.blocks)
    .Add("by_warps", o.by_warps)
    .Add("by_registers", o.by_registers)
    .Add("by_shared", o.by_shared)
    .Add("by_blocks", o.by_blocks);
  line.Add("limit", o.limit).Add("occupancy", o.fraction).Add("api_blocks", k.api_blocks);
  line.Add("waves", f.waves.waves).Add("tail", static_cast<long long>(f.waves.tail)).Add("lost", f.waves.lost);
  line.Add("us_median", k.times.Median()).Add("us_min", k.times.Least()).Add("us_max", k.times.Most()).Add("us_total", k.times.Total()).Add("us", k.us);
  line.Add("bytes", k.bytes).Add("gbs", f.gbs).Add("copy_gbs", report.copy_gbs).Add("beta", f.beta);
  return line;
}

JsonLine pass_line(const MetricsReport &report, const PassRow &p)
{
  const double us = p.times.Typical(), gbs = 1e-3 * p.bytes / us;
  JsonLine     line;

  line.Add("suite", "metrics").Add("what", p.device ? "device_pass" : "host_pass").Add("pass", p.text).Add("launches", p.calls);
  line.Add("us", us).Add("us_median", p.times.Median()).Add("us_min", p.times.Least()).Add("us_max", p.times.Most()).Add("us_total", p.times.Total());
  line.Add("bytes", p.bytes).Add("gbs", gbs).Add("copy_gbs", report.host_copy_gbs).Add("beta", gbs / report.host_copy_gbs);
  return line;
}

} // namespace

KernelFigures figures_of(const MetricsReport &report, const KernelRow &row)
{
  KernelFigures f;

  f.occupancy = occupancy_of(report.device, {row.shape.Threads(), row.registers, row.static_shared + row.dynamic_shared});
  f.waves     = waves_of(report.device, f.occupancy, row.shape.Blocks());
  f.gbs       = 1e-3 * row.bytes / row.us;
  f.beta      = f.gbs / report.copy_gbs;
  return f;
}

std::string metrics_table(const MetricsReport &report)
{
  std::string text;

  if (!report.kernels.empty()) {
    text += "Kernels on " + report.device.name + ", " + std::to_string(report.device.multiprocessors) + " multiprocessors, copy " +
            cell("%.0f", report.copy_gbs) + " GB/s\n" + kernels_table(report);
    if (report.others) text += std::to_string(report.others) + " launches of kernels of other libraries, " + cell("%.3f", 1e-3 * report.others_us) + " ms\n";
  } else {
    text += "No kernel of heptane was seen to run\n";
    if (any_pass(report, true)) text += "Passes on the device\n" + passes_table(report, true);
  }
  if (any_pass(report, false)) text += "Passes on the host, copy " + cell("%.1f", report.host_copy_gbs) + " GB/s\n" + passes_table(report, false);
  if (!report.remark.empty()) text += report.remark + "\n";
  return text;
}

std::string metrics_json(const MetricsReport &report)
{
  std::string text;

  for (const KernelRow &k : report.kernels) text += kernel_line(report, k).Add(report.environment).Text() + "\n";
  for (const PassRow &p : report.passes)
    if (!p.device || report.kernels.empty()) text += pass_line(report, p).Add(report.environment).Text() + "\n";
  return text;
}

} // namespace heptane
