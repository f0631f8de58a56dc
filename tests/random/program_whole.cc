// What functions of whole arrays are in Python: of x, y, axis and k.
#include <stdexcept>

#include "tests/random/program.h"

namespace pilum::random_programs {
namespace {

struct Row {
  Op op;
  int arguments;
  const char* text;
};

constexpr Row kRows[] = {
    {Op::Flip, 1, "np.flip(x, axis).copy()"},
    {Op::Rot90, 1, "np.rot90(x, k).copy()"},
    {Op::Swapaxes, 1, "np.swapaxes(x, 0, axis).copy()"},
    {Op::Tril, 1, "np.tril(x, k - 4)"},
    {Op::Triu, 1, "np.triu(x, k - 4)"},
    {Op::Diagonal, 1, "np.diagonal(x, k - 4).copy()"},
    {Op::Diag, 1, "np.diag(x, k - 4).copy()"},
    {Op::Repeat, 1, "np.repeat(x, k % 4, axis)"},
    {Op::Tile, 1, "np.tile(x, (k % 3, 2))"},
    {Op::PadConstant, 1, "np.pad(x, (k % 3, k), constant_values=1)"},
    {Op::PadEdge, 1, "np.pad(x, (k % 3, k), \"edge\")"},
    {Op::PadWrap, 1, "np.pad(x, (k % 3, k), \"wrap\")"},
    {Op::PadReflect, 1, "np.pad(x, (k % 3, k), \"reflect\")"},
    {Op::PadSymmetric, 1, "np.pad(x, (k % 3, k), \"symmetric\")"},
    {Op::Resize, 1, "np.resize(x, (k, 7))"},
    {Op::Insert, 1, "np.insert(x, k, 2, axis)"},
    {Op::DeleteAt, 1, "np.delete(x, [0, k], axis)"},
    {Op::Append, 2, "np.append(x, y, axis)"},
    {Op::Stack, 2, "np.stack((x, y), axis)"},
    {Op::Dstack, 2, "np.dstack((x, y))"},
    {Op::ColumnStack, 2, "np.column_stack((x, y))"},
    {Op::Block, 2, "np.block([[x, y], [x, y]])"},
    {Op::Flatten, 1, "x.flatten()"},
    {Op::Compress, 1, "np.compress(np.arange(x.shape[axis]) % (k + 1) == 0, x, axis)"},
    {Op::Extract, 1, "x[x > k - 4]"},
    {Op::TakeAlong, 2, "np.take_along_axis(x, np.argsort(y, axis, stable=True), axis)"},
    {Op::Choose, 2, "np.choose(x > y, (x, y))"},
    {Op::Select, 2, "np.select((x > y, x < k), (x, y), 7)"},
    {Op::ArraySplit, 1, "np.array_split(x, 3, axis)[k % 3].copy()"},
    {Op::Moveaxis, 1, "np.moveaxis(x, 0, axis).copy()"},
    {Op::Vstack, 2, "np.vstack((x, y))"},
    {Op::Hstack, 2, "np.hstack((x, y))"},
    {Op::TakeClipped, 1, "np.take(x, np.arange(k) * 3 - 5, axis, mode=\"clip\")"},
    {Op::Piecewise, 1, "np.piecewise(x, [x < 0, x > k], [3, lambda v: v * 2, 1])"},
    {Op::Copyto, 2, "(z := x.copy(), np.copyto(z, y, where=x > k - 4))[0]"},
    {Op::FillDiagonal, 1, "(z := x.copy(), np.fill_diagonal(z, 2))[0]"},
    {Op::PickPairs, 1, "x[np.arange(2 * k) * 3 % x.shape[0], np.arange(2 * k) % x.shape[1]]"},
    {Op::DoublePicked, 1, "(z := x.copy(), i := np.arange(k) * 3 % len(z), z.__setitem__(i, z[i] * 2))[0]"},
    {Op::MultiplyAt, 1, "(z := np.ravel(x).copy(), np.multiply.at(z, np.arange(3 * k) * 5 % z.size, 2))[0]"},
    {Op::MaximumAt, 1, "(z := np.ravel(x).copy(), np.maximum.at(z, np.arange(3 * k) * 5 % z.size, k))[0]"},
    {Op::AddAt, 1, "(z := np.ravel(x).copy(), np.add.at(z, np.arange(3 * k) * 5 % z.size, 1))[0]"},
    {Op::PutAlong, 2, "(z := x.copy(), np.put_along_axis(z, np.argsort(x, axis, stable=True), y, axis))[0]"},
    {Op::Lexsort, 2, "np.lexsort((x, y), axis)"},
    {Op::Partition, 1, "np.sort(np.partition(x, k, axis), axis)"},
    {Op::Argpartition, 1, "np.argsort(x, axis, stable=True)"},
    {Op::Searchsorted, 2, "np.searchsorted(np.sort(x, None), y, \"right\" if k % 2 else \"left\")"},
    {Op::IsIn, 2, "np.isin(x, y)"},
    {Op::Digitize, 2, "np.digitize(x, np.sort(y, None), k % 2 == 1)"},
    {Op::Interp, 2, "np.interp(x, np.arange(float(y.size)), np.ravel(y))"},
    {Op::Bincount, 1, "np.bincount(np.ravel(x) % 7, minlength=k)"},
    {Op::BincountWeights, 2, "np.bincount(np.ravel(x) % 7, np.ravel(y), k)"},
    {Op::Histogram, 1, "np.histogram(x, k + 1, (-4, 4))[0]"},
    {Op::Unique, 1, "np.unique(x)"},
    {Op::UniqueCounts, 1, "np.unique_counts(x)[1]"},
    {Op::UniqueIndices, 1, "np.unique_all(x)[1]"},
    {Op::UniqueInverse, 1, "np.unique_inverse(x)[1]"},
    {Op::UniqueParts, 1, "np.unique(x, axis=axis)"},
    {Op::UniquePartCounts, 1, "np.unique(x, return_counts=True, axis=axis)[1]"},
    {Op::Nanargmin, 1, "np.nanargmin(x, axis)"},
    {Op::Nanargmax, 1, "np.nanargmax(x, axis)"},
    {Op::ArgminAll, 1, "np.argmin(x * 2)"},
    {Op::ArgmaxAll, 1, "np.argmax(x * 2)"},
    {Op::QuantileBy, 1,
     "np.quantile(x, (0.25, 0.5, 0.9)[k // 4], axis, method=(\"lower\", \"higher\", \"nearest\", \"midpoint\")[k % "
     "4])"},
    {Op::Histogram2d, 2, "np.histogram2d(np.ravel(x), np.ravel(y), (k + 1, 3), ((-4, 4), (-4, 4)))[0]"},
    {Op::HistogramWeights, 2, "np.histogram(x, k + 1, (-4, 4), weights=y)[0]"},
    {Op::Union1d, 2, "np.union1d(x, y)"},
    {Op::Intersect1d, 2, "np.intersect1d(x, y)"},
    {Op::Setdiff1d, 2, "np.setdiff1d(x, y)"},
    {Op::Setxor1d, 2, "np.setxor1d(x, y)"},
    {Op::Flatnonzero, 1, "np.flatnonzero(x)"},
    {Op::Argwhere, 1, "np.argwhere(x)"},
    {Op::RavelIndex, 2, "np.ravel_multi_index((x % 3, y % 4), (3, 4))"},
    {Op::UnravelIndex, 1, "np.unravel_index(x % 12, (3, 4))[k % 2]"},
    {Op::Ptp, 1, "np.ptp(x, axis)"},
    {Op::Average, 2, "np.average(x, axis, y)"},
    {Op::NanSum, 1, "np.nansum(x, axis)"},
    {Op::NanProd, 1, "np.nanprod(x, axis)"},
    {Op::NanMin, 1, "np.nanmin(x, axis)"},
    {Op::NanMax, 1, "np.nanmax(x, axis)"},
    {Op::NanMean, 1, "np.nanmean(x, axis)"},
    {Op::NanVar, 1, "np.nanvar(x, axis)"},
    {Op::NanStd, 1, "np.nanstd(x, axis)"},
    {Op::NanCumsum, 1, "np.nancumsum(x, axis)"},
    {Op::NanCumprod, 1, "np.nancumprod(x, axis)"},
    {Op::MinimumSoFar, 1, "np.minimum.accumulate(x, axis)"},
    {Op::MaximumSoFar, 1, "np.maximum.accumulate(x, axis)"},
    {Op::ReduceXor, 1, "np.bitwise_xor.reduce(x, axis)"},
    {Op::ReduceFmax, 1, "np.fmax.reduce(x, axis)"},
    {Op::AppliedAlong, 1, "np.apply_along_axis(lambda line: line - np.max(line), axis, x)"},
    {Op::AppliedOver, 1, "np.apply_over_axes(np.max, x, (0, axis))"},
    {Op::Stencil, 1, "1.0 * x[:-2] + -2.0 * x[1:-1] + 1.0 * x[2:]"},
    {Op::Ediff1d, 1, "np.ediff1d(x)"},
    {Op::Trace, 1, "np.trace(x, k - 4)"},
    {Op::Norm, 1, "np.linalg.norm(x, axis=axis)"},
    {Op::Cov, 1, "np.cov(x, ddof=k % 2)"},
    {Op::Corrcoef, 1, "np.corrcoef(x)"},
    {Op::Convolve, 2, "np.convolve(np.ravel(x), np.ravel(y)[:k], (\"full\", \"same\", \"valid\")[k % 3])"},
    {Op::Correlate, 2, "np.correlate(np.ravel(x), np.ravel(y)[:k], (\"full\", \"same\", \"valid\")[k % 3])"},
    {Op::Polyval, 2, "np.polyval(np.ravel(x)[:4], y)"},
    {Op::Vander, 1, "np.vander(np.ravel(x), k % 4)"},
    {Op::Dot, 2, "np.dot(x, y)"},
    {Op::Inner, 2, "np.inner(x, y)"},
    {Op::Outer, 2, "np.outer(x, y)"},
    {Op::Kron, 2, "np.kron(x, y)"},
    {Op::Tensordot, 2, "np.tensordot(x, y, 1)"},
    {Op::Einsum, 2, "np.einsum((\"ij,kj->ik\", \"ij,kj->ki\", \"ji,jk->ki\")[k % 3], x, y)"},
    {Op::Vecdot, 2, "np.vecdot(x, y)"},
    {Op::Cross, 2, "np.cross(x[..., :3], y[..., :3])"},
    {Op::Fft, 1, "np.fft.fft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Ifft, 1, "np.fft.ifft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Rfft, 1, "np.fft.rfft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Irfft, 1, "np.fft.irfft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Hfft, 1, "np.fft.hfft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Ihfft, 1, "np.fft.ihfft(x, k or None, axis, (\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Fftn, 1, "np.fft.fftn(x, norm=(\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Ifftn, 1, "np.fft.ifftn(x, norm=(\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Rfftn, 1, "np.fft.rfftn(x, norm=(\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Irfftn, 1, "np.fft.irfftn(x, norm=(\"backward\", \"forward\", \"ortho\")[k % 3])"},
    {Op::Fftshift, 1, "np.fft.fftshift(x, axis)"},
    {Op::Ifftshift, 1, "np.fft.ifftshift(x, axis)"},
    {Op::Solve, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.solve(m, x[..., :n, "
     ":1]))[-1]"},
    {Op::SolveVector, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.solve(m, np.arange(1.0, n "
     "+ 1)))[-1]"},
    {Op::Inv, 1, "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.inv(m))[-1]"},
    {Op::Det, 1, "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.det(m))[-1]"},
    {Op::Slogdet, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.slogdet(m)[k % 2])[-1]"},
    {Op::Cholesky, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.cholesky(1.0 * m @ "
     "np.conj(np.swapaxes(m, -1, -2)) + n * np.eye(n, dtype=x.dtype)))[-1]"},
    {Op::QrProduct, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), q := np.linalg.qr(m), q[0] @ "
     "q[1])[-1]"},
    {Op::QrOrthogonal, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), q := np.linalg.qr(m)[0], "
     "np.conj(np.swapaxes(q, -1, -2)) @ q)[-1]"},
    {Op::EighProduct, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), h := m + np.conj(np.swapaxes(m, -1, "
     "-2)) + 0.0, w := np.linalg.eigh(h), w[1] * w[0][..., None, :] @ np.conj(np.swapaxes(w[1], -1, -2)))[-1]"},
    {Op::Eigvalsh, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), h := m + np.conj(np.swapaxes(m, -1, "
     "-2)) + 0.0, np.linalg.eigvalsh(h))[-1]"},
    {Op::EigResidual, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), w := np.linalg.eig(m), m @ w[1] - "
     "w[1] * w[0][..., None, :])[-1]"},
    {Op::SvdProduct, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), s := np.linalg.svd(m), s[0] * "
     "s[1][..., None, :] @ s[2])[-1]"},
    {Op::Svdvals, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.svdvals(m))[-1]"},
    {Op::Cond, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.cond(m))[-1]"},
    {Op::Lstsq, 1, "np.linalg.lstsq(x, np.ones(len(x), x.dtype))[0]"},
    {Op::Pinv, 1, "np.linalg.pinv(x)"},
    {Op::MatrixPower, 1,
     "(n := min(x.shape[-2:]), m := x[..., :n, :n] + k * np.eye(n, dtype=x.dtype), np.linalg.matrix_power(x[..., :n, "
     ":n], k % 4))[-1]"},
    {Op::MultiDot, 1, "np.linalg.multi_dot((x, x.T, x))"},
    {Op::ZerosLike, 1, "np.zeros_like(x, (None, np.float32, np.int64)[k % 3])"},
    {Op::OnesLike, 1, "np.ones_like(x, (None, np.float32, np.int64)[k % 3])"},
    {Op::FullLike, 1, "np.full_like(x, k)"},
    {Op::AtLeast, 1, "(np.atleast_1d, np.atleast_2d, np.atleast_3d)[k % 3](x).copy()"},
    {Op::LinspaceNumbers, 1,
     "np.linspace(k - 4.5, 0.3 * k * k, x.shape[axis], k % 2 == 0, dtype=(np.float64, np.float32, np.int64)[k % 3])"},
    {Op::Linspace, 2, "np.linspace(x, y, k, k % 2 == 0, axis=axis)"},
    {Op::LogspaceNumbers, 1, "np.logspace(k - 4.5, 0.5, x.shape[axis], k % 2 == 0, 2.0)"},
    {Op::Logspace, 2, "np.logspace(x, y, k, k % 2 == 0, (2.0, 10.0, 0.5)[k % 3], axis=axis)"},
    {Op::GeomspaceNumbers, 1, "np.geomspace((-1) ** k * (k + 0.5), (-1) ** k * 100.0, x.shape[axis], k % 2 == 0)"},
    {Op::Geomspace, 2, "np.geomspace(np.abs(x) + 0.5, np.abs(y) + 0.5, k, k % 2 == 0, axis=axis)"},
    {Op::Meshgrid, 2, "np.meshgrid(np.ravel(x)[:9], np.ravel(y)[:k], indexing=(\"xy\", \"ij\")[k % 2])[k // 2 % 2]"},
    {Op::Indices, 1, "np.indices(x.shape, (np.int64, np.float64, np.int32)[k % 3])"},
    {Op::Mgrid, 1, "np.mgrid[k - 4:x.shape[axis]:2, 9:k - 2:-3]"},
    {Op::Ogrid, 1, "np.ogrid[k - 4:x.shape[axis]:2, 9:k - 2:-3][k % 2]"},
    {Op::FromFunction, 1, "np.fromfunction(lambda i, j: i * k - j, x.shape[:2], dtype=(np.float64, np.int64)[k % 2])"},
    {Op::Vdot, 2, "np.vdot(x, y)"},
    {Op::Matvec, 2, "np.matvec(x, y)"},
    {Op::Vecmat, 2, "np.vecmat(x, np.swapaxes(y, -1, -2))"},
    {Op::Percentile, 1, "np.percentile(x, (0, 12.5, 50, 90, 100)[k % 5], axis)"},
    {Op::Percentiles, 1, "np.percentile(x, (25, 90), axis)"},
    {Op::NanPercentile, 1, "np.nanpercentile(x, (0, 12.5, 50, 90, 100)[k % 5], axis)"},
    {Op::Convolve2d, 2,
     "scipy.signal.convolve2d(x.reshape(len(x), -1), np.resize(y, (2 + k % 2, 3 - k % 2)), (\"full\", "
     "\"same\", "
     "\"valid\")[k % 3], (\"fill\", \"wrap\", "
     "\"symm\")[k // 3 % 3], k % 2)"},
    {Op::Correlate2d, 2,
     "scipy.signal.correlate2d(x.reshape(len(x), -1), np.resize(y, (2 + k % 2, 3 - k % 2)), (\"full\", "
     "\"same\", "
     "\"valid\")[k % 3], (\"fill\", \"wrap\", "
     "\"symm\")[k // 3 % 3], k % 2)"},
};

const Row& row_of(Op op) {
  const Row& row = kRows[static_cast<int>(op) - static_cast<int>(Op::Flip)];
  if (row.op != op) throw std::logic_error("rows in another order than operations");
  return row;
}

}  // namespace

const char* whole_text(Op op) {
  return row_of(op).text;
}

int whole_arguments(Op op) {
  return row_of(op).arguments;
}

}  // namespace pilum::random_programs
