/*
   Block sizes whose fused kernels are compiled in; the others take the general path.
*/
#pragma once

#include <type_traits>

namespace heptane
{

/* f(std::integral_constant<int, B>), B = 0: the general path */
template <class F>
void with_fused_block(int block, F &&f)
{
  switch (block) {
  case 1:
    f(std::integral_constant<int, 1>{});
    break;
  case 2:
    f(std::integral_constant<int, 2>{});
    break;
  case 3:
    f(std::integral_constant<int, 3>{});
    break;
  case 4:
    f(std::integral_constant<int, 4>{});
    break;
  case 5:
    f(std::integral_constant<int, 5>{});
    break;
  case 6:
    f(std::integral_constant<int, 6>{});
    break;
  case 8:
    f(std::integral_constant<int, 8>{});
    break;
  default:
    f(std::integral_constant<int, 0>{});
  }
}

} // namespace heptane
