// Programs on emulated GPUs, and texts that NVIDIA's compiler is to take.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "pilum/error.h"
#include "runtime/jit/device_compiler.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {

// One GPU, several of one rank, two ranks of one each.
inline void on_emulated_gpus(int several, const std::function<void()>& program) {
  for (const auto& [ranks, gpus] : {std::pair{1, 1}, {1, several}, {2, 1}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << gpus << " GPUs");
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = gpus;
    machine.gpus = true;
    machine.seed = static_cast<std::uint64_t>(ranks + 2 * gpus);
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
    if (testing::Test::HasFailure()) return;
  }
}

// On one processor and three of one rank of cores, then as above.
inline void on_cores_and_gpus(const std::function<void()>& program) {
  for (const int processors : {1, 3}) {
    SCOPED_TRACE(testing::Message() << "cores, " << processors << " processors");
    fakes::SimulatedRanks machine;
    machine.processors_per_rank = processors;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { program(); });
    if (testing::Test::HasFailure()) return;
  }
  on_emulated_gpus(2, program);
}

// NVRTC for an H200, which it needs not have; null, and why, where there is none.
inline std::unique_ptr<jit::DeviceCompiler> find_nvrtc_compiler(std::string& why) {
  try {
    auto compiler = jit::make_nvrtc_compiler("sm_90");
    static_cast<void>(compiler->compile("extern \"C\" __global__ void pilum_kernel() {}"));
    return compiler;
  } catch (const jit::RejectedSource&) {
    throw;
  } catch (const Error& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace pilum
