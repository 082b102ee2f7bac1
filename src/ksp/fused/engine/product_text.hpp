/*
   Names of products in plans and metrics. D: point inverses, B: inverses of blocks.
*/
#pragma once

#include "../../../pass/pc_rows.hpp"
#include "plan.hpp"

namespace heptane
{

/* The matrix with M^-1 */
inline std::string matrix_text(const FusedPc &pc, const ProductText &text)
{
  if (is_folded(pc)) return text.folded;
  if (pc.form == FusedPc::point) return "D A";
  if (pc.form == FusedPc::blocks) return pc.source == FusedPc::matrix_diagonal ? "(I + B (A - D))" : "B A";
  return "A";
}

/* M^-1 (b - w), w = A u; c: M^-1 b */
inline std::string residual_text(const FusedPc &pc, const std::string &w, const std::string &u, const char *folded)
{
  if (is_folded(pc)) return std::string("(c - ") + folded + " " + u + ")";
  if (pc.form == FusedPc::called) return "z";
  if (pc.form == FusedPc::point) return "D (b - " + w + ")";
  if (pc.form == FusedPc::blocks) return pc.source == FusedPc::matrix_diagonal ? "(B (b - (A - D) " + u + ") - " + u + ")" : "B (b - " + w + ")";
  return "(b - " + w + ")";
}

template <class T>
std::string product_text(const FusedProductOf<T> &P, const ProductText &text)
{
  const std::string of =
    combines(P) ? text.before + residual_text(P.pc, std::string("A ") + text.u, text.u, text.folded) : matrix_text(P.pc, text) + " " + text.u;

  return std::string("product: ") + text.y + " = " + of + (number_of(P.sums) ? std::string(", sums ") + text.sums : "");
}

} // namespace heptane
