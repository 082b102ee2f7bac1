/*
   Readable names of kernels, from their mangled names.
*/
#pragma once

#include <string>

namespace heptane
{

/* A kernel of this library */
bool is_library_kernel(const std::string &mangled);

/*
   Demangled, without return type, arguments and our namespace: step_kernel<CgUpdate, Pack<2>>. Unchanged if it is no
   mangled C++ name.
*/
std::string short_kernel_name(const std::string &mangled);

} // namespace heptane
