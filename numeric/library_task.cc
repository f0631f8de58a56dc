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
  const GpuSource gpu{body.gpu, body.parameters, body.checks};
  auto made = pilum::detail::make_body(
      name, identity, [run = body.run, form = body.form](const BodyCall& call) { run(form, call); },
      body.gpu.empty() ? nullptr : &gpu);
  auto ours = std::make_shared<scheduler::TaskBody>(*made);
  ours->of_library = !body.is_cut;
  ours->does_io = body.does_io;
  if (body.locate) {
    ours->locate = [locate = body.locate, form = body.form](const BodyCall& call, std::int64_t* coordinates) {
      locate(form, call, coordinates);
    };
  }
  ours->combine = body.combine;
  if (body.issue) {
    ours->issue = [issue = body.issue, form = body.form](const BodyCall& call, const scheduler::DeviceIssue& where) {
      issue(form, call, where);
    };
    ours->skill = body.skill;
  }
  if (body.scratch_on) {
    ours->scratch_on = [scratch_on = body.scratch_on, form = body.form](const BodyCall& call, device::Gpu& gpu) {
      return scratch_on(form, call, gpu);
    };
  }
  if (body.scratch)
    ours->scratch = [scratch = body.scratch, form = body.form](const scheduler::TaskLaunch& launch,
                                                               const Rect& points) {
      return scratch(form, launch, points);
    };
  return ours;
}

// Bodies are few, and live as long as the process: launches that are alike have one.
struct Bodies {
  using Key = std::tuple<std::string, std::uintptr_t, std::uintptr_t, LibraryBody::Form, std::string, bool>;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const scheduler::TaskBody>> known;

  static Bodies& all() {
    static auto* bodies = new Bodies;
    return *bodies;
  }
};

std::shared_ptr<const scheduler::TaskBody> find(const char* name, const LibraryBody& body) {
  Bodies& bodies = Bodies::all();
  const std::lock_guard lock(bodies.mutex);
  std::shared_ptr<const scheduler::TaskBody>& found =
      bodies.known[{name, reinterpret_cast<std::uintptr_t>(body.run), reinterpret_cast<std::uintptr_t>(body.issue),
                    body.form, body.gpu, body.is_cut}];
  if (!found) found = make(name, body, bodies.known.size());
  return found;
}

}  // namespace

std::size_t library_bodies() {
  Bodies& bodies = Bodies::all();
  const std::lock_guard lock(bodies.mutex);
  return bodies.known.size();
}

pilum::detail::BodyParameter array_parameter(const Array& array, pilum::detail::Access access) {
  return {pilum::detail::BodyParameter::Kind::Array, access, array.dtype(), array.ndim(), 0};
}

pilum::detail::BodyParameter integer_parameter() {
  return {pilum::detail::BodyParameter::Kind::Integer, pilum::detail::Access::Read, DType::Float64, 0, 8};
}

const char* cell_type(DType dtype) {
  switch (dtype) {
    case DType::Bool: return "bool";
    case DType::Int32: return "std::int32_t";
    case DType::Int64: return "std::int64_t";
    case DType::Float16: return "pilum::half";
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    case DType::Int8: return "std::int8_t";
    case DType::Int16: return "std::int16_t";
    case DType::UInt8: return "std::uint8_t";
    case DType::UInt16: return "std::uint16_t";
    case DType::UInt32: return "std::uint32_t";
    case DType::UInt64: return "std::uint64_t";
    case DType::Complex64: return "std::complex<float>";
    case DType::Complex128: return "std::complex<double>";
  }
  __builtin_unreachable();
}

void launch(const Call& call, const LibraryBody& body, const Shape& domain,
            std::span<const pilum::detail::StoreArgument> arguments, std::span<const std::uint64_t> numbers) {
  std::vector<const pilum::detail::StoreArgument*> stores;
  stores.reserve(arguments.size());
  for (const auto& argument : arguments) stores.push_back(&argument);
  pilum::detail::launch(find(call.name, body), Domain(domain, call.where), body.parameters, stores, numbers,
                        numbers.empty() ? 0 : pilum::detail::hash_state(call.name, std::as_bytes(numbers)));
}

}  // namespace pilum::numeric
