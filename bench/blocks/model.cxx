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
  double instructions, flop, shuffle, words,
    broadcasts; // exchanges of scalars; words of 32 bits a lane to and from shared memory; 16 bytes from there, the same for all lanes
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
  double once;      // instructions of a warp before the first step and after the last
};

// Warps of a multiprocessor from which on its loads and stores begin to be hidden behind the steps of others; with twice as many they are as well hidden as a step's waits. Of the shapes
// below, 12 to 18 warps hide nothing and 36 or more all that can be
constexpr double hiding_warps = 18;

constexpr double doubles = sizeof(PetscScalar) / 4.0; // registers of a scalar

// One block per thread: pivot search in a column, an exchange that is skipped where no row needs it, division, row and rank-one update. The tile through shared memory, in and out, is dealt to the steps
Step thread_step(int b)
{
  return {
    {26.0 * b + 4, b * (b + 2.0) + 2, 0,       4 * doubles * b, 0},
    { 0.5 * b + 4, 2.0 * b + 8,                 0, 4.0 / b,         2.0 / b, 1}
  };
}

// One row a lane: the pivot's key through the lanes, its row through shared memory, division, row update
Step lanes_row_step(int M, int lanes, bool factors)
{
  const double exchanges = (lanes == 32 ? 1 : std::log2(lanes)) / doubles;

  return {
    {factors ? 6.8 * M + 85 : 1.4 * M + 90, M + 14.0,  exchanges, doubles * 0.25 * M, doubles * M / 4},
    { 2,                                   20, exchanges,         2,                  0,               1}
  };
}

// One column a lane: the column through shared memory, its norm over the lanes, root and divisions, product with the lane's column and update
Step lanes_column_step(int M, int lanes)
{
  const double exchanges = std::log2(lanes);

  return {
    {4.4 * M + 145, 2.1 * M + 41, exchanges, doubles * (0.25 * M + 2), doubles * M / 4},
    { 0.5 * M + exchanges + 6,            8,    exchanges,         2,                        0,               3}
  };
}

// N x N entries per thread: column and row through shared memory, two barriers, pivot search by every warp
Step block_row_step(int N, bool factors)
{
  return {
    {factors ? 4.0 * N * N + 22 * N + 128 : 44.0 * N + 90, N * (N + (factors ? 2.0 : 3.0)) + 13, 10 / doubles, doubles * (2.5 * N + 2), 0},
    { 2,                                                  30,                                    5,            3,                       2, 1}
  };
}

// The same for a reflection: one barrier; the products with columns are summed over 16 lanes
Step block_column_step(int N)
{
  return {
    {55.0 * N + 100, N * (2.0 * N + 7) + 38, 4.0 * N + 5, doubles * (1.5 * N + 1), 0},
    { N + 12.0,            10,                      9,           2,                       1, 3}
  };
}

void kernel_of(Factor method, int b, Shape *shape, Step *step)
{
  const bool inverse = method == Factor::inverse;

  if (inverse && b <= 8) {
    const int threads = b <= 5 ? 128 : 64;

    *shape = {1.0 / 32, doubles * b * b + (b > 5 ? 40 : 30), sizeof(PetscScalar) * b * (threads * b + 2.0), threads, 5.0 * b * b + 30};
    *step  = thread_step(b);
  } else if (b <= 32) {
    const int M = inverse ? b : (b + 3) / 4 * 4, lanes = M <= 4 ? 4 : (M <= 8 ? 8 : (M <= 16 ? 16 : 32)), groups = 128 / lanes;

    *shape = {lanes / 32.0, doubles * M + (inverse ? 40 : 32), sizeof(PetscScalar) * groups * 2.0 * M, 128, inverse ? 22.0 * M + 60 : 30.0 * M + 60};
    if (method == Factor::qr) {
      shape->once = 45.0 * M + 80;
      shape->registers += doubles * M;
      shape->shared += sizeof(PetscScalar) * groups * M * (M + 1.0);
    }
    *step = method == Factor::qr ? lanes_column_step(M, lanes) : lanes_row_step(M, lanes, !inverse);
  } else {
    const int N = (b + 15) / 16;

    *shape = {8, doubles * N * N + 40, sizeof(PetscScalar) * 5.0 * N * 16, 256,
              inverse ? 28.0 * N * N + 130 : (method == Factor::lu ? 26.0 * N * N + 100 : 15.0 * N * N + 60)};
    *step  = method == Factor::qr ? block_column_step(N) : block_row_step(N, !inverse);
  }
}

double latency(const Machine &m, const Chain &n)
{
  return n.flop * m.flop.alone + n.integer * m.integer.alone + n.shuffle * m.shuffle.alone + n.shared * m.shared.alone + n.sync * m.sync.alone +
         n.divide * m.divide.alone;
}

// What so many instructions of a warp take of a multiprocessor, which issues four in a cycle; shared memory serves a warp's load a cycle. Costs are those of eight warps.
double issue(const Machine &m, double instructions)
{
  return instructions * m.shared.full / 4 / 8;
}

// What a warp's step takes of a multiprocessor: the busiest of its units
double busy(const Machine &m, const Work &n)
{
  const double shared = n.words * m.shared.full + n.broadcasts * m.broadcast.full + n.shuffle * m.shuffle.full;

  return std::max({issue(m, n.instructions), n.flop * m.flop.full / 8, shared / 8});
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
  // registers are given out by 8 per thread, warps to four schedulers
  const double registers = std::min(255.0, 8 * std::ceil(shape.registers / 8)), warps_of_block = shape.threads / 32.0;
  const double by_registers = std::floor(4 * std::floor(m.registers / 4.0 / (32 * registers)) / warps_of_block);
  const double by_shared    = std::floor(m.shared_bytes / (shape.shared + 1024));
  const double blocks       = std::max(1.0, std::min({by_registers, by_shared, 64 / warps_of_block}));

  p.resident   = blocks * warps_of_block / shape.warps;
  p.latency_ns = latency(m, step.chain);
  p.busy_ns    = busy(m, step.work) * shape.warps;
  // rounds in which all places are taken, and one for the rest
  const double rounds = count / (m.processors * p.resident), rest = rounds - std::floor(rounds);
  // of a block alone, with its loads and stores; a warp alone keeps one scheduler of four
  const double alone  = std::max(4.0, shape.warps);
  const double waits  = b * (p.latency_ns + busy(m, step.work) * alone) + issue(m, shape.once) * alone + 2 * m.global_ns;
  const double works  = b * p.busy_ns + issue(m, shape.once) * shape.warps;
  const double bytes  = 2.0 * sizeof(PetscScalar) * b * b;
  const double memory = bytes * m.processors / m.bandwidth; // of a multiprocessor's share of the bandwidth
  // what waits and what works hide each other in part, and both hide memory where there are warps enough
  const double hidden = std::min(2.0, std::max(1.0, p.resident * shape.warps / hiding_warps));
  const auto   steps  = [&](double resident) { return std::hypot(waits, resident * works); };
  const auto   turn   = [&](double resident) { return std::pow(std::pow(steps(resident), hidden) + std::pow(resident * memory, hidden), 1 / hidden); };
  const auto   sum    = [&](const auto &of) { return 1e-3 * (std::floor(rounds) * of(p.resident) + (rest > 0 ? of(rest * p.resident) : 0)); };

  p.call_us   = m.call_us;
  p.memory_us = 1e-3 * bytes * static_cast<double>(count) / m.bandwidth;
  p.steps_us  = sum(steps);
  p.us        = p.call_us + sum(turn);
  return p;
}

} // namespace bench
