/*
   Products of matrices on the device: PETSc's phases for its CUDA type run on the copies of the operands
   (aij/device_csr.hpp). The result is a matrix of that type: cuSPARSE makes its pattern on the device, and later
   products with it run there too.

   PETSc's phases find operands in C->product, and keep references to them in matrices of their own for products of
   three. So each phase of ours replaces the operands by their updated copies, calls PETSc's phase, and restores the
   operands, also after an error.
*/
#include "../../../sys/composed.hpp"
#include "../derived.hpp"
#include "../device_csr.hpp"

namespace heptane
{

namespace
{

/* Kept with the product matrix: PETSc's phases, and which copies they were planned with */
struct Phases {
  PetscErrorCode (*symbolic)(Mat) = NULL, (*numeric)(Mat) = NULL;
  PetscObjectId copies[3] = {0, 0, 0};
};

const char phases_name[] = "heptane_device_product";

PetscErrorCode GetPhases(Mat C, Phases **phases)
{
  PetscFunctionBegin;
  PetscCall(ComposedGet(C, phases_name, "phases of a product", phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operands of a product and their temporary replacements */
struct Operands {
  Mat  original[3] = {NULL, NULL, NULL}, copy[3] = {NULL, NULL, NULL};
  Mat *place[3];

  explicit Operands(Mat_Product *p) : place{&p->A, &p->B, &p->C}
  {
    for (int k = 0; k < 3; k++) original[k] = *place[k];
  }
  /* The copies, with the operands' values; an operand of another type is used itself */
  PetscErrorCode Find(PetscBool values)
  {
    PetscFunctionBegin;
    for (int k = 0; k < 3; k++) {
      if (original[k]) PetscCall(DeviceCsrGet(original[k], values, &copy[k]));
      if (!copy[k]) copy[k] = original[k];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscObjectId  Id(int k) const { return copy[k] ? ((PetscObject)copy[k])->id : 0; }
  PetscErrorCode Call(PetscErrorCode (*phase)(Mat), Mat C)
  {
    PetscErrorCode ierr;

    for (int k = 0; k < 3; k++) *place[k] = copy[k];
    ierr = (*phase)(C);
    for (int k = 0; k < 3; k++) *place[k] = original[k];
    return ierr;
  }
};

/* The actions of MatProductSetFromOptions() for the operands that are now in C->product */
PetscErrorCode ChooseByOperands(Mat C)
{
  const Mat_Product *p     = C->product;
  const Mat          M[3]  = {p->A, p->B, p->type == MATPRODUCT_ABC ? p->C : NULL};
  PetscErrorCode (*f)(Mat) = M[0]->ops->productsetfromoptions;
  char name[256];

  PetscFunctionBegin;
  for (Mat operand : M)
    if (operand && operand->ops->productsetfromoptions != f) f = NULL;
  if (f) PetscCall((*f)(C));
  if (C->ops->productsymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  f = NULL;
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s%s%s_C", ((PetscObject)M[0])->type_name, ((PetscObject)M[1])->type_name,
                          M[2] ? "_" : "", M[2] ? ((PetscObject)M[2])->type_name : ""));
  for (Mat operand : M)
    if (operand && !f) PetscCall(PetscObjectQueryFunction((PetscObject)operand, name, &f));
  if (f) PetscCall((*f)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -matptap_backend_cpu and its like, which PETSc reads for its CUDA type: then everything stays on the host */
PetscErrorCode HostChosen(Mat C, PetscBool *host)
{
  static const struct {
    MatProductType type;
    const char    *option;
  } names[] = {
    {MATPRODUCT_AB,   "-matmatmult_backend_cpu"         },
    {MATPRODUCT_AtB,  "-mattransposematmult_backend_cpu"},
    {MATPRODUCT_PtAP, "-matptap_backend_cpu"            },
    {MATPRODUCT_RARt, "-matrart_backend_cpu"            },
    {MATPRODUCT_ABC,  "-matmatmatmult_backend_cpu"      }
  };
  const char *option = "-mat_product_algorithm_backend_cpu";

  PetscFunctionBegin;
  *host = PETSC_FALSE;
  if (C->product->api_user)
    for (const auto &n : names)
      if (n.type == C->product->type) option = n.option;
  PetscCall(PetscOptionsGetBool(((PetscObject)C)->options, ((PetscObject)C)->prefix, option, host, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all operands are on the device: derived matrices with copies (at least one), PETSc's CUDA type, a dense right
   one */
PetscErrorCode OperandsWanted(const Mat_Product *p, PetscBool *wanted)
{
  const Mat M[3] = {p->A, p->B, p->type == MATPRODUCT_ABC ? p->C : NULL};
  PetscBool ours = PETSC_FALSE, dense;
  MatType   type = NULL;

  PetscFunctionBegin;
  *wanted = PETSC_FALSE;
  for (Mat operand : M) {
    DerivedMat *m = NULL;

    if (operand && !type) PetscCall(DerivedQuery(operand, &m));
    if (m) PetscCall(DeviceCsrType(operand, m, &type));
  }
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 3; k++) {
    PetscBool copied, cuda, bound;

    if (!M[k]) continue;
    PetscCall(MatBoundToCPU(M[k], &bound));
    bound = (PetscBool)(bound && strcmp(type, MATSEQAIJ));
    PetscCall(DeviceCsrWanted(M[k], &copied));
    PetscCall(PetscObjectTypeCompare((PetscObject)M[k], type, &cuda));
    PetscCall(PetscObjectTypeCompare((PetscObject)M[k], strcmp(type, MATSEQAIJ) ? MATSEQDENSECUDA : MATSEQDENSE, &dense));
    if (copied) ours = PETSC_TRUE;
    else if (bound || !(cuda || (dense && k == 1 && !M[2] && (p->type == MATPRODUCT_AB || p->type == MATPRODUCT_AtB)))) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *wanted = ours;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Numeric(Mat);

/* PETSc's symbolic phase of sparse products also computes the values. Its numeric phase reuses them if MatPtAP() or a
   similar function runs both phases at once and the offload masks of the operands say that host and device agree. The
   copies say so only during that phase: their host values are never filled, and the phase does not read them. */
PetscErrorCode CallSymbolic(Operands *o, const Phases &phases, Mat C)
{
#if PetscDefined(HAVE_DEVICE)
  PetscOffloadMask mask[3]; /* of all before the first is changed: two operands may have one copy */
  PetscErrorCode   ierr;

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) mask[k] = o->copy[k] ? o->copy[k]->offloadmask : PETSC_OFFLOAD_BOTH;
  for (int k = 0; k < 3; k++)
    if (o->copy[k] != o->original[k] && mask[k] == PETSC_OFFLOAD_GPU) o->copy[k]->offloadmask = PETSC_OFFLOAD_BOTH;
  ierr = o->Call(phases.symbolic, C);
  for (int k = 0; k < 3; k++)
    if (o->copy[k] != o->original[k]) o->copy[k]->offloadmask = mask[k];
  PetscCall(ierr);
#else
  PetscFunctionBegin;
  PetscCall(o->Call(phases.symbolic, C));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunSymbolic(Mat C, Phases kept)
{
  Operands  o(C->product);
  PetscBool sparse;

  PetscFunctionBegin;
  PetscCall(o.Find(PETSC_TRUE));
  PetscCall(CallSymbolic(&o, kept, C));
  if (!C->ops->productnumeric) PetscFunctionReturn(PETSC_SUCCESS);
  kept.numeric = C->ops->productnumeric;
  for (int k = 0; k < 3; k++) kept.copies[k] = o.Id(k);
  PetscCall(Compose(C, phases_name, new Phases(kept)));
  C->ops->productnumeric = Numeric;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)C, &sparse, MATSEQAIJCUSPARSE, MATSEQAIJ, ""));
  if (sparse) PetscCall(DeviceResultInstall(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Symbolic(Mat C)
{
  Phases *phases;

  PetscFunctionBegin;
  PetscCall(GetPhases(C, &phases));
  PetscCall(RunSymbolic(C, *phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The phases were planned with copies that are gone: an operand was replaced, or has another pattern */
PetscErrorCode PlanAgain(Mat C)
{
  Phases       kept;
  Operands     o(C->product);
  Mat_Product *p = C->product;
  PetscBool    sparse;

  PetscFunctionBegin;
  PetscCall(o.Find(PETSC_FALSE));
  if (p->destroy) PetscCall((*p->destroy)(&p->data));
  p->destroy = NULL;
  p->data    = NULL;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)C, &sparse, MATSEQAIJCUSPARSE, MATSEQAIJ, ""));
  if (sparse) PetscCall(MatSetType(C, MATSEQBAIJ)); /* any other type: has the arrays of the old pattern freed */
  C->ops->productsymbolic = NULL;
  PetscCall(o.Call(ChooseByOperands, C));
  kept.symbolic = C->ops->productsymbolic;
  PetscCheck(kept.symbolic, PetscObjectComm((PetscObject)C), PETSC_ERR_SUP, "No product of type %s with the operands that were put in: make the product anew",
             MatProductTypes[p->type]);
  PetscCall(RunSymbolic(C, kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Numeric(Mat C)
{
  Operands o(C->product);
  Phases  *phases;

  PetscFunctionBegin;
  PetscCall(o.Find(PETSC_TRUE));
  PetscCall(GetPhases(C, &phases));
  for (int k = 0; k < 3; k++) {
    if (o.copy[k] == o.original[k] || o.Id(k) == phases->copies[k]) continue;
    PetscCall(PlanAgain(C));
    PetscCall(GetPhases(C, &phases));
    break;
  }
  PetscCall(o.Call(phases->numeric, C));
  C->ops->productnumeric = Numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DeviceProductSetFromOptions(Mat C, PetscBool *done)
{
  PetscBool wanted, host;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (C->structure_only || C->product->type == MATPRODUCT_UNSPECIFIED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperandsWanted(C->product, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HostChosen(C, &host));
  if (host) PetscFunctionReturn(PETSC_SUCCESS);
  {
    Operands o(C->product);

    PetscCall(o.Find(PETSC_FALSE));
    PetscCall(o.Call(ChooseByOperands, C));
  }
  if (!C->ops->productsymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  Phases *phases   = new Phases;
  phases->symbolic = C->ops->productsymbolic;
  PetscCall(Compose(C, phases_name, phases));
  C->ops->productsymbolic = Symbolic;
  *done                   = PETSC_TRUE;
  PetscCall(PetscInfo(C, "%s runs on copies of the compressed rows\n", MatProductTypes[C->product->type]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

PetscErrorCode (*result_base)(Mat); /* productsetfromoptions of the results' type; all have the same */

/* Chooses once more: MatProductSymbolic_ABC_Basic() sets the operation of an inner product on the outer one, for which
   no phases are kept */
PetscErrorCode ResultSymbolic(Mat C)
{
  PetscBool sparse;

  PetscFunctionBegin;
  PetscCall((*result_base)(C));
  PetscCall((*C->ops->productsymbolic)(C));
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &sparse));
  if (sparse) PetscCall(DeviceResultInstall(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResultChoose(Mat C)
{
  PetscFunctionBegin;
  PetscCall((*result_base)(C));
  if (C->ops->productsymbolic) C->ops->productsymbolic = ResultSymbolic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DeviceResultChooseProducts(Mat C)
{
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &cuda));
  if (!cuda || !C->ops->productsetfromoptions || C->ops->productsetfromoptions == ResultChoose) PetscFunctionReturn(PETSC_SUCCESS);
  result_base                   = C->ops->productsetfromoptions;
  C->ops->productsetfromoptions = ResultChoose;
  PetscCall(PetscObjectComposeFunction((PetscObject)C, "MatProductSetFromOptions_seqaijcusparse_seqaijcusparse_C", ResultChoose));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
