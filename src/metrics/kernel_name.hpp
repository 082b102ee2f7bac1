/*
   Names of kernels as people read them, from those of the linker.
*/
#pragma once

#include <string>

namespace heptane
{

/* A kernel of this library */
bool is_kernel_of_ours(const std::string &mangled);

/* Demangled, without return type, arguments and our namespace: step_kernel<CgUpdate, Pack<2>>. As it is where it is no name of C++. */
std::string short_kernel_name(const std::string &mangled);

} // namespace heptane
