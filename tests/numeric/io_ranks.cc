// As several ranks: files that all write and read, and what goes wrong on one of them.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::all, np::slice;

namespace {

bool is_right = true;

void expect(bool claim, const char* what) {
  if (!claim) std::printf("wrong: %s\n", what);
  is_right = is_right && claim;
}

// What it throws on this rank.
template <class Function>
std::string error_of(const Function& call) {
  try {
    call();
  } catch (const pilum::RuntimeError& error) {
    return error.what();
  }
  return "";
}

// The name of a folder that the first rank makes.
std::string make_folder(const pilum::Runtime& runtime) {
  np::Array number = np::zeros(1, pilum::int64);
  const auto choose = pilum::task("choose", [](pilum::Piece, pilum::Write<std::int64_t, 1> out) { out(0) = getpid(); });
  choose({1}, pilum::write(number));
  std::string folder = (std::filesystem::temp_directory_path() / "pilum_io_ranks_").string();
  folder += std::to_string(number(0).item<std::int64_t>());
  std::filesystem::create_directories(folder + "/" + std::to_string(runtime.rank()));
  return folder;
}

void check_arrays(const std::string& folder) {
  const np::Array a = np::arange(90'000).reshape({300, 300}) * 3;
  for (const np::Array& view : {a, a.T(), a(slice(1, -1), slice({}, {}, -2)), a(7)}) {
    np::save(folder + "/a", view);
    const np::Array back = np::load(folder + "/a.npy");
    expect(back.shape() == view.shape() && np::array_equal(back, view), "cells of a file");
  }
  np::savetxt(folder + "/a.txt", a(slice(0, 20)), {.fmt = "%d"});
  expect(np::array_equal(np::loadtxt(folder + "/a.txt", {.dtype = pilum::int64}), a(slice(0, 20))),
         "numbers of a text");
}

// Each rank is in a folder of its own, and the last one lacks the file.
void check_missing(const pilum::Runtime& runtime, const std::string& folder) {
  const bool is_last = runtime.rank() == runtime.ranks() - 1;
  const np::Array a = np::arange(1000);
  np::save(folder + "/a", a);
  std::filesystem::current_path(folder + "/" + std::to_string(runtime.rank()));
  if (!is_last) std::filesystem::copy(folder + "/a.npy", "here.npy");
  const std::string text = error_of([] { static_cast<void>(np::load("here.npy")); });
  expect(text.find("No such file") != std::string::npos, "the error of the rank that lacks the file");
  if (runtime.ranks() > 1)
    expect(text.find("on rank " + std::to_string(runtime.ranks() - 1)) != std::string::npos, "its number");
  // And another file, of the same size.
  if (is_last) std::filesystem::copy(folder + "/a.npy", "here.npy");
  if (is_last && runtime.ranks() > 1) std::filesystem::resize_file("here.npy", 8000);
  const std::string other = error_of([] { static_cast<void>(np::load("here.npy")); });
  expect((other.find("is not the file") != std::string::npos) == (runtime.ranks() > 1), "another file on one rank");
}

// The last rank may write no more.
void check_full(const pilum::Runtime& runtime, const std::string& folder) {
  np::save(folder + "/kept", np::ones(10));
  const bool is_last = runtime.rank() == runtime.ranks() - 1;
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t before = limit.rlim_cur;
  std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = is_last ? 100 : before;
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string text = error_of([&] { np::save(folder + "/kept", np::zeros(10'000)); });
  limit.rlim_cur = before;
  setrlimit(RLIMIT_FSIZE, &limit);
  expect(text.find("File too large") != std::string::npos, "the error of the rank that cannot write");
  expect(np::array_equal(np::load(folder + "/kept.npy"), np::ones(10)), "the file that was there before");
}

}  // namespace

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  const std::string folder = make_folder(runtime);
  check_arrays(folder);
  check_missing(runtime, folder);
  check_full(runtime, folder);
  runtime.wait();
  double sum = np::sum(np::ones(10)).item<double>();  // all are here
  if (runtime.rank() == 0) {
    int left = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) left += entry.path().extension() == ".part";
    expect(left == 0, "nothing is left of what failed");
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::printf("%s\n", is_right ? "right" : "wrong");
  return is_right && sum == 10 ? 0 : 1;
}
