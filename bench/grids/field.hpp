/*
   Flow on structured grids: log-normal permeability with layers, a laterally correlated part and noise, or channels, or regions with a strong direction each; inactive cells; the seven-point system of the fluxes.
*/
#pragma once
#include <petscmat.h>
#include <string>
#include <vector>

namespace bench
{

enum class Inactive { scattered, regions };

struct Field {
  std::string name;
  int         n[3];     // cells along x, y, z
  double      size[3];  // of a cell
  double      kz_ratio; // vertical permeability over horizontal
  double      std;      // of the logarithm of the permeability
  int         seed;
  double      inactive = 0; // part of the cells
  Inactive    how      = Inactive::regions;
  double      channels = 0; // the permeability in winding channels along y, which is 1 elsewhere; 0: log-normal
  double      turning  = 1; // how many times as large it is along one axis, which is another one in each cube of 16 x 16 x 16 cells

  std::size_t cells() const { return static_cast<std::size_t>(n[0]) * n[1] * n[2]; }
};

// Of all cells, x fastest; 0: inactive
std::vector<double> permeability(const Field &field);
// Fluxes between active cells and 1e-6 of the mean diagonal as accumulation; inactive cells have ones on the diagonal. b: a source and a sink in every layer
PetscErrorCode field_system(const Field &field, Mat *A, Vec *b);

} // namespace bench
