/*
   A parallel matrix with the rows of each group on its leader. The pattern is sent once, values if they have changed, and
   the vectors of each solve, through memory that the group shares. Composed on the matrix, for all of its solvers.
*/
#pragma once

#include "../../comm/groups/group.hpp"
#include "../../mat/aij/derived.hpp"
#include <memory>
#include <string>
#include <vector>

namespace heptane
{

class GroupedMat {
public:
  /* The one of A, made at the first call */
  static PetscErrorCode Of(Mat A, std::shared_ptr<GroupedMat> *grouped);
  /* The reason why there is none; empty: possible */
  static PetscErrorCode WhyNot(Mat A, std::string *why);
  ~GroupedMat();

  /* Whether pattern or group have changed since it was made */
  bool IsNew(const std::shared_ptr<ProcessGroup> &group, Mat A) const;
  /* Collective over A's processes: the pattern, or the reason why not, the same on all. device: vectors of solves are there */
  PetscErrorCode     Make(const std::shared_ptr<ProcessGroup> &group, Mat A, bool device);
  bool               MadeFor(bool device) const { return !device || asked_device; }
  const std::string &WhyNotMade() const { return refusal; }
  /* Sends this process's values to its leader, if they have changed; counted: the state of A has changed, not only of its blocks */
  PetscErrorCode SendValues(Mat A, bool *sent, bool *counted);
  /* Leader: a member has sent values */
  PetscErrorCode ReceiveValues(bool counted);
  /* Leader: number of counted changes of values */
  PetscInt Changes() const { return changes; }
  /* The leader has not received the last values */
  void ForgetSent()
  {
    sent.Clear();
    sent_state = -1;
  }
  /* This process's rows of a vector to its leader, and back; device: the vector is on the device on all processes */
  enum Side { rhs, solution };
  PetscErrorCode SendVector(Side side, bool device, Vec v);
  PetscErrorCode FetchVector(Side side, bool device, Vec v);
  /* Leader: vectors of the group's rows with the values sent, on the device or the host; the solution back */
  PetscErrorCode ReceiveVectors(bool device, bool guess, Vec *b, Vec *x);
  PetscErrorCode ReturnSolution();
  Mat            Inner() const { return inner; }

private:
  struct Rows { /* of a process, or of all of a group */
    PetscInt rows = 0, diag = 0, off = 0;
  };
  /* Arrays of the leader's matrix, which live as long as the matrix */
  struct Storage {
    std::shared_ptr<GroupWindow> window, vectors; /* vectors: on the device, or null */
    std::vector<PetscInt>        ptr[2], col[2];  /* of its blocks */
  };

  void           Classify(Mat A, const PetscInt garray[], PetscInt ghosts);
  PetscErrorCode Counts(Mat A, std::vector<Rows> *of);
  PetscErrorCode SendPattern(Mat A, const std::vector<Rows> &of);
  PetscErrorCode MakeInner(Mat A);
  PetscErrorCode MakeVectors(bool device);
  PetscErrorCode MakeDeviceWindow(MPI_Comm comm, bool device);
  PetscErrorCode Copy(Scalar *to, const Scalar *from, PetscInt n, bool device) const;
  PetscErrorCode Free();
  /* Array of the group's rows through which vectors with such arrays are sent */
  Scalar *Array(Side which, bool device) const
  {
    return device && storage->vectors ? reinterpret_cast<Scalar *>(storage->vectors->At()) + (which ? lines : 0) : vectors[which];
  }
  static Stamp PatternOf(Mat A, Mat Ad, Mat Ao);

  std::shared_ptr<ProcessGroup> group;
  PetscObjectId                 owner = 0;
  Stamp                         made_for, sent;
  std::string                   refusal;
  PetscObjectState              sent_state = -1;
  std::shared_ptr<Storage>      storage;
  Rows                          local, before, all;             /* of this process, of those before it, of the group */
  PetscInt                      first = 0;                      /* the first row of the group */
  std::vector<char>             side;                           /* [columns of the block off the diagonal]: a Where_ */
  Scalar                       *diag = nullptr, *off = nullptr; /* values of the group in the window */
  Scalar                       *vectors[2]   = {nullptr, nullptr};
  std::size_t                   lines        = 0; /* from one vector to the other */
  bool                          asked_device = false;
  /* Leader */
  Mat      inner = NULL;
  Vec      b = NULL, x = NULL;
  bool     on_device = false; /* these */
  PetscInt changes   = 0;
};

} // namespace heptane
