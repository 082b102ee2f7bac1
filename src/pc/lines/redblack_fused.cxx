/*
   The fused product of the Schur complement: see redblack_fused.hpp.
*/
#include "redblack_fused.hpp"
#include "../../pass/product_host.hpp"
#include "lines_host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "lines_device.hpp"
#endif

namespace heptane
{

namespace
{

/* One tile is all rows: red lines come first */
struct HostRows {
  static constexpr int no_diagonal = -1;
  const RedBlack      &R;

  int  rows() const { return static_cast<int>(R.of().at(R.B, 0, 0)); }
  int  tile() const { return rows(); }
  int  diagonal() const { return no_diagonal; }
  void multiply(const Scalar *x, int, int, int, Scalar *y) const
  {
    redblack_red_host(R, nullptr, x, nullptr);
    redblack_product_host(R, x, y);
  }
};

class Fused final : public FusedOperator {
public:
  Fused(const RedBlack &of, std::uint64_t n, double f) : R(of), number(n), flops(f) {}

  const char *Name() const override { return "Schur complement of columns"; }
  double      MatrixBytes() const override { return 7.0 * R.B * R.B * sizeof(Scalar) * static_cast<double>(R.exact.cells); }
  double      Flops() const override { return flops; }
  Stamp       Signature() const override { return Stamp::Of(number, R.exact.coef, R.beside.values); }
  void        Host(const FusedProduct &P, Scalar sums[4]) const override { product_host(HostRows{R}, P, sums); }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    const cudaError_t err = launch_redblack_red(R, nullptr, P, S, red.chained, nullptr, stream);

    return err != cudaSuccess ? err : launch_redblack_product(R, P, S, red, stream);
  }
#endif

private:
  RedBlack      R;
  std::uint64_t number;
  double        flops;
};

} // namespace

std::shared_ptr<FusedOperator> redblack_fused(const RedBlack &R, std::uint64_t number, double flops)
{
  auto op = std::make_shared<Fused>(R, number, flops);

  op->SetVersion(Stamp::NewNumber());
  return op;
}

} // namespace heptane
