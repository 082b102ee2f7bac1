/*
   The part of a window that belongs to one user, such as a matrix or a solver: its sums, and the exchange of its
   ghosts, made from plain lists.
*/
#pragma once

#include "../device/buffer.hpp"
#include "peer_grid.hpp"
#include "peer_halo.hpp"
#include "peer_options.hpp"
#include "peer_window.hpp"
#include <vector>

namespace heptane
{

/*
   The exchange of one rank in a product. Neighbours: every rank that it sends to or receives from, ascending. Its
   ghosts are numbered by neighbours in this order; a neighbour sends in the order of the receiver's ghosts.
*/
struct PeerLists {
  std::vector<int> rank;     /* [neighbours] */
  std::vector<int> sends;    /* [neighbours], values to each */
  std::vector<int> receives; /* [neighbours], ghosts from each */
  std::vector<int> send_row; /* [sum of sends], own rows */
};

/* The sent values by row: list entry k is row[k], sent to target[first[k]], ... (see peer_target()) */
struct PeerSent {
  std::vector<int> row, first, target;
};

class PeerLink {
public:
  /*
     Collective. grid: with the table of Grid(), the same on all ranks. If ranks cannot write into each other's memory,
     the link is not usable, and *why is the reason, the same on all ranks. Lists that contradict each other are an
     error on all ranks.
  */
  PetscErrorCode Create(MPI_Comm comm, Where side, const PeerLists &lists, double seconds, std::string *why, bool grid = false);
  bool           Usable() const { return static_cast<bool>(window); }
  /*
     Sets the ghosts that the rows of this rank read, by default all. The end of a round includes a wait for the
     neighbours whose ghosts its rows do not read.
  */
  PetscErrorCode RowsRead(const std::vector<int> &ghosts);
  /* A wait has exceeded its limit, on any rank; on the device as of the last Check() */
  bool Failed() const { return window && (window->Side() == Where::host ? peer_failed(sums.limit) != 0 : known); }
  /*
     The error of a wait that has failed. It fails on all ranks, so that no rank continues by itself. Device: called
     after the passes have ended
  */
  PetscErrorCode Check() const;
  /* The same if the flag of the window has been copied to the host already */
  PetscErrorCode Check(int failed) const;
  /* For Failed(), if an error of another link is reported first and a later user of this one needs the information */
  void Know(int failed) const { known = known || failed; }
  /* For a rank that cannot take part: all ranks fail immediately */
  PetscErrorCode Fail() const;
  /* For kernels and host loops of Side(), while this object exists */
  PeerSums          Sums() const { return sums; }
  PeerSums         *SumsOnDevice() const { return sums_there.At(Where::device); }
  PeerHalo          Halo() const { return halo; }
  const PeerHalo   *Halos() const { return &halo; }
  const PeerSent   &Sent() const { return sent; }
  PeerGrid          Grid() const; /* without the numbers of blocks */
  const PeerWindow &Window() const { return *window; }

private:
  PetscErrorCode MakeHalo(MPI_Comm comm, const PeerLists &lists);
  PetscErrorCode WaitFor(const std::vector<int> &words); /* at the end of a round */
  void           ListSent(const std::vector<int> &rows, const std::vector<PeerNeighbour> &to);

  std::shared_ptr<PeerWindow> window;
  Buffer<int>                 send_row, other;
  Buffer<PeerNeighbour>       neighbour;
  PeerSums                    sums;
  Buffer<int *>               failed_flags; /* PeerLimit */
  Buffer<unsigned>            arrived{1};   /* PeerHalo */
  Buffer<PeerSums>            sums_there;
  double                      limit = 0; /* seconds */
  PeerHalo                    halo;
  PeerSent                    sent;
  std::vector<int>            begin, empty;  /* the first ghost of each neighbour that has ghosts, and their end; empty words */
  std::size_t                 table = 0;     /* words of Grid(), between the words of the sums and of the halo */
  mutable bool                known = false; /* that a wait has failed */
};

} // namespace heptane
