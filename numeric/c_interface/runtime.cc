// The runtime of a C program.
#include "pilum/runtime.h"

#include <exception>
#include <memory>
#include <set>
#include <string>

#include "numeric/c_interface/caller.h"
#include "numeric/c_interface/handles.h"
#include "pilum/c.h"

namespace pilum::c_interface {
namespace {

// Not owned: a thread that ends with its runtime leaves it behind, as a C++ program does that calls exit.
using Runtimes = Handles<Runtime*, 2>;

Runtimes& runtimes() {
  return of_this_thread<Runtimes>();
}

std::uint64_t bits_of(pilum_runtime runtime) {
  return reinterpret_cast<std::uintptr_t>(runtime);
}

Runtime& find(const Caller& caller, pilum_runtime handle) {
  if (Runtime* const* runtime = runtimes().find(bits_of(handle))) return **runtime;
  numeric::fail<HandleError>(caller.call(),
                             handle ? "the runtime does not belong to this thread: it has ended, or was never made"
                                    : "the runtime is a null handle: make it with pilum_runtime_create");
}

template <class Get>
pilum_status ask(const char* name, pilum_runtime runtime, int* out, pilum_place place, Get get) {
  return run(name, place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = (find(caller, runtime).*get)();
  });
}

}  // namespace
}  // namespace pilum::c_interface

using namespace pilum::c_interface;

pilum_status pilum_runtime_create_at(int argc, char** argv, pilum_runtime* out, pilum_place place) {
  return run("runtime_create", place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = nullptr;
    auto runtime = std::make_unique<pilum::Runtime>(argc, argv);
    *out = reinterpret_cast<pilum_runtime>(static_cast<std::uintptr_t>(runtimes().add(runtime.get())));
    static_cast<void>(runtime.release());
  });
}

pilum_status pilum_runtime_destroy_at(pilum_runtime* runtime, pilum_place place) {
  if (runtime && !*runtime) return PILUM_OK;
  return run("runtime_destroy", place, [&](const Caller& caller) {
    caller.require("runtime", runtime);
    std::unique_ptr<pilum::Runtime> ending(&find(caller, *runtime));
    runtimes().remove(bits_of(*runtime));
    *runtime = nullptr;
    std::exception_ptr failure;  // its end is not part of an unwinding, which would end the job without a word
    try {
      ending->wait(caller.where());
    } catch (...) {
      failure = std::current_exception();
    }
    ending.reset();
    if (failure) std::rethrow_exception(failure);
  });
}

pilum_status pilum_wait_at(pilum_runtime runtime, pilum_place place) {
  return run("wait", place, [&](const Caller& caller) { find(caller, runtime).wait(caller.where()); });
}

pilum_status pilum_rank_at(pilum_runtime runtime, int* out, pilum_place place) {
  return ask("rank", runtime, out, place, &pilum::Runtime::rank);
}
pilum_status pilum_ranks_at(pilum_runtime runtime, int* out, pilum_place place) {
  return ask("ranks", runtime, out, place, &pilum::Runtime::ranks);
}
pilum_status pilum_processors_at(pilum_runtime runtime, int* out, pilum_place place) {
  return ask("processors", runtime, out, place, &pilum::Runtime::processors);
}
pilum_status pilum_cores_at(pilum_runtime runtime, int* out, pilum_place place) {
  return ask("cores", runtime, out, place, &pilum::Runtime::cores);
}

pilum_status pilum_transport_at(pilum_runtime runtime, const char** out, pilum_place place) {
  return run("transport", place, [&](const Caller& caller) {
    caller.require("out", out);
    static auto* names = new std::set<std::string>;  // one thread has a runtime at a time
    *out = names->insert(find(caller, runtime).transport()).first->c_str();
  });
}
