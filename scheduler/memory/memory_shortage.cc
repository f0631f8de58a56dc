#include "scheduler/memory/memory_shortage.h"

#include <fmt/format.h>

#include <algorithm>

namespace pilum::scheduler {

std::string human_bytes(std::size_t bytes) {
  if (bytes < std::size_t{10} << 10) return std::to_string(bytes) + " bytes";
  if (bytes < std::size_t{10} << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  if (bytes < std::size_t{10} << 30) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string describe_shortage(const MemoryBook& book, std::size_t bytes) {
  const MemoryRoom room = book.room();
  std::string text = human_bytes(book.in_use()) + " are in use";
  if (book.reserved() > book.in_use()) {
    text += fmt::format(", {} more are freed but still read by messages in flight",
                        human_bytes(book.reserved() - book.in_use()));
  }
  if (room.taken > book.reserved()) {
    text += fmt::format(", {} more are lost to the rounding of sizes", human_bytes(room.taken - book.reserved()));
  }
  if (room.limit == 0) return text + ", and there is no more";
  const std::size_t left = room.limit - std::min(room.limit, room.taken);
  if (left >= bytes) {
    return text +
           fmt::format("; {} of {} are left, but the system refuses to give more (ulimit -v, a container's limit)",
                       human_bytes(left), human_bytes(room.limit));
  }
  // Bytes where rounded figures would say that it fits.
  const bool alike = human_bytes(left) == human_bytes(bytes);
  return text +
         fmt::format(", and {} of {} are left", alike ? fmt::format("{} bytes", left) : human_bytes(left),
                     human_bytes(room.limit)) +
         (alike ? fmt::format(" ({} are needed)", bytes) : "");
}

}  // namespace pilum::scheduler
