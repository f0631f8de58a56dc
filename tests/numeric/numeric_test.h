// What the tests of numeric/ share: a naive recorder for the time of a test, and matchers for what is thrown.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/error.h"
#include "pilum/math.h"
#include "tests/fakes/naive_recorder.h"

namespace pilum::numeric {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Of an array of int64.
inline std::vector<std::int64_t> cells(const Array& a) {
  return a.to_vector<std::int64_t>();
}

// Of an array of any dtype.
inline std::vector<double> doubles(const Array& a) {
  return a.astype(DType::Float64).to_vector<double>();
}

class NumericTest : public testing::Test {
 protected:
  fakes::NaiveRecorder recorder;
};

// The call throws Error with all of these in its text, this file's name among them; and records nothing.
template <class Error, class Function>
void expect_refused(const fakes::NaiveRecorder& recorder, Function call, const std::vector<std::string>& texts,
                    std::source_location here = std::source_location::current()) {
  SCOPED_TRACE(std::string(here.file_name()) + ":" + std::to_string(here.line()));
  const std::size_t before = recorder.recorded().size();
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    for (const std::string& text : texts) EXPECT_THAT(error.what(), testing::HasSubstr(text));
    EXPECT_THAT(error.what(), testing::HasSubstr("_test.cc:" + std::to_string(here.line())));
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
  }
  EXPECT_EQ(recorder.recorded().size(), before) << "something was recorded";
}

}  // namespace pilum::numeric
