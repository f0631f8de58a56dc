#include "scheduler/print/printer.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "pilum/error.h"
#include "scheduler/print/place.h"
#include "scheduler/record/device_body.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/host_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

std::string store_name(const Store& store) {
  return "s" + std::to_string(store.id.value);
}

std::string to_text(const View& view) {
  return store_name(*view.store) + partitioner::to_string(view.map);
}

// "1 task", "2 tasks".
std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string list(const Extents& extent, int rank) {
  std::string text;
  for (int axis = 0; axis < rank; ++axis)
    text += (axis ? "x" : "") + std::to_string(extent[static_cast<std::size_t>(axis)]);
  return text;
}

struct NameCode {
  std::string operator()(const KernelCode& code) const {
    std::ostringstream hash;
    hash << "k" << std::hex << kernel::hash(*code.kernel);
    return hash.str().substr(0, 9);
  }
  template <class Body>
  std::string operator()(const std::shared_ptr<const Body>& code) const {
    return code->body->name;
  }
};

const char* at_most(const CountedItems& items) {
  return items ? " at most " : " ";
}

struct DescribeInstruction {
  std::string operator()(const Allocate& allocate) const {
    return "allocate a" + std::to_string(allocate.allocation.value) + " " + std::to_string(allocate.bytes) +
           " bytes for s" + std::to_string(allocate.store.value);
  }
  std::string operator()(const Free& free) const { return "free a" + std::to_string(free.allocation.value); }
  std::string operator()(const Launch& launch) const {
    const KernelCode* kernel = launch.kernel();
    return "launch " + std::visit(NameCode(), launch.code) + " over " + to_string(launch.points) + " in chunks of " +
           list(launch.chunk, launch.rank) +
           (launch.together > 1 ? ", " + std::to_string(launch.together) + " at a time" : "") +
           (kernel && kernel->streaming ? ", streaming" : "") + (launch.boundary ? ", boundary" : "");
  }
  std::string operator()(const Copy& copy) const {
    return "copy s" + std::to_string(copy.store.value) + to_string(copy.cells) + " " + std::to_string(copy.bytes()) +
           " bytes";
  }
  std::string operator()(const Send& send) const {
    return "send s" + std::to_string(send.store.value) + at_most(send.items) + std::to_string(send.bytes) +
           " bytes to rank " + std::to_string(send.to) + " with tag " + std::to_string(send.tag.window) + "." +
           std::to_string(send.tag.message);
  }
  std::string operator()(const Receive& receive) const {
    return "receive s" + std::to_string(receive.store.value) + at_most(receive.items) + std::to_string(receive.bytes) +
           " bytes from rank " + std::to_string(receive.from) + " with tag " + std::to_string(receive.tag.window) +
           "." + std::to_string(receive.tag.message);
  }
  std::string operator()(const Taken& taken) const {
    return (taken.waits ? "wait until taken by rank " : "tell that it is taken to rank ") + std::to_string(taken.peer);
  }
  std::string operator()(const FoldParts& fold) const {
    return std::string("fold ") + kernel::name(fold.fold) + " of " + std::to_string(fold.part_count) + " parts of " +
           list(fold.extent, fold.rank);
  }
  std::string operator()(const Reshape& reshape) const {
    const auto extents = [](const Extents& all, int rank) {
      std::string text;
      for (int axis = 0; axis < rank; ++axis)
        text += (axis ? " x " : "") + std::to_string(all[static_cast<std::size_t>(axis)]);
      return text;
    };
    return "reshape " + extents(reshape.from_extent, reshape.from_rank) + " to " +
           extents(reshape.to_extent, reshape.to_rank);
  }
  std::string operator()(const HostCall&) const { return "host call"; }
  std::string operator()(const ReplayedPlan&) const { return "replay a cached plan"; }
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + "\"";
}

// Nodes in order, with arrows from the last writer of a store to its readers, and from readers to the next writer.
class DotOfStores {
 public:
  void add(const std::string& label, const std::vector<const Store*>& reads, const std::vector<const Store*>& writes) {
    const int node = count_++;
    text_ += "  n" + std::to_string(node) + " [label=" + quoted(label) + "];\n";
    for (const Store* store : reads) arrow(writer_, store, node, "solid");
    for (const Store* store : writes) {
      arrow(writer_, store, node, "dashed");
      writer_[store] = node;
    }
  }
  std::string finish() const { return "digraph {\n  node [shape=box fontname=monospace];\n" + text_ + "}\n"; }

 private:
  void arrow(const std::map<const Store*, int>& from, const Store* store, int to, const char* style) {
    const auto found = from.find(store);
    if (found == from.end() || found->second == to) return;
    text_ += "  n" + std::to_string(found->second) + " -> n" + std::to_string(to) +
             " [label=" + quoted(store_name(*store)) + " style=" + style + "];\n";
  }
  int count_ = 0;
  std::string text_;
  std::map<const Store*, int> writer_;
};

}  // namespace

std::string to_text(const Operation& operation) {
  if (const TaskLaunch* launch = operation.launch()) {
    std::string text = std::string(operation.name) + " over " + to_string(launch->domain) + " (";
    const char* const access[] = {"reads ", "writes ", "reads and writes ", "reduces into "};
    for (const Argument& argument : launch->arguments) {
      text += text.back() == '(' ? "" : ", ";
      text += access[static_cast<int>(argument.footprint.access)] + to_text(argument.view);
    }
    return text + ")  # " + place_of(operation.where);
  }
  const View& output = *operation.output();
  std::string inputs;
  const auto add = [&inputs](const std::string& text) { inputs += (inputs.empty() ? "" : ", ") + text; };
  if (const Elementwise* elementwise = operation.elementwise()) {
    for (const Operand& input : elementwise->inputs)
      add(input.is_view() ? to_text(input.view) : to_string(input.scalar));
  } else {
    for_each_input(operation, [&](std::size_t, const View& view) { add(to_text(view)); });
  }
  return to_text(output) + " = " + operation.name + "(" + inputs + ") over " + to_string(output.shape) + " " +
         name(output.store->dtype) + "  # " + place_of(operation.where);
}

std::string to_text(const Task& task) {
  std::string text = std::string(task.name) + " over " + to_string(task.domain) + ", " +
                     counted(static_cast<std::size_t>(task.operations), "operation") + ", " +
                     partitioner::to_string(task.distribution) + "  # " + place_of(task.where);
  for (const Argument& read : task.reads) {
    const Offsets first = Offsets::none(read.view.map.store_rank);
    const Offsets* offsets = read.footprint.offsets();
    text += "\n    reads " + store_name(*read.store()) + partitioner::to_string(read.map()) + " at";
    for (const Point& offset : (offsets ? *offsets : first).at) text += " " + to_string(offset);
  }
  for (const TaskWrite& write : task.writes) {
    text += "\n    writes " + store_name(*write.store()) + partitioner::to_string(write.map()) +
            (write.kept ? "" : ", in a register");
  }
  for (const Argument& reduction : task.reductions) {
    text += std::string("\n    ") + kernel::name(reduction.footprint.fold) + " into " + store_name(*reduction.store()) +
            partitioner::to_string(reduction.map());
  }
  return text;
}

std::string to_text(const Instruction& instruction, InstructionId id) {
  std::string text = "i" + std::to_string(id.value) + " " + std::visit(DescribeInstruction(), instruction.what);
  if (!instruction.after.empty()) text += ", after";
  for (const InstructionId before : instruction.after) text += " i" + std::to_string(before.value);
  if (instruction.name[0]) text += std::string("  # ") + instruction.name + " " + place_of(instruction.where);
  return text;
}

std::string to_dot(const std::vector<Operation>& operations) {
  DotOfStores dot;
  for (const Operation& operation : operations) {
    std::vector<const Store*> reads;
    std::vector<const Store*> writes;
    for_each_view(operation,
                  [&](const View& view, bool write) { (write ? writes : reads).push_back(view.store.get()); });
    dot.add(to_text(operation), reads, writes);
  }
  return dot.finish();
}

std::string to_dot(const std::vector<Task>& tasks) {
  DotOfStores dot;
  for (const Task& task : tasks) {
    std::vector<const Store*> reads, writes;
    for (const Argument& read : task.reads) reads.push_back(read.store().get());
    for (const TaskWrite& write : task.writes) writes.push_back(write.store().get());
    for (const Argument& reduction : task.reductions) writes.push_back(reduction.store().get());
    dot.add(to_text(task), reads, writes);
  }
  return dot.finish();
}

std::string to_dot(const Plan& plan) {
  std::string text = "digraph {\n  node [shape=box fontname=monospace];\n";
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const InstructionId id{plan.first.value + static_cast<std::int64_t>(i)};
    text += "  i" + std::to_string(id.value) + " [label=" + quoted(to_text(plan.instructions[i], id)) + "];\n";
    for (const InstructionId before : plan.instructions[i].after) {
      text += "  i" + std::to_string(before.value) + " -> i" + std::to_string(id.value) + ";\n";
    }
  }
  return text + "}\n";
}

bool prints_every_plan(const Config& config) {
  bool others = !config.print_dot.empty();
  std::istringstream words(config.print);
  for (std::string word; std::getline(words, word, ',');) others = others || word != "fusion";
  return others;
}

Printer::Printer(const Config& config, int rank, int ranks) : fusion_(rank, ranks), rank_(rank) {
  if (rank > 0 && config.output != "all") return;
  stages_ = config.print;
  shows_fusion_ = shows("fusion");
  folder_ = config.print_dot;
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw ValueError("[Runtime] --print-dot " + folder_ + ": the folder cannot be made (" + error.message() +
                     "); name one that can be written");
  }
}

bool Printer::shows(const char* stage) const {
  std::istringstream words(stages_);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == stage) return true;
  }
  return false;
}

void Printer::put(const std::string& text) const {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Printer::write_dot(int window, const char* stage, const std::string& dot) const {
  const std::string path =
      folder_ + "/rank" + std::to_string(rank_) + "-window" + std::to_string(window) + "-" + stage + ".dot";
  std::ofstream file(path);
  file << dot;
  if (!file.flush()) throw ValueError("[Runtime] --print-dot: " + path + " cannot be written; name a folder that can");
}

void Printer::print_operations(int window, const std::vector<Operation>& operations) {
  if (stages_.empty() && folder_.empty()) return;
  if (!folder_.empty()) write_dot(window, "operations", to_dot(operations));
  if (!shows("operations")) return;
  std::string text = "window " + std::to_string(window) + ": " + counted(operations.size(), "operation") + "\n";
  for (const Operation& operation : operations) text += "  " + to_text(operation) + "\n";
  put(text);
}

void Printer::print_tasks(int window, const std::vector<Task>& tasks) {
  if (stages_.empty() && folder_.empty()) return;
  if (!folder_.empty()) write_dot(window, "tasks", to_dot(tasks));
  if (!shows("tasks")) return;
  std::string text = "window " + std::to_string(window) + ": " + counted(tasks.size(), "task") + "\n";
  for (const Task& task : tasks) text += "  " + to_text(task) + "\n";
  put(text);
}

void Printer::print_plan(const Plan& plan) {
  if (stages_.empty() && folder_.empty()) return;
  if (!folder_.empty()) write_dot(plan.window, "plan", to_dot(plan));
  if (!shows("plan")) return;
  std::string text =
      "window " + std::to_string(plan.window) + ": " + counted(plan.instructions.size(), "instruction") + "\n";
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    text += "  " + to_text(plan.instructions[i], InstructionId{plan.first.value + static_cast<std::int64_t>(i)}) + "\n";
  }
  put(text);
}

FusionEntry Printer::print_fusion(int window, std::span<const FusedGroup> groups, const WindowEnd& end) {
  FusionEntry entry;
  put(fusion_.add(window, groups, end, entry));
  return entry;
}

void Printer::print_counts() {
  put(fusion_.finish());
}

void Printer::print_kernel(const kernel::Kernel& kernel, const jit::CompiledKernel& compiled) {
  if (stages_.empty() || !shows("kernels") || !printed_.insert(&compiled).second) return;
  put("kernel\n" + kernel::print(kernel) + "\n" + compiled.source() + "\n");
}

void Printer::print_body(const kernel::BodySource& body, const jit::CompiledKernel& compiled) {
  if (stages_.empty() || !shows("kernels") || !printed_.insert(&compiled).second) return;
  put("kernel of task " + body.name + "\n\n" + compiled.source() + "\n");
}

}  // namespace pilum::scheduler
