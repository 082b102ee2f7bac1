/*
   The operations that suite "operations" times, each on one matrix of any type, and what their answers are checked by. Types of libheptane
   come through -dll_append.
*/
#pragma once
#include "../common/matrices.hpp"
#include <petscksp.h>
#include <string>
#include <vector>

namespace bench
{

// One matrix type with everything that the operations need; what an operation makes is destroyed by release()
struct State {
  std::string type;
  std::string error; // why the type takes no part
  PetscBool   device   = PETSC_FALSE;
  Mat         original = nullptr, A = nullptr, B = nullptr; // A is changed by operations; B has the same pattern and other values
  Mat         P = nullptr;                                  // interpolation from an eighth of the unknowns
  Vec         x = nullptr, y = nullptr, signs = nullptr, ones = nullptr, coarse = nullptr;
  IS          half = nullptr, natural = nullptr;
  Mat         C = nullptr, D = nullptr, F = nullptr, *sub = nullptr;
  Vec         sub_x = nullptr, sub_y = nullptr;
  KSP         ksp  = nullptr;
  PetscReal   norm = 0;

  PetscErrorCode make(MPI_Comm comm, const Problem &p, Mat *base);
  PetscErrorCode reset(); // A's values are the problem's again
  PetscErrorCode release();
  PetscErrorCode destroy();
};

// Signs +-1, or numbers between 1 and 1.5
PetscErrorCode fill(Vec v, bool signs);

struct Operation {
  const char *name;
  bool        symmetric;              // for symmetric matrices alone
  bool        heavy;                  // few samples, each of one call
  PetscErrorCode (*prepare)(State *); // not timed; null: nothing
  PetscErrorCode (*call)(State *);
  PetscErrorCode (*answer)(State *, Vec *result); // a new vector that depends on all of the answer; null vector: y is the solution of A y = x
};

const std::vector<Operation> &operations(); // those of short_lived.cxx among them
const std::vector<Operation> &short_lived_operations();

// A new matrix of the state's type from the compressed rows of the problem's, which are on the host
PetscErrorCode matrix_new(State *s, Mat *A);

// A case that may be slower than its limit, with the reason
struct Exception {
  const char *what, *mat; // any: ""
  bool        device;
  const char *problem; // its name; any: ""
  const char *reason;
};
const Exception *exception_for(const std::string &what, const std::string &mat, bool device, const std::string &problem);

} // namespace bench
