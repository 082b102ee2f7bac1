/*
   The interface of passes to the metrics (-heptane_metrics): a pass declares its name and the bytes that it must move,
   around its launches or its loop on the host. Without the option this costs one branch and allocates nothing.
*/
#pragma once

#include <string>

namespace heptane
{

/* Whether -heptane_metrics was given */
extern bool metrics_on;

/* bytes: that a pass must read and write, each once, regardless of caches; NaN: unknown */
struct DeclaredPass {
  std::string text;
  double      bytes;
};

/*
   During its lifetime, kernels that are launched (or recorded into a graph) belong to the pass; on the host its
   lifetime is the pass's time. With several kernels, the bytes are assigned to the largest.
*/
class MetricsPass {
public:
  /* declare(): returns the DeclaredPass, called only if metrics are on */
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

/*
   For a kernel with a number of rounds that is known only afterwards, whose pass begins with 0 bytes: the bytes of
   these rounds
*/
void metrics_add_bytes(const std::string &text, double bytes);

} // namespace heptane
