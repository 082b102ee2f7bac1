/*
   Loads NCCL's library and looks up its functions.
*/
#include "library.hpp"
#include <dlfcn.h>
#include <map>

namespace heptane
{

namespace
{

struct Found {
  NcclLibrary library;
  std::string why; /* why it cannot be used; empty: it can */
};

template <class F>
bool look_up(void *handle, const char *name, F **function)
{
  *function = reinterpret_cast<F *>(dlsym(handle, name));
  return *function;
}

/* The first function that the library lacks; null: none */
const char *missing(void *handle, NcclApi *call)
{
#define HEPTANE_NCCL_FUNCTION(name) \
  if (!look_up(handle, "nccl" #name, &call->name)) return "nccl" #name;
  HEPTANE_NCCL_FUNCTION(GetVersion)
  HEPTANE_NCCL_FUNCTION(GetUniqueId)
  HEPTANE_NCCL_FUNCTION(CommInitRankConfig)
  HEPTANE_NCCL_FUNCTION(CommFinalize)
  HEPTANE_NCCL_FUNCTION(CommDestroy)
  HEPTANE_NCCL_FUNCTION(CommAbort)
  HEPTANE_NCCL_FUNCTION(CommGetAsyncError)
  HEPTANE_NCCL_FUNCTION(GetErrorString)
  HEPTANE_NCCL_FUNCTION(GetLastError)
  HEPTANE_NCCL_FUNCTION(AllReduce)
  HEPTANE_NCCL_FUNCTION(Send)
  HEPTANE_NCCL_FUNCTION(Recv)
  HEPTANE_NCCL_FUNCTION(GroupStart)
  HEPTANE_NCCL_FUNCTION(GroupEnd)
#undef HEPTANE_NCCL_FUNCTION
  return nullptr;
}

Found load(const std::string &path)
{
  Found       found;
  void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);

  if (!handle) {
    const char *const text = dlerror();

    found.why = text ? text : path + ": cannot be loaded";
    return found;
  }
  const char *const lacks = missing(handle, &found.library.call);

  if (lacks) found.why = path + " has no function " + lacks;
  else if (found.library.call.GetVersion(&found.library.version) != nccl_success) found.why = path + " does not tell its version";
  else if (found.library.version < NcclLibrary::least) found.why = path + " is NCCL " + found.library.Version() + ", 2.19 or newer is needed";
  found.library.on_host     = dlsym(handle, nccl_on_host_name) != nullptr;
  found.library.shares_gpus = dlsym(handle, nccl_shares_gpus_name) != nullptr;
  return found;
}

} // namespace

PetscErrorCode NcclFind(const NcclLibrary **library, bool *given, std::string *why)
{
  static std::map<std::string, Found> known;
  char                                path[PETSC_MAX_PATH_LEN];
  PetscBool                           set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, nccl_library_option, path, sizeof(path), &set));
  *given                 = set && path[0];
  const std::string name = *given ? path : "libnccl.so.2";
  auto              at   = known.find(name);

  if (at == known.end()) at = known.emplace(name, load(name)).first;
  *why     = at->second.why;
  *library = why->empty() ? &at->second.library : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
