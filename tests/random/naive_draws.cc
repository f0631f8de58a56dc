#include "tests/random/naive_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pilum::random_programs {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011, section 3.3.
Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  const auto product = [](std::uint64_t a, std::uint64_t b) { return a * b; };
  for (std::uint32_t round = 0; round < 10; ++round) {
    const std::uint64_t first = product(0xD2511F53, counter[0]), second = product(0xCD9E8D57, counter[2]);
    const std::uint32_t k0 = key0 + round * 0x9E3779B9, k1 = key1 + round * 0xBB67AE85;
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(first)};
  }
  return counter;
}

// Of a generator's first draw: what one cell draws, two words of 64 bits at a time.
class Bits {
 public:
  Bits(std::int64_t seed, std::int64_t cell) : seed_(static_cast<std::uint64_t>(seed)), cell_(cell) {}

  std::uint64_t word(std::int64_t k) const {
    const std::uint64_t counter = static_cast<std::uint64_t>(cell_) + (static_cast<std::uint64_t>(k / 2) << 48);
    const Words words = philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
                               static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32));
    const std::size_t at = k % 2 == 0 ? 0 : 2;
    return words[at] | static_cast<std::uint64_t>(words[at + 1]) << 32;
  }
  std::uint64_t next() { return word(used_++); }
  long double uniform() { return static_cast<long double>(next() >> 11) * 0x1p-53L; }         // in [0, 1)
  long double positive() { return static_cast<long double>((next() >> 11) + 1) * 0x1p-53L; }  // in (0, 1]

 private:
  std::uint64_t seed_;
  std::int64_t cell_, used_ = 0;
};

long double logarithm_of(const Bits& bits) {
  const std::uint64_t positive = (bits.word(0) & INT64_MAX) | 1;
  return std::log(static_cast<long double>(static_cast<double>(positive)) * 0x1p-63L);
}

// Two neighbours are of one counter: Box and Muller's pair.
long double normal(std::int64_t seed, std::int64_t cell) {
  const Bits bits(seed, cell / 2);
  const auto turns = static_cast<long double>(static_cast<std::int64_t>(bits.word(1))) * 0x1p-64L;
  const long double angle = 2 * std::numbers::pi_v<long double> * turns;
  return std::sqrt(-2 * logarithm_of(bits)) * (cell % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

long double polar_normal(Bits& bits) {
  for (;;) {
    const long double x = 2 * bits.uniform() - 1, y = 2 * bits.uniform() - 1, square = x * x + y * y;
    if (square < 1 && square > 0) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

// Marsaglia and Tsang's.
long double gamma_above_one(Bits& bits, long double shape) {
  const long double d = shape - 1.0L / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const long double x = polar_normal(bits), root = 1 + c * x;
    if (root <= 0) continue;
    const long double v = root * root * root, u = bits.positive();
    if (u < 1 - 0.0331L * x * x * x * x || std::log(u) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

long double gamma(Bits& bits, long double shape) {
  if (shape >= 1) return gamma_above_one(bits, shape);
  const long double large = gamma_above_one(bits, shape + 1);
  return large * std::pow(bits.positive(), 1 / shape);
}

// Hörmann's transformed rejection, of a centre and a spread, with the distribution's own constants.
struct Transformed {
  long double centre, b, a, squeeze, side_limit, log_scale;

  template <class LogProbability>
  std::int64_t operator()(Bits& bits, const LogProbability& log_probability) const {
    for (;;) {
      const long double u = bits.uniform() - 0.5L, v = bits.positive(), side = 0.5L - std::fabs(u);
      const long double k = std::floor((2 * a / side + b) * u + centre);
      if (side >= 0.07L && v <= squeeze) return static_cast<std::int64_t>(k);
      if (k < 0 || (side < side_limit && v > side)) continue;
      if (std::log(v) + log_scale - std::log(a / (side * side) + b) <= log_probability(k))
        return static_cast<std::int64_t>(k);
    }
  }
};

std::int64_t poisson(Bits& bits, long double mean) {
  if (mean < 10) {
    std::int64_t count = 0;
    long double product = bits.positive();
    while (product > std::exp(-mean)) {
      product *= bits.positive();
      ++count;
    }
    return count;
  }
  const long double b = 0.931L + 2.53L * std::sqrt(mean);
  const Transformed draw{mean + 0.43L,
                         b,
                         -0.059L + 0.02483L * b,
                         0.9277L - 3.6224L / (b - 2),
                         0.013L,
                         std::log(1.1239L + 1.1328L / (b - 3.4L))};
  return draw(bits, [=](long double k) { return k * std::log(mean) - mean - std::lgamma(k + 1); });
}

std::int64_t binomial(Bits& bits, long double n, long double p) {
  if (p > 0.5L) return static_cast<std::int64_t>(n) - binomial(bits, n, 1 - p);
  const auto log_probability = [=](long double k) {
    if (k > n) return -std::numeric_limits<long double>::infinity();
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
           (n - k) * std::log(1 - p);
  };
  if (n * p < 10) {
    for (;;) {
      long double left = bits.uniform();
      for (int k = 0; k <= n && k <= 110; ++k) {
        const long double probability = std::exp(log_probability(k));
        if (left < probability) return k;
        left -= probability;
      }
    }
  }
  const long double spread = std::sqrt(n * p * (1 - p)), b = 1.15L + 2.53L * spread;
  const Transformed draw{
      n * p + 0.5L,     b, -0.0873L + 0.0248L * b + 0.01L * p,
      0.92L - 4.2L / b, 0, std::log((2.83L + 5.1L / b) * spread) + log_probability(std::floor((n + 1) * p))};
  return draw(bits, log_probability);
}

double in_sixteenths(long double x) {
  return static_cast<double>(std::floor(x * 16) / 16);
}

// The numbers below `count` in the order of their keys.
std::vector<Cell> permutation(std::int64_t seed, std::int64_t count) {
  std::vector<Cell> order;
  for (std::int64_t k = 0; k < count; ++k) order.push_back(Cell{.integer = k});
  std::stable_sort(order.begin(), order.end(), [=](Cell a, Cell b) {
    return static_cast<std::int64_t>(Bits(seed, a.integer).word(0)) <
           static_cast<std::int64_t>(Bits(seed, b.integer).word(0));
  });
  return order;
}

Cell drawn_cell(const Create& create, std::int64_t cell) {
  Bits bits(create.salt, cell);
  const auto first = static_cast<long double>(create.first), second = static_cast<long double>(create.second);
  switch (create.kind) {
    case Create::Kind::Random:
      return Cell{.floating = static_cast<double>(static_cast<std::int64_t>(bits.word(0)) >> 11) * 0x1p-53 + 0.5};
    case Create::Kind::Integers: {
      const auto count = static_cast<unsigned __int128>(second - first);
      return Cell{.integer = static_cast<std::int64_t>(first) + static_cast<std::int64_t>(bits.word(0) * count >> 64)};
    }
    case Create::Kind::Normal: return Cell{.floating = in_sixteenths(normal(create.salt, cell) * second + first)};
    case Create::Kind::Exponential: return Cell{.floating = in_sixteenths(-logarithm_of(bits) * first)};
    case Create::Kind::Gamma: return Cell{.floating = in_sixteenths(gamma(bits, first) * second)};
    case Create::Kind::Beta: {
      const long double x = gamma(bits, first), y = gamma(bits, second);
      return Cell{.floating = in_sixteenths(x / (x + y))};
    }
    case Create::Kind::Poisson: return Cell{.integer = poisson(bits, first)};
    default: return Cell{.integer = binomial(bits, first, second)};
  }
}

}  // namespace

std::vector<Cell> drawn_cells(const Create& create, std::int64_t count) {
  std::vector<Cell> cells;
  if (create.kind == Create::Kind::Permutation) return permutation(create.salt, count);
  if (create.kind == Create::Kind::Choice) {
    cells = permutation(create.salt, static_cast<std::int64_t>(create.first));
    cells.resize(static_cast<std::size_t>(count));
    return cells;
  }
  for (std::int64_t k = 0; k < count; ++k) cells.push_back(drawn_cell(create, k));
  return cells;
}

Dense normals(const Expression& expression, const Dense& centres, const Dense& spreads) {
  check_exact(centres), check_exact(spreads);
  if (is_complex(centres.dtype) || is_complex(spreads.dtype)) throw Invalid("complex parameters");
  if (centres.weak && spreads.weak) throw Invalid("a draw of one cell");
  const auto numbers_of = [](const Dense& given) {
    std::vector<long double> numbers;
    for (Cell cell : given.cells) numbers.push_back(cast(cell, given.dtype, DType::Float64).floating);
    return numbers;
  };
  const std::vector<long double> middle = numbers_of(centres), width = numbers_of(spreads);
  if (spreads.weak && std::signbit(width[0])) throw Invalid("a negative spread");
  Dense result{DType::Float64, broadcast(centres.shape, spreads.shape)};
  const std::vector<std::size_t> of_centres = broadcast_places(centres.shape, result.shape),
                                 of_spreads = broadcast_places(spreads.shape, result.shape);
  for (std::size_t cell = 0; cell < of_centres.size(); ++cell) {
    const long double centre = middle[of_centres[cell]], spread = width[of_spreads[cell]];
    if (!(std::abs(centre) < 1e6L && std::abs(spread) < 1e6L)) throw Invalid("parameters far out");
    const long double drawn =
        centre + spread * normal(static_cast<std::int64_t>(expression.number.value), static_cast<std::int64_t>(cell));
    result.cells.push_back(Cell{.floating = static_cast<double>(std::floor(drawn * 16) / 16)});
  }
  return result;
}

}  // namespace pilum::random_programs
