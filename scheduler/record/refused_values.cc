#include "scheduler/record/refused_values.h"

#include <array>
#include <charconv>

namespace pilum::scheduler {
namespace {

struct Wanted {
  const char *name, *range;
};
constexpr auto kWanted = std::to_array<Wanted>({{"", ""},
                                                {"shape", "0 or more"},
                                                {"df", "a positive one"},
                                                {"a", "a positive one"},
                                                {"b", "a positive one"},
                                                {"lam", "0 or more, to 9.2e18 at most"},
                                                {"n", "0 or more"},
                                                {"p", "one of 0 to 1"},
                                                {"kappa", "0 or more"},
                                                {"a", "more than 1"},
                                                {"p", "0 or more, below 1"},
                                                {"ngood", "0 to 1e9"},
                                                {"nbad", "0 to 1e9"},
                                                {"nsample", "0 to 1e9"}});
static_assert(kWanted.size() == static_cast<std::size_t>(RefusedValue::TooMany));

// The digits that give the number back.
std::string shortest(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace

std::string explain_value(RefusedValue what, double value, double other) {
  if (what == RefusedValue::TooMany)
    return "nsample is " + shortest(value) + " of " + shortest(other) + ": give as many as ngood and nbad at most";
  const Wanted& wanted = kWanted[static_cast<std::size_t>(what)];
  return std::string(wanted.name) + " is " + shortest(value) + ": give " + wanted.range;
}

RefusedValue find_refused_value(std::int64_t code) {
  const std::int64_t place = code_of(RefusedValue::None) - code;
  return place > 0 && place <= static_cast<std::int64_t>(RefusedValue::TooMany) ? static_cast<RefusedValue>(place)
                                                                                : RefusedValue::None;
}

}  // namespace pilum::scheduler
