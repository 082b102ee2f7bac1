/*
   Longer than 250 lines: a library of one file that needs no other.
   NCCL's interface for tests: processes of one machine, joined by a file in /dev/shm.
   On memory of the host calls return ncclInProgress, and a thread carries them out after a random delay, the messages of
   a group in random pieces and order. No streams.
   With MOCK_NCCL_DEVICE on memory of GPUs, which processes may share: calls are queued in the stream, or recorded, as
   copies to and from the host and a function of the host between them.
   Environment: MOCK_NCCL_DELAY, us at most before some of the calls (default 50); MOCK_NCCL_VERSION;
   MOCK_NCCL_ABORT, duration of an abort in us; MOCK_NCCL_BREAK, "RANK:CALL[:WAY]": in that rank this call, counted from 0, is
   an error; lost: it is never made; down: from then on nothing moves between this rank and the next one, which both see;
   later: it is done, and an error is known after it.
*/
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>
#ifdef MOCK_NCCL_DEVICE
  #include <cuda_runtime_api.h>
#endif

namespace
{

enum { success = 0, system_error = 2, invalid = 4, remote_error = 6, in_progress = 7 };

struct Id {
  char name[128];
};

/* Bytes from one rank to another, in their order */
struct Pipe {
  static constexpr std::size_t room = 8192;
  std::atomic<std::uint64_t>   written, read;
  char                         bytes[room];
};

struct Shared {
  static constexpr int most = 16;
  std::atomic<int>     joined, ended;
  std::atomic<bool>    down[most];       /* the link from this rank to the next one */
  std::atomic<bool>    gone[most];       /* this rank has aborted: as with NCCL other ranks do not wait for it */
  Pipe                 pipe[most][most]; /* [from][to] */
};

struct Message {
  bool        sends;
  char       *at;
  std::size_t bytes;
  int         rank;
};

int number_of(const char *name, int otherwise)
{
  const char *const text = std::getenv(name);

  return text ? std::atoi(text) : otherwise;
}

std::atomic<int> made, ended;

struct Comm {
  Shared              *shared = nullptr;
  int                  ranks = 1, rank = 0, calls = 0;
  std::atomic<int>     state{success};
  std::atomic<bool>    aborted{false};
  std::thread          work;
  std::atomic<bool>    later{false}; /* see MOCK_NCCL_BREAK */
  std::vector<Message> group;        /* begun, not ended */
  std::mt19937         random;

  Comm() { made++; }
  ~Comm()
  {
    ended++;
    aborted = true;
    if (work.joinable()) work.join();
    if (shared) munmap(shared, sizeof(Shared));
  }
  unsigned Below(unsigned n) { return n ? static_cast<unsigned>(random()) % n : 0; }
  void     Delay()
  {
    const unsigned us = Below(static_cast<unsigned>(number_of("MOCK_NCCL_DELAY", 50)) + 1);

    if (us && !Below(16)) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }
  /* A part of a message; whether anything moved */
  bool Move(Message &m)
  {
    Pipe             &p       = m.sends ? shared->pipe[rank][m.rank] : shared->pipe[m.rank][rank];
    const std::size_t written = p.written.load(std::memory_order_acquire), read = p.read.load(std::memory_order_acquire);
    const std::size_t free = m.sends ? Pipe::room - (written - read) : written - read;
    const std::size_t some = std::min<std::size_t>({free, m.bytes, 1 + Below(4096)}), at = (m.sends ? written : read) % Pipe::room;
    const std::size_t piece = std::min(some, Pipe::room - at);

    if (!piece) return false;
    if (m.sends) {
      std::memcpy(p.bytes + at, m.at, piece);
      p.written.store(written + piece, std::memory_order_release);
    } else {
      std::memcpy(m.at, p.bytes + at, piece);
      p.read.store(read + piece, std::memory_order_release);
    }
    m.at += piece;
    m.bytes -= piece;
    return true;
  }
  bool Down(int other) const { return (shared->down[rank] && other == (rank + 1) % ranks) || (shared->down[other] && rank == (other + 1) % ranks); }
  /* Messages to one rank in their order, those to different ranks in any */
  int Exchange(std::vector<Message> messages)
  {
    while (!messages.empty()) {
      const std::size_t k     = Below(static_cast<unsigned>(messages.size()));
      const bool        first = std::none_of(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(k),
                                             [&](const Message &m) { return m.sends == messages[k].sends && m.rank == messages[k].rank; });

      if (aborted) return system_error;
      if (Down(messages[k].rank)) return remote_error;
      if (shared->gone[messages[k].rank]) {
        if (!messages[k].sends) std::memset(messages[k].at, 0, messages[k].bytes);
        messages[k].bytes = 0;
      }
      if (first && messages[k].bytes && !Move(messages[k])) std::this_thread::yield();
      if (!messages[k].bytes) messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return success;
  }
  /* Parts in the order of the ranks, so that all have the same bits */
  template <class T>
  int Sum(const T *from, T *to, std::size_t count)
  {
    std::vector<T>       part(count * static_cast<std::size_t>(ranks));
    std::vector<T>       own(from, from + count);
    std::vector<Message> messages;

    std::copy(own.begin(), own.end(), part.begin() + static_cast<std::ptrdiff_t>(count) * rank);
    for (int r = 0; r < ranks; r++) {
      if (r == rank) continue;
      messages.push_back({true, reinterpret_cast<char *>(own.data()), count * sizeof(T), r});
      messages.push_back({false, reinterpret_cast<char *>(part.data() + count * static_cast<std::size_t>(r)), count * sizeof(T), r});
    }
    const int result = Exchange(messages);

    for (std::size_t k = 0; k < count && result == success; k++) {
      T sum = part[k];
      for (int r = 1; r < ranks; r++) sum += part[k + count * static_cast<std::size_t>(r)];
      to[k] = sum;
    }
    return result;
  }
  /* A call is executed in its turn */
  int Execute(const std::function<int()> &call)
  {
    int               broken_rank = -1, broken_call = -1;
    char              way[8] = "";
    const char *const text   = std::getenv("MOCK_NCCL_BREAK");

    if (text) (void)std::sscanf(text, "%d:%d:%7s", &broken_rank, &broken_call, way);
    const std::string how = broken_rank == rank && calls == broken_call ? way : "none";

    calls++;
    Delay();
    if (how == "down") shared->down[rank] = true;
    while (how == "lost" && !aborted) std::this_thread::yield();
    if (how == "" || how == "lost") return system_error;
    const int result = call();

    if (how == "later") later = true;
    return result;
  }
  int Run(std::function<int()> call)
  {
    if (state == in_progress) return invalid; /* the caller has to wait for the call before */
    if (state != success) return state;
    if (work.joinable()) work.join();
    state = in_progress;
    work  = std::thread([=] { state = Execute(call); });
    return in_progress;
  }
#ifdef MOCK_NCCL_DEVICE
  /* Memory of the host for a call: of one that is recorded for ever, of another one until many more are made */
  char *Staged(std::size_t bytes, bool recorded)
  {
    static constexpr std::size_t half    = std::size_t(1) << 25;
    static char                 *memory  = nullptr;
    static std::size_t           used[2] = {0, 0};

    bytes = (bytes + 255) / 256 * 256;
    if (!memory && cudaMallocHost(reinterpret_cast<void **>(&memory), 2 * half) != cudaSuccess) return nullptr;
    if (used[recorded] + bytes > half && !recorded) used[0] = 0;
    if (used[recorded] + bytes > half) return nullptr;
    used[recorded] += bytes;
    return memory + (recorded ? half : 0) + used[recorded] - bytes;
  }
  struct Queued {
    Comm                *comm;
    std::function<int()> call;
  };
  static void Called(void *of)
  {
    const Queued *const q = static_cast<Queued *>(of);

    if (q->comm->state == success && !q->comm->aborted) q->comm->state = q->comm->Execute(q->call);
  }
  /* Messages whose addresses are on the device; call(): with theirs on the host */
  int Queue(std::vector<Message> messages, const std::function<int(const std::vector<Message> &)> &call, cudaStream_t stream)
  {
    cudaStreamCaptureStatus recorded = cudaStreamCaptureStatusNone;
    std::vector<Message>    host     = messages;
    cudaError_t             err      = cudaStreamIsCapturing(stream, &recorded);

    if (state != success) return state;
    for (std::size_t k = 0; k < host.size() && !err; k++) {
      host[k].at = Staged(host[k].bytes, recorded != cudaStreamCaptureStatusNone);
      if (!host[k].at) return system_error;
      if (host[k].sends) err = cudaMemcpyAsync(host[k].at, messages[k].at, host[k].bytes, cudaMemcpyDeviceToHost, stream);
    }
    if (!err) err = cudaLaunchHostFunc(stream, Called, new Queued{this, [=] { return call(host); }});
    for (std::size_t k = 0; k < host.size() && !err; k++)
      if (!host[k].sends) err = cudaMemcpyAsync(messages[k].at, host[k].at, host[k].bytes, cudaMemcpyHostToDevice, stream);
    return err ? static_cast<int>(system_error) : static_cast<int>(success);
  }
#endif
};

thread_local int   depth      = 0;
thread_local Comm *grouped    = nullptr;
thread_local void *grouped_in = nullptr; /* the stream */

std::size_t size_of(int type)
{
  return type == 8 ? sizeof(double) : sizeof(float);
}

int add_message(bool sends, void *at, std::size_t count, int type, int rank, Comm *comm)
{
  if (depth != 1 || rank < 0 || rank >= comm->ranks || rank == comm->rank || !count) return invalid;
  grouped = comm;
  comm->group.push_back({sends, static_cast<char *>(at), count * size_of(type), rank});
  return success;
}

} // namespace

#define MOCK_EXPORT extern "C" __attribute__((visibility("default")))

#ifdef MOCK_NCCL_DEVICE
MOCK_EXPORT void heptaneNcclSharesGpus()
#else
MOCK_EXPORT void heptaneNcclOnHost()
#endif
{}

/* Communicators of this process that there are now */
MOCK_EXPORT int heptaneNcclComms()
{
  return made - ended;
}

MOCK_EXPORT int ncclGetVersion(int *version)
{
  *version = number_of("MOCK_NCCL_VERSION", 22809);
  return success;
}

MOCK_EXPORT int ncclGetUniqueId(Id *id)
{
  static int made = 0;

  std::snprintf(id->name, sizeof(id->name), "/mock_nccl_%ld_%d", static_cast<long>(getpid()), made++);
  const int file = shm_open(id->name, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared))) return system_error;
  close(file);
  return success;
}

MOCK_EXPORT int ncclCommInitRankConfig(Comm **made, int ranks, Id id, int rank, const std::size_t *config)
{
  const unsigned *const words = reinterpret_cast<const unsigned *>(config + 1); /* magic, version, blocking */

  *made = nullptr;
  if (ranks > Shared::most || words[0] != 0xcafebeef || words[2] != 0) return invalid;
  const int file = shm_open(id.name, O_RDWR, 0600);
  if (file < 0) return system_error;
  void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return system_error;
  Comm *const comm = new Comm;
  comm->shared     = static_cast<Shared *>(memory);
  comm->ranks      = ranks;
  comm->rank       = rank;
  comm->random.seed(static_cast<unsigned>(getpid()));
  *made = comm;
  return comm->Run([comm, id] {
    if (comm->shared->joined.fetch_add(1) + 1 == comm->ranks) shm_unlink(id.name);
    while (comm->shared->joined < comm->ranks) {
      if (comm->aborted) return static_cast<int>(system_error);
      std::this_thread::yield();
    }
    return static_cast<int>(success);
  });
}

MOCK_EXPORT int ncclCommFinalize(Comm *comm)
{
  return comm->Run([comm] {
    comm->shared->ended++;
    while (comm->shared->ended < comm->ranks) {
      if (comm->aborted) return static_cast<int>(system_error);
      std::this_thread::yield();
    }
    return static_cast<int>(success);
  });
}

MOCK_EXPORT int ncclCommDestroy(Comm *comm)
{
#ifdef MOCK_NCCL_DEVICE
  comm->aborted = true; /* queued and recorded calls refer to it */
#else
  delete comm;
#endif
  return success;
}

MOCK_EXPORT int ncclCommAbort(Comm *comm)
{
  comm->shared->gone[comm->rank] = true;
  usleep(static_cast<useconds_t>(number_of("MOCK_NCCL_ABORT", 0)));
  return ncclCommDestroy(comm);
}

MOCK_EXPORT int ncclCommGetAsyncError(Comm *comm, int *result)
{
  *result = comm->state;
  if (comm->state == success && comm->later) comm->state = remote_error;
  return success;
}

MOCK_EXPORT const char *ncclGetErrorString(int result)
{
  return result == system_error ? "unhandled system error" : result == remote_error ? "remote process exited or there was a network error" : "invalid argument";
}

MOCK_EXPORT const char *ncclGetLastError(Comm *)
{
  return "of the tests";
}

template <class T>
int all_reduce(const void *from, void *to, std::size_t count, Comm *comm, [[maybe_unused]] void *stream)
{
#ifdef MOCK_NCCL_DEVICE
  const std::vector<Message> parts = {
    {true,  static_cast<char *>(const_cast<void *>(from)), count * sizeof(T), 0},
    {false, static_cast<char *>(to),                       count * sizeof(T), 0}
  };
  const auto sum = [=](const std::vector<Message> &at) { return comm->Sum(reinterpret_cast<const T *>(at[0].at), reinterpret_cast<T *>(at[1].at), count); };

  return comm->Queue(parts, sum, static_cast<cudaStream_t>(stream));
#else
  return comm->Run([=] { return comm->Sum(static_cast<const T *>(from), static_cast<T *>(to), count); });
#endif
}

MOCK_EXPORT int ncclAllReduce(const void *from, void *to, std::size_t count, int type, int op, Comm *comm, void *stream)
{
  if (depth || op || (type != 7 && type != 8)) return invalid;
  return type == 8 ? all_reduce<double>(from, to, count, comm, stream) : all_reduce<float>(from, to, count, comm, stream);
}

MOCK_EXPORT int ncclGroupStart()
{
  depth++;
  return success;
}

MOCK_EXPORT int ncclSend(const void *from, std::size_t count, int type, int rank, Comm *comm, void *stream)
{
  grouped_in = stream;
  return add_message(true, const_cast<void *>(from), count, type, rank, comm);
}

MOCK_EXPORT int ncclRecv(void *to, std::size_t count, int type, int rank, Comm *comm, void *stream)
{
  grouped_in = stream;
  return add_message(false, to, count, type, rank, comm);
}

MOCK_EXPORT int ncclGroupEnd()
{
  Comm *const comm = grouped;

  if (--depth || !comm) return success;
  grouped                             = nullptr;
  const std::vector<Message> messages = std::move(comm->group);
  comm->group.clear();
#ifdef MOCK_NCCL_DEVICE
  return comm->Queue(
    messages, [comm](const std::vector<Message> &at) { return comm->Exchange(at); }, static_cast<cudaStream_t>(grouped_in));
#else
  return comm->Run([comm, messages] { return comm->Exchange(messages); });
#endif
}
