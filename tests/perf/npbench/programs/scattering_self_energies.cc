// The self-energies of electrons that scatter at phonons: sums of products of small matrices over eight indices.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs scattering_self_energies(Inputs& in) {
  const np::Array neigh_idx = in["neigh_idx"], dH = in["dH"], G = in["G"], D = in["D"];
  np::Array Sigma = in["Sigma"];
  const auto shape = G.shape(), d_shape = D.shape();
  const auto NB = neigh_idx.shape()[1], N3D = dH.shape()[2];
  for (std::int64_t k = 0; k < shape[0]; ++k)
    for (std::int64_t E = 0; E < shape[1]; ++E)
      for (std::int64_t q = 0; q < d_shape[0]; ++q)
        for (std::int64_t w = 0; w < d_shape[1]; ++w)
          for (std::int64_t i = 0; i < N3D; ++i)
            for (std::int64_t j = 0; j < N3D; ++j)
              for (std::int64_t a = 0; a < neigh_idx.shape()[0]; ++a)
                for (std::int64_t b = 0; b < NB; ++b) {
                  if (E - w < 0) continue;
                  const np::Array dHG = np::matmul(G(k, E - w, neigh_idx(a, b)), dH(a, b, i));
                  const np::Array dHD = dH(a, b, j) * D(q, w, a, b, i, j);
                  Sigma(k, E, a) += np::matmul(dHG, dHD);
                }
  return {{"Sigma", Sigma}};
}

static const Entry entry("scattering_self_energies", scattering_self_energies);
