#include "launcher/rendezvous.h"

#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

TEST(Rendezvous, AProgramWithoutARuntimeIsNotWaitedFor) {
  Rendezvous rendezvous(3);
  EXPECT_FALSE(rendezvous.find_missing());
  rendezvous.gone(1);
  EXPECT_FALSE(rendezvous.find_missing());
}

TEST(Rendezvous, ARankThatEndsBeforeIsMissing) {
  Rendezvous rendezvous(3);
  rendezvous.take(0, RankStage::Joins);
  rendezvous.gone(2);
  EXPECT_EQ(rendezvous.find_missing(), (MissingRank{.rank = 2, .waiting = 0, .runtimes = 0, .gone = true}));
}

TEST(Rendezvous, TheOrderOfReportsDoesNotMatter) {
  Rendezvous rendezvous(2);
  rendezvous.gone(0);
  EXPECT_FALSE(rendezvous.find_missing());
  rendezvous.take(1, RankStage::Joins);
  EXPECT_EQ(rendezvous.find_missing(), (MissingRank{.rank = 0, .waiting = 1, .runtimes = 0, .gone = true}));
}

TEST(Rendezvous, ARankThatIsOnlyLateMayCome) {
  Rendezvous rendezvous(2);
  rendezvous.take(1, RankStage::Joins);
  EXPECT_EQ(rendezvous.find_missing(), (MissingRank{.rank = 0, .waiting = 1, .runtimes = 0, .gone = false}));
  rendezvous.take(0, RankStage::Joins);
  EXPECT_FALSE(rendezvous.find_missing());
}

TEST(Rendezvous, ARankThatHasMetTheOthersMayLeave) {
  Rendezvous rendezvous(2);
  for (const RankStage stage : {RankStage::Joins, RankStage::Joined}) {
    for (int rank : {0, 1}) rendezvous.take(rank, stage);
  }
  rendezvous.gone(0);
  EXPECT_FALSE(rendezvous.find_missing());
}

TEST(Rendezvous, ASecondRuntimeIsARendezvousOfItsOwn) {
  Rendezvous rendezvous(2);
  for (int rank : {0, 1}) rendezvous.take(rank, RankStage::Joins);
  for (int rank : {0, 1}) rendezvous.take(rank, RankStage::Joined);
  rendezvous.take(0, RankStage::Joins);
  EXPECT_EQ(rendezvous.find_missing(), (MissingRank{.rank = 1, .waiting = 0, .runtimes = 1, .gone = false}));
  rendezvous.take(1, RankStage::Leaves);
  EXPECT_EQ(rendezvous.find_missing(), (MissingRank{.rank = 1, .waiting = 0, .runtimes = 1, .gone = true}));
}

}  // namespace
}  // namespace pilum::launcher
