// Kernels of flags: their texts, thread by thread, by an interpreter of the few instructions that they have.
#include "runtime/device/cuda_flag.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace pilum::device {
namespace {

// A flag, or another word in memory, as a launch has it.
struct alignas(kFlagBytes) Word {
  std::uint32_t value = 0;
  std::byte* data() { return reinterpret_cast<std::byte*>(&value); }
};

// One thread of a launch. `looked` is called before each look at memory; what comes out is how it ended.
class Thread {
 public:
  Thread(const GpuLaunch& launch, std::uint64_t number, std::function<void()> looked)
      : launch_(launch), number_(number), looked_(std::move(looked)) {
    const std::string& text = launch.image->bytes;
    std::string body = text.substr(text.rfind(';', text.find("mov.u32 %t")) + 1);
    body = std::regex_replace(body, std::regex("[\n}]"), " ");
    static const std::regex statement(R"( *(?:([A-Z]+):)? *(?:@(%\w+))? *([a-z][\w.]*) *([^;]*);)");
    for (std::sregex_iterator one(body.begin(), body.end(), statement), end; one != end; ++one) {
      if ((*one)[1].matched) labels_[(*one)[1]] = steps_.size();
      Step& step = steps_.emplace_back(Step{(*one)[2], (*one)[3], {}});
      const std::string arguments = (*one)[4];
      static const std::regex argument(R"([^, ]+)");
      for (std::sregex_iterator a(arguments.begin(), arguments.end(), argument); a != end; ++a)
        step.arguments.push_back(a->str());
    }
  }

  // "ret", "trap", or "" where it has not ended after so many steps.
  std::string run(int most) {
    for (std::size_t at = 0; most > 0; --most) {
      const Step& step = steps_.at(at++);
      if (!step.guard.empty() && registers_[step.guard] == 0) continue;
      if (step.name == "ret" || step.name == "trap") return step.name;
      if (step.name == "bra") {
        at = labels_.at(step.arguments[0]);
        continue;
      }
      done += step.name + " ";
      if (step.name.starts_with("fence")) continue;
      if (step.name.starts_with("st.")) {
        const auto value = static_cast<std::uint32_t>(value_of(step.arguments[1]));
        std::memcpy(address(step.arguments[0]), &value, sizeof value);
        continue;
      }
      registers_[step.arguments[0]] = compute(step);
    }
    return "";
  }
  std::string done;  // the names of what it did

 private:
  struct Step {
    std::string guard, name;
    std::vector<std::string> arguments;
  };
  static constexpr std::uint64_t kParameters = 1 << 20;  // their address

  std::uint64_t value_of(const std::string& text) {
    if (text == "%tid.x") return number_;
    if (text == "%globaltimer") return time_ += 1'000'000'000;
    if (text == "words") return kParameters;
    return text[0] == '%' ? registers_[text] : std::stoull(text);
  }
  std::uint64_t address_of(const std::string& text) {
    const std::size_t plus = text.find('+');
    const std::uint64_t base = value_of(text.substr(1, std::min(plus, text.size() - 1) - 1));
    return base + (plus == std::string::npos ? 0 : std::stoull(text.substr(plus + 1)));
  }
  void* address(const std::string& text) { return reinterpret_cast<void*>(address_of(text)); }
  std::uint64_t compute(const Step& step) {
    const std::vector<std::string>& from = step.arguments;
    if (step.name == "ld.param.u64") return launch_.words[(address_of(from[1]) - kParameters) / 8];
    if (step.name.starts_with("ld.")) {
      looked_();
      std::uint32_t value;
      std::memcpy(&value, address(from[1]), sizeof value);
      return value;
    }
    if (step.name.starts_with("mov") || step.name.starts_with("cvt")) return value_of(from[1]);
    const std::uint64_t a = value_of(from[1]), b = value_of(from[2]);
    if (step.name.starts_with("setp.ge")) return a >= b;
    if (step.name.starts_with("setp.lt")) return a < b;
    if (step.name.starts_with("setp.ne")) return a != b;
    if (step.name.starts_with("setp.eq")) return a == b;
    if (step.name.starts_with("add")) return a + b;
    if (step.name.starts_with("sub")) return a - b;
    if (step.name.starts_with("and")) return a & b;
    if (step.name.starts_with("mul")) return a * b;
    ADD_FAILURE() << "an instruction that nobody knows: " << step.name;
    return 0;
  }

  const GpuLaunch& launch_;
  std::uint64_t number_, time_ = 0;
  std::function<void()> looked_;
  std::vector<Step> steps_;
  std::map<std::string, std::size_t> labels_;
  std::map<std::string, std::uint64_t> registers_;
};

TEST(FlagLaunch, RaisesAFlagBehindAllThatIsDone) {
  Word flag;
  Word given_up;
  const FlagLaunch launch(GpuFlag{flag.data(), /*waits=*/false}, given_up.data());
  Thread thread(launch.launch(), 0, [] {});
  EXPECT_EQ(thread.run(100), "ret");
  EXPECT_EQ(flag.value, 1u);
  EXPECT_NE(thread.done.find("fence.acq_rel.sys mov.u32 st.release.sys"), std::string::npos) << thread.done;
  EXPECT_EQ(launch.launch().block[0] * launch.launch().grid[0], 1u);
}

TEST(FlagLaunch, WaitsUntilAFlagIsRaisedAndLowersIt) {
  Word flag;
  Word given_up;
  const FlagLaunch launch(GpuFlag{flag.data(), /*waits=*/true}, given_up.data());
  EXPECT_EQ(Thread(launch.launch(), 0, [] {}).run(20'000), "") << "however long that takes";
  int looks = 0;
  Thread thread(launch.launch(), 0, [&] { flag.value = ++looks == 1000; });
  EXPECT_EQ(thread.run(100'000), "ret");
  EXPECT_EQ(flag.value, 0u);
  EXPECT_NE(thread.done.find("ld.acquire.sys"), std::string::npos);
  EXPECT_TRUE(thread.done.ends_with("fence.acq_rel.sys ")) << "before anybody is told that it is lowered";
}

TEST(FlagLaunch, ThatIsWaitedForInVainEndsTheGpuOnceItIsGivenUp) {
  Word asked, given_up;
  const FlagLaunch wait(GpuFlag{asked.data(), /*waits=*/true}, given_up.data());
  int looks = 0;
  EXPECT_EQ(Thread(wait.launch(), 0, [&] { given_up.value = ++looks >= 1000; }).run(100'000), "trap");
  EXPECT_EQ(Thread(wait.launch(), 0, [] {}).run(10'000), "trap") << "now or later";
  asked.value = 1;
  EXPECT_EQ(Thread(wait.launch(), 0, [] {}).run(10'000), "ret") << "what was told is true";
}

TEST(FlagLaunch, OfOneGraphTakesAThreadForEachFlag) {
  std::array<Word, 5> flags;
  std::vector<std::byte*> all;
  for (Word& flag : flags) all.push_back(flag.data());
  const FlagLaunch raise(all, /*waits=*/false), wait(all, /*waits=*/true);
  EXPECT_EQ(raise.launch().block[0], kMaxFlags);
  for (std::uint64_t thread = 0; thread < kMaxFlags; ++thread) {
    EXPECT_EQ(Thread(raise.launch(), thread, [] {}).run(100), "ret");
    for (std::size_t i = 0; i < flags.size(); ++i) EXPECT_EQ(flags[i].value, i <= thread ? 1u : 0u);
  }
  for (std::uint64_t thread = 0; thread < kMaxFlags; ++thread) {
    EXPECT_EQ(Thread(wait.launch(), thread, [] {}).run(100), "ret");
    for (std::size_t i = 0; i < flags.size(); ++i) EXPECT_EQ(flags[i].value, i > thread ? 1u : 0u);
  }
  EXPECT_EQ(Thread(wait.launch(), 0, [] {}).run(10'000), "trap") << "a clock of a second a look: after a hundred";
}

TEST(FlagLaunch, TakesNoMoreFlagsThanItsArgumentHas) {
  Word flag;
  const std::vector<std::byte*> many(kMaxFlags + 1, flag.data());
  EXPECT_DEATH((FlagLaunch{many, true}), "kMaxFlags");
}

}  // namespace
}  // namespace pilum::device
