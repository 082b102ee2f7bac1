/*
   Cache sizes, as the system reports them.
*/
#include "host_caches.hpp"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <unistd.h>

namespace heptane
{

namespace
{

std::string word_of(const std::string &file)
{
  std::ifstream in(file);
  std::string   word;

  in >> word;
  return word;
}

std::size_t known(long bytes)
{
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

HostCaches ask()
{
  HostCaches       c;
  const HostCaches read = read_host_caches("/sys/devices/system/cpu/cpu0/cache");

#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  c.first  = known(sysconf(_SC_LEVEL1_DCACHE_SIZE));
  c.second = known(sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  if (!c.first) c.first = read.first;
  if (!c.second) c.second = read.second;
  return c;
}

} // namespace

std::size_t cache_bytes(const std::string &text)
{
  std::size_t digits = 0, bytes = 0;

  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) && digits < 9) bytes = 10 * bytes + (text[digits++] - '0');
  const std::string unit = text.substr(digits);

  if (unit == "K") return bytes << 10;
  if (unit == "M") return bytes << 20;
  return unit.empty() ? bytes : 0;
}

HostCaches read_host_caches(const std::string &folder)
{
  constexpr int most = 8;
  HostCaches    c;

  for (int k = 0; k < most; k++) {
    const std::string of = folder + "/index" + std::to_string(k) + "/", level = word_of(of + "level"), type = word_of(of + "type");

    if (level == "1" && type == "Data") c.first = cache_bytes(word_of(of + "size"));
    if (level == "2" && type != "Instruction") c.second = cache_bytes(word_of(of + "size"));
  }
  return c;
}

const HostCaches &host_caches()
{
  static const HostCaches caches = ask();

  return caches;
}

std::size_t tile_rows(const HostCaches &caches, std::size_t tuned, std::size_t tuned_bytes, std::size_t unit)
{
  /* beyond these bounds a single tile would be the whole pass, or its overhead would dominate; guess */
  const std::size_t rows = caches.second ? std::clamp(tuned * caches.second / tuned_bytes, tuned / 4, tuned * 8) : tuned;

  return std::max<std::size_t>(rows / unit, 1) * unit;
}

} // namespace heptane
