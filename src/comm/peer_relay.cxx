/*
   Finds words for ranks on other nodes by their epochs, and sends them.
*/
#include "peer_relay.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <petsctime.h>

namespace heptane
{

namespace
{

std::vector<PeerRelay *> relays;

/* A wait of the host has no way to return an error: the flag, which the relay raises, ends it */
void meanwhile()
{
  if (PeerProgress() == PETSC_SUCCESS) return;
  for (PeerRelay *r : relays) r->Raise();
}

/* The values of words of this epoch, up to the first word that has another one; how many. Eight at a time: a load that acquires orders others behind it. */
int gather(const PeerWord *from, int count, std::uint64_t epoch, double to[])
{
  int i = 0;

  for (; i + 8 <= count; i += 8) {
    bool there = true;

    for (int j = 0; j < 8; j++) there = __atomic_load_n(&from[i + j].epoch, __ATOMIC_RELAXED) == epoch && there;
    if (!there) break;
    std::atomic_thread_fence(std::memory_order_acquire);
    for (int j = 0; j < 8; j++) __atomic_load(&from[i + j].value, &to[i + j], __ATOMIC_RELAXED);
  }
  for (; i < count; i++) {
    const PeerWord word = peer_load(from + i);

    if (word.epoch != epoch) break;
    to[i] = word.value;
  }
  return i;
}

} // namespace

PetscErrorCode PeerProgress()
{
  PetscFunctionBegin;
  for (PeerRelay *r : relays)
    if (r->Used()) PetscCall(r->Progress());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Create(MPI_Comm of, int number, const PeerMemory &all, std::size_t at)
{
  PetscFunctionBegin;
  comm    = of;
  tag     = number;
  memory  = all;
  flag_at = at;
#if PetscDefined(HAVE_CUDA)
  if (memory.side == Where::device) {
    int least, most;

    PetscCallCUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
    PetscCallCUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most));
  }
#endif
  for (int r = 0; r < memory.ranks; r++) {
    if (memory.nodes.here[r]) continue;
    away.emplace_back();
    Away &a = away.back();
    a.rank  = r;
    a.words = reinterpret_cast<const PeerWord *>(memory.at[r]);
    a.flag  = reinterpret_cast<const int *>(memory.at[r] + flag_at);
#if PetscDefined(HAVE_CUDA)
    a.inbox.stream = stream;
#endif
    PetscCall(a.inbox.Create(comm, r, tag, memory, flag_at));
  }
  relays.push_back(this);
  peer_meanwhile = meanwhile;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Free()
{
  PetscFunctionBegin;
  PetscCall(Begin(nullptr, 0, {}));
  relays.erase(std::find(relays.begin(), relays.end(), this));
  if (relays.empty()) peer_meanwhile = nullptr;
  for (Away &a : away) PetscCall(a.inbox.Free());
  away.clear();
#if PetscDefined(HAVE_CUDA)
  if (stream) (void)cudaStreamDestroy(stream);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Begin(const std::uint64_t counters[], std::size_t table, const std::vector<PeerAwayHalo> &halo)
{
  std::vector<long long> sent(memory.ranks, 0), coming(memory.ranks, 0);

  PetscFunctionBegin;
  used = false;
  for (Away &a : away) sent[a.rank] = a.messages;
  PetscCallMPI(MPI_Alltoall(sent.data(), 1, MPI_LONG_LONG, coming.data(), 1, MPI_LONG_LONG, comm));
  for (Away &a : away)
    while (a.inbox.Taken() < coming[a.rank]) PetscCall(a.inbox.Take());
  PetscCall(Flush(PETSC_MAX_REAL));
#if PetscDefined(HAVE_CUDA)
  if (stream) PetscCallCUDA(cudaStreamSynchronize(stream));
#endif
  PetscCallMPI(MPI_Barrier(comm)); /* nothing of the former user is stored behind what the new one stores */
  if (!counters) PetscFunctionReturn(PETSC_SUCCESS);
  grid   = table > 0;
  late   = false;
  blocks = 0;
  for (Away &a : away) {
    std::copy(counters, counters + PeerSums::most_sums, a.left);
    a.round   = counters[PeerSums::most_sums];
    a.number  = counters[PeerSums::most_sums + 1];
    a.sums[0] = a.sums[1] = PeerGrid::most_sums; /* nothing of them is to come */
    a.halo                = {};
    a.found = a.sent = 0;
    a.rounds         = 0;
    a.inbox.Begin();
    a.told = *a.flag != 0;
    for (const PeerAwayHalo &h : halo)
      if (h.rank == a.rank) a.halo = h;
  }
  used = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Progress()
{
  PetscFunctionBegin;
  for (Away &a : away) {
    PetscCall(SendSums(a));
    PetscCall(SendGrid(a));
    PetscCall(SendHalo(a));
    PetscCall(SendFlag(a));
    PetscCall(a.inbox.Take());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Flush(double seconds)
{
  PetscLogDouble begun, now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begun));
  for (bool more = used; more;) { /* a call of Progress() sends one message of a halo */
    long long before = 0, after = 0;

    for (const Away &a : away) before += a.messages;
    PetscCall(Progress());
    for (const Away &a : away) after += a.messages;
    more = after > before;
  }
  for (bool done = used && late; !done;) {
    PetscCall(Done(&done));
    if (used) PetscCall(PeerProgress()); /* others may wait likewise, for what another relay has */
    else
      for (Away &a : away) PetscCall(a.inbox.Take());
    PetscCall(PetscTime(&now));
    late = now - begun > seconds;
    if (late) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What Flush() waits for */
PetscErrorCode PeerRelay::Done(bool *done)
{
  PetscFunctionBegin;
  *done = true;
  for (Away &a : away) {
    if (used && a.inbox.Ghosts() < a.rounds * a.halo.coming) *done = false;
    for (auto &s : a.send) {
      int sent;

      PetscCallMPI(MPI_Test(&s->request, &sent, MPI_STATUS_IGNORE));
      if (!sent) *done = false;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PeerRelay::Raise()
{
  const int one = 1;

  (void)PeerMemoryWrite(memory, memory.rank, flag_at, sizeof(one), &one);
}

/* Those of a few sums are left at about the same time: what comes meanwhile goes with them */
PetscErrorCode PeerRelay::SendSums(Away &a)
{
  bool fresh[PeerSums::most_sums] = {}, more = true;

  PetscFunctionBegin;
  while (more) {
    more = false;
    for (int k = 0; k < PeerSums::most_sums; k++) {
      if (fresh[k] || peer_load(a.words + peer_slot(k, a.left[k] + 1, memory.rank)).epoch <= a.left[k]) continue;
      fresh[k] = more = true;
      a.left[k]++;
    }
  }
  for (int k = 0; k < PeerSums::most_sums; k++) {
    PeerPlaces places;

    if (!fresh[k]) continue;
    places.epoch  = a.left[k];
    places.offset = peer_slot(k, a.left[k], memory.rank);
    places.width  = 1;
    places.pitch  = PeerSums::most_ranks;
    for (; k + 1 < PeerSums::most_sums && fresh[k + 1] && a.left[k + 1] == places.epoch; k++) places.rows++;
    PetscCall(Send(a, places));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PeerWord *PeerRelay::GridPart(const Away &a, int k, std::uint64_t number) const
{
  PeerGrid G;

  G.ranks = memory.ranks;
  return a.words + PeerSums::words + peer_parts(G, k, number, 0, memory.rank);
}

/* How many sums of that number there are from `from` on, all blocks' parts of which are there */
int PeerRelay::GridSums(const Away &a, std::uint64_t number, int from) const
{
  int k = from;

  for (; k < PeerGrid::most_sums; k++) {
    const PeerWord *part = GridPart(a, k, number);
    int             b    = 0;

    while (b < blocks && peer_load(part + b).epoch == number) b++;
    if (b < blocks) break;
  }
  return k - from;
}

/*
   Sums over all blocks: all parts of this rank at once, of as many sums as are there; those of more sums follow as they come, also behind parts of the next number. Behind those of the one after next
   there are none: blocks of other ranks have had them by then.
*/
PetscErrorCode PeerRelay::SendGrid(Away &a)
{
  PeerGrid G;

  PetscFunctionBegin;
  if (!grid || !blocks) PetscFunctionReturn(PETSC_SUCCESS);
  G.ranks = memory.ranks;
  if (GridSums(a, a.number + 1, 0)) a.sums[++a.number & 1] = 0;
  for (std::uint64_t number = a.number; number + 1 >= a.number && number; number--) {
    int       *sent = &a.sums[number & 1];
    const int  sums = GridSums(a, number, *sent);
    PeerPlaces places;

    if (!sums) continue;
    places.epoch      = number;
    places.offset     = static_cast<int>(GridPart(a, *sent, number) - a.words);
    places.width      = blocks;
    places.rows       = sums;
    places.pitch      = peer_parts(G, 1, 0, 0, 0);
    places.copies     = PeerGrid::remote_copies;
    places.copy_pitch = peer_parts(G, 0, 0, 1, 0);
    *sent += sums;
    PetscCall(Send(a, places));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One message at most, so that what has come is stored meanwhile */
PetscErrorCode PeerRelay::SendHalo(Away &a)
{
  const std::uint64_t round = a.round + 1;
  const PeerWord     *from  = a.words + a.halo.first + (round & 1 ? a.halo.stride : 0);
  const int           end   = PetscMin(a.halo.words, a.sent + PeerPlaces::most);

  PetscFunctionBegin;
  if (!a.halo.words || peer_load(from + a.found).epoch != round) PetscFunctionReturn(PETSC_SUCCESS);
  if (!a.open) PetscCall(Open(a, &a.open));
  a.found += gather(from + a.found, end - a.found, round, a.open->Values() + a.found - a.sent);
  if (a.found < end) PetscFunctionReturn(PETSC_SUCCESS);
  a.open->Places()        = PeerPlaces();
  a.open->Places().epoch  = round;
  a.open->Places().offset = static_cast<int>(from + a.sent - a.words);
  a.open->Places().width  = end - a.sent;
  a.open->Places().halo   = end - a.sent;
  a.sent                  = end;
  if (end == a.halo.words) {
    a.round = round;
    a.rounds++;
    a.found = a.sent = 0;
  }
  PetscCall(Send(a, a.open));
  a.open = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A wait has failed here, or this rank cannot take part */
PetscErrorCode PeerRelay::SendFlag(Away &a)
{
  PetscFunctionBegin;
  if (a.told || !__atomic_load_n(a.flag, __ATOMIC_ACQUIRE)) PetscFunctionReturn(PETSC_SUCCESS);
  a.told = true;
  PetscCall(Send(a, PeerPlaces()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One that is not under way */
PetscErrorCode PeerRelay::Open(Away &a, Sent **message)
{
  PetscFunctionBegin;
  for (auto &sent : a.send) {
    int done = 0;

    if (sent.get() != a.open) PetscCallMPI(MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE));
    *message = sent.get();
    if (done) PetscFunctionReturn(PETSC_SUCCESS);
  }
  a.send.push_back(std::make_unique<Sent>());
  *message = a.send.back().get();
  (*message)->bytes.resize(sizeof(PeerPlaces) + PeerPlaces::most * sizeof(double));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Send(Away &a, const PeerPlaces &places)
{
  Sent *message;

  PetscFunctionBegin;
  PetscCall(Open(a, &message));
  message->Places() = places;
  for (int r = 0; r < places.rows; r++)
    for (int i = 0; i < places.width; i++) message->Values()[r * places.width + i] = a.words[places.offset + r * places.pitch + i].value;
  PetscCall(Send(a, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerRelay::Send(Away &a, Sent *message)
{
  const PeerPlaces &p = message->Places();

  PetscFunctionBegin;
  PetscCallMPI(
    MPI_Isend(message->bytes.data(), static_cast<int>(sizeof(p) + sizeof(double) * p.width * p.rows), MPI_BYTE, a.rank, tag, comm, &message->request));
  a.messages++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
