#include "scheduler/print/printer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pilum/pilum.h"
#include "scheduler/record/host_body.h"
#include "scheduler/record/task_launch.h"
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

// --- every kind of record

TEST(Printer, AnOperationShowsItsNumbersAndHowItsViewsLie) {
  WindowRecorder recorder;
  np::Array x = np::zeros({4, 6}), y = np::zeros(6, int64);
  recorder.begin_window();
  x.T()(all, 2) = y;
  EXPECT_EQ(to_text(recorder.operations[0]).find("s0[2, x0] = "), 0u) << to_text(recorder.operations[0]);
  np::Array z = np::where(x > 0.5, y, true);
  EXPECT_NE(to_text(recorder.operations.back()).find("(s2[x0, x1], s1[x1], 1) over (4, 6) int64"), std::string::npos)
      << to_text(recorder.operations.back());
  np::Array sum = np::sum(x, 0);
  EXPECT_NE(to_text(recorder.operations.back()).find("sum(s0[x0, x1]) over (6,) float64"), std::string::npos);
}

TEST(Printer, ATaskOfAUsersShowsItsDomainAndWhatItDoesWithEachArray) {
  WindowRecorder recorder;
  np::Array a = np::zeros(9), b = np::zeros(9), c = np::zeros(9), d = np::zeros(2);
  recorder.begin_window();
  task("mix", [](Piece, Read<double, 1>, Write<double, 1>, ReadWrite<double, 1>, Reduce<double, 1>) {})(
      {9}, read(a), write(b), read_write(c), reduce(d, Fold::Sum));
  const std::string text = to_text(recorder.operations[0]);
  EXPECT_EQ(text.find("mix over [0:9] (reads s0[x0], writes s1[x0], reads and writes s2[x0], reduces into s"), 0u)
      << text;
}

TEST(Printer, OneOperationIsNotSeveral) {
  WindowRecorder recorder;
  np::Array x = np::zeros(9);
  EXPECT_NE(to_text(recorder.fuse_window()[0]).find(", 1 operation, "), std::string::npos);
}

TEST(Printer, ReshapesHostCallsAndReplaysSayWhatTheyAre) {
  Instruction instruction;
  Reshape reshape;
  reshape.from_rank = 2;
  reshape.from_extent = {3, 4};
  reshape.to_rank = 1;
  reshape.to_extent = {12};
  instruction.what = reshape;
  EXPECT_EQ(to_text(instruction, InstructionId{6}), "i6 reshape 3 x 4 to 12");
  instruction.what = HostCall{};
  EXPECT_EQ(to_text(instruction, InstructionId{7}), "i7 host call");
  instruction.what = ReplayedPlan{};
  EXPECT_EQ(to_text(instruction, InstructionId{8}), "i8 replay a cached plan");
  FoldParts fold;
  fold.fold = kernel::Fold::Maximum;
  fold.part_count = 2;
  fold.rank = 3;
  fold.extent = {3, 4, 5};
  instruction.what = fold;
  EXPECT_EQ(to_text(instruction, InstructionId{9}),
            "i9 fold " + std::string(kernel::name(kernel::Fold::Maximum)) + " of 2 parts of 3x4x5");
}

TEST(Printer, QuotesInLabelsAreEscaped) {
  Operation operation;
  WindowRecorder recorder;
  np::Array x = np::zeros(9);
  recorder.operations[0].name = "say \"a\\b\"";
  EXPECT_NE(to_dot(recorder.operations).find("say \\\"a\\\\b\\\"("), std::string::npos) << to_dot(recorder.operations);
}

TEST(Printer, EmptyGraphsAreGraphs) {
  const std::string empty = "digraph {\n  node [shape=box fontname=monospace];\n}\n";
  EXPECT_EQ(to_dot(std::vector<Operation>()), empty);
  EXPECT_EQ(to_dot(std::vector<Task>()), empty);
  EXPECT_EQ(to_dot(Plan()), empty);
}

TEST(Printer, AWriteAfterAWriteIsAnArrowAndAReadOfOnesOwnIsNone) {
  WindowRecorder recorder;
  np::Array x = np::zeros(9);
  x += 1.0;
  x[all] = 2.0;
  const std::string dot = to_dot(recorder.operations);
  EXPECT_NE(dot.find("n0 -> n1 [label=\"s0\" style=solid];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n1 -> n2 [label=\"s0\" style=dashed];"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("n1 -> n1"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("n0 -> n2"), std::string::npos) << dot;
}

// --- what is asked for

class Printed : public testing::Test {
 protected:
  Printed() : folder_(testing::TempDir() + "/printer_test." + std::to_string(::getpid())) {
    plan_.window = 3;
    plan_.first = InstructionId{5};
    plan_.instructions.resize(1);
    plan_.instructions[0].what = Free{AllocationId{1}};
    x_ = np::zeros(9);
  }
  ~Printed() override { std::filesystem::remove_all(folder_); }
  // What goes to standard error for this `--print`.
  std::string print(const std::string& stages, int rank = 0, const std::string& output = "rank0") {
    Config config;
    config.print = stages;
    config.output = output;
    Printer printer(config, rank);
    testing::internal::CaptureStderr();
    print_all(printer);
    return testing::internal::GetCapturedStderr();
  }
  void print_all(Printer& printer) {
    printer.print_operations(2, recorder_.operations);
    printer.print_tasks(2, tasks_);
    printer.print_plan(plan_);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(folder_)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  const std::string folder_;
  WindowRecorder recorder_;
  np::Array x_;
  std::vector<Task> tasks_ = std::vector<Task>(2);
  Plan plan_;
};

TEST_F(Printed, OnlyTheStagesThatAreNamedInOneTextEach) {
  tasks_ = recorder_.fuse_window();
  EXPECT_EQ(print(""), "");
  EXPECT_EQ(print("plan"), "window 3: 1 instruction\n  i5 free a1\n");
  EXPECT_EQ(print("operations"), "window 2: 1 operation\n  " + to_text(recorder_.operations[0]) + "\n");
  EXPECT_EQ(print("tasks"), "window 2: 1 task\n  " + to_text(tasks_[0]) + "\n");
  EXPECT_EQ(print("tasks,plan"), print("tasks") + print("plan"));
  EXPECT_EQ(print("plans,task"), "") << "whole words";
}

TEST(PrintsEveryPlan, UnlessWhatFusedIsAllThatIsAskedFor) {
  const auto prints = [](const std::string& stages, const std::string& folder = "") {
    Config config;
    config.print = stages;
    config.print_dot = folder;
    return prints_every_plan(config);
  };
  EXPECT_FALSE(prints(""));
  EXPECT_FALSE(prints("fusion"));
  EXPECT_FALSE(prints("fusion,fusion"));
  EXPECT_TRUE(prints("tasks"));
  EXPECT_TRUE(prints("fusion,plan"));
  EXPECT_TRUE(prints("fusion", "folder"));
}

TEST_F(Printed, ByRankZeroAloneUnlessAllOutputIsAskedFor) {
  EXPECT_NE(print("plan", 0), "");
  EXPECT_EQ(print("plan", 1), "");
  EXPECT_NE(print("plan", 1, "all"), "");
}

TEST_F(Printed, GraphsAreFilesByRankWindowAndStage) {
  tasks_ = recorder_.fuse_window();
  Config config;
  config.print_dot = folder_ + "/deep/down";
  config.output = "all";
  Printer printer(config, 7);
  testing::internal::CaptureStderr();
  print_all(printer);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "nothing is printed";
  const std::vector<std::string> wanted{"rank7-window2-operations.dot", "rank7-window2-tasks.dot",
                                        "rank7-window3-plan.dot"};
  for (const std::string& name : wanted) {
    std::ifstream file(config.print_dot + "/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text.find("digraph {"), 0u) << name;
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"deep"}));
}

TEST_F(Printed, OtherRanksMakeNoFolder) {
  Config config;
  config.print_dot = folder_;
  Printer printer(config, 1);
  print_all(printer);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(Printed, AFolderThatCannotBeMadeOrWrittenIsAnErrorThatNamesIt) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/file") << "no folder";
  Config config;
  config.print_dot = folder_ + "/file";
  try {
    Printer printer(config, 0);
    print_all(printer);
    FAIL() << "a file is no folder";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find(folder_ + "/file"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("[Runtime] --print-dot"), 0u) << error.what();
  }
  config.print_dot = folder_ + "/gone";
  Printer printer(config, 0);
  std::filesystem::remove_all(folder_);
  EXPECT_THROW(printer.print_plan(plan_), ValueError);
}

// A kernel that says what it is.
class Compiled final : public jit::CompiledKernel {
 public:
  explicit Compiled(std::string text) : text_(std::move(text)) {}
  bool ready() const override { return true; }
  const std::string& source() const override { return text_; }

 private:
  std::string text_;
};

TEST_F(Printed, EachKernelOnce) {
  Config config;
  config.print = "kernels";
  Printer printer(config, 0);
  const Compiled sweep("the sweep"), body("the body");
  const kernel::Kernel kernel;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    printer.print_kernel(kernel, sweep);
    printer.print_body({.name = "smooth"}, body);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kernel\n" + kernel::print(kernel) +
                                                        "\nthe sweep\n"
                                                        "kernel of task smooth\n\nthe body\n");
  Printer silent(Config{}, 0);
  testing::internal::CaptureStderr();
  silent.print_kernel(kernel, sweep);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace pilum::scheduler
