/*
   The inverses of lines with remainder entries on the host: loops around rows/dense_rows.hpp.
*/
#include "../rows/dense_rows.hpp"
#include "host.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace
{

class Inverter {
public:
  Inverter(int rows_of_line, int of_cell) : n(static_cast<std::size_t>(rows_of_line)), b(of_cell) {}

  /* Replaces A by its inverse; returns the number of skipped pivots */
  int Invert(const Scalar *size, Scalar *A)
  {
    int left_out = 0;

    for (GridDenseStep s = GridDenseStep::Begin(static_cast<int>(n), b, GridTuning::dense_step); s.width > 0; s.Next()) left_out += Eliminate(s, size, A);
    return left_out;
  }

private:
  int Eliminate(const GridDenseStep &s, const Scalar *size, Scalar *A)
  {
    const std::size_t first = static_cast<std::size_t>(s.first), width = static_cast<std::size_t>(s.width);

    memory.resize((GridFactorRoom<>::bytes(s.width) + sizeof(Scalar) - 1) / sizeof(Scalar));
    const GridFactorRoom<> R(memory.data(), s.width);
    for (std::size_t t = 0; t < width; t++) std::copy_n(A + (first + t) * n + first, width, R.inverse + t * width);
    const int left_out = grid_dense_invert(R, size + first, GridOneThread());
    rows.resize(width * n);
    for (int t = 0; t < s.width; t++)
      for (int j = 0; j < s.n; j++)
        rows[t * n + j] =
          grid_dense_step_entry(s, R.block, t, j, [&](int u) { return A[(first + static_cast<std::size_t>(u)) * n + static_cast<std::size_t>(j)]; });
    for (int i = 0; i < s.n; i++) {
      Scalar *const row = A + static_cast<std::size_t>(i) * n;

      if (s.has(i)) {
        std::copy_n(rows.data() + static_cast<std::size_t>(i - s.first) * n, n, row);
        continue;
      }
      std::copy_n(row + first, width, R.column);
      std::fill_n(row + first, width, Scalar(0));
      for (std::size_t t = 0; t < width; t++) {
        const Scalar of_row = R.column[t], *const of = rows.data() + t * n;

        for (std::size_t j = 0; j < n; j++) row[j] -= of_row * of[j];
      }
    }
    return left_out;
  }

  std::size_t         n;
  int                 b;
  std::vector<Scalar> rows, memory;
};

} // namespace

template <class Real>
void grid_invert_dense_host(const GridSystem<Real> &S, int count, GridReport *report)
{
  for (int l = 0; l < count; l++) {
    const GridLevel<Real>     &L = S.levels[static_cast<std::size_t>(l)];
    const GridRemainder<Real> &K = S.remainder[static_cast<std::size_t>(l)];
    const GridDense<Real>      D = S.Dense(static_cast<std::size_t>(l));
    const std::size_t          n = static_cast<std::size_t>(D.n);
    Inverter                   inverter(D.n, S.B);

    for (int line = 0; line < D.lines; line++) {
      Scalar *const     A      = S.dense_work + static_cast<std::size_t>(D.number + line) * n * n;
      Scalar *const     size   = S.dense_work + static_cast<std::size_t>(S.dense_lines) * n * n + static_cast<std::size_t>(D.number + line) * n;
      const int         colour = D.column[line] >= static_cast<int>(L.columns);
      const std::size_t column = static_cast<std::size_t>(D.column[line]) - static_cast<std::size_t>(colour) * L.columns;
      bool              finite = true;

      std::fill_n(A, n * n, Scalar(0));
      for (int i = 0; i < D.n; i++) {
        Scalar *const row             = A + static_cast<std::size_t>(i) * n;
        const int     remainder_index = D.remainder_index[line * D.n + i];

        grid_dense_line_row(L, colour, column, i / S.B, i % S.B, row, {});
        if (remainder_index >= 0) grid_dense_remainder_row(L, K, remainder_index, row, {});
        size[i] = grid_dense_row_size(row, D.n, {});
      }
      const int left_out = inverter.Invert(size, A);
      for (std::size_t e = 0; e < n * n; e++) D.row(line, 0)[e] = grid_dense_round<Real>(A[e], &finite);
      if (left_out || !finite) grid_record_fault_host(report, 1u << grid_singular, static_cast<unsigned long long>(D.number + line));
    }
  }
}

template void grid_invert_dense_host<float>(const GridSystem<float> &, int, GridReport *);
template void grid_invert_dense_host<double>(const GridSystem<double> &, int, GridReport *);

} // namespace heptane
