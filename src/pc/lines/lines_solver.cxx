/*
   Lines as a preconditioner: see lines_solver.hpp. One class for both precisions.
*/
#include "lines_solver.hpp"
#include "../../metrics/metrics.hpp"
#include "lines_host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "lines_device.hpp"
#endif

namespace heptane
{

namespace
{

template <class Real>
class Solver final : public LineSolver {
public:
  PetscErrorCode Plan(const LinesPlaces &places, Scalar scale, bool on_device) override;
  PetscErrorCode Factor(const GridMatrix &A, GridReport *report) override;
  PetscErrorCode Apply(Vec x, Vec y) override;
  PcPasses      *Passes() override;

  bool        OnDevice() const override { return device; }
  std::size_t Bytes() const override { return memory.Size() * sizeof(Real); }
  double      Flops() const override { return 6.0 * S.places.B * S.places.B * (double)S.L.cells; }

private:
  DeclaredPass Cost() const
  {
    const double B = S.places.B;

    return {"lines solved", (3 * B * B * sizeof(Real) + 2 * B * sizeof(Scalar)) * (double)S.L.cells};
  }

  bool              device = false;
  std::uint64_t     number = 0; /* another one after each Plan() */
  LinesSystem<Real> S;
  Buffer<Real>      memory;
  LinesArrays       arrays;
#if PetscDefined(HAVE_CUDA)
  Buffer<GridReport> report_of{1};

  struct Launched final : PcPasses {
    const Solver *of = nullptr;

    cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override
    {
      const MetricsPass metrics(true, [&] { return of->Cost(); });

      return launch_lines_apply(of->S, r, z, stream);
    }
    Stamp  Signature() const override { return Stamp::Of(of->number); }
    int    Launches() const override { return 1; }
    double Flops() const override { return of->Flops(); }
  } passes;
#endif
};

/* Blocks across have no values: x lies in their room, 4 B^2 numbers per cell, and is never read as another type */
template <class Real>
PetscErrorCode Solver<Real>::Plan(const LinesPlaces &places, Scalar scale, bool on_device)
{
  const std::size_t B = (std::size_t)places.B;

  static_assert(sizeof(Scalar) <= 4 * sizeof(Real), "x fits where blocks across would be");

  PetscFunctionBegin;
  device   = on_device;
  number   = Stamp::NewNumber();
  S.places = places;
  S.scale  = scale;
  S.L      = lines_level<Real>(places);
  memory.Free();
  memory.Resize(grid_slots * B * B * S.L.cells);
  PetscCall(memory.Zeros(device ? Where::device : Where::host, &S.L.coef));
  S.line   = lines_level<Scalar>(places);
  S.line.x = reinterpret_cast<Scalar *>(S.L.coef + static_cast<std::size_t>(S.L.stored(grid_west)) * B * B * S.L.cells);
#if PetscDefined(HAVE_CUDA)
  if (device && S.L.cells) { /* kernels are loaded before a stream records them: with zeros */
    Buffer<Scalar> vectors(2 * B * S.L.cells);
    Scalar        *zero;
    cudaStream_t   stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(vectors.Zeros(Where::device, &zero));
    const MetricsPass metrics(true, [&] { return Cost(); });
    PetscCallCUDA(launch_lines_apply(S, zero, zero + B * S.L.cells, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode Solver<Real>::Factor(const GridMatrix &A, GridReport *report)
{
  GridMatrix scaled = A;

  PetscFunctionBegin;
  scaled.scale = S.scale;
  if (!device) lines_setup_host(scaled, S, report);
#if PetscDefined(HAVE_CUDA)
  else {
    const GridReport clean;
    GridReport      *note;
    cudaStream_t     stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(report_of.Memory(Where::device, &note));
    PetscCallCUDA(cudaMemcpyAsync(note, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    PetscCallCUDA(launch_lines_setup(scaled, S, note, stream));
    PetscCall(CopyToHost(report, note, 1)); /* whoever asks next whether the set-up failed is on the host */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode Solver<Real>::Apply(Vec x, Vec y)
{
  const MetricsPass metrics(device, [&] { return Cost(); });
  const Scalar     *from;
  Scalar           *to;

  PetscFunctionBegin;
  PetscCall(arrays.Begin(x, y, device, false, &from, &to));
  if (!device) {
    lines_apply_host(S, from, to);
    PetscCall(PetscLogFlops(Flops()));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    PetscCallCUDA(launch_lines_apply(S, from, to, stream));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(Flops()));
  }
#endif
  PetscCall(arrays.End(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PcPasses *Solver<Real>::Passes()
{
#if PetscDefined(HAVE_CUDA)
  if (device) {
    passes.of = this;
    return &passes;
  }
#endif
  return nullptr;
}

} // namespace

std::unique_ptr<LineSolver> LineSolver::Make(bool single)
{
  if (single) return std::make_unique<Solver<float>>();
  return std::make_unique<Solver<double>>();
}

} // namespace heptane
