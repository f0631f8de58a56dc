#include "numeric/bin_width.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/reductions.h"
#include "pilum/bins.h"
#include "pilum/math.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// What the rules ask of the cells.
class BinCells {
 public:
  BinCells(const Call& call, const Array& a, std::pair<double, double> ends)
      : call_(call),
        cells_(a.dtype() == DType::Float64 ? a : a.astype(DType::Float64, call.where)),
        ends_(std::move(ends)),
        count_(static_cast<double>(a.size())) {
    const Array low = extremum(call_, kernel::Fold::Minimum, cells_, {}, false),
                high = extremum(call_, kernel::Fold::Maximum, cells_, {}, false);
    reach_ = high.item<double>(call_.where) - low.item<double>(call_.where);
  }

  double square_root() const { return reach_ / std::sqrt(count_); }
  double sturges() const { return reach_ / (std::log2(count_) + 1); }
  double rice() const { return reach_ / (2 * std::pow(count_, 1.0 / 3)); }

  // D. W. Scott, "On optimal and data-based histograms", Biometrika 66, 1979: of normal cells.
  double scott() const { return std::pow(24 * std::sqrt(std::numbers::pi) / count_, 1.0 / 3) * std::sqrt(spread()); }

  // D. Freedman, P. Diaconis, "On the histogram as a density estimator: L2 theory", 1981: by the quartiles.
  double freedman_diaconis() const {
    const Array low = percentile(cells_, 25.0, {}, false, "linear", call_.where),
                high = percentile(cells_, 75.0, {}, false, "linear", call_.where);
    return 2 * (high.item<double>(call_.where) - low.item<double>(call_.where)) * std::pow(count_, -1.0 / 3);
  }

  // D. P. Doane, "Aesthetic frequency classifications", The American Statistician 30, 1976: Sturges' rule and skewness.
  double doane() const {
    if (count_ <= 2) return 0;
    const double deviation = std::sqrt(spread());
    if (!(deviation > 0)) return 0;
    const auto here = [&](const auto& operand) { return Operand(operand, call_.where); };
    const Array middle = mean_of_all(call_, cells_, {}, false), distance = here(cells_) - here(middle);
    const Array scaled = here(distance) / here(deviation), square = here(scaled) * here(scaled);
    const Array cube = here(square) * here(scaled);
    const double skewness = std::abs(mean_of_all(call_, cube, {}, false).item<double>(call_.where));
    const double error = std::sqrt(6 * (count_ - 2) / ((count_ + 1) * (count_ + 3)));
    return reach_ / (1 + std::log2(count_) + std::log2(1 + skewness / error));
  }

  // C. J. Stone, "An asymptotically optimal histogram selection rule", 1984: the least estimate of the squared error.
  double stone() const {
    if (count_ <= 1 || reach_ == 0) return 0;
    const auto here = [&](const auto& operand) { return Operand(operand, call_.where); };
    const std::int64_t most = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(count_)));
    std::vector<Array> squares;
    for (std::int64_t bins = 1; bins <= most; ++bins) {
      const Array counts = histogram(cells_, bins, {.range = ends_}, call_.where).first;
      const Array shares = here(counts) / here(count_), square = here(shares) * here(shares);
      squares.push_back(total(call_, square, DType::Float64, {}, false));
    }
    std::int64_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t bins = 1; bins <= most; ++bins) {
      const double width = reach_ / static_cast<double>(bins);
      const double sum = squares[static_cast<std::size_t>(bins - 1)].item<double>(call_.where);
      const double loss = (2 - (count_ + 1) * sum) / width;
      if (loss < least) least = loss, best = bins;
    }
    return reach_ / static_cast<double>(best);
  }

  // Sturges' rule where there are few cells, else Freedman's and Diaconis', whose bins are no more than twice the root.
  double automatic() const { return std::min(std::max(freedman_diaconis(), square_root() / 2), sturges()); }

 private:
  double spread() const { return variance(call_, cells_, {}, 0, false).item<double>(call_.where); }

  const Call& call_;
  const Array cells_;
  const std::pair<double, double> ends_;
  const double count_;
  double reach_ = 0;
};

struct BinRule {
  std::string_view name;
  double (BinCells::*width)() const;
};
constexpr BinRule kRules[] = {{"auto", &BinCells::automatic},       {"doane", &BinCells::doane},
                              {"fd", &BinCells::freedman_diaconis}, {"rice", &BinCells::rice},
                              {"scott", &BinCells::scott},          {"sqrt", &BinCells::square_root},
                              {"stone", &BinCells::stone},          {"sturges", &BinCells::sturges}};

}  // namespace

void check_bin_rule(const Call& call, std::string_view rule) {
  std::string names;
  for (const BinRule& one : kRules) {
    if (one.name == rule) return;
    names += (names.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
  }
  fail<ValueError>(call, "there is no rule \"", rule, "\" for bins: ", names, " are, and a number of bins");
}

std::int64_t bins_by_rule(const Call& call, const Array& a, std::string_view rule, std::pair<double, double> ends) {
  if (a.size() == 0) return 1;
  const BinCells cells(call, a, ends);
  const BinRule& found = *std::ranges::find(kRules, rule, &BinRule::name);
  double width = (cells.*found.width)();
  if (width == 0) return 1;
  if (!is_inexact(a.dtype())) width = std::max(width, 1.0);
  const double count = std::ceil((ends.second - ends.first) / width);
  constexpr double kMost = 0x1p40;
  if (!(count <= kMost)) {
    fail<ValueError>(call, "\"", rule, "\" makes ", count, " bins from ", ends.first, " to ", ends.second,
                     ": give a number of bins, or a narrower range");
  }
  return std::max<std::int64_t>(static_cast<std::int64_t>(count), 1);
}

}  // namespace pilum::numeric
