/*
   Which systems are small on the host.
*/
#pragma once

namespace heptane
{

struct SmallTuning {
  static constexpr int rows = 256;
};

} // namespace heptane
