static char help[] = "The type's options: wrong values are refused with an error that names the remedy, prefixes work, the view tells what is stored.\n";

#include "common/refuse.h"
#include <petscdraw.h>

static char   helped[65536];
static size_t nhelped = 0;

static PetscErrorCode Collect(MPI_Comm comm, const char format[], ...)
{
  va_list list;
  size_t  n = 0;

  (void)comm;
  va_start(list, format);
  (void)PetscVSNPrintf(helped + nhelped, sizeof(helped) - nhelped, format, &n, list);
  va_end(list);
  nhelped = PetscMin(nhelped + n - (n > 0), sizeof(helped) - 1); /* n counts the terminating zero */
  return PETSC_SUCCESS;
}

/* -help lists every option, with the prefix */
static PetscErrorCode Helped(void)
{
  const char *const names[] = {"-h_mat_bdiagh_block_size", "-h_mat_bdiagh_max_fill", "-h_mat_bdiagh_max_remainder", "-h_mat_bdiagh_min_occupancy",
                               "-h_mat_bdiagh_strict"};
  PetscErrorCode (*print)(MPI_Comm, const char[], ...) = PetscHelpPrintf;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, "-help -h_mat_type bdiagh"));
  PetscHelpPrintf = Collect;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, 10, 10, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetOptionsPrefix(A, "h_"));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatDestroy(&A));
  PetscHelpPrintf = print;
  PetscCall(PetscOptionsClear(NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); k++) {
    char *found;

    PetscCall(PetscStrstr(helped, names[k], &found));
    PetscCall(CheckTrue(found != NULL, names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -mat_view draw makes a picture of several colours */
static PetscErrorCode Drawn(const Problem *p)
{
  Mat         A;
  PetscViewer viewer;
  PetscDraw   draw;
  FILE       *file;
  char        pixel[3], seen[16][3];
  int         colours = 0, known;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, "bdiagh", &A));
  PetscCall(PetscViewerDrawOpen(PETSC_COMM_WORLD, NULL, NULL, 0, 0, 300, 300, &viewer));
  PetscCall(PetscViewerDrawSetDrawType(viewer, PETSC_DRAW_IMAGE));
  PetscCall(PetscViewerDrawGetDraw(viewer, 0, &draw));
  PetscCall(PetscDrawSetSaveFinalImage(draw, "picture"));
  PetscCall(MatView(A, viewer));
  PetscCall(CheckDestroy(&viewer, &A));
  file = fopen("picture.ppm", "rb");
  if (file && fscanf(file, "P6 %*d %*d %*d%*c") == 0) {
    while (fread(pixel, 3, 1, file) == 1 && colours < 16) {
      for (known = 0; known < colours && (pixel[0] != seen[known][0] || pixel[1] != seen[known][1] || pixel[2] != seen[known][2]); known++)
        ;
      if (known == colours) {
        for (int k = 0; k < 3; k++) seen[colours][k] = pixel[k];
        colours++;
      }
    }
  }
  if (file) fclose(file);
  PetscCall(CheckRemove("picture.ppm"));
  /* background, main diagonal, other diagonals, remainder */
  PetscCall(CheckTrue(colours >= 4, "a picture is drawn"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem           gh     = {.pattern = "gh", .bs = 3, .rows = 60, .cols = 60, .seed = 1};
  Problem           wells  = {.pattern = "wells", .bs = 3, .rows = 60, .cols = 60, .seed = 1};
  Problem           random = {.pattern = "random", .bs = 1, .rows = 400, .cols = 400, .seed = 1};
  const char *const grid[] = {"type: seqaijbdiagh", "block size 3, 7 block diagonals", "-12 -4 -1 0 1 4 12", "0 % of the nonzeros",
                              "from compressed rows (on the host"};
  const char *const well[] = {"block size 3, 7 block diagonals", "remainder", "from compressed rows (on the host"};
  const char *const rest[] = {"compressed rows", "with -mat_type sellp bytes"};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Helped());
  PetscCall(Refused("bdiagh", &random, "-t_mat_bdiagh_strict", "-mat_type sellp, whose products", "-mat_bdiagh_strict"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_block_size 7", "-mat_bdiagh_block_size", "7"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_block_size -1", "-t_mat_bdiagh_block_size", "-1 must be"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_max_fill 0.5", "-t_mat_bdiagh_max_fill", "0.5 must be"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_max_remainder 1.5", "-t_mat_bdiagh_max_remainder", "1.5 must be"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_max_remainder -0.5", "-t_mat_bdiagh_max_remainder", "-0.5 must be"));
  PetscCall(Refused("bdiagh", &gh, "-t_mat_bdiagh_min_occupancy 2", "-t_mat_bdiagh_min_occupancy", "2 must be"));
  PetscCall(Refused("bdiagh", &wells, "-t_mat_bdiagh_strict -t_mat_bdiagh_max_remainder 0", "-mat_type sellp, whose products", "-mat_bdiagh_strict"));
  PetscCall(Refused("bdiagh", &wells, "-t_mat_bdiagh_strict -t_mat_bdiagh_min_occupancy 0 -t_mat_bdiagh_max_fill 1", "-mat_type sellp, whose products",
                    "-mat_bdiagh_strict"));
  /* without these options, and with those of another prefix, the same matrices work */
  PetscCall(PetscOptionsInsertString(NULL, "-other_mat_bdiagh_strict -other_mat_bdiagh_block_size 7"));
  PetscCall(Use("bdiagh", &random));
  PetscCall(Use("bdiagh", &gh));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(Shown("bdiagh", &gh, grid, PETSC_STATIC_ARRAY_LENGTH(grid)));
  PetscCall(Shown("bdiagh", &wells, well, PETSC_STATIC_ARRAY_LENGTH(well)));
  PetscCall(Shown("bdiagh", &random, rest, PETSC_STATIC_ARRAY_LENGTH(rest)));
  PetscCall(Drawn(&wells));
  return CheckFinish("options");
}

/*TEST
  test:
    suffix: 1
    comments: quick
    # what was being built when a refusal ended it is not given back
    args: -checkfunctionlist 0 -malloc_dump 0
    output_file: output/options.out
TEST*/
