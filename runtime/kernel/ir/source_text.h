// Lines of C++ being written, indented by what is open.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace pilum::kernel {

// Text from parts: strings as they are, numbers in decimal.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (append(parts), ...);
  return text;
}

class SourceText {
 public:
  SourceText() { text_.reserve(8192); }

  template <class... Parts>
  void line(const Parts&... parts) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    (append(parts), ...);
    text_ += '\n';
  }
  // A line that ends in '{'; what follows is indented until close().
  template <class... Parts>
  void open(const Parts&... parts) {
    line(parts..., " {");
    ++depth_;
  }
  void close(std::string_view end = "}") {
    --depth_;
    line(end);
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::is_arithmetic_v<Part>) {
      text_ += std::to_string(part);
    } else {
      text_ += part;
    }
  }

  std::string text_;
  int depth_ = 0;
};

}  // namespace pilum::kernel
