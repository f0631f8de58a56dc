#include "launcher/rendezvous.h"

#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

TEST(Rendezvous, AProgramWithoutARuntimeIsNotWaitedFor) {
  Rendezvous meetings(3);
  EXPECT_FALSE(meetings.find_missing());
  meetings.gone(1);
  EXPECT_FALSE(meetings.find_missing());
}

TEST(Rendezvous, ARankThatEndsBeforeIsGone) {
  Rendezvous meetings(3);
  meetings.take(0, RankStage::Meets);
  meetings.gone(2);
  EXPECT_EQ(meetings.find_missing(), (MissingRank{.rank = 2, .waiting = 0, .runtimes = 0, .gone = true}));
}

TEST(Rendezvous, TheOrderOfReportsDoesNotMatter) {
  Rendezvous meetings(2);
  meetings.gone(0);
  EXPECT_FALSE(meetings.find_missing());
  meetings.take(1, RankStage::Meets);
  EXPECT_EQ(meetings.find_missing(), (MissingRank{.rank = 0, .waiting = 1, .runtimes = 0, .gone = true}));
}

TEST(Rendezvous, ARankThatIsOnlyLateMayCome) {
  Rendezvous meetings(2);
  meetings.take(1, RankStage::Meets);
  EXPECT_EQ(meetings.find_missing(), (MissingRank{.rank = 0, .waiting = 1, .runtimes = 0, .gone = false}));
  meetings.take(0, RankStage::Meets);
  EXPECT_FALSE(meetings.find_missing());
}

TEST(Rendezvous, WhoHasMetTheOthersMayGo) {
  Rendezvous meetings(2);
  for (const RankStage stage : {RankStage::Meets, RankStage::HasMet}) {
    for (int rank : {0, 1}) meetings.take(rank, stage);
  }
  meetings.gone(0);
  EXPECT_FALSE(meetings.find_missing());
}

TEST(Rendezvous, ASecondRuntimeIsAMeetingOfItsOwn) {
  Rendezvous meetings(2);
  for (int rank : {0, 1}) meetings.take(rank, RankStage::Meets);
  for (int rank : {0, 1}) meetings.take(rank, RankStage::HasMet);
  meetings.take(0, RankStage::Meets);
  EXPECT_EQ(meetings.find_missing(), (MissingRank{.rank = 1, .waiting = 0, .runtimes = 1, .gone = false}));
  meetings.take(1, RankStage::Leaves);
  EXPECT_EQ(meetings.find_missing(), (MissingRank{.rank = 1, .waiting = 0, .runtimes = 1, .gone = true}));
}

}  // namespace
}  // namespace pilum::launcher
