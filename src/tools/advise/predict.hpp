/*
   What a solve takes on the host, on a GPU, on several GPUs, from the figures of a machine and from what an iteration declares that it moves and launches. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "machine.hpp"

namespace heptane
{

/* A solve, for one process */
struct SolveWork {
  double rows = 0, iterations = 0;
  double host_bytes = 0, device_bytes = 0; /* of an iteration */
  double passes = 0, launches = 0;         /* of an iteration: loops of the host, kernels */
  double reductions  = 0;                  /* of an iteration */
  double working_set = 0;                  /* bytes that an iteration touches at all */
  double fill        = 0;                  /* bytes of the format's values where they have to be taken from compressed rows first, whatever the place */
  double matrix_up   = 0;                  /* bytes of the matrix that are copied to the GPU first */
  double vectors_up = 0, vectors_down = 0; /* bytes of vectors that have to go there before, and come back */
  int    vectors_up_count = 0, vectors_down_count = 0;
  double halo_bytes = 0;                    /* of a product, to each neighbour, if the rows were cut in parts */
  double products   = 1;                    /* of an iteration */
  double product_us = 0, product_bytes = 0; /* one on the host, as it was timed, and what it moves; 0: it was not timed */
  bool   persistent = false;                /* the iterations run in one kernel */
};

/* us; NaN where the machine's figures are not enough */
struct Prediction {
  double start = 0, matrix = 0, vectors = 0, iteration = 0; /* before the first iteration; copies; one iteration */
  double Total(double iterations) const { return start + matrix + vectors + iterations * iteration; }
};

Prediction predict_host(const Machine &machine, const SolveWork &work);
Prediction predict_device(const Machine &machine, const SolveWork &work);
/* On each of so many GPUs an equal part of the rows, the halo of a part going to two neighbours, a sum of all for each reduction */
Prediction predict_devices(const Machine &machine, const SolveWork &work, int gpus);

/* The same solve with another number of rows, every row costing the same */
SolveWork scaled_to(const SolveWork &work, double rows);

/* The smallest number of rows from which on the device is faster, the same per row; 0: for any number of rows, infinite: for none up to 1e9 */
double crossing_rows(const Machine &machine, const SolveWork &work);
/* As many iterations as make up for the copies; infinite: none do */
double crossing_iterations(const Machine &machine, const SolveWork &work);

} // namespace heptane
