#include "runtime/comm/agreement.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "pilum/error.h"

namespace pilum::comm {
namespace {

// A text cannot hold this character: variables cannot.
constexpr char kEnd = '\0';

std::string join(std::span<const NamedValue> values) {
  std::string text;
  for (const NamedValue& value : values) text += value.name + kEnd + value.value + kEnd;
  return text;
}

std::vector<NamedValue> split(std::string_view text) {
  std::vector<NamedValue> values;
  const auto next = [&text] {
    const std::size_t end = std::min(text.find(kEnd), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  };
  while (!text.empty()) {
    std::string name = next();
    values.push_back({std::move(name), next()});
  }
  return values;
}

// FNV-1a. Of one program's texts on different ranks: nobody chooses them to collide.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return digest;
}

std::vector<std::uint64_t> gather(Bootstrap& bootstrap, std::uint64_t mine) {
  const std::vector<std::byte> bytes = bootstrap.all_gather(std::as_bytes(std::span(&mine, 1)), [] {});
  std::vector<std::uint64_t> all(bytes.size() / sizeof mine);
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

std::vector<std::vector<NamedValue>> gather_texts(Bootstrap& bootstrap, std::string text) {
  const std::vector<std::uint64_t> sizes = gather(bootstrap, text.size());
  const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
  text.resize(longest);
  const std::vector<std::byte> bytes = bootstrap.all_gather(std::as_bytes(std::span(text)), [] {});
  std::vector<std::vector<NamedValue>> all;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    all.push_back(split({reinterpret_cast<const char*>(bytes.data()) + rank * longest, sizes[rank]}));
  }
  return all;
}

std::string value_in(const std::vector<NamedValue>& values, const std::string& name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const NamedValue& one) { return one.name == name; });
  return found == values.end() ? "unknown" : found->value;
}

}  // namespace

void check_agreement(Bootstrap& bootstrap, std::span<const NamedValue> mine) {
  const std::string text = join(mine);
  const std::vector<std::uint64_t> digests = gather(bootstrap, digest_of(text));
  const auto other = std::find_if(digests.begin(), digests.end(), [&](auto digest) { return digest != digests[0]; });
  if (other == digests.end()) return;

  const std::vector<std::vector<NamedValue>> all = gather_texts(bootstrap, text);
  const auto rank = static_cast<std::size_t>(other - digests.begin());
  std::string differences;
  for (const NamedValue& value : all[0]) {
    const std::string there = value_in(all[rank], value.name);
    if (there == value.value) continue;
    differences += (differences.empty() ? "" : ", ") + value.name + " is " + value.value + " on rank 0 and " + there +
                   " on rank " + std::to_string(rank);
  }
  // Builds that compare different settings have different versions, as a rule.
  if (differences.empty()) differences = "the builds of ranks 0 and " + std::to_string(rank) + " are not the same";
  throw ValueError(
      "[Runtime] settings differ between ranks: " + differences +
      ". They decide how arrays are cut and what is sent, so all ranks need the same: plaunch sees to it, " +
      "with mpirun it is -x NAME=VALUE for every rank");
}

}  // namespace pilum::comm
