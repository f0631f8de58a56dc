// Files of arrays that are cut among processors, on simulated machines.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/cut_machines.h"
#include "tests/numeric/error_of.h"
#include "tests/numeric/file_folder.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

void on_machines(const std::function<void(scheduler::Session&)>& program) {
  for (const fakes::SimulatedRanks& machine : kCutMachines) {
    SCOPED_TRACE(testing::Message() << machine.ranks << " ranks of " << machine.processors_per_rank
                                    << (machine.gpus ? " GPUs" : " processors"));
    fakes::run_on_simulated_ranks(machine, program);
    if (testing::Test::HasFailure()) return;
  }
}

std::string bytes_of(const std::vector<double>& cells) {
  return {reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(double)};
}

TEST(FilesOnMachines, HaveTheCellsInOrder) {
  const FileFolder folder;
  on_machines([&](scheduler::Session& session) {
    const np::Array a = np::arange(13 * 7 * 5, float64).reshape({13, 7, 5}) * 0.5;
    const std::string path = folder.path("cells.npy");
    const std::vector<np::Array> views = {a,
                                          a.T(),
                                          a(slice(2, -1), all, slice({}, {}, 2)),
                                          a(slice({}, {}, -3), all, -1),
                                          np::moveaxis(a, 1, 0),
                                          np::broadcast_to(a(4), {3, 7, 5}),
                                          a(3, 2),
                                          a(3, 2, 1),
                                          np::expand_dims(a(all, 1), 1)};
    for (const np::Array& view : views) {
      SCOPED_TRACE(to_string(view.shape()));
      const std::vector<double> expected = view.to_vector<double>();
      np::tofile(view, path);
      if (session.rank() == 0) {
        EXPECT_EQ(folder.read("cells.npy"), bytes_of(expected));
      }
      np::save(path, view);
      const np::Array back = np::load(path);
      EXPECT_EQ(back.shape(), view.shape());
      EXPECT_EQ(back.to_vector<double>(), expected);
      EXPECT_EQ((back * 2 + view).to_vector<double>(), (view * 3).to_vector<double>());
    }
  });
  EXPECT_THAT(folder.names(), testing::ElementsAre("cells.npy"));
}

TEST(FilesOnMachines, AreReadInPartsAndInLoops) {
  const FileFolder folder;
  on_machines([&](scheduler::Session&) {
    np::Array a = np::arange(1000, int32).copy();
    const std::string path = folder.path("loop");
    for (int round = 0; round < 6; ++round) {
      np::save(path, a);
      a = np::load(path + ".npy") + 1;
      EXPECT_EQ(np::fromfile(path + ".npy", int32, {.count = 2, .offset = 128 + 4 * 500})(1).item<int>(), 501 + round);
    }
    EXPECT_EQ(np::sum(a).item<std::int64_t>(), 999 * 500 + 6000);
  });
}

// Plans are made again, for other names.
TEST(FilesOnMachines, HaveNamesOfAnyLengthInLoops) {
  const FileFolder folder;
  on_machines([&](scheduler::Session&) {
    np::Array a = np::zeros(500);
    for (std::size_t round = 0; round < 40; ++round) {
      a += 1;
      const std::string path = folder.path(std::string(1 + round / 2, 'a'));
      np::save(path, a);
      EXPECT_EQ(np::sum(np::load(path + ".npy")).item<double>(), 500.0 * static_cast<double>(round + 1));
    }
  });
  EXPECT_EQ(folder.names().size(), 20u);
}

TEST(FilesOnMachines, OfMoreCellsThanGoAtOnce) {
  const FileFolder folder;
  on_machines([&](scheduler::Session&) {
    const np::Array a = np::arange(600'000).reshape({3, 200'000}) * 7;
    for (const np::Array& view : {a, a.T(), a(all, slice({}, {}, -3))}) {
      np::save(folder.path("large"), view);
      const np::Array back = np::load(folder.path("large.npy"));
      EXPECT_TRUE(np::array_equal(back, view));
    }
  });
}

// What is sent: the file's begin, its new name, and what went wrong.
TEST(FilesOnMachines, NoCellsMove) {
  const FileFolder folder;
  for (const int ranks : {2, 3}) {
    const fakes::SimulatedRanks machine{.ranks = ranks};
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const np::Array a = np::arange(300'000).reshape({3000, 100}) * 7;
      for (const np::Array& view : {a, a.T(), a(slice(1, -1), slice({}, {}, -3))}) {
        session.wait();
        std::size_t sent = 0;
        session.set_on_plan([&](const scheduler::Plan& plan) {
          for (const scheduler::Instruction& instruction : plan.instructions) {
            if (const auto* send = std::get_if<scheduler::Send>(&instruction.what)) sent += send->bytes;
          }
        });
        np::save(folder.path("large"), view);
        const np::Array back = np::load(folder.path("large.npy"));
        session.wait();
        session.set_on_plan(nullptr);
        EXPECT_LT(sent, 64'000u);
        EXPECT_GT(sent, 0u);
        EXPECT_TRUE(np::array_equal(back, view));
      }
    });
  }
}

TEST(FilesOnMachines, OfText) {
  const FileFolder folder;
  on_machines([&](scheduler::Session& session) {
    const np::Array a = np::arange(60, float64).reshape({20, 3}) / 7;
    np::savetxt(folder.path("a.txt"), a, {.fmt = "%.17g", .header = "three columns"});
    EXPECT_EQ(np::loadtxt(folder.path("a.txt")).to_vector<double>(), a.to_vector<double>());
    np::savetxt(folder.path("t.txt"), a.T()(0), {.fmt = "%d", .newline = ";"});
    if (session.rank() == 0) {
      EXPECT_EQ(folder.read("t.txt"), "0;0;0;1;1;2;2;3;3;3;4;4;5;5;6;6;6;7;7;8;");
    }
    EXPECT_THAT(error_of<ValueError>([&] { np::savetxt(folder.path("t.txt"), np::log(a - 3), {.fmt = "%d"}); }),
                testing::HasSubstr("nan"));
    EXPECT_THAT(error_of<ValueError>([&] { static_cast<void>(np::loadtxt(folder.path("t.txt"))); }),
                testing::HasSubstr("line 1"));
  });
}

TEST(FilesOnMachines, WhatIsSavedIsAsItWasThen) {
  const FileFolder folder;
  on_machines([&](scheduler::Session&) {
    np::Array a = np::zeros(100);
    a += 1;
    np::save(folder.path("a"), a);
    const np::Array before = np::load(folder.path("a.npy"));
    a += 1;
    np::save(folder.path("a"), a);
    EXPECT_EQ(np::sum(before).item<double>(), 100);
    EXPECT_EQ(np::sum(np::load(folder.path("a.npy"))).item<double>(), 200);
  });
}

TEST(FilesOnMachines, WhatFailsFailsOnAllRanksAndTheProgramGoesOn) {
  const FileFolder folder;
  folder.write("short.npy", std::string("\x93NUMPY\1\0", 8));
  on_machines([&](scheduler::Session&) {
    np::Array a = np::arange(300, float64) + 1;
    EXPECT_THAT(
        error_of<RuntimeError>([&] { static_cast<void>(np::load(folder.path("none.npy"))); }),
        testing::AllOf(testing::HasSubstr("[load] "), testing::HasSubstr("none.npy"),
                       testing::HasSubstr("No such file or directory"), testing::HasSubstr("io_machines_test.cc")));
    EXPECT_THAT(error_of<ValueError>([&] { static_cast<void>(np::load(folder.path("short.npy"))); }),
                testing::HasSubstr("incomplete"));
    EXPECT_THAT(error_of<RuntimeError>([&] { np::save(folder.path("no/such/folder"), a); }),
                testing::AllOf(testing::HasSubstr("no/such/folder.npy"), testing::HasSubstr("No such file")));
    EXPECT_THAT(error_of<RuntimeError>([&] { np::tofile(a, folder.path("")); }), testing::HasSubstr("directory"));
    a += 1;
    np::save(folder.path("after"), a);
    EXPECT_EQ(np::sum(np::load(folder.path("after.npy"))).item<double>(), 300 * 301 / 2 + 300);
  });
  EXPECT_THAT(folder.names(), testing::ElementsAre("after.npy", "short.npy"));
}

}  // namespace
}  // namespace pilum
