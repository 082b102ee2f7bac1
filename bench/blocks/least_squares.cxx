/*
   Least squares, see least_squares.hpp.
*/
#include "least_squares.hpp"
#include "../common/capture.hpp"
#include "../common/matrices.hpp"
#include "../common/random.hpp"
#include "../common/reference.hpp"
#include <petscblaslapack.h>
#include <cmath>
#include <cstdio>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace bench
{

PetscErrorCode systems_parse(const std::string &text, std::vector<SystemSize> *sizes)
{
  PetscFunctionBeginUser;
  for (const std::string &one : split_list(text)) {
    long count, m, n;

    PetscCheck(std::sscanf(one.c_str(), "%ldx%ldx%ld", &count, &m, &n) == 3 && count > 0 && n > 0 && m >= n, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-least_squares %s: expected NxMxK, N matrices of M rows and K columns, M at least K", one.c_str());
    SystemSize size;
    PetscCall(PetscIntCast(count, &size.count));
    PetscCall(PetscIntCast(m, &size.m));
    PetscCall(PetscIntCast(n, &size.n));
    sizes->push_back(size);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

using Heptane = PetscErrorCode (*)(PetscMemType, PetscInt, PetscInt, PetscInt, const PetscScalar[], PetscScalar[], PetscInt *);

// Matrices column by column, one after another; right-hand sides likewise
struct Systems {
  SystemSize               size;
  std::vector<PetscScalar> a, b;
};

void fill(const SystemSize &s, PetscInt seed, Systems *d)
{
  d->size = s;
  d->a.resize(static_cast<size_t>(s.count) * s.m * s.n);
  d->b.resize(static_cast<size_t>(s.count) * s.m);
  for (size_t k = 0; k < d->a.size(); k++) {
    const size_t i = k % s.m, column = k / s.m % s.n;

    d->a[k] = static_cast<PetscScalar>(uniform(seed, k) + (i == column ? static_cast<double>(s.n) : 0)); // columns far from dependent
  }
  for (size_t k = 0; k < d->b.size(); k++) d->b[k] = static_cast<PetscScalar>(uniform(seed + 1, k));
}

class Solver {
public:
  Solver(std::string what, const Systems &systems, bool on_device) : name(std::move(what)), device(on_device), d_(systems) {}

  PetscErrorCode create()
  {
    PetscFunctionBeginUser;
    if (name.rfind("cublas-", 0) == 0)
      PetscCheck(PetscDefined(HAVE_CUDA) && device, PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: %s needs a GPU", name.c_str());
    if (name.rfind("heptane-", 0) == 0) {
      PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, nullptr, "HeptaneLeastSquares", reinterpret_cast<void **>(&heptane_)));
      PetscCheck(heptane_, PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: libheptane is not loaded (-dll_append /path/to/libheptane.so)");
    }
    a_ = d_.a;
    b_ = d_.b;
    if (!device) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(device_upload(d_.a.data(), static_cast<PetscCount>(d_.a.size()), &original_[0]));
    PetscCall(device_upload(d_.b.data(), static_cast<PetscCount>(d_.b.size()), &original_[1]));
    PetscCall(device_upload(d_.a.data(), static_cast<PetscCount>(d_.a.size()), &work_[0]));
    PetscCall(device_upload(d_.b.data(), static_cast<PetscCount>(d_.b.size()), &work_[1]));
#if PetscDefined(HAVE_CUDA)
    PetscCallCUBLAS(cublasCreate(&handle_));
    for (int k = 0; k < 2; k++) {
      std::vector<PetscScalar *> at(d_.size.count);

      for (size_t c = 0; c < at.size(); c++) at[c] = work_[k] + c * d_.size.m * (k ? 1 : d_.size.n);
      PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&at_[k]), sizeof(PetscScalar *) * at.size()));
      PetscCallCUDA(cudaMemcpy(at_[k], at.data(), sizeof(PetscScalar *) * at.size(), cudaMemcpyHostToDevice));
    }
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&info_), sizeof(int) * d_.size.count));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // What a call overwrites, anew
  PetscErrorCode before()
  {
    PetscFunctionBeginUser;
    if (!device) {
      b_ = d_.b;
      if (!heptane_) a_ = d_.a;
    }
#if PetscDefined(HAVE_CUDA)
    else {
      if (!heptane_) PetscCallCUDA(cudaMemcpyAsync(work_[0], original_[0], sizeof(PetscScalar) * d_.a.size(), cudaMemcpyDeviceToDevice));
      PetscCallCUDA(cudaMemcpyAsync(work_[1], original_[1], sizeof(PetscScalar) * d_.b.size(), cudaMemcpyDeviceToDevice));
      PetscCallCUDA(cudaDeviceSynchronize());
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call()
  {
    const SystemSize &s = d_.size;

    PetscFunctionBeginUser;
    if (heptane_) {
      PetscCall(
        heptane_(device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, s.count, s.m, s.n, device ? work_[0] : a_.data(), device ? work_[1] : b_.data(), nullptr));
    } else if (device) {
      PetscCall(call_cublas());
    } else {
      PetscBLASInt             m = static_cast<PetscBLASInt>(s.m), n = static_cast<PetscBLASInt>(s.n), one = 1, lwork = 64 * m, info;
      std::vector<PetscScalar> work(lwork);

      for (PetscInt c = 0; c < s.count; c++) {
        LAPACKgels_("N", &m, &n, &one, &a_[static_cast<size_t>(c) * m * n], &m, &b_[static_cast<size_t>(c) * m], &m, work.data(), &lwork, &info);
        PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "gels: info %d", static_cast<int>(info));
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Largest |A^T (b - A x)| over the sum of the absolute values of its terms: zero up to rounding at the solution, and nowhere else
  PetscErrorCode error(double damage, double *most)
  {
    const SystemSize   &s = d_.size;
    std::vector<double> r(s.m), terms(s.m);

    PetscFunctionBeginUser;
#if PetscDefined(HAVE_CUDA)
    if (device) PetscCallCUDA(cudaMemcpy(b_.data(), work_[1], sizeof(PetscScalar) * b_.size(), cudaMemcpyDeviceToHost));
#endif
    *most = 0;
    for (PetscInt c = 0; c < s.count; c++) {
      const PetscScalar *A = &d_.a[static_cast<size_t>(c) * s.m * s.n], *b = &d_.b[static_cast<size_t>(c) * s.m], *x = &b_[static_cast<size_t>(c) * s.m];

      for (PetscInt i = 0; i < s.m; i++) {
        r[i]     = static_cast<double>(b[i]) + (c == 0 && i == 0 ? damage : 0);
        terms[i] = std::fabs(r[i]);
      }
      for (PetscInt k = 0; k < s.n; k++) {
        for (PetscInt i = 0; i < s.m; i++) {
          const double term = static_cast<double>(A[k * s.m + i]) * static_cast<double>(x[k]);

          r[i] -= term;
          terms[i] += std::fabs(term);
        }
      }
      for (PetscInt k = 0; k < s.n; k++) {
        double sum = 0, size = 0;

        for (PetscInt i = 0; i < s.m; i++) {
          sum += static_cast<double>(A[k * s.m + i]) * r[i];
          size += std::fabs(static_cast<double>(A[k * s.m + i])) * terms[i];
        }
        const double e = std::fabs(sum) / size;
        if (!(e <= *most)) *most = std::isfinite(e) ? e : INFINITY;
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy()
  {
    PetscFunctionBeginUser;
    for (PetscScalar **p : {&original_[0], &original_[1], &work_[0], &work_[1]}) {
      if (*p) PetscCall(device_free(p));
    }
#if PetscDefined(HAVE_CUDA)
    if (!device) PetscFunctionReturn(PETSC_SUCCESS);
    for (PetscScalar **p : at_) PetscCallCUDA(cudaFree(p));
    PetscCallCUDA(cudaFree(info_));
    if (handle_) PetscCallCUBLAS(cublasDestroy(handle_));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const std::string name;
  const bool        device;

private:
#if PetscDefined(HAVE_CUDA)
  static cublasStatus_t gels(cublasHandle_t h, int m, int n, double *const a[], double *const b[], int *status, int *info, int count)
  {
    return cublasDgelsBatched(h, CUBLAS_OP_N, m, n, 1, a, m, b, m, status, info, count);
  }
  static cublasStatus_t gels(cublasHandle_t h, int m, int n, float *const a[], float *const b[], int *status, int *info, int count)
  {
    return cublasSgelsBatched(h, CUBLAS_OP_N, m, n, 1, a, m, b, m, status, info, count);
  }
  PetscErrorCode call_cublas()
  {
    int status;

    PetscFunctionBeginUser;
    PetscCallCUBLAS(gels(handle_, static_cast<int>(d_.size.m), static_cast<int>(d_.size.n), at_[0], at_[1], &status, info_, static_cast<int>(d_.size.count)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  cublasHandle_t handle_ = nullptr;
  PetscScalar  **at_[2]  = {nullptr, nullptr};
  int           *info_   = nullptr;
#else
  PetscErrorCode call_cublas()
  {
    return PETSC_ERR_SUP;
  }
#endif

  const Systems           &d_;
  std::vector<PetscScalar> a_, b_;
  PetscScalar             *original_[2] = {nullptr, nullptr}, *work_[2] = {nullptr, nullptr};
  Heptane                  heptane_ = nullptr;
};

std::string check(double damage, Solver *s, double *error)
{
  ErrorCapture capture;
  std::string  message = capture.message(s->before());

  if (message.empty()) message = capture.message(s->call());
  if (message.empty()) message = capture.message(s->error(damage, error));
  if (message.empty() && !(*error <= 1e2 * tolerance)) message = "wrong solutions: error " + cell("%.3g", *error);
  return message;
}

} // namespace

PetscErrorCode least_squares_run(Bench &run, const SystemSize &size, PetscInt seed, Table *table)
{
  const bool          device = run.device.count > 0;
  const double        copy   = device ? run.device_copy : run.host_copy;
  Systems             d;
  Problem             p;
  std::vector<Solver> solvers;
  std::vector<Timed>  timed(2);
  double              errors[2] = {0, 0};

  PetscFunctionBeginUser;
  p.name        = "least_squares";
  p.shape       = std::to_string(size.count) + "x" + std::to_string(size.m) + "x" + std::to_string(size.n);
  p.block       = size.n;
  p.global_rows = size.count * size.m;
  p.global_nnz  = static_cast<PetscInt64>(p.global_rows) * size.n;
  PetscCall(progress(run.comm, p.name + " " + p.shape));
  fill(size, seed, &d);
  solvers.reserve(2);
  solvers.emplace_back("heptane-gels", d, device);
  solvers.emplace_back(device ? "cublas-gels" : "lapack-gels", d, device);
  for (size_t k = 0; k < solvers.size(); k++) {
    Solver *s = &solvers[k];
    {
      ErrorCapture capture;
      timed[k].error = capture.message(s->create());
    }
    if (timed[k].error.empty()) timed[k].error = check(run.corrupt ? 1.0 : 0.0, s, &errors[k]);
    timed[k].before_call = [s] { return s->before(); };
    timed[k].call        = [s] { return s->call(); };
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  table->title(p.name + " " + p.shape + ", " + std::to_string(size.count) + " matrices");
  for (size_t k = 0; k < solvers.size(); k++) {
    const Timed &t  = timed[k];
    const double us = t.timing.us_median;
    const double bytes =
      static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(size.count) * size.m * (size.n + 2.0); // A read once, b read and written
    Record line = problem_record("blocks", p, "least_squares"), more;

    if (t.error.empty()) timed[k].error = check(run.corrupt ? 1.0 : 0.0, &solvers[k], &errors[k]);
    line.add("mat", solvers[k].name).add("pc", "").add("device", device ? "cuda" : "host");
    PetscCall(results_write(run.comm, run.device, line, t, {bytes, copy}, more.add("max_error", errors[k])));
    if (t.error.empty()) {
      table->row({solvers[k].name, cell_us(us), cell_us(t.timing.us_min), cell_us(t.timing.us_max), cell("%.1f", 1e-3 * bytes / us),
                  cell("%.1f", 0.1 * bytes / us / copy), timed[0].error.empty() ? cell("%.2f", timed[0].timing.us_median / us) : "-", "-", "-", "true"});
    } else {
      table->row({solvers[k].name, "-", "-", "-", "-", "-", "-", "-", "-", "false", t.error});
      if (t.error.rfind("not applicable: ", 0) != 0) run.failed = true;
    }
    if (t.error.empty()) PetscCall(solvers[k].destroy());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
