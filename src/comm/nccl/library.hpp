/*
   NCCL's library, searched at first use: the file of -heptane_nccl_library, else libnccl.so.2 in the loader's paths.
*/
#pragma once

#include "api.hpp"
#include <petscsys.h>
#include <string>

namespace heptane
{

struct NcclLibrary {
  static constexpr int least = 21900; /* NCCL's code of 2.19.0 */

  NcclApi call;
  int     version = 0;
  /* Libraries of the tests, by a symbol that they have: for host memory; for processes that share a GPU */
  bool        on_host = false, shares_gpus = false;
  std::string Version() const { return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100); }
};

inline constexpr char nccl_library_option[] = "-heptane_nccl_library", nccl_on_host_name[] = "heptaneNcclOnHost",
                      nccl_shares_gpus_name[] = "heptaneNcclSharesGpus";

/*
   Null if there is no usable library, and *why. given: by the option, so that failure is an error of the user. A
   library that was loaded stays loaded. Not collective: ranks may find different libraries.
*/
PetscErrorCode NcclFind(const NcclLibrary **library, bool *given, std::string *why);

} // namespace heptane
