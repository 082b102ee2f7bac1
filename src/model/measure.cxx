/*
   The host's memory and messages between processes.
*/
#include "measure.hpp"
#include "../device/host_clones.hpp"
#include "../pass/operator.hpp"
#include "../pass/step_host.hpp"
#include "model_tuning.hpp"
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <string>

namespace heptane
{

namespace
{

double us_now()
{
  return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string processor_name()
{
  std::ifstream file("/proc/cpuinfo");
  std::string   line;

  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");

    if (colon != std::string::npos && line.rfind("model name", 0) == 0) return line.substr(colon + 2);
  }
  return "unknown";
}

/* y = sum of D diagonals times x, tile by tile with the sums in the first-level cache and the last rows one by one, and (x, y): as products of diagonals on the host. a: [D][n] */
template <int D>
HEPTANE_HOST_CLONES Scalar product_pass(std::size_t n, const Scalar *a, const Scalar *x, Scalar *y)
{
  constexpr std::size_t tile = 512;
  Scalar                sum[tile], dot = 0;
  std::size_t           first = 0;

  for (; first + tile <= n; first += tile) {
    for (std::size_t i = 0; i < tile; i++) sum[i] = 0;
    for (int d = 0; d < D; d++)
      for (std::size_t i = 0; i < tile; i++) sum[i] += a[d * n + first + i] * x[first + i];
    for (std::size_t i = 0; i < tile; i++) y[first + i] = sum[i];
  }
  for (; first < n; first++) {
    Scalar row = 0;

    for (int d = 0; d < D; d++)
      if (a[d * n + first] != Scalar(0)) row += a[d * n + first] * x[first];
    y[first] = row;
  }
  for (std::size_t i = 0; i < n; i++) dot += x[i] * y[i];
  return dot;
}

/* us of a product, a preconditioner and scalar products, as an iteration has them, n rows; repeated until they have taken least_us. v: values, x, y, inverse */
double time_passes(std::size_t n, Scalar *v)
{
  volatile Scalar result = 0; /* so that no pass can be left out */
  Scalar *const x = v + ModelTuning::pass_diagonals * n, *const y = x + n, *const inverse = y + n;
  const FusedScalars none = {};
  FusedPc            pc;

  pc.form    = FusedPc::point;
  pc.inverse = inverse;
  for (int rounds = 1;; rounds *= 2) {
    const double begin = us_now();

    for (int k = 0; k < rounds; k++) {
      Scalar sums[2] = {};

      result = product_pass<ModelTuning::pass_diagonals>(n, v, x, y);
      run_step_host(ApplyPcStep(pc, y, x), n, false, 1, none, sums);
      run_step_host(DotsStep(x, y, x), n, false, 1, none, sums);
      result = sums[0];
    }
    const double us = us_now() - begin;
    if (us >= ModelTuning::least_us || rounds >= 1 << 20 || result != result) return us / rounds;
  }
}

} // namespace

double time_product(const FusedOperator &A, std::size_t n)
{
  std::vector<Scalar> q(n, Scalar(1)), y(n);
  Scalar              sums[4];
  FusedProduct        P;

  P.q    = q.data();
  P.y    = y.data();
  P.sums = sum_yu;
  A.Host(P, sums);
  for (int rounds = 1;; rounds *= 2) {
    const double begin = us_now();

    for (int k = 0; k < rounds; k++) A.Host(P, sums);
    const double us = us_now() - begin;
    if (us >= ModelTuning::product_least_us || rounds >= 1 << 16) return us / rounds;
  }
}

PetscErrorCode MeasureHost(Machine *machine)
{
  constexpr int             arrays = ModelTuning::pass_diagonals + 3;
  constexpr double          moved  = ModelTuning::pass_diagonals + 4. + 3 + 2; /* per row, of the three passes: the product's sum reads x and y once more */
  std::size_t               last   = ModelTuning::host_last;
  std::unique_ptr<Scalar[]> memory;
  std::vector<Curve::Point> samples;

  PetscFunctionBegin;
  machine->cpu = processor_name();
  for (; last > ModelTuning::pass_first && !memory; last /= 4) memory.reset(new (std::nothrow) Scalar[last / sizeof(Scalar)]);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "There is no memory to measure the host with: leave -heptane_advise out, or read figures by -heptane_machine");
  last *= 4;
  for (std::size_t bytes = ModelTuning::pass_first; bytes <= last; bytes *= 2) {
    const std::size_t n = bytes / (arrays * sizeof(Scalar));

    /* each pass gives what it began with: numbers neither grow nor become too small to be fast */
    std::fill_n(memory.get(), (arrays - 1) * n, Scalar(1) / ModelTuning::pass_diagonals);
    std::fill_n(memory.get() + (arrays - 1) * n, n, Scalar(1));
    /* as long as moving the working set once would have taken */
    for (int k = 0; k < (bytes > last / 16 ? 2 : ModelTuning::samples); k++) samples.push_back({(double)bytes, time_passes(n, memory.get()) * arrays / moved});
  }
  machine->host_pass = Curve(samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half of the way there and back, between the first two processes; the others wait */
static PetscErrorCode TimeMessage(MPI_Comm comm, int rank, std::vector<char> *data, double *us)
{
  constexpr int    times = 8;
  const MPIU_Count n     = (MPIU_Count)data->size();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(comm));
  const double begin = us_now();
  for (int k = 0; k < times && rank < 2; k++) {
    for (int sender = 0; sender < 2; sender++) {
      if (rank == sender) PetscCallMPI(MPIU_Send(data->data(), n, MPI_CHAR, 1 - rank, k, comm));
      else PetscCallMPI(MPIU_Recv(data->data(), n, MPI_CHAR, 1 - rank, k, comm, MPI_STATUS_IGNORE));
    }
  }
  *us = (us_now() - begin) / (2 * times);
  PetscCallMPI(MPI_Bcast(us, 1, MPI_DOUBLE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureMessages(MPI_Comm comm, Machine *machine)
{
  constexpr int             sums = 64;
  PetscMPIInt               rank, size;
  std::vector<Curve::Point> samples;
  double                    us = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  machine->processes = size;
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t bytes = 64; bytes <= std::size_t(1) << 22; bytes *= 4) {
    std::vector<char> data(bytes, 1);

    for (int s = 0; s < ModelTuning::samples; s++) {
      PetscCall(TimeMessage(comm, rank, &data, &us));
      samples.push_back({(double)bytes, us});
    }
  }
  machine->message = Curve(samples);
  PetscCallMPI(MPI_Barrier(comm));
  const double begin = us_now();
  for (int k = 0; k < sums; k++) {
    double one = 1;

    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_DOUBLE, MPI_SUM, comm));
  }
  us = (us_now() - begin) / sums;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, comm));
  machine->sum_us = us;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
