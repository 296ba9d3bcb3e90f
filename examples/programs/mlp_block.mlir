// The feed-forward block of a transformer on 128 tokens of size 512:
//   x + gelu(layernorm(x) · up + upBias) · down + downBias
// Most of the time is spent in the two matmuls; the layernorm reductions are separate dispatches.
#row = affine_map<(t, d) -> (t)>
#column = affine_map<(t, d) -> (d)>
#both = affine_map<(t, d) -> (t, d)>

func.func @mlp_block(%x: tensor<128x512xf32>,
                     %up: tensor<512x2048xf32>, %upBias: tensor<2048xf32>,
                     %down: tensor<2048x512xf32>, %downBias: tensor<512xf32>)
    -> tensor<128x512xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 512.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %inverseRoot2 = arith.constant 0.70710678118654752 : f32

  // Mean and variance of each token.
  %emptyRow = tensor.empty() : tensor<128xf32>
  %zeroRow = linalg.fill ins(%zero : f32) outs(%emptyRow : tensor<128xf32>) -> tensor<128xf32>
  %sum = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x512xf32>) outs(%zeroRow : tensor<128xf32>) {
    ^bb0(%value: f32, %old: f32):
      %new = arith.addf %value, %old : f32
      linalg.yield %new : f32
  } -> tensor<128xf32>
  %squares = linalg.generic {indexing_maps = [#both, #row, #row],
                             iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<128x512xf32>, tensor<128xf32>) outs(%zeroRow : tensor<128xf32>) {
    ^bb0(%value: f32, %total: f32, %old: f32):
      %mean = arith.divf %total, %count : f32
      %centered = arith.subf %value, %mean : f32
      %square = arith.mulf %centered, %centered : f32
      %new = arith.addf %square, %old : f32
      linalg.yield %new : f32
  } -> tensor<128xf32>
  %emptyX = tensor.empty() : tensor<128x512xf32>
  %normal = linalg.generic {indexing_maps = [#both, #row, #row, #both],
                            iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares : tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>)
      outs(%emptyX : tensor<128x512xf32>) {
    ^bb0(%value: f32, %total: f32, %spread: f32, %out: f32):
      %mean = arith.divf %total, %count : f32
      %centered = arith.subf %value, %mean : f32
      %variance = arith.divf %spread, %count : f32
      %positive = arith.addf %variance, %epsilon : f32
      %scale = math.rsqrt %positive : f32
      %scaled = arith.mulf %centered, %scale : f32
      linalg.yield %scaled : f32
  } -> tensor<128x512xf32>

  // Up projection with bias and gelu(v) = v / 2 · (1 + erf(v / √2)).
  %emptyHidden = tensor.empty() : tensor<128x2048xf32>
  %zeroHidden = linalg.fill ins(%zero : f32) outs(%emptyHidden : tensor<128x2048xf32>)
      -> tensor<128x2048xf32>
  %wide = linalg.matmul ins(%normal, %up : tensor<128x512xf32>, tensor<512x2048xf32>)
      outs(%zeroHidden : tensor<128x2048xf32>) -> tensor<128x2048xf32>
  %hidden = linalg.generic {indexing_maps = [#both, #column, #both],
                            iterator_types = ["parallel", "parallel"]}
      ins(%wide, %upBias : tensor<128x2048xf32>, tensor<2048xf32>)
      outs(%emptyHidden : tensor<128x2048xf32>) {
    ^bb0(%value: f32, %offset: f32, %out: f32):
      %biased = arith.addf %value, %offset : f32
      %argument = arith.mulf %biased, %inverseRoot2 : f32
      %erf = math.erf %argument : f32
      %factor = arith.addf %erf, %one : f32
      %halved = arith.mulf %biased, %half : f32
      %gelu = arith.mulf %halved, %factor : f32
      linalg.yield %gelu : f32
  } -> tensor<128x2048xf32>

  // Down projection with bias and residual.
  %zeroX = linalg.fill ins(%zero : f32) outs(%emptyX : tensor<128x512xf32>) -> tensor<128x512xf32>
  %narrow = linalg.matmul ins(%hidden, %down : tensor<128x2048xf32>, tensor<2048x512xf32>)
      outs(%zeroX : tensor<128x512xf32>) -> tensor<128x512xf32>
  %result = linalg.generic {indexing_maps = [#both, #column, #both, #both],
                            iterator_types = ["parallel", "parallel"]}
      ins(%narrow, %downBias, %x : tensor<128x512xf32>, tensor<512xf32>, tensor<128x512xf32>)
      outs(%emptyX : tensor<128x512xf32>) {
    ^bb0(%value: f32, %offset: f32, %residual: f32, %out: f32):
      %biased = arith.addf %value, %offset : f32
      %added = arith.addf %biased, %residual : f32
      linalg.yield %added : f32
  } -> tensor<128x512xf32>
  return %result : tensor<128x512xf32>
}
