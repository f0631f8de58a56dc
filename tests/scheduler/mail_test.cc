// Where letters lie in GPUs' boxes: what plans of all ranks say of it.
#include "scheduler/plan/mail.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "scheduler/session/mailboxes.h"
#include "tests/scheduler/plans.h"
#include "tests/scheduler/random_program.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

constexpr auto kFlagSize = static_cast<std::int64_t>(device::kFlagBytes);

// Ranges of bytes that were given out; false: one that was given out before.
class Bytes {
 public:
  bool take(std::int64_t lo, std::int64_t hi) {
    for (const auto& [first, last] : taken_) {
      if (lo < last && first < hi) return false;
    }
    taken_.emplace_back(lo, hi);
    return true;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;
};

TEST(MailBox, FlagsAndCellsLieApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 7, round " << round);
    const auto bytes = static_cast<std::int64_t>(1 + random() % (round % 2 ? 40'000 : 400'000));
    alignas(256) std::byte start{};
    MailBox box(&start, bytes);
    MailPlaces places;
    Bytes taken;
    std::int64_t messages = 0;
    for (int tries = 0; tries < 400; ++tries) {
      const auto size = static_cast<std::int64_t>(1 + random() % (tries % 3 ? 300 : 20'000));
      const auto place = places.next(*box.block(), size);
      if (!place) continue;
      ASSERT_EQ(place->message, messages++);
      ASSERT_EQ(place->bytes, size);
      ASSERT_EQ(place->at % 256, 0);
      ASSERT_LE(place->at + size, bytes);
      ASSERT_TRUE(taken.take(place->at, place->at + size));
      for (const std::byte* flag : {box.arrived(place->message), box.taken(place->message)}) {
        ASSERT_GT(flag, &start) << "null where a plan is kept";
        ASSERT_EQ((flag - &start) % kFlagSize, 0);
        ASSERT_TRUE(taken.take(flag - &start, flag - &start + kFlagSize));
      }
    }
    ASSERT_LE(messages, MailBox::kMessages);
  }
}

TEST(MailBox, WhatDoesNotFitLeavesRoomForWhatDoes) {
  MailBox box(nullptr, MailBox::kHead + 1024);
  MailPlaces places;
  EXPECT_FALSE(places.next(*box.block(), 1025));
  EXPECT_EQ(places.next(*box.block(), 1)->at, MailBox::kHead);
  EXPECT_FALSE(places.next(*box.block(), 769));
  EXPECT_EQ(places.next(*box.block(), 768)->at, MailBox::kHead + 256);
  EXPECT_FALSE(places.next(*box.block(), 1));
}

TEST(MailBox, EachMessageHasAFlagOfItsOwnOrGoesAnotherWay) {
  MailBox box(nullptr, std::int64_t{1} << 30);
  MailPlaces places;
  for (std::int64_t message = 0; message < MailBox::kMessages; ++message)
    EXPECT_EQ(places.next(*box.block(), 8)->message, message);
  EXPECT_FALSE(places.next(*box.block(), 8));
}

TEST(MailBox, BoxesOfANodeAreAsLargeAndFitTogether) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    for (std::int64_t bytes = 0; bytes < 500'000; bytes += 9'973) {
      const std::int64_t box = box_bytes_of(bytes, ranks);
      EXPECT_LE(box * (ranks - 1), bytes);
      EXPECT_TRUE(box == 0 || (box > MailBox::kHead && box % 4096 == 0)) << box;
    }
  }
  EXPECT_GT(box_bytes_of(kMailBytes, 8), std::int64_t{9} << 20);
}

// A message as one side knows it. Of a letter: its number and place in the box.
struct Known {
  std::size_t bytes = 0;
  bool letter = false;
  std::int64_t number = 0, at = 0;
  bool operator==(const Known&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Known& known) {
  return out << known.bytes << " bytes, " << (known.letter ? "letter " : "no letter ") << known.number << " at "
             << known.at;
}

// By the other rank, of one way. A box begins where the flag of message 0 says.
template <class Message>
std::map<int, std::vector<Known>> known_of(const Plan& plan, int Message::* other) {
  std::map<int, const std::byte*> box;
  for (const Message* message : plan.all<Message>()) {
    const std::byte*& first = box[message->*other];
    if (message->flag && (!first || message->flag - MailBox::kFlags < first)) first = message->flag - MailBox::kFlags;
  }
  std::map<int, std::vector<Known>> known;
  for (const Message* message : plan.all<Message>()) {
    Known& one = known[message->*other].emplace_back();
    one.bytes = message->bytes;
    one.letter = message->flag != nullptr;
    if (!one.letter) continue;
    one.number = (message->flag - box[message->*other] - MailBox::kFlags) / kFlagSize;
    one.at = message->data - box[message->*other];
  }
  return known;
}

// The last plan of each rank.
using Program = std::function<void(const Cut&)>;
std::vector<Plan> plans_of_ranks(const fakes::SimulatedRanks& machine, const Program& program) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < machine.ranks; ++rank) plans.push_back(std::move(plans_of(machine, rank, program).back()));
  return plans;
}

// Both sides of each way know the same; letters of a part lie apart and are all waited for. How many there are.
int expect_both_sides_agree(const std::vector<Plan>& plans, std::int64_t box_bytes) {
  const auto ranks = static_cast<int>(plans.size());
  int letters = 0;
  for (int from = 0; from < ranks; ++from) {
    const Plan& plan = plans[static_cast<std::size_t>(from)];
    auto sent = known_of(plan, &Send::to);
    for (int to = 0; to < ranks; ++to) {
      auto received = known_of(plans[static_cast<std::size_t>(to)], &Receive::from);
      EXPECT_EQ(sent[to], received[from]) << from << " -> " << to;
      Bytes taken;
      std::int64_t next = 0;
      for (const Known& one : sent[to]) {
        if (!one.letter) continue;
        ++letters;
        if (one.number == 0) next = 0, taken = {};  // the next part
        EXPECT_EQ(one.number, next++);
        EXPECT_GE(one.at, MailBox::kHead);
        EXPECT_LE(one.at + static_cast<std::int64_t>(one.bytes), box_bytes);
        EXPECT_TRUE(taken.take(one.at, one.at + static_cast<std::int64_t>(one.bytes)));
      }
      const auto count = [](const Plan& of, int peer, bool waits) {
        const auto all = of.all<Taken>();
        return std::ranges::count_if(all, [&](const Taken* t) { return t->peer == peer && t->waits == waits; });
      };
      const auto own = std::ranges::count_if(sent[to], [](const Known& one) { return one.letter; });
      EXPECT_EQ(count(plan, to, true), own);
      EXPECT_EQ(count(plans[static_cast<std::size_t>(to)], from, false), own);
    }
  }
  return letters;
}

fakes::SimulatedRanks gpus_with_mail(int ranks, std::int64_t bytes) {
  fakes::SimulatedRanks machine = machine_of(ranks);
  machine.gpus = machine.share = true;
  machine.mail_bytes = bytes;
  return machine;
}

class MailOfRandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(MailOfRandomPrograms, LiesWhereBothSidesSay) {
  std::mt19937 random(GetParam());
  for (int ranks = 2; ranks <= 8; ++ranks) {
    const auto pages = static_cast<std::int64_t>(random() % 3 ? 4 + random() % 4 : random() % 40);
    const std::int64_t bytes = (ranks - 1) * std::int64_t{4096} * pages;
    SCOPED_TRACE(testing::Message() << "seed " << GetParam() << ", " << ranks << " ranks, " << bytes << " bytes");
    const unsigned seed = random();
    const std::vector<Plan> plans = plans_of_ranks(gpus_with_mail(ranks, bytes), [seed](const Cut& cut) {
      RandomProgram program(seed);
      program.record(30);
      cut();
    });
    expect_both_sides_agree(plans, box_bytes_of(bytes, ranks));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MailOfRandomPrograms, testing::Range(1u, 9u));

// Long fields, which are cut across their rows: of each that is summed up a row goes to each neighbour.
np::Array make_field(std::int64_t columns) {
  return np::arange(4000.0 * static_cast<double>(columns)).reshape({4000, columns}).copy();
}
np::Array sum_neighbours(const np::Array& a) {
  const slice in(1, -1), low(0, -2), high(2, {});
  return a(in, in) + a(low, in) + a(high, in) + a(in, low) + a(in, high);
}

// What a sender finds for its messages, each where the last letter ends.
std::vector<bool> are_letters(const std::vector<Known>& messages, std::int64_t box_bytes) {
  std::vector<bool> letters;
  std::int64_t left = box_bytes - MailBox::kHead, flags = 256;
  for (const Known& message : messages) {
    const auto needed = static_cast<std::int64_t>(message.bytes + 255) / 256 * 256;
    letters.push_back(needed <= left && flags > 0);
    if (letters.back()) left -= needed, --flags;
  }
  return letters;
}

// Of one part: letters, and others.
std::pair<int, int> expect_letters_where_they_fit(const std::vector<Plan>& plans, std::int64_t box_bytes) {
  const int letters = expect_both_sides_agree(plans, box_bytes);
  int messages = 0;
  for (const Plan& plan : plans) {
    for (const auto& [to, known] : known_of(plan, &Send::to)) {
      std::vector<bool> found;
      for (const Known& one : known) found.push_back(one.letter);
      EXPECT_EQ(found, are_letters(known, box_bytes));
      messages += static_cast<int>(known.size());
    }
  }
  return {letters, messages - letters};
}

TEST(Mail, MoreMessagesThanFlagsGoAnotherWay) {
  fakes::SimulatedRanks machine = gpus_with_mail(2, 1 << 20);
  machine.window = 10'000;
  const std::vector<Plan> plans = plans_of_ranks(machine, [](const Cut& cut) {
    std::vector<np::Array> from, to;
    // Each of a shape of its own: what one task reads is one message.
    for (int i = 0; i < 300; ++i) from.push_back(make_field(5 + i));
    cut();
    for (const np::Array& field : from) to.push_back(sum_neighbours(field));
    cut();
  });
  EXPECT_EQ(expect_letters_where_they_fit(plans, 1 << 20), std::pair(2 * 256, 2 * (300 - 256)));
}

TEST(Mail, WhatDoesNotFitIntoABoxGoesAnotherWay) {
  constexpr std::int64_t kBox = 20480;  // 3840 bytes for cells
  std::set<std::pair<int, int>> seen;
  for (const std::int64_t columns : {40, 480, 482, 483, 240, 242, 243, 900}) {
    SCOPED_TRACE(testing::Message() << columns << " columns");
    const std::vector<Plan> plans = plans_of_ranks(gpus_with_mail(3, 2 * kBox), [columns](const Cut& cut) {
      const np::Array from[] = {make_field(columns), make_field(columns + 1), make_field(20)};
      std::vector<np::Array> to;
      cut();
      for (const np::Array& field : from) to.push_back(sum_neighbours(field));
      cut();
    });
    seen.insert(expect_letters_where_they_fit(plans, kBox));
  }
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{4, 8}, {8, 4}, {12, 0}}));
}

// A flag is raised again only once it is known to be lowered: that its message was taken out says so, whatever lies
// where it lay.
TEST(Mail, OfTheNextPlanComesAfterWhatTellsThatTheSameFlagIsFree) {
  for (int rank = 0; rank < 2; ++rank) {
    const std::vector<Plan> plans = plans_of(gpus_with_mail(2, 1 << 20), rank, [](const Cut& cut) {
      const np::Array from[] = {make_field(700), make_field(100), make_field(101), make_field(102)};
      cut();
      const np::Array first = sum_neighbours(from[0]), second = sum_neighbours(from[1]);
      cut();
      const np::Array third = sum_neighbours(from[2]), fourth = sum_neighbours(from[3]);
      cut();
    });
    std::map<std::int64_t, std::set<std::int64_t>> before;  // by instruction, all that it comes after
    std::map<const std::byte*, std::int64_t> raised;        // by flag, its message
    std::map<const std::byte*, std::int64_t> free;          // by flag, what tells so
    int again = 0;
    for (const Plan& plan : plans) {
      std::vector<const std::byte*> sent;  // of this plan, in order
      for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        const std::int64_t id = plan.first.value + static_cast<std::int64_t>(i);
        for (const InstructionId after : instruction.after) {
          before[id].insert(after.value);
          before[id].insert(before[after.value].begin(), before[after.value].end());
        }
        if (const auto* send = std::get_if<Send>(&instruction.what)) {
          if (!send->flag) continue;
          if (raised.contains(send->flag)) {
            ++again;
            EXPECT_TRUE(before[id].contains(free[send->flag])) << "message " << sent.size();
          }
          raised[send->flag] = id;
          sent.push_back(send->flag);
        } else if (const auto* taken = std::get_if<Taken>(&instruction.what); taken && taken->waits) {
          EXPECT_FALSE(sent.empty());
          free[sent.front()] = id;
          sent.erase(sent.begin());
        }
      }
      EXPECT_TRUE(sent.empty()) << "all are waited for, in order";
    }
    EXPECT_EQ(again, 2);
  }
}

}  // namespace
}  // namespace pilum::scheduler
