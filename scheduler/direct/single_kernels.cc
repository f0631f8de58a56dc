#include "scheduler/direct/single_kernels.h"

#include "runtime/base/hash.h"
#include "scheduler/analyze/point_value.h"

namespace pilum::scheduler {
namespace {

std::uint64_t pack(const kernel::ArrayArgument& array) {
  return 1 | static_cast<std::uint64_t>(array.dtype) << 8 | static_cast<std::uint64_t>(array.inner) << 16 |
         static_cast<std::uint64_t>(static_cast<std::uint8_t>(array.store_rank)) << 24 |
         static_cast<std::uint64_t>(static_cast<std::uint8_t>(array.row)) << 32;
}

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

}  // namespace

std::size_t SingleKernels::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) hash = mix(hash, word);
  return hash;
}

SingleKernels::Key SingleKernels::key_of(const PlacedOperation& placed) {
  Key key{};
  key[0] = pack_kind(*placed.operation);
  key[1] = static_cast<std::uint64_t>(placed.domain.rank) |
           static_cast<std::uint64_t>(static_cast<std::uint8_t>(placed.axis)) << 8;
  for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
    key[2 + place] = pack(read_argument(placed, place, view));
  });
  key[5] =
      pack(written_argument(placed, placed.operation->reduction() ? kernel::Access::Reduce : kernel::Access::Write));
  return key;
}

const SingleKernel& SingleKernels::get(const PlacedOperation& placed) {
  SingleKernel& single = known_[key_of(placed)];
  if (!single.compiled) {
    const Elementwise* elementwise = placed.operation->elementwise();
    const kernel::Kernel kernel =
        elementwise ? make_kernel(placed, *elementwise, single) : make_kernel(placed, *placed.operation->reduction());
    single.uses_index = elementwise && elementwise->op == kernel::Op::Index;
    single.compiled = jit_.get_host(kernel, {});
  }
  return single;
}

}  // namespace pilum::scheduler
