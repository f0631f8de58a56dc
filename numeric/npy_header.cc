#include "numeric/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace pilum::numeric {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kRoomToGrow = 21;  // digits, for a first extent that grows

constexpr std::array<std::pair<DType, std::string_view>, 14> kDescriptions = {{{DType::Bool, "b1"},
                                                                               {DType::Int8, "i1"},
                                                                               {DType::Int16, "i2"},
                                                                               {DType::Int32, "i4"},
                                                                               {DType::Int64, "i8"},
                                                                               {DType::UInt8, "u1"},
                                                                               {DType::UInt16, "u2"},
                                                                               {DType::UInt32, "u4"},
                                                                               {DType::UInt64, "u8"},
                                                                               {DType::Float16, "f2"},
                                                                               {DType::Float32, "f4"},
                                                                               {DType::Float64, "f8"},
                                                                               {DType::Complex64, "c8"},
                                                                               {DType::Complex128, "c16"}}};

std::string description_of(DType dtype) {
  const auto* found = std::ranges::find(kDescriptions, dtype, &std::pair<DType, std::string_view>::first);
  return (itemsize(dtype) == 1 ? "|" : "<") + std::string(found->second);
}

// Reads the Python dict, as far as headers have one: strings, True and False, a tuple of integers.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : left_(text) {}

  bool take(char c) {
    skip_spaces();
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!left_.starts_with(word)) return false;
    left_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> string() {
    skip_spaces();
    if (left_.empty() || (left_.front() != '\'' && left_.front() != '"')) return std::nullopt;
    const std::size_t end = left_.find(left_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = left_.substr(1, end - 1);
    left_.remove_prefix(end + 1);
    return found;
  }
  std::optional<std::int64_t> integer() {
    skip_spaces();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (error != std::errc()) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    take('L');  // as Python 2 wrote some
    return number;
  }
  std::optional<Shape> tuple() {
    if (!take('(')) return std::nullopt;
    Shape shape;
    while (!take(')')) {
      const std::optional<std::int64_t> extent = integer();
      if (!extent || *extent < 0) return std::nullopt;
      shape.push_back(*extent);
      if (take(',')) continue;
      if (!take(')')) return std::nullopt;
      break;
    }
    return shape;
  }
  // Up to the next key or the end, of a value that is none of these: a dtype of records.
  std::string_view rest() const { return left_; }

 private:
  void skip_spaces() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t\n"), left_.size())); }
  std::string_view left_;
};

class HeaderParser {
 public:
  HeaderParser(const Call& call, const std::string& path) : call_(call), path_(path) {}

  // The dict's text; `header.size` is set.
  std::string_view dict_of(std::string_view bytes, std::int64_t file_size) {
    if (!bytes.starts_with(kMagic)) refuse_kind(bytes);
    const int major = bytes.size() > 7 ? static_cast<unsigned char>(bytes[6]) : 1;
    if (major < 1 || major > 3)
      fail<ValueError>(call_, quoted(), " has version ", major, " of the format .npy: save it with version 1 to 3");
    const std::size_t digits = major == 1 ? 2 : 4, begin = 8 + digits;
    if (bytes.size() < begin) refuse_short(static_cast<std::int64_t>(begin), file_size);
    std::int64_t length = 0;
    for (std::size_t k = digits; k > 0; --k) length = length << 8 | static_cast<unsigned char>(bytes[8 + k - 1]);
    header.size = static_cast<std::int64_t>(begin) + length;
    if (header.size > file_size) refuse_short(header.size, file_size);
    if (header.size > static_cast<std::int64_t>(bytes.size())) {
      fail<ValueError>(call_, quoted(), " has a header of ", header.size, " bytes, more than the ", kLongestNpyHeader,
                       " that are read: it is of a dtype that Pilum lacks, or damaged. Save plain numbers");
    }
    return bytes.substr(begin, static_cast<std::size_t>(length));
  }

  void read(std::string_view text) {
    DictReader dict(text);
    if (!dict.take('{')) refuse_damaged();
    int found = 0;
    while (!dict.take('}')) {
      const std::optional<std::string_view> key = dict.string();
      if (!key || !dict.take(':')) refuse_damaged();
      found |= read_value(dict, *key);
      dict.take(',');
    }
    if (found != 7) refuse_damaged();
  }

  void check_size(std::int64_t file_size) const {
    if (header.shape.rank() > kMaxAxes) {
      fail<ShapeError>(call_, quoted(), " has an array of ", header.shape.rank(), " axes: Pilum has up to ", kMaxAxes,
                       ", reshape it before it is saved");
    }
    std::int64_t bytes = static_cast<std::int64_t>(itemsize(header.dtype));
    bool is_empty = false, overflows = false;
    for (const std::int64_t extent : header.shape) {
      is_empty = is_empty || extent == 0;
      overflows = __builtin_mul_overflow(bytes, extent, &bytes) || overflows;
    }
    if (is_empty) return;
    if (overflows || bytes > file_size - header.size) {
      fail<ValueError>(call_, quoted(), " has ", file_size - header.size, " bytes of cells, and its header says ",
                       header.dtype, " of shape ", header.shape,
                       overflows ? "" : ", which are " + std::to_string(bytes),
                       ": the file is incomplete, copy or save it anew");
    }
  }

  NpyHeader header;

 private:
  std::string quoted() const { return "\"" + path_ + "\""; }

  // Which of the three it was, as a bit.
  int read_value(DictReader& dict, std::string_view key) {
    if (key == "descr") {
      const std::optional<std::string_view> description = dict.string();
      if (!description) refuse_dtype(dict.rest().substr(0, 60));
      read_dtype(*description);
      return 1;
    }
    if (key == "fortran_order") {
      header.is_fortran = dict.take("True");
      if (!header.is_fortran && !dict.take("False")) refuse_damaged();
      return 2;
    }
    const std::optional<Shape> shape = key == "shape" ? dict.tuple() : std::nullopt;
    if (!shape) refuse_damaged();
    header.shape = *shape;
    return 4;
  }

  void read_dtype(std::string_view text) {
    const auto* found = kDescriptions.end();
    if (!text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos)
      found = std::ranges::find(kDescriptions, text.substr(1), &std::pair<DType, std::string_view>::second);
    if (found == kDescriptions.end()) refuse_dtype("'" + std::string(text) + "'");
    header.dtype = found->first;
    header.is_big_endian = text.front() == '>';
  }

  [[noreturn]] void refuse_kind(std::string_view bytes) const {
    if (bytes.starts_with("PK\x03\x04"))
      fail<ValueError>(call_, quoted(), " is an archive of arrays (.npz): unpack it, and load the .npy files in it");
    if (bytes.empty()) fail<ValueError>(call_, quoted(), " is empty: the program that wrote it did not end");
    fail<ValueError>(call_, quoted(),
                     " is no .npy file: it does not begin as one. loadtxt reads text, fromfile bare cells");
  }
  [[noreturn]] void refuse_short(std::int64_t wanted, std::int64_t size) const {
    fail<ValueError>(call_, quoted(), " has ", size, " bytes, and its header alone is ", wanted,
                     ": the file is incomplete, copy or save it anew");
  }
  [[noreturn]] void refuse_dtype(std::string_view text) const {
    fail<DTypeError>(call_, quoted(), " has the dtype ", text,
                     ", which Pilum lacks: save numbers or bools, of 8 to 64 bits, complex ones of 64 or 128");
  }
  [[noreturn]] void refuse_damaged() const {
    fail<ValueError>(call_, quoted(), " has a header that cannot be read: the file is damaged, save it anew");
  }

  const Call& call_;
  const std::string& path_;
};

}  // namespace

std::string make_npy_header(DType dtype, const Shape& shape, bool is_fortran) {
  std::string dict = "{'descr': '" + description_of(dtype) + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                     ", 'shape': " + to_string(shape) + ", }";
  if (shape.rank() > 0) {
    const std::size_t digits = std::to_string(shape[is_fortran ? shape.rank() - 1 : 0]).size();
    dict.append(kRoomToGrow - digits, ' ');
  }
  const std::size_t before = kMagic.size() + 4;
  dict.append(kAlignment - (before + dict.size() + 1) % kAlignment, ' ');
  dict += '\n';
  const std::size_t length = dict.size();
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return header + dict;
}

NpyHeader parse_npy_header(const Call& call, const std::string& path, std::span<const std::byte> bytes,
                           std::int64_t file_size) {
  HeaderParser parser(call, path);
  parser.read(parser.dict_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file_size));
  parser.check_size(file_size);
  return parser.header;
}

}  // namespace pilum::numeric
