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

// What a warp does in one step of an elimination: all instructions, and those of them that a slower unit takes. Counted in the code for sm_90 in double precision, where N, M and b are as below
struct Work {
  double instructions, flop, shuffle, words; // exchanges of scalars; words of 32 bits a lane from shared memory
};

// What follows one another in a step
struct Chain {
  double flop, integer, shuffle, shared, sync, divide;
};

struct Step {
  Work  work;
  Chain chain;
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
  return {
    {26.0 * b + 4, b * (b + 2.0) + 2, 0,       4 * doubles * b},
    { 0.5 * b + 4, 2.0 * b + 8,                     0, 4.0 / b,               2.0 / b, 1}
  };
}

// One row a lane: the pivot's key through the lanes, its row through shared memory, division, row update
Step lanes_row_step(int M, int lanes, bool factors)
{
  const double exchanges = (lanes == 32 ? 1 : std::log2(lanes)) / doubles;

  return {
    {factors ? 6.8 * M + 85 : 1.4 * M + 90, M + 14.0, exchanges, doubles * (M + 0.25 * M)},
    { 2, 20,                                   exchanges,         2,                        0, 1}
  };
}

// One column a lane: the column through shared memory, its norm over the lanes, root and divisions, product with the lane's column and update
Step lanes_column_step(int M, int lanes)
{
  const double exchanges = std::log2(lanes);

  return {
    {4.4 * M + 145, 2.1 * M + 41, exchanges, doubles * (M + 0.25 * M + 2)},
    { 0.5 * M + exchanges + 6, 8,               exchanges,         2,                            0, 3}
  };
}

// N x N entries a thread: column and row through shared memory, two barriers, pivot search by every warp
Step block_row_step(int N, bool factors)
{
  return {
    {factors ? 5.0 * N * N + 22 * N + 135 : 44.0 * N + 100, N * (N + (factors ? 2.0 : 3.0)) + 13, 10 / doubles, doubles * (2.5 * N + 2)},
    { 2, 30,                                                                                       5,            3,                       2, 1}
  };
}

// The same for a reflection: one barrier; the products with columns are summed over 16 lanes
Step block_column_step(int N)
{
  return {
    {55.0 * N + 100, N * (2.0 * N + 7) + 38, 4.0 * N + 5, doubles * (1.5 * N + 1)},
    { N + 12.0, 10,                                  9,           2,                       1, 3}
  };
}

void kernel_of(Factor method, int b, Shape *shape, Step *step)
{
  const bool inverse = method == Factor::inverse;

  if (inverse && b <= 8) {
    const int threads = b <= 5 ? 128 : 64;

    *shape = {1.0 / 32, doubles * b * b + (b > 5 ? 40 : 30), sizeof(PetscScalar) * b * (threads * b + 2.0), threads};
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

double latency(const Machine &m, const Chain &n)
{
  return n.flop * m.flop.alone + n.integer * m.integer.alone + n.shuffle * m.shuffle.alone + n.shared * m.shared.alone + n.sync * m.sync.alone +
         n.divide * m.divide.alone;
}

// What a warp takes of a multiprocessor: the busiest of its units. Shared memory serves a warp's load a cycle, and four instructions are issued in one
double busy(const Machine &m, const Work &n)
{
  return std::max({n.instructions * m.shared.full / 4, n.flop * m.flop.full, n.words * m.shared.full + n.shuffle * m.shuffle.full}) /
         8; // costs are those of eight warps
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
  p.latency_ns = latency(m, step.chain);
  p.busy_ns    = busy(m, step.work) * shape.warps;
  // rounds in which all places are taken, and one for the rest
  const double rounds = count / (m.processors * p.resident), rest = rounds - std::floor(rounds);
  const double own = p.latency_ns + busy(m, step.work) * std::max(4.0, shape.warps); // a block alone; a warp alone keeps one scheduler of four
  // what waits and what works hide each other in part
  const auto   turn  = [&](double resident) { return std::hypot(own, resident * p.busy_ns); };
  const double start = 2 * m.global_ns; // a block's loads and stores

  p.call_us   = m.call_us;
  p.memory_us = 1e-3 * 2 * sizeof(PetscScalar) * static_cast<double>(count) * b * b / m.bandwidth;
  p.steps_us  = 1e-3 * (b * (std::floor(rounds) * turn(p.resident) + (rest > 0 ? turn(rest * p.resident) : 0)) + std::ceil(rounds) * start);
  p.us        = p.call_us + p.memory_us + p.steps_us;
  return p;
}

} // namespace bench
