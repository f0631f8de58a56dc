#include "apps/task_bench/payload.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metg {
namespace {

using Bytes = std::vector<std::byte>;

std::string error_of(const Bytes& payload, Task reader, Task expected) {
  try {
    check_payload(payload, reader, expected);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Payload, WhatWasWrittenIsFound) {
  for (const std::size_t size : {16, 32, 48, 4096}) {
    Bytes payload(size);
    write_payload(payload, {6, 3});
    EXPECT_EQ(error_of(payload, {7, 4}, {6, 3}), "") << size << " bytes";
  }
}

TEST(Payload, ErrorsSayTaskExpectedAndFound) {
  Bytes payload(64);
  write_payload(payload, {5, 3});
  EXPECT_EQ(error_of(payload, {7, 4}, {6, 3}),
            "[metg] task (step 7, point 4) reads (step 6, point 3), found (step 5, point 3) at byte 0");
}

TEST(Payload, EveryByteIsChecked) {
  Bytes payload(64);
  for (std::size_t at = 0; at < payload.size(); ++at) {
    write_payload(payload, {6, 3});
    payload[at] ^= std::byte{0x40};
    EXPECT_THAT(error_of(payload, {7, 4}, {6, 3}), testing::EndsWith("at byte " + std::to_string(at / 16 * 16)));
  }
}

TEST(Payload, BytesNeedNoAlignment) {
  Bytes payload(33);
  const std::span<std::byte> odd(payload.data() + 1, 32);
  write_payload(odd, {1, 2});
  EXPECT_NO_THROW(check_payload(odd, {2, 2}, {1, 2}));
}

TEST(Payload, FreshMemoryIsNoPayload) {
  EXPECT_NE(error_of(Bytes(16), {2, 0}, {1, 0}), "");
}

}  // namespace
}  // namespace metg
