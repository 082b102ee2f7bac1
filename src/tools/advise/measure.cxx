/*
   The memory of the host.
*/
#include "measure.hpp"
#include "../../device/host_clones.hpp"
#include "../../pass/step_host.hpp"
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

/*
   y = sum of D diagonals times x, tile by tile with the sums in the first-level cache and the last rows one by one, and
   (x, y): like products of diagonals on the host. a: [D][n]
*/
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

/*
   us of a product, a preconditioner and scalar products, as in an iteration, n rows; repeated until they last least_us.
   v: values, x, y, inverse
*/
double time_passes(std::size_t n, Scalar *v)
{
  volatile Scalar result = 0; /* keeps the compiler from removing a pass */
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
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "There is no memory to measure the host with: read figures by -machine");
  last *= 4;
  for (std::size_t bytes = ModelTuning::pass_first; bytes <= last; bytes *= 2) {
    const std::size_t n = bytes / (arrays * sizeof(Scalar));

    /* each pass returns its input: numbers neither grow nor become denormal and slow */
    std::fill_n(memory.get(), (arrays - 1) * n, Scalar(1) / ModelTuning::pass_diagonals);
    std::fill_n(memory.get() + (arrays - 1) * n, n, Scalar(1));
    /* scaled to moving the working set once */
    for (int k = 0; k < (bytes > last / 16 ? 2 : ModelTuning::samples); k++) samples.push_back({(double)bytes, time_passes(n, memory.get()) * arrays / moved});
  }
  machine->host_pass = Curve(samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
