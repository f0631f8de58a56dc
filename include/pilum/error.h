// What Pilum throws. Every text reads: [operation] what is wrong, with values; the remedy. Called at file:line.
#pragma once

#include <stdexcept>

#include "pilum/export.h"

namespace pilum {

class PILUM_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Shapes that do not fit one another, too many axes, a negative extent.
class PILUM_API ShapeError : public Error {
  using Error::Error;
};
// An index outside its axis, too many indices.
class PILUM_API IndexError : public Error {
  using Error::Error;
};
// Dtypes that do not mix, or a value read as another type.
class PILUM_API DTypeError : public Error {
  using Error::Error;
};
// Any other unusable value: a slice step of 0, an empty minimum, a bad option.
class PILUM_API ValueError : public Error {
  using Error::Error;
};
// A matrix that has no result: a singular one has no inverse, one that is not positive definite no Cholesky factor; or
// an iteration that does not converge (numpy.linalg.LinAlgError). Found when the operation runs, thrown at the next
// wait.
class PILUM_API LinAlgError : public ValueError {
  using ValueError::ValueError;
};
// More memory was asked for than there is. It may be caught: on one rank of cores nothing is lost by it. The call that
// threw it has not happened; what was recorded before it waits, and is tried again when a value is asked for. Drop
// arrays, and go on: of what waits, only what arrays that are still held need is done. On several ranks, and on GPUs,
// one that is found in mid-work is final and says so; an array larger than all memory is refused where it is made,
// everywhere.
class PILUM_API MemoryError : public Error {
  using Error::Error;
};
// The machine, a peer, a compiler or the launcher cannot do what is needed.
class PILUM_API RuntimeError : public Error {
  using Error::Error;
};

}  // namespace pilum
