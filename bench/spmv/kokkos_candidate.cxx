/*
   Kokkos Kernels called without PETSc: its product with compressed rows where Kokkos computes by default (OpenMP or serial on a host, CUDA). 32-bit indices, one rank. Knows the problem's
   CSR arrays only. Compiled where the library is found, see the makefile.
*/
#include "candidate.hpp"
#if defined(BENCH_KOKKOS)
  #include <limits>
  #include <Kokkos_Core.hpp>
  #include <KokkosSparse_CrsMatrix.hpp>
  #include <KokkosSparse_spmv.hpp>

namespace bench
{

using Space  = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<PetscScalar, int, Space::device_type, void, int>;
using Vector = Kokkos::View<PetscScalar *, Space::device_type>;

static PetscErrorCode kokkos_end()
{
  PetscFunctionBeginUser;
  Kokkos::finalize();
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Kokkos lives as long as PETSc, which may have started it itself
static PetscErrorCode kokkos_begin()
{
  PetscFunctionBeginUser;
  if (!Kokkos::is_initialized()) {
    Kokkos::initialize();
    PetscCall(PetscRegisterFinalize(kokkos_end));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A view of n values where the products run, filled by value(k)
template <class View, class F>
static View filled(const char *name, std::size_t n, F &&value)
{
  View view(Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing), n);
  auto host = Kokkos::create_mirror_view(view);

  for (std::size_t k = 0; k < n; k++) host(k) = value(k);
  Kokkos::deep_copy(view, host);
  return view;
}

class KokkosCsr final : public Candidate {
public:
  using Candidate::Candidate;

  PetscErrorCode create(MPI_Comm comm, const Problem &p, Mat *) override
  {
    PetscFunctionBeginUser;
    PetscCall(check_direct_call(comm, p));
    PetscCall(kokkos_begin());
    comm_              = comm;
    const auto offsets = filled<Matrix::row_map_type::non_const_type>("offsets", p.rows + 1, [&](std::size_t k) { return static_cast<int>(p.i[k]); });
    const auto columns = filled<Matrix::index_type::non_const_type>("columns", p.nnz, [&](std::size_t k) { return static_cast<int>(p.j[k]); });
    const auto values  = filled<Matrix::values_type::non_const_type>("values", p.nnz, [&](std::size_t k) { return p.a[k]; });
    A_                 = Matrix("A", static_cast<int>(p.rows), static_cast<int>(p.cols), static_cast<int>(p.nnz), values, offsets, columns);
    x_                 = filled<Vector>("x", p.cols, [](std::size_t c) { return x_value(static_cast<PetscInt>(c)); });
    y_                 = Vector("y", p.rows);
    bytes_             = (sizeof(PetscScalar) + 4.0) * static_cast<double>(p.nnz) + 4.0 * (static_cast<double>(p.rows) + 1) +
             sizeof(PetscScalar) * (static_cast<double>(p.rows) + static_cast<double>(p.cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    A_ = Matrix();
    x_ = y_ = Vector();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool supports(What what) const override { return what == What::matmult; }
  bool on_device() const override { return !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible; }

  PetscErrorCode bytes(What, double *bytes) const override
  {
    PetscFunctionBeginUser;
    *bytes = bytes_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode poison(What) override
  {
    PetscFunctionBeginUser;
    Kokkos::deep_copy(y_, std::numeric_limits<PetscScalar>::quiet_NaN());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call(What) override
  {
    PetscFunctionBeginUser;
    KokkosSparse::spmv("N", PetscScalar(1), A_, x_, PetscScalar(0), y_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode error(const Reference &ref, What, double *error) override
  {
    PetscFunctionBeginUser;
    Kokkos::fence();
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_);
    PetscCall(reference_error(comm_, ref, 1.0, y.data(), error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Matrix   A_;
  Vector   x_, y_;
  double   bytes_ = 0;
};

std::unique_ptr<Candidate> kokkos_candidate(const std::string &name)
{
  return std::make_unique<KokkosCsr>(name);
}

} // namespace bench

#endif
