#include "runtime/base/config.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "pilum/error.h"
#include "runtime/base/settings.h"

namespace pilum {
namespace {

// What a setting's variable says, checked and written into its field.
class Reader {
 public:
  Reader(const Setting& setting, const char* text, Config& config) : setting_(setting), text_(text), config_(config) {}

  void operator()(std::monostate) const {}

  void operator()(int Config::* field) const {
    int number = 0;
    const auto [end, error] = std::from_chars(text_, text_ + std::strlen(text_), number);
    if (error != std::errc() || *end || number < setting_.lowest) {
      refuse("a whole number of at least " + std::to_string(setting_.lowest));
    }
    config_.*field = number;
  }

  void operator()(std::int64_t Config::* field) const {
    const bool unset = setting_.lowest < 0 && std::string_view(text_) == std::to_string(setting_.lowest);
    const auto bytes = unset ? std::optional(setting_.lowest) : parse_bytes(text_);
    if (!bytes) refuse("a whole number of bytes, 0 or more, optionally followed by K, M, G or T: 64M");
    config_.*field = *bytes;
  }

  void operator()(bool Config::* field) const {
    const std::string_view text = text_;
    const bool yes = text == "1" || text == "yes" || text == "on" || text == "true";
    if (!yes && text != "0" && text != "no" && text != "off" && text != "false" && !text.empty()) refuse("0 or 1");
    config_.*field = yes;
  }

  void operator()(std::string Config::* field) const {
    if (setting_.list) {
      std::istringstream words(text_);
      for (std::string word; std::getline(words, word, ',');) check_choice(word);
    } else {
      check_choice(text_);
    }
    config_.*field = text_;
  }

 private:
  void check_choice(const std::string& word) const {
    if (setting_.choices.empty()) return;
    const std::string listed = ", " + std::string(setting_.choices) + ",";
    if (!word.empty() && word.find(',') == std::string::npos && listed.find(" " + word + ",") != std::string::npos)
      return;
    throw ValueError("[Runtime] " + std::string(setting_.variable) + "=" + word + ": it takes one of " +
                     std::string(setting_.choices));
  }

  [[noreturn]] void refuse(const std::string& wanted) const {
    throw ValueError("[Runtime] " + std::string(setting_.variable) + "=" + text_ + ": it takes " + wanted);
  }

  const Setting& setting_;
  const char* text_;
  Config& config_;
};

}  // namespace

Config read_config() {
  check_variables();
  Config config;
  for (const Setting& setting : settings()) {
    if (setting.variable.empty()) continue;
    const char* text = std::getenv(std::string(setting.variable).c_str());
    if (text) std::visit(Reader(setting, text, config), setting.field);
  }
  return config;
}

}  // namespace pilum
