/*
   The model beside measurements: set-ups of -pc_type blockjacobireg with bdiagh, every method, sizes of 4 to 96 rows.
*/
#include "../common/results.hpp"
#include "model.hpp"
#include "target.hpp"
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace bench
{

static const struct {
  const char *name;
  Factor      factor;
} methods[] = {
  {"inverse", Factor::inverse},
  {"lu",      Factor::lu     },
  {"qr",      Factor::qr     },
};
static const PetscInt   sizes[]    = {4, 8, 16, 32, 56, 64, 96};
static constexpr double all_values = 1.5e7; // of the blocks of one size: more bytes than caches hold

static Table model_table()
{
  Table table({"method", "blocks", "us", "predicted", "off by", "call", "memory", "steps", "latency ns", "busy ns", "resident", "verified"});

  table.title(
    "set-ups: microseconds measured and predicted; of the prediction, what the call, the memory and the steps take by themselves; of a step, what it waits, what a block takes of a multiprocessor, and how many "
    "blocks are in flight on one");
  return table;
}

static void model_row(const char *method, const std::string &shape, double us, const Prediction &w, const std::string &error, Table *table)
{
  table->row({method, shape, cell_us(us), cell_us(w.us), error.empty() ? cell("%+.0f %%", 100 * (w.us / us - 1)) : "-", cell_us(w.call_us),
              cell_us(w.memory_us), cell_us(w.steps_us), cell("%.0f", w.latency_ns), cell("%.1f", w.busy_ns), cell("%.0f", w.resident),
              error.empty() ? "true" : "false " + error});
}

static PetscErrorCode machine_print(const Bench &run, const Machine &m)
{
  const struct {
    const char *name;
    Cost        cost;
  } costs[] = {
    {"flop",      m.flop     },
    {"integer",   m.integer  },
    {"shuffle",   m.shuffle  },
    {"shared",    m.shared   },
    {"broadcast", m.broadcast},
    {"sync",      m.sync     },
    {"divide",    m.divide   },
  };
  Table   table({"ns, a block of 256 threads", "alone", "full"});
  Problem none;
  Record  r;

  PetscFunctionBeginUser;
  none.name = "machine";
  r         = problem_record("blocks", none, "parameters");
  r.add("mat", "")
    .add("processors", m.processors)
    .add("registers", m.registers)
    .add("shared_bytes", m.shared_bytes)
    .add("global_ns", m.global_ns)
    .add("call_us", m.call_us);
  for (const auto &c : costs) {
    r.add((std::string(c.name) + "_alone_ns").c_str(), c.cost.alone).add((std::string(c.name) + "_full_ns").c_str(), c.cost.full);
    table.row({c.name, cell("%.2f", c.cost.alone), cell("%.2f", c.cost.full)});
  }
  PetscCall(results_write(run.comm, run.device, r, Timed(), {NAN, m.bandwidth}, Record()));
  PetscCall(table.print(run.comm));
  PetscCall(
    PetscPrintf(run.comm, "copy %.0f GB/s, memory latency %.0f ns, call %.1f us, %d multiprocessors\n", m.bandwidth, m.global_ns, m.call_us, m.processors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// All methods on blocks of one size
static PetscErrorCode run_size(Bench &run, const Machine &machine, PetscInt b, PetscInt seed, Table *table)
{
  const PetscInt      count = static_cast<PetscInt>(all_values / static_cast<double>(b * b));
  const size_t        n     = std::size(methods);
  Problem             p;
  Blocks              d;
  Mat                 base = nullptr;
  std::vector<Target> targets(n);
  std::vector<Timed>  timed(n);
  std::vector<double> errors(n, 0);

  PetscFunctionBeginUser;
  PetscCall(problem_blocks(run.comm, count, b, seed, &p));
  PetscCall(progress(run.comm, p.name + " " + p.shape));
  diagonal_blocks(p, &d);
  for (size_t k = 0; k < n; k++) {
    Target *t = &targets[k];

    t->name   = "bdiagh";
    t->method = methods[k].name;
    if (k && timed[0].error.empty()) {
      t->A      = targets[0].A;
      t->factor = targets[0].factor;
    }
    target_begin(run.comm, p, d, &base, t, &timed[k], &errors[k]);
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  for (size_t k = 0; k < n; k++) {
    const Prediction w    = predict(machine, methods[k].factor, count, static_cast<int>(b));
    Record           line = problem_record("blocks", p, "model"), more;

    if (timed[k].error.empty()) timed[k].error = target_check(d, &targets[k], &errors[k]);
    const bool   good = timed[k].error.empty();
    const double us   = timed[k].timing.us_median;

    line.add("mat", "bdiagh").add("pc", "blockjacobireg").add("mode", methods[k].name).add("device", "cuda");
    more.add("predicted_us", w.us).add("memory_us", w.memory_us).add("steps_us", w.steps_us).add("latency_ns", w.latency_ns).add("busy_ns", w.busy_ns);
    more.add("resident", w.resident).add("max_error", errors[k]);
    PetscCall(results_write(run.comm, run.device, line, timed[k], {2.0 * sizeof(PetscScalar) * static_cast<double>(p.global_nnz), machine.bandwidth}, more));
    model_row(methods[k].name, p.shape, us, w, timed[k].error, table);
    if (!good) {
      run.failed = true;
    } else {
      PetscCall(target_destroy(&targets[k]));
    }
  }
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode model_run(Bench &run, PetscInt seed)
{
  Machine machine;
  Table   table = model_table();

  PetscFunctionBeginUser;
  PetscCall(progress(run.comm, "measuring the machine"));
  PetscCall(machine_measure(run, &machine));
  PetscCall(machine_print(run, machine));
  for (const PetscInt b : sizes) PetscCall(run_size(run, machine, b, seed, &table));
  PetscCall(PetscPrintf(run.comm, "\n"));
  PetscCall(table.print(run.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The value of a key in a line of -json; NaN, and empty, without it
static double number_of(const std::string &line, const std::string &key)
{
  const size_t at = line.find("\"" + key + "\": ");

  return at == std::string::npos ? NAN : std::atof(line.c_str() + at + key.size() + 4);
}
static int whole_of(const std::string &line, const std::string &key)
{
  const double value = number_of(line, key);

  return value >= 0 && value <= INT_MAX ? static_cast<int>(value) : 0;
}
static std::string text_of(const std::string &line, const std::string &key)
{
  const std::string start = "\"" + key + "\": \"";
  const size_t      at    = line.find(start);

  return at == std::string::npos ? "" : line.substr(at + start.size(), line.find('"', at + start.size()) - at - start.size());
}

static void machine_read(const std::string &line, Machine *m)
{
  const auto cost = [&](const std::string &name) { return Cost{number_of(line, name + "_alone_ns"), number_of(line, name + "_full_ns")}; };

  m->processors   = whole_of(line, "processors");
  m->registers    = whole_of(line, "registers");
  m->shared_bytes = whole_of(line, "shared_bytes");
  m->flop         = cost("flop");
  m->integer      = cost("integer");
  m->shuffle      = cost("shuffle");
  m->shared       = cost("shared");
  m->broadcast    = cost("broadcast");
  m->sync         = cost("sync");
  m->divide       = cost("divide");
  m->global_ns    = number_of(line, "global_ns");
  m->call_us      = number_of(line, "call_us");
  m->bandwidth    = number_of(line, "copy_gbs");
}

PetscErrorCode model_from(const Bench &run, const std::string &file, double tolerated)
{
  std::ifstream in(file);
  std::string   line;
  Machine       machine;
  Table         table = model_table();
  int           all = 0, close = 0;

  PetscFunctionBeginUser;
  PetscCheck(in.good(), run.comm, PETSC_ERR_FILE_OPEN, "-from: cannot read %s; expected what -suite model -json wrote", file.c_str());
  while (std::getline(in, line)) {
    long count, b;

    if (text_of(line, "what") == "parameters") machine_read(line, &machine);
    if (text_of(line, "what") != "model" || std::sscanf(text_of(line, "case").c_str(), "%ldx%ld", &count, &b) != 2) continue;
    PetscCheck(count > 0 && count <= PETSC_INT_MAX && b > 0 && b <= INT_MAX, run.comm, PETSC_ERR_FILE_UNEXPECTED, "-from %s: the case %s cannot be",
               file.c_str(), text_of(line, "case").c_str());
    PetscCheck(machine.processors > 0 && machine.registers > 0 && machine.shared_bytes > 0 && machine.broadcast.full > 0, run.comm, PETSC_ERR_FILE_UNEXPECTED,
               "-from %s: the line with all parameters must come first", file.c_str());
    for (const auto &m : methods) {
      if (text_of(line, "mode") != m.name) continue;
      const Prediction w  = predict(machine, m.factor, static_cast<PetscInt>(count), static_cast<int>(b));
      const double     us = number_of(line, "us_median");

      model_row(m.name, text_of(line, "case"), us, w, "", &table);
      all++;
      close += std::fabs(w.us / us - 1) <= tolerated;
    }
  }
  PetscCall(table.print(run.comm));
  PetscCall(PetscPrintf(run.comm, "%d of %d within %g %%\n", close, all, 100 * tolerated));
  PetscCheck(2 * close > all, run.comm, PETSC_ERR_PLIB, "the model is off by more than %g %% in %d of %d cases", 100 * tolerated, all - close, all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
