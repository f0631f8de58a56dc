#include "numeric/gathered.h"

#include <set>
#include <string>
#include <utility>

#include "runtime/base/log.h"

namespace pilum::numeric {
namespace {

constexpr double kMuch = 100e6;

}  // namespace

void warn_of_gathered(const Call& call, const Array& a, bool to_all) {
  const double bytes = static_cast<double>(a.size()) * static_cast<double>(itemsize(a.dtype()));
  if (bytes <= kMuch || recorder_of(call).processors().count == 1 || log_rank() != 0) return;
  thread_local std::set<std::pair<std::string, unsigned>> told;
  if (!told.emplace(call.where.file_name(), call.where.line()).second) return;
  pilum::log("numeric").warn(
      "[{}] {} with all of an array of shape {}, {:.0f} MB, which is brought to it. "
      "Called at {}:{}",
      call.name, to_all ? "every processor computes" : "one processor computes", to_string(a.shape()), bytes / 1e6,
      call.where.file_name(), call.where.line());
}

}  // namespace pilum::numeric
