#include "launcher/leftovers.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace pilum::launcher {
namespace fs = std::filesystem;
namespace {

template <class Number>
bool read_number(const char* text, Number& number) {
  if (!text) return false;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc() && !*end;
}

// As Open MPI has it: up to the first dot.
std::string short_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string_view host = name.data();
  return std::string(host.substr(0, host.find('.')));
}

}  // namespace

std::string segment_name(const std::string& host, unsigned user, const char* job, const char* rank) {
  std::uint32_t job_number = 0, rank_number = 0;
  if (!read_number(job, job_number) || !read_number(rank, rank_number)) return "";
  std::array<char, 16> hex{};
  const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), job_number, 16).ptr;
  return "vader_segment." + host + "." + std::to_string(user) + "." + std::string(hex.data(), end) + "." +
         std::to_string(rank_number);
}

void remove_shared_memory_of_rank() {
  const std::string name = segment_name(short_host(), geteuid(), std::getenv("OMPI_MCA_ess_base_jobid"),
                                        std::getenv("OMPI_MCA_ess_base_vpid"));
  if (!name.empty()) unlink(("/dev/shm/" + name).c_str());
}

void remove_session_folder(pid_t mpirun) {
  const char* temporary = std::getenv("TMPDIR");
  const fs::path folder = fs::path(temporary && *temporary ? temporary : "/tmp") /
                          ("ompi." + short_host() + "." + std::to_string(geteuid()));
  std::error_code ignored;
  if (fs::is_symlink(folder, ignored)) return;  // no place of ours
  fs::remove_all(folder / ("pid." + std::to_string(mpirun)), ignored);
  fs::remove(folder, ignored);  // the last one; not where other jobs have theirs
}

}  // namespace pilum::launcher
