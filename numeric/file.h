// A file of the system's, and what may go wrong with one. Nothing here throws: a trouble is a value, which goes from
// the rank that meets it to all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numeric/errors.h"

namespace pilum::numeric {

enum class FileStep : std::uint8_t {
  None,  // all went well
  Open,
  Kind,  // a directory, a device
  Make,  // of a new file beside the one that it is to replace
  Read,
  Write,
  Rename,
  Change,   // it is another file than the first rank found, or was changed meanwhile
  Numbers,  // a cell that its format does not take
};

struct FileTrouble {
  FileStep step = FileStep::None;
  int error = 0;  // the system's number for it
  int rank = 0;

  // As errno has it, on this rank.
  static FileTrouble of(FileStep step);
  static FileTrouble of(FileStep step, int error);
  explicit operator bool() const { return step != FileStep::None; }
};

// As a word, 0 where there is none: of several the largest stands for all.
[[nodiscard]] std::int64_t to_word(const FileTrouble& trouble);
[[nodiscard]] FileTrouble trouble_of(std::int64_t word);
// Throws what a word says, if it says anything.
void throw_trouble(const Call& call, const std::string& path, std::int64_t word);

// Open while it lives. Positions are bytes from the file's begin.
class File {
 public:
  File() = default;
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // A file of bytes, for reading; `size`, how many, may be null.
  FileTrouble open(const std::string& path, std::int64_t* size = nullptr);
  FileTrouble open_to_write(const std::string& path);
  // A new one, with the permissions of `like` if that is there.
  FileTrouble make(const std::string& path, const std::string& like);
  FileTrouble read(std::int64_t at, std::span<std::byte> bytes) const;
  FileTrouble write(std::int64_t at, std::span<const std::byte> bytes) const;
  FileTrouble resize(std::int64_t size) const;
  // What was written is with the system; some say only now that there was no room.
  FileTrouble close();

 private:
  int descriptor_ = -1;
};

// Makes a file beside `path` that is to replace it, and gives its name. A link is followed: what it points to is
// replaced.
FileTrouble begin_replacement(const std::string& path, File& file, std::string& name);
// `name` becomes `path`; or is gone, where there is a trouble.
FileTrouble end_replacement(const std::string& path, const std::string& name, FileTrouble trouble);

}  // namespace pilum::numeric
