/*
   Names of kernels.
*/
#include "collect.hpp"
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace heptane
{

namespace
{

void remove_all(std::string *text, const std::string &part)
{
  for (std::size_t at; (at = text->find(part)) != std::string::npos;) text->erase(at, part.size());
}

/* Position of the argument list: the parenthesis that closes at the end */
std::size_t begin_of_arguments(const std::string &name)
{
  int depth = 0;

  if (name.empty() || name.back() != ')') return name.size();
  for (std::size_t k = name.size(); k-- > 0;) {
    if (name[k] == ')') depth++;
    if (name[k] == '(' && --depth == 0) return k;
  }
  return name.size();
}

/* Position after the return type, which instances of templates have: the first blank outside of brackets */
std::size_t behind_return_type(const std::string &name)
{
  int depth = 0;

  for (std::size_t k = 0; k < name.size(); k++) {
    if (name[k] == '<' || name[k] == '(') depth++;
    if (name[k] == '>' || name[k] == ')') depth--;
    if (name[k] == ' ' && !depth) return k + 1;
  }
  return 0;
}

} // namespace

bool is_library_kernel(const std::string &mangled)
{
  return mangled.rfind("_ZN7heptane", 0) == 0;
}

std::string short_kernel_name(const std::string &mangled)
{
  int                                     status = 0;
  std::unique_ptr<char, void (*)(void *)> demangled(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);

  if (status || !demangled) return mangled;
  std::string name = demangled.get();

  remove_all(&name, "(anonymous namespace)::");
  remove_all(&name, "heptane::");
  name.resize(begin_of_arguments(name));
  name.erase(0, behind_return_type(name));
  for (std::size_t at; (at = name.find("> >")) != std::string::npos;) name.erase(at + 1, 1);
  for (const char *cast : {"(int)", "(bool)", "(unsigned int)"}) remove_all(&name, cast);
  return name;
}

} // namespace heptane
