# cmake --build build --target docs: the documentation's site in build/site, by MkDocs in a virtual environment.
# Every warning is an error there, broken links among them.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "docs: this takes Python 3 with venv (Debian: python3-venv)"
                         COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()

set(environment ${CMAKE_BINARY_DIR}/docs-venv)
set(requirements ${CMAKE_CURRENT_SOURCE_DIR}/docs/site/requirements.txt)
find_program(DOXYGEN_PROGRAM doxygen)
if(DOXYGEN_PROGRAM)
  set(configuration docs/site/with_api.yml)
  set(without_api)
else()
  set(configuration mkdocs.yml)
  set(without_api COMMAND ${CMAKE_COMMAND} -E echo "docs: there is no doxygen, so the site has no API reference")
endif()

add_custom_command(
  OUTPUT ${environment}/installed
  COMMAND ${Python3_EXECUTABLE} -m venv --clear ${environment}
  COMMAND ${environment}/bin/pip install --quiet --disable-pip-version-check -r ${requirements}
  COMMAND ${CMAKE_COMMAND} -E touch ${environment}/installed
  DEPENDS ${requirements}
  COMMENT "Installing MkDocs")
add_custom_target(docs
  ${without_api}
  COMMAND ${CMAKE_COMMAND} -E env NO_MKDOCS_2_WARNING=1
          ${environment}/bin/mkdocs build --strict --config-file ${configuration} --site-dir ${CMAKE_BINARY_DIR}/site
  COMMAND ${CMAKE_COMMAND} -E echo "docs: ${CMAKE_BINARY_DIR}/site/index.html"
  DEPENDS ${environment}/installed
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  COMMENT "Building the documentation's site"
  VERBATIM)
