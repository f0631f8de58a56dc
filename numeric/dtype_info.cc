#include "pilum/dtype_info.h"

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {

IntegerInfo iinfo(DType dtype, std::source_location where) {
  if (!is_integer(dtype))
    fail<DTypeError>(Call{"iinfo", where}, dtype, " is no integer dtype: np::finfo is of floating ones");
  const IntegerRange range = range_of(dtype);
  return {static_cast<int>(8 * itemsize(dtype)), range.lowest, range.highest};
}

FloatInfo finfo(DType dtype, std::source_location where) {
  dtype = pilum::detail::part_of(dtype);
  if (!is_floating(dtype))
    fail<DTypeError>(Call{"finfo", where}, dtype, " is no floating dtype: np::iinfo is of integer ones");
  return visit_real_dtype(dtype, []<class T>(T) -> FloatInfo {
    using Limits = std::numeric_limits<T>;
    const auto wide = [](T number) { return static_cast<double>(number); };
    return {static_cast<int>(8 * sizeof(T)),
            wide(Limits::epsilon()),
            wide(Limits::lowest()),
            wide(Limits::max()),
            wide(Limits::min()),
            wide(Limits::denorm_min())};
  });
}

bool can_cast(DType from, DType to, Casting casting) {
  switch (casting) {
    case Casting::No: return from == to;
    case Casting::SameKind: return casts_within_kind(from, to);
    case Casting::Unsafe: return true;
    case Casting::Safe: break;
  }
  // To float64 int64 and uint64 are safe in NumPy, though not every number of theirs is one.
  return promote(from, to) == to;
}

DType detail::result_type_of(std::initializer_list<TypeSource> sources) {
  std::optional<DType> given;
  std::vector<const Operand*> operands;
  for (const TypeSource& source : sources) {
    if (source.dtype) given = given ? promote(*given, *source.dtype) : *source.dtype;
    if (source.operand) operands.push_back(&*source.operand);
  }
  for (const Operand* operand : operands) {
    const Call call{"result_type", operand->where()};
    if (operand->kind() == Operand::Kind::Array) static_cast<void>(checked_state(call, operand->array()));
  }
  if (!given) return common_dtype(operands);
  std::vector<const Operand*> arrays, numbers;
  for (const Operand* operand : operands)
    (operand->kind() == Operand::Kind::Array ? arrays : numbers).push_back(operand);
  if (!arrays.empty()) given = promote(*given, common_dtype(arrays));
  return numbers.empty() ? *given : weakly_promoted(*given, numbers);
}

}  // namespace pilum::numeric
