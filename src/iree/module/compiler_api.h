#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::iree {

// The types of the embedding API and of MLIR's C API that hone uses: handles passed by value, with
// the layout of the C declarations.
struct MlirContext {
  void* ptr;
};
struct MlirOperation {
  void* ptr;
};
struct MlirAttribute {
  const void* ptr;
};
struct MlirType {
  const void* ptr;
};
struct MlirValue {
  const void* ptr;
};
struct MlirBlock {
  void* ptr;
};
struct MlirRegion {
  void* ptr;
};
struct MlirIdentifier {
  const void* ptr;
};
struct MlirPrintingFlags {
  void* ptr;
};
struct MlirNamedAttribute {
  MlirIdentifier name;
  MlirAttribute attribute;
};
struct MlirStringRef {
  const char* data;
  std::size_t length;

  [[nodiscard]] std::string_view view() const { return {data, length}; }
  static MlirStringRef of(std::string_view text) { return {text.data(), text.size()}; }
};
/// The roles of a linalg operation's loops: attributes that list loop indices.
struct MlirContractionDimensions {
  MlirAttribute batch, m, n, k;
};
struct MlirConvolutionDimensions {
  MlirAttribute batch, outputImage, outputChannel, filterLoop, inputChannel, depth, strides,
      dilations;
};
/// The parts of a compilation_info.
struct CompilationInfoParts {
  MlirAttribute loweringConfig, translationInfo;
};
using MlirStringCallback = void (*)(MlirStringRef, void*);
enum class MlirWalkResult : int { advance, interrupt, skip };
enum class MlirWalkOrder : int { preOrder, postOrder };
using MlirWalkCallback = MlirWalkResult (*)(MlirOperation, void*);

struct Session;
struct Invocation;
struct Source;
struct Output;
struct CompilerError;

/// Pipelines of ireeCompilerInvocationPipeline.
enum class Pipeline : int { standard = 0 };

// X(member, symbol, result, arguments)
#define HONE_COMPILER_FUNCTIONS(X)                                                                 \
  X(getApiVersion, "ireeCompilerGetAPIVersion", int, ())                                           \
  X(getRevision, "ireeCompilerGetRevision", const char*, ())                                       \
  X(globalInitialize, "ireeCompilerGlobalInitialize", void, ())                                    \
  X(setGlobalFlags, "ireeCompilerSetupGlobalCL", void,                                             \
    (int, const char* const*, const char*, bool))                                                  \
  X(errorMessage, "ireeCompilerErrorGetMessage", const char*, (CompilerError*))                    \
  X(errorDestroy, "ireeCompilerErrorDestroy", void, (CompilerError*))                              \
  X(sessionCreate, "ireeCompilerSessionCreate", Session*, ())                                      \
  X(sessionSetFlags, "ireeCompilerSessionSetFlags", CompilerError*,                                \
    (Session*, int, const char* const*))                                                           \
  X(sessionContext, "ireeCompilerSessionBorrowContext", MlirContext, (Session*))                   \
  X(invocationCreate, "ireeCompilerInvocationCreate", Invocation*, (Session*))                     \
  X(invocationConsole, "ireeCompilerInvocationEnableConsoleDiagnostics", void, (Invocation*))      \
  X(invocationVerifyIr, "ireeCompilerInvocationSetVerifyIR", void, (Invocation*, bool))            \
  X(invocationFrom, "ireeCompilerInvocationSetCompileFromPhase", void, (Invocation*, const char*)) \
  X(invocationTo, "ireeCompilerInvocationSetCompileToPhase", void, (Invocation*, const char*))     \
  X(invocationParse, "ireeCompilerInvocationParseSource", bool, (Invocation*, Source*))            \
  X(invocationPipeline, "ireeCompilerInvocationPipeline", bool, (Invocation*, Pipeline))           \
  X(invocationPasses, "ireeCompilerInvocationRunPassPipeline", bool, (Invocation*, const char*))   \
  X(invocationTakeModule, "ireeCompilerInvocationExportStealModule", MlirOperation, (Invocation*)) \
  X(invocationGiveModule, "ireeCompilerInvocationImportStealModule", bool,                         \
    (Invocation*, MlirOperation))                                                                  \
  X(outputVmBytecode, "ireeCompilerInvocationOutputVMBytecode", CompilerError*,                    \
    (Invocation*, Output*))                                                                        \
  X(outputIrBytecode, "ireeCompilerInvocationOutputIRBytecode", CompilerError*,                    \
    (Invocation*, Output*, int))                                                                   \
  X(outputIrText, "ireeCompilerInvocationOutputIR", CompilerError*, (Invocation*, Output*))        \
  X(sourceOpenFile, "ireeCompilerSourceOpenFile", CompilerError*,                                  \
    (Session*, const char*, Source**))                                                             \
  X(outputOpenFile, "ireeCompilerOutputOpenFile", CompilerError*, (const char*, Output**))         \
  X(outputKeep, "ireeCompilerOutputKeep", void, (Output*))                                         \
  X(outputDestroy, "ireeCompilerOutputDestroy", void, (Output*))                                   \
  X(contextThreads, "mlirContextEnableMultithreading", void, (MlirContext, bool))                  \
  X(operationWalk, "mlirOperationWalk", void,                                                      \
    (MlirOperation, MlirWalkCallback, void*, MlirWalkOrder))                                       \
  X(operationName, "mlirOperationGetName", MlirIdentifier, (MlirOperation))                        \
  X(operationParent, "mlirOperationGetParentOperation", MlirOperation, (MlirOperation))            \
  X(operationAttribute, "mlirOperationGetAttributeByName", MlirAttribute,                          \
    (MlirOperation, MlirStringRef))                                                                \
  X(operationSetAttribute, "mlirOperationSetAttributeByName", void,                                \
    (MlirOperation, MlirStringRef, MlirAttribute))                                                 \
  X(operationRemoveAttribute, "mlirOperationRemoveAttributeByName", bool,                          \
    (MlirOperation, MlirStringRef))                                                                \
  X(operationAttributes, "mlirOperationGetNumAttributes", std::intptr_t, (MlirOperation))          \
  X(operationAttributeAt, "mlirOperationGetAttribute", MlirNamedAttribute,                         \
    (MlirOperation, std::intptr_t))                                                                \
  X(operationPrint, "mlirOperationPrint", void, (MlirOperation, MlirStringCallback, void*))        \
  X(operationPrintWith, "mlirOperationPrintWithFlags", void,                                       \
    (MlirOperation, MlirPrintingFlags, MlirStringCallback, void*))                                 \
  X(operationParse, "mlirOperationCreateParse", MlirOperation,                                     \
    (MlirContext, MlirStringRef, MlirStringRef))                                                   \
  X(operationContext, "mlirOperationGetContext", MlirContext, (MlirOperation))                     \
  X(printingFlags, "mlirOpPrintingFlagsCreate", MlirPrintingFlags, ())                             \
  X(printingFlagsDestroy, "mlirOpPrintingFlagsDestroy", void, (MlirPrintingFlags))                 \
  X(printGenericForm, "mlirOpPrintingFlagsPrintGenericOpForm", void, (MlirPrintingFlags))          \
  X(printLocalScope, "mlirOpPrintingFlagsUseLocalScope", void, (MlirPrintingFlags))                \
  X(operationClone, "mlirOperationClone", MlirOperation, (MlirOperation))                          \
  X(operationErase, "mlirOperationDestroy", void, (MlirOperation))                                 \
  X(operationBlock, "mlirOperationGetBlock", MlirBlock, (MlirOperation))                           \
  X(blockInsertAfter, "mlirBlockInsertOwnedOperationAfter", void,                                  \
    (MlirBlock, MlirOperation, MlirOperation))                                                     \
  X(makeStringAttribute, "mlirStringAttrGet", MlirAttribute, (MlirContext, MlirStringRef))         \
  X(operationOperand, "mlirOperationGetOperand", MlirValue, (MlirOperation, std::intptr_t))        \
  X(operationOperands, "mlirOperationGetNumOperands", std::intptr_t, (MlirOperation))              \
  X(operationResult, "mlirOperationGetResult", MlirValue, (MlirOperation, std::intptr_t))          \
  X(operationResults, "mlirOperationGetNumResults", std::intptr_t, (MlirOperation))                \
  X(identifierText, "mlirIdentifierStr", MlirStringRef, (MlirIdentifier))                          \
  X(attributeParse, "mlirAttributeParseGet", MlirAttribute, (MlirContext, MlirStringRef))          \
  X(attributePrint, "mlirAttributePrint", void, (MlirAttribute, MlirStringCallback, void*))        \
  X(stringValue, "mlirStringAttrGetValue", MlirStringRef, (MlirAttribute))                         \
  X(symbolValue, "mlirFlatSymbolRefAttrGetValue", MlirStringRef, (MlirAttribute))                  \
  X(attributeType, "mlirTypeAttrGetValue", MlirType, (MlirAttribute))                              \
  X(typePrint, "mlirTypePrint", void, (MlirType, MlirStringCallback, void*))                       \
  X(functionInputs, "mlirFunctionTypeGetNumInputs", std::intptr_t, (MlirType))                     \
  X(functionInput, "mlirFunctionTypeGetInput", MlirType, (MlirType, std::intptr_t))                \
  X(functionResults, "mlirFunctionTypeGetNumResults", std::intptr_t, (MlirType))                   \
  X(functionResult, "mlirFunctionTypeGetResult", MlirType, (MlirType, std::intptr_t))              \
  X(typeIsFunction, "mlirTypeIsAFunction", bool, (MlirType))                                       \
  X(typeIsShaped, "mlirTypeIsAShaped", bool, (MlirType))                                           \
  X(shapedHasRank, "mlirShapedTypeHasRank", bool, (MlirType))                                      \
  X(shapedRank, "mlirShapedTypeGetRank", std::int64_t, (MlirType))                                 \
  X(shapedSize, "mlirShapedTypeGetDimSize", std::int64_t, (MlirType, std::intptr_t))               \
  X(shapedElement, "mlirShapedTypeGetElementType", MlirType, (MlirType))                           \
  X(valueType, "mlirValueGetType", MlirType, (MlirValue))                                          \
  X(valueIsArgument, "mlirValueIsABlockArgument", bool, (MlirValue))                               \
  X(argumentNumber, "mlirBlockArgumentGetArgNumber", std::intptr_t, (MlirValue))                   \
  X(resultOwner, "mlirOpResultGetOwner", MlirOperation, (MlirValue))                               \
  X(attributeIsArray, "mlirAttributeIsAArray", bool, (MlirAttribute))                              \
  X(arrayElements, "mlirArrayAttrGetNumElements", std::intptr_t, (MlirAttribute))                  \
  X(arrayElement, "mlirArrayAttrGetElement", MlirAttribute, (MlirAttribute, std::intptr_t))        \
  X(attributeIsDictionary, "mlirAttributeIsADictionary", bool, (MlirAttribute))                    \
  X(dictionaryElements, "mlirDictionaryAttrGetNumElements", std::intptr_t, (MlirAttribute))        \
  X(dictionaryElement, "mlirDictionaryAttrGetElement", MlirNamedAttribute,                         \
    (MlirAttribute, std::intptr_t))                                                                \
  X(linalgIsContraction, "mlirLinalgIsAContractionOp", bool, (MlirOperation))                      \
  X(linalgContraction, "mlirLinalgInferContractionDimensions", MlirContractionDimensions,          \
    (MlirOperation))                                                                               \
  X(linalgIsConvolution, "mlirLinalgIsAConvolutionOp", bool, (MlirOperation))                      \
  X(linalgConvolution, "mlirLinalgInferConvolutionDimensions", MlirConvolutionDimensions,          \
    (MlirOperation))                                                                               \
  X(linalgMaps, "mlirLinalgGetIndexingMapsAttribute", MlirAttribute, (MlirOperation))              \
  X(operationSetOperand, "mlirOperationSetOperand", void,                                          \
    (MlirOperation, std::intptr_t, MlirValue))                                                     \
  X(operationRegion, "mlirOperationGetFirstRegion", MlirRegion, (MlirOperation))                   \
  X(regionBlock, "mlirRegionGetFirstBlock", MlirBlock, (MlirRegion))                               \
  X(blockArgument, "mlirBlockGetArgument", MlirValue, (MlirBlock, std::intptr_t))                  \
  X(blockInsert, "mlirBlockInsertOwnedOperation", void, (MlirBlock, std::intptr_t, MlirOperation)) \
  X(argumentOwner, "mlirBlockArgumentGetOwner", MlirBlock, (MlirValue))                            \
  X(blockOwner, "mlirBlockGetParentOperation", MlirOperation, (MlirBlock))                         \
  X(resultNumber, "mlirOpResultGetResultNumber", std::intptr_t, (MlirValue))                       \
  X(isCompilationInfo, "ireeAttributeIsACodegenCompilationInfoAttr", bool, (MlirAttribute))        \
  X(compilationInfoParts, "ireeCodegenCompilationInfoAttrGetParameters", CompilationInfoParts,     \
    (MlirAttribute))                                                                               \
  X(isGpuLoweringConfig, "ireeAttributeIsAGPULoweringConfigAttr", bool, (MlirAttribute))           \
  X(gpuLoweringConfigEntries, "ireeGPULoweringConfigAttrGetAttributes", MlirAttribute,             \
    (MlirAttribute))

// Functions for pipeline constraints, from IREE 3.12 on: see hasConstraints().
#define HONE_CONSTRAINT_FUNCTIONS(X)                                                       \
  X(isIntKnob, "ireeAttributeIsACodegenIntKnobAttr", bool, (MlirAttribute))                \
  X(intKnobName, "ireeCodegenIntKnobAttrGetName", MlirAttribute, (MlirAttribute))          \
  X(isOneOfKnob, "ireeAttributeIsACodegenOneOfKnobAttr", bool, (MlirAttribute))            \
  X(oneOfKnobName, "ireeCodegenOneOfKnobAttrGetName", MlirAttribute, (MlirAttribute))      \
  X(oneOfKnobOptions, "ireeCodegenOneOfKnobAttrGetOptions", void,                          \
    (MlirAttribute, std::intptr_t*, MlirAttribute*))                                       \
  X(constraintsToSmtLib, "ireeCodegenConvertConstraintsOpToSMTLIB", MlirAttribute,         \
    (MlirOperation, bool))                                                                 \
  X(materializeConfiguration, "ireeCodegenMaterializeConfigurationAttrFromConstraintsOp",  \
    MlirAttribute,                                                                         \
    (MlirOperation, MlirStringRef, std::size_t, const MlirStringRef*, const std::int64_t*, \
     MlirAttribute*))

/// The functions of libIREECompiler.so that hone calls, bound with dlopen. Compilation happens only
/// in child processes (compile_pool.h), because the compiler may crash, hang or exhaust memory.
struct CompilerApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type and a list of parameters
#define HONE_MEMBER(member, symbol, result, arguments) result(*member) arguments = nullptr;
  HONE_COMPILER_FUNCTIONS(HONE_MEMBER)
  HONE_CONSTRAINT_FUNCTIONS(HONE_MEMBER)
#undef HONE_MEMBER

  /// Loads the library and checks the API version. Fails with an error that names the missing
  /// symbol or the mismatching version.
  [[nodiscard]] static Result<CompilerApi> load(const std::filesystem::path& library);

  /// Returns true if the compiler describes the knobs of GPU pipelines by constraints.
  [[nodiscard]] bool hasConstraints() const { return constraintsToSmtLib != nullptr; }

  [[nodiscard]] std::string opName(MlirOperation operation) const;
  /// Returns the attribute as MLIR text; "" if the operation does not have it.
  [[nodiscard]] std::string attributeText(MlirOperation operation, std::string_view name) const;
  /// Returns the value of a string attribute; "" if the operation does not have it.
  [[nodiscard]] std::string stringAttribute(MlirOperation operation, std::string_view name) const;
  [[nodiscard]] std::string typeText(MlirType type) const;
  [[nodiscard]] std::string text(MlirAttribute attribute) const;
  [[nodiscard]] std::string text(MlirOperation operation) const;
  /// Prints without aliases, so that the text can be parsed outside the module.
  [[nodiscard]] std::string localText(MlirOperation operation) const;
  /// Prints in generic form without aliases: equal only for equal operations.
  [[nodiscard]] std::string fullText(MlirOperation operation) const;
};

}  // namespace hone::iree
