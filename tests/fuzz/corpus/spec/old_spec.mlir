#layout = #iree_gpu.mma_layout<MFMA_F16_16x16x16_F32>
module attributes { transform.with_named_sequence } {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %c: !transform.any_param {transform.readonly}) {
    transform.print %op {name = "x"} : !transform.any_op
    transform.yield
  }
  transform.named_sequence @mm(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %i, %o = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%a: tensor<8x4xf16>, %b: tensor<16x4xf16>, %c: tensor<8x16xf32>):
      %1 = linalg.matmul_transpose_b ins(%a, %b : tensor<8x4xf16>, tensor<16x4xf16>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %0 = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_codegen.lowering_config<tile_sizes = [[8, 16, 4]]>, translation_info = #iree_codegen.translation_info<LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64, {mma_schedule = #iree_gpu.mma_schedule<intrinsic = #layout, subgroup_m_count = 1, subgroup_n_count = 1>}>> -> !transform.any_param
    transform.yield %op, %0 : !transform.any_op, !transform.any_param
  }
  transform.named_sequence @__kernel_config(%m: !transform.any_op {transform.consumed}) {
    transform.foreach_match in %m @mm -> @apply : (!transform.any_op) -> (!transform.any_op)
    transform.yield
  }
}
