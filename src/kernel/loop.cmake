# The loop, the language-model proposer and the library of examples.
find_package(CURL REQUIRED)
list(APPEND kernel_sources both_proposers.cc chat_client.cc chat_price.cc docket.cc embeddings.cc entry_point.cc
  example_file.cc examples.cc history.cc http_post.cc kernel_files.cc llm_answer.cc llm_prompt.cc llm_proposer.cc
  optimizer.cc optimizer_final.cc outputs.cc slow_list.cc trial_record.cc turn_race.cc)
list(APPEND kernel_links SQLiteCpp sqlite3 CURL::libcurl)

if(HONE_TESTS)
  add_library(hone_chat_server STATIC test_chat_server.cc)
  target_include_directories(hone_chat_server PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(hone_chat_server PUBLIC nlohmann_json::nlohmann_json PRIVATE hone_httplib)
endif()
hone_test(kernel_loop_test
  SOURCES chat_client_test.cc examples_test.cc llm_answer_test.cc llm_proposer_test.cc optimizer_test.cc
          outputs_test.cc
  LIBRARIES hone_kernel hone_chat_server
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
hone_test(kernel_techniques_test
  SOURCES techniques_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
hone_test(kernel_llama_test SERIAL
  SOURCES llama_test.cc
  LIBRARIES hone_kernel
  DEFINES HONE_TEST_PYTHON="${PROJECT_SOURCE_DIR}/.venv/bin/python"
          HONE_LLAMA_SERVER="${PROJECT_SOURCE_DIR}/tests/llama_server.py")
