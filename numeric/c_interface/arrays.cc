// Handles of arrays, views, and cells on their way to and from the caller's memory.
#include "numeric/c_interface/arrays.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/c_interface/caller.h"
#include "numeric/shapes.h"
#include "pilum/c.h"
#include "pilum/creation.h"
#include "pilum/io.h"

namespace pilum::c_interface {
namespace {

using numeric::fail;

numeric::Array view_of(const Caller& caller, const numeric::Array& array, const pilum_indices& indices) {
  if (indices.count > 0) caller.require("indices", indices.list);
  if (indices.count > static_cast<std::size_t>(kMaxAxes)) {
    fail<IndexError>(caller.call(), "an index of ", indices.count, " entries: at most ", kMaxAxes, " are taken");
  }
  std::array<numeric::Index, kMaxAxes> i;
  for (std::size_t k = 0; k < indices.count; ++k) i[k] = caller.index(indices.list[k]);
  return array(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], caller.where());
}

std::vector<std::byte> fetch(const Caller& caller, const numeric::Array& array, pilum_dtype asked) {
  scheduler::Recorder& recorder = numeric::recorder_of(caller.call());
  const numeric::ArrayState& state = numeric::checked_state(caller.call(), array, recorder);
  if (const DType dtype = caller.dtype(asked).value_or(state.dtype()); dtype != state.dtype()) {
    fail<DTypeError>(caller.call(), "the array is ", state.dtype(), ", its cells were asked for as ", dtype,
                     ": give memory of the array's own type, or cast it with pilum_astype first");
  }
  if (state.shape.elements() == 0) return {};
  return recorder.fetch(state.view(), caller.call().name, caller.where());
}

std::string text_of(const Caller& caller, const numeric::Array& array) {
  std::ostringstream text;
  text << numeric::Located(array, caller.where());
  return text.str();
}

}  // namespace

pilum_array new_handle(const numeric::Array& array) {
  return reinterpret_cast<pilum_array>(static_cast<std::uintptr_t>(arrays().add(array)));
}

}  // namespace pilum::c_interface

namespace np = pilum::numeric;
using namespace pilum::c_interface;

pilum_status pilum_release_at(pilum_array* array, pilum_place place) {
  if (array && !*array) return PILUM_OK;
  return run("release", place, [&](const Caller& caller) {
    caller.require("array", array);
    static_cast<void>(caller.array("array", *array));
    arrays().remove(reinterpret_cast<std::uintptr_t>(*array));
    *array = nullptr;
  });
}

pilum_status pilum_duplicate_at(pilum_array array, pilum_array* out, pilum_place place) {
  return make_array("duplicate", place, out, [&](const Caller& caller) { return caller.array("array", array); });
}

size_t pilum_live_arrays(void) {
  return arrays().count();
}

pilum_status pilum_get_shape_at(pilum_array array, pilum_shape* out, pilum_place place) {
  return run("get_shape", place, [&](const Caller& caller) {
    caller.require("out", out);
    const pilum::Shape& shape = caller.array("array", array).shape();
    *out = {shape.rank(), {}};
    std::copy(shape.begin(), shape.end(), out->extent);
  });
}

pilum_status pilum_get_dtype_at(pilum_array array, pilum_dtype* out, pilum_place place) {
  return run("get_dtype", place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = static_cast<pilum_dtype>(caller.array("array", array).dtype());
  });
}

pilum_status pilum_get_size_at(pilum_array array, int64_t* out, pilum_place place) {
  return run("get_size", place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = caller.array("array", array).size();
  });
}

static bool is_dtype(pilum_dtype dtype) {
  return dtype >= PILUM_BOOL && dtype < static_cast<pilum_dtype>(pilum::kDTypeCount);
}

const char* pilum_dtype_name(pilum_dtype dtype) {
  return is_dtype(dtype) ? pilum::name(static_cast<pilum::DType>(dtype)) : "no dtype";
}

size_t pilum_dtype_size(pilum_dtype dtype) {
  return is_dtype(dtype) ? pilum::itemsize(static_cast<pilum::DType>(dtype)) : 0;
}

pilum_status pilum_view_at(pilum_array array, pilum_indices indices, pilum_array* out, pilum_place place) {
  return make_array("view", place, out,
                    [&](const Caller& caller) { return view_of(caller, caller.array("array", array), indices); });
}

pilum_status pilum_set_at(pilum_array array, pilum_operand value, pilum_indices indices, pilum_place place) {
  return run("set", place, [&](const Caller& caller) {
    const np::Operand operand = caller.operand("value", value);
    view_of(caller, caller.array("array", array), indices) = operand;
  });
}

pilum_status pilum_from_memory_at(const void* cells, pilum_dtype dtype, pilum_shape shape, pilum_array* out,
                                  pilum_place place) {
  return make_array("from_memory", place, out, [&](const Caller& caller) {
    const std::optional<pilum::DType> of = caller.dtype(dtype);
    if (!of) fail<pilum::DTypeError>(caller.call(), "cells in memory have a dtype: give it");
    np::detail::Cells list{caller.shape(shape), {}};
    np::check_shape(caller.call(), list.shape, *of);
    if (const auto bytes = static_cast<std::size_t>(list.shape.elements()) * pilum::itemsize(*of); bytes > 0) {
      caller.require("cells", cells);
      const auto* first = static_cast<const std::byte*>(cells);
      list.bytes.assign(first, first + bytes);
    }
    return np::detail::import_cells(std::move(list), *of, std::nullopt, caller.where());
  });
}

pilum_status pilum_save_at(const char* path, pilum_array array, pilum_place place) {
  return run("save", place, [&](const Caller& caller) {
    caller.require("path", path);
    np::save(path, caller.array("array", array), caller.where());
  });
}

pilum_status pilum_load_at(const char* path, pilum_array* out, pilum_place place) {
  return make_array("load", place, out, [&](const Caller& caller) {
    caller.require("path", path);
    return np::load(path, caller.where());
  });
}

pilum_status pilum_to_memory_at(pilum_array array, pilum_dtype dtype, void* cells, size_t count, pilum_place place) {
  return run("to_memory", place, [&](const Caller& caller) {
    const np::Array& from = caller.array("array", array);
    if (static_cast<std::uint64_t>(from.size()) != count) {
      fail<pilum::ValueError>(caller.call(), "the array, of shape ", from.shape(), ", has ", from.size(),
                              " cells, and there is room for ", count, ": give room for as many");
    }
    if (count > 0) caller.require("cells", cells);
    const std::vector<std::byte> bytes = fetch(caller, from, dtype);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(cells));
  });
}

pilum_status pilum_item_at(pilum_array array, pilum_dtype dtype, void* cell, pilum_place place) {
  return run("item", place, [&](const Caller& caller) {
    const np::Array& from = caller.array("array", array);
    caller.require("cell", cell);
    if (from.size() != 1) {
      fail<pilum::ValueError>(caller.call(), "shape ", from.shape(), " has ", from.size(),
                              " cells, item takes an array of one: use a view of one, or pilum_to_memory");
    }
    const std::vector<std::byte> bytes = fetch(caller, from, dtype);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(cell));
  });
}

pilum_status pilum_print_at(pilum_array array, pilum_place place) {
  return run("print", place, [&](const Caller& caller) {
    const std::string text = text_of(caller, caller.array("array", array));
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);  // other languages have buffers of their own for it
  });
}

pilum_status pilum_to_string_at(pilum_array array, char* text, size_t size, size_t* length, pilum_place place) {
  return run("to_string", place, [&](const Caller& caller) {
    if (size > 0) caller.require("text", text);
    const std::string whole = text_of(caller, caller.array("array", array));
    if (size > 0) {
      const std::size_t shown = std::min(whole.size(), size - 1);
      std::memcpy(text, whole.data(), shown);
      text[shown] = '\0';
    }
    if (length) *length = whole.size();
  });
}
