// Arrays put together, taken apart, and seen with other axes; arrays like others. Names and meaning are NumPy's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <vector>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Arrays of another one's shape, and of its dtype unless one is given (numpy.zeros_like, ones_like, empty_like,
// full_like). full_like throws ValueError for a number that the dtype cannot hold.
PILUM_API Array zeros_like(const Array& a, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());
PILUM_API Array ones_like(const Array& a, std::optional<DType> dtype = {},
                          std::source_location where = std::source_location::current());
PILUM_API Array empty_like(const Array& a, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());
PILUM_API Array full_like(const Array& a, const Operand& value, std::optional<DType> dtype = {});

// 1 on diagonal `k`, 0 elsewhere: n rows, as many columns or `columns` (numpy.eye, numpy.identity). ShapeError for
// negative extents.
PILUM_API Array eye(std::int64_t n, std::optional<std::int64_t> columns = {}, std::int64_t k = 0, DType dtype = float64,
                    std::source_location where = std::source_location::current());
PILUM_API Array identity(std::int64_t n, DType dtype = float64,
                         std::source_location where = std::source_location::current());

// A new array with the cells moved on by `shift` along `axis`, those beyond the end to the front (numpy.roll). Without
// an axis the array must have one alone, or ShapeError (NumPy rolls it flattened). IndexError for an axis that is not
// there. In programs of one rank it is not made where it is read at once: the reader reads through it.
PILUM_API Array roll(const Array& a, std::int64_t shift, std::source_location where = std::source_location::current());
PILUM_API Array roll(const Array& a, std::int64_t shift, int axis,
                     std::source_location where = std::source_location::current());

// Views with the order of the cells reversed along these axes, or all of them (numpy.flip, flipud, fliplr). IndexError
// for an axis that is not there, ValueError for one named twice.
PILUM_API Array flip(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
PILUM_API Array flipud(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array fliplr(const Array& a, std::source_location where = std::source_location::current());

// Arrays one after the other along an axis that they have, or along a new one: new arrays of the promoted dtype
// (numpy.concatenate, stack, vstack, hstack). ValueError for no arrays, ShapeError where other extents (stack: any)
// differ, IndexError for an axis that is not there.
PILUM_API Array concatenate(const std::vector<Array>& arrays, int axis = 0,
                            std::source_location where = std::source_location::current());
PILUM_API Array stack(const std::vector<Array>& arrays, int axis = 0,
                      std::source_location where = std::source_location::current());
PILUM_API Array vstack(const std::vector<Array>& arrays, std::source_location where = std::source_location::current());
PILUM_API Array hstack(const std::vector<Array>& arrays, std::source_location where = std::source_location::current());

// Views: with an axis of extent 1 at place `axis` of the result; without axes of extent 1 (all, or those given,
// ValueError where one is longer); with two axes exchanged; with one moved to another place (numpy.expand_dims,
// squeeze, swapaxes, moveaxis).
PILUM_API Array expand_dims(const Array& a, int axis, std::source_location where = std::source_location::current());
PILUM_API Array squeeze(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
PILUM_API Array swapaxes(const Array& a, int axis1, int axis2,
                         std::source_location where = std::source_location::current());
PILUM_API Array moveaxis(const Array& a, int source, int destination,
                         std::source_location where = std::source_location::current());
// All cells along one axis: a view where `a` has one axis longer than 1 at most, else a copy (numpy.ravel).
PILUM_API Array ravel(const Array& a, std::source_location where = std::source_location::current());

// Each cell less the one before it along `axis`; of bools whether they differ. `n` times (numpy.diff). ValueError for a
// negative n or an array without axes.
PILUM_API Array diff(const Array& a, int n = 1, int axis = -1,
                     std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
