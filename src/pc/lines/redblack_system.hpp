/*
   The system that is left where red columns are eliminated: its memory and set-up, the Schur complement as a matrix with a fused product, right-hand sides and solutions. Glue around the executors:
   knows no PC.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/operator.hpp"
#include "lines_vectors.hpp"
#include "redblack_lists.hpp"
#include <petscmat.h>
#include <memory>

namespace heptane
{

/* What the Schur complement offers PCLINES, composed on it as a container under this name: the lines of the columns that are left, and where their values are */
struct RemainingLines {
  GridMatrix    A;
  LinesPlaces   places;
  Scalar        scale  = 1;
  bool          device = false;
  std::uint64_t number = 0; /* another one where anything but values may have changed */
  const char   *axis   = "";
};
inline constexpr char remaining_lines_name[] = "heptane_remaining_lines";

class RedBlackSystem {
public:
  RedBlackSystem()                                  = default;
  RedBlackSystem(const RedBlackSystem &)            = delete;
  RedBlackSystem &operator=(const RedBlackSystem &) = delete;
  ~RedBlackSystem();

  /* Memory and lists for a pattern. The Schur complement is a new matrix. vectors: of such a type */
  PetscErrorCode Plan(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan, const LinesPlaces &extents, Scalar scale, const char *axis,
                      bool device, Vec vectors);
  /* The values, in the same memory; waits for the device once, for the report */
  PetscErrorCode Factor(const GridMatrix &A, const Scalar *beside, GridReport *report);
  PetscErrorCode Reset();

  Mat Schur() const { return schur; }
  /* What is left of r */
  PetscErrorCode Enter(Vec r, Vec g);
  /* Eliminated unknowns from r and those that are left, both to z */
  PetscErrorCode Leave(Vec r, Vec left, Vec z);
  /* The remaining ones of z */
  PetscErrorCode Guess(Vec z, Vec left);

  bool                 OnDevice() const { return device; }
  const RedBlackLists &Lists() const { return lists; }
  std::size_t          Bytes() const { return memory.Size() * sizeof(Scalar); }
  PetscInt             Left() const { return left_rows; }

private:
  Where          Place() const { return device ? Where::device : Where::host; }
  PetscErrorCode Upload();
  PetscErrorCode MakeSchur(Vec vectors);
  double         Flops() const; /* of a product */

  static PetscErrorCode Mult(Mat S, Vec x, Vec y);
  static PetscErrorCode Operator(Mat S, PetscBool on_device, std::shared_ptr<FusedOperator> *op);

  bool                           device    = false;
  PetscInt                       left_rows = 0;
  RedBlack                       R;
  RedBlackLists                  lists;
  RemainingLines                 remaining;
  Buffer<Scalar>                 memory, entries;
  Buffer<int>                    kept_column, kept_number, base, ptr, col;
  Buffer<std::uint32_t>          mask;
  Buffer<std::int64_t>           source;
  Buffer<GridReport>             report_of{1};
  LinesArrays                    arrays, more;
  Mat                            schur = nullptr;
  std::shared_ptr<FusedOperator> fused; /* of the values that were set up last */
};

} // namespace heptane
