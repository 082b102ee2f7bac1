"""An iteration of CG on several GPUs as a dependency graph: kernels with measured times, and what sums and halo take by each way. Times in us, sizes in rows and values."""
import collections
import math

from .replay import Replay, parts

NODE = 8      # GPUs of a node
VALUE = 8     # bytes of a value
ITERATIONS = 8  # of a replay; the second half counts
PERSISTENT_ROWS = 2.16e6  # of a GPU, at most; with one sum per iteration on one GPU, and on several
ONE_SUM_ROWS = (270336, 135168)

# Fitted: one value each for all points of bench/scaling.tsv
KERNEL_US = 3.2      # of a kernel of a graph without rows: launch, first loads, sums over the GPU
EMPTY_US = 1.5       # of an empty kernel of a graph; of the rows that wait for others, behind the other rows of a product
PERSISTENT_US = 4.5  # of an iteration in one kernel without rows, with two sums over the GPU, and with one
ONE_SUM_US = 3.5
PETSC_US = 110.0     # of an iteration of PETSc's cg without rows: launches, three waits of the host
LAST_BLOCK_US = 1.6  # of a sum over several GPUs at the end of a kernel, whose last block waits for it

# Counted: bytes of vectors per row of an iteration with two sums, with one, with none exposed; part of the product in the bytes with two
VECTORS = {2: 64, 1: 72, 0: 104}
PRODUCT = 0.4


class Link(collections.namedtuple("Link", "sum_us step_us halo_us neighbour_us gbs")):
    """A way to exchange: a sum over two GPUs less a step, each doubling of GPUs; a halo, each neighbour of it; GB/s of values. Fitted."""


PEER = Link(0.2, 0.2, 0.6, 0.0, 80.0)  # words from memory to memory
NCCL = {"nvlink": Link(4.9, 1.6, 6.2, 0.0, 100.0), "shared memory": Link(3.0, 7.0, 15.0, 0.0, 27.0), "sockets": Link(24.0, 7.5, 45.0, 0.0, 1.75)}
MPI = Link(20.0, 0.0, 24.0, 0.0, 2.6)  # wait of the host, copy, message
PETSC = Link(0.0, 5.0, 23.0, 13.0, 5.2)  # beside PETSC_US

LOOPBACK = (4.0, math.inf)  # us of a message, GB/s: MPICH told to use no shared memory inside a host
# Given, not measured: us of a message, GB/s of a GPU
NETWORKS = {"2 us, 25 GB/s": (2.0, 25.0), "5 us, 12 GB/s": (5.0, 12.0)}

Case = collections.namedtuple("Case", "rows gpus halo neighbours nodes network", defaults=(1, 0, 0, 1, None))
Case.__doc__ = "rows: of each GPU; halo: values to each neighbour; network: us of a message and GB/s of a GPU, None inside a node"


class Exchange:
    """How sums and halo go. by: what is busy meanwhile, a thread of the host or a link; overlaps: rows without columns of others are multiplied meanwhile."""

    def __init__(self, link, by="halo", overlaps=False, rest_us=0.0, last_us=0.0):
        self.link, self.by, self.overlaps, self.rest_us, self.last_us = link, by, overlaps, rest_us, last_us

    def sum(self, case):
        inside = self.link.sum_us + self.last_us + self.link.step_us * math.log2(min(case.gpus, NODE))
        return inside + (case.network[0] * math.ceil(math.log2(case.nodes)) if case.network else 0.0)

    def halo(self, case):
        return self.link.halo_us + (case.network[0] if case.network else 0.0)

    def neighbour(self, case):
        return self.link.neighbour_us + 1e-3 * VALUE * case.halo / min(self.link.gbs, case.network[1] if case.network else math.inf)


class Ranks:
    """The GPUs of a replay: each of a row of slabs; alike: one stands for all, whose neighbours send when it sends."""

    def __init__(self, case, kernels, exchange, alike):
        self.case, self.kernels, self.exchange, self.replay = case, kernels, exchange, Replay()
        self.near = [[q for q in (r - 1, r + 1) if 0 <= q < case.gpus] for r in range(case.gpus)] if not alike else [[0] * case.neighbours]

    def run(self, name, *before):
        """A kernel on every GPU."""
        fixed, memory, kind = self.kernels[name]
        begun = [self.replay.add(("gpu", r), fixed, kind, [events[r] for events in before]) for r in range(len(self.near))]
        return [self.replay.add(("gpu", r), memory, "memory", [event]) for r, event in enumerate(begun)]

    def sum(self, before):
        """A sum over all GPUs, which ends on all of them at one time."""
        if self.case.gpus == 1:
            return before
        host = self.exchange.by == "host"
        own = [self.replay.add(("host", r) if host else None, self.exchange.sum(self.case), "sums", before) for r in range(len(before))]
        return [self.replay.add(None, 0.0, "sums", own)] * len(before)

    def halo(self, before):
        """The last value that each GPU receives from its neighbours, to each of which it sends one after the other."""
        if self.case.gpus == 1:
            return before
        if "pack" in self.kernels:
            before = self.run("pack", before)
        arrived = [[] for _ in before]
        for r, event in enumerate(before):
            event = self.replay.add((self.exchange.by, r), self.exchange.halo(self.case), "halo", [event])
            for q in self.near[r]:
                event = self.replay.add((self.exchange.by, r), self.exchange.neighbour(self.case), "halo", [event])
                arrived[q].append(event)
        return [max(events, key=lambda event: event.end, default=before[r]) for r, events in enumerate(arrived)]

    def product(self, before, halo):
        if self.case.gpus == 1 or not self.exchange.overlaps:
            return self.run("product", before, halo)
        inner = self.run("product", before)
        return [self.replay.add(("gpu", r), self.exchange.rest_us, "launches", [event, halo[r]]) for r, event in enumerate(inner)]


def two_sums(ranks, done):
    direction = ranks.run("direction", done)
    product = ranks.sum(ranks.product(direction, ranks.halo(direction)))
    return ranks.sum(ranks.run("residual", product))


def one_sum(ranks, done):
    return ranks.run("update", ranks.sum(ranks.product(done, ranks.halo(done))))


def none_exposed(ranks, done):
    """The sum travels while the product is formed."""
    total = ranks.sum(done)
    return ranks.run("update", ranks.product(done, ranks.halo(done)), total)


def in_kernel(ranks, done):
    """The halo of the next product is sent before the second sum."""
    halo = ranks.halo(done)
    product = ranks.sum(ranks.product(ranks.sum(done), halo))
    return ranks.run("residual", product)


def petsc(ranks, done):
    product = ranks.sum(ranks.product(done, ranks.halo(done)))
    norm = ranks.sum(ranks.run("residual", product))
    return ranks.sum(ranks.run("direction", norm))


def probe(ranks, done):
    """Empty kernels: there are no rows to multiply while the halo travels."""
    first = ranks.run("empty", done)
    product = ranks.sum(ranks.run("empty", ranks.halo(first)))
    return ranks.sum(ranks.run("empty", product))


class Kernels:
    """Times of kernels, from iterations measured on one GPU: {kind: [(rows, us), ...]}."""

    def __init__(self, measured):
        self.measured = {kind: sorted(points) for kind, points in measured.items()}

    def memory(self, kind, rows, fixed):
        """The time of an iteration less what it takes without rows: between two measured sizes a straight line, beyond the largest its rate."""
        points = [(0, fixed)] + [(n, us) for n, us in self.measured[kind] if us > fixed]
        upper = next((k for k, (n, _) in enumerate(points) if n >= rows), None)
        if upper is None:
            return (points[-1][1] - fixed) * rows / points[-1][0]
        if rows == points[upper][0]:
            return points[upper][1] - fixed
        (a, low), (b, high) = points[upper - 1:upper + 1]
        return low + (high - low) * (rows - a) / (b - a) - fixed

    def graph(self, rows, sums=2):
        memory = self.memory("graph", rows, 3 * KERNEL_US)
        vectors = (1 - PRODUCT) * memory
        return {"product": (KERNEL_US, PRODUCT * memory, "launches"), "update": (KERNEL_US, vectors * VECTORS[sums] / VECTORS[2], "launches"), "direction": (KERNEL_US, vectors / 2, "launches"),
                "residual": (KERNEL_US, vectors / 2, "launches")}

    def persistent(self, rows, sums=2):
        fixed = PERSISTENT_US if sums == 2 else ONE_SUM_US
        memory = self.memory("persistent" if sums == 2 else "one-sum", rows, fixed)
        half = (fixed / 2, memory / 2, "launches")
        return {"product": half, "residual": half, "update": half}

    def petsc(self, rows):
        memory = self.memory("petsc", rows, PETSC_US)
        return {name: (PETSC_US / 3, part * memory, "host") for name, part in (("product", 0.5), ("residual", 0.25), ("direction", 0.25))}


def replayed(method, case, kernels, exchange, alike=None):
    """Time of an iteration, and its parts by kind along the critical path. Of more than four GPUs one stands for all."""
    ranks = Ranks(case, kernels, exchange, case.gpus > 4 if alike is None else alike)
    done, ends = [ranks.replay.add(None, 0.0, "memory") for _ in ranks.near], []
    for _ in range(ITERATIONS):
        done = method(ranks, done)
        ends.append(max(done, key=lambda event: event.end))
    counted = ITERATIONS // 2
    return (ends[-1].end - ends[-1 - counted].end) / counted, {kind: us / counted for kind, us in parts(ends[-1 - counted], ends[-1]).items()}


def iteration(way, case, kernels, alike=None):
    """The replay of a way; None where it has no kernel for so many rows."""
    if way.endswith(", loopback"):
        return iteration(way[:-10], case._replace(network=LOOPBACK), kernels, alike)
    run = lambda *arguments: replayed(*arguments, alike)
    if way == "persistent":
        return run(in_kernel, case, kernels.persistent(case.rows), Exchange(PEER)) if case.rows <= PERSISTENT_ROWS else None
    if way == "one-sum":
        return run(one_sum, case, kernels.persistent(case.rows, 1), Exchange(PEER)) if case.rows <= ONE_SUM_ROWS[case.gpus > 1] else None
    if way == "graph":
        return run(two_sums, case, kernels.graph(case.rows), Exchange(PEER, overlaps=True, rest_us=EMPTY_US, last_us=LAST_BLOCK_US))
    if way == "mpi":
        return run(two_sums, case, kernels.graph(case.rows), Exchange(MPI, "host"))
    if way == "petsc":
        return run(petsc, case, kernels.petsc(case.rows), Exchange(PETSC, "host"))
    if way.startswith("probe "):
        return run(probe, case, {"empty": (EMPTY_US, 0.0, "launches")}, Exchange(NCCL[way[6:]]))
    sums = {"nccl": 2, "nccl, one sum": 1, "nccl, none exposed": 0}[way]
    packing = dict(kernels.graph(case.rows, sums), pack=(KERNEL_US, 0.0, "launches"))
    return run((none_exposed, one_sum, two_sums)[sums], case, packing, Exchange(NCCL["nvlink"]))
