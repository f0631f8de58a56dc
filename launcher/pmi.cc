// The PMI library (version 1 of the interface) that plaunch gives to the MPI of ranks that it started itself, on one
// node: Open MPI loads it by the path in FLUX_PMI_LIBRARY_PATH. It reads and writes the key-value space; nothing
// listens anywhere.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "launcher/key_value_space.h"

namespace {

using pilum::launcher::KeyValueSpace;

constexpr int kSuccess = 0;
constexpr int kFail = -1;
constexpr int kNotInitialized = 1;
constexpr int kTooLong = 9;
constexpr int kLongestName = 64;
constexpr int kLongestKey = 256;
constexpr int kLongestValue = 16 * 1024;

std::optional<KeyValueSpace> key_values;
int own_rank = 0;

int give(int* place, int value) {
  if (!key_values) return kNotInitialized;
  *place = value;
  return kSuccess;
}

}  // namespace

extern "C" {
#define PILUM_PMI __attribute__((visibility("default")))

PILUM_PMI int PMI_Init(int* spawned) {
  if (spawned) *spawned = 0;
  if (key_values) return kSuccess;
  const char* text = std::getenv(pilum::launcher::kKeyValueSpaceVariable);
  int fd = -1, size = 0;
  if (!text || std::sscanf(text, "%d,%d,%d", &fd, &own_rank, &size) != 3 || own_rank < 0 || own_rank >= size)
    return kFail;
  std::optional<KeyValueSpace> attached = KeyValueSpace::attach(fd, size);
  if (!attached) return kFail;
  key_values.emplace(std::move(*attached));
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // what this process starts has no part in it
  key_values->enter(own_rank);
  return kSuccess;
}

PILUM_PMI int PMI_Initialized(int* initialized) {
  *initialized = key_values ? 1 : 0;
  return kSuccess;
}

PILUM_PMI int PMI_Finalize() {
  if (!key_values) return kNotInitialized;
  key_values->leave(own_rank);
  key_values.reset();
  return kSuccess;
}

PILUM_PMI int PMI_Abort(int status, const char*) {  // what there is to say MPI has said
  std::fflush(nullptr);
  _exit(status);
}

PILUM_PMI int PMI_Get_size(int* size) {
  return give(size, key_values ? key_values->size() : 0);
}
PILUM_PMI int PMI_Get_rank(int* rank) {
  return give(rank, own_rank);
}
PILUM_PMI int PMI_Get_universe_size(int* size) {
  return give(size, key_values ? key_values->size() : 0);
}
PILUM_PMI int PMI_Get_appnum(int* number) {
  return give(number, 0);
}

PILUM_PMI int PMI_Get_clique_size(int* size) {
  return give(size, key_values ? key_values->size() : 0);
}
PILUM_PMI int PMI_Get_clique_ranks(int* ranks, int length) {
  if (!key_values) return kNotInitialized;
  if (length < key_values->size()) return kTooLong;
  for (int rank = 0; rank < key_values->size(); ++rank) ranks[rank] = rank;
  return kSuccess;
}

PILUM_PMI int PMI_KVS_Get_my_name(char* name, int length) {
  if (length < 8) return kTooLong;
  std::memcpy(name, "plaunch", 8);
  return kSuccess;
}
PILUM_PMI int PMI_KVS_Get_name_length_max(int* length) {
  return give(length, kLongestName);
}
PILUM_PMI int PMI_KVS_Get_key_length_max(int* length) {
  return give(length, kLongestKey);
}
PILUM_PMI int PMI_KVS_Get_value_length_max(int* length) {
  return give(length, kLongestValue);
}

PILUM_PMI int PMI_KVS_Put(const char*, const char* key, const char* value) {
  if (!key_values) return kNotInitialized;
  return key_values->put(own_rank, key, value) ? kSuccess : kFail;
}

PILUM_PMI int PMI_KVS_Commit(const char*) {
  return key_values ? kSuccess : kNotInitialized;
}

PILUM_PMI int PMI_KVS_Get(const char*, const char* key, char* value, int length) {
  if (!key_values) return kNotInitialized;
  const auto found = key_values->find(key);
  if (!found) return kFail;
  if (static_cast<int>(found->size()) >= length) return kTooLong;
  std::memcpy(value, found->data(), found->size());
  value[found->size()] = 0;
  return kSuccess;
}

PILUM_PMI int PMI_Barrier() {
  if (!key_values) return kNotInitialized;
  key_values->barrier();
  return kSuccess;
}
}
