#include "runtime/profile/trace.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "pilum/error.h"

namespace pilum::profile {
namespace {

namespace fs = std::filesystem;

// A trace in a file, and what Python's parser says of it.
class Trace : public testing::Test {
 protected:
  ~Trace() override { fs::remove(path_); }
  // The value of a Python expression over `t`, the parsed file.
  std::string python(const std::string& expression) {
    const std::string command =
        "python3 -c 'import json; t = json.load(open(\"" + path_ + "\")); print(" + expression + ")' 2>&1";
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    for (char text[256]; std::fgets(text, sizeof text, pipe);) output += text;
    pclose(pipe);
    if (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
  }
  std::string path_ = (fs::temp_directory_path() / ("pilum_trace_" + std::to_string(getpid()) + ".json")).string();
};

TEST_F(Trace, IsJsonWithASpanAnEvent) {
  Recorder recorder(/*on=*/true);
  recorder.name_lane(2, "worker 2");
  recorder.add({"sten\"cil\\\n\x01 µ", "kernel", 2, 1'234'567, 1'234'999});
  recorder.add({"halo", "message", 0, 5, 1'000'005});
  recorder.counters.launches.add(7);
  save_trace(path_, recorder, /*rank=*/3);
  EXPECT_EQ(python("len(t[\"traceEvents\"])"), "4");
  EXPECT_EQ(python("set(e[\"pid\"] for e in t[\"traceEvents\"])"), "{3}");
  EXPECT_EQ(python("[(e[\"name\"], e[\"cat\"], e[\"tid\"], e[\"ts\"], e[\"dur\"]) for e in t[\"traceEvents\"] if "
                   "e[\"ph\"] == \"X\"][0]"),
            "('halo', 'message', 0, 0.005, 1000.0)");
  EXPECT_EQ(
      python("[e[\"dur\"] for e in t[\"traceEvents\"] if e[\"name\"] == \"sten\\\"cil\\\\\\n\\x01 \" + chr(181)]"),
      "[0.432]");
  EXPECT_EQ(python("[e[\"args\"][\"name\"] for e in t[\"traceEvents\"] if e[\"name\"] == \"thread_name\"]"),
            "['worker 2']");
  EXPECT_EQ(python("t[\"otherData\"][\"launches\"]"), "7");
}

TEST_F(Trace, OfNothingIsJsonToo) {
  save_trace(path_, Recorder(/*on=*/true), /*rank=*/0);
  EXPECT_EQ(python("[e[\"ph\"] for e in t[\"traceEvents\"]]"), "['M']");
}

TEST_F(Trace, AFolderThatIsNotThereIsNamed) {
  try {
    save_trace("/nowhere/at/all.json", Recorder(/*on=*/true), 0);
    FAIL() << "no error";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot write /nowhere/at/all.json: No such file or directory"));
    EXPECT_THAT(error.what(), testing::HasSubstr("PILUM_PROFILE"));
  }
}

TEST(TracePath, RanksWriteFilesOfTheirOwn) {
  EXPECT_EQ(trace_path("run.json", 0, 1), "run.json");
  EXPECT_EQ(trace_path("run.json", 3, 4), "run.3.json");
  EXPECT_EQ(trace_path("/tmp/a.b/run", 1, 2), "/tmp/a.b/run.1");
  EXPECT_EQ(trace_path(".hidden", 1, 2), ".hidden.1");
}

}  // namespace
}  // namespace pilum::profile
