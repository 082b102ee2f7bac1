/*
   What is measured: problems, and for each the solvers that are compared on it; from suites or from the command line.
   Knows names alone, no PETSc object.
*/
#pragma once
#include "../common/problem.hpp"

namespace bench
{

// One candidate, written KSP[+variant...]:MAT:PC
struct Spec {
  std::string ksp; // with its variants: "cg+single_reduction", "fusedcg+graph", "bcgs+ksp_norm_type=none"
  std::string mat, pc;

  std::string type() const { return ksp.substr(0, ksp.find('+')); }
  std::string family() const; // cg, bcgs, bicg: methods that do the same, whoever wrote them; else the type
  bool        fused() const { return type().rfind("fused", 0) == 0; }
  bool        operator==(const Spec &s) const { return ksp == s.ksp && mat == s.mat && pc == s.pc; }
};

// The option and value that a variant stands for, without the prefix: {"-ksp_fused_mode", "graph"}
PetscErrorCode spec_variants(const Spec &spec, std::vector<std::pair<std::string, std::string>> *options);

// One problem with its candidates
struct Job {
  ProblemList       problem; // exactly one
  std::vector<Spec> candidates;
  bool              iteration = false; // time an iteration
  bool              solve     = false; // time whole solves
};

// -suite, -sizes, -modes; or -candidates with -cases or -file, -values, -what. Suites that share a problem share one job.
PetscErrorCode jobs_from_options(bool device, std::vector<Job> *jobs);

} // namespace bench
