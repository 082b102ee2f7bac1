/*
   Headers that most sources of the library include, precompiled by tools/compile.mk: they are a third of the time that a source of the host takes. Every source still includes what it uses; CMake
   builds without this file.
*/
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <petsc/private/kspimpl.h>
#include <petsc/private/matimpl.h>
#include <petsc/private/vecimpl.h>
