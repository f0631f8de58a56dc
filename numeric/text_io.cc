// Arrays in files of text.
#include <algorithm>
#include <string_view>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/file_task.h"
#include "numeric/gathered.h"
#include "numeric/text_format.h"
#include "numeric/text_read.h"
#include "pilum/creation.h"
#include "pilum/io.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr std::size_t kPartBytes = 1 << 20;  // written at once

// A sign that stands between the parts of a complex number is theirs.
void drop_plus_of_minus(std::string& text, std::size_t begin) {
  for (std::size_t at = text.find("+-", begin); at != std::string::npos; at = text.find("+-", at)) text.erase(at, 1);
}

bool append_row(std::string& text, const RowFormat& format, DType dtype, const std::byte* first, std::int64_t step,
                std::int64_t columns) {
  const DType part = pilum::detail::part_of(dtype);
  const std::size_t begin = text.size(), parts = is_complex(dtype) ? 2 : 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(columns) * parts; ++k) {
    const std::byte* cell = first + static_cast<std::int64_t>(k / parts) * step + (k % parts) * itemsize(part);
    if (!append_number(text, format.numbers[k], part, {cell, itemsize(part)})) return false;
  }
  if (is_complex(dtype)) drop_plus_of_minus(text, begin);
  return true;
}

// Writes the file's text, some at a time.
class TextWriter {
 public:
  explicit TextWriter(File& file) : file_(file) {}
  std::string& text() { return text_; }
  FileTrouble flush(std::size_t unless_below = 0) {
    if (text_.size() < unless_below || text_.empty()) return {};
    const FileTrouble trouble = file_.write(at_, std::as_bytes(std::span(text_)));
    at_ += std::ssize(text_);
    text_.clear();
    return trouble;
  }

 private:
  File& file_;
  std::string text_;
  std::int64_t at_ = 0;
};

FileTrouble write_rows(File& file, FileWordReader& words, DType dtype, const BoundStore& cells) {
  const std::string header = words.text(), footer = words.text(), newline = words.text();
  const std::string fmt = words.text(), delimiter = words.text();
  const std::int64_t size = static_cast<std::int64_t>(itemsize(dtype)), columns = words.number();
  const RowFormat format = parse_row_format(Call{"savetxt", {}}, fmt, delimiter, columns, dtype);
  const PlainNumbers plain;
  TextWriter writer(file);
  writer.text() = header;
  for (std::int64_t row = 0; row < cells.hi[0] - cells.lo[0]; ++row) {
    const std::byte* first = static_cast<const std::byte*>(cells.first) + row * cells.stride[0] * size;
    if (!append_row(writer.text(), format, dtype, first, cells.stride[1] * size, columns))
      return FileTrouble::of(FileStep::Numbers, 0);
    writer.text() += format.end + newline;
    if (const FileTrouble trouble = writer.flush(kPartBytes)) return trouble;
  }
  writer.text() += footer;
  return writer.flush();
}

// Stores: the trouble; cells of two axes, where there are any. Words: the path; header, footer, ends of lines; what is
// between cells and how these are written; columns. The form: the dtype, and how many rows there are without cells.
void write_text(std::span<const std::int64_t> form, const BodyCall& call) {
  FileWordReader words(call.scalars);
  const std::string path = words.text();
  BoundStore cells;
  if (form[1] < 0) {
    cells = call.stores[1];
  } else {
    cells.hi[0] = form[1];
  }
  File file;
  std::string name;
  FileTrouble trouble = begin_replacement(path, file, name);
  const bool is_made = !trouble;
  if (is_made) trouble = write_rows(file, words, static_cast<DType>(form[0]), cells);
  if (const FileTrouble late = file.close(); !trouble) trouble = late;
  if (is_made) trouble = end_replacement(path, name, trouble);
  *static_cast<std::int64_t*>(call.stores[0].first) = to_word(trouble);
}

// As lines of comments, the last one ended.
std::string commented(std::string_view text, const SaveText& options) {
  if (text.empty()) return "";
  std::string lines = options.comments;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += options.comments;
  }
  return lines + options.newline;
}

// numpy.squeeze, unless axes are kept.
Array squeezed(const Call& call, const Array& a, int ndmin) {
  if (ndmin == 2) return a;
  const Array fewer = squeeze(a, {}, call.where);
  return ndmin == 1 && fewer.ndim() == 0 ? expand_dims(fewer, 0, call.where) : fewer;
}

}  // namespace

void savetxt(const std::string& path, const Array& a, const SaveText& options, std::source_location where) {
  const Call call{"savetxt", where};
  const ArrayState& state = checked_state(call, a);
  check_path(call, path);
  if (state.shape.rank() < 1 || state.shape.rank() > 2) {
    fail<ShapeError>(call, "shape ", state.shape, " has ", state.shape.rank(),
                     " axes, and text has rows and columns: give an array of 1 or 2, or reshape it");
  }
  const Array cells = state.shape.rank() == 1 ? expand_dims(a, 1, where) : a;
  const std::int64_t columns = cells.shape()[1];
  FileWords words;
  words.add(path);
  words.add(commented(options.header, options));
  words.add(commented(options.footer, options));
  words.add(options.newline);
  words.add(options.fmt);
  words.add(options.delimiter);
  words.add(columns);
  static_cast<void>(parse_row_format(call, options.fmt, options.delimiter, columns, a.dtype()));  // refused here
  warn_of_gathered(call, a);
  const bool has_cells = a.size() > 0;
  do_on_one(call, path, write_text, {static_cast<std::int64_t>(a.dtype()), has_cells ? -1 : cells.shape()[0]},
            has_cells ? std::vector<Array>{cells} : std::vector<Array>{}, words);
}

Array loadtxt(const std::string& path, const LoadText& options, std::source_location where) {
  const Call call{"loadtxt", where};
  check_path(call, path);
  check_options(call, options);
  const FileBegin begin = read_begin(call, path);
  const Array bytes = read_array(call, path, {Shape{begin.size}, DType::UInt8, false, 0}, begin);
  warn_of_gathered(call, bytes);
  const std::vector<std::uint8_t> text = bytes.to_vector<std::uint8_t>(where);
  TextCells cells = read_text(call, path, {reinterpret_cast<const char*>(text.data()), text.size()}, options);
  if (cells.rows == 0) cells.columns = std::max<std::int64_t>(std::ssize(options.usecols), 1);
  Array a = detail::import_cells({Shape{cells.rows, cells.columns}, std::move(cells.bytes)}, options.dtype,
                                 std::nullopt, where);
  a = squeezed(call, a, options.ndmin);
  return options.unpack ? a.T(where) : a;
}

}  // namespace pilum::numeric
