#include "iree/compile/job/job_wire.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming,misc-use-internal-linkage,misc-use-anonymous-namespace)
// nlohmann::json finds these functions by name.

namespace hone::iree {

/// Adapts the model's JSON functions, which return errors instead of throwing.
template <typename Value, auto kFrom>
struct ModelSerializer {
  static void to_json(nlohmann::json& json, const Value& value) { json = toJson(value); }
  static void from_json(const nlohmann::json& json, Value& value) {
    auto read = kFrom(json);
    if (!read) {
      throw std::invalid_argument(read.error().message);
    }
    value = std::move(*read);
  }
};

}  // namespace hone::iree

template <>
struct nlohmann::adl_serializer<hone::model::Problem>
    : hone::iree::ModelSerializer<hone::model::Problem, hone::model::problemFrom> {};
template <>
struct nlohmann::adl_serializer<hone::model::Layer>
    : hone::iree::ModelSerializer<hone::model::Layer, hone::model::layerFrom> {};
template <>
struct nlohmann::adl_serializer<hone::model::RootOperation>
    : hone::iree::ModelSerializer<hone::model::RootOperation, hone::model::rootOperationFrom> {};
template <>
struct nlohmann::adl_serializer<hone::model::Reduction>
    : hone::iree::ModelSerializer<hone::model::Reduction, hone::model::reductionFrom> {};

template <>
struct nlohmann::adl_serializer<hone::model::DispatchGraph> {
  static void to_json(json& json, const hone::model::DispatchGraph& graph) { json = toJson(graph); }
  static void from_json(const json& json, hone::model::DispatchGraph& graph) {
    graph = hone::model::dispatchGraphFrom(json);
  }
};

template <>
struct nlohmann::adl_serializer<hone::model::OpAttribute> {
  static void to_json(json& json, const hone::model::OpAttribute& attribute) {
    json = {attribute.dispatch, attribute.op, attribute.name, attribute.value};
  }
  static void from_json(const json& json, hone::model::OpAttribute& attribute) {
    attribute = {.dispatch = json.at(0), .op = json.at(1), .name = json.at(2), .value = json.at(3)};
  }
};

template <>
struct nlohmann::adl_serializer<hone::Limits> {
  static void to_json(json& json, const hone::Limits& limits) {
    json = {limits.wall.count(), limits.memoryBytes, limits.diskBytes};
  }
  static void from_json(const json& json, hone::Limits& limits) {
    limits.wall = std::chrono::milliseconds(json.at(0).get<std::int64_t>());
    limits.memoryBytes = json.at(1);
    limits.diskBytes = json.at(2);
  }
};

namespace hone {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ending, how, code, wallNs, cpuNs, maxRssBytes)

}  // namespace hone

namespace hone::iree {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfiguredCode, contents, ignored)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionReduction, function, reduction)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramReductions, operations, splits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DispatchDescription, dispatch, entries, calls, fingerprint,
                                   function, text, inputs, results, skipReason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Knob, name, place, options)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PipelineConstraints, dispatch, pipeline, knobs, smtLib)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KnobAssignment, constraints, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramConstraints, constraints, compilationInfos,
                                   decompositionConfigs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatchedSizes, name, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Matched, kind, op, types, sizes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OperationMatcher, matched, matcher, failureReason, exact)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RootMatcher, dispatch, root, body)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OperandForm, element, ranked, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoopRole, name, loops, sizes, sized)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DimensionCondition, operand, dimension, multipleOf, least, most)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OperationForm, names, kind, operands, maps, roles, body,
                                   attributes, conditions, unread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramOperation, dispatch, form, matcher)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpecEntryDescription, name, action, matched, config,
                                   loweringConfig, translationInfo, text, key, form)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpecAction, text, key)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpecDescription, entries, actions, helpers, entryPoints)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfiguredOperation, op, ordinal, root, entry, loweringConfig)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConfiguredFunction, dispatch, function, translationInfo, entries,
                                   operations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpecMarks, backends, functions)

static void to_json(nlohmann::json& json, const FunctionDescription& function) {
  json = {{"name", function.name},
          {"inputs", function.inputs},
          {"results", function.results},
          {"from", function.from},
          {"recursion", function.recursion}};
  if (function.problem) {
    json["problem"] = *function.problem;
  }
}

static void from_json(const nlohmann::json& json, FunctionDescription& function) {
  json.at("name").get_to(function.name);
  json.at("inputs").get_to(function.inputs);
  json.at("results").get_to(function.results);
  json.at("from").get_to(function.from);
  json.at("recursion").get_to(function.recursion);
  if (json.contains("problem")) {
    function.problem = json.at("problem").get<model::Problem>();
  }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LowerModuleJob, to, bareNames, function, shapes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileConfiguredJob, attributes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileVariantsJob, variants)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileSplitsJob, choices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AnnotateSplitsJob, sizes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ListConstraintsJob, assignments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ListReductionsJob, compilersOwn)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PrintDispatchJob, dispatch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DispatchIr, text)

}  // namespace hone::iree

/// Encodes a request as its kind and members.
template <>
struct nlohmann::adl_serializer<hone::iree::JobRequest> {
  static void to_json(json& json, const hone::iree::JobRequest& request) {
    std::visit(
        [&]<typename Job>(const Job& job) {
          json["kind"] = Job::kName;
          if constexpr (!std::is_empty_v<Job>) {
            json["job"] = job;
          }
        },
        request);
  }
  static void from_json(const json& json, hone::iree::JobRequest& request) {
    readAs<0>(json, request);
  }

 private:
  template <std::size_t kAlternative>
  static void readAs(const json& json, hone::iree::JobRequest& request) {
    if constexpr (kAlternative == std::variant_size_v<hone::iree::JobRequest>) {
      throw std::invalid_argument("unknown kind of job: " + json.at("kind").get<std::string>());
    } else {
      using Job = std::variant_alternative_t<kAlternative, hone::iree::JobRequest>;
      if (json.at("kind") != Job::kName) {
        readAs<kAlternative + 1>(json, request);
      } else if constexpr (std::is_empty_v<Job>) {
        request = Job{};
      } else {
        request = json.at("job").get<Job>();
      }
    }
  }
};

namespace hone::iree {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileJob, source, from, flags, request, verifyIr, threads,
                                   output, limits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ServerHello, revision, error, hasConstraints)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobStart, id, job)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobEnd, id, ending, serverCpuNs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VariantPlace, module, function, content, ignored)

template <typename Value>
std::string encode(const Value& value) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(value), bytes);
  return bytes;
}

template <typename Value>
Result<Value> decode(std::string_view bytes) {
  try {
    return nlohmann::json::from_cbor(bytes).template get<Value>();
  } catch (const std::exception& error) {
    return machineError(
        "internal error: unreadable message of a compile process: {} (please report it)",
        error.what());
  }
}

#define HONE_WIRE(...)                                   \
  template std::string encode(const __VA_ARGS__& value); \
  template Result<__VA_ARGS__> decode(std::string_view bytes);

HONE_WIRE(ServerHello)
HONE_WIRE(JobStart)
HONE_WIRE(JobEnd)
HONE_WIRE(JobRequest)
HONE_WIRE(VariantPlace)
HONE_WIRE(ConfiguredCode)
HONE_WIRE(SplitsByFunction)
HONE_WIRE(ProgramReductions)
HONE_WIRE(ModuleDescription)
HONE_WIRE(ProgramConstraints)
HONE_WIRE(SpecDescription)
HONE_WIRE(SpecMarks)
HONE_WIRE(std::vector<model::Problem>)
HONE_WIRE(std::vector<model::Layer>)
HONE_WIRE(std::vector<model::RootOperation>)
HONE_WIRE(std::vector<DispatchDescription>)
HONE_WIRE(std::vector<RootMatcher>)
HONE_WIRE(std::vector<ProgramOperation>)
HONE_WIRE(model::DispatchGraph)
HONE_WIRE(DispatchIr)
#undef HONE_WIRE

}  // namespace hone::iree

// NOLINTEND(readability-identifier-naming,misc-use-internal-linkage,misc-use-anonymous-namespace)
