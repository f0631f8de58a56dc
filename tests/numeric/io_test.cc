// Files of NumPy's format, written by NumPy and read here, and the other way round; and files that are wrong.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <sstream>

#include "pilum/io.h"
#include "pilum/manipulation.h"
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

const DType kDTypes[] = {DType::Bool,    DType::Int8,    DType::Int16,     DType::Int32,     DType::Int64,
                         DType::UInt8,   DType::UInt16,  DType::UInt32,    DType::UInt64,    DType::Float16,
                         DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};
const Shape kShapes[] = {{}, {0}, {1}, {5}, {1, 1}, {3, 4}, {2, 0, 3}, {2, 3, 4}, {1, 1, 2, 1, 1, 2, 1, 2}};

// Bytes of any kind, so that NaNs and their payloads are among the cells.
Array some_cells(const Shape& shape, DType dtype) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.elements()) * itemsize(dtype));
  std::uint32_t state = 12345 + static_cast<std::uint32_t>(dtype);
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = std::byte(dtype == DType::Bool ? state >> 31 : state >> 24);
  }
  return detail::import_cells({shape, std::move(bytes)}, dtype, std::nullopt, std::source_location::current());
}

std::string no_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// As show() of the oracle prints it.
std::string shown(const Array& a) {
  std::string hex;
  visit_dtype(a.dtype(), [&]<class T>(T) {
    if (a.size() == 0) return;
    const Array flat = a.reshape({a.size()});
    if constexpr (std::is_same_v<T, bool>) {
      for (const bool cell : flat.to_vector<bool>()) hex += cell ? "01" : "00";
    } else {
      const std::vector<T> cells = flat.to_vector<T>();
      std::vector<std::byte> bytes(cells.size() * sizeof(T));
      std::memcpy(bytes.data(), static_cast<const void*>(cells.data()), bytes.size());
      hex = to_hex(bytes);
    }
  });
  return std::string(name(a.dtype())) + " " + no_spaces(to_string(a.shape())) + " " + hex;
}

class Files : public NumericTest {
 protected:
  // What load() throws of this file.
  template <class Error>
  std::string refusal_of(const std::string& bytes) {
    folder.write("wrong.npy", bytes);
    return error_of<Error>([&] { static_cast<void>(load(folder.path("wrong.npy"))); });
  }
  // A file of NumPy's format with this dict.
  static std::string with_header(const std::string& dict, const std::string& cells = "") {
    const std::size_t length = dict.size();
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(length & 255) + static_cast<char>(length >> 8) + dict +
           cells;
  }
  std::string script_path(const std::string& name) const { return "'" + folder.path(name) + "'"; }

  const FileFolder folder;
};

TEST_F(Files, AreReadByNumPyAndHaveTheBytesThatItWrites) {
  if (!numpy_available()) GTEST_SKIP() << "no NumPy";
  std::string script = "import io\n";
  std::vector<std::string> expected;
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : kShapes) {
      const std::string file = std::to_string(expected.size()) + ".npy";
      const Array a = some_cells(shape, dtype);
      save(folder.path(file), a);
      script += "x = np.load(" + script_path(file) + ")\nb = io.BytesIO()\nnp.save(b, x)\n";
      script += "print(b.getvalue() == open(" + script_path(file) + ", 'rb').read(), end=' ')\nshow(lambda: x)\n";
      expected.push_back("True " + shown(a));
    }
  }
  EXPECT_EQ(run_numpy(script), expected);
}

TEST_F(Files, OfNumPyAreRead) {
  if (!numpy_available()) GTEST_SKIP() << "no NumPy";
  std::ostringstream script;
  script << "rng = np.random.default_rng(3)\n"
            "def put(name, shape, dtype, order, end, version):\n"
            "    n = int(np.prod(shape)) * np.dtype(dtype).itemsize\n"
            "    x = np.frombuffer(rng.bytes(n), dtype='u1')\n"
            "    x = (x % 2).astype(bool) if dtype == 'bool' else x.view(dtype)\n"
            "    x = x.reshape(shape)\n"
            "    show(lambda: x)\n"
            "    x = np.array(x.astype(np.dtype(dtype).newbyteorder(end)), order=order)\n"
            "    with open(name, 'wb') as f: np.lib.format.write_array(f, x, version)\n";
  std::vector<std::string> files;
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : kShapes) {
      for (const char* how : {"'C', '<', (1, 0)", "'F', '<', (2, 0)", "'C', '>', None", "'F', '>', (3, 0)"}) {
        files.push_back(std::to_string(files.size()) + ".npy");
        script << "put(" << script_path(files.back()) << ", " << to_string(shape) << ", '" << name(dtype) << "', "
               << how << ")\n";
      }
    }
  }
  const std::vector<std::string> expected = run_numpy(script.str());
  ASSERT_EQ(expected.size(), files.size());
  for (std::size_t k = 0; k < files.size(); ++k) EXPECT_EQ(shown(load(folder.path(files[k]))), expected[k]);
}

TEST_F(Files, OfViewsHaveTheirCells) {
  if (!numpy_available()) GTEST_SKIP() << "no NumPy";
  const Array a = some_cells({4, 5, 6}, DType::Int32);
  const Array views[] = {a.T(),
                         a(slice({}, {}, -2), all, slice(1, 4)),
                         broadcast_to(a(0), {3, 5, 6}),
                         a(all, 2).T(),
                         moveaxis(a, 0, 1),
                         a(1, 2, 3),
                         a(1, slice(2, 2))};
  std::string script;
  std::vector<std::string> expected;
  for (const Array& view : views) {
    const std::string file = std::to_string(expected.size());
    save(folder.path(file), view);
    script +=
        "x = np.load(" + script_path(file + ".npy") + ")\nprint(x.flags.c_contiguous, end=' ')\nshow(lambda: x)\n";
    const bool is_turned = expected.empty() || expected.size() == 3;
    expected.push_back((is_turned ? "False " : "True ") + shown(view));
  }
  EXPECT_EQ(run_numpy(script), expected);
}

TEST_F(Files, OfMoreCellsThanGoAtOnce) {
  const Array a = some_cells({3, 100'000}, DType::Int64);
  const Array views[] = {a, a.T(), a(all, slice({}, {}, -1)), a(all, slice(1, {}, 2))};
  for (const Array& view : views) {
    save(folder.path("large"), view);
    EXPECT_EQ(cells(load(folder.path("large.npy"))), cells(view));
  }
}

TEST_F(Files, OfBareCells) {
  const Array a = some_cells({3, 4}, DType::Int16);
  tofile(a.T(), folder.path("cells"));
  EXPECT_EQ(shown(fromfile(folder.path("cells"), int16)), shown(a.T().reshape({12})));
  EXPECT_EQ(shown(fromfile(folder.path("cells"), int16, {.count = 2, .offset = 4})),
            shown(a.T().reshape({12})(slice(2, 4))));
  EXPECT_EQ(fromfile(folder.path("cells"), int64, {.offset = 1}).shape(), Shape{2});
  EXPECT_EQ(fromfile(folder.path("cells"), int64, {.offset = 100}).shape(), Shape{0});
  EXPECT_THAT(error_of<ValueError>([&] { static_cast<void>(fromfile(folder.path("cells"), int16, {.count = 13})); }),
              AllOf(HasSubstr("[fromfile] "), HasSubstr("24 bytes"), HasSubstr("12 cells of int16"), HasSubstr("13")));
  EXPECT_THROW(static_cast<void>(fromfile(folder.path("cells"), int16, {.offset = -1})), ValueError);
  EXPECT_THROW(static_cast<void>(fromfile(folder.path("cells"), int16, {.count = -2})), ValueError);
}

TEST_F(Files, BytesOfBoolsAreBools) {
  folder.write("bools", std::string("\0\1\2\xff", 4));
  EXPECT_THAT(fromfile(folder.path("bools"), DType::Bool).to_vector<bool>(), ElementsAre(false, true, true, true));
}

TEST_F(Files, ThatAreWrongAreRefused) {
  const std::string cells(48, 'x'), six = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  folder.write("right.npy", with_header(six, cells));
  EXPECT_EQ(load(folder.path("right.npy")).shape(), (Shape{2, 3}));
  EXPECT_THAT(refusal_of<ValueError>(with_header(six, cells.substr(1))),
              AllOf(HasSubstr("[load] \""), HasSubstr("wrong.npy"), HasSubstr("47 bytes"), HasSubstr("float64"),
                    HasSubstr("(2, 3)"), HasSubstr("48"), HasSubstr("incomplete"), HasSubstr("io_test.cc:")));
  EXPECT_THAT(refusal_of<ValueError>(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal_of<ValueError>("\x93NUMPX"), HasSubstr("is no .npy file"));
  EXPECT_THAT(refusal_of<ValueError>("1 2 3\n"), HasSubstr("loadtxt"));
  EXPECT_THAT(refusal_of<ValueError>("PK\x03\x04 and more"), HasSubstr(".npz"));
  for (std::size_t size : {6, 7, 8, 9, 10, 20})
    EXPECT_THAT(refusal_of<ValueError>(with_header(six).substr(0, size)), HasSubstr("incomplete")) << size;
  EXPECT_THAT(refusal_of<ValueError>(std::string("\x93NUMPY\7\0", 8) + six), HasSubstr("version 7"));
  for (const char* dict : {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': 1, 'shape': ()}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
                           "{'descr': '<f8', 'fortran_order': False, 'other': 1}", "{descr"})
    EXPECT_THAT(refusal_of<ValueError>(with_header(dict, cells)), HasSubstr("damaged")) << dict;
  for (const char* dtype : {"'|O'", "'<M8[ns]'", "'<U3'", "'|S4'", "'<f16'", "'<i3'", "[('a', '<i4'), ('b', '<f8')]"}) {
    const std::string dict = std::string("{'descr': ") + dtype + ", 'fortran_order': False, 'shape': (1,), }";
    EXPECT_THAT(refusal_of<DTypeError>(with_header(dict, cells)), HasSubstr(dtype));
  }
  EXPECT_THAT(refusal_of<ShapeError>(with_header(
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", cells)),
              HasSubstr("9 axes"));
  EXPECT_THAT(refusal_of<ValueError>(
                  with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", cells)),
              HasSubstr("(4294967296, 4294967296)"));
}

TEST_F(Files, ThatCannotBeReadAreRefused) {
  const auto loaded = [](const std::string& path) {
    return error_of<RuntimeError>([&] { static_cast<void>(load(path)); });
  };
  EXPECT_THAT(loaded(folder.path("none.npy")), AllOf(HasSubstr("none.npy"), HasSubstr("No such file or directory")));
  EXPECT_THAT(loaded(folder.path("")), HasSubstr("Is a directory"));
  EXPECT_THAT(loaded("/dev/null"), HasSubstr("is no file of bytes"));
  EXPECT_THAT(error_of<ValueError>([] { static_cast<void>(load("")); }), HasSubstr("path is empty"));
  EXPECT_THAT(error_of<ValueError>([] { static_cast<void>(load(std::string("a\0b", 3))); }), HasSubstr("zero byte"));
  if (geteuid() == 0) return;  // who may read all
  folder.write("closed.npy", "");
  std::filesystem::permissions(folder.path("closed.npy"), std::filesystem::perms::none);
  EXPECT_THAT(loaded(folder.path("closed.npy")), HasSubstr("Permission denied"));
}

TEST_F(Files, ThatCannotBeWrittenAreRefused) {
  const auto saved = [](const std::string& path) { return error_of<RuntimeError>([&] { tofile(zeros(3), path); }); };
  EXPECT_THAT(saved(folder.path("no/folder")), AllOf(HasSubstr("[tofile] "), HasSubstr("No such file or directory")));
  EXPECT_THAT(saved(folder.path("")), HasSubstr("Is a directory"));
  EXPECT_THAT(saved("/dev/null"), HasSubstr("is no file of bytes"));
  EXPECT_THAT(saved(folder.path(std::string(300, 'a'))), HasSubstr("File name too long"));
  if (geteuid() == 0) return;
  folder.write("closed", "as it was");
  std::filesystem::permissions(folder.path("closed"), std::filesystem::perms::owner_read);
  EXPECT_THAT(saved(folder.path("closed")), HasSubstr("Permission denied"));
  std::filesystem::permissions(folder.path(""), std::filesystem::perms::owner_read);
  EXPECT_THAT(saved(folder.path("other")), HasSubstr("Permission denied"));
  std::filesystem::permissions(folder.path(""), std::filesystem::perms::owner_all);
}

// No file may be larger: as if the disk were full.
TEST_F(Files, AreWholeWhereTheNextDoesNotFit) {
  folder.write("a.npy", "as it was");
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t before = limit.rlim_cur;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string text = error_of<RuntimeError>([&] { save(folder.path("a.npy"), zeros(1000)); });
  limit.rlim_cur = before;
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(text, AllOf(HasSubstr("[save] \""), HasSubstr("a.npy"), HasSubstr("File too large")));
  EXPECT_EQ(folder.read("a.npy"), "as it was");
  EXPECT_THAT(folder.names(), ElementsAre("a.npy"));
}

TEST_F(Files, KeepPermissionsAndLinks) {
  using std::filesystem::perms;
  save(folder.path("a"), zeros(3));
  std::filesystem::permissions(folder.path("a.npy"), perms::owner_read | perms::owner_write | perms::group_read);
  std::filesystem::create_symlink("a.npy", folder.path("link.npy"));
  save(folder.path("link.npy"), ones(4));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.npy")));
  EXPECT_EQ(load(folder.path("a.npy")).shape(), Shape{4});
  EXPECT_EQ(std::filesystem::status(folder.path("a.npy")).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read);
  EXPECT_THAT(folder.names(), ElementsAre("a.npy", "link.npy"));
}

}  // namespace
}  // namespace pilum::numeric
