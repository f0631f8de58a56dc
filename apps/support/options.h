// The command line of a program: a thin layer over CLI11, so that its headers are read once for all programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace app {

// Names are CLI11's: "-n,--size". What a variable holds before `parse` is its default, and shown by --help.
class Options {
 public:
  explicit Options(const char* what);
  ~Options();
  Options& count(const char* names, std::int64_t& value, const char* what, std::int64_t least = 1);
  Options& number(const char* names, double& value, const char* what, double least, double most);
  Options& flag(const char* names, bool& value, const char* what);
  Options& text(const char* names, std::string& value, const char* what);
  // Where an option is wrong, or help is asked for, the program ends here: before there is a Runtime.
  void parse(int argc, char** argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace app
