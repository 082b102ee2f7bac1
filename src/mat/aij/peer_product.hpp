/*
   Products outside of the fused solvers of a matrix with rows on several GPUs of a node: the kernel stores values of x
   into the memory of the processes that need them, and its rows wait for values from peers. The host does not wait, and
   no product sends an MPI message.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/operator.hpp"
#include "derived.hpp"

namespace heptane
{

class FusedParallel;

/*
   Guarantees of a product in addition to a solve's:
   - All processes decide alike, without a message. The decision depends on data that is the same on all: the agreement,
   which is renewed after collective changes, and the types of the vectors. A process whose vector is bound to the host
   copies it.
   - Processes start at different times. A wait lasts at most collective_patience times -heptane_comm_timeout, and no
   host waits meanwhile. A waiting process has made all calls before the product, so a later process depends on no
   further call of it, unless MPI needs its host to complete an operation (docs/method/exchange.md).
   - Products and solves follow each other in the order of the calls, on any streams: see PeerInOrder(). They share the
   rounds of the halo; peer_halo.hpp explains why an unread buffer is not overwritten, without a sum or another product
   between two rounds.
   - A matrix may be destroyed while its product runs: its arrays are freed after the kernel in stream order, and its
   window is not reused before the devices of all processes were idle (peer_window.cxx).
*/
class PeerProduct {
public:
  PeerProduct()                               = default;
  PeerProduct(const PeerProduct &)            = delete;
  PeerProduct &operator=(const PeerProduct &) = delete;
  ~PeerProduct() { PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&work)); }

  /* Null, on all processes, if products of these vectors do not use peer memory; y may be null. Collective after a
     change that all processes see, else local. */
  static PetscErrorCode Of(Mat A, DerivedMat *m, Vec x, Vec y, Vec z, PeerProduct **product);
  /* z = A x, z = y + A x, z = y - A x; z may be y */
  PetscErrorCode Mult(Vec x, Vec z);
  PetscErrorCode MultAdd(Vec x, Vec y, Vec z);
  PetscErrorCode Residual(Vec y, Vec x, Vec z);
  /* Whether there was such a product since the agreement */
  bool Used() const { return used; }

private:
  PetscErrorCode Agree(Mat A, DerivedMat *m);
  PetscErrorCode Ready(Mat A, DerivedMat *m, PetscBool *ready);
  PetscErrorCode Check();
  PetscErrorCode Launch(const char text[], const Scalar *x, const Scalar *rhs, Scalar *z);
  PetscErrorCode Run(const char text[], Vec x, Vec rhs, Vec z);

  std::shared_ptr<FusedParallel> op;
  Stamp                          agreed_for;
  PetscBool                      agreed     = PETSC_FALSE;
  bool                           used       = false;
  double                         seconds    = 0; /* time-out of a product */
  PetscLogDouble                 last_check = 0; /* when it was read last whether a wait has failed */
  Buffer<FusedMemory>            memory{1};      /* zeros: the scalars of an iteration that has not stopped */
  FusedReduction                 reduction;      /* without sums */
  Vec                            work = NULL;
};

} // namespace heptane
