/*
   The life cycle of a program's metrics: options, the collector of the passes, and the report at the end.
*/
#include "metrics.hpp"
#include "../sys/number_options.hpp"
#include "../sys/report_file.hpp"
#include "metrics_options.hpp"
#include "report.hpp"
#include "trace.hpp"
#include <heptane.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

namespace heptane
{

bool metrics_on = false;

namespace
{

struct Metrics {
  MetricsCollector collector;
  bool             table = false;
  std::string      json;             /* file, empty: none */
  PetscReal        copy[2] = {0, 0}; /* GB/s of device and host from the options; 0: to be measured */
  std::string      no_times;         /* why kernels have no times */
};
std::unique_ptr<Metrics> metrics;
constexpr char           option[] = "-heptane_metrics";

double seconds_now()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PetscErrorCode Options(bool *wanted, Metrics *m)
{
  char      forms[PETSC_MAX_PATH_LEN] = "";
  PetscInt  rates                     = 2;
  PetscBool on;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: metrics", NULL);
  PetscCall(PetscOptionsString("-heptane_metrics", "Times, bytes and limits of each kernel: table, json:FILE or table,json:FILE", "HeptaneInitialize", forms,
                               forms, sizeof(forms), &on));
  PetscCall(OptionRealArray(PetscOptionsObject, "-heptane_metrics_copy", "Copy bandwidths of device and host in GB/s, 0: measured", "HeptaneInitialize", 0, 1e6,
                            m->copy, &rates));
  PetscOptionsEnd();
  *wanted = on;
  if (!on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReportForms(option, forms, &m->table, &m->json));
  if (!m->json.empty()) PetscCall(ReportCheckFile(option, m->json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes read and written by memcpy(), the best of a few, GB/s */
double host_copy_rate()
{
  const std::size_t bytes = std::size_t(1) << 27;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  double            least = 1e30;

  for (int k = 0; k < 4; k++) {
    from[k]            = static_cast<char>(k); /* each copy differs, so that the compiler cannot omit any */
    const double begin = seconds_now();

    std::memcpy(to.data(), from.data(), bytes);
    if (to[k] == static_cast<char>(k)) least = std::fmin(least, seconds_now() - begin);
  }
  return 2e-9 * static_cast<double>(bytes) / least;
}

PetscErrorCode Environment(const MetricsReport &report, JsonLine *line)
{
  PetscMPIInt  rank, ranks;
  PetscInt     major, minor, subminor;
  char         program[PETSC_MAX_PATH_LEN], date[32] = "";
  std::string  driver = "none", cuda = "none";
  const time_t now = std::time(nullptr);
  struct tm    utc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscGetProgramName(program, sizeof(program)));
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, NULL));
  if (!report.device.name.empty()) PetscCall(DeviceVersions(&driver, &cuda));
  if (gmtime_r(&now, &utc)) (void)std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  line->Add("program", program).Add("rank", (int)rank).Add("ranks", (int)ranks);
  line->Add("gpu", report.device.name.empty() ? "none" : report.device.name).Add("driver", driver).Add("cuda", cuda);
  line->Add("petsc", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor));
  line->Add("heptane", HEPTANE_VERSION);
  line->Add("scalar_bytes", (int)sizeof(PetscScalar)).Add("index_bytes", (int)sizeof(PetscInt)).Add("date", date);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const Metrics &m, MetricsReport *report)
{
  bool on_device = false, on_host = false;

  PetscFunctionBegin;
  report->kernels   = m.collector.Kernels();
  report->passes    = m.collector.Passes();
  report->others    = m.collector.OthersLaunches();
  report->others_us = m.collector.OthersMicroseconds();
  for (const PassRow &p : report->passes) (p.device ? on_device : on_host) = true;
  if (on_device && report->kernels.empty()) report->remark = m.no_times;
  if (!report->kernels.empty()) {
    PetscCall(DeviceLimitsNow(&report->device));
    PetscCall(AskOccupancy(&report->kernels));
    report->copy_gbs = (double)m.copy[0];
    if (m.copy[0] == 0) PetscCall(DeviceCopyRate(&report->copy_gbs));
  }
  if (on_host) report->host_copy_gbs = m.copy[1] > 0 ? (double)m.copy[1] : host_copy_rate();
  PetscCall(Environment(*report, &report->environment));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void MetricsPass::Begin(bool on_device, const DeclaredPass &pass)
{
  if (metrics) metrics->collector.Begin(on_device, pass, seconds_now());
}

void MetricsPass::End()
{
  if (metrics) metrics->collector.End(seconds_now());
}

void metrics_add_bytes(const std::string &text, double bytes)
{
  if (metrics) metrics->collector.AddBytes(text, bytes);
}

PetscErrorCode MetricsBegin()
{
  auto made   = std::make_unique<Metrics>();
  bool wanted = false;

  PetscFunctionBegin;
  PetscCall(Options(&wanted, made.get()));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  metrics = std::move(made);
  if (!trace_begin(&metrics->collector, &metrics->no_times)) PetscCall(PetscInfo(NULL, "%s\n", metrics->no_times.c_str()));
  metrics_on = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MetricsEnd()
{
  MetricsReport report;
  PetscMPIInt   rank;
  PetscMPIInt   ranks;
  std::string   lost;

  PetscFunctionBegin;
  if (!metrics) PetscFunctionReturn(PETSC_SUCCESS);
  metrics_on = false;
  PetscCall(TraceEnd(&lost));
  PetscCall(Report(*metrics, &report));
  if (!lost.empty()) report.remark = lost;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (metrics->table && ranks > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Metrics of process 0 of %d\n", (int)ranks));
  if (metrics->table && !rank) {
    (void)std::fputs(metrics_table(report).c_str(), stdout); /* exceeds the buffer of PetscPrintf() */
    (void)std::fflush(stdout);
  }
  if (!metrics->json.empty()) PetscCall(ReportWriteLines(option, metrics->json, metrics_json(report)));
  metrics.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
