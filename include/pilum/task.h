// User-defined tasks: a body of plain C++ over typed pieces of arrays, launched over a domain.
//
//   auto smooth = pilum::task("smooth", [](pilum::Piece piece, pilum::Read<const double, 1> in,
//                                          pilum::Write<double, 1> out, double weight) {
//     for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
//       const std::int64_t left = std::max(i - 1, in.lo(0)), right = std::min(i + 1, in.hi(0) - 1);
//       out(i) = (1 - weight) * in(i) + weight / 2 * (in(left) + in(right));
//     }
//   });
//   smooth({n}, pilum::read(a, pilum::halo(1, 1)), pilum::write(b), 0.5);
//
// A launch is recorded, as array operations are, and mixes with them: what it needs, what waits for it, copies and
// messages follow from what it reads and writes. The domain's points are shared among the processors as the cells of
// the array that it writes first; the body is called for chunks of a processor's points, by several threads at once.
//
// On GPUs a task runs where it has a body for them, as text (gpu_body below); else on the host, and its arrays are
// copied there and back.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"
#include "pilum/piece.h"

// Bodies' accesses are checked against what they may touch. On unless NDEBUG is defined; define it as 0 or 1 to choose.
#ifndef PILUM_CHECK_BOUNDS
#ifdef NDEBUG
#define PILUM_CHECK_BOUNDS 0
#else
#define PILUM_CHECK_BOUNDS 1
#endif
#endif

namespace pilum::scheduler {
struct TaskBody;
struct CellFunction;
}  // namespace pilum::scheduler

namespace pilum {

// How the contributions of a launch's points become one value.
enum class Fold : std::uint8_t { Sum, Product, Minimum, Maximum };

namespace detail {

enum class Access : std::uint8_t { Read, Write, ReadWrite, Reduce };

// Throws IndexError: argument `number` of the body was asked for `index`.
[[noreturn]] PILUM_API void refuse_index(int number, int rank, const std::int64_t* index, const BoundStore& store);

// An array, as a body sees it. Indices are the array's own (the view's, where a view was passed).
template <class T, int Rank, Access kAccess>
class Accessor {
 public:
  static_assert(Rank >= 0 && Rank <= kMaxAxes, "arrays have 0 to 8 axes");
  using Element = std::conditional_t<kAccess == Access::Read, const T, T>;

  Accessor(const BoundStore& store, int number) : store_(store), number_(number) {}

  // The element there; lo(axis) <= index < hi(axis) along each axis. Where PILUM_CHECK_BOUNDS is 1, any other index
  // ends the run with an error that names the task, the argument, the index and what is allowed.
  template <std::integral... Index>
  Element& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each axis of the array");
    const std::int64_t place[Rank + 1] = {static_cast<std::int64_t>(index)..., 0};
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Rank); ++k) {
#if PILUM_CHECK_BOUNDS
      if (place[k] < store_.lo[k] || place[k] >= store_.hi[k]) refuse_index(number_, Rank, place, store_);
#endif
      offset += (place[k] - store_.lo[k]) * store_.stride[k];
    }
    return static_cast<Element*>(store_.first)[offset];
  }

  // What this call of the body may touch: lo <= index < hi. Halos are clipped at the array's ends.
  std::int64_t lo(int axis) const { return store_.lo[static_cast<std::size_t>(axis)]; }
  std::int64_t hi(int axis) const { return store_.hi[static_cast<std::size_t>(axis)]; }
  std::int64_t extent(int axis) const { return hi(axis) - lo(axis); }

  // For inner loops, unchecked: the element at (lo(0), lo(1), …), and how many elements lie between neighbours along an
  // axis (negative for a view that runs backwards, 0 where it repeats its cells).
  Element* data() const { return static_cast<Element*>(store_.first); }
  std::int64_t stride(int axis) const { return store_.stride[static_cast<std::size_t>(axis)]; }

 private:
  BoundStore store_;
  int number_;
};

}  // namespace detail

// The parameters of a body: T is bool, std::int32_t, std::int64_t, float or double, and must be the array's dtype; Rank
// its number of axes.
//
// Read: the values from before the launch, whatever the launch writes.
template <class T, int Rank>
struct Read : detail::Accessor<std::remove_const_t<T>, Rank, detail::Access::Read> {
  using detail::Accessor<std::remove_const_t<T>, Rank, detail::Access::Read>::Accessor;
};
// Write: what was there is lost; the body must write every cell that it may touch.
template <class T, int Rank>
struct Write : detail::Accessor<T, Rank, detail::Access::Write> {
  using detail::Accessor<T, Rank, detail::Access::Write>::Accessor;
};
// ReadWrite: what was there may be read and written.
template <class T, int Rank>
struct ReadWrite : detail::Accessor<T, Rank, detail::Access::ReadWrite> {
  using detail::Accessor<T, Rank, detail::Access::ReadWrite>::Accessor;
};
// Reduce: a private array of the whole shape, filled with the fold's identity (0; 1; the largest value; the lowest).
// The body folds into it (total(i) += x, total(i) = std::min(total(i), x)); afterwards all of these, and what the array
// held before, are folded together. The order is fixed, so that the bits do not depend on timing.
template <class T, int Rank>
struct Reduce : detail::Accessor<T, Rank, detail::Access::Reduce> {
  using detail::Accessor<T, Rank, detail::Access::Reduce>::Accessor;
};

// The cells of one axis of an array that belong to a point x of the domain: `extent` of them, from
// offset + scale * x[axis] on; with an axis of -1, `extent` of them from `offset` on. Clipped at the array's ends.
struct AxisCells {
  int axis = -1;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  std::int64_t extent = 1;
  bool operator==(const AxisCells&) const = default;
};

// How wide a halo is, along each axis or along all.
class Widths {
 public:
  Widths() = default;
  Widths(std::initializer_list<std::int64_t> widths) : count_(widths.size()) {
    for (std::size_t axis = 0; axis < count_ && axis < widths_.size(); ++axis) widths_[axis] = widths.begin()[axis];
  }
  explicit Widths(std::span<const std::int64_t> widths) : count_(widths.size()) {
    for (std::size_t axis = 0; axis < count_ && axis < widths_.size(); ++axis) widths_[axis] = widths[axis];
  }
  // What was given; more than there can be axes too.
  std::size_t size() const { return count_; }
  std::int64_t front() const { return widths_.front(); }
  std::int64_t operator[](std::size_t axis) const { return widths_[axis]; }
  const std::int64_t* begin() const { return widths_.data(); }
  const std::int64_t* end() const { return widths_.data() + (count_ < widths_.size() ? count_ : widths_.size()); }

 private:
  std::size_t count_ = 0;
  std::array<std::int64_t, kMaxAxes> widths_{};
};

// Which cells of an array belong to a point of the domain.
class Projection {
 public:
  enum class Kind : std::uint8_t { Aligned, Halo, Whole, Affine, Function };

  Projection() = default;
  Projection(Kind kind) : kind_(kind) {}
  Projection(numeric::All) : kind_(Kind::Whole) {}
  // A function from a point (a Piece of one point) to a Box of the array, or a std::vector<Box>. It must be pure: every
  // rank calls it, also for points that others compute.
  template <class Function>
    requires std::invocable<const Function&, const Piece&>
  Projection(Function function);

  Kind kind() const { return kind_; }
  Widths low, high;             // Halo: by axis of the domain, or one for all
  std::vector<AxisCells> axes;  // Affine: by axis of the array
  std::shared_ptr<const scheduler::CellFunction> function;

 private:
  Kind kind_ = Kind::Aligned;
};

// Axis k of the array goes with axis k of the domain, which has the same extent; further axes of the array are whole.
inline const Projection aligned{Projection::Kind::Aligned};
// Every point has the whole array.
inline const Projection all{Projection::Kind::Whole};
inline const Projection broadcast{Projection::Kind::Whole};

// As aligned, and `low` cells more before, `high` after, along every axis of the domain; clipped at the array's ends.
inline Projection halo(std::int64_t low, std::int64_t high) {
  Projection projection(Projection::Kind::Halo);
  projection.low = {low};
  projection.high = {high};
  return projection;
}
// The same, by axis: halo({1, 0}, {1, 0}) for rows above and below.
inline Projection halo(std::initializer_list<std::int64_t> low, std::initializer_list<std::int64_t> high) {
  Projection projection(Projection::Kind::Halo);
  projection.low = low;
  projection.high = high;
  return projection;
}
// By axis of the array: affine({{.axis = 0, .scale = 2, .extent = 3}}) reads cells 2x, 2x + 1 and 2x + 2.
inline Projection affine(std::initializer_list<AxisCells> axes) {
  Projection projection(Projection::Kind::Affine);
  projection.axes = axes;
  return projection;
}

namespace detail {

// An argument of a launch that is an array.
struct StoreArgument {
  numeric::Array array;
  Access access = Access::Read;
  Projection projection;
  Fold fold = Fold::Sum;
};
template <Access kAccess>
struct ArgumentOf : StoreArgument {};

}  // namespace detail

// Arguments of a launch: an array (or a view of one), and which of its cells a point reads or writes. What is written
// is aligned. An array may be read and written in one launch; it may be written once.
inline detail::ArgumentOf<detail::Access::Read> read(const numeric::Array& array, Projection projection = {}) {
  return {{array, detail::Access::Read, std::move(projection), Fold::Sum}};
}
inline detail::ArgumentOf<detail::Access::Write> write(const numeric::Array& array, Projection projection = {}) {
  return {{array, detail::Access::Write, std::move(projection), Fold::Sum}};
}
inline detail::ArgumentOf<detail::Access::ReadWrite> read_write(const numeric::Array& array,
                                                                Projection projection = {}) {
  return {{array, detail::Access::ReadWrite, std::move(projection), Fold::Sum}};
}
// Every point may fold into every cell of the array.
inline detail::ArgumentOf<detail::Access::Reduce> reduce(const numeric::Array& array, Fold fold) {
  return {{array, detail::Access::Reduce, Projection(Projection::Kind::Whole), fold}};
}

// The domain of a launch, 1 to 8 extents; and the line that it is written on. Made implicitly.
class Domain {
 public:
  Domain(std::initializer_list<std::int64_t> extents, std::source_location where = std::source_location::current())
      : shape_(extents), where_(where) {}
  Domain(const Shape& shape, std::source_location where = std::source_location::current())
      : shape_(shape), where_(where) {}
  const Shape& shape() const { return shape_; }
  std::source_location where() const { return where_; }

 private:
  Shape shape_;
  std::source_location where_;
};

namespace detail {

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
struct Parameter<Reduce<T, Rank>> : StoreParameter<T, Rank, Access::Reduce> {};

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

// A hash of a value's bytes that is the same on every rank: addresses of heap and stack are left out, those of
// functions and static objects count from where their library was loaded.
PILUM_API std::uint64_t hash_state(std::string_view type, std::span<const std::byte> bytes);

// Of what a function, or a value for a body, holds. Only what can be copied byte by byte is looked into.
template <class T>
std::uint64_t hash_of_state(const T& value) {
  if constexpr (std::is_empty_v<T> || !std::is_trivially_copyable_v<T>) {
    static const std::uint64_t hash = hash_state(typeid(T).name(), {});
    return hash;
  }
  alignas(T) std::byte bytes[sizeof(T)] = {};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(bytes, &value, sizeof value);
    __builtin_clear_padding(reinterpret_cast<T*>(bytes));
    return hash_state(typeid(T).name(), bytes);
  }
#endif
#endif
  if constexpr (std::has_unique_object_representations_v<T>) std::memcpy(bytes, &value, sizeof value);
  return hash_state(typeid(T).name(), bytes);
}

// Tells functions apart. In this process by where the code is, the same for the same function, however often it is
// made; between ranks by `state`, a hash of its type and of what it has captured.
struct FunctionIdentity {
  std::uint64_t type = 0;
  std::uint64_t object = 0;
  std::uint64_t state = 0;
};

template <class Function>
FunctionIdentity identify(const Function& function) {
  static const char here = 0;
  FunctionIdentity identity{reinterpret_cast<std::uintptr_t>(&here), 0, hash_of_state(function)};
  if constexpr (std::is_pointer_v<Function>) {
    identity.object = reinterpret_cast<std::uintptr_t>(function);
  } else if constexpr (!std::is_empty_v<Function>) {
    identity.object = ~std::uint64_t{0};  // has a state: each one is another
  }
  return identity;
}

// What a body takes at one place after the Piece, as a body for GPUs is compared with it.
struct BodyParameter {
  enum class Kind : std::uint8_t { Array, Bool, Integer, Floating, Other };
  Kind kind = Kind::Array;
  Access access = Access::Read;
  DType dtype = DType::Float64;
  int rank = 0;
  std::size_t bytes = 0;  // of a value
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

// A body for GPUs, and what the CPU body beside it takes.
struct GpuText {
  std::string_view text;
  std::span<const BodyParameter> parameters;
  bool checked = false;
};

// `gpu`: null where there is none.
PILUM_API std::shared_ptr<const scheduler::TaskBody> make_body(std::string_view name, const FunctionIdentity& identity,
                                                               std::function<void(const BodyCall&)> run,
                                                               const GpuText* gpu);
PILUM_API std::shared_ptr<const scheduler::CellFunction> make_function(
    const FunctionIdentity& identity, std::function<std::vector<Box>(const Piece&)> boxes);

// What a launch must agree with, by array.
struct StoreRule {
  Access access;
  DType dtype;
  int rank;
  int number;  // of the argument, from 1
};

// Checks and records. `checked`, a hash of the scalars, must be alike on all ranks.
PILUM_API void launch(const std::shared_ptr<const scheduler::TaskBody>& body, const Domain& domain,
                      std::span<const StoreRule> rules, std::span<const StoreArgument* const> stores,
                      std::span<const std::uint64_t> scalars, std::uint64_t checked);

}  // namespace detail

// A task. A value, cheap to copy. One whose body captures nothing may be made anew in every iteration of a loop; one
// with captures is made once, before it, so that the loop's plans are found again. Arguments in a call stand in the
// order of the body's parameters: read(…), write(…), read_write(…) and reduce(…) for arrays, values for the rest, which
// is anything trivially copyable of at most 64 bytes.
//
// A call throws, with nothing recorded: ShapeError (a domain of no or more than 8 axes, an array whose axes or extents
// do not fit the body or the projection), DTypeError (an array of another dtype than the body's), ValueError (an empty
// array, an array that is written twice, a projection that cannot be written through, a view that cannot be written; on
// GPUs a body for them that does not fit), RuntimeError (no runtime). What a body throws ends the run, on all ranks,
// with the task's name and this call's line.
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
      static constexpr auto rules = make_rules(std::index_sequence_for<P...>());
      detail::launch(body_, domain, std::span(rules.data(), kStores), std::span(call.stores.data(), kStores),
                     std::span(call.scalars.data(), kWords), call.checked);
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

  template <std::size_t... I>
  static constexpr auto make_rules(std::index_sequence<I...>) {
    std::array<detail::StoreRule, kStores + 1> rules{};
    std::size_t next = 0;
    const auto add = [&]<class Wanted>(std::type_identity<Wanted>, int number) {
      if constexpr (detail::Parameter<Wanted>::kIsStore) {
        using Parameter = detail::Parameter<Wanted>;
        rules[next++] = {Parameter::kAccess, Parameter::kDType, Parameter::kRank, number};
      }
    };
    (add(std::type_identity<P>(), static_cast<int>(I) + 1), ...);
    return rules;
  }

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
  static TaskType make(std::string_view name, Body body, const std::string_view* gpu_text) {
    static constexpr std::array<BodyParameter, sizeof...(P) + 1> parameters{describe_parameter<P>()...};
    const std::span<const BodyParameter> taken(parameters.data(), sizeof...(P));
    const GpuText gpu{gpu_text ? *gpu_text : std::string_view(), taken, PILUM_CHECK_BOUNDS != 0};
    static_assert(std::is_invocable_v<const Body&, First, P...>,
                  "a body is called by several threads at once: it cannot be mutable");
    const FunctionIdentity identity = identify(body);
    return TaskType(make_body(
        name, identity,
        [body = std::move(body)](const BodyCall& call) {
          call_body<P...>(body, call, std::index_sequence_for<P...>());
        },
        gpu_text ? &gpu : nullptr));
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

// A task that users know as `name`. The body is a function or a lambda, not a generic one: its parameters are a Piece,
// then what a call passes. It is called on any thread, several at once, and must not touch arrays but through its
// parameters. What it captures by value must be alike on all ranks, and is compared where it can be copied byte by
// byte; a value of this rank alone is captured by reference, and must live until the launch has run.
template <class Body>
auto task(std::string_view name, Body body) {
  return detail::SignatureOf<Body>::Type::make(name, std::move(body), nullptr);
}

// A body for GPUs: CUDA C++ text, which NVIDIA's compiler gets when the task is first launched on one; programs are
// built without it.
class GpuBody {
 public:
  explicit GpuBody(std::string_view text) : text_(text) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};
inline GpuBody gpu_body(std::string_view text) {
  return GpuBody(text);
}

// The same task with a body for GPUs beside the one for cores:
//
//   auto smooth = pilum::task("smooth", smooth_on_cores, pilum::gpu_body(R"(
//     void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, double weight) {
//       const std::int64_t left = std::max(x - 1, in.lo(0)), right = std::min(x + 1, in.hi(0) - 1);
//       out(x) = (1 - weight) * in(x) + weight / 2 * (in(left) + in(right));
//     }
//   )"));
//
// The text defines `body`, besides functions, structs and constants of its own. A core has one thread and a piece to go
// through; a GPU has some hundred thousand threads. So its body is called for ONE point, by a thread of its own:
// pilum::Point<N> for a domain of N axes, x[axis], which for N = 1 is a number, and for every N an index of arrays of N
// axes: out(x). Or it takes a pilum::Piece, of that one point, as the CPU body does: then its loops may be the same.
//
// Behind it come the CPU body's parameters, in its order: Read, Write, ReadWrite and Reduce of the same T and Rank,
// with the members that they have here, and values of the same size and kind (structs are defined again in the text).
// lo and hi are those of the one point: in.lo(0) to in.hi(0) is its halo; of a function's cells, those of the whole
// piece. A thread writes its point's cells alone, in no order among threads. There is no __syncthreads(), and no memory
// that threads share.
//
// Reduce: a thread folds several points into an array of its own, in a fixed order, so that bits do not depend on
// timing; which points follows from the piece and the array's size, so the bits are not those of cores. It is meant for
// small arrays: beyond 1 MiB few threads do all the work.
//
// Known in the text are pilum::Point and Piece, the arrays, std::min, std::max, std::size_t, std::int8_t to
// std::uint64_t, and CUDA's own functions (sqrt, exp, fma); no header is included. Products and sums are not
// contracted. A text is compiled once for each way in which a task of that name is launched (which axes an array
// follows, whether its rows lie without gaps, how it is folded), and kept in PILUM_CACHE_DIR.
//
// A launch on GPUs throws, with nothing recorded: ValueError for a text that does not compile, with the compiler's
// message and lines of the text, and for one whose body takes something else than the CPU body; RuntimeError where
// there is no compiler (NVRTC). Where PILUM_CHECK_BOUNDS is 1 an index outside ends the run as on cores; nothing is
// touched.
template <class Body>
auto task(std::string_view name, Body body, const GpuBody& gpu) {
  const std::string_view text = gpu.text();
  return detail::SignatureOf<Body>::Type::make(name, std::move(body), &text);
}

template <class Function>
  requires std::invocable<const Function&, const Piece&>
Projection::Projection(Function cells) : kind_(Kind::Function) {
  const detail::FunctionIdentity identity = detail::identify(cells);
  function = detail::make_function(identity, [cells = std::move(cells)](const Piece& point) {
    using Result = std::invoke_result_t<const Function&, const Piece&>;
    if constexpr (std::is_convertible_v<Result, Box>) {
      return std::vector<Box>{cells(point)};
    } else {
      return std::vector<Box>(cells(point));
    }
  });
}

}  // namespace pilum
