/*
   A parallel matrix with the rows of each group on its leader. The pattern is sent once, values if they have changed, and
   the vectors of each solve, through memory that the group shares: of the leader's GPU if matrix and vectors are on GPUs,
   else of the host. Composed on the matrix, for all of its solvers.
*/
#pragma once

#include "../../comm/groups/group.hpp"
#include "../../mat/aij/derived.hpp"
#include <memory>
#include <string>
#include <vector>

namespace heptane
{

/* Flags of a process at a meeting */
enum GroupsFlags : unsigned {
  groups_refuses        = 1,
  groups_new_pattern    = 2,
  groups_new_values     = 4,
  groups_counted_values = 8, /* the state of the matrix has changed, not only of its blocks */
  groups_wants_norms    = 16,
  groups_on_device      = 32, /* its vectors */
  groups_on_host        = 64,
  groups_monitors       = 128,
  groups_reads_iterate  = 256, /* a monitor or a test of the program */
  groups_tests          = 512  /* by a test of the program */
};

class GroupedMat {
public:
  /* The one of A, made at the first call */
  static PetscErrorCode Of(Mat A, std::shared_ptr<GroupedMat> *grouped);
  /* The reason why there is none; empty: possible */
  static PetscErrorCode WhyNot(Mat A, std::string *why);
  ~GroupedMat();

  static PetscErrorCode PatternOf(Mat A, bool settings, Stamp *pattern); /* and of the settings of the format */
  /* Whether pattern or group have changed since it was made, or vectors of solves are on the device for the first time */
  PetscErrorCode IsNew(const std::shared_ptr<ProcessGroup> &of, Mat A, bool gpu, bool *is) const;
  /* Collective over A's processes: the pattern, or the reason why not, the same on all. device: vectors of solves are there */
  PetscErrorCode     Make(const std::shared_ptr<ProcessGroup> &group, Mat A, bool device);
  const std::string &WhyNotMade() const { return refusal; }
  /* Sends this process's values to its leader, if they have changed; flags: groups_new_values and groups_counted_values then */
  PetscErrorCode SendValues(Mat A, unsigned *flags);
  /* Leader: the values that members have sent */
  PetscErrorCode ReceiveValues(unsigned flags);
  /* Leader: number of counted changes of values */
  PetscInt Changes() const { return changes; }
  /* The leader has received the last values, or has not */
  void Received(Mat A) { received_state = ((PetscObject)A)->state; }
  void ForgetSent() { sent.Clear(); }
  /* A solve uses the vectors */
  bool busy = false;
  /* This process's rows of a vector to its leader, and back; device: the vector is on the device on all processes */
  enum Side { rhs, solution };
  PetscErrorCode SendVector(Side side, bool device, Vec v);
  PetscErrorCode FetchVector(Side side, bool device, Vec v);
  /* Leader: vectors of the group's rows with the values sent, on the device or the host; the solution back */
  PetscErrorCode ReceiveVectors(bool device, bool guess, Vec *b, Vec *x);
  PetscErrorCode ReturnSolution();
  /* Nothing queued by this process reads or writes memory that the group shares */
  PetscErrorCode Quiet();
  Mat            Inner() const { return inner; }

private:
  struct Rows { /* of a process, or of all of a group */
    PetscInt rows = 0, entries = 0;
  };

  struct LeaderRows;

  PetscErrorCode Counts(Mat A);
  PetscErrorCode SendPattern(Mat A);
  void           ReadPattern(PetscInt first, LeaderRows *rows) const;
  PetscErrorCode MakeInner(Mat A, LeaderRows *rows);
  PetscErrorCode MakeVectors(bool device);
  PetscErrorCode MakeDeviceWindow(Mat A, std::size_t bytes, bool device);
  PetscErrorCode Copy(Scalar *to, const Scalar *from, PetscInt n, bool device) const;
  PetscErrorCode Free();
  /* Windows have the values of all entries, process by process, and two vectors */
  Scalar *Values(const GroupWindow &window) const { return reinterpret_cast<Scalar *>(window.At()); }
  Scalar *Vector(const GroupWindow &window, Side which) const { return Values(window) + value_lines + (which ? lines : 0); }
  /* While the pattern is sent: columns of all entries, and lengths of the rows of both blocks */
  PetscInt *Columns() const { return reinterpret_cast<PetscInt *>(Values(*host)); }
  PetscInt *Lengths(int block) const { return reinterpret_cast<PetscInt *>(Vector(*host, block ? solution : rhs)); }
  /* [processes], after the vectors on the host: whether a process has left its values there */
  int *LeftOnHost() const { return reinterpret_cast<int *>(Vector(*host, solution) + lines); }
  /* The group's rows of vectors that are on the device or not */
  Scalar *Array(Side which, bool device) const { return Vector(device && vectors_there ? *there : *host, which); }

  std::shared_ptr<ProcessGroup> group;
  PetscObjectId                 owner = 0;
  Stamp                         made_for, sent;
  std::string                   refusal;
  PetscObjectState              received_state = -1;
  std::shared_ptr<GroupWindow>  host, there;                /* there: on the device, or null */
  std::vector<Rows>             counts;                     /* [processes] */
  Rows                          before, all;                /* of the processes before this one, of the group */
  std::size_t                   value_lines = 0, lines = 0; /* of values, of a vector */
  bool                          asked_device = false, vectors_there = false;
  /* Leader */
  Mat      inner = NULL;
  Vec      b = NULL, x = NULL;
  bool     on_device = false; /* these */
  PetscInt changes   = 0;
};

} // namespace heptane
