// Text, written and read as NumPy does.
#include <complex>
#include <cstring>
#include <sstream>

#include "pilum/io.h"
#include "runtime/base/dtype_visit.h"
#include "tests/numeric/error_of.h"
#include "tests/numeric/file_folder.h"
#include "tests/numeric/numeric_test.h"
#include "tests/numeric/numpy_oracle.h"

namespace pilum::numeric {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// As a literal of Python's.
std::string quoted(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
    literal += code;
  }
  return literal + "'";
}

std::string hex_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return to_hex({bytes.begin(), bytes.end()});
}

class Text : public NumericTest {
 protected:
  template <class Error>
  std::string refusal_of(const std::string& text, const LoadText& options = {}) {
    folder.write("wrong.txt", text);
    return error_of<Error>([&] { static_cast<void>(loadtxt(folder.path("wrong.txt"), options)); });
  }
  const FileFolder folder;
};

TEST_F(Text, IsWrittenAsNumPyWritesIt) {
  if (!numpy_available()) GTEST_SKIP() << "no NumPy";
  const std::vector<double> numbers = {0,    -0.0, 1,   -1.5,    1e300,     -2.5e-310,  123456.789,
                                       1e-5, 2.5,  3.5, 1 / 3.0, kInfinity, -kInfinity, kNan};
  const std::vector<double> whole = {0, 1, -7, 100, 127, -128, 2.9, -2.9, 1e18, 0.5, 8, 9, 10, 11};
  struct Case {
    std::vector<double> cells;
    DType dtype;
    SaveText options;
  };
  const SaveText row{.fmt = "%5d|%-9.3f|",
                     .delimiter = "ignored",
                     .newline = "\r\n",
                     .header = "two\nlines",
                     .footer = "end",
                     .comments = "% "};
  std::vector<Case> cases;
  for (const char* fmt :
       {"%.18e", "%e", "%.3f", "%10.4g", "%-12.2E|", "%+.1f", "% g", "%08.2f", "%#.0f", "<%s>", "%G"}) {
    for (const DType dtype : {float64, float32, float16}) cases.push_back({numbers, dtype, {.fmt = fmt}});
    cases.push_back({whole, int32, {.fmt = fmt, .delimiter = ", "}});
  }
  for (const char* fmt : {"%d", "%5i", "%-5d", "%+d", "%05d", "%ld", "x%uy"}) {
    for (const DType dtype : {float64, int64, int16}) cases.push_back({whole, dtype, {.fmt = fmt, .delimiter = ";"}});
  }
  for (const char* fmt : {"%d", "%x", "%#X", "%o", "%s", "%.2e"}) {
    cases.push_back({{1, 2, 200, 255}, DType::UInt8, {.fmt = fmt}});
    if (!std::strpbrk(fmt, "xXo")) cases.push_back({{1, 0, 1, 1}, DType::Bool, {.fmt = fmt}});
  }
  cases.push_back({whole, float64, row});
  cases.push_back({numbers, DType::Complex128, {}});
  cases.push_back({whole, DType::Complex64, {.fmt = "%.2f", .delimiter = ","}});
  cases.push_back({whole, DType::Complex128, {.fmt = "%d %d and %.1f %.1f"}});
  std::ostringstream script;
  script << "import io\n";
  std::vector<std::string> written;
  for (const Case& one : cases) {
    Array a = array(one.cells).astype(one.dtype);
    if (is_complex(one.dtype)) a += Operand(std::complex<double>(0, -1)) * array(one.cells);
    for (const bool is_flat : {false, true}) {
      if (is_flat && one.options.fmt.find('%') != one.options.fmt.rfind('%')) continue;
      const Array cells = is_flat ? a : a.reshape({a.size() / 2, 2});
      savetxt(folder.path("a.txt"), cells, one.options);
      written.push_back(hex_of(folder.read("a.txt")));
      std::string bytes;
      visit_dtype(one.dtype, [&]<class T>(T) {
        if constexpr (std::is_same_v<T, bool>) {
          for (const bool cell : a.to_vector<bool>()) bytes += cell ? "01" : "00";
        } else {
          const std::vector<T> list = a.to_vector<T>();
          const auto raw = std::as_bytes(std::span(list));
          bytes = to_hex({raw.begin(), raw.end()});
        }
      });
      script << "f = io.BytesIO()\nx = cells('" << bytes << "', '" << name(one.dtype) << "', -1"
             << (is_flat ? "" : ", 2") << ")\n"
             << "np.savetxt(f, x, fmt=" << quoted(one.options.fmt) << ", delimiter=" << quoted(one.options.delimiter)
             << ", newline=" << quoted(one.options.newline) << ", header=" << quoted(one.options.header)
             << ", footer=" << quoted(one.options.footer) << ", comments=" << quoted(one.options.comments) << ")\n"
             << "print(f.getvalue().hex())\n";
    }
  }
  const std::vector<std::string> expected = run_numpy(script.str());
  ASSERT_EQ(expected.size(), written.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(written[k], expected[k]) << k;
}

TEST_F(Text, OfNoCells) {
  savetxt(folder.path("a"), zeros({0, 3}), {.header = "a b c"});
  EXPECT_EQ(folder.read("a"), "# a b c\n");
  savetxt(folder.path("a"), zeros({2, 0}));
  EXPECT_EQ(folder.read("a"), "\n\n");
}

TEST_F(Text, IsReadAsNumPyReadsIt) {
  if (!numpy_available()) GTEST_SKIP() << "no NumPy";
  struct Case {
    std::string text, options;
    LoadText ours;
  };
  const std::string table = "# head\n1 2 3\n\n4\t5   6 # tail\n  7 8 9  ";
  const std::vector<Case> cases = {
      {table, "", {}},
      {table, "unpack=True", {.unpack = true}},
      {table, "skiprows=2", {.skiprows = 2}},
      {table, "skiprows=1, max_rows=2", {.skiprows = 1, .max_rows = 2}},
      {table, "max_rows=0", {.max_rows = 0}},
      {table, "usecols=(2, 0)", {.usecols = {2, 0}}},
      {table, "usecols=-1", {.usecols = {-1}}},
      {table, "usecols=1, ndmin=2", {.usecols = {1}, .ndmin = 2}},
      {table, "dtype='int32'", {.dtype = int32}},
      {table, "dtype='complex64'", {.dtype = DType::Complex64}},
      {table, "dtype='bool'", {.dtype = DType::Bool}},
      {"1 2 3\n", "", {}},
      {"1 2 3\n", "ndmin=2", {.ndmin = 2}},
      {"1\n2\n3", "", {}},
      {"1\n2\n3", "ndmin=2", {.ndmin = 2}},
      {"1\n2\n3", "ndmin=2, unpack=True", {.unpack = true, .ndmin = 2}},
      {"7", "", {}},
      {"7", "ndmin=1", {.ndmin = 1}},
      {"7", "ndmin=2", {.ndmin = 2}},
      {"", "", {}},
      {"# nothing\n", "ndmin=2", {.ndmin = 2}},
      {"# nothing\n", "dtype='int8', usecols=(0, 1)", {.dtype = DType::Int8, .usecols = {0, 1}}},
      {"1,2\r\n3, 4\r5 ,6", "delimiter=','", {.delimiter = ","}},
      {"1;2%x\n%\n3;4", "delimiter=';', comments='%'", {.comments = "%", .delimiter = ";"}},
      {"1 // a\n2 // b", "comments='//'", {.comments = "//"}},
      {"1\t2\n\n3\t4\n", "delimiter='\\t'", {.delimiter = "\t"}},
      {"1e5 -2.5E-3 +3 .5 5. inf -Infinity nan 1e400 -1e-400 0.1", "", {}},
      {"1e5 -2.5E-3 +3 .5 5. inf -Infinity nan 1e400 -1e-400 0.1", "dtype='float32'", {.dtype = float32}},
      {"1 -0.3 65504 1e6", "dtype='float16'", {.dtype = float16}},
      {"127 -128 +5", "dtype='int8'", {.dtype = DType::Int8}},
      {"18446744073709551615 0", "dtype='uint64'", {.dtype = DType::UInt64}},
      {"9223372036854775807 -9223372036854775808", "dtype='int64'", {.dtype = int64}},
      {"1+2j (3-4j) 5j -1.5e3+nanj (7)", "dtype='complex128'", {.dtype = DType::Complex128}},
      {"0 1 -2", "dtype='bool'", {.dtype = DType::Bool}},
      {"0 1 2 0.0", "dtype='bool'", {.dtype = DType::Bool}},
      // refused by both
      {"1 2\n3", "", {}},
      {"1 x\n", "", {}},
      {"128", "dtype='int8'", {.dtype = DType::Int8}},
      {"-1", "dtype='uint8'", {.dtype = DType::UInt8}},
      {"1.5", "dtype='uint8'", {.dtype = DType::UInt8}},
      {"1,,2", "delimiter=','", {.delimiter = ","}},
      {"1 2\n3 4", "usecols=2", {.usecols = {2}}},
      {"0x10", "", {}},
      {"1 2 3", "dtype='int32', delimiter=','", {.dtype = int32, .delimiter = ","}},
  };
  std::ostringstream script;
  std::vector<std::string> ours;
  for (const Case& one : cases) {
    const std::string file = std::to_string(ours.size());
    folder.write(file, one.text);
    script << "show(lambda: np.loadtxt('" << folder.path(file) << "'" << (one.options.empty() ? "" : ", ")
           << one.options << "))\n";
    try {
      const Array a = loadtxt(folder.path(file), one.ours);
      std::string shape = to_string(a.shape());
      std::erase(shape, ' ');
      std::string line = std::string(name(a.dtype())) + " " + shape + " ";
      visit_dtype(a.dtype(), [&]<class T>(T) {
        if constexpr (std::is_same_v<T, bool>) {
          for (const bool cell : a.to_vector<bool>()) line += cell ? "01" : "00";
        } else {
          const std::vector<T> list = a.to_vector<T>();
          const auto raw = std::as_bytes(std::span(list));
          line += to_hex({raw.begin(), raw.end()});
        }
      });
      ours.push_back(with_one_nan(line));
    } catch (const ValueError&) {
      ours.push_back("error");
    }
  }
  const std::vector<std::string> expected = run_numpy(script.str());
  ASSERT_EQ(expected.size(), ours.size());
  for (std::size_t k = 0; k < ours.size(); ++k)
    EXPECT_EQ(ours[k], with_one_nan(expected[k])) << quoted(cases[k].text) << " " << cases[k].options << "\n"
                                                  << cases[k].text;
}

TEST_F(Text, ThatIsWrongIsRefusedWithItsLine) {
  EXPECT_THAT(refusal_of<ValueError>("# a\n1 2\n3 x\n"),
              AllOf(HasSubstr("[loadtxt] line 3 of \""), HasSubstr("column 1"), HasSubstr("\"x\" is no float64"),
                    HasSubstr("text_io_test.cc:")));
  EXPECT_THAT(refusal_of<ValueError>("1 2\n\n3 4 5\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("3 columns"), HasSubstr("2")));
  EXPECT_THAT(refusal_of<ValueError>("1 2\n", {.usecols = {-3}}), AllOf(HasSubstr("-3"), HasSubstr("2 columns")));
  EXPECT_THAT(refusal_of<ValueError>("1", {.delimiter = ", "}), HasSubstr("one character"));
  EXPECT_THAT(refusal_of<ValueError>("1", {.delimiter = "#"}), HasSubstr("comments"));
  EXPECT_THAT(refusal_of<ValueError>("1", {.skiprows = -1}), HasSubstr("-1"));
  EXPECT_THAT(refusal_of<ValueError>("1", {.ndmin = 3}), HasSubstr("ndmin"));
  EXPECT_THAT(refusal_of<ValueError>("1", {.max_rows = -2}), HasSubstr("max_rows"));
  EXPECT_THAT(error_of<RuntimeError>([&] { static_cast<void>(loadtxt(folder.path("none"))); }),
              HasSubstr("No such file"));
}

TEST_F(Text, FormatsThatDoNotFitAreRefused) {
  const auto refused = [&](const Array& a, const std::string& fmt) {
    return error_of<ValueError>([&] { savetxt(folder.path("a"), a, {.fmt = fmt}); });
  };
  EXPECT_THAT(refused(zeros({2, 3}), "%d %d"),
              AllOf(HasSubstr("[savetxt] "), HasSubstr("has 2 numbers"), HasSubstr("3")));
  for (const char* fmt : {"", "text", "%", "%5", "%c", "%r", "%x", "%123456d", "%q"})
    EXPECT_THAT(refused(zeros(3), fmt), HasSubstr(std::string("\"") + fmt + "\""));
  EXPECT_THAT(refused(array({1.0, kNan}), "%d"), HasSubstr("nan"));
  EXPECT_THROW(savetxt(folder.path("a"), zeros({})), ShapeError);
  EXPECT_THROW(savetxt(folder.path("a"), zeros({1, 1, 1})), ShapeError);
  EXPECT_THAT(folder.names(), ElementsAre());
}

}  // namespace
}  // namespace pilum::numeric
