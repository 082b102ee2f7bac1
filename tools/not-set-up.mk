# Stands for what tools/setup writes when make is only to tell (-n, -q, -t) and PETSc is not there yet. Included by the makefile alone.
# Lines with $(MAKE) run under -n too; without PETSc the makefiles below cannot tell anything.

$(info tools/setup --variant $(VARIANT) $(PETSC_RELEASE:%=--release %) $(MPI:%=--mpi %) --output $(SETUP)    # provides PETSc and MPI (README.md); what follows is known after it: run make without -$(firstword $(ONLY_TELL)))
MAKE  := :
SETUP :=
.PHONY: build/libheptane.so
build/libheptane.so: ;
