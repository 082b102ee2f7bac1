/*
   The power of two by which the values of a matrix are multiplied so that the mean of its diagonal is about one: single
   precision has few exponents. Each set-up checks the scale. It is kept while the mean is within a factor of 2^16 of
   one: no digit depends on it then, and graphs recorded with it stay valid.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../rows/setup_rows.hpp"

namespace heptane
{

class GridScale {
public:
  GridScale() = default;
  explicit GridScale(double mean) { (void)Take(mean); } /* mean: of the diagonal */
  Scalar Of() const;
  /* The sum over the diagonals of cells; on the device without synchronisation */
  PetscErrorCode Compute(const GridMatrix &A, int B, std::size_t cells, Where where);
  /* The scale for the result of Compute() on the processes of comm; synchronises. another: it has changed */
  PetscErrorCode Renew(MPI_Comm comm, bool *another);

private:
  bool Take(double mean);

  int    exponent = 0;
  bool   taken    = false;
  double found[2] = {0, 0}; /* the sum, and the number of cells */
  Where  side     = Where::host;

  Buffer<Scalar>   sums{7}, partial;
  Buffer<unsigned> count{1};
};

} // namespace heptane
