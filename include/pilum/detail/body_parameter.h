// What a body's parameters are, from their types; and a call of the body with them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "pilum/detail/task_form.h"
#include "pilum/dtype.h"

namespace pilum {

template <class T, int Rank>
struct Read;
template <class T, int Rank>
struct Write;
template <class T, int Rank>
struct ReadWrite;
template <class T, int Rank>
struct Reduce;

}  // namespace pilum

namespace pilum::detail {

// What a body takes at one place.
template <class P>
struct Parameter {
  static constexpr bool kIsStore = false;
};
template <class T, int Rank, Access kWhich>
struct StoreParameter {
  static constexpr bool kIsStore = true;
  static constexpr Access kAccess = kWhich;
  static constexpr DType kDType = dtype_of<std::remove_const_t<T>>;
  static constexpr int kRank = Rank;
};
template <class T, int Rank>
struct Parameter<Read<T, Rank>> : StoreParameter<T, Rank, Access::Read> {};
template <class T, int Rank>
struct Parameter<Write<T, Rank>> : StoreParameter<T, Rank, Access::Write> {};
template <class T, int Rank>
struct Parameter<ReadWrite<T, Rank>> : StoreParameter<T, Rank, Access::ReadWrite> {};
template <class T, int Rank>
struct Parameter<Reduce<T, Rank>> : StoreParameter<T, Rank, Access::Reduce> {
  static_assert(!is_complex(dtype_of<T>), "complex numbers are reduced as two arrays, one of each part");
  static_assert(dtype_of<T> != DType::Float16,
                "halves are reduced in float: Reduce<float, Rank>, then astype(float16)");
};

template <class P>
constexpr BodyParameter describe_parameter() {
  using Kind = BodyParameter::Kind;
  if constexpr (Parameter<P>::kIsStore) {
    return {Kind::Array, Parameter<P>::kAccess, Parameter<P>::kDType, Parameter<P>::kRank, 0};
  } else {
    const Kind kind = std::is_same_v<P, bool>       ? Kind::Bool
                      : std::is_integral_v<P>       ? Kind::Integer
                      : std::is_floating_point_v<P> ? Kind::Floating
                                                    : Kind::Other;
    return {kind, Access::Read, DType::Float64, 0, sizeof(P)};
  }
}
// One more than there are, for a body that takes a Piece alone.
template <class... P>
inline constexpr std::array<BodyParameter, sizeof...(P) + 1> described_parameters{describe_parameter<P>()...};

inline constexpr std::size_t kWord = sizeof(std::uint64_t);
inline constexpr std::size_t kLargestScalar = 64;

template <class P>
constexpr std::size_t words_of() {
  if constexpr (Parameter<P>::kIsStore) {
    return 0;
  } else {
    return (sizeof(P) + kWord - 1) / kWord;
  }
}
// What stands before place I: arrays, and words of scalars.
template <std::size_t I, class... P>
constexpr std::size_t stores_before() {
  const bool is_store[] = {Parameter<P>::kIsStore..., false};
  std::size_t count = 0;
  for (std::size_t k = 0; k < I; ++k) count += is_store[k];
  return count;
}
template <std::size_t I, class... P>
constexpr std::size_t words_before() {
  const std::size_t words[] = {words_of<P>()..., 0};
  std::size_t count = 0;
  for (std::size_t k = 0; k < I; ++k) count += words[k];
  return count;
}

template <class P>
P bind_parameter(const BodyCall& call, std::size_t store, std::size_t word, int number) {
  if constexpr (Parameter<P>::kIsStore) {
    return P(call.stores[store], number);
  } else {
    std::array<std::byte, sizeof(P)> bytes;
    std::memcpy(bytes.data(), call.scalars + word, sizeof(P));
    return std::bit_cast<P>(bytes);
  }
}

template <class... P, class Body, std::size_t... I>
void call_body(const Body& body, const BodyCall& call, std::index_sequence<I...>) {
  body(call.piece,
       bind_parameter<P>(call, stores_before<I, P...>(), words_before<I, P...>(), static_cast<int>(I) + 1)...);
}

}  // namespace pilum::detail
