#include "apps/support/options.h"

#include <cstdlib>

#include <CLI/CLI.hpp>

namespace app {

struct Options::Parser : CLI::App {
  using CLI::App::App;
};

Options::Options(const char* what) : parser_(std::make_unique<Parser>(what)) {}
Options::~Options() = default;

Options& Options::count(const char* names, std::int64_t& value, const char* what, std::int64_t least) {
  parser_->add_option(names, value, what)->check(CLI::Range(least, std::int64_t{1} << 40))->capture_default_str();
  return *this;
}

Options& Options::number(const char* names, double& value, const char* what, double least, double most) {
  parser_->add_option(names, value, what)->check(CLI::Range(least, most))->capture_default_str();
  return *this;
}

Options& Options::flag(const char* names, bool& value, const char* what) {
  parser_->add_flag(names, value, what);
  return *this;
}

Options& Options::text(const char* names, std::string& value, const char* what) {
  parser_->add_option(names, value, what)->capture_default_str();
  return *this;
}

void Options::parse(int argc, char** argv) {
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(parser_->exit(error));
  }
}

}  // namespace app
