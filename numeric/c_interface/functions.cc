// Written by numeric/c_interface/generate.py from functions.txt.
#include "pilum/c_functions.h"

#include "numeric/c_interface/caller.h"
#include "pilum/creation.h"
#include "pilum/math.h"

namespace np = pilum::numeric;
using pilum::c_interface::Caller, pilum::c_interface::make_array, pilum::c_interface::run;

pilum_status pilum_zeros_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("zeros", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::zeros(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_ones_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("ones", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::ones(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_empty_at(pilum_shape shape_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("empty", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::empty(shape, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_full_at(pilum_shape shape_, pilum_operand value_, pilum_dtype dtype_, pilum_array* out_,
    pilum_place place_) {
  return make_array("full", place_, out_, [&](const Caller& call) {
    const auto shape = call.shape(shape_);
    const auto value = call.operand("value", value_);
    const auto dtype = call.dtype(dtype_);
    return np::full(shape, value, dtype);
  });
}

pilum_status pilum_arange_at(pilum_operand start_, pilum_operand stop_, pilum_operand step_, pilum_dtype dtype_,
    pilum_array* out_, pilum_place place_) {
  return make_array("arange", place_, out_, [&](const Caller& call) {
    const auto start = call.operand("start", start_);
    const auto stop = call.operand("stop", stop_);
    const auto step = call.operand("step", step_);
    const auto dtype = call.dtype(dtype_);
    return np::arange(start, stop, step, dtype);
  });
}

pilum_status pilum_linspace_at(double start_, double stop_, int64_t count_, bool endpoint_, pilum_dtype dtype_,
    pilum_array* out_, pilum_place place_) {
  return make_array("linspace", place_, out_, [&](const Caller& call) {
    const auto start = start_;
    const auto stop = stop_;
    const auto count = count_;
    const auto endpoint = endpoint_;
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return np::linspace(start, stop, count, endpoint, dtype.value_or(pilum::float64), at);
  });
}

pilum_status pilum_add_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("add", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a + b;
  });
}

pilum_status pilum_subtract_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("subtract", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a - b;
  });
}

pilum_status pilum_multiply_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("multiply", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a * b;
  });
}

pilum_status pilum_divide_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("divide", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a / b;
  });
}

pilum_status pilum_power_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("power", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::power(a, b);
  });
}

pilum_status pilum_negative_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("negative", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return -a;
  });
}

pilum_status pilum_abs_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("abs", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::abs(a);
  });
}

pilum_status pilum_sqrt_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("sqrt", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::sqrt(a);
  });
}

pilum_status pilum_exp_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("exp", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::exp(a);
  });
}

pilum_status pilum_log_at(pilum_operand a_, pilum_array* out_, pilum_place place_) {
  return make_array("log", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    return np::log(a);
  });
}

pilum_status pilum_minimum_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("minimum", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::minimum(a, b);
  });
}

pilum_status pilum_maximum_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("maximum", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::maximum(a, b);
  });
}

pilum_status pilum_where_at(pilum_operand condition_, pilum_operand a_, pilum_operand b_, pilum_array* out_,
    pilum_place place_) {
  return make_array("where", place_, out_, [&](const Caller& call) {
    const auto condition = call.operand("condition", condition_);
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return np::where(condition, a, b);
  });
}

pilum_status pilum_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a == b;
  });
}

pilum_status pilum_not_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("not_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a != b;
  });
}

pilum_status pilum_less_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("less", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a < b;
  });
}

pilum_status pilum_less_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("less_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a <= b;
  });
}

pilum_status pilum_greater_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("greater", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a > b;
  });
}

pilum_status pilum_greater_equal_at(pilum_operand a_, pilum_operand b_, pilum_array* out_, pilum_place place_) {
  return make_array("greater_equal", place_, out_, [&](const Caller& call) {
    const auto a = call.operand("a", a_);
    const auto b = call.operand("b", b_);
    return a >= b;
  });
}

pilum_status pilum_sum_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("sum", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::sum(a, axes, keepdims, at);
  });
}

pilum_status pilum_prod_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("prod", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::prod(a, axes, keepdims, at);
  });
}

pilum_status pilum_min_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("min", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::min(a, axes, keepdims, at);
  });
}

pilum_status pilum_max_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("max", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::max(a, axes, keepdims, at);
  });
}

pilum_status pilum_mean_at(pilum_array a_, pilum_axes axes_, bool keepdims_, pilum_array* out_, pilum_place place_) {
  return make_array("mean", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto keepdims = keepdims_;
    const auto at = call.where();
    return np::mean(a, axes, keepdims, at);
  });
}

pilum_status pilum_transpose_at(pilum_array a_, pilum_axes axes_, pilum_array* out_, pilum_place place_) {
  return make_array("transpose", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto axes = call.axes(axes_);
    const auto at = call.where();
    return np::transpose(a, axes, at);
  });
}

pilum_status pilum_broadcast_to_at(pilum_array a_, pilum_shape shape_, pilum_array* out_, pilum_place place_) {
  return make_array("broadcast_to", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto shape = call.shape(shape_);
    const auto at = call.where();
    return np::broadcast_to(a, shape, at);
  });
}

pilum_status pilum_reshape_at(pilum_array a_, pilum_shape shape_, pilum_array* out_, pilum_place place_) {
  return make_array("reshape", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto shape = call.shape(shape_);
    const auto at = call.where();
    return np::reshape(a, shape, at);
  });
}

pilum_status pilum_astype_at(pilum_array a_, pilum_dtype dtype_, pilum_array* out_, pilum_place place_) {
  return make_array("astype", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto dtype = call.dtype(dtype_);
    const auto at = call.where();
    return a.astype(dtype.value_or(a.dtype()), at);
  });
}

pilum_status pilum_copy_at(pilum_array a_, pilum_array* out_, pilum_place place_) {
  return make_array("copy", place_, out_, [&](const Caller& call) {
    const auto a = call.array("a", a_);
    const auto at = call.where();
    return a.copy(at);
  });
}

pilum_status pilum_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    const auto at = call.where();
    target[np::Index(np::ellipsis, at)] = value;
  });
}

pilum_status pilum_add_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("add_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} += value;
  });
}

pilum_status pilum_subtract_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("subtract_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} -= value;
  });
}

pilum_status pilum_multiply_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("multiply_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} *= value;
  });
}

pilum_status pilum_divide_assign_at(pilum_array target_, pilum_operand value_, pilum_place place_) {
  return run("divide_assign", place_, [&](const Caller& call) {
    const auto target = call.array("target", target_);
    const auto value = call.operand("value", value_);
    np::Array{target} /= value;
  });
}
