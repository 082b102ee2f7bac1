/*
   A solver, a matrix type and a preconditioner by name, as the command line has them. Knows names alone, no PETSc object.
*/
#pragma once
#include <petscsys.h>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

// One candidate, written KSP[+variant...]:MAT:PC
struct Spec {
  std::string ksp; // with its variants: "cg+single_reduction", "fusedcg+graph", "bcgs+ksp_norm_type=none"
  std::string mat, pc;

  std::string type() const { return ksp.substr(0, ksp.find('+')); }
  std::string family() const; // cg, bcgs, bicg: methods that do the same, whoever wrote them; else the type
  std::string text() const { return ksp + ":" + mat + ":" + pc; }
  bool        fused() const { return type().rfind("fused", 0) == 0; }
  bool        operator==(const Spec &s) const { return ksp == s.ksp && mat == s.mat && pc == s.pc; }
};

// The option and value that a variant stands for, without the prefix: {"-ksp_fused_mode", "graph"}
PetscErrorCode spec_variants(const Spec &spec, std::vector<std::pair<std::string, std::string>> *options);

// "KSP:MAT:PC,...", the value of -candidates
PetscErrorCode specs_parse(const std::string &text, std::vector<Spec> *specs);

} // namespace bench
