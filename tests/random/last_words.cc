#include "tests/random/last_words.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace pilum::random_programs {
namespace {

constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGTERM};

std::string last_words;

void say(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

void say_last_words(int signal) {
  say(signal == SIGALRM ? "\nit takes too long, maybe a hang, in:\n" : "\nended by a signal in:\n");
  say(last_words.c_str());
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

LastWords::LastWords(std::string text) {
  last_words = std::move(text);
  for (int signal : kSignals) std::signal(signal, say_last_words);
  const char* seconds = std::getenv("PILUM_RANDOM_SECONDS");
  alarm(seconds ? static_cast<unsigned>(std::atoi(seconds)) : 150);
}

LastWords::~LastWords() {
  alarm(0);
  for (int signal : kSignals) std::signal(signal, SIG_DFL);
}

}  // namespace pilum::random_programs
