// Sums of products by Einstein's convention: of each array what no other one needs is summed, then pairs are matrices.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "numeric/short_contraction.h"
#include "pilum/creation.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// A letter, or an axis that the dots stand for, counted from the last one: -1, -2, …
using Label = int;
using Labels = std::vector<Label>;

struct Term {
  Array array;
  Labels labels;  // one an axis
};

bool has(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string text_of(Label label) {
  return label < 0 ? "..." : std::string(1, static_cast<char>(label));
}

// The labels of a word, whose dots stand for so many axes.
Labels labels_of(const Call& call, const std::string& word, int dotted) {
  Labels labels;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word.compare(at, 3, "...") == 0) {
      for (int k = dotted; k > 0; --k) labels.push_back(-k);
      at += 2;
    } else if (is_letter(word[at])) {
      labels.push_back(word[at]);
    } else {
      fail<ValueError>(call, "'", std::string(1, word[at]), "' is no subscript: letters, commas, ->, ... are");
    }
  }
  return labels;
}

int letters_of(const std::string& word) {
  return static_cast<int>(std::ranges::count_if(word, is_letter));
}

bool has_dots(const std::string& word) {
  return word.find("...") != std::string::npos;
}

struct Parsed {
  std::vector<Labels> inputs;
  Labels output;
};

// Without an arrow, the dots' axes and each letter that stands once, in the order of the alphabet.
Labels implied_output(const std::vector<Labels>& inputs) {
  std::map<Label, int> count;  // dots come first, from the outermost on
  for (const Labels& labels : inputs) {
    for (const Label label : labels) ++count[label];
  }
  Labels output;
  for (const auto& [label, times] : count) {
    if (label < 0 || times == 1) output.push_back(label);
  }
  return output;
}

Parsed parse(const Call& call, std::string_view subscripts, const std::vector<Array>& arrays) {
  std::string text;
  for (const char c : subscripts) {
    if (c != ' ') text += c;
  }
  const std::size_t arrow = text.find("->");
  std::vector<std::string> words(1);
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() != arrays.size())
    fail<ValueError>(call, "\"", text, "\" is of ", words.size(), " arrays, and ", arrays.size(), " are given");
  Parsed parsed;
  int most = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const int rank = checked_state(call, arrays[k]).shape.rank(), dotted = rank - letters_of(words[k]);
    if (dotted < 0 || (dotted > 0 && !has_dots(words[k]))) {
      fail<ShapeError>(call, "\"", words[k], "\" does not name the ", rank, " axes of shape ", arrays[k].shape(),
                       ": a letter for each, or ... for those before");
    }
    parsed.inputs.push_back(labels_of(call, words[k], dotted));
    if (has_dots(words[k])) most = std::max(most, dotted);
  }
  if (arrow == std::string::npos) {
    parsed.output = implied_output(parsed.inputs);
    return parsed;
  }
  const std::string output = text.substr(arrow + 2);
  if (most > 0 && !has_dots(output)) fail<ValueError>(call, "\"", output, "\" has no ..., which stand for axes here");
  parsed.output = labels_of(call, output, most);
  for (auto label = parsed.output.begin(); label != parsed.output.end(); ++label) {
    const bool is_known = std::ranges::any_of(parsed.inputs, [&](const Labels& one) { return has(one, *label); });
    if (!is_known) fail<ValueError>(call, "the result's '", text_of(*label), "' is no axis of the arrays");
    if (std::find(label + 1, parsed.output.end(), *label) != parsed.output.end())
      fail<ValueError>(call, "the result names '", text_of(*label), "' twice");
  }
  return parsed;
}

std::map<Label, std::int64_t> extents_of(const Call& call, const Parsed& parsed, const std::vector<Array>& arrays) {
  std::map<Label, std::int64_t> extents;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    for (std::size_t axis = 0; axis < parsed.inputs[k].size(); ++axis) {
      const Label label = parsed.inputs[k][axis];
      const std::int64_t extent = arrays[k].shape()[static_cast<int>(axis)];
      const auto first = std::ranges::find(parsed.inputs[k], label) - parsed.inputs[k].begin();
      if (extent != arrays[k].shape()[static_cast<int>(first)]) {
        fail<ShapeError>(call, "'", text_of(label), "' names axes of ", arrays[k].shape()[static_cast<int>(first)],
                         " and of ", extent, " cells of shape ", arrays[k].shape(), ": a diagonal is of equal ones");
      }
      const auto known = extents.emplace(label, extent).first;
      if (known->second == 1) known->second = extent;
      if (extent != known->second && extent != 1) {
        fail<ShapeError>(call, "'", text_of(label), "' is an axis of ", known->second, " cells and of ", extent,
                         ": they must agree, or be 1");
      }
    }
  }
  return extents;
}

// The array with the labels' axes in this order; those that it lacks have extent 1.
Array with_axes(const Call& call, const Term& term, const Labels& labels) {
  std::vector<int> order;
  Shape shape;
  for (const Label label : labels) {
    const auto found = std::ranges::find(term.labels, label);
    if (found == term.labels.end()) {
      shape.push_back(1);
      continue;
    }
    order.push_back(static_cast<int>(found - term.labels.begin()));
    shape.push_back(term.array.shape()[order.back()]);
  }
  const Array turned =
      order.size() < 2 ? term.array : term.array.transpose(Axes(std::span<const int>(order)), call.where);
  return turned.shape() == shape ? turned : turned.reshape(shape, call.where);
}

Array summed(const Call& call, const Array& a, const std::vector<int>& axes) {
  const Axes over{std::span<const int>(axes)};
  if (a.dtype() != DType::Bool) return total(call, a, a.dtype(), over, false);
  return total(call, a, DType::Int64, over, false).astype(DType::Bool, call.where);
}

// Without the axes whose cells are repeated, those that stand twice, and those that nobody else needs.
Term prepared(const Call& call, Array array, Labels labels, const std::map<Label, std::int64_t>& extents,
              const Labels& needed) {
  std::vector<int> repeated;
  Labels left;
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const int k = static_cast<int>(axis);
    const bool is_one = array.shape()[k] == 1 && extents.at(labels[axis]) != 1;
    if (is_one) {
      repeated.push_back(k);
    } else {
      left.push_back(labels[axis]);
    }
  }
  if (!repeated.empty()) array = squeeze(array, Axes(std::span<const int>(repeated)), call.where);
  for (std::size_t first = 0; first < left.size(); ++first) {
    const auto again = std::find(left.begin() + static_cast<std::ptrdiff_t>(first) + 1, left.end(), left[first]);
    if (again == left.end()) continue;
    const Label label = left[first];
    array = diagonal(array, 0, static_cast<int>(first), static_cast<int>(again - left.begin()), call.where);
    left.erase(again);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
    left.push_back(label);
    --first;
  }
  std::vector<int> lone;
  Labels kept;
  for (std::size_t axis = 0; axis < left.size(); ++axis) {
    if (has(needed, left[axis])) {
      kept.push_back(left[axis]);
    } else {
      lone.push_back(static_cast<int>(axis));
    }
  }
  if (!lone.empty()) array = summed(call, array, lone);
  return {array, kept};
}

Labels joined(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The labels' axes of a term as one.
Shape shape_as(const Term& term, const Labels& batch, std::initializer_list<Labels> groups) {
  const auto extent = [&](Label label) {
    const auto place = std::ranges::find(term.labels, label) - term.labels.begin();
    return term.array.shape()[static_cast<int>(place)];
  };
  Shape shape;
  for (const Label label : batch) shape.push_back(extent(label));
  for (const Labels& group : groups) {
    std::int64_t cells = 1;
    for (const Label label : group) cells *= extent(label);
    shape.push_back(cells);
  }
  return shape;
}

// The product of two, summed over what is in both and not needed.
Term paired(const Call& call, const Term& a, const Term& b, const Labels& needed) {
  Labels batch, contracted, of_a, of_b;
  for (const Label label : a.labels)
    (!has(b.labels, label) ? of_a : has(needed, label) ? batch : contracted).push_back(label);
  for (const Label label : b.labels) {
    if (!has(a.labels, label)) of_b.push_back(label);
  }
  const Labels labels = joined({batch, of_a, of_b});
  if (contracted.empty() || (of_a.empty() && of_b.empty())) {
    const Labels all = joined({labels, contracted});
    const Array left = with_axes(call, a, all), right = with_axes(call, b, all);
    const Array product = Operand(left, call.where) * Operand(right, call.where);
    std::vector<int> axes;
    for (std::size_t axis = labels.size(); axis < all.size(); ++axis) axes.push_back(static_cast<int>(axis));
    return {axes.empty() ? product : summed(call, product, axes), labels};
  }
  const auto axes_of = [&](const Term& term) {
    std::vector<int> axes;
    for (const Label label : contracted)
      axes.push_back(static_cast<int>(std::ranges::find(term.labels, label) - term.labels.begin()));
    return axes;
  };
  if (labels.size() + contracted.size() <= kMaxAxes && is_short_contraction(a.array, axes_of(a), b.array, axes_of(b))) {
    const Labels all = joined({labels, contracted});
    const Array left = with_axes(call, a, all), right = with_axes(call, b, all);
    return {contract_points(call, left, right, static_cast<int>(contracted.size())), labels};
  }
  const Array left = with_axes(call, a, joined({batch, of_a, contracted}));
  const Array right = with_axes(call, b, joined({batch, contracted, of_b}));
  const Shape rows = shape_as(a, batch, {of_a, contracted}), columns = shape_as(b, batch, {contracted, of_b});
  const Array product = matmul(left.reshape(rows, call.where), right.reshape(columns, call.where), call.where);
  Shape shape;
  for (std::size_t axis = 0; axis < batch.size(); ++axis) shape.push_back(rows[static_cast<int>(axis)]);
  const auto add = [&](const Term& term, const Labels& group) {
    for (const std::int64_t extent : shape_as(term, group, {})) shape.push_back(extent);
  };
  add(a, of_a);
  add(b, of_b);
  return {product.reshape(shape, call.where), labels};
}

}  // namespace

Array einsum(std::string_view subscripts, const std::vector<Array>& arrays, std::source_location where) {
  const Call call{"einsum", where};
  if (arrays.empty()) fail<ValueError>(call, "no arrays are given: give one at least");
  const Parsed parsed = parse(call, subscripts, arrays);
  const auto extents = extents_of(call, parsed, arrays);
  DType dtype = arrays[0].dtype();
  for (const Array& array : arrays) dtype = promote(dtype, array.dtype());
  // What the result and the arrays from this one on need.
  const auto needed_from = [&](std::size_t first) {
    Labels needed = parsed.output;
    for (std::size_t k = first; k < arrays.size(); ++k) needed = joined({needed, parsed.inputs[k]});
    return needed;
  };
  const auto term_of = [&](std::size_t k) {
    Labels needed = needed_from(k + 1);
    for (std::size_t before = 0; before < k; ++before) needed = joined({needed, parsed.inputs[before]});
    const Array array = arrays[k].dtype() == dtype ? arrays[k] : arrays[k].astype(dtype, where);
    return prepared(call, array, parsed.inputs[k], extents, needed);
  };
  Term product = term_of(0);
  for (std::size_t k = 1; k < arrays.size(); ++k) product = paired(call, product, term_of(k), needed_from(k + 1));
  // An axis whose cells were repeated in one array may be left, once no other array has it.
  std::vector<int> rest;
  Labels kept;
  for (std::size_t axis = 0; axis < product.labels.size(); ++axis) {
    if (has(parsed.output, product.labels[axis])) {
      kept.push_back(product.labels[axis]);
    } else {
      rest.push_back(static_cast<int>(axis));
    }
  }
  if (!rest.empty()) product = {summed(call, product.array, rest), kept};
  return with_axes(call, product, parsed.output);
}

}  // namespace pilum::numeric
