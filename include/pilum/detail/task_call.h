// A task, and what its body's parameters make of a call's arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pilum/detail/accessor.h"
#include "pilum/detail/body_parameter.h"
#include "pilum/detail/function_identity.h"
#include "pilum/detail/launch.h"

namespace pilum {

// What task() makes: see pilum/task.h.
template <class... P>
class Task {
 public:
  Task(std::shared_ptr<const scheduler::TaskBody> body) : body_(std::move(body)) {}

  template <class... Arguments>
  void operator()(const Domain& domain, const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(P),
                  "a launch takes the domain, then one argument for each parameter of the body after the Piece");
    if constexpr (sizeof...(Arguments) == sizeof...(P)) {
      Call call;
      (call.template add<P>(arguments), ...);
      detail::launch(body_, domain, std::span(detail::described_parameters<P...>.data(), sizeof...(P)),
                     std::span(call.stores.data(), kStores), std::span(call.scalars.data(), kWords), call.checked);
    }
  }

 private:
  static constexpr std::size_t kStores = detail::stores_before<sizeof...(P), P...>();
  static constexpr std::size_t kWords = detail::words_before<sizeof...(P), P...>();

  struct Call {
    std::array<const detail::StoreArgument*, kStores + 1> stores{};
    std::array<std::uint64_t, kWords + 1> scalars{};
    std::size_t store = 0, word = 0;
    std::uint64_t checked = 0;

    template <class Wanted, class Given>
    void add(const Given& given) {
      if constexpr (detail::Parameter<Wanted>::kIsStore) {
        static_assert(std::is_same_v<Given, detail::ArgumentOf<detail::Parameter<Wanted>::kAccess>>,
                      "the body's parameter says how the array is passed: Read takes read(array), Write write(array), "
                      "ReadWrite read_write(array), Reduce reduce(array, fold)");
        if constexpr (std::is_base_of_v<detail::StoreArgument, Given>) stores[store++] = &given;
      } else {
        static_assert(std::is_convertible_v<const Given&, Wanted>,
                      "the argument does not convert to the body's parameter");
        if constexpr (std::is_convertible_v<const Given&, Wanted>) {
          const Wanted value = given;
          std::memcpy(scalars.data() + word, &value, sizeof value);
          if constexpr (std::is_arithmetic_v<Wanted> || std::is_enum_v<Wanted>) {
            for (std::size_t k = 0; k < detail::words_of<Wanted>(); ++k)
              checked = (checked ^ scalars[word + k]) * 0x9e3779b97f4a7c15u + 1;
          } else if constexpr (!std::is_pointer_v<Wanted>) {  // addresses differ from rank to rank
            checked = (checked ^ detail::hash_of_state(value)) * 0x9e3779b97f4a7c15u + 1;
          }
          word += detail::words_of<Wanted>();
        }
      }
    }
  };

  std::shared_ptr<const scheduler::TaskBody> body_;
};

namespace detail {

template <class First, class... P>
struct Signature {
  static_assert(std::is_same_v<First, Piece>, "a body's first parameter is the pilum::Piece that it computes");
  static_assert(((Parameter<P>::kIsStore || std::is_trivially_copyable_v<P>) && ...),
                "a body's parameters are Read, Write, ReadWrite and Reduce, and trivially copyable values: pass the "
                "numbers that a larger thing holds, or keep it in an array");
  static_assert(((Parameter<P>::kIsStore || sizeof(P) <= kLargestScalar) && ...),
                "a value for a body has at most 64 bytes: keep larger ones in an array");
  using TaskType = Task<P...>;

  template <class Body>
  static TaskType make(std::string_view name, Body body, const std::string_view* gpu_source) {
    const std::span<const BodyParameter> taken(described_parameters<P...>.data(), sizeof...(P));
    const GpuSource gpu{gpu_source ? *gpu_source : std::string_view(), taken, PILUM_CHECK_BOUNDS != 0};
    static_assert(std::is_invocable_v<const Body&, First, P...>,
                  "a body is called by several threads at once: it cannot be mutable");
    const FunctionIdentity identity = identify(body);
    return TaskType(make_body(
        name, identity,
        [body = std::move(body)](const BodyCall& call) {
          call_body<P...>(body, call, std::index_sequence_for<P...>());
        },
        gpu_source ? &gpu : nullptr));
  }
};

template <class Function>
struct SignatureOf : SignatureOf<decltype(&Function::operator())> {};
template <class Result, class... P>
struct SignatureOf<Result (*)(P...)> {
  using Type = Signature<std::remove_cvref_t<P>...>;
};
template <class Result, class... P>
struct SignatureOf<Result (*)(P...) noexcept> : SignatureOf<Result (*)(P...)> {};
template <class Result, class Object, class... P>
struct SignatureOf<Result (Object::*)(P...) const> : SignatureOf<Result (*)(P...)> {};
template <class Result, class Object, class... P>
struct SignatureOf<Result (Object::*)(P...)> : SignatureOf<Result (*)(P...)> {};
template <class Result, class Object, class... P>
struct SignatureOf<Result (Object::*)(P...) const noexcept> : SignatureOf<Result (*)(P...)> {};

}  // namespace detail
}  // namespace pilum
