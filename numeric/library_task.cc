#include "numeric/library_task.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "pilum/task.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::FunctionIdentity;
using pilum::detail::GpuSource;

std::uint64_t hash_of(const char* name, const LibraryBody& body) {
  return pilum::detail::hash_state(name, std::as_bytes(std::span(body.form)));
}

std::shared_ptr<const scheduler::TaskBody> make(const char* name, const LibraryBody& body, std::uint64_t number) {
  const FunctionIdentity identity{reinterpret_cast<std::uintptr_t>(body.run), number, hash_of(name, body)};
  const GpuSource gpu{body.gpu, body.parameters, /*checked=*/true};
  auto made = pilum::detail::make_body(
      name, identity, [run = body.run, form = body.form](const BodyCall& call) { run(form, call); },
      body.gpu.empty() ? nullptr : &gpu);
  auto ours = std::make_shared<scheduler::TaskBody>(*made);
  ours->of_library = true;
  return ours;
}

// Bodies are few, and live as long as the process: launches that are alike have one.
std::shared_ptr<const scheduler::TaskBody> find(const char* name, const LibraryBody& body) {
  using Key = std::tuple<std::string, std::uintptr_t, LibraryBody::Form, std::string>;
  static std::mutex mutex;
  static auto* known = new std::map<Key, std::shared_ptr<const scheduler::TaskBody>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const scheduler::TaskBody>& found =
      (*known)[Key{name, reinterpret_cast<std::uintptr_t>(body.run), body.form, body.gpu}];
  if (!found) found = make(name, body, known->size());
  return found;
}

}  // namespace

pilum::detail::BodyParameter array_parameter(const Array& array, pilum::detail::Access access) {
  return {pilum::detail::BodyParameter::Kind::Array, access, array.dtype(), array.ndim(), 0};
}

const char* cell_type(DType dtype) {
  switch (dtype) {
    case DType::Bool: return "bool";
    case DType::Int32: return "std::int32_t";
    case DType::Int64: return "std::int64_t";
    case DType::Float32: return "float";
    default: return "double";
  }
}

void launch(const Call& call, const LibraryBody& body, const Shape& domain,
            std::span<const pilum::detail::StoreArgument> arguments) {
  std::vector<const pilum::detail::StoreArgument*> stores;
  stores.reserve(arguments.size());
  for (const auto& argument : arguments) stores.push_back(&argument);
  pilum::detail::launch(find(call.name, body), Domain(domain, call.where), body.parameters, stores, {}, 0);
}

}  // namespace pilum::numeric
