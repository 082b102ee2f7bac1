# Compiles the sources of src/sources.list with PETSc's compilers and flags and links libheptane.so, and the programs of
# src/tools. Included by the makefile alone.
# Only symbols marked PETSC_EXTERN leave the library; every symbol it uses must be found at link time (-z defs) and is bound at load time (-z now).

PETSC_CONF_H := $(PETSC_DIR)/$(PETSC_ARCH)/include/petscconf.h
SOURCES := $(shell sed 's/\#.*//; s/ alone$$//; /\.in /d' src/sources.list 2>/dev/null)
ALONE   := $(shell sed -n 's/\#.*//; s/ alone$$//p' src/sources.list 2>/dev/null)
# TEMPLATE:LIST, and the sources made of them, which lie below MADE as the templates below HEPTANE_DIR
MADE_OF := $(shell sed -n 's/\#.*//; s/\.cu\.in  */.cu.in:/p' src/sources.list 2>/dev/null)
MADE    := $(HEPTANE_BUILD)/made
SOURCES += $(foreach m,$(MADE_OF),$(subst .cu.in:,_,$(m)).cu)
# The sources of the host of each folder, but for those that are compiled alone, are one source, which includes them: most
# of the time of a short source is headers
LISTED  := $(SOURCES)
SHARING  = $(filter-out $(ALONE),$(foreach s,$(filter $(1)%.cxx,$(LISTED)),$(if $(filter $(1),$(dir $(s))),$(s))))
FOLDERS := $(foreach d,$(sort $(dir $(filter-out $(ALONE),$(filter %.cxx,$(SOURCES))))),$(if $(word 2,$(call SHARING,$(d))),$(d)))
SOURCES := $(filter-out $(foreach d,$(FOLDERS),$(call SHARING,$(d))),$(LISTED)) $(FOLDERS:%=%folder.cxx)
TOOLS   := $(wildcard src/tools/*/*.cxx src/tools/*/*.cu)
# not CUDAC: configure finds nvcc for a PETSc without CUDA too
ifeq ($(shell grep -s 'define PETSC_HAVE_CUDA 1' $(PETSC_CONF_H)),)
  SOURCES := $(filter-out %.cu,$(SOURCES))
  TOOLS   := $(filter-out %.cu,$(TOOLS))
endif
OBJECTS := $(patsubst %,$(HEPTANE_BUILD)/obj/%.o,$(SOURCES))
TOOL_OBJECTS := $(patsubst %,$(HEPTANE_BUILD)/obj/%.o,$(TOOLS))

PETSC_DEBUG := $(shell grep -s 'define PETSC_USE_DEBUG 1' $(PETSC_CONF_H))
OPTFLAGS    ?= $(if $(PETSC_DEBUG),,-O3)
# without this PETSc's headers bring <complex> and with it the streams: 1.6 s of every .cu. A PETSc with complex scalars is refused by abi.cxx and scalar.hpp
NO_COMPLEX  := $(if $(shell grep -s 'define PETSC_USE_COMPLEX 1' $(PETSC_CONF_H)),,-DPETSC_SKIP_COMPLEX)
INCLUDES    := $(NO_COMPLEX) -Iinclude -Isrc $(PETSC_CC_INCLUDES)
WARNINGS    := -Wall -Wextra
# the language is C++17 whatever newer dialect PETSc was configured with
HOST_FLAGS  := $(filter-out -std=%,$(CXX_FLAGS) $(CXXPP_FLAGS)) -std=gnu++17 -fPIC -fvisibility=hidden $(OPTFLAGS) $(WARNINGS) $(CXXFLAGS) $(INCLUDES)
CUDA_FLAGS  := $(filter-out -std=%,$(CUDAC_FLAGS) $(CUDAPP_FLAGS)) -std=c++17 $(OPTFLAGS) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
               $(CUDAFLAGS) $(MPICXX_INCLUDES) $(INCLUDES)
# the driver library is not linked: a program must start where there is no driver
LINK_LIBS   := -Wl,--as-needed -Wl,-rpath,$(abspath $(PETSC_DIR)/$(PETSC_ARCH)/lib) $(filter-out -lcuda,$(PETSC_WITH_EXTERNAL_LIB))

# $(call timed,COMMAND): runs it, and leaves the seconds it took and the source's name beside the object
# What is cut off leaves no object
timed = start=$$(date +%s.%N) && $(1) && mv $@.new $@ && echo "$$start $$(date +%s.%N)" | awk '{ printf "%.1f $(<:$(MADE)/%=%)\n", $$2 - $$1 }' > $(@:.o=.seconds)

COMPILE_DEPENDS := tools/petsc.mk tools/compile.mk $(PETSC_CONF)

# the copy lies beside its precompiled form, where compilers look for that
COMMON := $(HEPTANE_BUILD)/obj/common_headers.hpp
$(COMMON).gch: tools/common_headers.hpp $(COMPILE_DEPENDS)
	@mkdir -p $(@D)
	@cp $< $(COMMON)
	@echo '  CXX   $<'
	@$(CXX) -c $(HOST_FLAGS) -x c++-header -o $@.new $(COMMON)
	@mv $@.new $@

define compile_host
	@mkdir -p $(@D)
	@echo '  CXX   $(<:$(MADE)/%=%)'
	@$(call timed,$(CXX) -c $(HOST_FLAGS) -include $(COMMON) -MMD -MP -MF $(@:.o=.d) -MT $@ -o $@.new $<)
endef

$(HEPTANE_BUILD)/obj/%.cxx.o: %.cxx $(COMMON).gch
	$(compile_host)

$(HEPTANE_BUILD)/obj/%.cxx.o: $(MADE)/%.cxx $(COMMON).gch
	$(compile_host)

define compile_cuda
	@mkdir -p $(@D)
	@echo '  CUDAC $(<:$(MADE)/%=%)'
	@$(call timed,$(CUDAC) -c $(CUDA_FLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -o $@.new $<)
endef

$(HEPTANE_BUILD)/obj/%.cu.o: %.cu $(COMPILE_DEPENDS)
	$(compile_cuda)

$(HEPTANE_BUILD)/obj/%.cu.o: $(MADE)/%.cu $(COMPILE_DEPENDS)
	$(compile_cuda)

# $(call made,TEMPLATE,LIST)
define made
$(MADE)/$(subst .cu.in,_,$(1))$(2).cu: $(1)
	@mkdir -p $$(@D)
	@sed 's/@LIST@/$(2)/g' $(1) > $$@
endef
$(foreach m,$(MADE_OF),$(eval $(call made,$(firstword $(subst :, ,$(m))),$(lastword $(subst :, ,$(m))))))

# $(call folder,FOLDER/); a list of the same sources leaves the file as it is
define folder
$(MADE)/$(1)folder.cxx: src/sources.list
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $(patsubst src/%,%,$(call SHARING,$(1))) > $$@.new
	@if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
endef
$(foreach d,$(FOLDERS),$(eval $(call folder,$(d))))

$(HEPTANE_LIB): $(OBJECTS) src/sources.list tools/exports.map
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	@$(CXX) -shared -o $@.new $(OBJECTS) -Wl,-soname,libheptane.so -Wl,--version-script=tools/exports.map -Wl,-z,defs -Wl,-z,now $(LINK_LIBS) $(LDFLAGS)
	@$(if $(filter %.o,$?),echo '  seconds of the slowest of $(words $(filter %.o,$?)) objects:'; cat $(patsubst %.o,%.seconds,$(filter %.o,$?)) 2>/dev/null | sort -rn | head -n 10 | sed 's/^/    /')
	@mv $@.new $@

# A thin archive of the objects of the library, which hides its symbols, and of the programs. Programs and unit tests link
# what they need of it.
INSIDE := $(HEPTANE_BUILD)/inside.a
$(INSIDE): $(OBJECTS) $(filter-out %/main.cxx.o,$(TOOL_OBJECTS))
	@rm -f $@
	@ar rcsT $@ $^

PROGRAMS := $(patsubst src/tools/%/main.cxx,$(HEPTANE_BUILD)/bin/heptane-%,$(filter %/main.cxx,$(TOOLS)))
tools: $(PROGRAMS)

$(PROGRAMS): $(HEPTANE_BUILD)/bin/heptane-%: $(HEPTANE_BUILD)/obj/src/tools/%/main.cxx.o $(HEPTANE_LIB) $(INSIDE)
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	@$(CXX) -o $@ -Wl,--as-needed $^ -Wl,-rpath,'$$ORIGIN/../lib' $(LINK_LIBS) $(LDFLAGS)

# the last library built, under a short name
.PHONY: build/libheptane.so
build/libheptane.so: $(HEPTANE_LIB)
	@mkdir -p build
	@ln -sfn $(patsubst $(HEPTANE_DIR)/build/%,%,$(HEPTANE_LIB)) $@

-include $(OBJECTS:.o=.d) $(TOOL_OBJECTS:.o=.d)
