/*
   The measured launches: vectors and dense blocks.
*/
#include "tune_spec.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../ksp/fusedbcgs/steps.hpp"
  #include "../../ksp/fusedcg/steps.hpp"
  #include "../../pass/step_launch.hpp"
  #include "../../pc/dense/device.hpp"
  #include "../../pc/dense/factor.hpp"
  #include "../../pc/dense/least_squares.hpp"

namespace heptane
{

namespace
{

using Kind = TuneKind;
using Spec = TuneSpec;

/* Small cases stay in the second-level cache between two launches, as in a solver */
const Spec specs[] = {
  {Kind::product,       "bdiagh product",              1,  32      },
  {Kind::product,       "bdiagh product",              1,  64      },
  {Kind::product,       "bdiagh product",              1,  128     },
  {Kind::product,       "bdiagh product",              3,  24      },
  {Kind::product,       "bdiagh product",              3,  64      },
  {Kind::product,       "bdiagh product",              8,  20      },
  {Kind::product,       "bdiagh product",              8,  40      },
  {Kind::sellp,         "sellp product",               1,  64      },
  {Kind::sellp,         "sellp product",               1,  100     },
  {Kind::sellp,         "sellp product",               2,  48      },
  {Kind::sellp,         "sellp product",               3,  48      },
  {Kind::fused,         "bdiagh, one sum",             1,  32      },
  {Kind::fused,         "bdiagh, one sum",             1,  64      },
  {Kind::fused,         "bdiagh, one sum",             1,  128     },
  {Kind::fused,         "bdiagh, one sum",             3,  64      },
  {Kind::fused,         "bdiagh, one sum",             8,  40      },
  {Kind::folded,        "scaled bdiagh, one sum",      1,  64      },
  {Kind::folded,        "scaled bdiagh, one sum",      1,  128     },
  {Kind::sellp_fused,   "sellp, one sum",              1,  100     },
  {Kind::fused_four,    "bdiagh, four sums",           1,  64      },
  {Kind::fused_four,    "bdiagh, four sums",           1,  128     },
  {Kind::fused_four,    "bdiagh, four sums",           3,  64      },
  {Kind::dots,          "pass: dot products",          1,  60000   },
  {Kind::dots,          "pass: dot products",          1,  1000000 },
  {Kind::dots,          "pass: dot products",          1,  8000000 },
  {Kind::point,         "pass: preconditioner",        1,  60000   },
  {Kind::point,         "pass: preconditioner",        1,  1000000 },
  {Kind::point,         "pass: preconditioner",        1,  8000000 },
  {Kind::direction,     "pass: direction of CG",       1,  60000   },
  {Kind::direction,     "pass: direction of CG",       1,  2000000 },
  {Kind::direction,     "pass: direction of CG",       1,  16000000},
  {Kind::update,        "pass: update of BiCGStab",    1,  60000   },
  {Kind::update,        "pass: update of BiCGStab",    1,  2000000 },
  {Kind::update,        "pass: update of BiCGStab",    1,  16000000},
  {Kind::apply,         "dense blocks: product",       4,  15000   },
  {Kind::apply,         "dense blocks: product",       4,  500000  },
  {Kind::apply,         "dense blocks: product",       16, 40000   },
  {Kind::inverse,       "dense blocks: inverse",       12, 4000    },
  {Kind::inverse,       "dense blocks: inverse",       16, 40000   },
  {Kind::inverse,       "dense blocks: inverse",       32, 10000   },
  {Kind::lu,            "dense blocks: LU",            8,  7500    },
  {Kind::lu,            "dense blocks: LU",            16, 40000   },
  {Kind::lu,            "dense blocks: LU",            32, 10000   },
  {Kind::qr,            "dense blocks: QR",            16, 3000    },
  {Kind::qr,            "dense blocks: QR",            16, 40000   },
  {Kind::qr,            "dense blocks: QR",            32, 10000   },
  {Kind::least_squares, "dense blocks: least squares", 32, 10000   },
};

std::vector<Spec> specs_of(double most_rows)
{
  std::vector<Spec> chosen;

  for (const Spec &s : specs)
    if (rows_of(s) <= most_rows) chosen.push_back(s);
  return chosen;
}

template <class Step>
std::function<cudaError_t(cudaStream_t)> pass_of(const Step &step, std::size_t n, const TunePasses &passes)
{
  const FusedReduction red   = passes.Reduction();
  const FusedState     state = {passes.Now(), nullptr};

  return [=](cudaStream_t stream) { return launch_step(step, n, false, 1, true, state, red, false, stream); };
}

PetscErrorCode Pass(const Spec &s, const TunePasses &passes, TuneCase *c)
{
  const std::size_t n = s.number;
  Scalar           *v[6];
  FusedPc           pc;
  CgDirections      p;

  PetscFunctionBegin;
  for (Scalar *&a : v) PetscCall(Patterned(n, c, &a));
  pc.form    = FusedPc::point;
  pc.inverse = v[0];
  p.p[0]     = v[0];
  switch (s.kind) {
  case Kind::dots:
    c->launch = pass_of(DotsStep(v[1], v[2], v[1]), n, passes);
    break;
  case Kind::point:
    c->launch = pass_of(ApplyPcStep(pc, v[1], v[2]), n, passes);
    break;
  case Kind::direction:
    c->launch = pass_of(CgDirection<Scalar>(v[1], p, v[2]), n, passes);
    break;
  default:
    c->launch = pass_of(BcgsUpdate<Scalar>(v[0], v[1], nullptr, v[3], v[4], v[5], false), n, passes);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks in value columns, with large diagonals */
PetscErrorCode Blocks(const Spec &s, std::size_t ld, TuneCase *c, DenseBlocks *A)
{
  const int           b = s.block;
  std::vector<Scalar> values(ld * b);
  const Scalar       *on_device;

  PetscFunctionBegin;
  for (int k = 0; k < b; k++)
    for (std::size_t row = 0; row < static_cast<std::size_t>(s.number) * b; row++)
      values[k * ld + row] = static_cast<int>(row % b) == k ? Scalar(b) : Scalar(1) / static_cast<Scalar>(1 + k + row % b);
  PetscCall(Copied(values, c, &on_device));
  *A = DenseBlocks::value_columns(s.number, b, on_device, ld);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Dense(const Spec &s, TuneCase *c)
{
  const auto   rows = static_cast<std::size_t>(rows_of(s)), ld = dense_inverse_ld(rows);
  const int    b       = s.block;
  const bool   pivots  = true;
  auto         report  = std::make_shared<Buffer<DenseReport>>(1);
  auto         numbers = std::make_shared<Buffer<int>>(rows);
  DenseBlocks  A;
  DenseFactors F;
  DenseReport *reports;
  Scalar      *values, *x;

  PetscFunctionBegin;
  PetscCall(Blocks(s, ld, c, &A));
  PetscCall(Patterned(ld * b, c, &values));
  PetscCall(Patterned(rows, c, &x));
  PetscCall(report->Zeros(Where::device, &reports));
  PetscCall(numbers->Memory(Where::device, &F.pivot));
  c->memory.push_back(report);
  c->memory.push_back(numbers);
  F.method = s.kind == Kind::qr ? DenseMethod::qr : DenseMethod::lu;
  F.count  = s.number;
  F.block  = b;
  F.ld     = ld;
  F.values = values;
  F.tau    = x;
  switch (s.kind) {
  case Kind::apply:
    c->launch = [=](cudaStream_t stream) { return launch_dense_apply(rows, b, A.values, ld, false, x, values, stream); };
    break;
  case Kind::inverse:
    c->launch = [=](cudaStream_t stream) { return launch_dense_invert(A, values, ld, reports, stream); };
    break;
  case Kind::least_squares: {
    DenseSystems systems;

    systems.count   = s.number;
    systems.rows    = b;
    systems.columns = b / 2;
    systems.values  = A.values;
    systems.b       = x;
    c->launch       = [=](cudaStream_t stream) { return launch_dense_least_squares(systems, nullptr, stream); };
    break;
  }
  default:
    c->launch = [=](cudaStream_t stream) { return launch_dense_factor(A, pivots, F, reports, stream); };
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode TunePasses::Make(const DeviceLimits &device)
{
  CgScalars S = {};

  PetscFunctionBegin;
  PetscCall(memory.Make(device));
  S.b = 0.5; /* p = z + b p reads both */
  PetscCallCUDA(cudaMemcpy(memory.now, &S, sizeof(S), cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int TuneCases(double most_rows)
{
  return static_cast<int>(specs_of(most_rows).size());
}

PetscErrorCode MakeTuneCase(int k, double most_rows, const TunePasses &passes, TuneCase *made)
{
  const Spec s = specs_of(most_rows)[k];

  PetscFunctionBegin;
  *made      = TuneCase();
  made->name = s.name;
  switch (s.kind) {
  case Kind::product:
  case Kind::sellp:
    PetscCall(MakeProduct(s, made));
    break;
  case Kind::fused:
  case Kind::folded:
  case Kind::fused_four:
  case Kind::sellp_fused:
    PetscCall(MakeFused(s, passes, made));
    break;
  case Kind::dots:
  case Kind::point:
  case Kind::direction:
  case Kind::update:
    PetscCall(Pass(s, passes, made));
    break;
  default:
    PetscCall(Dense(s, made));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
#endif
