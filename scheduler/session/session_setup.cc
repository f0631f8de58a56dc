#include <algorithm>

#include "runtime/base/log.h"
#include "scheduler/memory/memory_sources.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {

// One memory for all processors of cores; one for each GPU, and the host's for what goes between.
void Session::make_memories() {
  const auto add = [this](std::unique_ptr<MemorySource> source) {
    sources_.push_back(std::move(source));
    books_.push_back(std::make_unique<MemoryBook>(
        *sources_.back(), [this] { return executor_.done_before(); }, [this] { executor_.wait(); }));
    return books_.back().get();
  };
  const auto imaginary = [this] { return make_imaginary_source(static_cast<int>(sources_.size())); };
  lent_ = add(make_lent_source());
  const bool on_gpus = parts_.machine.kind == machine::ProcessorKind::Gpu;
  if (!on_gpus) {
    planning_memories_.assign(static_cast<std::size_t>(parts_.machine.processors_per_rank),
                              add(executes() ? make_pool_source(pool_) : imaginary()));
    return;
  }
  for (int p = 0; p < parts_.machine.processors_per_rank; ++p) {
    planning_memories_.push_back(
        add(executes() ? make_gpu_source(*parts_.gpus[static_cast<std::size_t>(p)], parts_.gpu_memory_limit)
                       : imaginary()));
  }
  if (parts_.share_gpu_memory) {
    for (int p = 0; p < parts_.machine.processors_per_rank; ++p) {
      shared_.push_back(add(executes() ? make_shared_source(*parts_.gpus[static_cast<std::size_t>(p)]) : imaginary()));
    }
  }
  staging_ = add(executes() ? make_pinned_source(*parts_.gpus.front(), parts_.memory_limit) : imaginary());
}

// Where plans are only made, there are addresses of boxes.
void Session::make_mail_partners() {
  Mailboxes mail = parts_.mail;
  const int ranks = parts_.machine.ranks;
  if (!executes() && mail.box_bytes > 0) {
    sources_.push_back(make_imaginary_source(static_cast<int>(sources_.size())));
    std::size_t taken = 0;
    for (std::vector<std::byte*>* boxes : {&mail.out, &mail.in}) {
      for (int other = 0; other < ranks; ++other) {
        const bool near = parts_.node_of.empty() || parts_.node_of[static_cast<std::size_t>(other)] ==
                                                        parts_.node_of[static_cast<std::size_t>(rank())];
        boxes->push_back(near && other != rank()
                             ? sources_.back()->allocate(static_cast<std::size_t>(mail.box_bytes), taken)
                             : nullptr);
      }
    }
  }
  for (std::size_t other = 0; other < mail.out.size(); ++other) {
    if (!mail.out[other]) {
      mail_.emplace_back();
      continue;
    }
    mail_.push_back(std::make_unique<MailPartner>(
        MailPartner{{mail.out[other], mail.box_bytes}, {mail.in[other], mail.box_bytes}}));
    mail_blocks_.push_back(mail_.back()->out.block());
    mail_blocks_.push_back(mail_.back()->in.block());
  }
}

// What stays the same from plan to plan.
void Session::make_planner() {
  PlanningRank planning{parts_.machine, parts_.communicator->rank()};
  planning.memories = planning_memories_;
  planning.staging = staging_;
  planning.lent = lent_;
  for (const machine::Processor& processor : parts_.processors)
    planning.workers = std::max(planning.workers, static_cast<int>(processor.cores.size()));
  planning.shared = shared_;
  for (const auto& partner : mail_) planning.mail.push_back(partner.get());
  planning.messages_from_gpus = parts_.messages_from_gpus;
  planning.node_of = parts_.node_of;
  for (const auto& gpu : parts_.gpus) {
    for (const auto& other : parts_.gpus) planning.peers = gpu->connect(*other) && planning.peers;
  }
  peers_ = planning.peers;
  planning.kernels = [this](const kernel::Kernel& kernel,
                            const kernel::EmitOptions& options) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!executes()) return nullptr;
    auto compiled = parts_.jit->get_host(kernel, options);
    printer_->print_kernel(kernel, *compiled);
    return compiled;
  };
  planning.device_kernels = [this](const kernel::Kernel& kernel,
                                   const kernel::DeviceOptions& options) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!parts_.device_jit) return nullptr;
    auto compiled = parts_.device_jit->get(kernel, options);
    printer_->print_kernel(kernel, *compiled);
    return compiled;
  };
  if (parts_.device_jit) body_kernels_ = std::make_unique<BodyKernels>(*parts_.device_jit);
  planning.body_kernels = [this](const kernel::BodySource& body,
                                 const kernel::BodyForm& form) -> std::shared_ptr<const jit::CompiledKernel> {
    if (!body_kernels_) return nullptr;
    auto compiled = body_kernels_->get(body, form);
    printer_->print_body(body, *compiled);
    return compiled;
  };
  planning.gpus_have = [this](device::GpuSkill skill) { return gpus_have(skill); };
  planning.gpu = [this](int processor) -> device::Gpu& { return *parts_.gpus[static_cast<std::size_t>(processor)]; };
  planning.done_before = [this] { return executor_.done_before(); };
  planning.partial_execution = this;
  planning.describe_stores = [this] { return describe_stores(); };
  planner_ = std::make_unique<Planner>(std::move(planning));
}

// Asked when the first product, or transform, is there: what computes it takes long to load.
bool Session::gpus_have(device::GpuSkill skill) {
  std::optional<bool>& known = gpus_have_[static_cast<std::size_t>(skill)];
  if (!known) {
    std::string trouble;
    for (const auto& gpu : parts_.gpus) {
      if (trouble.empty()) trouble = gpu->find_trouble(skill);
    }
    if (!trouble.empty() && rank() == 0) log("scheduler").warn("{}", trouble);
    known = !parts_.gpus.empty() && trouble.empty();
  }
  return *known;
}

void Session::make_lanes() {
  std::vector<device::Gpu*> gpus;
  for (const auto& gpu : parts_.gpus) gpus.push_back(gpu.get());
  if (!gpus.empty()) executor_.set_gpus(std::move(gpus), parts_.device_jit.get());
  std::vector<device::HostLane*> lanes;
  for (std::size_t p = 0; p < parts_.processors.size(); ++p) {
    device::HostLaneOptions options;
    options.worker_cores = parts_.processors[p].cores;
    // The recording thread is one of the workers while it waits.
    if (p == 0 && !options.worker_cores.empty()) options.worker_cores.erase(options.worker_cores.begin());
    options.when_idle = [this] { return executor_.poll(); };
    options.on_error = [this](std::exception_ptr error) { executor_.fail(error); };
    lanes_.push_back(device::make_host_lane(std::move(options)));
    lanes.push_back(lanes_.back().get());
  }
  executor_.set_lanes(std::move(lanes));
  std::vector<int> pinned;
  for (const machine::Processor& processor : parts_.processors)
    pinned.insert(pinned.end(), processor.cores.begin(), processor.cores.end());
  if (pinned.empty() || parts_.shares_cores) return;
  const int own = pinned.front();
  pinned.erase(pinned.begin());
  thread_place_ = device::ThreadPlace(own, std::move(pinned));
}

}  // namespace pilum::scheduler
