/*
   Plans of the remainder for persistent kernels.
*/
#include "persistent_remainder.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* The columns of entries first .. last - 1 outside lo .. hi - 1, ascending */
std::vector<int> extra_columns(const std::vector<int> &col, int first, int last, int lo, int hi)
{
  std::vector<int> extra;

  for (int p = first; p < last; p++)
    if (col[p] < lo || col[p] >= hi) extra.push_back(col[p]);
  std::sort(extra.begin(), extra.end());
  extra.erase(std::unique(extra.begin(), extra.end()), extra.end());
  return extra;
}

} // namespace

BdiaghRemainderPlan bdiagh_plan_remainder(const BdiaghWindow &w, const std::vector<int> &row, const std::vector<int> &ptr, const std::vector<int> &col)
{
  const int           rows = static_cast<int>(row.size());
  BdiaghRemainderPlan P;

  P.window  = w;
  P.row_ptr = ptr;
  P.place.resize(col.size());
  P.exported.assign((w.cut.rows + 31) / 32, 0);
  for (int b = 0, k = 0; b < w.cut.blocks; b++) {
    const int first = k, piece = static_cast<int>(P.piece_ptr.size() / 2), end = w.cut.first(b + 1), lo = w.cut.first(b) - w.below, hi = end + w.above;

    for (; k < rows && row[k] < end; k++) {
      const bool alone = ptr[k + 1] - ptr[k] <= BdiaghPersistentTuning::thread_entries;

      P.row_piece.push_back(static_cast<int>(P.piece_ptr.size() / 2));
      for (int p = ptr[k]; p < ptr[k + 1] && !alone; p += BdiaghPersistentTuning::piece_entries) {
        P.piece_ptr.push_back(p);
        P.piece_ptr.push_back(std::min(p + BdiaghPersistentTuning::piece_entries, ptr[k + 1]));
      }
    }
    const std::vector<int> extra = extra_columns(col, ptr[first], ptr[k], lo, hi);
    for (int p = ptr[first]; p < ptr[k]; p++) {
      const bool inside = col[p] >= lo && col[p] < hi;
      P.place[p]        = inside ? col[p] - lo : w.extras() + static_cast<int>(std::lower_bound(extra.begin(), extra.end(), col[p]) - extra.begin());
    }
    P.list.push_back(first);
    P.piece.push_back(piece);
    P.extra.push_back(static_cast<int>(P.extra_col.size()));
    P.extra_col.insert(P.extra_col.end(), extra.begin(), extra.end());
    for (const int e : extra) P.exported[e / 32] = static_cast<int>(static_cast<unsigned>(P.exported[e / 32]) | 1u << e % 32);
    P.most.rows    = std::max(P.most.rows, k - first);
    P.most.pieces  = std::max(P.most.pieces, static_cast<int>(P.piece_ptr.size() / 2) - piece);
    P.most.extras  = std::max(P.most.extras, static_cast<int>(extra.size()));
    P.most.entries = std::max(P.most.entries, ptr[k] - ptr[first]);
  }
  P.list.push_back(rows);
  P.piece.push_back(static_cast<int>(P.piece_ptr.size() / 2));
  P.extra.push_back(static_cast<int>(P.extra_col.size()));
  P.row_piece.push_back(static_cast<int>(P.piece_ptr.size() / 2));
  for (const int word : P.exported) {
    P.exported_before.push_back(P.exported_rows);
    P.exported_rows += bdiagh_bits_of(static_cast<unsigned>(word));
  }
  for (const int row : P.extra_col) P.extra_number.push_back(bdiagh_exported_index(P.exported.data(), P.exported_before.data(), row));
  return P;
}

} // namespace heptane
