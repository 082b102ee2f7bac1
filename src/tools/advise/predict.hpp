/*
   Time of a solve on the host and on a GPU, from the figures of a machine and the declared bytes and launches of an
   iteration. Without PETSc and CUDA.
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
  double working_set = 0;                  /* distinct bytes that an iteration touches */
  /* bytes of the format's values if they are converted from compressed rows first, on either side */
  double fill       = 0;
  double matrix_up  = 0;                   /* bytes of the matrix that are copied to the GPU first */
  double vectors_up = 0, vectors_down = 0; /* bytes of vectors copied there before and back after */
  int    vectors_up_count = 0, vectors_down_count = 0;
  double products   = 1;                    /* of an iteration */
  double product_us = 0, product_bytes = 0; /* measured time of one on the host, and its bytes; 0: not measured */
  bool   persistent = false;                /* the iterations run in one kernel */
};

/* us; NaN if the machine's figures are insufficient */
struct Prediction {
  double start = 0, matrix = 0, vectors = 0, iteration = 0; /* before the first iteration; copies; one iteration */
  double Total(double iterations) const { return start + matrix + vectors + iterations * iteration; }
};

Prediction predict_host(const Machine &machine, const SolveWork &work);
Prediction predict_device(const Machine &machine, const SolveWork &work);

/* The same solve with another number of rows, every row costing the same */
SolveWork scaled_to(const SolveWork &work, double rows);

/*
   The smallest number of rows from which on the device is faster, with the same cost per row; 0: for any number,
   infinite: for none up to 1e9
*/
double crossing_rows(const Machine &machine, const SolveWork &work);
/* Number of iterations that compensate for the copies; infinite: none */
double crossing_iterations(const Machine &machine, const SolveWork &work);

} // namespace heptane
