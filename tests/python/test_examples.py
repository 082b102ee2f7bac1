"""The examples of examples/python: each checks its own result."""
import shlex
import sys

import pytest
from conftest import MPIEXEC, ROOT

EXAMPLES = ROOT / "examples/python"


@pytest.mark.parametrize("program, printed", [
    (("poisson.py", "-n", "12"), "seqaijbdiagh, fusedcg, gridmg: 12^3 points"),
    (("own_csr.py", "-n", "2000"), "seqaijsellp, fusedbcgs: 2000 rows"),
    (("newton.py", "-n", "20"), "seqaijbdiagh, fusedcg, values in arrays of"),
], ids=lambda p: p[0] if isinstance(p, tuple) else "")
def test_example(run, program, printed):
    pytest.importorskip("scipy")
    done = run(sys.executable, EXAMPLES / program[0], *program[1:], "-use_gpu_aware_mpi", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert printed in done.stdout


@pytest.mark.parametrize("processes", [1, 2])
def test_several_processes(run, processes):
    pytest.importorskip("mpi4py")
    done = run(*shlex.split(MPIEXEC), "-n", processes, sys.executable, EXAMPLES / "several_gpus.py", "-n", "10", "-use_gpu_aware_mpi", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"fusedcg on {processes} processes" in done.stdout
