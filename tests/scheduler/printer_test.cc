#include "scheduler/print/printer.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "scheduler/record/host_body.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

std::string line(unsigned number) {
  return "  # printer_test.cc:" + std::to_string(number);
}

TEST(Printer, AnOperationReadsAsAnAssignment) {
  WindowRecorder recorder;
  np::Array x = np::zeros({4, 6});
  x(all, slice(1, 3)) = x(all, slice(4, {}, -1))(all, slice(0, 2)) * 2.0;
  const unsigned here = __LINE__ - 1;
  EXPECT_EQ(to_text(recorder.operations[0]), "s0[x0, x1] = zeros(0) over (4, 6) float64" + line(here - 1));
  EXPECT_EQ(to_text(recorder.operations[1]),
            "s1[x0, x1] = multiply(s0[x0, -x1+4], 2) over (4, 2) float64" + line(here));
}

TEST(Printer, ATaskShowsWhatItReadsAndWrites) {
  WindowRecorder recorder;
  np::Array x = np::zeros(100);
  recorder.begin_window();
  np::Array y = (x(slice(1, {})) + x(slice(0, -1))) * 2.0;
  const unsigned here = __LINE__ - 1;
  EXPECT_EQ(to_text(recorder.fuse_window()[0]), "multiply over [0:99], 2 operations, replicated" + line(here) +
                                                    "\n    reads s0[x0+1] at (0) (-1)"
                                                    "\n    writes s1[x0], in a register"
                                                    "\n    writes s2[x0]");
}

TEST(Printer, AReductionShowsItsFold) {
  WindowRecorder recorder;
  np::Array x = np::zeros({10, 20});
  recorder.begin_window();
  np::Array y = np::sum(x, 1);
  EXPECT_NE(to_text(recorder.fuse_window()[0]).find("\n    sum into s1[x0]"), std::string::npos);
}

TEST(Printer, InstructionsSayWhatTheyDoAndWhatTheyWaitFor) {
  Instruction instruction;
  instruction.what = Send{3, {7, 2}, nullptr, 80, StoreId{5}};
  instruction.after = {InstructionId{4}, InstructionId{9}};
  EXPECT_EQ(to_text(instruction, InstructionId{10}), "i10 send s5 80 bytes to rank 3 with tag 7.2, after i4 i9");
  instruction.after.clear();
  instruction.what = Receive{1, {7, 0}, nullptr, 8, StoreId{5}};
  EXPECT_EQ(to_text(instruction, InstructionId{1}), "i1 receive s5 8 bytes from rank 1 with tag 7.0");
  instruction.what = Allocate{AllocationId{6}, 4096, StoreId{2}};
  EXPECT_EQ(to_text(instruction, InstructionId{2}), "i2 allocate a6 4096 bytes for s2");
  instruction.what = Free{AllocationId{6}};
  EXPECT_EQ(to_text(instruction, InstructionId{3}), "i3 free a6");
  Copy copy;
  copy.rank = 1;
  copy.extent = {5};
  copy.store = StoreId{2};
  copy.cells = Rect::of({10}, {15});
  instruction.what = copy;
  EXPECT_EQ(to_text(instruction, InstructionId{4}), "i4 copy s2[10:15] 40 bytes");
  FoldParts fold;
  fold.part_count = 4;
  fold.extent = {3};
  instruction.what = fold;
  EXPECT_EQ(to_text(instruction, InstructionId{5}), "i5 fold sum of 4 parts of 3");
}

TEST(Printer, ALaunchShowsItsPointsAndChunks) {
  Launch launch;
  launch.code = KernelCode{.kernel = std::make_shared<kernel::Kernel>(), .streaming = true};
  launch.points = Rect::of({0, 0}, {8, 8});
  launch.rank = 2;
  launch.chunk = {4, 8};
  launch.boundary = true;
  Instruction instruction;
  instruction.what = launch;
  instruction.name = "add";
  const std::string text = to_text(instruction, InstructionId{0});
  EXPECT_NE(text.find(" over [0:8, 0:8] in chunks of 4x8, streaming, boundary"), std::string::npos) << text;
  EXPECT_NE(text.find("  # add "), std::string::npos) << text;
}

TEST(Printer, ALaunchOfABodyShowsItsTasksName) {
  auto task = std::make_shared<TaskBody>();
  task->name = "smooth";
  auto body = std::make_shared<HostBody>();
  body->body = task;
  Launch launch;
  launch.code = std::shared_ptr<const HostBody>(body);
  launch.points = Rect::of({0}, {8});
  launch.chunk = {4};
  Instruction instruction;
  instruction.what = launch;
  EXPECT_EQ(to_text(instruction, InstructionId{7}), "i7 launch smooth over [0:8] in chunks of 4");
}

TEST(Printer, OperationsAreAGraphThroughTheirStores) {
  WindowRecorder recorder;
  np::Array x = np::zeros(9);
  np::Array y = x + 1.0;
  x[all] = 2.0;
  const std::string dot = to_dot(recorder.operations);
  EXPECT_EQ(dot.find("digraph {"), 0u);
  EXPECT_NE(dot.find("n0 -> n1 [label=\"s0\" style=solid];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n0 -> n2 [label=\"s0\" style=dashed];"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("n1 -> n2"), std::string::npos) << dot;
  EXPECT_EQ(dot.substr(dot.size() - 2), "}\n");
}

TEST(Printer, TasksAreAGraphThroughTheirStores) {
  WindowRecorder recorder;
  np::Array x = np::zeros(9);
  np::Array y = x(slice(0, 5)) + 1.0;
  const std::string dot = to_dot(recorder.fuse_window());
  EXPECT_NE(dot.find("n0 -> n1 [label=\"s0\" style=solid];"), std::string::npos) << dot;
}

TEST(Printer, APlanIsAGraphOfInstructions) {
  Plan plan;
  plan.first = InstructionId{20};
  plan.instructions.resize(2);
  plan.instructions[0].what = Free{AllocationId{1}};
  plan.instructions[1].what = Send{1, {0, 0}, nullptr, 8, StoreId{0}};
  plan.instructions[1].after = {InstructionId{20}};
  const std::string dot = to_dot(plan);
  EXPECT_NE(dot.find("i20 [label=\"i20 free a1\"];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("i20 -> i21;"), std::string::npos) << dot;
}

}  // namespace
}  // namespace pilum::scheduler
