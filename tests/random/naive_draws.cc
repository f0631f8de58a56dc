#include "tests/random/naive_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

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

// Of 256 layers of one area under exp(-x^2 / 2), the ends from the outermost to 0: Marsaglia and Tsang's ziggurat.
std::array<long double, 257> layer_ends() {
  constexpr long double kTail = 3.6541528853610088L;
  const auto density = [](long double x) { return std::exp(-x * x / 2); };
  const long double below = std::sqrt(std::numbers::pi_v<long double> / 2) * std::erfc(kTail / std::sqrt(2.0L));
  const long double area = kTail * density(kTail) + below;
  std::array<long double, 257> ends{};
  ends[0] = area / density(kTail);
  ends[1] = kTail;
  for (std::size_t k = 2; k < 256; ++k) ends[k] = std::sqrt(-2 * std::log(density(ends[k - 1]) + area / ends[k - 1]));
  return ends;
}

// A word says the layer by its last 8 bits, the sign by the next, the place by the first 53.
long double layered_normal(Bits& bits) {
  static const std::array<long double, 257> ends = layer_ends();
  const auto density = [](long double x) { return std::exp(-x * x / 2); };
  for (;;) {
    const std::uint64_t word = bits.next();
    const std::size_t layer = word & 255;
    const long double sign = (word >> 8 & 1) != 0 ? -1 : 1;
    const long double x = ends[layer] * static_cast<long double>(word >> 11) * 0x1p-53L;
    if (x < ends[layer + 1]) return sign * x;
    if (layer == 0) {
      long double beyond = 0, other = 0;
      do {
        beyond = -std::log(bits.positive()) / ends[1];
        other = -std::log(bits.positive());
      } while (2 * other <= beyond * beyond);
      return sign * (ends[1] + beyond);
    }
    const long double low = density(ends[layer]), high = density(ends[layer + 1]);
    if (low + bits.uniform() * (high - low) < density(x)) return sign * x;
  }
}

// Marsaglia and Tsang's.
long double gamma_above_one(Bits& bits, long double shape) {
  const long double d = shape - 1.0L / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const long double x = layered_normal(bits), root = 1 + c * x;
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
  if (p == 0) return 0;
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

// The place of a uniform number among sums of the weights.
std::int64_t weighted_place(long double number) {
  long double sum = 0;
  std::int64_t place = 0;
  for (const double weight : kDrawWeights) place += (sum += weight) <= number;
  return place;
}

// The weighted places in the order of exponential numbers over the weights.
std::vector<Cell> weighted_order(std::int64_t seed) {
  std::vector<std::pair<long double, std::int64_t>> waiting;
  for (const double weight : kDrawWeights) {
    const auto place = static_cast<std::int64_t>(waiting.size());
    waiting.emplace_back(-logarithm_of(Bits(seed, place)) / weight, place);
  }
  std::sort(waiting.begin(), waiting.end());
  std::vector<Cell> order;
  for (const auto& [wait, place] : waiting) order.push_back(Cell{.integer = place});
  return order;
}

// low + floor(count x / 2^64) of 64 random bits, or of 128 where the count has more than 32.
std::int64_t integer_from(const Bits& bits, std::int64_t low, unsigned __int128 count) {
  const unsigned __int128 lower = bits.word(0) * count >> 64;
  return low + static_cast<std::int64_t>(count >> 32 ? (bits.word(1) * count + lower) >> 64 : lower);
}

long double in_dtype(long double number, DType dtype) {
  return dtype == DType::Float32 ? static_cast<float>(number) : static_cast<double>(number);
}

// The number that the distribution gives a cell, not yet rounded.
long double drawn_number(Create::Kind kind, std::int64_t seed, std::int64_t cell, long double first,
                         long double second) {
  Bits bits(seed, cell);
  switch (kind) {
    case Create::Kind::Normal: return normal(seed, cell) * second + first;
    case Create::Kind::StandardNormal: return normal(seed, cell);
    case Create::Kind::Lognormal: return std::exp(normal(seed, cell) * second + first);
    case Create::Kind::Exponential: return -logarithm_of(bits) * first;
    case Create::Kind::StandardExponential: return -logarithm_of(bits);
    case Create::Kind::Gamma: return gamma(bits, first) * second;
    case Create::Kind::StandardGamma: return gamma(bits, first);
    case Create::Kind::ChiSquare: return 2 * gamma(bits, first / 2);
    case Create::Kind::Uniform: {
      const long double unit = (static_cast<std::int64_t>(bits.word(0)) >> 11) * 0x1p-53L + 0.5L;
      return unit * (second - first) + first;
    }
    case Create::Kind::Beta: {
      const long double x = gamma(bits, first), y = gamma(bits, second);
      return x / (x + y);
    }
    case Create::Kind::Poisson: return static_cast<long double>(poisson(bits, first));
    case Create::Kind::Binomial: return static_cast<long double>(binomial(bits, first, second));
    default: throw std::logic_error("not a distribution");
  }
}

Cell drawn_cell(const Create& create, std::int64_t cell) {
  const Bits bits(create.salt, cell);
  const auto word = static_cast<std::int64_t>(bits.word(0));
  const auto first = static_cast<std::int64_t>(create.first), second = static_cast<std::int64_t>(create.second);
  switch (create.kind) {
    case Create::Kind::Random:
      if (create.dtype == DType::Float32) return Cell{.floating = static_cast<double>(word >> 40) * 0x1p-24 + 0.5};
      return Cell{.floating = static_cast<double>(word >> 11) * 0x1p-53 + 0.5};
    case Create::Kind::Integers: {
      const auto count = static_cast<unsigned __int128>(second - first + create.endpoint);
      return cast(Cell{.integer = integer_from(bits, first, count)}, DType::Int64, create.dtype);
    }
    case Create::Kind::ChoiceAgain:
      return Cell{.integer = integer_from(bits, 0, static_cast<unsigned __int128>(first))};
    case Create::Kind::WeightedChoice: return Cell{.integer = weighted_place((word >> 11) * 0x1p-53L + 0.5L)};
    default: break;
  }
  const long double number = drawn_number(create.kind, create.salt, cell, create.first, create.second);
  if (create.dtype == DType::Int64) return Cell{.integer = static_cast<std::int64_t>(number)};
  return Cell{.floating = in_sixteenths(in_dtype(number, create.dtype))};
}

struct Drawn {
  Create::Kind kind;
  std::size_t parameters;
  // What parameters may be drawn, so that numbers are of a size that a double rounds to sixteenths.
  double low, high, second_low, second_high;
};

Drawn drawn_by(Op op) {
  constexpr double kFar = 1e6;
  switch (op) {
    case Op::Normals: return {Create::Kind::Normal, 2, -kFar, kFar, -kFar, kFar};
    case Op::Uniforms: return {Create::Kind::Uniform, 2, -kFar, kFar, -kFar, kFar};
    case Op::Lognormals: return {Create::Kind::Lognormal, 2, -6, 6, 0, 2.5};
    case Op::Exponentials: return {Create::Kind::Exponential, 1, 0, kFar, 0, 0};
    case Op::Gammas: return {Create::Kind::Gamma, 2, 0.125, 100, 0, 1000};
    case Op::ChiSquares: return {Create::Kind::ChiSquare, 1, 0.25, 100, 0, 0};
    case Op::Betas: return {Create::Kind::Beta, 2, 0.125, 100, 0.125, 100};
    case Op::Poissons: return {Create::Kind::Poisson, 1, 0, 200, 0, 0};
    case Op::Binomials: return {Create::Kind::Binomial, 2, 0, 200, 0, 1};
    default: throw std::logic_error("not a draw of parameters");
  }
}

std::vector<double> parameters_within(const Dense& given, double low, double high) {
  check_exact(given);
  if (is_complex(given.dtype)) throw Invalid("complex parameters");
  std::vector<double> numbers;
  for (Cell cell : given.cells) {
    const double number = cast(cell, given.dtype, DType::Float64).floating;
    if (!(number >= low && number <= high) || (low == 0 && std::signbit(number))) throw Invalid("a parameter far out");
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<Cell> drawn_cells(const Create& create, std::int64_t count) {
  std::vector<Cell> cells;
  const bool is_order = create.kind == Create::Kind::Permutation || create.kind == Create::Kind::Choice;
  if (is_order || create.kind == Create::Kind::WeightedChoiceOnce) {
    const std::int64_t all = create.kind == Create::Kind::Permutation ? count : static_cast<std::int64_t>(create.first);
    cells = is_order ? permutation(create.salt, all) : weighted_order(create.salt);
    cells.resize(static_cast<std::size_t>(count));
    return cells;
  }
  for (std::int64_t k = 0; k < count; ++k) cells.push_back(drawn_cell(create, k));
  return cells;
}

Dense drawn_of(const Expression& expression, const std::vector<Dense>& parameters) {
  const Drawn draw = drawn_by(expression.op);
  const Dense &first = parameters.at(0), &second = parameters.at(draw.parameters - 1);
  if (first.weak && second.weak) throw Invalid("a draw of one cell");
  const bool counts = draw.kind == Create::Kind::Poisson || draw.kind == Create::Kind::Binomial;
  if (draw.kind == Create::Kind::Binomial && (is_floating(first.dtype) || is_complex(first.dtype)))
    throw Invalid("trials that are not counted");
  const std::vector<double> firsts = parameters_within(first, draw.low, draw.high),
                            seconds = draw.parameters == 1
                                          ? firsts
                                          : parameters_within(second, draw.second_low, draw.second_high);
  if (second.weak && draw.kind == Create::Kind::Normal && std::signbit(seconds[0])) throw Invalid("a negative spread");
  Dense result{counts ? DType::Int64 : DType::Float64, broadcast(first.shape, second.shape)};
  const std::vector<std::size_t> of_first = broadcast_places(first.shape, result.shape),
                                 of_second = broadcast_places(second.shape, result.shape);
  const auto seed = static_cast<std::int64_t>(expression.number.value);
  for (std::size_t cell = 0; cell < of_first.size(); ++cell) {
    const long double number = drawn_number(draw.kind, seed, static_cast<std::int64_t>(cell), firsts[of_first[cell]],
                                            seconds[of_second[cell]]);
    result.cells.push_back(counts ? Cell{.integer = static_cast<std::int64_t>(number)}
                                  : Cell{.floating = in_sixteenths(number)});
  }
  return result;
}

}  // namespace pilum::random_programs
