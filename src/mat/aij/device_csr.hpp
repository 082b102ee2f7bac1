/*
   The compressed rows of a sequential derived matrix on the device, as a matrix of PETSc's CUDA type: operands of matrix
   products and factorisations, which then run on the device. Made on demand, kept with the matrix, filled there.
   Memory: on the device 12 bytes per nonzero and 4 per row, and 4 per nonzero for the map from the format once the
   format is the newest copy; on the host two integers per row. The pattern on the host is the matrix's own. The pages of
   the host values stay untouched until PETSc copies device values there, for numeric phases on the host.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/stamp.hpp"
#include "../values/local_part.hpp"
#include <cstdint>

namespace heptane
{

struct DerivedMat;

class DeviceCsr {
public:
  DeviceCsr()                             = default;
  DeviceCsr(const DeviceCsr &)            = delete;
  DeviceCsr &operator=(const DeviceCsr &) = delete;
  ~DeviceCsr();

  /* The copy with A's pattern, and with A's values if requested; borrowed, valid until A's pattern changes */
  PetscErrorCode Get(Mat A, DerivedMat *m, PetscBool values, Mat *copy);
  /* A's compressed rows, which had this state, were multiplied by a: scales the copy instead of a refill from the host */
  PetscErrorCode Scaled(Mat A, PetscObjectState before, PetscScalar a);

private:
  PetscErrorCode Free();
  PetscErrorCode Make(Mat A, DerivedMat *m, const Csr &P);
  PetscErrorCode MakeMap(const LocalPart &part, const Csr &P);
  PetscErrorCode FillFromFormat(LocalPart *part, const Csr &P);
  PetscErrorCode FillFromRows(Mat A, const Csr &P);

  Mat   copy  = NULL;
  Where where = Where::device; /* Where::host: a SEQAIJ matrix, for tests without a GPU */
  Stamp made_for, filled_from; /* the matrix with its pattern, and its values */
  /* the place of every entry in the format's value array; the index type depends on the number of places */
  Buffer<int>          slot;
  Buffer<std::int64_t> long_slot;
  Stamp                slots_for; /* LocalPart::Layout() they lead into */
};

/* Whether operations on A should use its copy: A is sequential, its products run on the device (or tests request it on
   the host), every row's columns ascend */
PetscErrorCode DeviceCsrWanted(Mat A, PetscBool *wanted);
/* A's copy; NULL if A is not a derived matrix */
PetscErrorCode DeviceCsrGet(Mat A, PetscBool values, Mat *copy);
/* The type of the copies: PETSc's CUDA type, or SEQAIJ in tests; NULL: none are made */
PetscErrorCode DeviceCsrType(Mat A, DerivedMat *m, MatType *type);

/* device/products.cxx. done: C's phases are chosen, and run on the copies of its operands */
PetscErrorCode DeviceProductSetFromOptions(Mat C, PetscBool *done);
/* device/axpy.cxx: on a matrix of ours, last of all operations; on a product's result */
PetscErrorCode DeviceInstall(Mat A, DerivedMat *m);
PetscErrorCode DeviceResultInstall(Mat C);
/* device/products.cxx: products with a result are results */
PetscErrorCode DeviceResultChooseProducts(Mat C);
PetscErrorCode DeviceVectorFits(Vec v, Mat M, PetscBool *fits);
/* device/factor.cxx */
PetscErrorCode DeviceGetFactor(Mat A, MatFactorType type, Mat *F);
PetscErrorCode DeviceRegisterFactors(MatType seq_name);
PetscErrorCode DeviceWrapFactor(Mat F);
/* device/result.cxx: a product's result, and its factors, with vectors of every type */
PetscErrorCode DeviceResultTakeVectors(Mat C);
PetscErrorCode DeviceResultRegisterFactors();
/* device/result_product.cxx: z = C x, or z = y + sign C x if y is not null (y may be z); vectors on the device. done:
   if false, use PETSc's operation */
PetscErrorCode DeviceResultProduct(Mat C, Vec x, PetscScalar sign, Vec y, Vec z, PetscBool *done);

} // namespace heptane
