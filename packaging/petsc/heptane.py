# PETSc's configure with heptane: copy this file to config/BuildSystem/config/packages of PETSc, then
#   ./configure --download-heptane=/path/heptane-0.1.0.tar.gz ... && make all check
# builds heptane after PETSc and installs it there. Programs load it with -dll_append $PETSC_DIR/$PETSC_ARCH/lib/libheptane.so
import config.package
import os

class Configure(config.package.Package):
  def __init__(self, framework):
    config.package.Package.__init__(self, framework)
    self.version                = '0.1.0'
    self.versionname            = 'HEPTANE_VERSION_MAJOR.HEPTANE_VERSION_MINOR.HEPTANE_VERSION_PATCH'
    self.versioninclude         = 'heptane.h'
    # no archive is published: --download-heptane= names one, which git archive or python3 -m build --sdist makes
    self.download               = ['heptane-'+self.version+'.tar.gz']
    self.buildLanguages         = ['Cxx']
    self.functions              = []
    self.includes               = []
    self.complex                = 0
    self.precisions             = ['single','double']
    self.skippackagewithoptions = 1
    self.useddirectly           = 0
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1
    return

  def setupDependencies(self, framework):
    config.package.Package.setupDependencies(self, framework)
    self.sharedLibraries = framework.require('PETSc.options.sharedLibraries',self)
    self.mpi             = framework.require('config.packages.MPI',self)
    self.blasLapack      = framework.require('config.packages.BlasLapack',self)
    self.cuda            = framework.require('config.packages.CUDA',self)
    self.scalartypes     = framework.require('PETSc.options.scalarTypes',self)
    self.deps            = [self.mpi,self.blasLapack]
    self.odeps           = [self.cuda]
    return

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('heptane is loaded at run time and needs a shared libpetsc: remove --with-shared-libraries=0')
    if self.scalartypes.scalartype == 'complex':
      raise RuntimeError('heptane needs real scalars: remove --with-scalar-type=complex or --download-heptane')
    # an installed PETSc is there only after make install
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB:
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      args   = 'PETSC_DIR='+prefix+' PETSC_ARCH='
    else:
      prefix = os.path.join(self.petscdir.dir,self.arch)
      args   = 'PETSC_DIR='+self.petscdir.dir+' PETSC_ARCH='+self.arch
    make = 'env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS ${OMAKE} ' + args + ' HEPTANE_NP=${MAKE_NP} '
    self.include = [os.path.join(prefix,'include')]
    self.lib     = [os.path.join(prefix,'lib','libheptane.so')]
    self.addPost(self.packageDir, [make + 'lib tools', make + 'install PREFIX=' + prefix])
    # an archive of pip's has no tests
    self.addMakeCheck(self.packageDir, 'test ! -d tests || ' + make + 'check')
    return self.installDir
