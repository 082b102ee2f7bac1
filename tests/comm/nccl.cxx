/*
   Sums and halos by NCCL between processes, with the library of the tests (tests/mock_nccl) on the host: values and bits,
   communicators that come and go, ranks that fail or do not come. Prints "ok NAME" or "not ok NAME".
     -turns N: so many communicators after each other; -broken: a call of a rank fails or is lost, as MOCK_NCCL_BREAK says; -refused TEXT: ranks are not joined, because of TEXT
*/
#include "comm/nccl/halo.hpp"
#include "parts.hpp"
#include "window.hpp"
#include <dlfcn.h>
#include <map>
#include <random>

using namespace heptane;

namespace
{

using Link = std::shared_ptr<NcclLink>;

PetscErrorCode join(MPI_Comm comm, double seconds, Link *link)
{
  std::string why;

  PetscFunctionBegin;
  PetscCall(NcclLink::Get(comm, side, seconds, link, &why));
  PetscCheck(*link, PETSC_COMM_SELF, PETSC_ERR_LIB, "Not joined: %s", why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode sums(NcclLink &link, int of_ranks, int own, int rounds, bool *good)
{
  PetscFunctionBegin;
  *good = true;
  for (int round = 0; round < rounds; round++) {
    const int count = 1 + round % 4;
    Scalar    part[4], sum[4] = {}, expected[4] = {};

    for (int k = 0; k < count; k++) {
      part[k] = static_cast<Scalar>(part_of(own, k, static_cast<std::uint64_t>(round)));
      for (int r = 0; r < of_ranks; r++) expected[k] += static_cast<Scalar>(part_of(r, k, static_cast<std::uint64_t>(round)));
    }
    PetscCall(link.Sum(part, sum, count, nullptr));
    *good = *good && std::equal(sum, sum + count, expected);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Pairs of ranks with any number of values in one direction or both, which all ranks draw alike; in each second turn rows
   that follow each other, which are also sent without being packed
*/
PetscErrorCode halos(const Link &link, bool *good)
{
  std::mt19937 random(7);

  PetscFunctionBegin;
  *good = true;
  for (int turn = 0; turn < 20; turn++) {
    std::map<std::pair<int, int>, int> values;
    PeerLists                          lists;
    NcclHalo                           halo;
    std::vector<Scalar>                expected, u;
    const auto                         row   = [turn](int to, int k) { return turn % 2 ? k % 7 : 3 * to + k; };
    const auto                         value = [turn](int from, int of) { return static_cast<Scalar>(10000 * turn + 100 * from + of); };
    const auto                         came = [&] { return halo.Ghosts() == expected.size() && std::equal(expected.begin(), expected.end(), halo.Received()); };

    for (int from = 0; from < ranks; from++)
      for (int to = 0; to < ranks; to++)
        if (from != to && random() % 3) values[{from, to}] = static_cast<int>(random() % (turn % 4 ? 50 : 5000));
    for (int other = 0; other < ranks; other++) {
      const int sends = values[{rank, other}], receives = values[{other, rank}];
      if (!sends && !receives) continue;
      lists.rank.push_back(other);
      lists.sends.push_back(sends);
      lists.receives.push_back(receives);
      for (int k = 0; k < sends; k++) lists.send_row.push_back(row(other, k));
      for (int k = 0; k < receives; k++) expected.push_back(value(other, row(rank, k)));
    }
    PetscCall(halo.Create(link, Where::host, lists, 3));
    for (std::size_t k = 0; k < halo.Sends(); k++) halo.Sent()[k] = value(rank, halo.Rows()[k]);
    PetscCall(halo.Exchange(nullptr, nullptr));
    *good = *good && came() && (halo.InRuns() || turn % 2);
    if (turn % 2) continue;
    for (int k = 0; k < 3 * ranks + 5000; k++) u.push_back(value(rank, k));
    std::fill_n(halo.Received(), halo.Ghosts(), Scalar(0));
    PetscCall(halo.Exchange(u.data(), nullptr));
    *good = *good && came();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode exchanges()
{
  Link     link, again, of_copy;
  MPI_Comm copy;
  bool     good;

  PetscFunctionBegin;
  PetscCall(join(world, 30, &link));
  PetscCall(sums(*link, ranks, rank, 400, &good));
  PetscCall(report("sums by NCCL have the bits of sums in the order of the ranks", good));
  PetscCall(halos(link, &good));
  PetscCall(report("halos by NCCL", good));
  PetscCall(join(world, 30, &again));
  PetscCallMPI(MPI_Comm_dup(world, &copy));
  PetscCall(join(copy, 30, &of_copy));
  PetscCall(report("one link for a communicator and its duplicates", again == link && of_copy == link));
  PetscCallMPI(MPI_Comm_free(&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL's communicators of this process */
PetscErrorCode comms(int *count)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, nccl_library_option, path, sizeof(path), NULL));
  const auto of_library = reinterpret_cast<int (*)()>(dlsym(dlopen(path, RTLD_NOW | RTLD_NOLOAD), "heptaneNcclComms"));
  PetscCheck(of_library, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", dlerror());
  *count = of_library();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many, one after the other, whose order of ranks is not that of `world`: each is gone with that of MPI */
PetscErrorCode nothing_grows(int turns)
{
  int  before, after;
  bool good = true;

  PetscFunctionBegin;
  PetscCall(comms(&before));
  for (int turn = 0; turn < turns; turn++) {
    MPI_Comm own;
    Link     link;
    bool     right;

    PetscCallMPI(MPI_Comm_split(world, 0, -rank, &own));
    PetscCall(join(own, 30, &link));
    PetscCall(sums(*link, ranks, ranks - 1 - rank, 1, &right));
    link.reset();
    PetscCallMPI(MPI_Comm_free(&own));
    PetscCall(comms(&after));
    good = good && right && after == before;
  }
  PetscCall(report("nothing grows", good, std::to_string(turns) + " communicators"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two at once, of different ranks, freed in another order than made; one outlives its communicator */
PetscErrorCode communicators(int turns)
{
  Link     outlives;
  bool     good = true, right, other;
  MPI_Comm kept;

  PetscFunctionBegin;
  for (int turn = 0; turn < turns; turn++) {
    MPI_Comm whole, half;
    Link     of_whole, of_half;

    PetscCallMPI(MPI_Comm_split(world, 0, -rank, &whole));
    PetscCallMPI(MPI_Comm_split(world, rank % 2, rank, &half));
    PetscCall(join(whole, 30, &of_whole));
    PetscCall(join(half, 30, &of_half));
    for (int k = 0; k < 3; k++) {
      PetscCall(sums(*of_half, (ranks + 1 - rank % 2) / 2, rank / 2, 2, &right));
      PetscCall(sums(*of_whole, ranks, ranks - 1 - rank, 2, &other));
      good = good && right && other;
    }
    of_whole.reset();
    if (turn % 2) of_half.reset();
    PetscCallMPI(MPI_Comm_free(&whole));
    PetscCallMPI(MPI_Comm_free(&half));
  }
  PetscCallMPI(MPI_Comm_split(world, 0, -rank, &kept));
  PetscCall(join(kept, 30, &outlives));
  PetscCallMPI(MPI_Comm_free(&kept));
  PetscCall(sums(*outlives, ranks, ranks - 1 - rank, 3, &right));
  PetscCall(report("communicators come and go", good && right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank ends with the error of PETSc within the limit, by Check(), as in a wait for a stream, or Agree(); then they are joined anew */
PetscErrorCode broken()
{
  const double   limit = 0.3;
  PetscLogDouble begun, ended;
  PetscErrorCode code = PETSC_SUCCESS;
  Link           link, next;
  bool           good;

  PetscFunctionBegin;
  PetscCall(join(world, limit, &link));
  PetscCall(PetscTime(&begun));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  for (int round = 0; round < 21 && !code; round++) code = round == 20 ? link->Agree() : round % 2 ? link->Check() : sums(*link, ranks, rank, 1, &good);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscTime(&ended));
  PetscCall(report("all ranks end with an error", code == PETSC_ERR_LIB && link->Failed() && ended - begun < 10 * limit));
  PetscCall(join(world, 30, &next));
  PetscCall(report("and are joined anew", next != link && next->Number() != link->Number()));
  link.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run()
{
  char        text[100];
  PetscInt    turns = 50;
  PetscBool   refused, breaks;
  Link        link;
  std::string why;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_dup(MPI_COMM_WORLD, &world));
  PetscCallMPI(MPI_Comm_size(world, &ranks));
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-refused", text, sizeof(text), &refused));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-broken", &breaks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-turns", &turns, NULL));
  if (refused) {
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    const PetscErrorCode code = NcclLink::Get(world, side, 1, &link, &why);
    PetscCall(PetscPopErrorHandler());
    PetscCall(report("ranks are not joined", !link && (code == PETSC_ERR_FILE_OPEN || why.find(text) != std::string::npos), why));
  } else if (breaks) PetscCall(broken());
  else {
    PetscCall(exchanges());
    PetscCall(communicators(static_cast<int>(PetscMin(turns, 50))));
    PetscCall(nothing_grows(static_cast<int>(turns)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int turn = 0; turn < 2; turn++) { /* `world` goes before PetscFinalize(), or after it */
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(run());
    if (turn == 0) PetscCallMPI(MPI_Comm_free(&world));
    PetscCall(PetscFinalize());
    if (turn == 1) MPI_Comm_free(&world);
  }
  MPI_Finalize();
  return failures ? 1 : 0;
}
