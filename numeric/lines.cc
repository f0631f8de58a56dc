#include "numeric/lines.h"

#include <utility>

#include "numeric/gathered.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {

Array launch_lines(const Call& call, LibraryBody&& body, const Array& a, int axis, std::int64_t extent, DType dtype,
                   std::span<const std::uint64_t> numbers) {
  using pilum::detail::Access;
  if (a.size() == a.shape()[axis]) warn_of_gathered(call, a);
  const bool alone = a.ndim() == 1;  // then it is a line of an array of two axes
  Shape shape = alone ? Shape{1, extent} : a.shape();
  if (!alone) shape[axis] = extent;
  const Array out = empty(shape, dtype, call.where);
  const Array to = alone ? out : moveaxis(out, axis, -1, call.where);
  const Array from = alone ? expand_dims(a, 0, call.where) : moveaxis(a, axis, -1, call.where);
  Shape domain;
  for (int k = 0; k < to.ndim() - 1; ++k) domain.push_back(to.shape()[k]);
  if (alone) body.gpu.clear();
  body.parameters = {array_parameter(to, Access::Write), array_parameter(from, Access::Read)};
  body.parameters.resize(2 + numbers.size(), integer_parameter());
  const pilum::detail::StoreArgument arguments[] = {{to, Access::Write, {}, Fold::Sum},
                                                    {from, Access::Read, {}, Fold::Sum}};
  launch(call, body, domain, arguments, numbers);
  return alone ? out(Index(0, call.where)) : out;
}

Array launch_planes(const Call& call, const LibraryBody& body, const Array& a, int row, int axis, std::int64_t extent,
                    DType dtype) {
  using pilum::detail::Access;
  Shape shape = a.shape();
  shape[axis] = extent;
  const Array out = empty(shape, dtype, call.where);
  const Array to = moveaxis(out, {row, axis}, {-2, -1}, call.where);
  const Array from = moveaxis(a, {row, axis}, {-2, -1}, call.where);
  Shape domain;
  for (int k = 0; k < to.ndim() - 2; ++k) domain.push_back(to.shape()[k]);
  LibraryBody described = body;
  described.parameters = {array_parameter(to, Access::Write), array_parameter(from, Access::Read)};
  const pilum::detail::StoreArgument arguments[] = {{to, Access::Write, {}, Fold::Sum},
                                                    {from, Access::Read, {}, Fold::Sum}};
  launch(call, described, domain, arguments);
  return out;
}

}  // namespace pilum::numeric
