// Tasks whose bodies are C functions.
#include "pilum/task.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numeric/c_interface/caller.h"
#include "numeric/c_interface/handles.h"
#include "pilum/c.h"
#include "scheduler/record/task_launch.h"

namespace pilum::c_interface {
namespace {

using detail::BodyParameter;
using numeric::fail;

// A body gets the arrays as they are bound.
static_assert(sizeof(pilum_cells) == sizeof(detail::BoundStore) &&
              offsetof(pilum_cells, lo) == offsetof(detail::BoundStore, lo) &&
              offsetof(pilum_cells, hi) == offsetof(detail::BoundStore, hi) &&
              offsetof(pilum_cells, stride) == offsetof(detail::BoundStore, stride));
static_assert(sizeof(pilum_number) == sizeof(std::uint64_t));

struct CTask {
  std::shared_ptr<const scheduler::TaskBody> body;
  std::vector<pilum_parameter> parameters;
  std::vector<BodyParameter> described;  // the same
};
using Tasks = Handles<CTask, 3>;

// What a body says of itself while it runs, on this thread.
struct BodyWords {
  const pilum_cells* arrays = nullptr;
  const int* numbers = nullptr;  // of the arguments that are arrays
  bool failed = false;
  bool outside = false;
  std::string text;
};
thread_local BodyWords* words = nullptr;

pilum_piece to_c(const Piece& piece) {
  pilum_piece result{piece.rank(), {}, {}};
  std::copy(piece.lo().begin(), piece.lo().end(), result.lo);
  std::copy(piece.hi().begin(), piece.hi().end(), result.hi);
  return result;
}

void call(pilum_body body, const std::vector<int>& numbers, const detail::BodyCall& call) {
  const pilum_piece piece = to_c(call.piece);
  const auto* arrays = reinterpret_cast<const pilum_cells*>(call.stores);
  BodyWords mine{arrays, numbers.data()};
  BodyWords* const outer = std::exchange(words, &mine);
  body(&piece, arrays, reinterpret_cast<const pilum_number*>(call.scalars));
  words = outer;
  if (mine.outside) throw IndexError(mine.text);
  if (mine.failed) throw Error(mine.text);
}

bool is_array(const pilum_parameter& parameter) {
  return parameter.access <= PILUM_REDUCE;
}

void check(const Caller& caller, const pilum_parameter& parameter, std::size_t number) {
  if (parameter.access < PILUM_READ || parameter.access > PILUM_INTEGER) {
    fail<ValueError>(caller.call(), "parameter ", number, " is of kind ", parameter.access,
                     ": use PILUM_READS, PILUM_WRITES, PILUM_READS_AND_WRITES, PILUM_REDUCES, PILUM_TAKES_REAL or "
                     "PILUM_TAKES_INTEGER");
  }
  if (!is_array(parameter)) return;
  if (!caller.dtype(static_cast<pilum_dtype>(parameter.dtype))) {
    fail<DTypeError>(caller.call(), "parameter ", number, " is an array without a dtype: give one");
  }
  if (parameter.rank < 0 || parameter.rank > kMaxAxes) {
    fail<ShapeError>(caller.call(), "parameter ", number, " is an array of ", parameter.rank,
                     " axes: arrays have 0 to ", kMaxAxes);
  }
}

BodyParameter describe(const pilum_parameter& parameter) {
  using Kind = BodyParameter::Kind;
  if (!is_array(parameter)) {
    return {parameter.access == PILUM_REAL ? Kind::Floating : Kind::Integer, detail::Access::Read, DType::Float64, 0,
            8};
  }
  return {Kind::Array, static_cast<detail::Access>(parameter.access), static_cast<DType>(parameter.dtype),
          static_cast<int>(parameter.rank), 0};
}

std::uint64_t hash_of(const void* function) {
  return detail::hash_state("a function of C", std::as_bytes(std::span(&function, 1)));
}

detail::FunctionIdentity identify(const void* function) {
  static const char here = 0;
  return {reinterpret_cast<std::uintptr_t>(&here), reinterpret_cast<std::uintptr_t>(function), hash_of(function)};
}

CTask make_task(const Caller& caller, const char* name, pilum_body body, const char* gpu,
                std::span<const pilum_parameter> parameters) {
  std::vector<int> numbers;
  std::vector<BodyParameter> described;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    check(caller, parameters[k], k + 1);
    if (is_array(parameters[k])) numbers.push_back(static_cast<int>(k) + 1);
    described.push_back(describe(parameters[k]));
  }
  const detail::GpuSource text{gpu ? gpu : "", described, true};
  auto run = [body, numbers](const detail::BodyCall& bound) { call(body, numbers, bound); };
  return {detail::make_body(name, identify(reinterpret_cast<const void*>(body)), run, gpu ? &text : nullptr),
          {parameters.begin(), parameters.end()},
          described};
}

Projection to_projection(const Caller& caller, const pilum_argument& argument, const std::string& what) {
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(argument.count, kMaxAxes));
  const auto check_count = [&] {
    if (argument.count < 0 || argument.count > kMaxAxes) {
      fail<ShapeError>(caller.call(), what, " is given for ", argument.count, " axes: arrays have 0 to ", kMaxAxes);
    }
  };
  switch (argument.kind) {
    case PILUM_ARGUMENT_PLAIN: return {};
    case PILUM_ARGUMENT_HALO: {
      check_count();
      Projection projection(Projection::Kind::Halo);
      projection.low = Widths(std::span(argument.low, count));
      projection.high = Widths(std::span(argument.high, count));
      return projection;
    }
    case PILUM_ARGUMENT_AFFINE: {
      check_count();
      Projection projection(Projection::Kind::Affine);
      for (const pilum_axis_cells& cells : std::span(argument.axes, count)) {
        projection.axes.push_back({static_cast<int>(cells.axis), cells.scale, cells.offset, cells.extent});
      }
      return projection;
    }
    case PILUM_ARGUMENT_FUNCTION: {
      caller.require("function", reinterpret_cast<const void*>(argument.function));
      Projection projection(Projection::Kind::Function);
      const auto boxes = [function = argument.function](const Piece& point) {
        const pilum_piece at = to_c(point);
        pilum_piece box{};
        function(&at, &box);
        return std::vector<Box>{Box(static_cast<int>(box.rank), std::to_array(box.lo), std::to_array(box.hi))};
      };
      projection.function = detail::make_function(identify(reinterpret_cast<const void*>(argument.function)), boxes);
      return projection;
    }
    case PILUM_ARGUMENT_WHOLE:
    case PILUM_ARGUMENT_FOLD: return Projection(Projection::Kind::Whole);
    default:
      fail<ValueError>(caller.call(), what, " is of kind ", argument.kind, ": pass an array, a number or a projection");
  }
}

// The arguments of one launch, as detail::launch takes them.
class Arguments {
 public:
  Arguments(const Caller& caller, std::span<const pilum_parameter> parameters,
            std::span<const pilum_argument> arguments) {
    stores.reserve(parameters.size());
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::string what = "argument " + std::to_string(k + 1);
      if (is_array(parameters[k])) {
        add_array(caller, parameters[k], arguments[k], what);
      } else {
        add_number(caller, parameters[k], arguments[k], what);
      }
    }
    for (const detail::StoreArgument& store : stores) pointers.push_back(&store);
  }

  std::vector<detail::StoreArgument> stores;
  std::vector<const detail::StoreArgument*> pointers;
  std::vector<std::uint64_t> scalars;
  std::uint64_t checked = 0;

 private:
  void add_array(const Caller& caller, const pilum_parameter& parameter, const pilum_argument& argument,
                 const std::string& what) {
    if (argument.value.kind != PILUM_OPERAND_ARRAY) {
      fail<DTypeError>(caller.call(), what, " is a number, and the body takes an array there");
    }
    const numeric::Array& array = caller.array(what.c_str(), reinterpret_cast<pilum_array>(argument.value.bits));
    const bool folds = argument.kind == PILUM_ARGUMENT_FOLD;
    if (folds != (parameter.access == PILUM_REDUCE)) {
      fail<ValueError>(caller.call(), what,
                       folds ? " is folded into, and the body does not fold there: pass the array"
                             : " is not folded into, and the body folds there: pass pilum_fold");
    }
    stores.push_back(
        {array, describe(parameter).access, to_projection(caller, argument, what), static_cast<Fold>(argument.fold)});
  }

  void add_number(const Caller& caller, const pilum_parameter& parameter, const pilum_argument& argument,
                  const std::string& what) {
    const numeric::Operand number = caller.operand(what.c_str(), argument.value);
    using Kind = numeric::Operand::Kind;
    if (number.kind() == Kind::Array)
      fail<DTypeError>(caller.call(), what, " is an array, and the body takes a number there");
    const bool floating = number.kind() == Kind::Floating;
    if (parameter.access == PILUM_INTEGER && (floating || number.is_large())) {
      fail<DTypeError>(caller.call(), what, floating ? " is floating" : " is 2^63 or more",
                       ", and the body takes an int64_t there: cast it");
    }
    const double real = floating            ? number.floating()
                        : number.is_large() ? static_cast<double>(static_cast<std::uint64_t>(number.integer()))
                                            : static_cast<double>(number.integer());
    const std::uint64_t word = parameter.access == PILUM_REAL ? std::bit_cast<std::uint64_t>(real)
                                                              : static_cast<std::uint64_t>(number.integer());
    scalars.push_back(word);
    checked = (checked ^ word) * 0x9e3779b97f4a7c15u + 1;
  }
};

const CTask& find(const Caller& caller, pilum_task handle) {
  if (const CTask* task = of_this_thread<Tasks>().find(reinterpret_cast<std::uintptr_t>(handle))) return *task;
  fail<HandleError>(caller.call(), handle ? "the task does not belong to this thread: it was released, or never made"
                                          : "the task is a null handle: make it with pilum_task_create");
}

}  // namespace
}  // namespace pilum::c_interface

using namespace pilum::c_interface;

pilum_status pilum_task_create_at(const char* name, pilum_body body, const char* gpu, const pilum_parameter* parameters,
                                  size_t count, pilum_task* out, pilum_place place) {
  return run("task_create", place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = nullptr;
    caller.require("name", name);
    caller.require("body", reinterpret_cast<const void*>(body));
    if (count > 0) caller.require("parameters", parameters);
    CTask task = make_task(caller, name, body, gpu, std::span(parameters, count));
    *out = reinterpret_cast<pilum_task>(static_cast<std::uintptr_t>(of_this_thread<Tasks>().add(std::move(task))));
  });
}

pilum_status pilum_task_release_at(pilum_task* task, pilum_place place) {
  if (task && !*task) return PILUM_OK;
  return run("task_release", place, [&](const Caller& caller) {
    caller.require("task", task);
    static_cast<void>(find(caller, *task));
    of_this_thread<Tasks>().remove(reinterpret_cast<std::uintptr_t>(*task));
    *task = nullptr;
  });
}

pilum_status pilum_launch_at(pilum_task handle, pilum_shape domain, const pilum_argument* arguments, size_t count,
                             pilum_place place) {
  return run("launch", place, [&](const Caller& caller) {
    const CTask& task = find(caller, handle);
    if (count != task.parameters.size()) {
      fail<pilum::ValueError>(caller.call(), "the task ", task.body->name, " takes ", task.parameters.size(),
                              " arguments, and got ", count, ": pass one for each parameter");
    }
    const Arguments given(caller, task.parameters, std::span(arguments, count));
    pilum::detail::launch(task.body, pilum::Domain(caller.shape(domain), caller.where()), task.described,
                          given.pointers, given.scalars, given.checked);
  });
}

void pilum_fail(const char* message) {
  if (!words || words->failed) return;
  words->failed = true;
  words->text = message ? message : "the body failed";
}

void* pilum_out_of_bounds(const pilum_cells* cells, int64_t rank, const int64_t* index) {
  thread_local std::uint64_t nobodys;
  nobodys = 0;
  if (words && !words->outside) {
    const int number = words->numbers[cells - words->arrays];
    words->text = pilum::scheduler::explain_index(number, static_cast<int>(rank), index, cells->lo, cells->hi);
    words->outside = true;
  }
  return &nobodys;
}
