/*
   Products outside of the fused solvers of a matrix with rows on several GPUs of a node: the kernel stores what other processes need of x into their memory, and its rows wait for what they need of
   theirs. The host waits for nobody, and no product has a message of MPI.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/operator.hpp"
#include "derived.hpp"

namespace heptane
{

class FusedParallel;

/*
   What a product promises that a solve need not:
   - All processes decide alike, without a message. What decides is what all of them see: the agreement, which is made anew after changes that all see together, and the types of the vectors. A process
     whose vector is bound to the host copies it.
   - Processes come at different times. A wait lasts at most PeerOptions::patience times -heptane_comm_timeout, and no host waits meanwhile. Who waits has made all calls before the product; so whoever comes later
     is kept by nothing that the former has still to call, unless MPI needs the former's host to end what it has begun (docs/method/exchange.md).
   - Products and solves follow each other in the order of the calls, whatever streams they are on: see PeerInOrder(). Rounds of the halo are those of both, and peer_halo.hpp says why a buffer is not
     overwritten that has still to be read: it asks for no sum and no other product between two rounds.
   - A matrix may go while its product runs: its arrays are freed behind the kernel, and its window has no other user before the devices of all processes were idle (peer_window.cxx).
*/
class PeerProduct {
public:
  PeerProduct()                               = default;
  PeerProduct(const PeerProduct &)            = delete;
  PeerProduct &operator=(const PeerProduct &) = delete;
  ~PeerProduct() { PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&work)); }

  /* Null, on all processes, where products of these vectors do not go from memory to memory; y may be null. Collective after a change that all processes see, else local. */
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
  PetscBool                      agreed  = PETSC_FALSE;
  bool                           used    = false;
  double                         seconds = 0; /* that a product waits */
  PetscLogDouble                 looked  = 0; /* when it was read last whether a wait has failed */
  Buffer<FusedMemory>            memory{1};   /* zeros: the scalars of an iteration that does not stand still */
  FusedReduction                 reduction;   /* without sums */
  Vec                            work = NULL;
};

} // namespace heptane
