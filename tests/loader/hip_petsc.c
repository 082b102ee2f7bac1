/* Preloaded: a PETSc up to 3.25 looks as if it had HIP, which has this function */
char VecCreateSeqHIP[64];
