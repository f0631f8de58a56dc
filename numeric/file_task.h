// Files as operations: each is launches of bodies that do one thing, of which one value is asked for in the end, what
// went wrong on any rank. So all ranks go on alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numeric/errors.h"
#include "numeric/file_cells.h"
#include "numeric/file_words.h"
#include "numeric/library_task.h"
#include "pilum/array.h"

namespace pilum::numeric {

// A path that the system may be asked for. Throws ValueError.
void check_path(const Call& call, const std::string& path);

// What the first rank's file begins with.
struct FileBegin {
  std::int64_t size = 0;  // of all of it
  std::vector<std::byte> bytes;
};
// At most kLongestNpyHeader of them, on all ranks. Waits, and throws where it cannot be read.
FileBegin read_begin(const Call& call, const std::string& path);

// A new array of cells that each processor reads. Waits until they are read, and throws where one cannot read them, or
// where its file has another size than `begin` or other bytes before `cells.begin`.
Array read_array(const Call& call, const std::string& path, const FileCells& cells, const FileBegin& begin);

// Replaces the file by `header` and the cells, which each processor writes. Waits until they are written.
void write_array(const Call& call, const std::string& path, const std::string& header, const Array& a);

// One call of a body, on one processor: its first array is a word, which says what went wrong; it reads the others,
// whole. Waits for it, and throws that.
void do_on_one(const Call& call, const std::string& path,
               void (*run)(std::span<const std::int64_t>, const pilum::detail::BodyCall&),
               const LibraryBody::Form& form, const std::vector<Array>& reads, const FileWords& words);

}  // namespace pilum::numeric
