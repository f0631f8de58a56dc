#include "tests/faults/options.h"

#include <algorithm>
#include <iostream>

#include "tests/faults/mutation.h"
#include "tests/faults/run.h"

namespace pilum::faults {
namespace {

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') json += '\\';
    json += character;
  }
  return json + '"';
}

// One cell of more than 64 KiB of imported data is another one: only full checking promises to see it.
bool is_large_import(const Program& mutated, const Program& program) {
  const auto difference = find_difference(program, mutated);
  if (!difference || difference->second_place >= mutated.size()) return false;
  const Step& step = mutated[difference->second_place];
  const std::int64_t cells = step.extent * std::max<std::int64_t>(step.columns, 1);
  return step.altered >= 0 && !step.altered_on && cells * std::int64_t{sizeof(double)} > 64 << 10;
}

void list(const Options& options, std::uint64_t seed, bool in_one_process) {
  const Program program = draw_program(options.program, options.size);
  const Mutation mutation = draw_mutation(program, options.size, seed, options.kind, in_one_process);
  const auto difference = find_difference(program, mutation.program);
  std::cout << "{\"mutation\": " << seed << ", \"kind\": " << quoted(mutation.kind)
            << ", \"what\": " << quoted(mutation.what) << ", \"steps\": " << program.size();
  if (is_large_import(mutation.program, program)) std::cout << ", \"sampled\": true";
  if (mutation.setting)
    std::cout << ", \"setting\": " << quoted(mutation.setting->first)
              << ", \"value\": " << quoted(mutation.setting->second);
  if (difference) {
    std::cout << ", \"first\": " << quoted(difference->first) << ", \"second\": " << quoted(difference->second)
              << ", \"lines\": [" << lines_of(program)[difference->first_place] << ", "
              << lines_of(mutation.program)[difference->second_place] << "]";
  }
  std::cout << "}\n";
}

}  // namespace

Options read_options(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == "--two-axes")
      options.size.two_axes = true;
    else if (arguments[k] == "--extent")
      options.size.extent = std::stoll(arguments.at(++k));
    else if (arguments[k] == "--report")
      options.report = arguments.at(++k);
    else
      words.push_back(arguments[k]);
  }
  if (!words.empty()) options.program = std::stoull(words[0]);
  if (words.size() > 1) options.mutation = std::stoull(words[1]);
  if (words.size() > 2) options.rank = std::stoi(words[2]);
  if (words.size() > 3) options.kind = words[3];
  return options;
}

void list_mutations(const std::vector<std::string>& arguments, bool in_one_process) {
  std::vector<std::string> words = arguments;
  const std::string range = words.at(1);
  words.insert(words.begin() + 2, "0");  // the rank
  const Options options = read_options(words);
  const std::uint64_t first = std::stoull(range), last = std::stoull(range.substr(range.find(':') + 1));
  for (std::uint64_t seed = first; seed <= last; ++seed) list(options, seed, in_one_process);
}

}  // namespace pilum::faults
