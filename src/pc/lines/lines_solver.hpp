/*
   Lines as a preconditioner: memory, factors and application, on the device or on the host. Glue around the executors: knows no PC.
*/
#pragma once

#include "../../pass/pc_passes.hpp"
#include "lines_system.hpp"
#include "lines_vectors.hpp"
#include <memory>

namespace heptane
{

class LineSolver {
public:
  virtual ~LineSolver() = default;
  static std::unique_ptr<LineSolver> Make(bool single);

  /* Memory for these lines. scale: the values of the matrix are multiplied by it */
  virtual PetscErrorCode Plan(const LinesPlaces &places, Scalar scale, bool device) = 0;
  /* Factors, in the same memory; waits for the device once, for the report */
  virtual PetscErrorCode Factor(const GridMatrix &A, GridReport *report) = 0;
  /* y = M^-1 x; vectors of the process, wherever they are */
  virtual PetscErrorCode Apply(Vec x, Vec y) = 0;
  /* The application as launches; null on the host */
  virtual PcPasses *Passes() = 0;

  virtual bool        OnDevice() const = 0;
  virtual std::size_t Bytes() const    = 0; /* of memory */
  virtual double      Flops() const    = 0; /* of an application */
};

} // namespace heptane
