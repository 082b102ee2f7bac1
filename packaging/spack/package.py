# Spack recipe of heptane: copy this folder to packages/heptane of a repository of yours
# (spack repo create; spack repo add), then
#   spack install --only dependencies heptane +cuda cuda_arch=90
#   spack install --no-checksum heptane +cuda cuda_arch=90
# in a folder that holds heptane-0.1.0.tar.gz (git archive or python3 -m build --sdist makes it; no
# archive is published, so none has a checksum); `spack dev-build heptane@0.1.0` builds a checkout.
import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage
from spack_repo.builtin.build_systems.python import PythonPipBuilder

from spack.package import *


class Heptane(MakefilePackage, CudaPackage):
    """GPU sparse matrix formats and Krylov solvers that load into unmodified PETSc programs."""

    url = f"file://{os.getcwd()}/heptane-0.1.0.tar.gz"
    manual_download = True
    download_instr = f"{url} is missing: run Spack in the folder that holds the archive."

    license("BSD-2-Clause")

    version("0.1.0")

    variant("python", default=False, description="The Python package, with petsc4py")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("petsc@3.24:3.26 +shared+mpi ~complex")
    depends_on("mpi")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"petsc +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    depends_on("petsc ~cuda", when="~cuda")
    depends_on("cuda@12.4:", when="+cuda")

    extends("python", when="+python")
    depends_on("py-petsc4py", type=("build", "run"), when="+python")
    depends_on("py-pip", type="build", when="+python")
    depends_on("py-scikit-build-core@0.10:", type="build", when="+python")
    depends_on("cmake@3.18:", type="build", when="+python")
    depends_on("pkgconfig", type="build", when="+python")
    depends_on("py-scipy", type=("build", "run"), when="+python")

    conflicts(
        "cuda_arch=none", when="+cuda", msg="name the GPU's architecture, for example cuda_arch=90"
    )
    requires("platform=linux", msg="heptane is built on Linux")

    # compilers, flags and CUDA architectures are the ones of PETSc, whose recipe sets PETSC_DIR
    build_targets = ["lib", "tools", "examples"]

    @property
    def install_targets(self):
        return ["install", f"PREFIX={self.prefix}"]

    @run_after("install", when="+python")
    def install_python(self):
        with working_dir(self.stage.source_path):
            library = os.path.realpath(join_path("build", "libheptane.so"))
            pip(
                *PythonPipBuilder.std_args(self),
                f"--prefix={self.prefix}",
                f"-Ccmake.define.HEPTANE_BUILT={os.path.dirname(os.path.dirname(library))}",
                f"-Ccmake.define.PETSC_DIR={self.spec['petsc'].prefix}",
                ".",
            )

    def setup_run_environment(self, env):
        env.set("HEPTANE_LIB", join_path(self.prefix.lib, "libheptane.so"))
