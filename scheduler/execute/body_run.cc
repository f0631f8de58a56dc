#include "scheduler/execute/body_run.h"

#include <cstring>

#include "pilum/error.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {
namespace {

void fill_identity(std::byte* cells, std::int64_t count, kernel::Fold fold, DType dtype) {
  const std::uint64_t bits = kernel::identity(fold, dtype);
  const std::size_t size = itemsize(dtype);
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(cells + static_cast<std::size_t>(i) * size, &bits, size);
}

}  // namespace

void run_body(const Launch& launch, const HostBody& body, std::int64_t chunk) {
  const auto number = static_cast<std::size_t>(chunk);
  const HostBody::Chunk made = body.chunks.empty() ? make_chunk(launch, body, chunk) : HostBody::Chunk();
  const HostBody::Chunk& prepared = body.chunks.empty() ? made : body.chunks[number];
  thread_local std::vector<detail::BoundStore> stores;
  stores = prepared.stores;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    char* base = launch.arrays[i].base + reinterpret_cast<std::intptr_t>(stores[i].first);
    stores[i].first = base;
    const Footprint& footprint = body.footprints[i];
    if (footprint.access == kernel::Access::Reduce)
      fill_identity(reinterpret_cast<std::byte*>(base), footprint.shape.elements(), footprint.fold, footprint.dtype);
  }
  try {
    const NoRecording none("a task's body");
    body.body->run({prepared.piece, stores.data(), launch.scalars->data()});
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw RuntimeError("the body threw something that is not a std::exception");
  }
}

}  // namespace pilum::scheduler
