/*
   The operations of a parallel MATKAIJ matrix that may create sequential ones of its blocks. During such an operation
   the blocks have the type name of their base class, the only property that PETSc checks.
*/
#include "kaij_blocks.hpp"
#include "local_part.hpp"
#include "../../private/mat.hpp"

namespace heptane
{

namespace
{

struct _MatOps base; /* all parallel ones have the same */
PetscErrorCode (*base_block)(Mat, Mat *) = NULL;
char plain_name[]                        = MATSEQAIJ;

/* The names of the blocks of the matrix that K refers to, exchanged while this exists */
class PlainNames {
public:
  PetscErrorCode Put(Mat K)
  {
    Mat       A = NULL;
    PetscBool mpi;

    PetscFunctionBegin;
    PetscCall(MatKAIJGetAIJ(K, &A));
    if (!A) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
    if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
    for (int k = 0; k < 2; k++) {
      LocalPart *part = nullptr;

      if (block[k]) PetscCall(LocalPartQuery(block[k], &part));
      if (!part) continue;
      name[k]                            = ((PetscObject)block[k])->type_name;
      ((PetscObject)block[k])->type_name = plain_name;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ~PlainNames()
  {
    for (int k = 0; k < 2; k++)
      if (name[k]) ((PetscObject)block[k])->type_name = name[k];
  }

private:
  Mat   block[2] = {NULL, NULL};
  char *name[2]  = {NULL, NULL};
};

template <class Entry, auto member>
struct WithNames;

template <class... Args, auto member>
struct WithNames<PetscErrorCode (*)(Mat, Args...), member> {
  static PetscErrorCode Call(Mat K, Args... args)
  {
    PlainNames names;

    PetscFunctionBegin;
    PetscCall(names.Put(K));
    PetscCall((*(base.*member))(K, args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

template <auto member, class Entry>
void Wrap(Mat K, Entry entry)
{
  if (!entry) return;
  base.*member      = entry;
  K->ops[0].*member = WithNames<Entry, member>::Call;
}

PetscErrorCode DiagonalBlock(Mat K, Mat *B)
{
  PlainNames names;

  PetscFunctionBegin;
  PetscCall(names.Put(K));
  PetscCall((*base_block)(K, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode KaijTakesBlocks(Mat K)
{
  PetscBool mpi;
  PetscErrorCode (*block)(Mat, Mat *) = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)K, MATMPIKAIJ, &mpi));
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  Wrap<&_MatOps::setup>(K, K->ops->setup);
  Wrap<&_MatOps::mult>(K, K->ops->mult);
  Wrap<&_MatOps::multadd>(K, K->ops->multadd);
  Wrap<&_MatOps::getrow>(K, K->ops->getrow);
  Wrap<&_MatOps::invertblockdiagonal>(K, K->ops->invertblockdiagonal);
  PetscCall(PetscObjectQueryFunction((PetscObject)K, "MatGetDiagonalBlock_C", &block));
  if (block && block != DiagonalBlock) {
    base_block = block;
    PetscCall(PetscObjectComposeFunction((PetscObject)K, "MatGetDiagonalBlock_C", DiagonalBlock));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
