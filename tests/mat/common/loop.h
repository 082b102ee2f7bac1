/*
   The loop over patterns, block sizes and distributions that the tests share: each test is called with one matrix of the type under test
   and the same matrix as AIJ, both its own to change.
*/
#pragma once

#include "check.h"
#include "check_device.h"
#include "problem.h"

typedef PetscErrorCode CheckFn(const Problem *p, Mat A, Mat R);

typedef enum {
  CHECK_ALL,
  CHECK_SQUARE, /* no rectangles */
  CHECK_CELLS   /* square, and block size times cells is the matrix size */
} CheckSet;

PetscErrorCode CheckOne(const Problem *p, CheckFn *test);

/* Options: -pattern, -bs (lists), -symmetric, -diagonal */
PetscErrorCode CheckLoop(CheckSet set, CheckFn *test);

/* A test program: what main() does */
int CheckMain(int argc, char **argv, const char help[], CheckSet set, CheckFn *test, const char name[]);

#define CHECK_MAIN(set, test, name) \
  int main(int argc, char **argv) \
  { \
    return CheckMain(argc, argv, help, set, test, name); \
  }
