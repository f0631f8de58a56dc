// QR decompositions of tall matrices, block of rows by block.
#pragma once

#include <utility>

#include "numeric/array_state.h"
#include "numeric/errors.h"

namespace pilum::numeric {

// TSQR: blocks of rows are decomposed on their own, their triangles, one upon the other, again, until one block is left
// (Demmel, Grigori, Hoemmen and Langou, "Communication-optimal parallel and sequential QR and LU factorizations", SIAM
// J. Sci. Comput. 34, 2012). Blocks depend on the shape alone, stay on the processor that has them, and fit into a
// core's cache and a GPU's shared memory; what moves between processors are triangles. Signs are those of LAPACK's
// geqrf, found from Q as Ballard et al. rebuild reflections ("Reconstructing Householder vectors from Tall-Skinny QR",
// IPDPS 2014).

// One matrix, not empty, in a dtype of LAPACK's, with rows for more than one block.
[[nodiscard]] bool is_tall(const Call& call, const Array& a);
// Q, (m, n), and R, (n, n). Without `has_q` Q is none.
[[nodiscard]] std::pair<Array, Array> tall_qr(const Call& call, const Array& a, bool has_q);

}  // namespace pilum::numeric
