// Other shapes, other axes; put together and taken apart.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

int small(std::int64_t number) {
  return static_cast<int>(number);
}

std::optional<int> optional_axis(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(small(a.integer(place))) : std::nullopt;
}

}  // namespace

#define SPLIT(name) table[#name] = [](const Arguments& a) -> Results { return np::name(a.array(0), a.integer(1)); }
#define OF_ONE(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0))}; }
#define OF_AXES(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.axes(1))}; }

void add_manipulation(Table& table) {
  OF_ONE(flipud);
  OF_ONE(fliplr);
  OF_ONE(ravel);
  OF_AXES(flip);
  OF_AXES(squeeze);
  OF_AXES(transpose);
  table["copy"] = [](const Arguments& a) -> Results { return {a.array(0).copy()}; };
  table["astype"] = [](const Arguments& a) -> Results { return {a.array(0).astype(*a.dtype(1))}; };
  table["reshape"] = [](const Arguments& a) -> Results { return {np::reshape(a.array(0), a.shape(1))}; };
  table["broadcast_to"] = [](const Arguments& a) -> Results { return {np::broadcast_to(a.array(0), a.shape(1))}; };
  table["expand_dims"] = [](const Arguments& a) -> Results {
    return {np::expand_dims(a.array(0), small(a.integer(1)))};
  };
  table["swapaxes"] = [](const Arguments& a) -> Results {
    return {np::swapaxes(a.array(0), small(a.integer(1)), small(a.integer(2)))};
  };
  table["moveaxis"] = [](const Arguments& a) -> Results {
    return {np::moveaxis(a.array(0), small(a.integer(1)), small(a.integer(2)))};
  };
  table["concatenate"] = [](const Arguments& a) -> Results {
    return {np::concatenate(a.arrays(0), small(a.integer(1)))};
  };
  table["stack"] = [](const Arguments& a) -> Results { return {np::stack(a.arrays(0), small(a.integer(1)))}; };
  table["vstack"] = [](const Arguments& a) -> Results { return {np::vstack(a.arrays(0))}; };
  table["hstack"] = [](const Arguments& a) -> Results { return {np::hstack(a.arrays(0))}; };
  table["diff"] = [](const Arguments& a) -> Results {
    return {np::diff(a.array(0), small(a.integer(1, 1)), small(a.integer(2, -1)))};
  };
  OF_ONE(atleast_1d);
  OF_ONE(atleast_2d);
  OF_ONE(atleast_3d);
  OF_ONE(flatten);
  SPLIT(hsplit);
  SPLIT(vsplit);
  SPLIT(dsplit);
  table["roll"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Integers) return {np::roll(a.array(0), a.integers(1), a.axes(2))};
    if (!a.has(2)) return {np::roll(a.array(0), a.integer(1))};
    return {np::roll(a.array(0), a.integer(1), small(a.integer(2)))};
  };
  table["rot90"] = [](const Arguments& a) -> Results {
    return {np::rot90(a.array(0), small(a.integer(1)), small(a.integer(2)), small(a.integer(3)))};
  };
  table["split"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Integers) return np::split(a.array(0), a.integers(1), small(a.integer(2)));
    return np::split(a.array(0), a.integer(1), small(a.integer(2)));
  };
  table["array_split"] = [](const Arguments& a) -> Results {
    return np::array_split(a.array(0), a.integer(1), small(a.integer(2)));
  };
  table["tile"] = [](const Arguments& a) -> Results { return {np::tile(a.array(0), a.integers(1))}; };
  table["repeat"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Array) return {np::repeat(a.array(0), a.array(1), optional_axis(a, 2))};
    return {np::repeat(a.array(0), a.integer(1), optional_axis(a, 2))};
  };
  table["resize"] = [](const Arguments& a) -> Results { return {np::resize(a.array(0), a.shape(1))}; };
  table["append"] = [](const Arguments& a) -> Results {
    return {np::append(a.array(0), a.array(1), optional_axis(a, 2))};
  };
  table["dstack"] = [](const Arguments& a) -> Results { return {np::dstack(a.arrays(0))}; };
  table["column_stack"] = [](const Arguments& a) -> Results { return {np::column_stack(a.arrays(0))}; };
  table["pad"] = [](const Arguments& a) -> Results {
    std::vector<std::pair<std::int64_t, std::int64_t>> widths;
    const auto numbers = a.integers(1);
    for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) widths.emplace_back(numbers[k], numbers[k + 1]);
    return {np::pad(a.array(0), widths, a.word(2), a.operand(3))};
  };
  table["pad_with"] = [](const Arguments& a) -> Results {
    std::vector<std::pair<std::int64_t, std::int64_t>> widths, lengths;
    std::vector<std::pair<np::Operand, np::Operand>> values;
    const auto numbers = a.integers(1), option = a.integers(3);
    const std::string mode(a.word(2));
    for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) widths.emplace_back(numbers[k], numbers[k + 1]);
    for (std::size_t k = 0; k + 1 < option.size(); k += 2) {
      lengths.emplace_back(option[k], option[k + 1]);
      values.emplace_back(np::Operand(option[k]), np::Operand(option[k + 1]));
    }
    if (mode == "constant") return {np::pad(a.array(0), widths, mode, {.constant_values = values})};
    if (mode == "linear_ramp") return {np::pad(a.array(0), widths, mode, {.end_values = values})};
    if (mode == "reflect" || mode == "symmetric") return {np::pad(a.array(0), widths, mode, {.reflect_type = "odd"})};
    return {np::pad(a.array(0), widths, mode, {.stat_length = lengths})};
  };
  table["sliding_window_view"] = [](const Arguments& a) -> Results {
    return {np::sliding_window_view(a.array(0), a.shape(1), a.axes(2))};
  };
  table["gradient"] = [](const Arguments& a) -> Results {
    if (!a.has(2) && a.array(0).ndim() > 1) return np::gradient(a.array(0), np::all, a.real(1));
    return {np::gradient(a.array(0), a.real(1), optional_axis(a, 2))};
  };
  table["trapezoid"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Array) return {np::trapezoid(a.array(0), a.array(1), small(a.integer(2)))};
    return {np::trapezoid(a.array(0), a.real(1), small(a.integer(2)))};
  };
}

}  // namespace pilum::numpy_suite
