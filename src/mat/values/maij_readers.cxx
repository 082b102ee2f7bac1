/*
   MATMAIJ and MATKAIJ: wraps their constructors to record which matrices exist, and keeps the values of the matrices
   they refer to up to date at every change.
*/
#include "maij_readers.hpp"
#include "../../sys/petsc_compat.hpp"
#include "host_values.hpp"
#include "kaij_blocks.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace
{

constexpr int    types = 5;
std::vector<Mat> maij; /* all that exist */
PetscErrorCode (*create_maij[types])(Mat) = {NULL};
const char *const maij_names[types]       = {MATSEQMAIJ, MATMPIMAIJ, MATKAIJ, MATSEQKAIJ, MATMPIKAIJ};
const char        maij_mark[]             = "heptane_maij";

PetscErrorCode ForgetMAIJ(PetscCtxRt ctx)
{
  Mat *A = static_cast<Mat *>(*static_cast<void **>(ctx));

  PetscFunctionBegin;
  maij.erase(std::remove(maij.begin(), maij.end(), *A), maij.end());
  delete A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int k>
PetscErrorCode CreateMAIJ(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*create_maij[k])(A));
  PetscCall(KaijTakesBlocks(A));
  PetscCall(SeqAIJAccessAll(HostAccess::read)); /* that of which it is made is not known yet */
  PetscCall(PetscObjectContainerCompose((PetscObject)A, maij_mark, new Mat(A), ForgetMAIJ));
  maij.push_back(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MaijReadersRegister()
{
  PetscErrorCode (*const wrapper[types])(Mat) = {CreateMAIJ<0>, CreateMAIJ<1>, CreateMAIJ<2>, CreateMAIJ<3>, CreateMAIJ<4>};

  PetscFunctionBegin;
  for (int k = 0; k < types; k++) {
    PetscErrorCode (*create)(Mat) = NULL;

    PetscCall(PetscFunctionListFind(MatList, maij_names[k], &create));
    if (!create || create == wrapper[k]) continue;
    create_maij[k] = create;
    PetscCall(MatRegister(maij_names[k], wrapper[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MaijReaderOf(Mat block, PetscBool *can)
{
  PetscFunctionBegin;
  *can = PETSC_TRUE;
  for (Mat A : maij) {
    PetscBool seqmaij, seqkaij; /* a parallel one has sequential ones of the blocks */
    Mat       read = NULL;

    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQMAIJ, &seqmaij));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQKAIJ, &seqkaij));
    if (seqmaij) PetscCall(MatMAIJGetAIJ(A, &read));
    if (seqkaij) PetscCall(MatKAIJGetAIJ(A, &read));
    if (read == block) *can = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
