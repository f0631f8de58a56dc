#include "scheduler/direct/single_kernels.h"

#include "runtime/base/check.h"
#include "runtime/base/hash.h"
#include "scheduler/analyze/placed_operation.h"
#include "scheduler/analyze/point_value.h"

namespace pilum::scheduler {
namespace {

kernel::ArrayArgument read_argument(const PlacedOperation& placed, std::size_t place, const View& view) {
  return array_argument(*view.store, placed.inputs[place], placed.domain.rank, kernel::Access::Read);
}

kernel::ArrayArgument written_argument(const PlacedOperation& placed, kernel::Access access) {
  return array_argument(*placed.operation->output()->store, placed.output, placed.domain.rank, access);
}

kernel::Kernel make_kernel(const PlacedOperation& placed, const Elementwise& elementwise, SingleKernel& single) {
  kernel::Builder builder(placed.domain.rank);
  const auto input_value = [&](std::size_t place, DType as) {
    const Operand& input = elementwise.inputs[place];
    if (input.is_view())
      return builder.cast(builder.load(builder.add_array(read_argument(placed, place, input.view))), as);
    single.scalar_dtypes[place] = pilum::detail::part_of(as);
    return builder.cast(builder.argument(builder.add_scalar(single.scalar_dtypes[place])), as);
  };
  const DType dtype = elementwise.output.store->dtype;
  const kernel::ValueId value = builder.cast(add_point_value(builder, elementwise, placed.axis, input_value), dtype);
  builder.store(builder.add_array(written_argument(placed, kernel::Access::Write)), value);
  return builder.finish();
}

kernel::Kernel make_kernel(const PlacedOperation& placed, const Reduction& reduction) {
  kernel::Builder builder(placed.domain.rank);
  const int array = builder.add_array(read_argument(placed, 0, reduction.input));
  const kernel::ValueId value = builder.cast(builder.load(array), reduction.output.store->dtype);
  builder.accumulate(builder.add_array(written_argument(placed, kernel::Access::Reduce)), value, reduction.fold,
                     reduction.reduced_axes);
  return builder.finish();
}

SingleForm form_of(const PlacedOperation& placed) {
  SingleForm form(*placed.operation, placed.domain.rank, placed.axis);
  for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
    form.set_input(place, read_argument(placed, place, view));
  });
  form.set_output(
      written_argument(placed, placed.operation->reduction() ? kernel::Access::Reduce : kernel::Access::Write));
  return form;
}

}  // namespace

std::size_t SingleForm::hash() const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words_) hash = mix(hash, word);
  return hash;
}

const SingleKernel& SingleKernels::get(const SingleForm& form, const Operation& operation) {
  SingleKernel& single = known_[form];
  if (!single.compiled) {
    const PlacedOperation placed = place_alone(operation);
    PILUM_CHECK(form == form_of(placed), "{} is bound otherwise than its kernel is made", operation.name);
    const Elementwise* elementwise = operation.elementwise();
    const kernel::Kernel kernel =
        elementwise ? make_kernel(placed, *elementwise, single) : make_kernel(placed, *operation.reduction());
    single.uses_index = elementwise && elementwise->op == kernel::Op::Index;
    single.compiled = jit_.get_host(kernel, {});
  }
  return single;
}

}  // namespace pilum::scheduler
