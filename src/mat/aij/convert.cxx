/*
   Conversion to and from the types derived from AIJ; phases of matrix products, among themselves and with other types,
   if device/products.cxx defers to the base class; ILU factors of matrices on the host; the composed functions by which
   conversions, products, fused solvers and preconditioners find a matrix's own methods.
*/
#include "../../pass/offers/operator.hpp"
#include "../../pass/offers/placement.hpp"
#include "../../pc/dense/inverse.hpp"
#include "../../sys/composed.hpp"
#include "derived.hpp"
#include "device_csr.hpp"
#include <deque>

namespace heptane
{

/* AIJ copies arrays only between matrices with the same operation, and ours differs. Entries missing in A become zero;
   entries missing in B are set as AIJ does. */
static PetscErrorCode CopyFromPlain(Mat A, Mat B)
{
  DerivedMat    *m;
  PetscBool      same;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(DerivedGet(B, &m));
  PetscCall(DerivedSync(B, m));
  PetscCall(DerivedOnePattern(B, A, m->mpi, &same));
  auto *const saved = B->ops->copy;
  B->ops->copy      = m->base.copy;
  ierr              = MatCopy(A, B, same ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN);
  B->ops->copy      = saved;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To a plain AIJ matrix, or its conversion by -mat_seqaij_type. Without A's options, whose -matconvert_type would name
   another type. */
static PetscErrorCode ConvertToAIJ(Mat A, MatReuse reuse, Mat *B)
{
  const PetscOptions saved = ((PetscObject)A)->options;
  PetscOptions       none;
  PetscErrorCode     ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(PetscObjectSetOptions((PetscObject)A, none));
  ierr = MatConvert(A, MATAIJ, reuse, B);
  PetscCall(PetscObjectSetOptions((PetscObject)A, saved));
  PetscCall(PetscOptionsDestroy(&none));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converts A, of any type, to the class named by type, with A's entries as AIJ. Composed on our matrices, used as
   operation convertfrom, and registered for -mat_seqaij_type. */
PetscErrorCode DerivedConvertIn(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  const DerivedClass *cls = DerivedClassOf(type);
  DerivedMat         *m;
  PetscBool           plain;

  PetscFunctionBegin;
  PetscCheck(cls, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Unknown type %s", type);
  PetscCall(DerivedQuery(A, &m));
  if (m && m->cls == cls) {
    PetscCall(DerivedConvertOut(A, type, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &plain, MATSEQAIJ, MATMPIAIJ, ""));
  if (reuse == MAT_REUSE_MATRIX) {
    Mat T = A;
    if (!plain) PetscCall(ConvertToAIJ(A, MAT_INITIAL_MATRIX, &T));
    PetscCall(CopyFromPlain(T, *B));
    if (!plain) PetscCall(MatDestroy(&T));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) {
    if (plain) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    else PetscCall(ConvertToAIJ(A, MAT_INITIAL_MATRIX, B));
  } else if (!plain) PetscCall(ConvertToAIJ(*B, MAT_INPLACE_MATRIX, B));
  PetscCall(DerivedInstall(*B, cls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the class to any type: operation convert. For MatConvert() a root name is no superclass of "seq" + another, so
   conversions to own types call this too. */
PetscErrorCode DerivedConvertOut(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  DerivedMat *m;
  PetscBool   plain;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(PetscStrcmpAny(type, &plain, MATAIJ, MATSEQAIJ, MATMPIAIJ, ""));
  if (DerivedClassOf(type) == m->cls) {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    else if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_REUSE_MATRIX) {
    PetscBool based; /* PETSc's conversions into a type derived from AIJ, as AIJPERM, leave a matrix that is of the type as it is */

    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)*B, &based, MATSEQAIJ, MATMPIAIJ, ""));
    if (plain || (based && !DerivedClassOf(type))) PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    else {
      Mat T;
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &T));
      PetscCall(DerivedUninstall(T));
      PetscCall(MatConvert(T, type, MAT_REUSE_MATRIX, B));
      PetscCall(MatDestroy(&T));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    PetscCall(DerivedGet(*B, &m));
  }
  PetscCall(DerivedSync(*B, m));
  PetscCall(DerivedUninstall(*B));
  if (!plain) PetscCall(MatConvert(*B, type, MAT_INPLACE_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some numeric phases of AIJ's products (A^T B, A B^T, P^T A P) read the operands' value arrays without an accessor. A
   wrapper first brings the arrays up to date, then calls the original phase, which the product matrix keeps. */
struct ProductPhases {
  PetscErrorCode (*symbolic)(Mat) = NULL, (*numeric)(Mat) = NULL;
};
static const char product_name[] = "heptane_product";

static PetscErrorCode GetProductPhases(Mat C, ProductPhases **phases)
{
  PetscFunctionBegin;
  PetscCall(ComposedGet(C, product_name, "phases of a product", phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProductNumeric(Mat C)
{
  ProductPhases *phases;

  PetscFunctionBegin;
  PetscCall(GetProductPhases(C, &phases));
  for (Mat operand : {C->product->A, C->product->B, C->product->C, C}) /* the result is written bypassing all interfaces */
    if (operand) PetscCall(DerivedSyncAny(operand));
  PetscCall((*phases->numeric)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's name of the products of M's base class */
static const char *BaseName(Mat M)
{
  const char         *name = ((PetscObject)M)->type_name;
  const DerivedClass *cls  = DerivedClassOf(name);

  return !cls ? name : !strcmp(name, cls->seq_name) ? MATSEQAIJ : MATMPIAIJ;
}

/* A B^T of two types: PETSc converts the transpose of B to A's type, which loses its entries unless that type is
   derived from the transpose's own. Therefore PETSc sees the pattern of B in A's type. */
static PetscErrorCode CallSymbolic(Mat C, PetscErrorCode (*symbolic)(Mat))
{
  Mat_Product   *p       = C->product;
  const Mat      B       = p->B;
  Mat            pattern = NULL;
  PetscBool      same;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, ((PetscObject)p->A)->type_name, &same));
  if (p->type == MATPRODUCT_ABt && !same && !strcmp(BaseName(p->A), MATSEQAIJ) && !strcmp(BaseName(B), MATSEQAIJ)) {
    PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &pattern));
    PetscCall(MatConvert(pattern, ((PetscObject)p->A)->type_name, MAT_INPLACE_MATRIX, &pattern));
    p->B = pattern;
  }
  ierr = (*symbolic)(C); /* may exchange all of C; on several processes it puts the transpose of B in B's place */
  if (pattern) C->product->B = B;
  PetscCall(MatDestroy(&pattern));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProductSymbolic(Mat C)
{
  ProductPhases *phases, kept;

  PetscFunctionBegin;
  PetscCall(GetProductPhases(C, &phases));
  kept = *phases;
  PetscCall(CallSymbolic(C, kept.symbolic));
  if (C->ops->productnumeric && C->ops->productnumeric != ProductNumeric) {
    kept.numeric = C->ops->productnumeric;
    PetscCall(Compose(C, product_name, new ProductPhases(kept)));
    C->ops->productnumeric = ProductNumeric;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts our phases before the phases chosen for C */
static PetscErrorCode WrapProduct(Mat C)
{
  PetscFunctionBegin;
  if (C->ops->productsymbolic && C->ops->productsymbolic != ProductSymbolic) {
    ProductPhases *phases = new ProductPhases;

    phases->symbolic = C->ops->productsymbolic;
    PetscCall(Compose(C, product_name, phases));
    C->ops->productsymbolic = ProductSymbolic;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All operands are ours */
PetscErrorCode DerivedProductSetFromOptions(Mat C)
{
  DerivedMat *m;
  PetscBool   done;

  PetscFunctionBegin;
  PetscCall(DeviceProductSetFromOptions(C, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DerivedGet(C->product->A, &m));
  PetscCall((*m->base.productsetfromoptions)(C));
  PetscCall(WrapProduct(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Products with partners of other types: PETSc finds them by exact type names, so the query is repeated with the base
   class's name. PETSc calls only the first hook of this name among the operands; hooks of the partners are called here.
*/
PetscErrorCode DerivedProductAnyType(Mat C)
{
  const Mat_Product *p    = C->product;
  const Mat          M[3] = {p->A, p->B, p->type == MATPRODUCT_ABC ? p->C : NULL};
  char               name[256];
  PetscErrorCode (*f)(Mat) = NULL;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(DeviceProductSetFromOptions(C, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s%s%s_C", BaseName(M[0]), BaseName(M[1]), M[2] ? "_" : "", M[2] ? BaseName(M[2]) : ""));
  for (Mat operand : M)
    if (operand && !f) PetscCall(PetscObjectQueryFunction((PetscObject)operand, name, &f));
  if (f) PetscCall((*f)(C));
  for (Mat operand : M) {
    if (!operand || C->ops->productsymbolic) continue;
    f = NULL;
    PetscCall(PetscObjectQueryFunction((PetscObject)operand, "MatProductSetFromOptions_anytype_C", &f));
    if (f && f != DerivedProductAnyType) PetscCall((*f)(C));
  }
  PetscCall(WrapProduct(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The names of MatConvert() from plain types, made once: every new matrix has them */
struct ConversionNames {
  static constexpr int count = 6;
  const DerivedClass  *cls;
  char                 name[count][96];
};

static PetscErrorCode NamesOf(const DerivedClass *cls, const ConversionNames **names)
{
  static std::deque<ConversionNames> made;
  const char *const                  to[ConversionNames::count] = {cls->seq_name, cls->aij_root, cls->root, cls->mpi_name, cls->aij_root, cls->root};

  PetscFunctionBegin;
  for (const ConversionNames &known : made) {
    if (known.cls != cls) continue;
    *names = &known;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  made.emplace_back();
  made.back().cls = cls;
  for (int k = 0; k < ConversionNames::count; k++)
    PetscCall(PetscSNPrintf(made.back().name[k], sizeof(made.back().name[k]), "MatConvert_%s_%s_C", k < 3 ? MATSEQAIJ : MATMPIAIJ, to[k]));
  *names = &made.back();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedComposeConversions(Mat A, const DerivedClass *cls, PetscBool compose)
{
  const ConversionNames *conversions = nullptr;

  PetscFunctionBegin;
  PetscCall(NamesOf(cls, &conversions));
  for (const auto &name : conversions->name) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, compose ? DerivedConvertIn : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatProductSetFromOptions_anytype_C", compose ? DerivedProductAnyType : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, fused_operator_name, compose ? DerivedGetFusedOperator : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, placement_name, compose ? DerivedGetPlacement : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, dense_blocks_name, compose ? DerivedGetDenseBlocks : NULL));
  PetscCall(DerivedComposeBlockDiagonals(A, compose));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetFactorILU(Mat A, MatFactorType type, Mat *F)
{
  PetscErrorCode (*create)(Mat, MatFactorType, Mat *) = NULL;
  PetscBool on_device;

  PetscFunctionBegin;
  /* "petsc" precedes "cusparse" among PETSc's solvers, but is found here only if none is named: a named one is looked up by prefix */
  PetscCall(DeviceCsrWanted(A, &on_device));
  if (on_device) {
    PetscCall(DeviceGetFactor(A, type, F));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSolverTypeGet(MATSOLVERPETSC, MATSEQAIJ, type, NULL, NULL, &create));
  PetscCall((*create)(A, type, F)); /* wrapped by factor_packages.cxx */
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
