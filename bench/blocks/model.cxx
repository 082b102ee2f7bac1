/*
   The model: operations of the kernels of src/pc/dense, counted in their sources, times their measured costs.
*/
#include "model.hpp"
#include <algorithm>
#include <cmath>

namespace bench
{

namespace
{

// What one step of an elimination does, in operations of a warp; `waits`: how many of them follow one another
struct Ops {
  double flop = 0, integer = 0, shuffle = 0, shared = 0, sync = 0, divide = 0;
};

struct Step {
  Ops all, waits;
};

// How a block of the matrix lies on the device
struct Shape {
  double warps;     // that share a block; less than one: blocks that share a warp
  double registers; // of a thread
  double shared;    // bytes of a thread block
  int    threads;   // of a thread block
};

constexpr double doubles = sizeof(PetscScalar) / 4.0; // registers of a scalar

// One block a thread: pivot search in a column, an exchange that is skipped where no row needs it, division, row and rank-one update. The tile through shared memory, in and out, is dealt to the steps
Step thread_step(int b)
{
  Step s;

  s.all   = {b * (b - 1.0) + b, 10 + 4.5 * b, 0, 4.0 * b, 2.0 / b, 1};
  s.waits = {2, 4.0 * b, 0, 4.0 / b, 2.0 / b, 1};
  return s;
}

// One row a lane: the pivot's key through the lanes, its row through shared memory two entries a load, division, row update
Step lanes_row_step(int b, int lanes, bool keep_rows)
{
  const double exchanges = lanes == 32 ? 2 : std::log2(lanes);
  Step         s;

  s.all   = {b + 1.0, 28 + exchanges + (keep_rows ? 0.5 * b : 0), exchanges / doubles, b + 1.0, 0, 1};
  s.waits = {2, 8 + exchanges, exchanges / doubles, 2, 0, 1};
  return s;
}

// One column a lane: the column through shared memory, its norm over the lanes, root and divisions, product with the lane's column and update
Step lanes_column_step(int b, int lanes)
{
  const double exchanges = std::log2(lanes);
  Step         s;

  s.all   = {2.0 * b + exchanges + 8, 24, exchanges, b + 4.0, 0, 3};
  s.waits = {0.5 * b + exchanges + 6, 8, exchanges, 2, 0, 3};
  return s;
}

// N x N entries a thread: column and row through shared memory, two barriers, pivot search by every warp
Step block_row_step(int N, bool keep_rows)
{
  Step s;

  s.all   = {N * N + N + 1.0, 50 + 4.0 * N + 3.0 * N + N * N * (keep_rows ? 2.0 : 1.0), 10 / doubles, 3.5 * N + 3, 2, 1};
  s.waits = {2, 30, 5, 3, 2, 1};
  return s;
}

// The same for a reflection: one barrier; the products with columns are summed over 16 lanes
Step block_column_step(int N)
{
  Step s;

  s.all   = {2.0 * N * N + 5.5 * N + 8, 36 + 6.0 * N, 5 + 4.0 * N, 2.5 * N + 2, 1, 3};
  s.waits = {N + 12.0, 10, 9, 2, 1, 3};
  return s;
}

void kernel_of(Factor method, int b, Shape *shape, Step *step)
{
  const bool inverse = method == Factor::inverse;

  if (inverse && b <= 8) {
    const int threads = b <= 5 ? 128 : 64;

    *shape = {1.0 / 32, doubles * b * b + (b > 5 ? 96 : 30), sizeof(PetscScalar) * b * (threads * (b | 1) + 1.0), threads};
    *step  = thread_step(b);
  } else if (b <= 32) {
    const int M = inverse ? b : (b + 3) / 4 * 4, lanes = M <= 4 ? 4 : (M <= 8 ? 8 : (M <= 16 ? 16 : 32)), groups = 128 / lanes;

    *shape = {lanes / 32.0, doubles * M + 40, sizeof(PetscScalar) * groups * 2.0 * M, 128};
    if (method == Factor::qr) {
      shape->registers += doubles * M;
      shape->shared += sizeof(PetscScalar) * groups * M * (M + 1.0);
    }
    *step = method == Factor::qr ? lanes_column_step(M, lanes) : lanes_row_step(M, lanes, !inverse);
  } else {
    const int N = (b + 15) / 16;

    *shape = {8, doubles * N * N + (inverse ? 32 : 40), sizeof(PetscScalar) * 5.0 * N * 16, 256};
    *step  = method == Factor::qr ? block_column_step(N) : block_row_step(N, !inverse);
  }
}

double alone(const Machine &m, const Ops &n)
{
  return n.flop * m.flop.alone + n.integer * m.integer.alone + n.shuffle * m.shuffle.alone + n.shared * m.shared.alone + n.sync * m.sync.alone +
         n.divide * m.divide.alone;
}

// Of a warp: costs are those of eight
double full(const Machine &m, const Ops &n)
{
  return (n.flop * m.flop.full + n.integer * m.integer.full + n.shuffle * m.shuffle.full + n.shared * m.shared.full + n.sync * m.sync.full +
          n.divide * m.divide.full) /
         8;
}

} // namespace

#if !PetscDefined(HAVE_CUDA)
PetscErrorCode machine_measure(const Bench &, Machine *)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "a GPU is measured through a PETSc configured with CUDA (--with-cuda)");
}
#endif

Prediction predict(const Machine &m, Factor method, PetscInt count, int b)
{
  Prediction p;
  Shape      shape;
  Step       step;

  kernel_of(method, b, &shape, &step);
  // registers are given out by 8 a thread, warps to four schedulers
  const double registers = std::min(255.0, 8 * std::ceil(shape.registers / 8)), warps_of_block = shape.threads / 32.0;
  const double by_registers = std::floor(4 * std::floor(m.registers / 4.0 / (32 * registers)) / warps_of_block);
  const double by_shared    = std::floor(m.shared_bytes / (shape.shared + 1024));
  const double blocks       = std::max(1.0, std::min({by_registers, by_shared, 64 / warps_of_block}));

  p.resident   = blocks * warps_of_block / shape.warps;
  p.latency_ns = alone(m, step.waits);
  p.busy_ns    = full(m, step.all) * shape.warps;
  // rounds in which all places are taken, and one for the rest; a step lasts as long as its own chain takes, or as the multiprocessor needs for all its blocks
  const double rounds = count / (m.processors * p.resident), rest = rounds - std::floor(rounds),
               chain = p.latency_ns + full(m, step.all) * std::max(4.0, shape.warps); // a warp alone keeps one scheduler of four
  const double turn = std::max(chain, p.resident * p.busy_ns), last = rest > 0 ? std::max(chain, rest * p.resident * p.busy_ns) : 0;
  const double start = rounds > 0 ? 2 * m.global_ns : 0; // a block's loads and stores

  p.call_us   = m.call_us;
  p.memory_us = 1e-3 * 2 * sizeof(PetscScalar) * static_cast<double>(count) * b * b / m.bandwidth;
  p.steps_us  = 1e-3 * (b * (std::floor(rounds) * turn + last) + (b > 32 ? std::ceil(rounds) : 1) * start);
  p.us        = p.call_us + p.memory_us + p.steps_us;
  return p;
}

} // namespace bench
