#include "launcher/banner_filter.h"

#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

const std::string kRule(74, '-');

TEST(BannerFilter, BlocksBetweenDashedLinesAreHeldBack) {
  BannerFilter filter;
  EXPECT_EQ(filter.pass("before\n" + kRule + "\nmpirun detected trouble\n\n" + kRule + "\nafter\n"), "before\nafter\n");
  EXPECT_NE(filter.messages().find("detected trouble"), std::string::npos);
}

TEST(BannerFilter, BytesMayArriveInAnyPieces) {
  const std::string stream = "one\n" + kRule + "\nblock\n" + kRule + "\n[host:12] PMIX ERROR: x in file y\ntwo\n";
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    BannerFilter filter;
    std::string passed;
    for (std::size_t at = 0; at < stream.size(); at += piece) passed += filter.pass(stream.substr(at, piece));
    EXPECT_EQ(passed, "one\ntwo\n") << "in pieces of " << piece;
  }
}

TEST(BannerFilter, LinesOfLaunchersAreHeldBack) {
  BannerFilter filter;
  EXPECT_EQ(filter.pass("mpirun noticed that process rank 1 with PID 7 on node a exited on signal 9 (Killed).\n"
                        "[node-a:00123] 3 more processes have sent help message\n"
                        "PMIX ERROR: LOST-CONNECTION in file x.c\n"
                        "2 total processes killed (some possibly by mpirun during cleanup)\n"
                        "srun: error: node-a: task 1: Killed\n"),
            "");
}

TEST(BannerFilter, LinesThatOnlyLookAlikePass) {
  const std::string lines = "[0:3, 4:8] is a rectangle\n[host:12x] y\n[:12] z\n[a b:12] w\n---\n12 items\n";
  BannerFilter filter;
  EXPECT_EQ(filter.pass(lines), lines);
}

TEST(BannerFilter, AnUnfinishedLineComesAtTheEnd) {
  BannerFilter filter;
  EXPECT_EQ(filter.pass("half"), "");
  EXPECT_EQ(filter.finish(), "half");
  EXPECT_EQ(filter.finish(), "");
}

TEST(BannerFilter, TheExplanationIsWhatBlocksSayOnceEach) {
  BannerFilter filter;
  const auto block = [](const std::string& text) { return kRule + "\n" + text + "\n" + kRule + "\n"; };
  const std::string missing = "A requested component was not found.\n\nFramework: btl\nComponent: nonsense";
  filter.pass(block(missing) + "[node:12] *** An error occurred in MPI_Init_thread\n" + block(missing) +
              block("Primary job  terminated normally, but 1 process returned\na non-zero exit code.") +
              block("mpirun detected that one or more processes exited with non-zero status"));
  EXPECT_EQ(filter.explanation(), "  A requested component was not found.\n  Framework: btl\n  Component: nonsense");
}

TEST(BannerFilter, WithoutAReasonThereIsNoExplanation) {
  BannerFilter filter;
  filter.pass("before\n" + kRule + "\nmpirun noticed that process rank 1 with PID 7 exited on signal 9\n" + kRule +
              "\n");
  EXPECT_EQ(filter.explanation(), "");
}

TEST(BannerFilter, WordsAreBounded) {
  BannerFilter filter;
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(filter.pass("[host:1] the same again and again\n"), "");
  EXPECT_LE(filter.messages().size(), 20'000u);
}

}  // namespace
}  // namespace pilum::launcher
