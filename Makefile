# Short names for what the presets and the scripts do; `make` alone lists them.
JOBS ?= $(shell nproc)
# One more than processors: some tests wait for Slurm, a browser or the end of a process.
TEST_JOBS := $(shell expr $(JOBS) + 1)
.DEFAULT_GOAL := help
.PHONY: help setup kernels build test demo bench lint format asan tsan clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing: compiler, libraries, IREE in .venv
	@scripts/setup

kernels: setup ## and TileLang with PyTorch, for hone kernel
	@scripts/setup --kernels

# ninja runs CMake again by itself when a CMakeLists.txt changes, but it does not know the presets.
build/build.ninja: CMakePresets.json | setup
	cmake --preset release

build: setup build/build.ninja ## build/hone
	cmake --build build -j $(JOBS) --target hone

# The large wheels are installed while the build runs: only the tests need them.
test: setup build/build.ninja ## build everything but the benchmarks and run all tests
	@scripts/setup --browser --shells --slurm
	@scripts/setup --kernels --llm & \
	cmake --build build -j $(JOBS) || { wait; exit 1; }; wait $$!
	ctest --preset release -j $(TEST_JOBS)

demo: build ## see hone at work in a few minutes
	scripts/demo

bench: setup build/build.ninja ## measure hone itself; QUICK=1 for short runs
	cmake --build build -j $(JOBS) --target bench

lint: ## clang-format and clang-tidy, only on what changed
	@scripts/setup --tests
	@JOBS=$(JOBS) scripts/lint

format: ## format every source in place
	@scripts/setup --tests
	@scripts/lint --fix

asan: setup ## the tests with address and undefined-behaviour sanitizers
	cmake --preset asan && cmake --build build-asan -j $(JOBS) && ctest --preset asan -j $(TEST_JOBS)

# Where addresses are randomized widely, g++ 12's thread sanitizer does not start; setarch -R stills it.
tsan: setup ## the tests with the thread sanitizer
	cmake --preset tsan && setarch -R cmake --build build-tsan -j $(JOBS) && setarch -R ctest --preset tsan -j $(TEST_JOBS)

clean: ## remove all that was built; .venv stays
	rm -rf build build-* dist
