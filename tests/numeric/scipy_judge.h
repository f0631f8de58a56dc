// SciPy judges samples of distributions: by Kolmogorov's and Smirnov's test, and by chi square.
#pragma once

#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {

inline constexpr int kSampled = 20'000;
// Seeds are fixed, so that a right distribution passes always or never; a thousandth of them would never.
inline constexpr double kLeastProbability = 1e-3;

inline constexpr const char* kJudges = R"(
import scipy.stats as stats
def continuous(x, d):
    print(float(stats.kstest(x, d.cdf).pvalue))
def discrete(x, d):
    edges = np.unique(d.ppf(np.linspace(0, 1, 41)[1:-1]))
    expected = np.diff(np.concatenate([[0], d.cdf(edges), [1]])) * len(x)
    seen = np.bincount(np.searchsorted(edges, x, side='left'), minlength=len(expected))
    keep = expected >= 5
    if not keep.all():
        expected = np.append(expected[keep], expected[~keep].sum())
        seen = np.append(seen[keep], seen[~keep].sum())
        if expected[-1] < 5:
            expected, seen = np.append(expected[:-2], expected[-2:].sum()), np.append(seen[:-2], seen[-2:].sum())
    print(float(stats.chisquare(seen, expected).pvalue) if len(expected) > 1 else 1.0)
)";

class SciPyJudge : public NumericTest {
 protected:
  // Python of the sample.
  template <class T>
  static std::string sample(const Array& drawn) {
    const std::vector<T> numbers = drawn.to_vector<T>();
    const auto bytes = std::as_bytes(std::span(numbers));
    return python_array({bytes.begin(), bytes.end()}, drawn.dtype(), drawn.shape());
  }
  void continuous(const Array& drawn, const std::string& distribution) {
    add("continuous(" + sample<double>(drawn) + ", stats." + distribution + ")\n", distribution);
  }
  void discrete(const Array& drawn, const std::string& distribution) {
    add("discrete(" + sample<std::int64_t>(drawn) + ", stats." + distribution + ")\n", distribution);
  }
  void judge() {
    if (std::system(PILUM_PYTHON " -c 'import scipy.stats' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no SciPy here";
    const std::vector<std::string> lines = run_numpy(kJudges + script_);
    ASSERT_EQ(lines.size(), names_.size());
    for (std::size_t k = 0; k < lines.size(); ++k) EXPECT_GT(std::stod(lines[k]), kLeastProbability) << names_[k];
  }

 private:
  void add(const std::string& line, const std::string& name) {
    script_ += line;
    names_.push_back(name);
  }
  std::string script_;
  std::vector<std::string> names_;
};

}  // namespace pilum::numeric
