/* Reads one property of a reservoir grid from an Eclipse keyword file: comments, keyword, values with n*v repeats, closing slash.
   The first process reads; a fault found there is raised on every process with the file, the line and the remedy. */
#include "reservoir.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char    *file;
  char          *text; /* the whole file, closed by a zero */
  const char    *next; /* first character not read yet */
  PetscInt       line;
  const char    *token;
  int            length;
  PetscErrorCode code;
  char           message[1024];
} Deck;

typedef struct {
  const char *keyword, *range;
  PetscReal   low, high;
  PetscBool   whole;
} Property;

static const Property properties[] = {
  {"PERMX",  "a permeability in mD is 0 (inactive) or positive", 0, PETSC_MAX_REAL, PETSC_FALSE},
  {"PORO",   "a porosity is a fraction from 0 to 1",             0, 1,              PETSC_FALSE},
  {"ACTNUM", "an ACTNUM value is 0 (inactive) or 1 (active)",    0, 1,              PETSC_TRUE }
};
static const char *const skipped[]  = {"PERMX", "PERMY", "PERMZ", "PORO", "NTG", "ACTNUM", NULL};
static const char *const switches[] = {"GRID", "ECHO", "NOECHO", NULL};

/* Keeps the first fault only; always returns PETSC_FALSE, so that a reader can return DeckFail(...). */
static PetscBool DeckFail(Deck *d, PetscErrorCode code, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
static PetscBool DeckFail(Deck *d, PetscErrorCode code, const char format[], ...)
{
  va_list args;
  int     used;

  if (d->code) return PETSC_FALSE;
  d->code = code;
  used    = snprintf(d->message, sizeof(d->message), "%s:%" PetscInt_FMT ": ", d->file, d->line);
  if (used < 0 || used >= (int)sizeof(d->message)) return PETSC_FALSE;
  va_start(args, format);
  (void)vsnprintf(d->message + used, sizeof(d->message) - used, format, args);
  va_end(args);
  return PETSC_FALSE;
}

static PetscBool DeckOpen(Deck *d)
{
  FILE *fp = fopen(d->file, "rb");
  long  size;

  if (!fp) {
    d->code = PETSC_ERR_FILE_OPEN;
    (void)snprintf(d->message, sizeof(d->message), "%s: cannot be opened (%s): correct the path given to -perm, -poro, -actnum or -norne", d->file,
                   strerror(errno));
    return PETSC_FALSE;
  }
  if (fseek(fp, 0, SEEK_END) || (size = ftell(fp)) < 0 || size == LONG_MAX || fseek(fp, 0, SEEK_SET)) {
    fclose(fp);
    return DeckFail(d, PETSC_ERR_FILE_READ, "not a readable file: give an Eclipse keyword file");
  }
  d->text = (char *)malloc((size_t)size + 1);
  if (!d->text || fread(d->text, 1, (size_t)size, fp) != (size_t)size) {
    fclose(fp);
    return DeckFail(d, PETSC_ERR_FILE_READ, "reading %ld bytes failed: check the file and the free memory", size);
  }
  fclose(fp);
  d->text[size] = 0;
  d->next       = d->text;
  d->line       = 1;
  if (strlen(d->text) != (size_t)size) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "a binary file: give an Eclipse keyword file in plain text");
  return PETSC_TRUE;
}

static void DeckSkipLine(Deck *d)
{
  while (*d->next && *d->next != '\n') d->next++;
}

#define LONGEST_TOKEN 60 /* characters; no number needs more */

/* The next word or "/"; PETSC_FALSE at the end of the file, and at a fault. What follows a slash on its line is a comment. */
static PetscBool DeckNext(Deck *d)
{
  for (;; d->next++) {
    if (d->next[0] == '-' && d->next[1] == '-') DeckSkipLine(d);
    if (!*d->next) return PETSC_FALSE;
    if (*d->next == '\n') d->line++;
    else if (!isspace((unsigned char)*d->next)) break;
  }
  d->token = d->next;
  if (*d->next == '/') DeckSkipLine(d);
  else
    while (*d->next && *d->next != '/' && !isspace((unsigned char)*d->next)) d->next++;
  if (*d->token != '/' && d->next - d->token > LONGEST_TOKEN)
    return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED,
                    "'%.*s...' has %lld characters, more than the %d of the longest value or keyword: shorten it, or look for a missing blank", LONGEST_TOKEN,
                    d->token, (long long)(d->next - d->token), LONGEST_TOKEN);
  d->length = *d->token == '/' ? 1 : (int)(d->next - d->token);
  return PETSC_TRUE;
}

static PetscBool DeckTokenIs(const Deck *d, const char word[])
{
  return (size_t)d->length == strlen(word) && !strncmp(d->token, word, d->length) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool DeckTokenIn(const Deck *d, const char *const words[])
{
  while (*words)
    if (DeckTokenIs(d, *words++)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Splits the token "v" or "n*v" into a count and a finite number. */
static PetscBool DeckValue(Deck *d, long long *repeat, double *value)
{
  char  word[LONGEST_TOKEN + 1], *number = word, *end;
  char *star;

  (void)snprintf(word, sizeof(word), "%.*s", d->length, d->token);
  *repeat = 1;
  if ((star = strchr(word, '*'))) {
    errno   = 0;
    *repeat = strtoll(word, &end, 10);
    if (end != star || end == word || errno || *repeat < 1)
      return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%s' is not a repeat: write n*v with a whole number n of at least 1", word);
    number = star + 1;
    if (!*number) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%s' has no value: defaults are not known here, write n*v with the value v", word);
  }
  for (char *c = number; *c; c++)
    if (*c == 'd' || *c == 'D') *c = 'e';
  *value = strtod(number, &end);
  if (end == number || *end) {
    if (isalpha((unsigned char)*number))
      return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%.*s' stands where a number belongs: is the '/' missing that ends the values?", d->length, d->token);
    return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%.*s' is not a number: correct this value", d->length, d->token);
  }
  if (PetscIsInfOrNanReal((PetscReal)*value))
    return DeckFail(d, PETSC_ERR_FP, "'%.*s' is not a finite number: replace it, with ACTNUM or a permeability of 0 for a cell without data", d->length,
                    d->token);
  return PETSC_TRUE;
}

/* DIMENS has three sizes, SPECGRID two more entries after them. */
static PetscBool DeckDimensions(Deck *d, PetscInt dims[3])
{
  long long repeat;
  double    value;

  for (int k = 0; k < 3; k++) {
    if (!DeckNext(d)) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "the file ends inside the grid's sizes: add them and the closing '/'");
    if (!DeckValue(d, &repeat, &value)) return PETSC_FALSE;
    if (repeat != 1 || value < 1 || value >= (double)PETSC_INT_MAX || value != floor(value))
      return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%.*s' is not a number of cells: give three whole numbers of at least 1", d->length, d->token);
    dims[k] = (PetscInt)value;
  }
  while (!DeckTokenIs(d, "/"))
    if (!DeckNext(d)) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "the grid's sizes have no end: close them with '/'");
  return PETSC_TRUE;
}

static PetscBool DeckCheckDimensions(Deck *d, const Grid *g)
{
  PetscInt dims[3];
  PetscInt line = d->line;

  if (!DeckDimensions(d, dims)) return PETSC_FALSE;
  if (dims[0] == g->nj && dims[1] == g->nh && dims[2] == g->ni) return PETSC_TRUE;
  d->line = line;
  return DeckFail(d, PETSC_ERR_ARG_SIZ,
                  "the file is for %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells, the grid has %" PetscInt_FMT " x %" PetscInt_FMT
                  " x %" PetscInt_FMT ": correct -grid or give the matching file",
                  dims[0], dims[1], dims[2], g->nj, g->nh, g->ni);
}

static PetscBool DeckProperty(Deck *d, const Property *p, const Grid *g, PetscReal values[])
{
  PetscInt n = 0;

  while (DeckNext(d)) {
    long long repeat;
    double    value;

    if (DeckTokenIs(d, "/")) {
      if (n == g->cells) return PETSC_TRUE;
      return DeckFail(d, PETSC_ERR_ARG_SIZ,
                      "%s ends after %" PetscInt_FMT " values, the grid of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells needs %" PetscInt_FMT
                      ": correct -grid or complete the file",
                      p->keyword, n, g->nj, g->nh, g->ni, g->cells);
    }
    if (!DeckValue(d, &repeat, &value)) return PETSC_FALSE;
    if (value < p->low || value > p->high || (p->whole && value != floor(value)))
      return DeckFail(d, PETSC_ERR_ARG_OUTOFRANGE, "%s has the value %.*s: %s, correct it", p->keyword, d->length, d->token, p->range);
    if (repeat > (long long)(g->cells - n))
      return DeckFail(d, PETSC_ERR_ARG_SIZ,
                      "%s has more values than the grid of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells, %" PetscInt_FMT
                      ": correct -grid or the file",
                      p->keyword, g->nj, g->nh, g->ni, g->cells);
    while (repeat--) values[n++] = (PetscReal)value;
  }
  return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "the file ends inside the values of %s: close them with '/'", p->keyword);
}

static PetscBool DeckSkipValues(Deck *d, const char keyword[])
{
  while (DeckNext(d)) {
    if (DeckTokenIs(d, "/")) return PETSC_TRUE;
    if (isalpha((unsigned char)*d->token)) break;
  }
  return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "the values of %s have no end: close them with '/'", keyword);
}

/* One pass over the file. Without a property it stops at the grid's sizes; otherwise it checks them against the grid and fills the values. */
static PetscBool DeckScan(Deck *d, const Property *p, const Grid *g, PetscReal values[], PetscInt dims[3], PetscBool *found)
{
  *found = PETSC_FALSE;
  while (DeckNext(d)) {
    if (DeckTokenIs(d, "DIMENS") || DeckTokenIs(d, "SPECGRID")) {
      if (!p) {
        *found = PETSC_TRUE;
        return DeckDimensions(d, dims);
      }
      if (!DeckCheckDimensions(d, g)) return PETSC_FALSE;
    } else if (p && DeckTokenIs(d, p->keyword)) {
      if (*found) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "%s stands in the file twice: keep one", p->keyword);
      if (!DeckProperty(d, p, g, values)) return PETSC_FALSE;
      *found = PETSC_TRUE;
    } else if (DeckTokenIn(d, skipped)) {
      char keyword[LONGEST_TOKEN + 1];

      (void)snprintf(keyword, sizeof(keyword), "%.*s", d->length, d->token);
      if (!DeckSkipValues(d, keyword)) return PETSC_FALSE;
    } else if (!DeckTokenIn(d, switches)) {
      if (isalpha((unsigned char)*d->token))
        return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "unknown keyword '%.*s': keep DIMENS, SPECGRID, PERMX, PERMY, PERMZ, PORO, NTG and ACTNUM, remove others",
                        d->length, d->token);
      return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "'%.*s' stands where a keyword belongs: look for a '/' that ends the values too early", d->length,
                      d->token);
    }
  }
  if (p && !*found) return DeckFail(d, PETSC_ERR_FILE_UNEXPECTED, "the file ends without the keyword %s: add it, or give the file that has it", p->keyword);
  return PETSC_TRUE;
}

static PetscErrorCode DeckRaise(MPI_Comm comm, Deck *d)
{
  int code = (int)d->code;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm));
  if (code) {
    PetscCallMPI(MPI_Bcast(d->message, sizeof(d->message), MPI_CHAR, 0, comm));
    free(d->text);
    SETERRQ(comm, (PetscErrorCode)code, "%s", d->message);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sizes that DIMENS or SPECGRID of the file gives; found is false when it has neither. Collective. */
PetscErrorCode DeckReadDimensions(MPI_Comm comm, const char file[], PetscInt dims[3], PetscBool *found)
{
  Deck        d = {.file = file};
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && DeckOpen(&d)) (void)DeckScan(&d, NULL, NULL, NULL, dims, found);
  PetscCall(DeckRaise(comm, &d));
  free(d.text);
  PetscCallMPI(MPI_Bcast(found, 1, MPI_C_BOOL, 0, comm));
  PetscCallMPI(MPI_Bcast(dims, 3, MPIU_INT, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills values[0 .. gend - gstart) with the keyword's values of the cells that this process knows. Collective; the values travel in pieces. */
PetscErrorCode DeckReadKeyword(const Grid *g, const char file[], const char keyword[], PetscReal values[])
{
  Deck            d     = {.file = file};
  const Property *p     = properties;
  const PetscInt  piece = 1 << 20;
  PetscReal      *all   = NULL, *buffer;
  PetscMPIInt     rank;
  PetscBool       found;

  PetscFunctionBeginUser;
  while (strcmp(p->keyword, keyword)) p++;
  PetscCallMPI(MPI_Comm_rank(g->comm, &rank));
  if (!rank) PetscCall(PetscMalloc1(g->cells, &all));
  if (!rank && DeckOpen(&d)) (void)DeckScan(&d, p, g, all, NULL, &found);
  PetscCall(DeckRaise(g->comm, &d));
  free(d.text);
  PetscCall(PetscMalloc1(PetscMin(piece, g->cells), &buffer));
  for (PetscInt at = 0; at < g->cells; at += PetscMin(piece, g->cells - at)) {
    const PetscInt end = at + PetscMin(piece, g->cells - at);

    if (!rank) PetscCall(PetscArraycpy(buffer, all + at, end - at));
    PetscCallMPI(MPI_Bcast(buffer, (PetscMPIInt)(end - at), MPIU_REAL, 0, g->comm));
    for (PetscInt m = PetscMax(at, g->gstart); m < PetscMin(end, g->gend); m++) values[m - g->gstart] = buffer[m - at];
  }
  PetscCall(PetscFree(buffer));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
