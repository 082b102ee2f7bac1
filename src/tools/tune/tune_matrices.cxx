/*
   Matrices of cubes of cells for measuring products.
*/
#include "tune_spec.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../mat/bdiagh/format/spmv.hpp"
  #include "../../mat/bdiagh/fused/fused.hpp"
  #include "../../mat/sellp/format/shape.hpp"
  #include "../../mat/sellp/format/spmv.hpp"
  #include "../../mat/sellp/fused/fused.hpp"

namespace heptane
{

namespace
{

/* The seven diagonals of a cube of cells, or the six without the main one */
PetscErrorCode Diagonals(const TuneSpec &s, bool main, TuneCase *c, BdiaghDiagonals *D)
{
  const int n       = s.number;
  const int seven[] = {-n * n, -n, -1, 0, 1, n, n * n};
  Scalar   *values;

  PetscFunctionBegin;
  D->rows = D->cols = static_cast<int>(rows_of(s));
  D->block          = s.block;
  D->ld             = (static_cast<std::size_t>(D->rows) + 31) / 32 * 32;
  D->ndiag          = 0;
  for (const int offset : seven)
    if (main || offset) D->offset[D->ndiag++] = offset;
  PetscCall(Patterned(D->ld * D->ndiag * D->block, c, &values));
  D->values = values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same cube as compressed rows with blocks */
PetscErrorCode Slices(const TuneSpec &s, TuneCase *c, SellpOperands *O)
{
  const int             n = s.number, b = s.block, cells = n * n * n;
  std::vector<PetscInt> ptr(1, 0), col;
  SellpLimits           limits;
  Csr                   A;
  Scalar               *values;
  SellpSlices          &S = O->slices;

  PetscFunctionBegin;
  for (int row = 0; row < cells * b; row++) {
    const int cell = row / b, x = cell % n, y = cell / n % n, z = cell / (n * n);
    const struct {
      bool there;
      int  cell;
    } near[] = {
      {z > 0,     cell - n * n},
      {y > 0,     cell - n    },
      {x > 0,     cell - 1    },
      {true,      cell        },
      {x + 1 < n, cell + 1    },
      {y + 1 < n, cell + n    },
      {z + 1 < n, cell + n * n}
    };

    for (const auto &of : near)
      for (int k = 0; k < b && of.there; k++) col.push_back(of.cell * b + k);
    ptr.push_back(static_cast<PetscInt>(col.size()));
  }
  A.rows = A.cols     = cells * b;
  A.ptr               = ptr.data();
  A.col               = col.data();
  limits.block        = b;
  limits.slice        = SellpTuning::slice; /* slices for pairs of rows per thread have nothing to choose */
  const SellpLayout L = sellp_find_layout(A, b, false, limits);

  PetscCall(Patterned(L.values(), c, &values));
  sellp_shape(L, &S);
  S.place  = nullptr;
  S.values = values;
  PetscCall(Copied(L.head, c, &S.head));
  PetscCall(Copied(L.index, c, &S.index));
  if (!L.place.empty()) PetscCall(Copied(L.place, c, &S.place));
  O->mix      = L.mix();
  O->columns  = L.block_columns();
  O->sums     = nullptr;
  O->device   = true;
  O->diagonal = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MakeProduct(const TuneSpec &s, TuneCase *c)
{
  const auto rows = static_cast<std::size_t>(rows_of(s));
  Scalar    *x, *y;

  PetscFunctionBegin;
  PetscCall(Patterned(rows, c, &x));
  PetscCall(Patterned(rows, c, &y));
  if (s.kind == TuneKind::product) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(s, true, c, &D));
    c->launch = [=](cudaStream_t stream) { return launch_bdiagh_mult(D, x, nullptr, y, stream); };
  } else {
    SellpOperands O = {};

    PetscCall(Slices(s, c, &O));
    c->launch = [=](cudaStream_t stream) { return launch_sellp_mult(O.slices, O.mix, SellpRemainder(), x, nullptr, y, stream); };
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeFused(const TuneSpec &s, const TunePasses &passes, TuneCase *c)
{
  const auto           rows = static_cast<std::size_t>(rows_of(s));
  const FusedReduction red  = passes.Reduction();
  const FusedScalars  *S    = passes.Now();
  FusedProduct         P;
  Scalar              *u, *v, *w, *y;

  PetscFunctionBegin;
  PetscCall(Patterned(rows, c, &u));
  PetscCall(Patterned(rows, c, &y));
  P.q    = u;
  P.y    = y;
  P.sums = sum_yu;
  if (s.kind == TuneKind::fused_four) {
    PetscCall(Patterned(rows, c, &v));
    PetscCall(Patterned(rows, c, &w));
    P.v     = v;
    P.w     = w;
    P.alpha = passes.Zero();
    P.sums  = all_sums;
  }
  if (s.kind == TuneKind::sellp_fused) {
    SellpOperands O = {};

    PetscCall(Slices(s, c, &O));
    c->launch = [=](cudaStream_t stream) { return launch_sellp_fused(O, P, S, red, stream); };
  } else {
    const bool      folded = s.kind == TuneKind::folded;
    BdiaghDiagonals D;

    PetscCall(Diagonals(s, !folded, c, &D));
    if (folded) P.pc.matrix = FusedPc::scaled_unit;
    c->launch = [=](cudaStream_t stream) {
      return folded ? launch_bdiagh_folded(D, false, RemainderRows(), P, S, red, stream) : launch_bdiagh_fused(D, 3, RemainderRows(), P, S, red, stream);
    };
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
#endif
