/*
   How the sums of the passes are exchanged between the processes of a solve: one class for each transport, and the
   choice between them.
*/
#pragma once

#include "../../../comm/nccl/link.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../comm/peer_setup.hpp"
#include "../../../pass/offers/stamp.hpp"
#include "operands.hpp"
#include <string>

namespace heptane
{

class DevicePasses;

/* A transport; this one is for one process, with nothing to add */
class ProcessSums {
public:
  virtual ~ProcessSums() = default;
  virtual const char *Text() const { return "MPI"; }
  /* On the host: Add(k, at, sums) makes k sums of this process, from number `at` on, the sums of all */
  virtual PetscErrorCode Add(int, int, Scalar[]) const { return PETSC_SUCCESS; }

  /* On the device */

  /* The host adds, and has the scalars after each pass */
  virtual bool ByHost() const { return false; }
  /* The stream synchronizes with other processes: passes without rows are launched too, and may time out */
  virtual bool InPasses() const { return false; }
  /*
     Passes store the sums of this process separately, and AfterPass() adds those over all processes, later in the
     stream
  */
  virtual bool Apart() const { return false; }
  /* While the host waits for the stream since then: an error if another process does not come. Watches(): needed */
  virtual bool           Watches() const { return false; }
  virtual PetscErrorCode Watch(PetscLogDouble since) const { return (void)since, PETSC_SUCCESS; }
  /* Products with this operator use the same transport as the sums, or do not synchronize with other processes */
  virtual bool Takes(const FusedOperator &) const { return true; }
  /* After the launch of a pass that leaves sums; arguments as of Add() */
  virtual PetscErrorCode AfterPass(DevicePasses &, int, int) const { return PETSC_SUCCESS; }
  /* FusedReduction::peers */
  virtual const PeerSums *OnDevice() const { return nullptr; }
  /* Device memory that is not 0 after a wait has timed out, 0: of the sums, 1: of the halo; null: there is none */
  virtual const int *Flag(int) const { return nullptr; }
  /* The error of a wait that has failed, by copies of these flags, or by the flags if no pass runs */
  virtual PetscErrorCode Check(const int[2]) const { return PETSC_SUCCESS; }
  virtual PetscErrorCode Check() const { return PETSC_SUCCESS; }
  /* Collective, after the last pass of a solve: an error if a wait of another process has failed */
  virtual PetscErrorCode Agree() const { return PETSC_SUCCESS; }
  /* All processes get that error, since this one cannot take part */
  virtual PetscErrorCode Fail() const { return PETSC_SUCCESS; }
  /* Sums over all blocks of persistent kernels */
  virtual PeerGrid Grid() const { return PeerGrid(); }
  virtual bool     SharesGpu() const { return false; }
};

/* By MPI, on the host */
class MpiSums : public ProcessSums {
public:
  explicit MpiSums(const FusedOperands &of) : operands(of) {}
  PetscErrorCode Add(int k, int at, Scalar sums[]) const override;
  bool           ByHost() const override { return true; }
  bool           Takes(const FusedOperator &) const override;
  PetscErrorCode AfterPass(DevicePasses &, int k, int at) const override;

private:
  const FusedOperands &operands;
};

/* By peer memory */
class LinkSums : public ProcessSums {
public:
  LinkSums(const FusedOperands &of, const PeerLink &by) : operands(of), link(by) {}
  const char     *Text() const override { return peer_text; }
  PetscErrorCode  Add(int k, int at, Scalar sums[]) const override;
  bool            InPasses() const override { return true; }
  bool            Takes(const FusedOperator &op) const override { return op.Peers() != nullptr; }
  const PeerSums *OnDevice() const override { return link.SumsOnDevice(); }
  const int      *Flag(int of_halo) const override;
  PetscErrorCode  Check(const int flags[2]) const override;
  PetscErrorCode  Check() const override;
  PetscErrorCode  Fail() const override;
  PeerGrid        Grid() const override { return link.Grid(); }
  bool            SharesGpu() const override { return link.Window().SharesGpu(); }

private:
  const PeerLink *Halo() const { return operands.Operator() ? operands.Operator()->Peers() : nullptr; }

  const FusedOperands &operands;
  const PeerLink      &link;
};

/* By NCCL */
class NcclSums : public ProcessSums {
public:
  explicit NcclSums(const std::shared_ptr<NcclLink> &by) : link(by) {}
  const char    *Text() const override { return nccl_text; }
  PetscErrorCode Add(int k, int at, Scalar sums[]) const override;
  bool           InPasses() const override { return true; }
  bool           Takes(const FusedOperator &op) const override { return op.Exchange() && op.Exchange()->ByNccl(); }
  bool           Apart() const override { return true; }
  PetscErrorCode AfterPass(DevicePasses &, int k, int at) const override;
  bool           Watches() const override { return true; }
  PetscErrorCode Watch(PetscLogDouble since) const override { return link->Late(since); }
  PetscErrorCode Check(const int[2]) const override { return link->Check(); }
  PetscErrorCode Check() const override { return link->Check(); }
  PetscErrorCode Agree() const override { return link->Agree(); }
  PetscErrorCode Fail() const override { return link->Fail(), PETSC_SUCCESS; }

private:
  const std::shared_ptr<NcclLink> &link;
};

/* The transport of a solve; the links are kept from solve to solve */
class FusedProcesses {
public:
  explicit FusedProcesses(const FusedOperands &of) : operands(of), by_mpi(of), by_link(of, link), by_nccl(nccl) {}
  /* Collective, at the beginning of a solve: whether processes write into each other's memory, or have NCCL */
  PetscErrorCode Link();
  /* Collective, when the operator is known */
  PetscErrorCode     Choose();
  const ProcessSums &Sums() const { return *sums; }
  /* Why not by peer memory, if that was requested */
  const std::string &WhyMpi() const { return why_mpi; }
  /* Why not by NCCL, likewise */
  std::string WhyNotNccl() const;
  /* -heptane_test_comm_check: whether there is something to compare after a solve, and its comparison; collective */
  bool           Counts() const;
  PetscErrorCode CheckCounts() const;

private:
  PetscErrorCode Reconnect();
  PetscErrorCode NcclTakesAll(bool *all) const;

  const FusedOperands      &operands;
  PeerOptions               peers;
  PeerLink                  link;
  Stamp                     link_for; /* the options and side for which it was made, or refused */
  std::shared_ptr<NcclLink> nccl;
  std::string               why_mpi, why_not_nccl;
  ProcessSums               alone;
  MpiSums                   by_mpi;
  LinkSums                  by_link;
  NcclSums                  by_nccl;
  const ProcessSums        *sums = &alone;
};

} // namespace heptane
