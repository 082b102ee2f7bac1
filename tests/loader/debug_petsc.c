/* Preloaded: a PETSc up to 3.25 looks as if it were built for debugging, which has this variable */
char petscstack[65536];
