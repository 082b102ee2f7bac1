#!/usr/bin/env python3
"""What a Python user writes: CG and BiCGStab with Jacobi in JAX, float64, jitted, a seven-point stencil by hand; on the problems gh-spd and gh-flow of bench/ksp.

usage: jax_solvers.py [--cases JxHxI:1,...] [--solvers cg,bcgs] [--iterations k] [--samples n] [--json FILE]

An iteration is what a solve of 2k iterations takes longer than one of k, over k, as in bench/ksp; each iteration looks at the norm of the residual, with a tolerance that
is never met. Then a solve to 1e-8, whose residual is computed in NumPy. With --json lines are appended that have the machine, the commit and the copy bandwidth of the last
line of FILE, so that they belong to the run of bench/ksp before: let that be of the same case.
"""
import argparse
import datetime
import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
try:
    import numpy as np
    import jax
    import jax.numpy as jnp
    from jax import lax
except ImportError as missing:
    sys.exit(f"jax_solvers.py: {missing}: install JAX (pip install jax, with a GPU jax[cuda13])")
jax.config.update("jax_enable_x64", True)

SEED = 1  # of bench/ksp
PROBLEMS = {"cg": "gh-spd", "bcgs": "gh-flow"}
MACHINE = ("copy_gbs", "gpu", "driver", "cuda", "cpu", "petsc", "mpi", "ranks", "gpus", "scalar_bytes", "index_bytes", "commit")


def mix(seed, index):
    """bench/common/random.hpp, for arrays"""
    with np.errstate(over="ignore"):
        z = np.asarray(seed, dtype=np.uint64) + (np.asarray(index, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniform(seed, index):
    return (mix(seed, index) >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


def coefficients(problem, n):
    """Of the neighbours before and after along I, H, J, each (I, H, J), zero where there is none, and of the diagonal: those of bench/common/problem.cxx"""
    J, H, I = n
    row = np.arange(I * H * J, dtype=np.int64).reshape(I, H, J)
    i, h, j = np.ogrid[:I, :H, :J]
    there = [np.broadcast_to(t, row.shape) for t in (i > 0, h > 0, j > 0, True, j < J - 1, h < H - 1, i < I - 1)]
    offsets = (-J * H, -J, -1, 0, 1, J, J * H)
    values, entry = [], np.zeros_like(row)
    for t, offset in zip(there, offsets):
        column = row + offset
        index = mix(np.minimum(row, column), np.maximum(row, column)) if problem == "gh-spd" else row * 7 + entry
        values.append(np.where(t, -0.1 - 0.9 * np.abs(uniform(SEED, index)), 0.0))
        entry = entry + t
    total = sum(np.abs(v) for k, v in enumerate(values) if k != 3)
    values[3] = 1.004 * total + 0.004
    return values


def product(A, x, xp=jnp):
    """Zeros around the grid; the coefficients that would read them are zero too"""
    I, H, J = x.shape
    p = xp.pad(x, 1)
    at = lambda i, h, j: p[i:i + I, h:h + H, j:j + J]
    return A[0] * at(0, 1, 1) + A[1] * at(1, 0, 1) + A[2] * at(1, 1, 0) + A[3] * x + A[4] * at(1, 1, 2) + A[5] * at(1, 2, 1) + A[6] * at(2, 1, 1)


@jax.jit
def cg(A, b, tolerance, most):
    inverse = 1 / A[3]
    limit = tolerance * tolerance * jnp.sum(b * b)

    def step(state):
        x, r, p, rz, _, k = state
        q = product(A, p)
        alpha = rz / jnp.sum(p * q)
        x, r = x + alpha * p, r - alpha * q
        z = inverse * r
        new, rr = jnp.sum(r * z), jnp.sum(r * r)
        return x, r, z + new / rz * p, new, rr, k + 1

    start = (jnp.zeros_like(b), b, inverse * b, jnp.sum(b * inverse * b), jnp.sum(b * b), 0)
    end = lax.while_loop(lambda s: (s[4] > limit) & (s[5] < most), step, start)
    return end[0], end[5]


@jax.jit
def bcgs(A, b, tolerance, most):
    inverse = 1 / A[3]
    limit = tolerance * tolerance * jnp.sum(b * b)

    def step(state):
        x, r, p, rho, _, k = state
        y = inverse * p
        v = product(A, y)
        alpha = rho / jnp.sum(b * v)
        s = r - alpha * v
        z = inverse * s
        t = product(A, z)
        omega = jnp.sum(t * s) / jnp.sum(t * t)
        x, r = x + alpha * y + omega * z, s - omega * t
        new, rr = jnp.sum(b * r), jnp.sum(r * r)
        return x, r, r + new / rho * alpha / omega * (p - omega * v), new, rr, k + 1

    start = (jnp.zeros_like(b), b, b, jnp.sum(b * b), jnp.sum(b * b), 0)
    end = lax.while_loop(lambda s: (s[4] > limit) & (s[5] < most), step, start)
    return end[0], end[5]


def timed(solve, A, b, iterations):
    start = time.perf_counter()
    jax.block_until_ready(solve(A, b, 0.0, iterations))
    return time.perf_counter() - start


def machine_of(path):
    """The keys of the last line of the file"""
    with open(path, encoding="utf-8") as f:
        last = json.loads(f.readlines()[-1])
    return {key: last[key] for key in MACHINE}


def measure(name, case, n, arguments):
    problem, solve, k = PROBLEMS[name], {"cg": cg, "bcgs": bcgs}[name], arguments.iterations
    host = coefficients(problem, n)
    A = tuple(jnp.asarray(a) for a in host)
    b = np.random.default_rng(7).uniform(-1, 1, host[3].shape)
    onto = jnp.asarray(b)
    for count in (k, 2 * k):
        timed(solve, A, onto, count)
    times = sorted(1e6 * (timed(solve, A, onto, 2 * k) - timed(solve, A, onto, k)) / k for _ in range(arguments.samples))
    x, iterations = solve(A, onto, 1e-8, 20000)
    residual = np.linalg.norm(b - product(host, np.asarray(x), np)) / np.linalg.norm(b)
    us = statistics.median(times)
    print(f"{case} {problem} {name} in JAX {jax.__version__} on {jax.devices()[0].device_kind}: {us:.1f} us per iteration; {iterations} iterations to 1e-8, true residual {residual:.1e}")
    error = "" if residual <= 1e-7 else f"the true residual is {residual:.1e}"
    if times[0] <= 0:
        error = "the noise of this machine is larger than an iteration: more --iterations"
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    nnz = int(sum(np.count_nonzero(a) for a in host))
    return {"suite": "ksp", "problem": problem, "case": case, "rows": b.size, "block": 1, "nnz": nnz, "what": "ksp_iteration", "ksp": "jax-" + name, "mat": "jax-stencil",
            "pc": "jacobi", "device": "cuda" if jax.default_backend() == "gpu" else "host", "us_median": us, "us_min": times[0], "us_max": times[-1], "samples": len(times),
            "bytes": None, "gbs": None, "verified": not error, "jax": jax.__version__, "date": now, **({"error": error} if error else {})}  # yapf: disable


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="64x64x64:1,100x100x100:1,160x160x160:1")
    parser.add_argument("--solvers", default="cg,bcgs")
    parser.add_argument("--iterations", type=int, default=64)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.iterations < 1 or arguments.samples < 1:
        parser.error("--iterations and --samples must be positive")
    cases = []
    for case in arguments.cases.split(","):
        extents, _, block = case.partition(":")
        n = [int(m) if m.isdigit() else 0 for m in extents.split("x")]
        if len(n) != 3 or min(n) < 1 or block != "1":
            parser.error(f"--cases {case}: give JxHxI:1, cells along the axes and one unknown per cell")
        cases.append((case, n))
    unknown = [name for name in arguments.solvers.split(",") if name not in PROBLEMS]
    if unknown:
        parser.error(f"--solvers {unknown[0]}: expected cg or bcgs")
    try:
        machine = machine_of(arguments.json) if arguments.json else None
    except (OSError, ValueError, KeyError, IndexError) as fault:
        sys.exit(f"jax_solvers.py: {arguments.json}: {fault}: let bench/ksp -json write a line of the same case there before")
    good = True
    for case, n in cases:
        for name in arguments.solvers.split(","):
            line = measure(name, case, n, arguments)
            good &= line["verified"]
            if not line["verified"]:
                print(f"jax_solvers.py: {case} {name}: {line['error']}", file=sys.stderr)
            if machine:
                with open(arguments.json, "a", encoding="utf-8") as f:
                    f.write(json.dumps(dict(line, **machine)) + "\n")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
