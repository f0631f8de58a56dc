#include "numeric/file_task.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/npy_header.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::StoreArgument;
using Form = std::span<const std::int64_t>;
using Run = void (*)(Form, const BodyCall&);

// What is read is cut however small it is, so that each cell is read once; from so many bytes on others are too. A copy
// of what has fewer lies as others of its size do.
constexpr std::int64_t kSmall = 16 << 20;
// Words of what begins a replacement: the trouble, and its name.
constexpr std::int64_t kNameWords = 2 + PATH_MAX / 8;

std::int64_t* words_of(const BoundStore& store) {
  return static_cast<std::int64_t*>(store.first);
}

// The array's shape, and where its cells are in the file.
void add_cells(FileWords& words, const FileCells& cells) {
  words.add(cells.shape.rank());
  for (const std::int64_t extent : cells.shape) words.add(extent);
  words.add(cells.begin);
  words.add(cells.is_swapped ? 1 : 0);
}

FileCells take_cells(FileWordReader& words, Form form) {
  FileCells cells;
  cells.dtype = static_cast<DType>(form[0]);
  for (std::int64_t rank = words.number(); rank > 0; --rank) cells.shape.push_back(words.number());
  cells.begin = words.number();
  cells.is_swapped = words.number() != 0;
  return cells;
}

std::int64_t hash_of(std::span<const std::byte> bytes) {
  return static_cast<std::int64_t>(
      std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

// --- bodies. Stores, and numbers, in this order.

FileTrouble look(const std::string& path, std::int64_t* words) {
  File file;
  if (const FileTrouble trouble = file.open(path, &words[1])) return trouble;
  const auto bytes = static_cast<std::size_t>(std::min(words[1], kLongestNpyHeader));
  return file.read(0, std::as_writable_bytes(std::span(words + 2, kLongestNpyHeader / 8)).first(bytes));
}

// The trouble, the file's size, its first bytes. The path.
void look_at_begin(Form, const BodyCall& call) {
  std::int64_t* words = words_of(call.stores[0]);
  words[0] = to_word(look(FileWordReader(call.scalars).text(), words));
}

FileTrouble check_begin(const File& file, std::int64_t begin, std::int64_t hash) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(begin, kLongestNpyHeader)));
  if (const FileTrouble trouble = file.read(0, bytes)) return trouble;
  return hash_of(bytes) == hash ? FileTrouble() : FileTrouble::of(FileStep::Change, 0);
}

// The trouble, the cells. The path; size and hash of what the first rank found; the cells' place.
void read_piece(Form form, const BodyCall& call) {
  FileWordReader words(call.scalars);
  const std::string path = words.text();
  const std::int64_t expected = words.number(), hash = words.number();
  const FileCells cells = take_cells(words, form);
  File file;
  std::int64_t size = 0;
  FileTrouble trouble = file.open(path, &size);
  if (!trouble && size != expected) trouble = FileTrouble::of(FileStep::Change, 0);
  if (!trouble) trouble = check_begin(file, cells.begin, hash);
  if (!trouble) trouble = read_cells(file, cells, call.piece, call.stores[1]);
  std::int64_t& word = *words_of(call.stores[0]);
  word = std::max(word, to_word(trouble));
}

// The trouble, and the name. The path, the header, the size of all.
void begin_file(Form, const BodyCall& call) {
  FileWordReader words(call.scalars);
  const std::string path = words.text(), header = words.text();
  const std::int64_t size = words.number();
  File file;
  std::string name;
  FileTrouble trouble = begin_replacement(path, file, name);
  if (!trouble) trouble = file.write(0, std::as_bytes(std::span(header)));
  if (!trouble) trouble = file.resize(size);
  if (const FileTrouble late = file.close(); !trouble) trouble = late;
  if (trouble && trouble.step != FileStep::Make) trouble = end_replacement(path, name, trouble);
  std::int64_t* to = words_of(call.stores[0]);
  to[0] = to_word(trouble);
  to[1] = static_cast<std::int64_t>(name.size());
  std::memcpy(to + 2, name.data(), std::min<std::size_t>(name.size(), PATH_MAX));
}

std::string name_in(const BoundStore& begun) {
  const std::int64_t* words = words_of(begun);
  return {reinterpret_cast<const char*>(words + 2), static_cast<std::size_t>(words[1])};
}

// The trouble, the cells, what begin_file gave. The cells' place.
void write_piece(Form form, const BodyCall& call) {
  if (*words_of(call.stores[2]) != 0) return;
  FileWordReader words(call.scalars);
  const FileCells cells = take_cells(words, form);
  File file;
  FileTrouble trouble = file.open_to_write(name_in(call.stores[2]));
  if (!trouble) trouble = write_cells(file, cells, call.piece, call.stores[1]);
  if (const FileTrouble late = file.close(); !trouble) trouble = late;
  std::int64_t& word = *words_of(call.stores[0]);
  word = std::max(word, to_word(trouble));
}

// The trouble, what begin_file gave, what write_piece did. The path.
void end_file(Form, const BodyCall& call) {
  const std::int64_t begun = *words_of(call.stores[1]), written = *words_of(call.stores[2]);
  *words_of(call.stores[0]) = begun;
  if (begun != 0) return;
  *words_of(call.stores[0]) =
      to_word(end_replacement(FileWordReader(call.scalars).text(), name_in(call.stores[1]), trouble_of(written)));
}

// --- launches

void launch_io(const Call& call, Run run, LibraryBody::Form form, const Shape& domain,
               std::span<const StoreArgument> arguments, const FileWords& words) {
  LibraryBody body{run, std::move(form)};
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  body.parameters.resize(body.parameters.size() + words.words().size(), integer_parameter());
  body.is_cut = true;  // each processor its own, and what is one processor's is done once
  body.does_io = true;
  launch(call, body, domain, arguments, words.words());
}

// `result`, of shape (1, …), by one processor, which reads the others whole.
void launch_on_one(const Call& call, Run run, LibraryBody::Form form, const Array& result,
                   const std::vector<Array>& reads, const FileWords& words) {
  std::vector<StoreArgument> arguments{{result, BodyAccess::Write, {}, Fold::Sum}};
  for (const Array& read : reads) arguments.push_back({read, BodyAccess::Read, Projection(pilum::all), Fold::Sum});
  launch_io(call, run, std::move(form), Shape{1}, arguments, words);
}

// On every rank.
std::vector<std::int64_t> fetch_words(const Call& call, const Array& words) {
  const std::vector<std::byte> bytes =
      recorder_of(call).fetch(ArrayAccess::state(words)->view(), call.name, call.where);
  std::vector<std::int64_t> fetched(bytes.size() / sizeof(std::int64_t));
  std::memcpy(fetched.data(), bytes.data(), bytes.size());
  return fetched;
}

Array new_words(const Call& call, std::int64_t count) {
  return empty({1, count}, DType::Int64, call.where);
}

// Of which each processor adds what it meets.
Array no_trouble(const Call& call) {
  return zeros({1}, DType::Int64, call.where);
}

}  // namespace

void check_path(const Call& call, const std::string& path) {
  if (path.empty()) fail<ValueError>(call, "the path is empty: give the name of a file");
  if (path.find('\0') != std::string::npos)
    fail<ValueError>(call, "the path \"", path.c_str(), "…\" has a zero byte in it: give the name of a file");
  if (path.size() >= PATH_MAX)
    fail<ValueError>(call, "the path has ", path.size(), " bytes: the system takes fewer than ", PATH_MAX);
}

FileBegin read_begin(const Call& call, const std::string& path) {
  const Array found = new_words(call, 2 + kLongestNpyHeader / 8);
  FileWords words;
  words.add(path);
  launch_on_one(call, look_at_begin, {}, found, {}, words);
  const std::vector<std::int64_t> fetched = fetch_words(call, found);
  throw_trouble(call, path, fetched[0]);
  FileBegin begin{fetched[1], {}};
  const auto bytes = std::as_bytes(std::span(fetched).subspan(2));
  begin.bytes.assign(bytes.begin(), bytes.begin() + std::min(begin.size, kLongestNpyHeader));
  return begin;
}

Array read_array(const Call& call, const std::string& path, const FileCells& cells, const FileBegin& begin) {
  const bool has_axes = cells.shape.rank() > 0;
  FileCells read = cells;
  if (!has_axes) read.shape = Shape{1};
  Array a = empty(read.shape, cells.dtype, call.where);
  if (a.size() == 0) return a;
  const Array trouble = no_trouble(call);
  const auto before = static_cast<std::size_t>(
      std::min({cells.begin, kLongestNpyHeader, static_cast<std::int64_t>(begin.bytes.size())}));
  FileWords words;
  words.add(path);
  words.add(begin.size);
  words.add(hash_of(std::span(begin.bytes).first(before)));
  add_cells(words, read);
  const StoreArgument arguments[] = {{trouble, BodyAccess::Reduce, Projection(pilum::all), Fold::Maximum},
                                     {a, BodyAccess::Write, {}, Fold::Sum}};
  launch_io(call, read_piece, {static_cast<std::int64_t>(cells.dtype)}, read.shape, arguments, words);
  throw_trouble(call, path, fetch_words(call, trouble)[0]);
  const scheduler::Recorder::Processors processors = recorder_of(call).processors();
  const bool is_cut_anyway =
      a.size() * static_cast<std::int64_t>(itemsize(a.dtype())) >= std::max(kSmall, processors.split_bytes);
  if (is_cut_anyway || processors.count == 1) return has_axes ? a : a[Index(0, call.where)];
  const Array found = a.copy(call.where);
  ArrayAccess::state(found)->store().lies_apart = true;
  return has_axes ? found : found[Index(0, call.where)];
}

void write_array(const Call& call, const std::string& path, const std::string& header, const Array& a) {
  const Array begun = new_words(call, kNameWords), trouble = no_trouble(call);
  const Array from = a.ndim() == 0 ? expand_dims(a, 0, call.where) : a;  // a launch has an axis
  const FileCells cells{from.shape(), a.dtype(), false, static_cast<std::int64_t>(header.size())};
  FileWords words;
  words.add(path);
  words.add(header);
  words.add(cells.begin + a.size() * static_cast<std::int64_t>(itemsize(a.dtype())));
  launch_on_one(call, begin_file, {}, begun, {}, words);
  if (a.size() > 0) {
    FileWords place;
    add_cells(place, cells);
    const StoreArgument arguments[] = {{trouble, BodyAccess::Reduce, Projection(pilum::all), Fold::Maximum},
                                       {from, BodyAccess::Read, {}, Fold::Sum},
                                       {begun, BodyAccess::Read, Projection(pilum::all), Fold::Sum}};
    launch_io(call, write_piece, {static_cast<std::int64_t>(a.dtype())}, cells.shape, arguments, place);
  }
  FileWords end;
  end.add(path);
  do_on_one(call, path, end_file, {}, {begun, trouble}, end);
}

void do_on_one(const Call& call, const std::string& path, Run run, const LibraryBody::Form& form,
               const std::vector<Array>& reads, const FileWords& words) {
  const Array trouble = new_words(call, 1);
  launch_on_one(call, run, form, trouble, reads, words);
  throw_trouble(call, path, fetch_words(call, trouble)[0]);
}

}  // namespace pilum::numeric
