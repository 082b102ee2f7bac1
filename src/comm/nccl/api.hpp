/*
   The part of NCCL's C interface that heptane uses (nccl.h, 2.19 or newer), so that neither the build nor the start of
   a program needs NCCL. Values and layouts follow NCCL's binary interface.
*/
#pragma once

#include <climits>
#include <cstddef>

namespace heptane
{

using NcclComm   = void *; /* ncclComm_t */
using NcclStream = void *; /* cudaStream_t; of a library that works on the host: null */

struct NcclId {
  char internal[128];
};

/* ncclResult_t, ncclDataType_t, ncclRedOp_t */
enum NcclResult : int { nccl_success = 0, nccl_in_progress = 7 };
enum NcclType : int { nccl_float = 7, nccl_double = 8 };
enum NcclOp : int { nccl_sum = 0 };

/* ncclConfig_t up to the members of `version`; NCCL uses its defaults for undefined and for newer members */
struct NcclConfig {
  static constexpr int undefined = INT_MIN;

  std::size_t  size      = sizeof(NcclConfig);
  unsigned int magic     = 0xcafebeef;
  unsigned int version   = 21700; /* 2.17.0 */
  int          blocking  = 0;     /* calls return nccl_in_progress instead of waiting for other ranks */
  int          cga_size  = undefined;
  int          least_cta = undefined;
  int          most_cta  = undefined;
  const char  *net       = nullptr;
};

struct NcclApi {
  int (*GetVersion)(int *version);
  int (*GetUniqueId)(NcclId *id);
  int (*CommInitRankConfig)(NcclComm *comm, int ranks, NcclId id, int rank, NcclConfig *config);
  int (*CommFinalize)(NcclComm comm);
  int (*CommDestroy)(NcclComm comm);
  int (*CommAbort)(NcclComm comm);
  int (*CommGetAsyncError)(NcclComm comm, int *result);
  const char *(*GetErrorString)(int result);
  const char *(*GetLastError)(NcclComm comm);
  int (*AllReduce)(const void *from, void *to, std::size_t count, int type, int op, NcclComm comm, NcclStream stream);
  int (*Send)(const void *from, std::size_t count, int type, int rank, NcclComm comm, NcclStream stream);
  int (*Recv)(void *to, std::size_t count, int type, int rank, NcclComm comm, NcclStream stream);
  int (*GroupStart)();
  int (*GroupEnd)();
};

} // namespace heptane
