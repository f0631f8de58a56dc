#include "tests/fakes/emulated_world.h"

#include <algorithm>
#include <utility>

#include "tests/fakes/emulated_streams.h"

namespace pilum::fakes {

World& world() {
  static World world;
  return world;
}

bool World::awaits_flag() const {
  return std::ranges::any_of(gpus, [](const EmulatedStreams* gpu) { return gpu->awaits_flag(); });
}

bool World::step(std::mt19937_64& random) {
  std::vector<std::pair<EmulatedStreams*, device::Stream>> choices;
  for (EmulatedStreams* gpu : gpus) {
    for (const device::Stream stream : device::kStreams) {
      if (gpu->may_run(stream)) choices.emplace_back(gpu, stream);
    }
  }
  std::vector<ProgramStream*> programs;
  for (ProgramStream* program : program_streams) {
    if (program->may_run()) programs.push_back(program);
  }
  if (choices.empty() && programs.empty()) return false;
  const std::size_t choice = random() % (choices.size() + programs.size());
  if (choice >= choices.size()) {
    programs[choice - choices.size()]->run_next();
    return true;
  }
  const auto& [gpu, stream] = choices[choice];
  gpu->run_next(stream);
  return true;
}

ProgramStream::ProgramStream(std::uint64_t seed) : random_(seed) {
  const std::lock_guard lock(world().mutex);
  world().program_streams.push_back(this);
}

ProgramStream::~ProgramStream() {
  finish();
  const std::lock_guard lock(world().mutex);
  std::erase(world().program_streams, this);
}

void ProgramStream::issue(std::function<void()> work) {
  const std::lock_guard lock(world().mutex);
  queue_.push_back(std::move(work));
  ++issued_;
}

void ProgramStream::finish() {
  const std::lock_guard lock(world().mutex);
  while (!queue_.empty() && world().step(random_)) {
  }
}

void ProgramStream::add_wait(WaitWork wait) {
  queue_.push_back(std::move(wait));
  ++issued_;
}

bool ProgramStream::may_run() const {
  if (queue_.empty()) return false;
  const auto* wait = std::get_if<WaitWork>(&queue_.front());
  return !wait || has_reached(*wait->of, wait->event);
}

void ProgramStream::run_next() {
  const auto next = std::move(queue_.front());
  queue_.pop_front();
  if (const auto* work = std::get_if<std::function<void()>>(&next)) (*work)();
  ++*done_;
}

std::unique_ptr<EmulatedProgramStream> make_emulated_program_stream(std::uint64_t seed) {
  return std::make_unique<ProgramStream>(seed);
}

}  // namespace pilum::fakes
