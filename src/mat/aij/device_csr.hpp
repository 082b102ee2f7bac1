/*
   The compressed rows of a sequential derived matrix on the device, as a matrix of PETSc's CUDA type: what products of matrices and
   factorisations work on, so that they run where they run with aijcusparse. Made on demand, kept with the matrix, filled on the device.

   Memory: on the device 12 bytes per nonzero (values, columns) and 4 per row, and 4 per nonzero for the map from the format once the format is
   the newest copy; on the host two integers per row. The host pattern is the matrix's own; the host values are an array whose pages are not
   touched before PETSc copies device values there, as factorisations do whose numeric phase runs on the host.
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

  /* The copy with A's pattern, and with A's values where they are asked for; borrowed, valid until A's pattern changes */
  PetscErrorCode Get(Mat A, DerivedMat *m, PetscBool values, Mat *copy);
  /* A's compressed rows, which had this state, were multiplied by a: so is the copy, rather than filled anew from the host */
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
  /* the place of every entry in the format's value array; one of the two, as the number of places asks for */
  Buffer<int>          slot;
  Buffer<std::int64_t> long_slot;
  Stamp                slots_for; /* LocalPart::Layout() they lead into */
};

/* Whether operations on A should go to its copy: A is sequential, its products run on the device (or tests ask for it on the host), every row's columns ascend */
PetscErrorCode DeviceCsrWanted(Mat A, PetscBool *wanted);
/* A's copy; NULL where A is not a derived matrix */
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
/* device/result_product.cxx: z = C x, or z = y + sign C x where y is not null (y may be z); vectors on the device. done: else PETSc's operation is for it */
PetscErrorCode DeviceResultProduct(Mat C, Vec x, PetscScalar sign, Vec y, Vec z, PetscBool *done);

} // namespace heptane
