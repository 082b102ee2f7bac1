/*
   Products with a list of compressed rows: the remainder of a format, the block of off-process columns, and their
   transposes. The arithmetic of a row is written once for host and device; launchers return the CUDA error, do not
   synchronise, and take the stream as an argument.
*/
#pragma once

#include "../../device/scalar.hpp"
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/* Row k of the list has entries ptr[k] .. ptr[k + 1] - 1; entry p is values[perm ? perm[p] : p] in column col[p]; the
   row's place is row[k] */
struct CsrRows {
  int           count;
  const int    *row, *ptr, *col, *perm;
  const Scalar *values;
};

/* The entries of row k for lane `lane` of `lanes`: first, first + lanes, ... ; U of them are loaded together if there
   is no perm */
template <int U = 1, class X>
HEPTANE_HD Scalar csr_row(const CsrRows &A, const X &x, int k, int lane, int lanes)
{
  const int end = A.ptr[k + 1];
  int       p   = A.ptr[k] + lane;
  Scalar    sum = 0;

  if (A.perm) {
    for (; p < end; p += lanes) sum += A.values[A.perm[p]] * x[load_once(A.col + p)];
    return sum;
  }
  for (; p + (U - 1) * lanes < end; p += U * lanes) {
    Scalar a[U];
    int    c[U];
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      a[u] = load_once(A.values + p + u * lanes);
      c[u] = load_once(A.col + p + u * lanes);
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) sum += a[u] * x[c[u]];
  }
  for (; p < end; p += lanes) sum += load_once(A.values + p) * x[load_once(A.col + p)];
  return sum;
}

/* Lists with a row of more than csr_long entries are summed in pieces of csr_piece entries, a warp per piece, so that
   one row does not delay the rest. 22 % faster than 2048 on a power law (prototype); 512 is a guess */
constexpr int csr_long = 1024, csr_piece = 512;

/* The pieces of a list: row k has pieces first[k] .. first[k + 1] - 1, in the order of its entries */
struct CsrPieces {
  CsrRows    list;  /* one "row" a piece; row[] is that of the whole list */
  const int *first; /* null: the list is not in pieces */
  const int *owner; /* [list.count] the k of each piece */
  Scalar    *sums;  /* [list.count] on the device */
  unsigned  *ready; /* [rows of the list] pieces of a row that are summed; 0 between products */
};

/* z[row[k]] += (A x)_k */
inline void csr_rows_add_host(const CsrRows &A, const Scalar *x, Scalar *z)
{
  for (int k = 0; k < A.count; k++) z[A.row[k]] += csr_row(A, x, k, 0, 1);
}

/* d[s * ld + row] = entry in column row / b * b + s of row k of the list, s < b */
HEPTANE_HD void csr_gather_row(const CsrRows &A, int k, int b, std::size_t ld, Scalar *d)
{
  const int row = A.row[k], first = row / b * b;

  for (int p = A.ptr[k]; p < A.ptr[k + 1]; p++) {
    const int c = A.col[p] - first;
    if (c >= 0 && c < b) d[c * ld + row] = A.values[A.perm ? A.perm[p] : p];
  }
}

#if defined(PETSC_HAVE_CUDA)
cudaError_t launch_csr_gather_blocks(const CsrRows &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream);
/* entries: ptr[count], for the choice of lanes per row */
cudaError_t launch_csr_rows_add(const CsrRows &A, int entries, const Scalar *x, Scalar *z, cudaStream_t stream);
/* The same in pieces */
cudaError_t launch_csr_pieces_add(const CsrRows &A, const CsrPieces &P, const Scalar *x, Scalar *z, cudaStream_t stream);
#endif

} // namespace heptane
