/*
   One thing that can be timed and checked: a matrix type of PETSc, or a library called directly. The benchmark's loop
   knows this interface alone; a new library is one more subclass and one line in candidate.cxx.
*/
#pragma once
#include "../common/matrices.hpp"
#include "../common/reference.hpp"
#include <memory>

namespace bench
{

class Candidate {
public:
  explicit Candidate(std::string name) : name_(std::move(name)) {}
  virtual ~Candidate()                    = default;
  Candidate(const Candidate &)            = delete;
  Candidate &operator=(const Candidate &) = delete;

  const std::string &name() const { return name_; }

  virtual PetscErrorCode create(MPI_Comm comm, const Problem &p, Mat *base) = 0;
  virtual PetscErrorCode destroy()                                          = 0;
  virtual bool           supports(What what) const                          = 0;
  virtual bool           on_device() const                                  = 0;
  virtual PetscErrorCode bytes(What what, double *bytes) const              = 0; // of one call, all ranks
  virtual PetscErrorCode poison(What what)                                  = 0; // NaN into the result, where it is computed
  virtual PetscErrorCode call(What what)                                    = 0; // the timed operation
  // Largest relative error of the result; for matscale, of the product with the matrix as the calls left it
  virtual PetscErrorCode error(const Reference &ref, What what, double *error) = 0;

private:
  std::string name_;
};

// "cusparse-...", "kokkos-csr" and "kokkos-bsr" name direct library calls, anything else a matrix type
PetscErrorCode candidate_new(const std::string &name, std::unique_ptr<Candidate> *candidate);

std::unique_ptr<Candidate> mat_candidate(const std::string &type);
#if PetscDefined(HAVE_CUDA)
PetscErrorCode cusparse_candidate(const std::string &name, std::unique_ptr<Candidate> *candidate);
#endif
#if defined(BENCH_KOKKOS)
std::unique_ptr<Candidate> kokkos_candidate(const std::string &name);
#endif

// Candidates that cannot run a problem by their nature start their message with this; it is no failure of the run
inline constexpr const char *not_applicable = "not applicable: ";

// A library called directly with 32-bit indices runs this problem on so many ranks
PetscErrorCode check_direct_call(MPI_Comm comm, const Problem &p);

} // namespace bench
