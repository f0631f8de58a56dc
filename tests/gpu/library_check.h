// What the programs of library_check share.
#pragma once

#include <functional>
#include <string>

namespace pilum {

// Prints the name and "ok", or what the body returned or threw.
void check(const std::string& name, const std::function<std::string()>& body);

void check_factors();
void check_transforms();

}  // namespace pilum
