/*
   Joins the declarations of passes, the launches within them, and the run times: rows per kernel and launch shape, and
   per pass. Uses neither PETSc nor CUDA.
*/
#pragma once

#include "metrics.hpp"
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heptane
{

/* A kernel by its mangled name, with its launch; grid 0: unknown */
struct KernelShape {
  std::string name;
  unsigned    grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};

  bool        operator<(const KernelShape &s) const;
  std::size_t Blocks() const { return std::size_t(1) * grid[0] * grid[1] * grid[2]; }
  int         Threads() const { return static_cast<int>(block[0] * block[1] * block[2]); }
};

/* One run of a kernel in a trace; times in nanoseconds, both 0 if they were lost */
struct KernelRun {
  KernelShape   shape;
  int           registers     = 0;
  long          static_shared = 0, dynamic_shared = 0, local = 0; /* bytes, of a block, of a block, of a thread */
  std::uint64_t begin = 0, end = 0;
  std::uint64_t queue = 0; /* kernels of one queue run one after the other */
};

/* Times of a repeated operation, us */
class Times {
public:
  void   Add(double us);
  double Median() const; /* of the first `kept` */
  double Typical()
    /*
       mean of the times within a factor of 4 of the median: excludes first launches, and launches after the end of a
       solve, which do no work
    */
    const;
  double Least() const { return least; }
  double Most() const { return most; }
  double Total() const { return total; }
  bool   Any() const { return !samples.empty(); }

private:
  static constexpr std::size_t kept = 1 << 16;
  std::vector<float>           samples;
  double                       least = NAN, most = NAN, total = 0;
};

struct KernelRow {
  KernelShape shape;
  int         registers     = 0;
  long        static_shared = 0, dynamic_shared = 0, local = 0;
  long long   launches = 0;
  Times       times;
  double      us    = NAN; /* of a launch: the divisor of bytes */
  double      bytes = NAN; /* V, of a launch */
  std::string pass;        /* the pass that launched it, empty if none was declared */
  const void *function   = nullptr;
  int         api_blocks = -1; /* resident blocks per multiprocessor according to CUDA, -1: not queried */
};

struct PassRow {
  std::string text;
  bool        device = false;
  long long   calls  = 0;
  double      bytes  = NAN; /* of a call */
  Times       times;        /* on the host */
};

class MetricsCollector {
public:
  void Begin(bool on_device, const DeclaredPass &pass, double seconds);
  void End(double seconds);
  void AddBytes(const std::string &text, double bytes);
  /* A kernel is launched or recorded, within the innermost pass if there is one. function: argument of the launch */
  void Launched(const KernelShape &shape, const void *function);
  /* Callable from another thread */
  void Ran(const KernelRun &run);

  std::vector<KernelRow> Kernels() const; /* of this library, by time */
  std::vector<PassRow>   Passes() const;  /* in the order of their names */
  long long              OthersLaunches() const { return others; }
  double                 OthersMicroseconds() const { return others_us; }

private:
  struct Open {
    DeclaredPass             pass;
    bool                     device;
    double                   begun;
    std::vector<KernelShape> launched;
  };
  struct Declared {
    double                bytes  = 0;
    long long             passes = 0;
    bool                  rounds = false; /* bytes are of all launches together: see AddBytes() */
    std::set<std::string> texts;
  };
  Declared Of(const KernelShape &shape) const;
  double   Microseconds(const KernelRun &run);

  std::vector<Open>                                 open;
  std::map<KernelShape, Declared>                   declared;
  std::map<std::string, KernelShape>                of_text; /* the kernel that a pass launched last */
  std::map<std::string, const void *>               functions;
  std::map<std::pair<std::string, double>, PassRow> passes;
  mutable std::mutex                                guard; /* of the members below */
  std::map<KernelShape, KernelRow>                  ran;
  std::map<std::uint64_t, std::uint64_t>            last_end; /* of a queue */
  long long                                         others    = 0;
  double                                            others_us = 0;
};

/* A kernel of this library */
bool is_library_kernel(const std::string &mangled);

/*
   Demangled, without return type, arguments and our namespace: step_kernel<CgUpdate, Pack<2>>. Unchanged if it is no
   mangled C++ name.
*/
std::string short_kernel_name(const std::string &mangled);

} // namespace heptane
