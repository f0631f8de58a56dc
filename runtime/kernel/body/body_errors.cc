// What is wrong with a user's body for GPUs, from what its compiler said.
#include <optional>
#include <string_view>

#include "runtime/kernel/body/body_layout.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

struct Mismatch {
  int number = 0;
  std::string has;
};

// From "… Mismatch<2, pilum::Read<float, 1> > …", as every compiler writes it where it misses that type. The first one,
// but for how many there are, which others follow from.
std::optional<Mismatch> find_mismatch(const std::string& log) {
  constexpr std::string_view kMark = "Mismatch<";
  std::optional<Mismatch> first;
  for (std::size_t place = log.find(kMark); place != std::string_view::npos; place = log.find(kMark, place + 1)) {
    Mismatch found;
    std::size_t at = place + kMark.size();
    const std::size_t digits = at;
    while (at < log.size() && log[at] >= '0' && log[at] <= '9') found.number = found.number * 10 + (log[at++] - '0');
    const std::size_t comma = log.find(',', at);
    if (at == digits || comma == std::string_view::npos) continue;
    int depth = 0;
    for (at = comma + 1; at < log.size() && log[at] != '\n'; ++at) {
      if (log[at] == '<' || log[at] == '(') ++depth;
      if ((log[at] == '>' || log[at] == ')') && depth-- == 0) {
        found.has = log.substr(comma + 1, at - comma - 1);
        found.has.erase(0, found.has.find_first_not_of(' '));
        found.has.erase(found.has.find_last_not_of(' ') + 1);
        if (found.number == kCountMismatch) return found;
        if (!first) first = found;
        break;
      }
    }
  }
  return first;
}

// Of "pilum::detail::Parameters<3>"; with suffixes that compilers give numbers.
int count_in(const std::string& text) {
  int count = 0;
  for (const char character : text) {
    if (character >= '0' && character <= '9') count = count * 10 + (character - '0');
  }
  return count;
}

// "x(3): error: …", "x:3:5: error: …", "…: fatal error: …": not a name of the user's.
bool says_error(std::string_view text) {
  return text.find(": error") != std::string_view::npos || text.find(": fatal error") != std::string_view::npos;
}

// A line of the log that has the name and says that there is an error.
bool has_error_at(const std::string& log, const std::string& name) {
  for (std::size_t place = log.find(name); place != std::string_view::npos; place = log.find(name, place + 1)) {
    if (says_error(std::string_view(log).substr(place, log.find('\n', place) - place))) return true;
  }
  return false;
}

// Without what follows from the first error: the call's lines are none of the user's.
std::string trimmed(const BodySource& body, std::string log) {
  const std::size_t call = log.find(call_name(body));
  if (call != std::string_view::npos && says_error(std::string_view(log).substr(0, call))) log.resize(call);
  log.erase(log.find_last_not_of(" \n") + 1);
  return log;
}

}  // namespace

std::string explain_refusal(const BodySource& body, const BodyForm& form, const std::string& log) {
  const std::string signature = "write it as " + signature_of(body, form.rank);
  const bool found = !has_error_at(log, search_name(body));
  if (const auto mismatch = find_mismatch(log); mismatch && found) {
    const auto number = static_cast<std::size_t>(mismatch->number);
    if (mismatch->number == kCountMismatch) {
      return join("the GPU body takes ", count_in(mismatch->has), " parameters, and the CPU body ",
                  body.parameters.size() + 1, ": ", signature);
    }
    if (number == 0) {
      return join("the GPU body's first parameter is ", mismatch->has, ", and the domain has ", form.rank,
                  form.rank == 1 ? " axis" : " axes", ": it takes a pilum::Point<", form.rank,
                  ">, or a pilum::Piece of one point");
    }
    if (number <= body.parameters.size()) {
      return join("argument ", number, " of the GPU body is ", mismatch->has, ", and of the CPU body ",
                  parameter_name(body.parameters[number - 1]), ": ", signature);
    }
  }
  return join("the GPU body does not compile",
              found ? "" : join(" as a text that defines one ", signature_of(body, form.rank)), ":\n",
              trimmed(body, log));
}

}  // namespace pilum::kernel
