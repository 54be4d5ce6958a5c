# A program that tells what a model computes, for scripts/check_exchange, which compares it with transformers.
add_executable(exchange_tool ${CMAKE_CURRENT_SOURCE_DIR}/exchange_tool/main.cpp)
target_link_libraries(exchange_tool PRIVATE minnow minnow_flags fmt::fmt nlohmann_json::nlohmann_json)
