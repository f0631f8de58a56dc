// Prices of European options by the formula of Black, Scholes and Merton, under several volatilities.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <pilum/pilum.h>

#include "apps/support/options.h"
#include "apps/support/verdict.h"

namespace np = pilum::numeric;

constexpr double kRate = 0.02;  // of interest, a year
constexpr double kHighestSpot = 50, kHighestStrike = 60;

struct Market {
  np::Array spot, strike, years;
};
struct Prices {
  np::Array call, put;
};

Market make_market(std::int64_t size) {
  auto rng = np::random::default_rng(42);
  return {rng.uniform(10.0, kHighestSpot, size), rng.uniform(5.0, kHighestStrike, size), rng.uniform(0.25, 4.0, size)};
}

np::Array normal_distribution(const np::Array& x) {
  return 0.5 * np::erfc(x * (-1 / std::numbers::sqrt2));
}

Prices price(const Market& market, double volatility) {
  auto deviation = volatility * np::sqrt(market.years);
  auto growth = np::log(market.spot / market.strike) + (kRate + 0.5 * volatility * volatility) * market.years;
  auto d1 = growth / deviation;
  auto d2 = d1 - deviation;
  auto discounted = market.strike * np::exp(-kRate * market.years);
  return {market.spot * normal_distribution(d1) - discounted * normal_distribution(d2),
          discounted * normal_distribution(-d2) - market.spot * normal_distribution(-d1)};
}

double volatility_of(std::int64_t scenario) {
  return 0.1 + 0.05 * static_cast<double>(scenario % 10);
}

// The same option by option. The elementary functions of both are within 1 ulp or so, |d| exp(-d^2 / 2) is below 1, and
// what is subtracted is at most a spot and a strike: some ulps of these remain.
bool check(const Market& market, const Prices& prices, double volatility) {
  const auto spot = market.spot.to_vector<double>(), strike = market.strike.to_vector<double>(),
             years = market.years.to_vector<double>();
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  std::vector<double> call, put;
  for (std::size_t k = 0; k < spot.size(); ++k) {
    const double deviation = volatility * std::sqrt(years[k]);
    const double d1 = (std::log(spot[k] / strike[k]) + (kRate + 0.5 * volatility * volatility) * years[k]) / deviation;
    const double d2 = d1 - deviation, discounted = strike[k] * std::exp(-kRate * years[k]);
    call.push_back(spot[k] * cdf(d1) - discounted * cdf(d2));
    put.push_back(discounted * cdf(-d2) - spot[k] * cdf(-d1));
  }
  const double bound = 16 * 0x1p-52 * (kHighestSpot + kHighestStrike);
  const bool calls = app::is_within("calls", app::largest_difference(prices.call.to_vector<double>(), call), bound);
  return app::is_within("puts", app::largest_difference(prices.put.to_vector<double>(), put), bound) && calls;
}

int main(int argc, char** argv) {
  std::int64_t size = 1'000'000, scenarios = 10;
  bool checked = false;
  app::Options("Prices of European options")
      .count("-n,--size", size, "Options")
      .count("-i,--iterations", scenarios, "Volatilities under which they are priced")
      .flag("--check", checked, "Compare the last prices with a plain serial loop")
      .parse(argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    const Market market = make_market(size);
    runtime.wait();
    const app::Clock clock;
    Prices prices;
    for (std::int64_t scenario = 0; scenario < scenarios; ++scenario) {
      prices = price(market, volatility_of(scenario));
      std::printf("volatility %.2f: the mean call is %.6f\n", volatility_of(scenario),
                  np::mean(prices.call).item<double>());
    }
    runtime.wait();
    app::print_elapsed(clock.seconds());
    return checked && !check(market, prices, volatility_of(scenarios - 1)) ? 1 : 0;
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "black_scholes: %s\n", error.what());
    return 1;
  }
}
