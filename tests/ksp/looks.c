static char help[] =
  "Each way of ours to make a solve fast, with each option that switches it off or makes somebody look: same reason, iterations and solution.\n"
  "Options: -long (more grids), -brief (few launches), -path NAME (this one alone).\n";

#include "common/looks.h"

typedef enum { CG, BCGS, KINDS } Kind;

/* A solve that is fast. more: iterations that rounding may add or save. */
typedef struct {
  const char *name;
  Kind        kind;
  PetscInt    bs, wells;
  PetscScalar fixed; /* the diagonal of rows of fixed values; 0: there are none */
  PetscInt    more;
  const char *options;
} Path;

static const Path paths[] = {
  {"reduced",       CG,   1, 0, 0,  1,  "-ksp_type fusedcg -pc_type gridmg"                                                    },
  {"fixed",         CG,   1, 0, 1,  1,  "-ksp_type fusedcg -pc_type gridmg"                                                    },
  {"fixed_scaled",  CG,   1, 0, 40, 1,  "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_precision double -pc_gridmg_cycle w"     },
  {"fixed_bcgs",    BCGS, 1, 0, 1,  2,  "-ksp_type fusedbcgs -pc_type gridmg -pc_gridmg_precision double"                      },
  {"fixed_blocks",  CG,   2, 0, 1,  1,  "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_precision double"                        },
  {"fixed_wells",   CG,   1, 2, 1,  1,  "-ksp_type fusedcg -pc_type gridmg"                                                    },
  {"wells",         CG,   1, 2, 0,  1,  "-ksp_type fusedcg -pc_type gridmg"                                                    },
  {"wells_blocks",  BCGS, 3, 2, 0,  2,  "-ksp_type fusedbcgs -pc_type gridmg -pc_gridmg_precision double"                      },
  {"graph",         BCGS, 1, 0, 0,  2,  "-ksp_type fusedbcgs -pc_type gridmg -pc_gridmg_precision double -ksp_fused_mode graph"},
  {"persistent",    CG,   1, 0, 0,  2,  "-ksp_type fusedcg -pc_type jacobi -ksp_fused_mode persistent"                         },
  {"persistent_bs", BCGS, 2, 0, 0,  20, "-ksp_type fusedbcgs -pc_type pbjacobi -ksp_fused_mode persistent"                     },
  {"fold",          CG,   1, 0, 0,  2,  "-ksp_type fusedcg -pc_type jacobi -ksp_fused_fold yes"                                },
  {"fold_bcgs",     BCGS, 1, 0, 0,  20, "-ksp_type fusedbcgs -pc_type jacobi -ksp_fused_fold yes"                              },
  {"mixed",         BCGS, 1, 0, 0,  -1, "-ksp_type fusedbcgs -pc_type jacobi -ksp_fused_precision mixed"                       },
};

/* Another way of the same solve. own: it has its own number of iterations. kind: for these methods alone; KINDS: for all. */
typedef struct {
  Kind        kind;
  PetscBool   own;
  Looker      looker;
  const char *options;
} Variant;

#define INTO " ascii:/dev/null"
static const Variant variants[] = {
  {KINDS, PETSC_FALSE, NOBODY,         ""                                                                                                                },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_monitor" INTO                                                                                               },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_monitor_true_residual" INTO                                                                                 },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_monitor_solution" INTO                                                                                      },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_monitor_residual_range" INTO                                                                                },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_converged_rate" INTO                                                                                        },
  {CG,    PETSC_FALSE, NOBODY,         "-ksp_monitor_singular_value" INTO                                                                                },
  {CG,    PETSC_FALSE, NOBODY,         "-ksp_view_singularvalues" INTO                                                                                   },
  {KINDS, PETSC_FALSE, MONITOR_BUILDS, ""                                                                                                                },
  {KINDS, PETSC_FALSE, TEST_BUILDS,    ""                                                                                                                },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_mode twin"                                                                                            },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_mode kernels"                                                                                         },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_mode graph"                                                                                           },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_mode persistent"                                                                                      },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_check_interval 1"                                                                                     },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_check_interval 7"                                                                                     },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_fold no"                                                                                              },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_fold yes"                                                                                             },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_fused_precision double"                                                                                     },
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_fused_precision mixed"                                                                                      },
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_fused_precision auto"                                                                                       },
  {KINDS, PETSC_FALSE, NOBODY,         "-pc_gridmg_reduced no"                                                                                           },
  {KINDS, PETSC_FALSE, NOBODY,         "-pc_gridmg_divide 0"                                                                                             },
  {KINDS, PETSC_FALSE, NOBODY,         "-pc_gridmg_divide 1"                                                                                             },
  {KINDS, PETSC_FALSE, NOBODY,         "-pc_gridmg_half no"                                                                                              },
  {KINDS, PETSC_TRUE,  NOBODY,         "-pc_gridmg_dense no"                                                                                             },
  {KINDS, PETSC_TRUE,  NOBODY,         "-pc_gridmg_smooths 2"                                                                                            },
  {KINDS, PETSC_TRUE,  MONITOR_BUILDS, "-pc_gridmg_smooths 2"                                                                                            },
  {CG,    PETSC_TRUE,  NOBODY,         "-ksp_norm_type preconditioned -ksp_rtol 1e-10"                                                                   },
  {CG,    PETSC_TRUE,  MONITOR_BUILDS, "-ksp_fused_mode twin -pc_gridmg_precision double"                                                                },
  {CG,    PETSC_TRUE,  NOBODY,         "-ksp_norm_type natural -ksp_rtol 1e-10 -ksp_monitor_true_residual" INTO                                          },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_converged_use_initial_residual_norm"                                                                        },
  {KINDS, PETSC_FALSE, NOBODY,         "-ksp_converged_use_min_initial_residual_norm"                                                                    },
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_initial_guess_knoll"                                                                                        },
  {CG,    PETSC_FALSE, NOBODY,         "-ksp_type cg"                                                                                                    },
  {CG,    PETSC_FALSE, MONITOR_BUILDS, "-ksp_type cg"                                                                                                    },
  {CG,    PETSC_TRUE,  NOBODY,         "-ksp_type fcg"                                                                                                   },
  {CG,    PETSC_TRUE,  NOBODY,         "-ksp_type pipecg -pc_gridmg_precision double"                                                                    },
  {BCGS,  PETSC_TRUE,  NOBODY,         "-ksp_type bcgs"                                                                                                  },
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_type bcgs -ksp_pc_side right -pc_gridmg_precision double"                                                   },
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_type gmres -ksp_gmres_restart 400 -ksp_orthogonalization mgs -ksp_pc_side right -pc_gridmg_precision double"},
  {KINDS, PETSC_TRUE,  NOBODY,         "-ksp_type fgmres -ksp_gmres_restart 400 -ksp_orthogonalization mgs -ksp_monitor_true_residual" INTO              },
};

static PetscErrorCode Walk(const Path *p, Grid g, PetscInt few)
{
  Run first = {0}, run = {0};
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  g.bs        = p->bs;
  g.wells     = p->wells;
  g.symmetric = (PetscBool)(p->kind == CG);
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
  if (p->fixed != 0.0) PetscCall(FixFaces(&g, A, p->fixed));
  PetscCall(CheckVecs(A, NULL, 0, &b, 3));
  for (size_t k = 0; k < (few ? (size_t)few : PETSC_STATIC_ARRAY_LENGTH(variants)); k++) {
    const Variant *v = &variants[k];

    if (v->kind != KINDS && v->kind != p->kind) continue;
    if (strncmp(v->options, "-pc_gridmg", 10) == 0 && !strstr(p->options, "gridmg")) continue;
    PetscCall(CheckWhere("%s, %d x %d x %d: %s%s", p->name, (int)g.n[0], (int)g.n[1], (int)g.n[2], v->options,
                         v->looker == MONITOR_BUILDS ? ", monitor"
                         : v->looker == TEST_BUILDS  ? ", test"
                                                     : ""));
    PetscCall(LookRun(A, b, p->options, v->options, v->looker, k ? &run : &first));
    PetscCall(CheckTrue(k || first.reason == KSP_CONVERGED_RTOL, KSPConvergedReasons[first.reason]));
    PetscCall(LookCompare(k ? &run : &first, &first, v->own ? -1 : p->more));
    if (k) PetscCall(VecDestroy(&run.x));
  }
  PetscCall(CheckDestroy(&first.x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt sizes[][3] = {
    {9,  10, 11},
    {12, 8,  33},
    {7,  24, 8 }
  };
  PetscBool more = PETSC_FALSE, brief = PETSC_FALSE, given, same;
  char      name[64];
  Grid      g = {.seed = 5, .std = 1, .accumulation = 1e-2, STRENGTHS(1, 2, 6)};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-long", &more, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-path", name, sizeof(name), &given));
  for (int k = 0; k < (more ? 3 : 1); k++)
    for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(paths); p++) {
      for (int a = 0; a < 3; a++) g.n[a] = sizes[k][a];
      if (given) PetscCall(PetscStrcmp(name, paths[p].name, &same));
      if (!given || same) PetscCall(Walk(&paths[p], g, brief ? 3 : 0));
    }
  return CheckFinish("looks");
}

/*TEST
  testset:
    requires: double
    output_file: output/looks.out
    test:
      suffix: quick
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: quick_peer
      nsize: 2
      args: -heptane_comm peer
    # on vectors other than the program's
    test:
      suffix: quick_moved
      nsize: {{1 2}}
      args: -heptane_test_move -ksp_fused_place device

  testset:
    requires: double
    output_file: output/looks_fixed.out
    args: -path fixed -brief
    nsize: 4
    test:
      suffix: quick_4
    test:
      suffix: quick_peer_4
      args: -heptane_comm peer

  testset:
    requires: double
    output_file: output/looks_long.out
    args: -long
    test:
      suffix: long
      nsize: {{1 2}}
    test:
      suffix: long_peer
      nsize: {{2 4}}
      args: -heptane_comm peer

  testset:
    requires: cuda double
    args: -expect_cuda
    test:
      suffix: cuda_quick
      output_file: output/looks.out
    test:
      suffix: cuda_quick_peer
      output_file: output/looks.out
      nsize: 2
      args: -heptane_comm peer
    test:
      suffix: cuda_long
      output_file: output/looks_long.out
      args: -long
    test:
      suffix: cuda_small
      output_file: output/looks_small.out
      args: -brief
TEST*/
