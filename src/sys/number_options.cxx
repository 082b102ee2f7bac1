/*
   Numbers of options with bounds.
*/
#include "number_options.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace heptane
{

namespace
{

/* PETSc wraps whole numbers beyond its range modulo that range */
bool fits(const char given[], PetscInt)
{
  for (const char *at = given; at; at = std::strchr(at, ',')) {
    at += *at == ',';
    if (std::fabs(std::strtod(at, nullptr)) > static_cast<double>(PETSC_INT_MAX)) return false;
  }
  return true;
}

bool fits(const char[], PetscReal)
{
  return true;
}

const char *kind(PetscInt)
{
  return "a whole number";
}

const char *kind(PetscReal)
{
  return "a number";
}

/* get() reads the option into value[0 .. *count - 1]; its own errors do not name the option */
template <class Number, class Get>
PetscErrorCode Bounded(PetscOptionItems o, const char option[], const char text[], Number least, Number most, const Number value[], const PetscInt *count,
                       Get &&get)
{
  const char *given;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsFindPair(o->options, o->prefix, option, &given, &set));
  if (!set || !given) {
    PetscCall(get());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = get();
  PetscCall(PetscPopErrorHandler());
  const bool good = !code && fits(given, least) && std::all_of(value, value + *count, [&](Number v) { return v >= least && v <= most; });
  PetscCheck(good, o->comm, PETSC_ERR_ARG_OUTOFRANGE, "-%s%s %s must be %s from %.10g to %.10g: %s", o->prefix ? o->prefix : "", option + 1, given, kind(least),
             (double)least, (double)most, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr PetscInt one = 1;

} // namespace

PetscErrorCode OptionInt(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                         PetscInt *value, PetscBool *set)
{
  const PetscInt now = *value;

  PetscFunctionBegin;
  PetscCall(Bounded(PetscOptionsObject, option, text, least, most, value, &one, [&] { return PetscOptionsInt(option, text, man, now, value, set); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OptionReal(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                          PetscReal *value, PetscBool *set)
{
  const PetscReal now = *value;

  PetscFunctionBegin;
  PetscCall(Bounded(PetscOptionsObject, option, text, least, most, value, &one, [&] { return PetscOptionsReal(option, text, man, now, value, set); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OptionIntArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                              PetscInt value[], PetscInt *count, PetscBool *set)
{
  PetscFunctionBegin;
  PetscCall(Bounded(PetscOptionsObject, option, text, least, most, value, count, [&] { return PetscOptionsIntArray(option, text, man, value, count, set); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OptionRealArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                               PetscReal value[], PetscInt *count, PetscBool *set)
{
  PetscFunctionBegin;
  PetscCall(Bounded(PetscOptionsObject, option, text, least, most, value, count, [&] { return PetscOptionsRealArray(option, text, man, value, count, set); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
