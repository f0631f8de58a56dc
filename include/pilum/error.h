// What Pilum throws. Every text reads: [operation] what is wrong, with values; the remedy. Called at file:line.
#pragma once

#include <stdexcept>

namespace pilum {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Shapes that do not fit one another, too many axes, a negative extent.
class ShapeError : public Error {
  using Error::Error;
};
// An index outside its axis, too many indices.
class IndexError : public Error {
  using Error::Error;
};
// Dtypes that do not mix, or a value read as another type.
class DTypeError : public Error {
  using Error::Error;
};
// Any other unusable value: a slice step of 0, an empty minimum, a bad option.
class ValueError : public Error {
  using Error::Error;
};
// More memory was asked for than there is.
class MemoryError : public Error {
  using Error::Error;
};
// The machine, a peer, a compiler or the launcher cannot do what is needed.
class RuntimeError : public Error {
  using Error::Error;
};

}  // namespace pilum
