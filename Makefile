# Shortcuts for the presets and scripts; `make` lists them.
JOBS ?= $(shell nproc)
# One more than CPUs: some tests mostly wait for Slurm, a browser or a process.
TEST_JOBS := $(shell expr $(JOBS) + 1)
.DEFAULT_GOAL := help
.PHONY: help setup models kernels build test demo bench wheel lint format asan tsan fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install missing dependencies: compiler, libraries, IREE in .venv
	@scripts/setup

models: setup ## also install onnx and ONNX Runtime, for .onnx files
	@scripts/setup --models

kernels: setup ## also install TileLang and PyTorch, for hone kernel
	@scripts/setup --kernels

# ninja reruns CMake when a CMakeLists.txt changes, but not when the presets change.
build/build.ninja: CMakePresets.json | setup
	@echo "configuring build"
	@cmake --preset release >build.log 2>&1 || { cat build.log >&2; exit 1; }
	@mv build.log build/configure.log

build: setup build/build.ninja ## build the program, build/hone
	@JOBS=$(JOBS) scripts/build hone

# Install the large wheels during the build: only the tests need them.
test: setup build/build.ninja ## build and run all tests
	@scripts/setup --browser --shells --slurm
	@scripts/setup --models --kernels --llm & \
	JOBS=$(JOBS) scripts/build all || { wait; exit 1; }; wait $$!
	ctest --preset release -j $(TEST_JOBS) $(TEST_FLAGS)

demo: build ## demonstrate hone in a few minutes
	@scripts/setup --models
	scripts/demo

bench: setup build/build.ninja ## run hone's own benchmarks; QUICK=1 for short runs
	cmake --build build -j $(JOBS) --target bench

wheel: setup ## build a wheel in dist/ that needs no compiler and no system packages
	@scripts/wheel

lint: ## run clang-format, clang-tidy and the check of words on changed files
	@scripts/setup --tests
	@JOBS=$(JOBS) scripts/lint

format: ## format all sources in place
	@scripts/setup --tests
	@scripts/lint --fix

asan: setup ## run the tests with address and undefined-behaviour sanitizers
	cmake --preset asan && cmake --build build-asan -j $(JOBS) && ctest --preset asan -j $(TEST_JOBS)

# g++ 12's thread sanitizer fails with high-entropy address randomization; setarch -R disables it.
tsan: setup ## run the tests with the thread sanitizer
	cmake --preset tsan && setarch -R cmake --build build-tsan -j $(JOBS) && setarch -R ctest --preset tsan -j $(TEST_JOBS)

fuzz: setup ## fuzz every parser of outside text; TIME=600 for ten minutes each
	@scripts/setup --fuzz
	@JOBS=$(JOBS) scripts/fuzz $(TIME)

clean: ## remove all build folders; keep .venv
	rm -rf build build-* dist
