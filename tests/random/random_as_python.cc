// Programs without draws, and what the oracle says they read, as Python, which compares NumPy's values with those:
//   random_as_python SEED COUNT | python3
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/random/draw.h"
#include "tests/random/oracle.h"

namespace pilum::random_programs {
namespace {

constexpr const char* kHead = R"(import numpy as np, scipy.signal, scipy.special, re, sys, warnings
from math import nan, inf
np.seterr(all="ignore")
warnings.simplefilter("ignore")
seen = []
failures = 0
class Names(dict):
    # A view or a result of one cell is an array, as it is in Pilum.
    def __setitem__(self, name, value):
        super().__setitem__(name, np.array(value) if isinstance(value, np.generic) else value)
def see(value):
    seen.append((isinstance(value, (np.ndarray, np.generic)), np.array(value)))
def difference(got, dtype, shape, cells, tolerance):
    is_array, got = got
    if is_array and (got.dtype != dtype or got.shape != shape):
        return f"{got.dtype} of {got.shape}, not {dtype} of {shape}"
    for k, (x, y) in enumerate(zip(got.ravel().tolist(), cells)):
        pairs = [(x.real, y.real), (x.imag, y.imag)] if dtype.startswith("complex") else [(x, y)]
        for p, q in pairs:
            far = tolerance[k] if tolerance else 0
            if not (p == q or (p != p and q != q) or abs(p - q) <= 4 * far): return f"cell {k} is {x!r}, not {y!r}"
def check(program, expected):
    global failures
    seen.clear()
    names = Names(np=np, scipy=scipy, print=see)
    try:
        exec(re.sub(r"(?m)^( *[a-g] = [a-g]\[[^]]*)\]$", r"\1, ...]", program), names)
        texts = [difference(got, *wanted) for got, wanted in zip(seen, expected)]
        text = next((f"reading {k}: {text}" for k, text in enumerate(texts) if text), None)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    if text:
        failures += 1
        sys.stdout.write(f"{text}\n{program}\n")
)";

bool draws(const Expression& expression) {
  const bool orders = expression.op == Op::Permuted || expression.op == Op::Shuffled || expression.op == Op::Chosen;
  if (orders || is_drawn(expression.op)) return true;
  for (const Expression& argument : expression.arguments) {
    if (draws(argument)) return true;
  }
  return false;
}

bool draws(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (const auto* create = std::get_if<Create>(&statement.what); create && is_draw(create->kind)) return true;
    if (const auto* bind = std::get_if<Bind>(&statement.what); bind && draws(bind->value)) return true;
    if (const auto* assign = std::get_if<Assign>(&statement.what); assign && draws(assign->value)) return true;
    if (const auto* loop = std::get_if<Loop>(&statement.what); loop && draws(loop->block)) return true;
  }
  return false;
}

std::string text_of(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::string text_of(Cell cell, DType dtype) {
  if (is_complex(dtype)) return "complex(" + text_of(cell.floating) + ", " + text_of(cell.imaginary) + ")";
  if (is_floating(dtype)) return text_of(cell.floating);
  if (dtype == DType::Bool) return cell.integer != 0 ? "True" : "False";
  return dtype == DType::UInt64 ? std::to_string(static_cast<std::uint64_t>(cell.integer))
                                : std::to_string(cell.integer);
}

std::string text_of(const Reading& reading) {
  std::string text = "    (\"" + std::string(name(reading.dtype)) + "\", (";
  for (const std::int64_t extent : reading.shape) text += std::to_string(extent) + ",";
  text += "), [";
  for (const Cell cell : reading.cells) text += text_of(cell, reading.dtype) + ",";
  text += "], [";
  for (const double tolerance : reading.tolerance) text += text_of(tolerance) + ",";
  return text + "]),\n";
}

void print_program(std::uint64_t seed) {
  const Program program = draw_program(seed);
  if (draws(program.statements)) return;
  const std::string text = to_string(program);
  std::cout << "check(r'''" << text << "''', [\n";
  for (const Reading& reading : expected_readings(program)) std::cout << text_of(reading);
  std::cout << "])\n";
}

}  // namespace
}  // namespace pilum::random_programs

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("random_as_python SEED COUNT\n", stderr);
    return EXIT_FAILURE;
  }
  const auto seed = std::strtoull(argv[1], nullptr, 10);
  const auto count = std::strtoull(argv[2], nullptr, 10);
  std::cout << pilum::random_programs::kHead;
  for (std::uint64_t k = 0; k < count; ++k) pilum::random_programs::print_program(seed + k);
  std::cout << "sys.stdout.write(f\"{failures} failures\\n\")\n";
  return EXIT_SUCCESS;
}
