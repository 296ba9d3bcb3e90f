// Self-attention with four heads of size 64 on 128 tokens of size 256:
//   attention(x · q, x · k, x · v) · out + x
// The three projections share one kernel, which is called three times.
#both = affine_map<(t, d) -> (t, d)>

func.func private @project(%x: tensor<128x256xf32>, %weights: tensor<256x256xf32>)
    -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x256xf32>) -> tensor<128x256xf32>
  %result = linalg.matmul ins(%x, %weights : tensor<128x256xf32>, tensor<256x256xf32>)
      outs(%init : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %result : tensor<128x256xf32>
}

// Moves the heads to the outermost dimension, as attention expects.
func.func private @heads(%x: tensor<128x256xf32>) -> tensor<4x128x64xf32> {
  %split = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 4, 64]
      : tensor<128x256xf32> into tensor<128x4x64xf32>
  %empty = tensor.empty() : tensor<4x128x64xf32>
  %result = linalg.transpose ins(%split : tensor<128x4x64xf32>)
      outs(%empty : tensor<4x128x64xf32>) permutation = [1, 0, 2]
  return %result : tensor<4x128x64xf32>
}

func.func @attention_block(%x: tensor<128x256xf32>, %q: tensor<256x256xf32>,
                           %k: tensor<256x256xf32>, %v: tensor<256x256xf32>,
                           %out: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %scale = arith.constant 0.125 : f32
  %queries = call @project(%x, %q) : (tensor<128x256xf32>, tensor<256x256xf32>)
      -> tensor<128x256xf32>
  %keys = call @project(%x, %k) : (tensor<128x256xf32>, tensor<256x256xf32>)
      -> tensor<128x256xf32>
  %values = call @project(%x, %v) : (tensor<128x256xf32>, tensor<256x256xf32>)
      -> tensor<128x256xf32>
  %queryHeads = call @heads(%queries) : (tensor<128x256xf32>) -> tensor<4x128x64xf32>
  %keyHeads = call @heads(%keys) : (tensor<128x256xf32>) -> tensor<4x128x64xf32>
  %valueHeads = call @heads(%values) : (tensor<128x256xf32>) -> tensor<4x128x64xf32>

  %emptyHeads = tensor.empty() : tensor<4x128x64xf32>
  %attended = iree_linalg_ext.attention <
      indexing_maps = [affine_map<(h, t, e, d, s) -> (h, t, d)>,
                       affine_map<(h, t, e, d, s) -> (h, s, d)>,
                       affine_map<(h, t, e, d, s) -> (h, s, e)>,
                       affine_map<(h, t, e, d, s) -> ()>,
                       affine_map<(h, t, e, d, s) -> (h, t, e)>]>
      ins(%queryHeads, %keyHeads, %valueHeads, %scale
          : tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>, f32)
      outs(%emptyHeads : tensor<4x128x64xf32>) {
    ^bb0(%score: f32):
      iree_linalg_ext.yield %score : f32
  } -> tensor<4x128x64xf32>

  %emptyTokens = tensor.empty() : tensor<128x4x64xf32>
  %tokens = linalg.transpose ins(%attended : tensor<4x128x64xf32>)
      outs(%emptyTokens : tensor<128x4x64xf32>) permutation = [1, 0, 2]
  %joined = tensor.collapse_shape %tokens [[0], [1, 2]]
      : tensor<128x4x64xf32> into tensor<128x256xf32>
  %mixed = call @project(%joined, %out) : (tensor<128x256xf32>, tensor<256x256xf32>)
      -> tensor<128x256xf32>
  %empty = tensor.empty() : tensor<128x256xf32>
  %result = linalg.generic {indexing_maps = [#both, #both, #both],
                            iterator_types = ["parallel", "parallel"]}
      ins(%mixed, %x : tensor<128x256xf32>, tensor<128x256xf32>)
      outs(%empty : tensor<128x256xf32>) {
    ^bb0(%value: f32, %residual: f32, %old: f32):
      %sum = arith.addf %value, %residual : f32
      linalg.yield %sum : f32
  } -> tensor<128x256xf32>
  return %result : tensor<128x256xf32>
}
