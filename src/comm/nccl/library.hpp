/*
   NCCL's library, looked for when it is first wanted: the file of -heptane_nccl_library, else libnccl.so.2 where the
   loader finds it.
*/
#pragma once

#include "api.hpp"
#include <petscsys.h>
#include <string>

namespace heptane
{

struct NcclLibrary {
  static constexpr int least = 21900; /* as NCCL counts: 2.19.0 */

  NcclApi     call;
  int         version = 0;
  bool        on_host = false; /* that of the tests, which has the symbol nccl_on_host_name: for memory of the host */
  std::string Version() const { return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100); }
};

inline constexpr char nccl_library_option[] = "-heptane_nccl_library", nccl_on_host_name[] = "heptaneNcclOnHost";

/*
   Null where there is none that can be used, and *why. given: by the option, so that it is an error of the user. A
   library that was loaded stays loaded. Not collective: ranks may find different ones.
*/
PetscErrorCode NcclFind(const NcclLibrary **library, bool *given, std::string *why);

} // namespace heptane
