/*
   The caches of the host's processor, and how many rows of vectors tiles have by them. Knows no PETSc objects.
*/
#pragma once

#include <cstddef>
#include <string>

namespace heptane
{

/* Bytes for one core; 0: not known */
struct HostCaches {
  std::size_t first = 0, second = 0; /* of data; of both */
};

/* Read when first asked for: from the C library, where it does not know from `folder` of the Linux kernel */
const HostCaches &host_caches();
HostCaches        read_host_caches(const std::string &folder);
/* "48K", "2M", "512": 0 where it is something else */
std::size_t cache_bytes(const std::string &text);

/* Rows of a tile that is finished while it is in the second-level cache: `tuned` of them where that has tuned_bytes, or where nothing is known; a multiple of unit, one at least */
std::size_t tile_rows(const HostCaches &caches, std::size_t tuned, std::size_t tuned_bytes, std::size_t unit);

} // namespace heptane
