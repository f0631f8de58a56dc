#include "numeric/fft_body.h"

#include <bit>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/fftw.h"
#include "pilum/error.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Plans are made one at a time, and run by any thread, also several at once: FFTW's manual, 5.3.
std::mutex& planner() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

class HeldPlan {
 public:
  HeldPlan(const Fftw& fftw, Fftw::Plan plan) : fftw_(fftw), plan_(plan) {}
  HeldPlan(const HeldPlan&) = delete;
  HeldPlan& operator=(const HeldPlan&) = delete;
  ~HeldPlan() {
    const std::lock_guard lock(planner());
    fftw_.destroy(plan_);
  }
  Fftw::Plan get() const { return plan_; }

 private:
  const Fftw& fftw_;
  Fftw::Plan plan_;
};

using Key = std::vector<std::int64_t>;  // all that a plan depends on
using Plans = std::map<Key, std::shared_ptr<const HeldPlan>>;
constexpr std::size_t kMostPlans = 512;  // of pieces' shapes: a program has few

// The lines of a piece: how many along each axis, and how far they are apart.
struct Lines {
  std::vector<Fftw::Dimension> line, others;
};

Lines lines_of(const BodyCall& call, std::int64_t count, std::int64_t rows) {
  const BoundStore &out = call.stores[0], &in = call.stores[1];
  const auto last = static_cast<std::size_t>(call.piece.rank());
  Lines lines;
  const std::size_t line = rows > 1 ? last + 1 : last;
  if (rows > 1) lines.line.push_back({rows, in.stride[last], out.stride[last]});
  lines.line.push_back({count, in.stride[line], out.stride[line]});
  for (std::size_t axis = 0; axis < last; ++axis) {
    const std::int64_t extent = call.piece.extent(static_cast<int>(axis));
    if (extent != 1) lines.others.push_back({extent, in.stride[axis], out.stride[axis]});
  }
  return lines;
}

Key key_of(Transform transform, bool is_double, const Lines& lines) {
  Key key{static_cast<std::int64_t>(transform), is_double, static_cast<std::int64_t>(lines.line.size())};
  for (const auto* dimensions : {&lines.line, &lines.others}) {
    for (const Fftw::Dimension& one : *dimensions) key.insert(key.end(), {one.count, one.input, one.output});
  }
  return key;
}

Fftw::Plan make_plan(const Fftw& fftw, Transform transform, const Lines& lines, void* in, void* out) {
  const unsigned flags = Fftw::kEstimate | Fftw::kUnaligned | Fftw::kPreserveInput;
  const auto rank = static_cast<int>(lines.line.size()), count = static_cast<int>(lines.others.size());
  const Fftw::Dimension *line = lines.line.data(), *others = lines.others.data();
  switch (transform) {
    case Transform::Forward: return fftw.plan_complex(rank, line, count, others, in, out, Fftw::kForward, flags);
    case Transform::Backward: return fftw.plan_complex(rank, line, count, others, in, out, Fftw::kBackward, flags);
    case Transform::ToComplex: return fftw.plan_to_complex(rank, line, count, others, in, out, flags);
    case Transform::ToReal: return fftw.plan_to_real(rank, line, count, others, in, out, flags);
  }
  return nullptr;
}

std::shared_ptr<const HeldPlan> find_plan(const Fftw& fftw, Transform transform, bool is_double, const Lines& lines,
                                          void* in, void* out) {
  static auto* plans = new Plans;
  const Key key = key_of(transform, is_double, lines);
  Plans gone;  // ends after the lock
  const std::lock_guard lock(planner());
  if (const auto found = plans->find(key); found != plans->end()) return found->second;
  const Fftw::Plan plan = make_plan(fftw, transform, lines, in, out);
  if (!plan) throw RuntimeError("FFTW has no plan for this transform");
  if (plans->size() >= kMostPlans) gone.swap(*plans);
  return plans->emplace(key, std::make_shared<const HeldPlan>(fftw, plan)).first->second;
}

template <class T>
void scale_lines(const BodyCall& call, std::int64_t rows, double scale) {
  const BoundStore& out = call.stores[0];
  const int rank = call.piece.rank();
  const std::size_t row = static_cast<std::size_t>(rank), last = rows > 1 ? row + 1 : row;
  const auto factor = static_cast<decltype(std::real(T()))>(scale);
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    T* line = static_cast<T*>(out.first) + cells_to(out, point, rank);
    for (std::int64_t r = 0; r < rows; ++r, line += out.stride[row]) {
      for (std::int64_t i = 0; i < out.hi[last] - out.lo[last]; ++i) line[i * out.stride[last]] *= factor;
    }
  });
}

// The first cell of a store's part at the piece's first point.
template <class T>
T* first_of(const BoundStore& store, const Piece& piece) {
  return static_cast<T*>(store.first) + cells_to(store, piece.lo(), piece.rank());
}

template <class Real>
void transform_piece(std::span<const std::int64_t> form, const BodyCall& call) {
  using Complex = std::complex<Real>;
  constexpr bool kIsDouble = sizeof(Real) == 8;
  const auto transform = static_cast<Transform>(form[0]);
  const Fftw& fftw = *find_fftw(kIsDouble);
  const Lines lines = lines_of(call, form[2], form[4]);
  const bool reads_real = transform == Transform::ToComplex, writes_real = transform == Transform::ToReal;
  void* const in = reads_real ? static_cast<void*>(first_of<Real>(call.stores[1], call.piece))
                              : static_cast<void*>(first_of<Complex>(call.stores[1], call.piece));
  void* const out = writes_real ? static_cast<void*>(first_of<Real>(call.stores[0], call.piece))
                                : static_cast<void*>(first_of<Complex>(call.stores[0], call.piece));
  const auto plan = find_plan(fftw, transform, kIsDouble, lines, in, out);
  (reads_real ? fftw.run_to_complex : writes_real ? fftw.run_to_real : fftw.run_complex)(plan->get(), in, out);
  const double scale = std::bit_cast<double>(form[3]);
  if (scale == 1) return;
  writes_real ? scale_lines<Real>(call, form[4], scale) : scale_lines<Complex>(call, form[4], scale);
}

}  // namespace

void transform_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  if (call.piece.size() == 0) return;
  form[1] ? transform_piece<double>(form, call) : transform_piece<float>(form, call);
}

}  // namespace pilum::numeric
