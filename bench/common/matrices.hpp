/*
   PETSc matrices of any type from one problem, and the bytes that their products must move. Types of libheptane come
   through -dll_append: no header of it is used.
*/
#pragma once
#include "problem.hpp"

namespace bench
{

// Sizes, block size, type and options; no entries
PetscErrorCode matrix_empty(MPI_Comm comm, const Problem &p, const std::string &type, Mat *A);

// The plain AIJ matrix that shares the problem's arrays (one rank), or a copy of them (several); what MatConvert starts
// from where a type has no way to take rows in CSR
PetscErrorCode matrix_base(MPI_Comm comm, const Problem &p, Mat *A);

// MatSetType + MatSetFromOptions + the rows in CSR for AIJ types, else MatConvert from `base`, which is made when first needed
PetscErrorCode matrix_make(MPI_Comm comm, const Problem &p, const std::string &type, Mat *base, Mat *A);

// Bytes of the format that one product reads, values and index data apart, over all ranks
struct FormatBytes {
  double values = 0, index = 0;
};
PetscErrorCode matrix_bytes(MPI_Comm comm, const Problem &p, Mat A, FormatBytes *bytes);

// CSR with 32-bit or PetscInt columns
FormatBytes csr_bytes(const Problem &p, size_t index_size);

// Whether the type keeps its vectors on the device
PetscErrorCode matrix_on_device(Mat A, PetscBool *device);

// Splits "a,b,c"
std::vector<std::string> split_list(const std::string &text);

// -mats a,b,c; else -mat_type (which is then taken out of the options, since it would override each type); else `otherwise`
PetscErrorCode matrix_types_from_options(const std::string &otherwise, std::vector<std::string> *types);

} // namespace bench
