#include "launcher/report.h"

#include <gtest/gtest.h>

#include <thread>

namespace pilum::launcher {
namespace {

// A rank sends 1 MB of text in frames and its ending; what the desk reads while it does is put together.
void text_arrives_whole(bool other_nodes) {
  ReportDesk desk(other_nodes);
  std::string sent;
  for (int i = 0; i < 20'000; ++i) sent += "line " + std::to_string(i) + " of a rank that talks much\n";
  std::thread rank([&] {
    auto reporter = Reporter::connect(desk.address(), 3, "somewhere");
    ASSERT_TRUE(reporter);
    for (std::size_t at = 0; at < sent.size(); at += 777) reporter->error_text(std::string_view(sent).substr(at, 777));
    reporter->told_to_end();
    reporter->ended({Ending::Kind::Signalled, 15});
  });
  std::string host, text;
  bool told = false, lost = false;
  std::optional<Ending> ending;
  while (!ending) {
    std::vector<pollfd> wanted;
    desk.add_to(wanted);
    poll(wanted.data(), wanted.size(), 1000);
    for (const RankEvent& event : desk.receive()) {
      EXPECT_EQ(event.rank, 3);
      if (const auto* started = std::get_if<RankStarted>(&event.what)) host = started->host;
      if (const auto* bytes = std::get_if<RankErrorText>(&event.what)) text += bytes->bytes;
      if (const auto* ended = std::get_if<RankEnded>(&event.what)) ending = ended->ending;
      told = told || std::holds_alternative<RankToldToEnd>(event.what);
      lost = lost || std::holds_alternative<RankLost>(event.what);
    }
  }
  rank.join();
  EXPECT_EQ(host, "somewhere");
  EXPECT_EQ(text, sent);
  EXPECT_TRUE(told);
  EXPECT_FALSE(lost);
  EXPECT_EQ(*ending, (Ending{Ending::Kind::Signalled, 15}));
}

TEST(Report, TextArrivesWholeOnOneNode) { text_arrives_whole(/*other_nodes=*/false); }
TEST(Report, TextArrivesWholeFromOtherNodes) { text_arrives_whole(/*other_nodes=*/true); }

TEST(Report, AConnectionThatClosesWithoutAnEndingIsALostRank) {
  ReportDesk desk(false);
  Reporter::connect(desk.address(), 1, "here");  // and closes at once
  const auto events = desk.receive();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<RankLost>(events[1].what));
  EXPECT_EQ(desk.connected(), 0);
}

TEST(Report, AStrangerIsIgnored) {
  ReportDesk desk(false);
  std::string address = desk.address();
  address.back() = address.back() == '0' ? '1' : '0';  // another token
  auto stranger = Reporter::connect(address, 0, "elsewhere");
  ASSERT_TRUE(stranger);
  EXPECT_TRUE(desk.receive().empty());
  EXPECT_EQ(desk.connected(), 0);
}

TEST(Report, WithoutADeskThereIsNoReporter) {
  EXPECT_FALSE(Reporter::connect("unix:nobody-listens-here:0", 0, "here"));
  EXPECT_FALSE(Reporter::connect("nonsense", 0, "here"));
}

}  // namespace
}  // namespace pilum::launcher
