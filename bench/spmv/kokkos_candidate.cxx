/*
   Kokkos Kernels called without PETSc: its products with compressed rows (CrsMatrix) and with blocks (BsrMatrix) where Kokkos computes by default (OpenMP or serial on a host, CUDA). 32-bit
   indices, one rank. Knows the problem's CSR arrays only. Compiled where the library is found, by nvcc where it is one for CUDA, see the makefile.
*/
#include "block_format.hpp"
#include "candidate.hpp"
#if defined(BENCH_KOKKOS)
  #include <limits>
  #include <Kokkos_Core.hpp>
  #include <KokkosSparse_BsrMatrix.hpp>
  #include <KokkosSparse_CrsMatrix.hpp>
  #include <KokkosSparse_spmv.hpp>

namespace bench
{

using Space  = Kokkos::DefaultExecutionSpace;
using Rows   = KokkosSparse::CrsMatrix<PetscScalar, int, Space::device_type, void, int>;
using Blocks = KokkosSparse::Experimental::BsrMatrix<PetscScalar, int, Space::device_type, void, int>;
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

// A: type of the matrix, made by make()
template <class A>
class KokkosCandidate : public Candidate {
public:
  using Candidate::Candidate;

  PetscErrorCode create(MPI_Comm comm, const Problem &p, Mat *) override
  {
    PetscFunctionBeginUser;
    PetscCall(check_direct_call(comm, p));
    PetscCall(kokkos_begin());
    comm_ = comm;
    PetscCall(make(p, &A_, &bytes_));
    x_ = filled<Vector>("x", p.cols, [](std::size_t c) { return x_value(static_cast<PetscInt>(c)); });
    y_ = Vector("y", p.rows);
    bytes_ += sizeof(PetscScalar) * (static_cast<double>(p.rows) + static_cast<double>(p.cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    A_ = A();
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
  virtual PetscErrorCode make(const Problem &p, A *matrix, double *bytes) = 0;

  MPI_Comm comm_ = MPI_COMM_NULL;
  A        A_;
  Vector   x_, y_;
  double   bytes_ = 0;
};

class KokkosCsr final : public KokkosCandidate<Rows> {
public:
  using KokkosCandidate<Rows>::KokkosCandidate;

private:
  PetscErrorCode make(const Problem &p, Rows *matrix, double *bytes) override
  {
    PetscFunctionBeginUser;
    const auto offsets = filled<Rows::row_map_type::non_const_type>("offsets", p.rows + 1, [&](std::size_t k) { return static_cast<int>(p.i[k]); });
    const auto columns = filled<Rows::index_type::non_const_type>("columns", p.nnz, [&](std::size_t k) { return static_cast<int>(p.j[k]); });
    const auto values  = filled<Rows::values_type::non_const_type>("values", p.nnz, [&](std::size_t k) { return p.a[k]; });
    *matrix            = Rows("A", static_cast<int>(p.rows), static_cast<int>(p.cols), static_cast<int>(p.nnz), values, offsets, columns);
    *bytes             = (sizeof(PetscScalar) + 4.0) * static_cast<double>(p.nnz) + 4.0 * (static_cast<double>(p.rows) + 1);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

class KokkosBsr final : public KokkosCandidate<Blocks> {
public:
  using KokkosCandidate<Blocks>::KokkosCandidate;

private:
  PetscErrorCode make(const Problem &p, Blocks *matrix, double *bytes) override
  {
    HostFormat f;

    PetscFunctionBeginUser;
    PetscCall(block_format(p, &f));
    const auto offsets = filled<Blocks::row_map_type::non_const_type>("offsets", f.offsets.size(), [&](std::size_t k) { return f.offsets[k]; });
    const auto columns = filled<Blocks::index_type::non_const_type>("columns", f.columns.size(), [&](std::size_t k) { return f.columns[k]; });
    const auto values  = filled<Blocks::values_type::non_const_type>("values", f.values.size(), [&](std::size_t k) { return f.values[k]; });
    const int  b       = static_cast<int>(p.block);

    *matrix = Blocks("A", static_cast<int>(p.rows) / b, static_cast<int>(p.cols) / b, static_cast<int>(f.values.size()), values, offsets, columns, b);
    *bytes  = static_cast<double>(sizeof(PetscScalar) * f.values.size() + 4 * (f.columns.size() + f.offsets.size()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

std::unique_ptr<Candidate> kokkos_candidate(const std::string &name)
{
  if (name == "kokkos-bsr") return std::make_unique<KokkosBsr>(name);
  return std::make_unique<KokkosCsr>(name);
}

} // namespace bench

#endif
