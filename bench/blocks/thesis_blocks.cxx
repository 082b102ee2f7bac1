/*
   The sizes and candidates of thesis-blocks, see thesis_blocks.hpp.
*/
#include "thesis_blocks.hpp"
#include "target.hpp"
#include <algorithm>
#include <iterator>

namespace bench
{

static const PetscInt     sizes[]       = {4, 8, 16, 24, 32, 48, 56, 64, 80, 96, 112};
static constexpr PetscInt printed_count = 5000, host_count = 500;
static constexpr PetscInt lapack_most = 56; // rows of the printed comparison with a library on the host; larger blocks take it seconds a call

struct Choice {
  const char *mat, *method; // method of blockjacobireg; null: a library
  const char *what;
};

static std::vector<Choice> choices(bool device, PetscInt b)
{
  std::vector<Choice> list = {
    {"bdiagh", "inverse", "blocks_inverse"},
    {"bdiagh", "lu",      "blocks_lu"     },
    {"bdiagh", "qr",      "blocks_qr"     },
  };

  if (device)
    list.insert(list.end(), {
                              {"cublas-getri", nullptr, "blocks_inverse"},
                              {"cublas-getrf", nullptr, "blocks_lu"     },
                              {"cublas-geqrf", nullptr, "blocks_qr"     }
    });
  if (device && b <= 32) list.push_back({"cublas-matinv", nullptr, "blocks_inverse"});
  if (b <= lapack_most)
    list.insert(list.end(), {
                              {"lapack-getrf", nullptr, "blocks_lu"},
                              {"lapack-geqrf", nullptr, "blocks_qr"}
    });
  return list;
}

static PetscErrorCode report(Bench &run, const Problem &p, const Choice &c, const Target &t, const Timed &timed, double error, Table *table)
{
  const double us = timed.timing.us_median, copy = t.device ? run.device_copy : run.host_copy;
  const double bytes = 2.0 * sizeof(PetscScalar) * static_cast<double>(p.global_nnz); // every entry read once, every one of the factors written once
  Record       line  = problem_record("blocks", p, c.what), more;

  PetscFunctionBeginUser;
  line.add("mat", c.mat).add("pc", c.method ? "blockjacobireg" : "").add("mode", c.method ? c.method : "").add("device", t.device ? "cuda" : "host");
  PetscCall(results_write(run.comm, run.device, line, timed, {bytes, copy}, more.add("max_error", error)));
  if (timed.error.empty()) {
    table->row({std::string(c.mat) + (c.method ? std::string(" ") + c.method : ""), cell_us(us), cell_us(timed.timing.us_min), cell_us(timed.timing.us_max),
                cell("%.1f", 1e-3 * bytes / us), cell("%.1f", 0.1 * bytes / us / copy), "-", "-", "-", "true"});
  } else {
    table->row({c.mat, "-", "-", "-", "-", "-", "-", "-", "-", "false", timed.error});
    run.failed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_size(Bench &run, PetscInt count, PetscInt b, PetscInt seed, Table *table)
{
  const std::vector<Choice> list = choices(run.device.count > 0, b);
  Problem                   p;
  Blocks                    d;
  Mat                       base = nullptr;
  std::vector<Target>       targets(list.size());
  std::vector<Timed>        timed(list.size());
  std::vector<double>       errors(list.size(), 0);

  PetscFunctionBeginUser;
  PetscCall(problem_blocks(run.comm, count, b, seed, &p));
  PetscCall(progress(run.comm, p.name + " " + p.shape));
  diagonal_blocks(p, &d);
  if (run.corrupt) d.product[0] += 1;
  for (size_t k = 0; k < list.size(); k++) {
    Target *t = &targets[k];

    t->name   = list[k].mat;
    t->method = list[k].method ? list[k].method : "";
    if (k && list[k].method && timed[0].error.empty()) {
      t->A      = targets[0].A;
      t->factor = targets[0].factor;
    }
    target_begin(run.comm, p, d, &base, t, &timed[k], &errors[k]);
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  table->title(p.name + " " + p.shape);
  for (size_t k = 0; k < list.size(); k++) {
    if (timed[k].error.empty()) timed[k].error = target_check(d, &targets[k], &errors[k]);
    PetscCall(report(run, p, list[k], targets[k], timed[k], errors[k], table));
  }
  for (size_t k = 0; k < list.size(); k++)
    if (timed[k].error.empty()) PetscCall(target_destroy(&targets[k]));
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode thesis_blocks_run(Bench &run, PetscInt seed, Table *table)
{
  PetscInt  count = run.device.count ? printed_count : host_count, rows[64] = {}, n = PETSC_STATIC_ARRAY_LENGTH(rows);
  PetscBool given = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-block_count", &count, nullptr));
  PetscCheck(count > 0, run.comm, PETSC_ERR_USER_INPUT, "-block_count %" PetscInt_FMT ": expected the number of blocks of each size, positive", count);
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-block_rows", rows, &n, &given));
  if (!given) n = static_cast<PetscInt>(std::copy(std::begin(sizes), std::end(sizes), rows) - rows);
  for (PetscInt k = 0; k < n; k++)
    PetscCheck(rows[k] > 0, run.comm, PETSC_ERR_USER_INPUT, "-block_rows %" PetscInt_FMT ": expected a list of positive numbers of rows of a block", rows[k]);
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  for (PetscInt k = 0; k < n; k++) PetscCall(run_size(run, count, rows[k], seed, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
