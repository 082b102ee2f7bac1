/*
   Cache sizes of the host's processor, and the rows of a tile derived from them. Has no PETSc objects.
*/
#pragma once

#include <cstddef>
#include <string>

namespace heptane
{

/* Bytes per core; 0: unknown */
struct HostCaches {
  std::size_t first = 0, second = 0; /* data cache; unified cache */
};

/* Read on first use: from the C library, else from `folder` of the Linux kernel */
const HostCaches &host_caches();
HostCaches        read_host_caches(const std::string &folder);
/* "48K", "2M", "512": 0 for any other text */
std::size_t cache_bytes(const std::string &text);

/*
   Rows of a tile that stays in the second-level cache while it is processed: `tuned` rows if the cache has tuned_bytes
   or is unknown, else in proportion; a multiple of unit, at least one
*/
std::size_t tile_rows(const HostCaches &caches, std::size_t tuned, std::size_t tuned_bytes, std::size_t unit);

} // namespace heptane
