/*
   What passes tell the metrics (-heptane_metrics): what they are called and what they must move, around their launches or their loop on the host. Where the option was not given this is one
   branch, and nothing is made.
*/
#pragma once

#include <string>

namespace heptane
{

/* Whether -heptane_metrics was given */
extern bool metrics_on;

/* bytes: that a pass must read and write, each once, whatever caches do; NaN: nobody knows */
struct DeclaredPass {
  std::string text;
  double      bytes;
};

/* While it lives, kernels that are launched (or recorded into a graph) belong to the pass; on the host its life is the pass's time. Where several kernels are launched, the largest has the bytes. */
class MetricsPass {
public:
  /* declare(): the DeclaredPass, called where metrics are wanted alone */
  template <class F>
  MetricsPass(bool on_device, F declare) : open(metrics_on)
  {
    if (open) Begin(on_device, declare());
  }
  ~MetricsPass()
  {
    if (open) End();
  }
  MetricsPass(const MetricsPass &)            = delete;
  MetricsPass &operator=(const MetricsPass &) = delete;

private:
  static void Begin(bool on_device, const DeclaredPass &pass);
  static void End();

  const bool open;
};

/* For a kernel that makes as many rounds as it finds necessary, and so begins with a pass of 0 bytes: what these rounds were, known later */
void metrics_add_bytes(const std::string &text, double bytes);

} // namespace heptane
