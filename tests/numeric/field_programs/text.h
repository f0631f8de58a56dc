// The same as the text of the program.
#pragma once

#include <array>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/numeric/field_programs/program.h"

namespace pilum::field_programs {

struct Text {
  std::string text;
};

inline const char* name_of(Op op) {
  constexpr std::array kNames{" + ", " - ", " * ", "np::minimum", "np::maximum", "np::remainder"};
  return kNames[static_cast<std::size_t>(op)];
}

inline std::string number_text(double number) {
  std::ostringstream text;
  text << std::showpoint << std::setprecision(2) << number;
  return text.str();
}

template <class Numbers>
std::string list_text(const Numbers& numbers) {
  std::ostringstream text;
  for (const auto number : numbers) text << (text.tellp() > 0 ? ", " : "") << number;
  return "{" + text.str() + "}";
}

inline std::string list_text(const std::vector<Text>& parts) {
  std::string text;
  for (const Text& part : parts) text += (text.empty() ? "" : ", ") + part.text;
  return "{" + text + "}";
}

inline Text view_of(const Text& a, const Picks& picks) {
  std::string text;
  for (const Pick& pick : picks) {
    text += text.empty() ? "" : ", ";
    switch (pick.kind) {
      case Pick::Kind::Position: text += std::to_string(pick.first); break;
      case Pick::Kind::Range: {
        const auto stop = stop_of(pick);
        text += "slice(" + std::to_string(pick.first) + ", " + (stop ? std::to_string(*stop) : "{}") +
                (pick.step == 1 ? "" : ", " + std::to_string(pick.step)) + ")";
        break;
      }
      case Pick::Kind::All: text += "all"; break;
      case Pick::Kind::New: text += "np::newaxis"; break;
    }
  }
  return {a.text + "(" + text + ")"};
}

inline Text binary(Op op, const Text& a, const Text& b) {
  if (op >= Op::Minimum) return {name_of(op) + ("(" + a.text) + ", " + b.text + ")"};
  return {"(" + a.text + name_of(op) + b.text + ")"};
}

inline Text with_number(Op op, const Text& a, double number, bool number_first) {
  const Text text{number_text(number)};
  return number_first ? binary(op, text, a) : binary(op, a, text);
}

inline Text choose(Compare compare, const Text& a, double number, const Text& x, const Text& y) {
  constexpr std::array kNames{" > ", " == ", " <= "};
  return {"np::where(" + a.text + kNames[static_cast<std::size_t>(compare)] + number_text(number) + ", " + x.text +
          ", " + y.text + ")"};
}

inline Text folded(FoldOp fold, const Text& a, const std::vector<int>& axes, bool keepdims) {
  constexpr std::array kNames{"np::sum(", "np::max(", "np::min("};
  return {kNames[static_cast<std::size_t>(fold)] + a.text + ", " + list_text(axes) + (keepdims ? ", true)" : ")")};
}

inline Text rolled(const Text& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  return {"np::roll(" + a.text + ", " + list_text(shifts) + ", " + list_text(axes) + ")"};
}

inline Text concatenated(const std::vector<Text>& parts) {
  return {"np::concatenate(" + list_text(parts) + ", 0)"};
}

inline Text stacked(const std::vector<Text>& parts) {
  return {"np::stack(" + list_text(parts) + ")"};
}

inline Text flipped(const Text& a) {
  return {"np::flip(" + a.text + ", 0)"};
}

inline Text moved(const Text& a, int source, int destination) {
  return {"np::moveaxis(" + a.text + ", " + std::to_string(source) + ", " + std::to_string(destination) + ")"};
}

inline Text swapped(const Text& a) {
  return {"np::swapaxes(" + a.text + ", -1, -2)"};
}

inline Text copied(const Text& a) {
  return {a.text + ".copy()"};
}

}  // namespace pilum::field_programs
