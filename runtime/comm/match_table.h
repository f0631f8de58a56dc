// One half of tag matching: what waits for its counterpart, by (peer, tag); equal keys in order of arrival.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "runtime/comm/communicator.h"

namespace pilum::comm {

template <class Waiting>
class MatchTable {
 public:
  void add(int peer, Tag tag, Waiting waiting) { waiting_.emplace(Key(peer, tag), std::move(waiting)); }

  // Takes the oldest of this key out, if there is one.
  std::optional<Waiting> take(int peer, Tag tag) {
    const auto found = waiting_.lower_bound(Key(peer, tag));
    if (found == waiting_.end() || found->first != Key(peer, tag)) return std::nullopt;
    std::optional<Waiting> taken(std::move(found->second));
    waiting_.erase(found);
    return taken;
  }

  bool empty() const { return waiting_.empty(); }

 private:
  struct Key {
    Key(int peer, Tag tag) : peer(peer), window(tag.window), message(tag.message) {}
    auto operator<=>(const Key&) const = default;
    int peer;
    std::uint32_t window;
    std::uint32_t message;
  };

  std::multimap<Key, Waiting> waiting_;  // inserts equal keys at the end of their range
};

}  // namespace pilum::comm
