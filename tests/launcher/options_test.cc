#include "launcher/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "plaunch");
  return parse_options(static_cast<int>(words.size()), words.data());
}

std::string setting(const Options& options, const std::string& variable) {
  for (const GivenSetting& setting : options.settings) {
    if (setting.variable == variable) return setting.value;
  }
  return "(not set)";
}

TEST(Options, WithoutOptionsOneRankRuns) {
  const Options options = parse({"jacobi"});
  EXPECT_EQ(options.ranks(), 1);
  EXPECT_FALSE(options.cpus);
  EXPECT_TRUE(options.settings.empty());
  EXPECT_EQ(options.application, (Words{"jacobi"}));
}

TEST(Options, WhatFollowsTheApplicationIsItsOwn) {
  const Options options = parse({"--cpus", "2", "jacobi", "--cpus", "7", "-n", "--help", "--", "x"});
  EXPECT_EQ(options.cpus, 2);
  EXPECT_EQ(options.application, (Words{"jacobi", "--cpus", "7", "-n", "--help", "--", "x"}));
  EXPECT_TRUE(options.answer.empty());
}

TEST(Options, DashesEndTheOptions) {
  EXPECT_EQ(parse({"--cpus=1", "--", "-odd"}).application, (Words{"-odd"}));
}

TEST(Options, TheLastOfTwoCounts) {
  EXPECT_EQ(parse({"--cpus", "2", "--cpus", "3", "a"}).cpus, 3);
}

TEST(Options, SettingsBecomeVariables) {
  const Options options =
      parse({"--transport", "ucx", "--output", "all", "--print", "tasks,plan", "--print-dot", "d", "--profile", "f",
             "--log-level", "info", "--compiler", "g++", "--window", "99", "--show-stats", "a"});
  EXPECT_EQ(setting(options, "PILUM_TRANSPORT"), "ucx");
  EXPECT_EQ(setting(options, "PILUM_OUTPUT"), "all");
  EXPECT_EQ(setting(options, "PILUM_PRINT"), "tasks,plan");
  EXPECT_EQ(setting(options, "PILUM_PRINT_DOT"), "d");
  EXPECT_EQ(setting(options, "PILUM_PROFILE"), "f");
  EXPECT_EQ(setting(options, "PILUM_LOG_LEVEL"), "info");
  EXPECT_EQ(setting(options, "PILUM_COMPILER"), "g++");
  EXPECT_EQ(setting(options, "PILUM_WINDOW"), "99");
  EXPECT_EQ(setting(options, "PILUM_SHOW_STATS"), "1");
}

TEST(Options, ExplainIsOneMoreOfWhatIsPrinted) {
  EXPECT_EQ(setting(parse({"--explain", "a"}), "PILUM_PRINT"), "fusion");
  EXPECT_EQ(setting(parse({"--explain", "--print", "tasks,plan", "a"}), "PILUM_PRINT"), "tasks,plan,fusion");
  EXPECT_EQ(setting(parse({"--print", "tasks", "--explain", "a"}), "PILUM_PRINT"), "tasks,fusion");
  EXPECT_EQ(setting(parse({"--print", "fusion,tasks", "--explain", "a"}), "PILUM_PRINT"), "fusion,tasks");
  EXPECT_EQ(setting(parse({"--explain=false", "a"}), "PILUM_PRINT"), "(not set)");
  EXPECT_EQ(parse({"--explain", "a"}).application, (Words{"a"}));
}

TEST(Options, AFlagTakesNoValue) {
  EXPECT_THAT([] { parse({"--explain=soup", "a"}); },
              ThrowsMessage<ValueError>(HasSubstr("--explain = soup: it takes no value")));
  EXPECT_THAT([] { parse({"--explained", "a"}); }, ThrowsMessage<ValueError>(HasSubstr("the nearest is --explain")));
}

TEST(Options, BytesTakeASuffix) {
  const auto bytes = [](const char* text) { return setting(parse({"--sysmem", text, "a"}), "PILUM_SYSTEM_MEMORY"); };
  EXPECT_EQ(bytes("123"), "123");
  EXPECT_EQ(bytes("4K"), "4096");
  EXPECT_EQ(bytes("3M"), "3145728");
  EXPECT_EQ(bytes("2GiB"), "2147483648");
  for (const char* wrong : {"", "0", "-1", "G", "4X", "1.5G", "4 G", "99999999999G"}) {
    EXPECT_THROW(bytes(wrong), ValueError) << wrong;
  }
}

TEST(Options, GpusAndTheirMemoryBecomeVariables) {
  const Options options = parse({"--gpus", "2", "--fbmem", "4G", "a"});
  EXPECT_EQ(setting(options, "PILUM_GPUS"), "2");
  EXPECT_EQ(setting(options, "PILUM_GPU_MEMORY"), "4294967296");
  EXPECT_EQ(setting(parse({"--gpus", "0", "a"}), "PILUM_GPUS"), "0");
  EXPECT_EQ(setting(parse({"a"}), "PILUM_GPUS"), "(not set)");
  for (const char* wrong : {"-1", "all", "", "1.5", "1001"}) {
    EXPECT_THAT([&] { parse({"--gpus", wrong, "a"}); },
                ThrowsMessage<ValueError>(HasSubstr("--gpus " + std::string(wrong) + ": it takes")));
  }
  for (const char* wrong : {"", "0", "-1", "G", "1.5G"}) {
    EXPECT_THAT(
        [&] { parse({"--fbmem", wrong, "a"}); },
        ThrowsMessage<ValueError>(HasSubstr("--fbmem " + std::string(wrong) + ": it takes a whole number of bytes")));
  }
}

TEST(Options, ANumberThatIsNoneIsRefusedByName) {
  for (const char* option : {"--cpus", "--nodes", "--ranks-per-node", "--window"}) {
    for (const char* value : {"0", "-3", "two", "1.5", "", "99999999999999999999"}) {
      EXPECT_THAT(
          [&] { parse({option, value, "a"}); },
          ThrowsMessage<ValueError>(HasSubstr(std::string(option) + " " + value + ": it takes a whole number")));
    }
  }
}

TEST(Options, AnUnknownOptionIsNotTakenForTheApplication) {
  EXPECT_THAT([] { parse({"--gpu-count", "2", "jacobi"}); },
              ThrowsMessage<ValueError>(HasSubstr("--gpu-count: plaunch has no such option")));
  EXPECT_THAT([] { parse({"--rank-per-node=2", "jacobi"}); },
              ThrowsMessage<ValueError>(HasSubstr("the nearest is --ranks-per-node")));
  EXPECT_THAT([] { parse({"-n", "2", "jacobi"}); },
              ThrowsMessage<ValueError>(HasSubstr("-n: plaunch has no such option")));
}

TEST(Options, AMissingValueIsNamed) {
  EXPECT_THAT([] { parse({"--cpus"}); }, ThrowsMessage<ValueError>(HasSubstr("--cpus: a value must follow")));
}

TEST(Options, WithoutAnApplicationOnlyTheConfigurationCanBeShown) {
  EXPECT_THAT([] { parse({"--cpus", "2"}); }, ThrowsMessage<ValueError>(HasSubstr("no application is named")));
  EXPECT_TRUE(parse({"--show-config"}).show_config);
}

TEST(Options, AnUnknownLauncherIsRefusedWithTheChoices) {
  EXPECT_THAT([] { parse({"--launcher", "ssh", "a"}); }, ThrowsMessage<ValueError>(HasSubstr("none, mpirun, srun")));
}

TEST(Options, LauncherExtraIsSplitAsAShellWould) {
  EXPECT_EQ(parse({"--launcher-extra", "--host 'a b'", "x"}).launcher_extra, (Words{"--host", "a b"}));
  EXPECT_THAT([] { parse({"--launcher-extra", "'a", "x"}); },
              ThrowsMessage<ValueError>(HasSubstr("--launcher-extra 'a")));
}

TEST(Options, HelpNamesEveryOption) {
  const std::string help = parse({"--help"}).answer;
  for (const char* option :
       {"--cpus",      "--gpus",           "--fbmem",     "--ranks-per-node", "--nodes",       "--oversubscribe",
        "--launcher ", "--launcher-extra", "--transport", "--sysmem",         "--output",      "--print ",
        "--print-dot", "--explain",        "--profile",   "--show-stats",     "--show-config", "--log-level",
        "--dry-run",   "--compiler",       "--window",    "--version",        "examples"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
  EXPECT_THAT(parse({"--version"}).answer, testing::StartsWith("plaunch 0."));
}

}  // namespace
}  // namespace pilum::launcher
