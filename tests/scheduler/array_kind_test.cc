// Kinds of arrays that lie alike.
#include "scheduler/record/array_kind.h"

#include <gtest/gtest.h>

namespace pilum::scheduler {
namespace {

TEST(ArrayKind, MeetsTwiceBeforeBothLieAlike) {
  ArrayKind a, b;
  a.meet(b);
  EXPECT_NE(&a.decider(), &b.decider());
  a.meet(b);
  EXPECT_EQ(&a.decider(), &b.decider());
}

TEST(ArrayKind, ThoseThatMeetAddTheirSecondsAndAreWholeIfOneIs) {
  ArrayKind a, b, c;
  a.gain = -1;
  b.gain = -2;
  a.to_gather = 3;
  b.to_gather = 4;
  c.whole = true;
  c.gain = 5;
  for (int time = 0; time < 2; ++time) a.meet(b);
  EXPECT_EQ(a.decider().gain, -3);
  EXPECT_EQ(a.decider().to_gather, 7);
  EXPECT_FALSE(b.decider().whole);
  for (int time = 0; time < 2; ++time) b.meet(c);
  for (ArrayKind* kind : {&a, &b, &c}) {
    EXPECT_TRUE(kind->decider().whole);
    EXPECT_EQ(kind->decider().gain, 5);  // what being cut cost counts no longer
  }
}

// One that is too large to come together keeps those that it meets as it is.
TEST(ArrayKind, ThoseThatMeetOneThatStaysCutStayCut) {
  ArrayKind small, large;
  small.whole = true;
  large.stays = true;
  for (int time = 0; time < 2; ++time) small.meet(large);
  EXPECT_FALSE(small.decider().whole);
  EXPECT_TRUE(small.decider().stays);
}

// Chains get short, and end.
TEST(ArrayKind, ManyHaveOneDecider) {
  ArrayKind kinds[50];
  for (int time = 0; time < 2; ++time) {
    for (int i = 1; i < 50; ++i) kinds[i].meet(kinds[i - 1]);
  }
  for (ArrayKind& kind : kinds) EXPECT_EQ(&kind.decider(), &kinds[0].decider());
}

}  // namespace
}  // namespace pilum::scheduler
