/*
   Building matrices of every type in one pass over the problem, and counting the bytes of their formats.
*/
#include "matrices.hpp"
#include <algorithm>

namespace bench
{

static PetscErrorCode has_method(Mat A, const char *name, PetscBool *has)
{
  void (*f)(void) = nullptr;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &f));
  *has = f ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_empty(MPI_Comm comm, const Problem &p, const std::string &type, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, p.rows, p.cols, p.global_rows, p.global_cols));
  if (p.block > 1) PetscCall(MatSetBlockSize(*A, p.block));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_base(MPI_Comm comm, const Problem &p, Mat *A)
{
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) {
    PetscCall(MatCreateSeqAIJWithArrays(comm, p.rows, p.cols, p.i.get(), p.j.get(), p.a.get(), A));
  } else {
    PetscCall(MatCreateMPIAIJWithArrays(comm, p.rows, p.cols, p.global_rows, p.global_cols, p.i.get(), p.j.get(), p.a.get(), A));
  }
  if (p.block > 1) PetscCall(MatSetBlockSize(*A, p.block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// SELL on the device is made from SELL on the host, in place: PETSc offers no direct conversion from AIJ
static PetscErrorCode convert(Mat base, const std::string &type, Mat *A)
{
  const size_t device = type.find("sellcuda");

  PetscFunctionBeginUser;
  if (device == std::string::npos || type.find("aij") != std::string::npos) {
    PetscCall(MatConvert(base, type.c_str(), MAT_INITIAL_MATRIX, A));
  } else {
    PetscCall(MatConvert(base, (type.substr(0, device) + "sell").c_str(), MAT_INITIAL_MATRIX, A));
    PetscCall(MatConvert(*A, type.c_str(), MAT_INPLACE_MATRIX, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_make(MPI_Comm comm, const Problem &p, const std::string &type, Mat *base, Mat *A)
{
  PetscBool   seq = PETSC_FALSE, mpi = PETSC_FALSE;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  // an empty SELL on the device is of no use: it is converted in place from SELL on the host
  if (type.find("sellcuda") == std::string::npos) {
    PetscCall(matrix_empty(comm, p, type, A));
    PetscCall(has_method(*A, "MatSeqAIJSetPreallocationCSR_C", &seq));
    PetscCall(has_method(*A, "MatMPIAIJSetPreallocationCSR_C", &mpi));
  }
  if (ranks == 1 && seq) {
    PetscCall(MatSeqAIJSetPreallocationCSR(*A, p.i.get(), p.j.get(), p.a.get()));
  } else if (ranks > 1 && mpi) {
    PetscCall(MatMPIAIJSetPreallocationCSR(*A, p.i.get(), p.j.get(), p.a.get()));
  } else {
    PetscCall(MatDestroy(A));
    if (!*base) PetscCall(matrix_base(comm, p, base));
    PetscCall(convert(*base, type, A));
    PetscCall(MatSetFromOptions(*A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

FormatBytes csr_bytes(const Problem &p, size_t index_size)
{
  FormatBytes b;

  b.values = static_cast<double>(p.nnz) * sizeof(PetscScalar);
  b.index  = (static_cast<double>(p.nnz) + p.rows + 1) * static_cast<double>(index_size);
  return b;
}

// Dense blocks with one index each, as BAIJ stores them
static FormatBytes block_bytes(const Problem &p)
{
  const PetscInt        b = p.block;
  std::vector<PetscInt> last(p.global_cols / b + 1, -1); // block row that touched this block column last
  double                blocks = 0;
  FormatBytes           bytes;

  for (PetscInt row = 0; row < p.rows; row++) {
    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      if (last[p.j[k] / b] != row / b) {
        last[p.j[k] / b] = row / b;
        blocks++;
      }
    }
  }
  bytes.values = blocks * b * b * sizeof(PetscScalar);
  bytes.index  = (blocks + p.rows / b + 1) * sizeof(PetscInt);
  return bytes;
}

// Block diagonals as the type laid them out, or as the pattern has them when its public query cannot be found; entries
// on no stored diagonal count as CSR with 32-bit columns, the remainder part
static PetscErrorCode block_diagonal_bytes(const Problem &p, Mat A, FormatBytes *bytes)
{
  typedef PetscErrorCode (*Query)(Mat, PetscInt *, PetscInt *, const PetscInt *[], PetscInt *);
  void                 *symbol = nullptr;
  PetscInt              b      = p.block, D, ld;
  const PetscInt       *o;
  std::vector<PetscInt> offsets;
  double                outside = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, nullptr, "MatBDIAGHGetLayout", &symbol));
  if (symbol) {
    PetscCall(reinterpret_cast<Query>(symbol)(A, &b, &D, &o, &ld));
    offsets.assign(o, o + D);
  } else {
    PetscCall(problem_block_diagonals(p, &offsets));
  }
  for (PetscInt row = 0; row < p.rows; row++) {
    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      // a rank's own diagonals couple its own columns; everything else travels through the halo
      const PetscInt column = p.j[k] - p.row_start;

      if (column < 0 || column >= p.cols || !std::binary_search(offsets.begin(), offsets.end(), column / b - row / b)) outside++;
    }
  }
  bytes->values = (static_cast<double>(offsets.size()) * b * p.rows + outside) * sizeof(PetscScalar);
  bytes->index  = outside * 4 + (outside > 0 ? 4.0 * p.rows : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// As the type says; where its public query cannot be found, as CSR with 32-bit columns
static PetscErrorCode sliced_bytes(const Problem &p, Mat A, FormatBytes *bytes)
{
  typedef PetscErrorCode (*Query)(Mat, PetscInt *, PetscInt *, PetscReal *, PetscLogDouble *, PetscLogDouble *);
  void          *symbol = nullptr;
  PetscLogDouble values, index;

  PetscFunctionBeginUser;
  *bytes = csr_bytes(p, 4);
  PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, nullptr, "MatSELLPGetStorage", &symbol));
  if (symbol) {
    PetscCall(reinterpret_cast<Query>(symbol)(A, nullptr, nullptr, nullptr, &values, &index));
    bytes->values = values;
    bytes->index  = index;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sell_bytes(const Problem &p, Mat A, FormatBytes *bytes)
{
  PetscReal padding;

  PetscFunctionBeginUser;
  PetscCall(MatSeqSELLGetFillRatio(A, &padding)); // padded entries over stored entries
  const double stored = static_cast<double>(p.nnz) / (1 - padding);
  bytes->values       = stored * sizeof(PetscScalar);
  bytes->index        = stored * sizeof(PetscInt); // slice offsets, one in 8 or 16 rows, are left out
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_bytes(MPI_Comm comm, const Problem &p, Mat A, FormatBytes *bytes)
{
  MatType type;
  double  mine[2], all[2];

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  const std::string t = type;
  if (t.find("bdiagh") != std::string::npos) PetscCall(block_diagonal_bytes(p, A, bytes));
  else if (t.find("sellp") != std::string::npos) PetscCall(sliced_bytes(p, A, bytes));
  else if (t == MATSEQSELL || t == "seqsellcuda") PetscCall(sell_bytes(p, A, bytes));
  else if (t == MATSEQBAIJ || t == MATMPIBAIJ) *bytes = block_bytes(p);
  else *bytes = csr_bytes(p, sizeof(PetscInt));
  mine[0] = bytes->values;
  mine[1] = bytes->index;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, comm));
  bytes->values = all[0];
  bytes->index  = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_on_device(Mat A, PetscBool *device)
{
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrInList(type, "cuda,seqcuda,mpicuda,kokkos,seqkokkos,mpikokkos", ',', device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<std::string> split_list(const std::string &text)
{
  std::vector<std::string> parts;

  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());

    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

PetscErrorCode matrix_types_from_options(const std::string &otherwise, std::vector<std::string> *types)
{
  char      mats[2048] = "", single[256] = "";
  PetscBool has_mats, has_single;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mats", mats, sizeof(mats), &has_mats));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_type", single, sizeof(single), &has_single));
  if (has_single) PetscCall(PetscOptionsClearValue(nullptr, "-mat_type"));
  *types = split_list(has_mats ? mats : (has_single ? single : otherwise));
  PetscCheck(!types->empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-mats names no matrix type; expected a list such as aij,baij,bdiagh");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
