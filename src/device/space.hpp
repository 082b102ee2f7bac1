/*
   The two memories that arrays lie in and products run on.
*/
#pragma once

namespace heptane
{

enum class Where { host, device };

} // namespace heptane
