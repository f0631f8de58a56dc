// A program that catches what goes wrong, goes on, and ends with an exit code of its own: survive WHAT. It ends with 3
// where all was as it should be.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pilum/pilum.h>

namespace np = pilum::numeric;

namespace {

constexpr std::int64_t kMiB = 131072;  // numbers

void tell(const char* what, const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", what, error.what());
}

bool goes_on() {
  auto x = np::arange(1000, pilum::float64);
  return np::sum(x).item<double>() == 499500;
}

// Arrays until memory is full; some are dropped.
int fill_memory(pilum::Runtime& runtime, std::int64_t cells) {
  std::deque<np::Array> held;  // a vector would want much at once itself
  try {
    for (int i = 0; i < 100000000; ++i) {
      held.push_back(np::full({cells}, 1.0));
      if (i % 100 == 0) runtime.wait();
    }
  } catch (const pilum::MemoryError& error) {
    tell("caught", error);
  }
  held.resize(held.size() / 2);
  return goes_on() && held.back()(0).item<double>() == 1 ? 3 : 4;
}

// And nothing is dropped.
int leave_it_full(pilum::Runtime& runtime) {
  static std::vector<np::Array> held;
  try {
    for (int i = 0; i < 100; ++i) held.push_back(np::full({kMiB}, 1.0));
    runtime.wait();
  } catch (const pilum::MemoryError& error) {
    tell("caught", error);
  }
  return goes_on() ? 3 : 4;
}

int copy_out() {
  auto x = np::ones({600 * kMiB});
  try {
    return static_cast<int>(x.to_vector<double>().size() % 2);
  } catch (const pilum::MemoryError& error) {
    tell("caught", error);
  }
  return x(599).item<double>() == 1 && goes_on() ? 3 : 4;
}

int ask_for_too_much() {
  try {
    np::zeros({std::int64_t{1} << 50});
  } catch (const pilum::MemoryError& error) {
    tell("caught", error);
  }
  return goes_on() ? 3 : 4;
}

int fail_in_a_task(pilum::Runtime& runtime) {
  auto x = np::ones({100000});
  auto erode = pilum::task(
      "erode", [](pilum::Piece, pilum::ReadWrite<double, 1>) { throw std::runtime_error("no sand is left"); });
  for (int i = 0; i < 3; ++i) {
    try {
      erode({x.size()}, pilum::read_write(x));
      runtime.wait();
    } catch (const pilum::Error& error) {
      if (runtime.rank() == 0) tell("caught", error);
    }
  }
  return 3;
}

// What is found in cells: the call's own error once, and then the runtime has failed.
template <class Error, class Call>
int fail_by_cells(const Call& call) {
  try {
    call().template item<double>();
    return 4;
  } catch (const Error& error) {
    tell("caught", error);
  }
  try {
    goes_on();
    return 4;
  } catch (const pilum::RuntimeError& error) {
    tell("later", error);
  }
  return 3;
}

np::Array* reached = nullptr;

int touch_an_array_in_a_task(pilum::Runtime& runtime) {
  auto x = np::ones({64});
  reached = &x;
  auto grasp = pilum::task("grasp", [](pilum::Piece, pilum::ReadWrite<double, 1>) { auto y = *reached + 1.0; });
  try {
    grasp({x.size()}, pilum::read_write(x));
    runtime.wait();
  } catch (const pilum::Error& error) {
    if (runtime.rank() == 0) tell("caught", error);
  }
  return 3;
}

int wait_on_another_thread(pilum::Runtime& runtime) {
  auto x = np::ones({64});
  x += 1.0;
  std::thread([&runtime] {
    try {
      runtime.wait();
    } catch (const pilum::Error& error) {
      tell("caught", error);
    }
  }).join();
  return goes_on() ? 3 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  pilum::Runtime runtime(argc, argv);
  if (what == "full") return fill_memory(runtime, kMiB);
  if (what == "still_full") return leave_it_full(runtime);
  if (what == "records") return fill_memory(runtime, 8);
  if (what == "copy") return copy_out();
  if (what == "huge") return ask_for_too_much();
  if (what == "task") return fail_in_a_task(runtime);
  const np::Array none = np::zeros({2, 2});
  if (what == "index") return fail_by_cells<pilum::IndexError>([&] { return np::take(none, np::array({7}))(0); });
  if (what == "inv") return fail_by_cells<pilum::LinAlgError>([&] { return np::linalg::inv(none)(0, 0); });
  if (what == "solve") return fail_by_cells<pilum::LinAlgError>([&] { return np::linalg::solve(none, none)(0, 0); });
  if (what == "cholesky") return fail_by_cells<pilum::LinAlgError>([&] { return np::linalg::cholesky(none)(0, 0); });
  if (what == "array_in_task") return touch_an_array_in_a_task(runtime);
  if (what == "thread") return wait_on_another_thread(runtime);
  return 2;
}
