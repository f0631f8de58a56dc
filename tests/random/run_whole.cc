#include "tests/random/run_whole.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace pilum::random_programs {
namespace {

namespace np = numeric;
using np::Array, np::all, np::slice;

// A copy, some of whose cells are written.
Array written(Op op, const Array& x, const Array& y, std::int64_t k) {
  const bool is_flat = op == Op::MultiplyAt || op == Op::MaximumAt;
  const Array copied = is_flat ? np::ravel(x).copy() : x.copy();
  const auto places = [&] { return np::arange(3 * k) * 5 % copied.size(); };
  switch (op) {
    case Op::Copyto: np::copyto(copied, y, x > k - 4); break;
    case Op::FillDiagonal: np::fill_diagonal(copied, 2); break;
    case Op::MultiplyAt: np::multiply_at(copied, places(), 2); break;
    case Op::MaximumAt: np::maximum_at(copied, places(), k); break;
    default: copied(np::arange(k) * 3 % copied.shape()[0]) *= 2;
  }
  return copied;
}

Array moved(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  switch (op) {
    case Op::Flip: return np::flip(x, axis).copy();
    case Op::Rot90: return np::rot90(x, static_cast<int>(k)).copy();
    case Op::Swapaxes: return np::swapaxes(x, 0, axis).copy();
    case Op::Tril: return np::tril(x, k - 4);
    case Op::Triu: return np::triu(x, k - 4);
    case Op::Diagonal: return np::diagonal(x, k - 4).copy();
    case Op::Diag: return np::diag(x, k - 4).copy();
    case Op::Repeat: return np::repeat(x, k % 4, axis);
    case Op::Tile: return np::tile(x, {k % 3, 2});
    case Op::PadConstant: return np::pad(x, {{k % 3, k}}, np::Pad::Constant, 1);
    case Op::PadEdge: return np::pad(x, {{k % 3, k}}, np::Pad::Edge);
    case Op::PadWrap: return np::pad(x, {{k % 3, k}}, np::Pad::Wrap);
    case Op::PadReflect: return np::pad(x, {{k % 3, k}}, np::Pad::Reflect);
    case Op::PadSymmetric: return np::pad(x, {{k % 3, k}}, np::Pad::Symmetric);
    case Op::Resize: return np::resize(x, {k, 7});
    case Op::Insert: return np::insert(x, k, 2, axis);
    case Op::DeleteAt: return np::delete_at(x, {0, k}, axis);
    case Op::Append: return np::append(x, y, axis);
    case Op::Stack: return np::stack({x, y}, axis);
    case Op::Dstack: return np::dstack({x, y});
    case Op::ColumnStack: return np::column_stack({x, y});
    case Op::Block: return np::block({{x, y}, {x, y}});
    case Op::Flatten: return x.flatten();
    case Op::Compress: {
      const int along = axis < 0 ? axis + x.ndim() : axis;
      return np::compress(np::arange(x.shape()[along]) % (k + 1) == 0, x, axis);
    }
    case Op::Extract: return x(x > k - 4);
    case Op::TakeAlong: return np::take_along_axis(x, np::argsort(y, axis), axis);
    case Op::Choose: return np::choose(x > y, {x, y});
    case Op::Select: return np::select({x > y, x < k}, {x, y}, 7);
    case Op::ArraySplit: return np::array_split(x, 3, axis)[static_cast<std::size_t>(k % 3)].copy();
    case Op::Moveaxis: return np::moveaxis(x, 0, axis).copy();
    case Op::Vstack: return np::vstack({x, y});
    case Op::Hstack: return np::hstack({x, y});
    case Op::TakeClipped: return np::take(x, np::arange(k) * 3 - 5, axis, np::IndexMode::Clip);
    case Op::Piecewise:
      return np::piecewise(x, {x<0, x> k},
                           {[](const Array& v) { return np::full_like(v, 3); }, [](const Array& v) { return v * 2; },
                            [](const Array& v) { return np::ones_like(v); }});
    case Op::PickPairs: return x(np::arange(2 * k) * 3 % x.shape()[0], np::arange(2 * k) % x.shape()[1]);
    case Op::Copyto:
    case Op::FillDiagonal:
    case Op::DoublePicked:
    case Op::MultiplyAt:
    case Op::MaximumAt: return written(op, x, y, k);
    case Op::AddAt: {
      const Array flat = np::ravel(x).copy();
      np::add_at(flat, np::arange(3 * k) * 5 % flat.size(), 1);
      return flat;
    }
    default: {
      const Array copied = x.copy();
      np::put_along_axis(copied, np::argsort(x, axis), y, axis);
      return copied;
    }
  }
}

Array placed(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  static constexpr std::array<double, 3> kShares = {0.25, 0.5, 0.9};
  static constexpr std::array<std::string_view, 4> kMethods = {"lower", "higher", "nearest", "midpoint"};
  switch (op) {
    case Op::Lexsort: return np::lexsort({x, y}, axis);
    case Op::Partition: return np::partition(x, k, axis);
    case Op::Argpartition: return np::argpartition(x, k, axis);
    case Op::Searchsorted: return np::searchsorted(np::sort(x, {}), y, k % 2 != 0 ? "right" : "left");
    case Op::IsIn: return np::isin(x, y);
    case Op::Digitize: return np::digitize(x, np::sort(y, {}), k % 2 == 1);
    case Op::Interp: return np::interp(x, np::arange(static_cast<double>(y.size())), np::ravel(y));
    case Op::Bincount: return np::bincount(np::ravel(x) % 7, k);
    case Op::BincountWeights: return np::bincount(np::ravel(x) % 7, np::ravel(y), k);
    case Op::Histogram: return np::histogram(x, k + 1, {.range = std::pair(-4.0, 4.0)}).first;
    case Op::Unique: return np::unique(x);
    case Op::UniqueCounts: return np::unique_counts(x).second;
    case Op::UniqueIndices: return np::unique_all(x).indices;
    case Op::UniqueInverse: return np::unique_inverse(x).second;
    case Op::UniqueParts: return np::unique(x, axis);
    case Op::UniquePartCounts: return np::unique_all(x, axis).counts;
    case Op::Nanargmin: return np::nanargmin(x, axis);
    case Op::Nanargmax: return np::nanargmax(x, axis);
    case Op::ArgminAll: return np::argmin(x * 2);
    case Op::ArgmaxAll: return np::argmax(x * 2);
    case Op::QuantileBy:
      return np::quantile(x, kShares.at(static_cast<std::size_t>(k / 4)), axis, false,
                          kMethods.at(static_cast<std::size_t>(k % 4)));
    case Op::Histogram2d:
      return np::histogram2d(np::ravel(x), np::ravel(y), std::pair<std::int64_t, std::int64_t>(k + 1, 3),
                             {.ranges = {{-4, 4}, {-4, 4}}})
          .H;
    case Op::HistogramWeights: return np::histogram(x, k + 1, {.range = std::pair(-4.0, 4.0), .weights = y}).first;
    case Op::Union1d: return np::union1d(x, y);
    case Op::Intersect1d: return np::intersect1d(x, y);
    case Op::Setdiff1d: return np::setdiff1d(x, y);
    case Op::Setxor1d: return np::setxor1d(x, y);
    case Op::Flatnonzero: return np::flatnonzero(x);
    case Op::Argwhere: return np::argwhere(x);
    case Op::RavelIndex: return np::ravel_multi_index({x % 3, y % 4}, {3, 4});
    default: return np::unravel_index(x % 12, {3, 4})[static_cast<std::size_t>(k % 2)];
  }
}

Array multiplied_out(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  static constexpr std::array<std::string_view, 3> kModes = {"full", "same", "valid"};
  static constexpr std::array<std::string_view, 3> kSubscripts = {"ij,kj->ik", "ij,kj->ki", "ji,jk->ki"};
  const auto way = static_cast<std::size_t>(k % 3);
  switch (op) {
    case Op::Ptp: return np::ptp(x, axis);
    case Op::Average: return np::average(x, y, axis);
    case Op::NanSum: return np::nansum(x, axis);
    case Op::NanProd: return np::nanprod(x, axis);
    case Op::NanMin: return np::nanmin(x, axis);
    case Op::NanMax: return np::nanmax(x, axis);
    case Op::NanMean: return np::nanmean(x, axis);
    case Op::NanVar: return np::nanvar(x, axis);
    case Op::NanStd: return np::nanstd(x, axis);
    case Op::NanCumsum: return np::nancumsum(x, axis);
    case Op::NanCumprod: return np::nancumprod(x, axis);
    case Op::MinimumSoFar: return np::accumulate(np::minimum, x, axis);
    case Op::MaximumSoFar: return np::accumulate(np::maximum, x, axis);
    case Op::ReduceXor: return np::reduce(np::bitwise_xor, x, axis);
    case Op::ReduceFmax: return np::reduce(np::fmax, x, axis);
    case Op::AppliedAlong: return np::apply_along_axis([](const Array& line) { return line - np::max(line); }, axis, x);
    case Op::AppliedOver:
      return np::apply_over_axes([](const Array& a, int along) { return np::max(a, along); }, x, {0, axis});
    case Op::Stencil: return np::stencil(x, {1.0, -2.0, 1.0});
    case Op::Ediff1d: return np::ediff1d(x);
    case Op::Trace: return np::trace(x, k - 4);
    case Op::Norm: return np::norm(x, {}, axis);
    case Op::Cov: return np::cov(x, true, static_cast<int>(k % 2));
    case Op::Corrcoef: return np::corrcoef(x);
    case Op::Convolve: return np::convolve(np::ravel(x), np::ravel(y)(slice({}, k)), kModes.at(way));
    case Op::Correlate: return np::correlate(np::ravel(x), np::ravel(y)(slice({}, k)), kModes.at(way));
    case Op::Polyval: return np::polyval(np::ravel(x)(slice({}, 4)), y);
    case Op::Vander: return np::vander(np::ravel(x), k % 4);
    case Op::Dot: return np::dot(x, y);
    case Op::Inner: return np::inner(x, y);
    case Op::Outer: return np::outer(x, y);
    case Op::Kron: return np::kron(x, y);
    case Op::Tensordot: return np::tensordot(x, y, 1);
    case Op::Einsum: return np::einsum(kSubscripts.at(way), x, y);
    case Op::Vecdot: return np::vecdot(x, y);
    default: return np::cross(x(np::ellipsis, slice({}, 3)), y(np::ellipsis, slice({}, 3)));
  }
}

Array transformed(Op op, const Array& x, int axis, std::int64_t k) {
  static constexpr std::array<std::string_view, 3> kNorms = {"backward", "forward", "ortho"};
  const std::string_view norm = kNorms.at(static_cast<std::size_t>(k % 3));
  std::optional<std::int64_t> n;
  if (k > 0) n = k;
  switch (op) {
    case Op::Fft: return np::fft::fft(x, n, axis, norm);
    case Op::Ifft: return np::fft::ifft(x, n, axis, norm);
    case Op::Rfft: return np::fft::rfft(x, n, axis, norm);
    case Op::Irfft: return np::fft::irfft(x, n, axis, norm);
    case Op::Hfft: return np::fft::hfft(x, n, axis, norm);
    case Op::Ihfft: return np::fft::ihfft(x, n, axis, norm);
    case Op::Fftn: return np::fft::fftn(x, {}, {}, norm);
    case Op::Ifftn: return np::fft::ifftn(x, {}, {}, norm);
    case Op::Rfftn: return np::fft::rfftn(x, {}, {}, norm);
    case Op::Irfftn: return np::fft::irfftn(x, {}, {}, norm);
    case Op::Fftshift: return np::fft::fftshift(x, axis);
    default: return np::fft::ifftshift(x, axis);
  }
}

Array adjoint(const Array& a) {
  return np::conj(np::swapaxes(a, -1, -2));
}

Array scaled(const Array& vectors, const Array& values) {
  return vectors * np::expand_dims(values, -2);
}

Array solved(Op op, const Array& x, std::int64_t k) {
  switch (op) {
    case Op::Lstsq: return np::linalg::lstsq(x, np::ones(x.shape()[0], x.dtype())).x;
    case Op::Pinv: return np::linalg::pinv(x);
    case Op::MultiDot: return np::linalg::multi_dot({x, x.T(), x});
    default: break;
  }
  const int rank = x.ndim();
  const std::int64_t n = std::min(x.shape()[rank - 1], x.shape()[rank - 2]);
  const Array part = x(np::ellipsis, slice({}, n), slice({}, n));
  if (op == Op::MatrixPower) return np::linalg::matrix_power(part, k % 4);
  const Array unit = np::eye(n, {}, 0, x.dtype()), m = part + k * unit;
  switch (op) {
    case Op::Solve: return np::linalg::solve(m, x(np::ellipsis, slice({}, n), slice({}, 1)));
    case Op::SolveVector: return np::linalg::solve(m, np::arange(1.0, static_cast<double>(n + 1)));
    case Op::Inv: return np::linalg::inv(m);
    case Op::Det: return np::linalg::det(m);
    case Op::Slogdet: {
      const auto [sign, logarithm] = np::linalg::slogdet(m);
      return k % 2 == 0 ? sign : logarithm;
    }
    case Op::Cholesky: return np::linalg::cholesky(np::matmul(1.0 * m, adjoint(m)) + n * unit);
    case Op::QrProduct: {
      const auto [q, r] = np::linalg::qr(m);
      return np::matmul(q, r);
    }
    case Op::QrOrthogonal: {
      const Array q = np::linalg::qr(m).Q;
      return np::matmul(adjoint(q), q);
    }
    case Op::EighProduct: {
      const auto [values, vectors] = np::linalg::eigh(m + adjoint(m) + 0.0);
      return np::matmul(scaled(vectors, values), adjoint(vectors));
    }
    case Op::Eigvalsh: return np::linalg::eigvalsh(m + adjoint(m) + 0.0);
    case Op::EigResidual: {
      const auto [values, vectors] = np::linalg::eig(m);
      return np::matmul(m, vectors) - scaled(vectors, values);
    }
    case Op::SvdProduct: {
      const auto [u, s, vh] = np::linalg::svd(m);
      return np::matmul(scaled(u, s), vh);
    }
    case Op::Svdvals: return np::linalg::svdvals(m);
    case Op::Cond: return np::linalg::cond(m);
    default: throw std::logic_error("not a function of whole arrays");
  }
}

Array made(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  static constexpr std::array kLike = {std::optional<DType>(), std::optional(DType::Float32),
                                       std::optional(DType::Int64)};
  static constexpr std::array kNumbers = {DType::Float64, DType::Float32, DType::Int64};
  static constexpr std::array kIndices = {DType::Int64, DType::Float64, DType::Int32};
  static constexpr std::array<double, 3> kBases = {2.0, 10.0, 0.5};
  const auto way = static_cast<std::size_t>(k % 3);
  const auto number = static_cast<double>(k), sign = k % 2 == 0 ? 1.0 : -1.0;
  const auto extent = [&] { return x.shape()[axis < 0 ? axis + x.ndim() : axis]; };
  const auto rows = [&] { return slice(k - 4, extent(), 2); };
  const slice columns(9, k - 2, -3);
  const bool endpoint = k % 2 == 0;
  switch (op) {
    case Op::ZerosLike: return np::zeros_like(x, kLike.at(way));
    case Op::OnesLike: return np::ones_like(x, kLike.at(way));
    case Op::FullLike: return np::full_like(x, k);
    case Op::AtLeast: return (way == 0 ? np::atleast_1d(x) : way == 1 ? np::atleast_2d(x) : np::atleast_3d(x)).copy();
    case Op::LinspaceNumbers:
      return np::linspace(number - 4.5, 0.3 * number * number, extent(), endpoint, kNumbers.at(way));
    case Op::Linspace: return np::linspace(x, y, k, endpoint, {}, axis);
    case Op::LogspaceNumbers: return np::logspace(number - 4.5, 0.5, extent(), endpoint, 2.0);
    case Op::Logspace: return np::logspace(x, y, k, endpoint, kBases.at(way), {}, axis);
    case Op::GeomspaceNumbers: return np::geomspace(sign * (number + 0.5), sign * 100.0, extent(), endpoint);
    case Op::Geomspace: return np::geomspace(np::abs(x) + 0.5, np::abs(y) + 0.5, k, endpoint, {}, axis);
    case Op::Meshgrid:
      return np::meshgrid({np::ravel(x)(slice({}, 9)), np::ravel(y)(slice({}, k))}, k % 2 == 1)
          .at(static_cast<std::size_t>(k / 2 % 2));
    case Op::Indices: return np::indices(x.shape(), kIndices.at(way));
    case Op::Mgrid: return np::mgrid({rows(), columns});
    case Op::Ogrid: return np::ogrid({rows(), columns}).at(static_cast<std::size_t>(k % 2));
    default:
      return np::fromfunction([k](const Array& i, const Array& j) { return i * k - j; }, {x.shape()[0], x.shape()[1]},
                              k % 2 == 0 ? DType::Float64 : DType::Int64);
  }
}

Array of_neighbours(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  static constexpr std::array<double, 5> kShares = {0, 12.5, 50, 90, 100};
  static constexpr std::array<std::string_view, 3> kModes = {"full", "same", "valid"};
  static constexpr std::array<std::string_view, 3> kBoundaries = {"fill", "wrap", "symm"};
  const double share = kShares.at(static_cast<std::size_t>(k % 5));
  const std::string_view mode = kModes.at(static_cast<std::size_t>(k % 3)),
                         boundary = kBoundaries.at(static_cast<std::size_t>(k / 3 % 3));
  const auto image = [](const Array& a) { return a.reshape({a.shape()[0], -1}); };
  const auto weights = [&] { return np::resize(y, {2 + k % 2, 3 - k % 2}); };
  const auto fill = static_cast<double>(k % 2);
  switch (op) {
    case Op::Vdot: return np::vdot(x, y);
    case Op::Matvec: return np::matvec(x, y);
    case Op::Vecmat: return np::vecmat(x, np::swapaxes(y, -1, -2));
    case Op::Percentile: return np::percentile(x, share, axis);
    case Op::Percentiles: return np::percentile(x, {25, 90}, axis);
    case Op::NanPercentile: return np::nanpercentile(x, share, axis);
    case Op::Convolve2d: return np::convolve2d(image(x), weights(), mode, boundary, fill);
    default: return np::correlate2d(image(x), weights(), mode, boundary, fill);
  }
}

}  // namespace

Array run_whole(Op op, const Array& x, const Array& y, int axis, std::int64_t k) {
  if (op <= Op::PutAlong) return moved(op, x, y, axis, k);
  if (op <= Op::UnravelIndex) return placed(op, x, y, axis, k);
  if (op <= Op::Cross) return multiplied_out(op, x, y, axis, k);
  if (op <= Op::Ifftshift) return transformed(op, x, axis, k);
  if (op <= Op::MultiDot) return solved(op, x, k);
  if (op <= Op::FromFunction) return made(op, x, y, axis, k);
  return of_neighbours(op, x, y, axis, k);
}

}  // namespace pilum::random_programs
