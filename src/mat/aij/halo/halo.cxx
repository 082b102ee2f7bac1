/*
   The rows with columns of other processes, gathered from their block's format, and the exchange of these columns by
   PetscSF or peer memory.
*/
#include "halo.hpp"
#include "../../../pass/fold_rows.hpp"
#include "../../csr/whole_blocks.hpp"
#include <algorithm>
#include <map>
#include <numeric>

namespace heptane
{

Halo::~Halo()
{
  PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&sf));
}

PetscErrorCode Halo::Create(PetscSF columns, PetscInt n, const PetscInt globals[], Where where)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)columns));
  sf   = columns;
  side = where;
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscObjectGetComm((PetscObject)sf, &comm));
  number.resize((std::size_t)n);
  std::iota(number.begin(), number.end(), 0);
  ghost.Resize((std::size_t)n);
  PetscCall(ghost.Make(Where::host));
  PetscCall(Link());
  global.resize((std::size_t)n);
  for (PetscInt k = 0; k < n; k++) global[number[k]] = globals[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::LinkPeers(const PeerLists &lists, const PeerOptions &options)
{
  std::string why;

  PetscFunctionBegin;
  PetscCall(link.Create(comm, side, lists, options.seconds, &why));
  if (!link.Usable()) PetscCall(PetscInfo(sf, "Halo not from memory to memory: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::LinkNccl(const PeerLists &lists, const PeerOptions &options)
{
  std::shared_ptr<NcclLink> by;
  std::string               why = "no solver has asked for it";
  std::uint64_t             made_by_solver;

  PetscFunctionBegin;
  PetscCall(NcclLink::Made(comm, side, &made_by_solver));
  if (made_by_solver) PetscCall(NcclLink::Get(comm, side, options.seconds, &by, &why));
  if (!by) {
    PetscCall(PetscInfo(sf, "Halo not by NCCL: %s\n", why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(nccl.Create(by, side, lists, side == Where::device ? PeerHalo::spare_words : 0));
  received          = PeerHalo();
  received.ghosts   = static_cast<int>(nccl.Ghosts());
  received.spare    = received.ghosts;
  received.received = nccl.Received();
  PetscCall(rounds.Zeros(side, &received.rounds));
  PetscCall(arrived.Zeros(side, &received.arrived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The peer ranks of PetscSF's exchange, and the data sent to and received from each */
PetscErrorCode Halo::Link()
{
  struct Exchange {
    PetscInt        sends = 0, receives = 0;
    const PetscInt *row = nullptr, *column = nullptr;
  };
  PetscMPIInt                     owners, readers;
  const PetscMPIInt              *owner, *reader;
  const PetscInt                 *from, *to, *mine, *theirs, *roots;
  std::map<PetscMPIInt, Exchange> with;
  PeerLists                       lists;
  PeerOptions                     options;
  int                             next = 0;

  PetscFunctionBegin;
  link = PeerLink();
  nccl = NcclHalo();
  PetscCall(PeerOptionsGet(side, &options));
  if (!options.wanted && !options.nccl) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetRootRanks(sf, &owners, &owner, &from, &mine, &theirs));
  PetscCall(PetscSFGetLeafRanks(sf, &readers, &reader, &to, &roots));
  for (PetscMPIInt k = 0; k < owners; k++)
    if (from[k + 1] > from[k]) with[owner[k]].receives = from[k + 1] - from[k], with[owner[k]].column = mine + from[k];
  for (PetscMPIInt k = 0; k < readers; k++)
    if (to[k + 1] > to[k]) with[reader[k]].sends = to[k + 1] - to[k], with[reader[k]].row = roots + to[k];
  for (const auto &[rank, e] : with) {
    lists.rank.push_back(rank);
    lists.sends.push_back((int)e.sends);
    lists.receives.push_back((int)e.receives);
    for (PetscInt s = 0; s < e.sends; s++) lists.send_row.push_back((int)e.row[s]);
    for (PetscInt r = 0; r < e.receives; r++) number[e.column[r]] = next++;
  }
  if (options.wanted) PetscCall(LinkPeers(lists, options));
  if (options.nccl && !link.Usable()) PetscCall(LinkNccl(lists, options));
  if (layout_of) { /* the rows are known already */
    PetscCall(link.RowsRead(column));
    PetscCall(Share());
  }
  sent = link.Sent();
  PetscCall(sent_list.Reset(sent.row, sent.first, sent.target, 0));
  if (!link.Usable() && !nccl.Usable()) std::iota(number.begin(), number.end(), 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If kernels read the rows: the sums formed by warps */
PetscErrorCode Halo::Share()
{
  PetscFunctionBegin;
  if (side == Where::device && ForKernels()) shared.Make(first, column, ForKernels()->spare, PeerHalo::spare_words);
  else shared = HaloSharedRows();
  PetscCall(shared.Upload(side));
  values.Resize(column.size() + shared.Entries());
  values_of = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Halo::Take(FusedHalo *taken) const
{
  if (shared.Any()) shared.Take(side, column.size(), taken);
  else if (even_rows) taken->rows.ptr = nullptr; /* see halo_row() */
}

PetscErrorCode Halo::Analyse(LocalPart &off)
{
  const ValueRuns *runs;
  Csr              P;

  PetscFunctionBegin;
  PetscCall(off.Runs(&runs));
  PetscCall(off.Pattern(&P));
  row.clear();
  first.clear();
  column.clear();
  place.clear();
  rows   = P.rows;
  usable = runs->Usable();
  for (PetscInt r = 0; usable && r < P.rows; r++) {
    if (P.ptr[r] == P.ptr[r + 1]) continue;
    row.push_back((int)r);
    first.push_back((int)column.size());
    for (PetscInt k = P.ptr[r]; k < P.ptr[r + 1]; k++) column.push_back(number[P.col[k]]);
    runs->PlacesOf(r, place);
  }
  first.push_back((int)column.size());
  even_rows = true;
  for (std::size_t k = 0; k < row.size(); k++) even_rows = even_rows && first[k + 1] - first[k] == first[1] - first[0];
  free_rows = longest_run_outside(row.data(), row.size(), (int)rows);
  PetscCall(list.Reset(row, first, column, (int)P.cols));
  PetscCall(link.RowsRead(column)); /* a pattern may have columns without entries */
  PetscCall(Share());
  layout_of = off.Layout();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Rows(LocalPart &off, RemainderRows *R, bool *can)
{
  const Scalar *there;

  PetscFunctionBegin;
  *R = RemainderRows();
  if (layout_of != off.Layout()) PetscCall(Analyse(off));
  *can = usable;
  if (row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (values_of != off.Version()) {
    const Scalar *from;
    Scalar       *to;

    PetscCall(off.Values(Where::host, &from));
    PetscCall(values.Memory(Where::host, &to));
    for (std::size_t k = 0; k < place.size(); k++) to[k] = from[place[k]];
    shared.Values(to, to + place.size());
    values.Written(Where::host);
    values_of = off.Version();
  }
  PetscCall(values.Read(side, &there));
  PetscCall(list.ByRow(side, there, (int)rows, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Sent(RemainderRows *by_row)
{
  PetscFunctionBegin;
  *by_row = RemainderRows();
  if (link.Usable() && !sent.row.empty()) PetscCall(sent_list.ByRow(side, nullptr, (int)rows, by_row)); /* of any row of the block */
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool Halo::WholeBlocks(int b) const
{
  return in_whole_blocks(row, first, column, b, [&](int c) { return static_cast<int>(global[c] % b); });
}

/* at_columns: the inverses there, in the layout of FusedScaling, with one element of a column per column of other
   processes */
void Halo::ScaleBlocks(const FusedScaling &F, const std::vector<Scalar> &at_columns, Scalar scaled[]) const
{
  const int     b = F.block;
  const Scalar *a = values.At(Where::host);

  for (std::size_t k = 0; k < row.size(); k++) {
    const std::size_t corner = k - k % b;

    for (int e = 0; e < first[k + 1] - first[k]; e++) {
      const int s = e % b, c = column[first[k] + e] - s;
      Scalar    sum = 0;

      for (int j = 0; j < b; j++) {
        if (F.side == FusedSide::left) sum += F.inverse[j * F.ld + row[k]] * a[first[corner + j] + e];
        else sum += a[first[k] + e - s + j] * at_columns[s * ghost.Size() + c + j];
      }
      scaled[first[k] + e] = sum;
    }
  }
}

/* Once for each layout */
PetscErrorCode Halo::FindRuns()
{
  PetscMPIInt        readers;
  const PetscMPIInt *reader;
  const PetscInt    *to, *roots;
  std::vector<int>   all;

  PetscFunctionBegin;
  if (runs_of == layout_of) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetLeafRanks(sf, &readers, &reader, &to, &roots));
  all = row;
  if (readers) all.insert(all.end(), roots, roots + to[readers]);
  std::sort(all.begin(), all.end());
  runs.clear();
  for (int r : all) {
    if (runs.empty() || r > runs.back().end) runs.push_back({r, r + 1});
    else runs.back().end = r + 1;
  }
  runs_of = layout_of;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inverses of the rows between processes on the host, once per copy: memory of other rows is not touched. All rows
   if these form many runs */
PetscErrorCode Halo::InverseOnHost(const FusedScaling &F, std::unique_ptr<Scalar[]> *inverse)
{
  constexpr std::size_t most    = 64; /* copies, each some 10 us; guess */
  const std::size_t     numbers = F.ld * F.block;

  PetscFunctionBegin;
  PetscCall(FindRuns());
  inverse->reset(new Scalar[PetscMax(numbers, std::size_t(1))]);
#if PetscDefined(HAVE_CUDA)
  if (runs.size() * F.block > most) PetscCall(CopyToHost(inverse->get(), F.inverse, numbers));
  else
    for (int s = 0; s < F.block; s++)
      for (const RowRun &run : runs)
        PetscCall(CopyToHost(inverse->get() + s * F.ld + run.first, F.inverse + s * F.ld + run.first, (std::size_t)(run.end - run.first)));
#else
  (void)most;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Scale(const FusedScaling &given, std::vector<Scalar> *scaled)
{
  const Scalar             *a = values.At(Where::host);
  FusedScaling              F = given;
  std::vector<Scalar>       at_columns;
  std::unique_ptr<Scalar[]> inverse;

  PetscFunctionBegin;
  if (F.side == FusedSide::none) {
    scaled->assign(a, a + values.Size());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (side == Where::device && F.inverse) {
    PetscCall(InverseOnHost(given, &inverse));
    F.inverse = inverse.get();
  }
  scaled->resize(values.Size());
  for (int s = 0; s < F.block && F.side != FusedSide::left; s++) {
    PetscCall(Receive(F.inverse + s * F.ld));
    at_columns.insert(at_columns.end(), Ghosts(), Ghosts() + ghost.Size());
  }
  if (F.block > 1) ScaleBlocks(F, at_columns, scaled->data());
  else {
    FusedScaling columns = F; /* as it is at the columns */

    columns.inverse = at_columns.data();
    for (std::size_t k = 0; k < row.size(); k++) {
      const FoldLeftFactor<1> left(F, row[k]);

      for (int e = first[k]; e < first[k + 1]; e++) (*scaled)[e] = fold_entry<1>(columns, left, 1, a + e, 0, column[e], 0, 0);
    }
  }
  shared.Values(scaled->data(), scaled->data() + column.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
