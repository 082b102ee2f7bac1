/*
   The columns of other processes that couple to the rows of a parallel matrix, for the fused solvers: these rows with
   their values, and the exchange of the columns' vector values. Owned by operators.
*/
#pragma once

#include "../../../comm/nccl/halo.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../comm/peer_setup.hpp"
#include "../../../device/buffer.hpp"
#include "../../../pass/offers/operator.hpp"
#include "../../../pass/product/halo_tiles.hpp"
#include "../../csr/remainder.hpp"
#include "../../values/local_part.hpp"
#include "halo_shared.hpp"
#include <petscsf.h>
#include <memory>

namespace heptane
{

class Halo final : public FusedExchange {
public:
  Halo()                        = default;
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;
  ~Halo() override;

  /* Collective. sf: from owned columns to columns of other processes; globals: their global indices; side: of the
     products, the device only with ForKernels() */
  PetscErrorCode Create(PetscSF sf, PetscInt columns, const PetscInt globals[], Where side);
  /* The nonempty rows of the block of these columns, with its current values; a column's index is its place in
     Ghosts(). usable: false if two entries share a place */
  PetscErrorCode Rows(LocalPart &off, RemainderRows *rows, bool *usable);
  /* The longest run of rows of the block that are not among Rows(); after that */
  RowRun Free() const { return free_rows; }
  /* Whether these have the same number of entries each; after that */
  bool Even() const { return even_rows; }
  /* *taken, which has rows with the values of Rows() or of Scale(), as products on several GPUs take it; after Rows() */
  void Take(FusedHalo *taken) const;
  /* The values of the block's rows to send, by row: see peer_target(). None unless the exchange is by peer memory;
     after Rows() */
  PetscErrorCode Sent(RemainderRows *by_row);
  /* Collective. The values of u, on the host, in the columns of other processes, there too */
  PetscErrorCode Receive(const Scalar *u) override;
  PetscErrorCode Receive(const Single *u) override; /* sent as stored, if MPI sends it */
  /* Whether the values are whole blocks of this size, so that they can be scaled by blocks */
  bool WholeBlocks(int block) const;
  /* Collective. FusedSide::none: the values of Rows(), then the values of HaloSharedRows. Else these scaled by a
     preconditioner, entry by entry if its blocks are points; the result on the host, the inverses on the side of the
     products */
  PetscErrorCode Scale(const FusedScaling &, std::vector<Scalar> *scaled);
  const char    *Exchange() const override { return link.Usable() ? peer_text : nccl.Usable() ? nccl_text : "MPI"; }
  /* A wait of this process has passed its limit; and, collective, other memory for the exchange */
  bool            Broken() const override { return link.Failed() || (nccl.Usable() && nccl.Link()->Failed()); }
  PetscErrorCode  Reconnect() override { return Link(); }
  const PeerLink *Peers() const override { return link.Usable() ? &link : nullptr; }
  bool            ByNccl() const override { return nccl.Usable(); }
  bool            InStream() const { return side == Where::device && nccl.Usable(); }
  /* Of NCCL's link, 0: there is none */
  std::uint64_t LinkNumber() const { return nccl.Usable() ? nccl.Link()->Number() : 0; }
  /* The data by which kernels read the columns of other processes; null: they cannot */
  const PeerHalo *ForKernels() const { return link.Usable() ? link.Halos() : InStream() ? &received : nullptr; }
  Where           Side() const { return side; }
  MPI_Comm        Comm() const { return comm; }
  const Scalar   *Ghosts() const { return ghost.At(Where::host); }
  std::size_t     Entries() const { return column.size(); }
  /* The values and column numbers of these rows, one product */
  double Bytes() const { return Entries() * (sizeof(Scalar) + sizeof(int)) + (row.size() + ghost.Size()) * (double)sizeof(Scalar); }
#if PetscDefined(HAVE_CUDA)
  /* If InStream(): sends, receives, and sums the rows with many off-process columns; of_rows: the operator's rows */
  template <class T>
  PetscErrorCode ReceiveInStream(const FusedProductOf<T> &P, const FusedScalars *S, const RemainderRows &of_rows, cudaStream_t stream) const;
#endif

private:
  PetscErrorCode Link();
  PetscErrorCode LinkPeers(const PeerLists &lists, const PeerOptions &options);
  PetscErrorCode LinkNccl(const PeerLists &lists, const PeerOptions &options);
  PetscErrorCode Share();
  template <class T>
  PetscErrorCode ReceiveAs(MPI_Datatype type, const T *u);
  PetscErrorCode Analyse(LocalPart &off);
  PetscErrorCode FindRuns();
  PetscErrorCode InverseOnHost(const FusedScaling &F, std::unique_ptr<Scalar[]> *inverse);
  void           ScaleBlocks(const FusedScaling &, const std::vector<Scalar> &at_columns, Scalar scaled[]) const;

  MPI_Comm              comm = MPI_COMM_NULL; /* borrowed: that of sf */
  PetscSF               sf   = NULL;
  Where                 side = Where::host;
  PeerLink              link;      /* if it is usable it receives columns, in its order */
  NcclHalo              nccl;      /* likewise, if `link` is not */
  PeerHalo              received;  /* of `nccl`, for kernels */
  Buffer<std::uint64_t> rounds{1}; /* PeerHalo::rounds and arrived of `received` */
  Buffer<unsigned>      arrived{1};
  std::vector<int>      number; /* of each column of the block in Ghosts() */

  std::vector<PetscInt> global; /* column of each element of Ghosts() in the whole matrix */
  Buffer<Scalar>        ghost;

  std::vector<int>          row, first, column; /* of Remainder */
  std::vector<std::int64_t> place;              /* of each entry among the block's values */
  RowRun                    free_rows;          /* of rows that are not in `row` */
  std::vector<RowRun>       runs;               /* the rows that have columns of other processes, or that other processes need */
  bool                      even_rows = false;
  HaloSharedRows            shared;   /* on the device */
  PetscInt                  rows = 0; /* of the block */
  Remainder                 list;
  PeerSent                  sent; /* of the link */
  Remainder                 sent_list;
  Buffer<Scalar>            values;
  bool                      usable    = false;
  std::uint64_t             layout_of = 0, values_of = 0, runs_of = 0; /* LocalPart::Layout(), Version(); layout of the runs */
};

} // namespace heptane
