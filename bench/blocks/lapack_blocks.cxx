/*
   LAPACK's factors, see lapack_blocks.hpp.
*/
#include "lapack_blocks.hpp"
#include <petscblaslapack.h>
#include <algorithm>
#include <vector>

namespace bench
{

namespace
{

class Blocks final : public LibraryBlocks {
public:
  // LAPACK's matrices are column by column
  Blocks(bool qr, const PetscScalar blocks[], PetscInt count, PetscBLASInt b) : qr_(qr), b_(b), square_(static_cast<size_t>(b) * b)
  {
    original_.resize(square_ * count);
    tau_.resize(static_cast<size_t>(count) * b);
    pivots_.resize(tau_.size());
    work_.resize(static_cast<size_t>(b) * 64);
    for (size_t first = 0; first < original_.size(); first += square_) {
      for (PetscBLASInt i = 0; i < b; i++) {
        for (PetscBLASInt s = 0; s < b; s++) original_[first + static_cast<size_t>(s) * b + i] = blocks[first + static_cast<size_t>(i) * b + s];
      }
    }
    factors_ = original_;
  }

  PetscErrorCode before() override
  {
    PetscFunctionBeginUser;
    std::copy(original_.begin(), original_.end(), factors_.begin());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call() override
  {
    const auto   size = static_cast<PetscBLASInt>(work_.size());
    PetscBLASInt info = 0;

    PetscFunctionBeginUser;
    for (size_t first = 0, row = 0; first < factors_.size() && !info; first += square_, row += b_) {
      if (qr_) LAPACKgeqrf_(&b_, &b_, &factors_[first], &b_, &tau_[row], work_.data(), &size, &info);
      else LAPACKgetrf_(&b_, &b_, &factors_[first], &b_, &pivots_[row], &info);
    }
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's %s says %d", qr_ ? "geqrf" : "getrf", static_cast<int>(info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode solve(PetscScalar p[]) override
  {
    const auto         size = static_cast<PetscBLASInt>(work_.size());
    const PetscBLASInt one  = 1;
    PetscBLASInt       info = 0;

    PetscFunctionBeginUser;
    for (size_t first = 0, row = 0; first < factors_.size() && !info; first += square_, row += b_) {
      if (qr_) {
        LAPACKormqr_("L", "T", &b_, &one, &b_, &factors_[first], &b_, &tau_[row], p + row, &b_, work_.data(), &size, &info);
        if (!info) LAPACKtrtrs_("U", "N", "N", &b_, &one, &factors_[first], &b_, p + row, &b_, &info);
      } else {
        LAPACKgetrs_("N", &b_, &one, &factors_[first], &b_, &pivots_[row], p + row, &b_, &info);
      }
    }
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's solve with the factors of %s says %d", qr_ ? "geqrf" : "getrf", static_cast<int>(info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override { return PETSC_SUCCESS; }

private:
  bool                      qr_;
  PetscBLASInt              b_;
  size_t                    square_; // values of a block
  std::vector<PetscScalar>  original_, factors_, tau_, work_;
  std::vector<PetscBLASInt> pivots_;
};

} // namespace

PetscErrorCode lapack_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<LibraryBlocks> *made)
{
  PetscBLASInt rows;

  PetscFunctionBeginUser;
  PetscCheck(name == "lapack-getrf" || name == "lapack-geqrf", PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s is unknown; expected lapack-getrf or lapack-geqrf",
             name.c_str());
  PetscCall(PetscBLASIntCast(b, &rows));
  *made = std::make_unique<Blocks>(name == "lapack-geqrf", blocks, count, rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
