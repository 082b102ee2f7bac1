/*
   Reading of candidates.
*/
#include "spec.hpp"
#include "matrices.hpp"

namespace bench
{

std::string Spec::family() const
{
  std::string t = type();

  if (t.rfind("fused", 0) == 0) t = t.substr(5);
  if (t == "pipecg" || t == "groppcg") return "cg";
  if (t == "fbcgs" || t == "pipebcgs") return "bcgs";
  return t;
}

PetscErrorCode spec_variants(const Spec &spec, std::vector<std::pair<std::string, std::string>> *options)
{
  PetscFunctionBeginUser;
  options->clear();
  for (size_t plus = spec.ksp.find('+'); plus != std::string::npos;) {
    const size_t      next    = spec.ksp.find('+', plus + 1);
    const std::string variant = spec.ksp.substr(plus + 1, next == std::string::npos ? next : next - plus - 1);
    const size_t      equals  = variant.find('=');
    PetscBool         mode;

    PetscCall(PetscStrInList(variant.c_str(), "auto,twin,kernels,graph,persistent", ',', &mode));
    if (equals != std::string::npos) options->emplace_back("-" + variant.substr(0, equals), variant.substr(equals + 1));
    else if (variant == "single_reduction") options->emplace_back("-ksp_cg_single_reduction", "true");
    else if (variant == "fold" || variant == "nofold") options->emplace_back("-ksp_fused_fold", variant == "fold" ? "yes" : "no");
    else if (mode) options->emplace_back("-ksp_fused_mode", variant);
    else
      SETERRQ(
        PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
        "-candidates: \"%s\": the variant %s is unknown; expected single_reduction, a mode of the fused solvers (auto, twin, kernels, graph, persistent), fold, nofold, or option=value such as ksp_norm_type=none",
        spec.ksp.c_str(), variant.c_str());
    plus = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode parse_spec(const std::string &text, Spec *s)
{
  const size_t first = text.find(':'), second = text.find(':', first + 1);

  PetscFunctionBeginUser;
  PetscCheck(first != std::string::npos && second != std::string::npos && first > 0 && second > first + 1 && second + 1 < text.size(), PETSC_COMM_WORLD,
             PETSC_ERR_USER_INPUT, "-candidates: cannot read \"%s\"; expected KSP[+variant]:MAT:PC, for example cg+single_reduction:aijcusparse:jacobi",
             text.c_str());
  *s = {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
  std::vector<std::pair<std::string, std::string>> options;
  PetscCall(spec_variants(*s, &options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode specs_parse(const std::string &text, std::vector<Spec> *specs)
{
  PetscFunctionBeginUser;
  specs->clear();
  for (const std::string &one : split_list(text)) {
    specs->emplace_back();
    PetscCall(parse_spec(one, &specs->back()));
  }
  PetscCheck(!specs->empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-candidates names none; expected KSP[+variant]:MAT:PC,...");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
