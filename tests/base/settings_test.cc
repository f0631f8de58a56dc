#include "runtime/base/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace pilum {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Settings, NamesAreDistinctAndWellFormed) {
  std::set<std::string_view> names;
  for (const Setting& setting : settings()) {
    EXPECT_FALSE(setting.variable.empty() && setting.option.empty());
    EXPECT_FALSE(setting.help.empty()) << setting.variable << setting.option;
    if (!setting.variable.empty()) {
      EXPECT_TRUE(setting.variable.starts_with("PILUM_"));
      EXPECT_TRUE(names.insert(setting.variable).second) << setting.variable;
      const bool is_test =
          setting.variable.starts_with(kTestPrefixes[0]) || setting.variable.starts_with(kTestPrefixes[1]);
      EXPECT_FALSE(is_test) << setting.variable;
    }
    if (!setting.option.empty()) {
      EXPECT_TRUE(setting.option.starts_with("--"));
      EXPECT_TRUE(names.insert(setting.option).second) << setting.option;
    }
  }
}

TEST(Settings, NoTwoFillOneField) {
  const auto all = settings();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = all[i].field == all[j].field && !std::holds_alternative<std::monostate>(all[i].field);
      EXPECT_FALSE(same) << all[i].variable << ", " << all[j].variable;
    }
  }
}

TEST(Settings, TheNearestNameIsFound) {
  EXPECT_EQ(nearest_variable("PILUM_WINDOWS"), "PILUM_WINDOW");
  EXPECT_EQ(nearest_variable("PILUM_SPLITBYTES"), "PILUM_SPLIT_BYTES");
  EXPECT_EQ(nearest_option("--cpu"), "--cpus");
  EXPECT_EQ(nearest_option("--rank-per-node"), "--ranks-per-node");
}

std::string value_of(const Config& config, const std::string& name) {
  for (const NamedValue& value : values_to_agree_on(config)) {
    if (value.name == name) return value.value;
  }
  return "(not compared)";
}

TEST(Settings, WhatDecidesCutsAndMessagesIsCompared) {
  Config config;
  EXPECT_EQ(value_of(config, "PILUM_WINDOW"), "the default");
  EXPECT_EQ(value_of(config, "PILUM_TRANSPORT"), "best (the default)");
  config.window = 20;
  config.transport = "mpi";
  config.print = "tasks";
  config.gpu_sharing = false;
  EXPECT_EQ(value_of(config, "PILUM_WINDOW"), "20");
  EXPECT_EQ(value_of(config, "PILUM_TRANSPORT"), "mpi");
  EXPECT_EQ(value_of(config, "PILUM_PRINT"), "tasks");
  EXPECT_EQ(value_of(config, "PILUM_GPU_SHARING"), "0");
  for (const char* name :
       {"PILUM_PLAN_CACHE", "PILUM_SPLIT_BYTES", "PILUM_MESSAGE_BYTES", "PILUM_PRINT_DOT", "PILUM_GPUS"}) {
    EXPECT_NE(value_of(config, name), "(not compared)") << name;
  }
  EXPECT_NE(value_of(config, "the version of Pilum"), "(not compared)");
}

TEST(Settings, WhatConcernsOneRankAloneMayDiffer) {
  for (const char* name :
       {"PILUM_CPUS", "PILUM_CACHE_DIR", "PILUM_LOG_LEVEL", "PILUM_SYSTEM_MEMORY", "PILUM_PROFILE", "PILUM_OUTPUT"}) {
    EXPECT_EQ(value_of({}, name), "(not compared)") << name;
  }
}

TEST(Settings, TheHelpLinesUp) {
  std::istringstream help(settings_as_help(Setting::Section::Place));
  for (std::string line; std::getline(help, line);) {
    EXPECT_TRUE(line.starts_with("  --")) << line;
    EXPECT_LE(line.size(), 120u) << line;
  }
  EXPECT_THAT(settings_as_help(Setting::Section::Method), Not(HasSubstr("PILUM_SUPERVISOR")));
}

// PILUM_TEST_WRITE_DOCS=1 base_test --gtest_filter=Settings.TheDocumentation*   writes the tables anew.
TEST(Settings, TheDocumentationHasTheTables) {
  const std::string begin = "<!-- settings -->\n", end = "<!-- end of settings -->\n";
  std::ostringstream read;
  read << std::ifstream(CONFIGURATION_PAGE).rdbuf();
  const std::string page = read.str();
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::string expected = settings_as_markdown();
  if (std::getenv("PILUM_TEST_WRITE_DOCS")) {
    std::ofstream(CONFIGURATION_PAGE) << page.substr(0, from) << begin << expected << page.substr(to);
    return;
  }
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), expected);
}

}  // namespace
}  // namespace pilum
