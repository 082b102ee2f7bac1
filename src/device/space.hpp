/*
   The two memory spaces of arrays, on which products run.
*/
#pragma once

namespace heptane
{

enum class Where { host, device };

} // namespace heptane
