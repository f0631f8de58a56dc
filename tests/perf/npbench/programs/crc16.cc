// The CRC-16 of bytes, bit by bit.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs crc16(Inputs& in) {
  const np::Array data = in["data"];
  const auto poly = static_cast<std::uint32_t>(in.whole("poly"));
  std::uint32_t crc = 0xFFFF;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    std::uint32_t cur_byte = 0xFF & data(i).item<std::uint8_t>();
    for (int bit = 0; bit < 8; ++bit) {
      crc = ((crc & 1) ^ (cur_byte & 1)) ? (crc >> 1) ^ poly : crc >> 1;
      cur_byte >>= 1;
    }
  }
  crc = ~crc & 0xFFFF;
  crc = (crc << 8) | ((crc >> 8) & 0xFF);
  return {{"crc", np::array(static_cast<std::int64_t>(crc & 0xFFFF))}};
}

static const Entry entry("crc16", crc16);
