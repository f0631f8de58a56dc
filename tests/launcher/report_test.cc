#include "launcher/report.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <thread>

namespace pilum::launcher {
namespace {

// A rank sends 1 MB of text in frames and its exit status; what the server reads while it does is put together.
void text_arrives_whole(bool other_nodes) {
  ReportServer server(4, {.other_nodes = other_nodes});
  std::string sent;
  for (int i = 0; i < 20'000; ++i) sent += "line " + std::to_string(i) + " of a rank that talks much\n";
  std::thread rank([&] {
    auto reporter = Reporter::connect(server.address(), 3, "somewhere");
    ASSERT_TRUE(reporter);
    for (std::size_t at = 0; at < sent.size(); at += 777) reporter->error_text(std::string_view(sent).substr(at, 777));
    reporter->stage(RankStage::Joins);
    reporter->terminating();
    reporter->ended({ExitStatus::Kind::Signalled, 15});
  });
  std::string host, text;
  bool told = false, lost = false, meets = false;
  std::optional<ExitStatus> exit_status;
  while (!exit_status) {
    std::vector<pollfd> wanted;
    server.add_to(wanted);
    poll(wanted.data(), wanted.size(), 1000);
    for (const RankEvent& event : server.receive()) {
      EXPECT_EQ(event.rank, 3);
      if (const auto* started = std::get_if<RankStarted>(&event.what)) host = started->host;
      if (const auto* bytes = std::get_if<RankErrorText>(&event.what)) text += bytes->bytes;
      if (const auto* ended = std::get_if<RankEnded>(&event.what)) exit_status = ended->exit_status;
      if (const auto* reached = std::get_if<RankReached>(&event.what)) meets = reached->stage == RankStage::Joins;
      told = told || std::holds_alternative<RankTerminating>(event.what);
      lost = lost || std::holds_alternative<RankLost>(event.what);
    }
  }
  rank.join();
  EXPECT_EQ(host, "somewhere");
  EXPECT_EQ(text, sent);
  EXPECT_TRUE(meets);
  EXPECT_TRUE(told);
  EXPECT_FALSE(lost);
  EXPECT_EQ(*exit_status, (ExitStatus{ExitStatus::Kind::Signalled, 15}));
}

TEST(Report, TextArrivesWholeOnOneNode) {
  text_arrives_whole(/*other_nodes=*/false);
}
TEST(Report, TextArrivesWholeFromOtherNodes) {
  text_arrives_whole(/*other_nodes=*/true);
}

TEST(Report, AConnectionThatClosesWithoutAnEndingIsALostRank) {
  ReportServer server(4, {});
  Reporter::connect(server.address(), 1, "here");  // and closes at once
  const auto events = server.receive();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<RankLost>(events[1].what));
  EXPECT_EQ(server.connected(), 0);
}

TEST(Report, AStrangerIsIgnored) {
  ReportServer server(4, {});
  std::string address = server.address();
  address.back() = address.back() == '0' ? '1' : '0';  // another token
  auto stranger = Reporter::connect(address, 0, "elsewhere");
  ASSERT_TRUE(stranger);
  EXPECT_TRUE(server.receive().empty());
  EXPECT_EQ(server.connected(), 0);
}

// A connection that sends nothing.
int connect_silently(const ReportServer& server) {
  return connect_to(*ReportAddress::from_text(server.address()));
}

TEST(Report, AHeldConnectionIsNoRankAndIsDroppedInTime) {
  ReportServer server(4, {});
  const int stranger = connect_silently(server);
  ASSERT_GE(stranger, 0);
  ASSERT_EQ(write(stranger, "h", 1), 1);
  EXPECT_TRUE(server.receive().empty());
  EXPECT_EQ(server.connected(), 0);  // so nobody waits for it
  auto rank = Reporter::connect(server.address(), 1, "here");
  EXPECT_EQ(server.receive().size(), 1u);
  EXPECT_EQ(server.connected(), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5100));
  server.receive();
  char none = 0;
  EXPECT_EQ(read(stranger, &none, 1), 0);  // closed
  EXPECT_EQ(server.connected(), 1);
  close(stranger);
}

TEST(Report, ManyHeldConnectionsKeepNoRankOut) {
  ReportServer server(4, {});
  std::vector<int> strangers;
  for (int i = 0; i < 500; ++i) {
    strangers.push_back(connect_silently(server));
    if (i % 20 == 0) server.receive();
  }
  auto rank = Reporter::connect(server.address(), 1, "here");
  std::vector<RankEvent> events;
  for (int i = 0; i < 50 && events.empty(); ++i) events = server.receive();
  ASSERT_EQ(events.size(), 1u);
  std::vector<pollfd> wanted;
  server.add_to(wanted);
  EXPECT_LE(wanted.size(), 2u + 64u);
  for (int fd : strangers) close(fd);
}

TEST(Report, AFirstFrameThatIsTooLongIsNotWaitedFor) {
  ReportServer server(4, {});
  const int stranger = connect_silently(server);
  ASSERT_EQ(write(stranger, "h\xff\xff\x00\x00", 5), 5);
  server.receive();
  char none = 0;
  EXPECT_EQ(read(stranger, &none, 1), 0);
  close(stranger);
}

TEST(Report, ARankReportsOnceAndOnlyOneThatThereIs) {
  ReportServer server(2, {});
  auto rank = Reporter::connect(server.address(), 1, "here");
  auto again = Reporter::connect(server.address(), 1, "here");
  auto beyond = Reporter::connect(server.address(), 2, "here");
  auto below = Reporter::connect(server.address(), -1, "here");
  EXPECT_EQ(server.receive().size(), 1u);
  EXPECT_EQ(server.connected(), 1);
}

TEST(Report, NothingFollowsAnEnding) {
  ReportServer server(2, {});
  auto rank = Reporter::connect(server.address(), 0, "here");
  rank->ended({ExitStatus::Kind::Exited, 0});
  rank->error_text("more");
  EXPECT_EQ(server.receive().size(), 2u);
  EXPECT_EQ(server.connected(), 0);
}

TEST(Report, OneThatFloodsIsReadInPartsSoThatOthersAreHeard) {
  ReportServer server(2, {});
  std::atomic<bool> over{false};
  std::thread flood([&] {
    auto rank = Reporter::connect(server.address(), 0, "here");
    const std::string text(16 * 1024, 'x');
    while (!over) rank->error_text(text);
  });
  std::size_t most = 0, total = 0;
  while (total < 8u << 20) {
    std::size_t bytes = 0;
    for (const RankEvent& event : server.receive()) {
      if (const auto* text = std::get_if<RankErrorText>(&event.what)) bytes += text->bytes.size();
    }
    most = std::max(most, bytes);
    total += bytes;
  }
  over = true;
  while (server.connected() > 0) server.receive();
  flood.join();
  EXPECT_LE(most, 400u * 1024);
}

TEST(Report, TheSocketsNameSaysNothingOfTheKey) {
  ReportServer server(1, {});
  const auto address = ReportAddress::from_text(server.address());
  ASSERT_TRUE(address);
  EXPECT_EQ(address->key.size(), 32u);
  EXPECT_EQ(address->place.find(address->key), std::string::npos);
  EXPECT_NE(ReportAddress::from_text(ReportServer(1, {}).address())->key, address->key);
}

TEST(Report, OnAnInterfaceNothingElseIsListenedTo) {
  ReportServer server(1, {.other_nodes = true, .interface = "lo"});
  EXPECT_EQ(server.address().rfind("tcp:127.0.0.1:", 0), 0u) << server.address();
  EXPECT_TRUE(Reporter::connect(server.address(), 0, "here"));
}

TEST(Report, WithoutAServerThereIsNoReporter) {
  EXPECT_FALSE(Reporter::connect("unix:nobody-listens-here:0", 0, "here"));
  EXPECT_FALSE(Reporter::connect("nonsense", 0, "here"));
}

}  // namespace
}  // namespace pilum::launcher
