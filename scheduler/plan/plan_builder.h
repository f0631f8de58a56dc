// Appends instructions to a plan, each with what it must come after.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <list>
#include <source_location>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "runtime/device/gpu.h"
#include "runtime/kernel/body/device_body.h"
#include "runtime/machine/machine.h"
#include "scheduler/memory/memory_book.h"
#include "scheduler/memory/store_state.h"
#include "scheduler/plan/mail.h"
#include "scheduler/plan/partial_execution.h"
#include "scheduler/plan/plan_observer.h"
#include "scheduler/record/plan.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// Where kernels come from: the Jit; nowhere where plans are only made (SessionMode::PlanOnly).
using KernelSource =
    std::function<std::shared_ptr<const jit::CompiledKernel>(const kernel::Kernel&, const kernel::EmitOptions&)>;
using DeviceKernelSource =
    std::function<std::shared_ptr<const jit::CompiledKernel>(const kernel::Kernel&, const kernel::DeviceOptions&)>;
using BodyKernelSource =
    std::function<std::shared_ptr<const jit::CompiledKernel>(const kernel::BodySource&, const kernel::BodyForm&)>;

class PlanBuilder;

// Moves cells out of a full memory. False when nothing more can be moved.
using MakeRoom = std::function<bool(PlanBuilder&, int processor, std::size_t bytes)>;

// What stays the same from plan to plan.
struct PlanningRank {
  const machine::Machine& machine;
  int rank = 0;
  std::vector<MemoryBook*> memories;  // by this rank's processors: where their arrays lie
  MemoryBook* staging = nullptr;      // of GPUs: pinned memory of the host, which all of them reach
  int workers = 1;                    // threads that share a piece on the host
  bool peers = true;                  // the processors reach each other's memory
  bool messages_from_gpus = false;    // the communicator takes GPUs' memory
  std::vector<MemoryBook*> shared;    // by processor: its memory that ranks of the node open; empty: they do not
  std::vector<MailPartner*> mail;     // by rank; null: no mail goes there; empty: to no rank
  MemoryBook* lent = nullptr;         // memory of the program's: each instance in it stays where it is
  std::vector<int> node_of;           // by rank; empty: all are on one node
  KernelSource kernels;
  DeviceKernelSource device_kernels;
  BodyKernelSource body_kernels;
  std::function<bool(device::GpuSkill)> gpus_have;  // a skill; empty: none
  std::function<device::Gpu&(int processor)> gpu;   // of those that have one
  std::function<InstructionId()> done_before;
  PartialExecution* partial_execution = nullptr;  // null: memory that is full stays so
  MakeRoom make_room;                             // may be empty
  PlanObserver* observer = nullptr;               // told what builders do, while there is one
  bool full = false;                              // a plan made again found no room on its processor
  std::function<std::string()> describe_stores;   // for "out of memory": who holds the most

  int first_processor() const { return rank * machine.processors_per_rank; }
  bool shares_with(int other) const {
    if (shared.empty()) return false;
    return node_of.empty() || node_of[static_cast<std::size_t>(other)] == node_of[static_cast<std::size_t>(rank)];
  }
  MailPartner* mail_with(int other) const { return mail.empty() ? nullptr : mail[static_cast<std::size_t>(other)]; }
  bool has_mail_with_all() const {
    int others = 0;
    for (const MailPartner* partner : mail) others += partner != nullptr;
    return machine.ranks > 1 && others == machine.ranks - 1;
  }
  bool on_gpus() const { return machine.kind == machine::ProcessorKind::Gpu; }
  // GPUs that all copy from each other's memory: no cells need to go by the host.
  bool is_all_direct() const {
    if (!on_gpus() || !peers) return false;
    return machine.ranks == 1 || (!shared.empty() && std::all_of(node_of.begin(), node_of.end(),
                                                                 [this](int node) { return node == node_of[0]; }));
  }
};

// One plan in the making. Messages between two ranks are numbered in the order they are planned, which both find
// alike. Throws pilum::MemoryError when an allocation fails.
class PlanBuilder {
 public:
  PlanBuilder(PlanningRank& rank, Plan& plan, std::span<const Task> tasks) : rank_(rank), plan_(plan), tasks_(tasks) {}

  PlanningRank& rank() { return rank_; }
  const Plan& plan() const { return plan_; }
  // Has what is planned so far executed, so that the memory it frees can be had in other sizes.
  void execute_so_far();
  std::span<const Task> tasks() const { return tasks_; }
  // The task that instructions are for from now on.
  void begin_task(std::size_t number) { task_ = number; }
  std::size_t task_number() const { return task_; }
  const Task* instead_ = nullptr;
  const Task& task() const { return instead_ ? *instead_ : tasks_[task_]; }
  // While it lives, what is planned is for another task, a part of this one.
  class Instead {
   public:
    Instead(PlanBuilder& builder, const Task& task) : builder_(builder) { builder_.instead_ = &task; }
    ~Instead() { builder_.instead_ = nullptr; }
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;

   private:
    PlanBuilder& builder_;
  };

  template <class What>
  void emit(What what, int processor, std::initializer_list<Touch> touches) {
    emit(std::move(what), processor, std::span<const Touch>(touches.begin(), touches.size()));
  }
  template <class What>
  void emit(What what, int processor, std::span<const Touch> touches) {
    if constexpr (!std::is_same_v<What, Allocate>) emit_gathered_copies();
    Instruction instruction{std::move(what), order(touches), processor, name(), where()};
    plan_.instructions.push_back(std::move(instruction));
    if (rank_.observer) tell_observer(touches);
  }
  // Of a plan that is made again, which has no tasks here: whom instructions and errors name from now on.
  void begin_naming(const char* name, std::source_location where) {
    name_ = name;
    where_ = where;
  }
  // Of such a plan: an instruction as it was, but for what it comes after; memory like that of an earlier plan, on the
  // host where there is none left.
  void emit_again(Instruction&& instruction, std::span<const Touch> touches);
  Block* allocate_again(MemoryBook& memory, std::size_t bytes, int processor, StoreId store);

  // In the processor's memory; where that is full, and nothing can be moved out of it, in the host's.
  Block* allocate(std::size_t bytes, int processor, StoreId store);
  // Null where there is no room, whatever is moved.
  Block* allocate_on_processor(std::size_t bytes, int processor, StoreId store);
  // Memory that messages, and all processors of this rank, can go through.
  Block* allocate_shared(std::size_t bytes, int processor, StoreId store);
  // Memory of the host.
  Block* allocate_on_host(std::size_t bytes, int processor, StoreId store);
  void free(Block* block, int processor);

  // Copies cells between two instances of a store.
  void copy(const Instance& from, const Instance& to, const Rect& cells, const Store& store, int processor);
  // The same; but while a CopiesTogether lives, what goes from one instance to another waits until something else is
  // planned, or that one's end, and is copied in as few rectangles as it has then.
  void copy_together(const Instance& from, const Instance& to, const Rect& cells, const Store& store, int processor);
  class CopiesTogether {
   public:
    explicit CopiesTogether(PlanBuilder& builder) : builder_(builder) { builder_.gathers_copies_ = true; }
    // To be called at the end, but where an exception leaves the plan unfinished.
    void end() {
      builder_.emit_gathered_copies();
      builder_.gathers_copies_ = false;
    }
    ~CopiesTogether() {
      builder_.gathered_copies_.clear();
      builder_.gathers_copies_ = false;
    }
    CopiesTogether(const CopiesTogether&) = delete;
    CopiesTogether& operator=(const CopiesTogether&) = delete;

   private:
    PlanBuilder& builder_;
  };
  // Sends cells that may lie in several instances; packs them unless they are one run of memory.
  void send(int to, const Region& cells, const ProcessorStore& from, const Store& store, int processor);
  void receive(int from, const Region& cells, const Instance& to, const Store& store, int processor);
  // Cells of one store in a message that may have those of others, too.
  struct Outgoing {
    Region cells;
    const Store* store = nullptr;
    const ProcessorStore* from = nullptr;
  };
  struct Arriving {
    Region cells;
    const Store* store = nullptr;
    std::vector<std::pair<Region, const Instance*>> to;  // which of the cells go where
  };
  // Several parts as one message; both ends name the same ones in the same order.
  void send_joined(int to, std::span<const Outgoing> parts, int processor);
  void receive_joined(int from, std::span<const Arriving> parts, int processor);
  // What goes as one message each. Where messages of GPUs go through the host, large ones go in pieces, so that one is
  // copied while another one flies. Both ends cut alike: by the cells alone.
  std::vector<Region> cut_message(const Region& cells, const Store& store) const;
  // One block, whole, beginning at its start.
  void send_block(int to, Block* block, std::size_t bytes, StoreId store);
  void receive_block(int from, Block* block, std::size_t bytes, StoreId store);
  // Items of a block, from byte `at` on: `most` of them; or as many as a range in another block says when the message
  // is posted (CountedItems).
  struct Items {
    Block* block = nullptr;
    std::int64_t at = 0;
    Rect touched;  // in the block's log
    std::int64_t itemsize = 8, most = 1;
    Block* range = nullptr;
    std::int64_t range_at = 0;
  };
  void send_items(int to, const Items& items, StoreId store, int processor);
  void receive_items(int from, const Items& items, StoreId store, int processor);
  // A block between GPUs of one node: from a block of shared memory, to one of the processor's own.
  void send_shared(int to, Block* block, std::size_t bytes, StoreId store, int processor);
  void receive_shared(int from, Block* block, std::size_t bytes, StoreId store, int processor);
  // A message that is put into a GPU's box (mail.h). The place is empty where it goes another way; then nothing is
  // planned. A letter that is received is to be told taken once what reads it is planned.
  struct Letter {
    MailPartner* partner = nullptr;
    MailPlaces::Place place;
    explicit operator bool() const { return partner; }
  };
  [[nodiscard]] Letter begin_letter(int to, std::size_t bytes);
  void send_letter(int to, const Letter& letter, StoreId store, int processor);
  [[nodiscard]] Letter receive_letter(int from, std::size_t bytes, StoreId store, int processor);
  void tell_taken(int from, const Letter& letter, int processor);
  // Bytes of a block, from `at` on, to a rank that shares memory with this one, as a letter if that fits. What comes in
  // lies where the parcel says until it is ended.
  struct Parcel {
    Block* block = nullptr;
    std::int64_t at = 0, bytes = 0;
    int from = 0;
    Letter letter = {};
  };
  void send_parcel(int to, Block* block, std::int64_t at, std::int64_t bytes, const Store& store, int processor);
  [[nodiscard]] Parcel receive_parcel(int from, std::int64_t bytes, const Store& store, int processor);
  void end_parcel(const Parcel& parcel, int processor);
  // Bytes of whole items, from one place to another.
  void copy_bytes(Block* from, std::int64_t from_at, Block* to, std::int64_t to_at, std::int64_t bytes,
                  const Store& store, int processor);
  // The end of a part of a plan that is remembered by itself: what it has sent so is waited for.
  void wait_until_taken();
  // Row-major bytes of the cells, rectangle after rectangle, to and from an instance, from byte `at` of the block on.
  void pack(const ProcessorStore& from, const Region& cells, Block* to, const Store& store, int processor,
            std::int64_t at = 0);
  void unpack(Block* from, const Region& cells, const Instance& to, const Store& store, int processor,
              std::int64_t at = 0);

  // While one lives, memory that is freed is not given out again (MemoryBook::NoReuse).
  class NoReuse {
   public:
    explicit NoReuse(PlanBuilder& builder) : observer_(builder.rank_.observer) {
      tell(true);
      for (MemoryBook* book : builder.rank_.memories) no_reuse_.emplace_back(*book);
      for (MemoryBook* book : builder.rank_.shared) no_reuse_.emplace_back(*book);
      if (builder.rank_.staging) no_reuse_.emplace_back(*builder.rank_.staging);
    }

    ~NoReuse() { tell(false); }
    NoReuse(const NoReuse&) = delete;
    NoReuse& operator=(const NoReuse&) = delete;

   private:
    void tell(bool begins);
    PlanObserver* observer_;
    std::list<MemoryBook::NoReuse> no_reuse_;
  };

  // While one lives, chains of numbers and partial results on GPUs do not wait for each other's memory
  // (MemoryBook::SmallApart).
  class SmallApart {
   public:
    explicit SmallApart(const PlanningRank& rank) {
      if (!rank.on_gpus()) return;
      for (MemoryBook* book : rank.memories) apart_.emplace_back(*book);
      for (MemoryBook* book : rank.shared) apart_.emplace_back(*book);
      if (rank.staging) apart_.emplace_back(*rank.staging);
    }

   private:
    std::list<MemoryBook::SmallApart> apart_;
  };

 private:
  // Where a message is packed and unpacked.
  Block* allocate_for_message(std::size_t bytes, int processor, StoreId store) {
    return rank_.messages_from_gpus ? allocate_at_once(bytes, processor, store)
                                    : allocate_shared(bytes, processor, store);
  }
  void pack(std::span<const Outgoing> parts, Block* to, int processor, std::int64_t at);
  void unpack(Block* from, std::span<const Arriving> parts, int processor, std::int64_t at);
  // Of cells, or bytes, of a block to those of another one.
  void emit_copy(Copy copy, const Touch& from, const Touch& to, int processor);
  // Those of the cells that are in a box, which is packed at byte `at`.
  void unpack_box(Block* from, std::int64_t at, const Rect& box, const Region& cells, const Instance& to,
                  const Store& store, int processor);
  // Cells that are one run of memory need no packing. False: they are not, or lie on a GPU.
  bool send_in_place(int to, const Outgoing& part, int processor);
  bool receive_in_place(int from, const Arriving& part, int processor);
  // As allocate(), but nothing is moved to make room, for that waits: see Exchange::plan_read.
  Block* allocate_at_once(std::size_t bytes, int processor, StoreId store);
  Block* allocate_from(MemoryBook& memory, std::size_t bytes, int processor, StoreId store);
  void tell_observer(std::span<const Touch> touches);
  Block* take(MemoryBook& memory, Block* block, std::size_t bytes, int processor, StoreId store);
  [[noreturn]] void throw_no_memory(const MemoryBook& memory, std::size_t bytes) const;
  std::vector<InstructionId> order(std::span<const Touch> touches);
  const char* name() const { return task_ < tasks_.size() ? task().name : name_; }
  std::source_location where() const { return task_ < tasks_.size() ? task().where : where_; }
  comm::Tag next_tag(std::unordered_map<int, std::uint32_t>& counters, int peer) {
    return comm::Tag{static_cast<std::uint32_t>(plan_.window), counters[peer]++};
  }

  struct GatheredCopy {
    Instance from, to;
    Region cells;
    const Store* store = nullptr;
    int processor = 0;
  };
  void emit_gathered_copies();

  struct SentLetter {
    int to = 0;
    Letter letter;
    int processor = 0;
  };

  PlanningRank& rank_;
  Plan& plan_;
  std::span<const Task> tasks_;
  std::unordered_map<int, MailPlaces> mail_to_, mail_from_;  // by peer
  std::vector<SentLetter> sent_letters_;
  bool gathers_copies_ = false;
  std::vector<GatheredCopy> gathered_copies_;
  std::size_t task_ = 0;
  const char* name_ = "";  // where there are no tasks
  std::source_location where_;
};

// Of the cells alone, packed.
[[nodiscard]] std::int64_t bytes_of(const Region& cells, const Store& store);
// A box of one axis: bytes [lo, hi) of a block.
[[nodiscard]] Rect byte_range(std::int64_t lo, std::int64_t hi);

}  // namespace pilum::scheduler
