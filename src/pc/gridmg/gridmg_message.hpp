/*
   Memory on the host for what goes to another process or to the device: pinned where devices are to reach it.
*/
#pragma once

#include "../../device/space.hpp"
#include <petscsys.h>
#include <cstddef>
#include <memory>

namespace heptane
{

/* It grows when more is asked for */
class GridMessage {
public:
  PetscErrorCode Memory(Where where, std::size_t bytes, void **p);

private:
  std::size_t           size = 0;
  std::shared_ptr<void> memory;
};

} // namespace heptane
