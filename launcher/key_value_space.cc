#include "launcher/key_value_space.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <utility>

namespace pilum::launcher {
namespace {

constexpr std::size_t kBytesPerRank = std::size_t{1} << 20;
constexpr std::size_t kEntryHead = 8;

std::uint32_t length_at(const char* bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes, sizeof length);
  return length;
}

// Between processes, so not std::atomic::wait, whose futex is private to one.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  const timespec limit{1, 0};
  syscall(SYS_futex, &word, operation, value, operation == FUTEX_WAIT ? &limit : nullptr, nullptr, 0);
}

}  // namespace

std::size_t KeyValueSpace::bytes(int size) {
  return sizeof(Head) + static_cast<std::size_t>(size) * (sizeof(Rank) + kBytesPerRank);
}

char* KeyValueSpace::entries(int number) const {
  return reinterpret_cast<char*>(memory_ + sizeof(Head)) + static_cast<std::size_t>(size_) * sizeof(Rank) +
         static_cast<std::size_t>(number) * kBytesPerRank;
}

int KeyValueSpace::make(int size) {
  const int fd = memfd_create("plaunch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (ftruncate(fd, static_cast<off_t>(bytes(size))) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

std::optional<KeyValueSpace> KeyValueSpace::attach(int fd, int size) {
  struct stat status{};
  if (size < 1 || fstat(fd, &status) != 0 || status.st_size != static_cast<off_t>(bytes(size))) return std::nullopt;
  void* memory = mmap(nullptr, bytes(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  return KeyValueSpace(static_cast<std::byte*>(memory), size);
}

KeyValueSpace::KeyValueSpace(KeyValueSpace&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}

KeyValueSpace::~KeyValueSpace() {
  if (memory_) munmap(memory_, bytes(size_));
}

bool KeyValueSpace::put(int number, std::string_view key, std::string_view value) {
  const std::uint32_t used = rank(number).used.load(std::memory_order_relaxed);
  const std::size_t needed = kEntryHead + key.size() + value.size();
  if (needed > kBytesPerRank - used) return false;
  char* at = entries(number) + used;
  const auto key_length = static_cast<std::uint32_t>(key.size());
  const auto value_length = static_cast<std::uint32_t>(value.size());
  std::memcpy(at, &key_length, 4);
  std::memcpy(at + 4, &value_length, 4);
  std::memcpy(at + kEntryHead, key.data(), key.size());
  std::memcpy(at + kEntryHead + key.size(), value.data(), value.size());
  rank(number).used.store(used + static_cast<std::uint32_t>(needed), std::memory_order_release);
  return true;
}

std::optional<std::string_view> KeyValueSpace::find(std::string_view key) const {
  std::optional<std::string_view> found;
  for (int number = 0; number < size_; ++number) {
    const char* at = entries(number);
    const char* end = at + rank(number).used.load(std::memory_order_acquire);
    while (at < end) {
      const std::uint32_t key_length = length_at(at), value_length = length_at(at + 4);
      at += kEntryHead;
      if (key == std::string_view(at, key_length)) found = std::string_view(at + key_length, value_length);
      at += key_length + value_length;
    }
  }
  return found;
}

void KeyValueSpace::barrier() {
  const std::uint32_t round = head().round.load(std::memory_order_acquire);
  if (head().arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(size_)) {
    head().arrived.store(0, std::memory_order_relaxed);
    head().round.store(round + 1, std::memory_order_release);
    futex(head().round, FUTEX_WAKE, INT_MAX);
    return;
  }
  while (head().round.load(std::memory_order_acquire) == round) futex(head().round, FUTEX_WAIT, round);
}

void KeyValueSpace::enter(int number) {
  rank(number).entered.store(1, std::memory_order_release);
}
void KeyValueSpace::leave(int number) {
  rank(number).left.store(1, std::memory_order_release);
}
bool KeyValueSpace::has_entered(int number) const {
  return rank(number).entered.load(std::memory_order_acquire) != 0;
}
bool KeyValueSpace::has_left(int number) const {
  return rank(number).left.load(std::memory_order_acquire) != 0;
}

}  // namespace pilum::launcher
